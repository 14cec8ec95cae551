//===- ReadStorage.cpp - Ragged and paged tensors -------------------------===//
//
//   storage:
//     query: ragged(start)
//     kv: paged(table, 16)
//
// Read in two steps: the kinds before the sizes, since ragged storage brings a
// size and makes a length each sequence's own; the tables after the inputs.
// Tests: test/Spec/Keys/Storage/storage*.yaml
//
//===----------------------------------------------------------------------===//

#include "Reader/SpecReader.h"

#include "Proof/Proofs.h"

#include "attnc/Spec/Print.h"
#include "attnc/Support/Nearest.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

static constexpr int64_t maxPageRows = 65536;

bool SpecReader::readStorageCall(const Node &call, PendingStorage &pending) {
  if (!call.arguments.empty() || call.children.empty() ||
      call.children[0]->kind != Node::Name)
    return false;
  pending.table = call.children[0]->name;
  pending.tableRange = call.children[0]->range;
  Storage &storage = *pending.storage;
  if (call.name == "ragged" && call.children.size() == 1) {
    storage.kind = Storage::Ragged;
    return true;
  }
  if (call.name != "paged" || call.children.size() != 2)
    return false;
  const Node &rows = *call.children[1];
  pending.rowsRange = rows.range;
  if (rows.kind == Node::Int)
    storage.pageRows = rows.integer;
  else if (rows.kind == Node::Name)
    pending.rows = rows.name;
  storage.kind = Storage::Paged;
  return true;
}

/// A misspelt kind has a fix where its arguments may stay.
void SpecReader::refuseKind(const YamlNode &written, const Node &node) {
  static constexpr StringRef kinds[] = {"ragged", "paged"};
  StringRef similar;
  if (node.kind == Node::Call && !is_contained(kinds, node.name))
    similar = nearest(node.name, kinds);
  report
      .error(Message::Storage, similar.empty() ? written.range : node.headRange,
             {similar.empty() ? written.text : node.name})
      .note("valid storage kinds: dense, ragged(start), paged(table, n)")
      .fix(similar);
}

/// Storage that is refused: `ragged` without its table brings its sizes all the
/// same, and of a word that is none these may be what is missing elsewhere.
void SpecReader::refuseStorage(const Node &node, PendingStorage pending) {
  if (node.name == "ragged") {
    pending.storage->kind = Storage::Ragged;
    storages.push_back(std::move(pending));
    return;
  }
  bool isQuery = pending.storage == &spec.queryStorage;
  use.refused.insert(isQuery ? "query_tokens" : "kv_tokens");
}

void SpecReader::readStorage() {
  const YamlEntry *storage = entry(Key::Storage);
  if (storage && storage->value.kind == YamlNode::Scalar) {
    report.error(Message::NeedsMap, storage->value.range, {"storage"})
        .note("write 'storage:' and, on the next line, '  kv: "
              "paged(table, n)' or '  kv: ragged(start)'");
    return;
  }
  if (!storage || !needMap(*storage))
    return;
  static constexpr StringRef names[] = {"query", "kv"};
  for (const YamlEntry &item : storage->value.map) {
    if (!is_contained(names, item.key.text)) {
      report.error(Message::UnknownKey, item.key.range, {item.key.text})
          .note("keys of 'storage': query, kv")
          .fix(nearest(item.key.text, names));
      continue;
    }
    if (!needScalar(item))
      continue;
    NodePtr node = parseFormula({item.value.source(), {}}, report);
    if (!node || (node->kind == Node::Name && node->name == "dense"))
      continue;
    bool isQuery = item.key.text == "query";
    PendingStorage pending;
    pending.storage = isQuery ? &spec.queryStorage : &spec.kvStorage;
    pending.storage->range = item.value.range;
    bool good = node->kind == Node::Call && readStorageCall(*node, pending);
    if (!good) {
      refuseKind(item.value, *node);
      refuseStorage(*node, std::move(pending));
    } else if (isQuery && pending.storage->kind == Storage::Paged)
      report.error(Message::PagedQuery, item.value.range);
    else
      storages.push_back(std::move(pending));
  }
}

/// Ragged storage: the axis of all rows is a size, the length is none.
void SpecReader::addStorageSizes() {
  for (auto [storage, length, key, name] :
       {std::tuple(&spec.queryStorage, QueryLen, Key::QueryLen, "query_tokens"),
        std::tuple(&spec.kvStorage, KvLen, Key::KvLen, "kv_tokens")}) {
    if (storage->kind != Storage::Ragged)
      continue;
    if (const YamlEntry *written = entry(key))
      report
          .error(Message::RaggedLength, written->key.range,
                 {keyName(key).str()})
          .note("the total number of rows is the size '" + std::string(name) +
                "'");
    storage->tokens = spec.sizes.size();
    spec.sizes.emplace_back().name = name;
    spec.sizes.back().implied = true;
    pending.emplace_back();
    spec.sizes[length].kind = Size::PerSequence;
    pending[length] = PendingSize();
  }
  if (hasOneAxisOfRows()) {
    Size &keys = spec.sizes[spec.kvStorage.tokens];
    keys.kind = Size::Derived;
    keys.formula = makeSize(spec.queryStorage.tokens);
  }
}

/// Where both sides have one table of starts, and formulas of tensors make rows
/// or read them, all rows of both are the same rows: self-attention.
bool SpecReader::hasOneAxisOfRows() const {
  auto isOne = [](StringRef a, StringRef b) {
    return a == b || a.empty() || b.empty(); // refused: may be any
  };
  if (storages.size() != 2 || !isOne(storages[0].table, storages[1].table) ||
      any_of(storages, [](const PendingStorage &pending) {
        return pending.storage->kind != Storage::Ragged;
      }))
    return false;
  if (entry(Key::Output))
    return true;
  const YamlEntry *let = entry(Key::Let);
  if (!let || let->value.kind != YamlNode::Map)
    return false;
  return any_of(let->value.map, [](const YamlEntry &item) {
    SmallVector<StringRef> names;
    StringRef(item.key.text).split(names, ',');
    return any_of(
        names, [](StringRef name) { return findRow(name.trim()).has_value(); });
  });
}

static bool isInteger(DType dtype) {
  return dtype == DType::I32 || dtype == DType::I64;
}

/// start: i32[batch + 1] nondecreasing
bool SpecReader::checkStarts(const Input &input) {
  Prover prover(spec, Domain{false, false, false, true});
  auto isOneMoreThanBatch = [&](const ExprPtr &axis) {
    return prover.linear(axis) - prover.linear(makeSize(Batch)) ==
           LinearForm(1);
  };
  return isInteger(input.dtype) && input.axes.size() == 1 &&
         isOneMoreThanBatch(input.axes[0]) && input.nondecreasing && !input.low;
}

/// table: i32[batch, width] in 0..pages - 1
bool SpecReader::checkPages(const Input &input) {
  Prover prover(spec, Domain{false, false, false, true});
  return isInteger(input.dtype) && input.axes.size() == 2 &&
         prover.linear(input.axes[0]) == prover.linear(makeSize(Batch)) &&
         input.high;
}

/// kv_len is not an extent of pages: the spec says it, and the table has to
/// have a column for every key.
void SpecReader::checkPagedLength(const Input &input) {
  ExprPtr width = input.axes[1], rows = makeInt(spec.kvStorage.pageRows);
  ExprPtr capacity = makeApply(Op::Mul, Type::Int, {width, rows});
  std::string text = printFormula(spec, *capacity);
  bool isAxis = any_of(spec.inputs, [&](const Input &other) {
    return any_of(other.axes, [&](const ExprPtr &axis) {
      return axis->kind == Expr::Size && axis->index == KvLen;
    });
  });
  const Size &length = spec.sizes[KvLen];
  if (length.kind == Size::RunTime && !isAxis) {
    report.error(Message::UnboundSize, spec.kvStorage.range, {"kv_len"})
        .note("a page table does not determine the number of keys of a "
              "sequence")
        .fix("kv_len: " + text);
    return;
  }
  Prover prover(spec, Domain{false, false, false, true});
  ExprPtr keys = makeSize(KvLen);
  LinearForm free = prover.linear(capacity) - prover.linear(keys);
  if (prover.proves(free))
    return;
  prover.know(makeApply(Op::Ge, Type::Bool, {width, makeInt(1)}));
  if (prover.proves(free.scaled(-1) - LinearForm(1))) { // for all sizes
    report
        .error(Message::PagesTooFew, spec.kvStorage.range,
               {text, printFormula(spec, length.kind == Size::Derived
                                             ? *length.formula
                                             : *makeInt(length.value))})
        .note("write as many keys per page as 'kv_len' has, or 'kv_len: " +
              text + "'");
    return;
  }
  ExprPtr condition = makeApply(Op::Le, Type::Bool, {keys, capacity});
  spec.preconditions.push_back({condition, printFormula(spec, *condition),
                                "the page table '" + input.name + "'",
                                input.typeRange});
}

/// The keys of a page, a number or a fixed size.
bool SpecReader::readPageRows(const PendingStorage &pending) {
  int64_t &rows = pending.storage->pageRows;
  std::optional<unsigned> size = spec.findSize(pending.rows);
  if (size && spec.sizes[*size].kind == Size::Fixed)
    rows = spec.sizes[*size].value;
  if (rows >= 1 && rows <= maxPageRows)
    return true;
  rows = 0;
  report.error(
      Message::BadArgument, pending.rowsRange,
      {"'n' of 'paged'", "a number in 1 .. 65536 or the name of a fixed size"});
  return false;
}

/// Whether a definition reads the stored rows `row`: those that it defines,
/// here or in another definition that it names.
static bool readsRow(const Node &node, StringRef row, const NameUse &use,
                     SmallVectorImpl<StringRef> &seen) {
  if (node.name == row)
    return true;
  auto named = use.let.find(node.name);
  bool isOther = named != use.let.end() && named->second.body &&
                 node.name != "K" && node.name != "V" &&
                 !is_contained(seen, node.name);
  if (isOther) {
    seen.push_back(node.name);
    if (readsRow(*named->second.body, row, use, seen))
      return true;
  }
  return any_of(node.children,
                [&](const NodePtr &child) {
                  return readsRow(*child, row, use, seen);
                }) ||
         any_of(node.arguments, [&](const Node::Argument &argument) {
           return readsRow(*argument.value, row, use, seen);
         });
}

/// Whether `let` defines a row without reading the stored ones.
static bool replacesRow(StringRef row, const NameUse &use) {
  auto own = use.let.find(row.str());
  SmallVector<StringRef> seen;
  return own != use.let.end() && own->second.body &&
         !readsRow(*own->second.body, row, use, seen);
}

/// The tables of the storage, once the inputs are known.
void SpecReader::bindStorage() {
  for (const PendingStorage &pending : storages) {
    if (pending.table.empty()) // refused
      continue;
    auto found = find_if(spec.inputs, [&](const Input &input) {
      return input.name == pending.table;
    });
    Storage &storage = *pending.storage;
    bool ragged = storage.kind == Storage::Ragged;
    if (!ragged && replacesRow("K", use) && replacesRow("V", use))
      report.error(Message::StorageOfNothing, storage.range)
          .note("remove 'kv' from 'storage', or define only one of them");
    bool hasLength = !ragged && readPageRows(pending);
    std::string declaration =
        pending.table + (ragged ? ": i32[batch + 1] "
                                  "nondecreasing"
                                : ": i32[batch, width] in "
                                  "0..pages - 1");
    if (found == spec.inputs.end()) {
      if (!use.refused.count(pending.table))
        report.error(Message::Undeclared, pending.tableRange, {pending.table})
            .fix("add under 'inputs:'    " + declaration);
      continue;
    }
    storage.table = found - spec.inputs.begin();
    use.inputs.insert(storage.table);
    if (ragged ? !checkStarts(*found) : !checkPages(*found)) {
      report
          .error(Message::StorageTable, found->typeRange,
                 {found->name, declaration})
          .note(storage.range,
                ragged
                    ? "it holds the first row of each sequence; the range of "
                      "its values is implied"
                    : "it maps keys to pages; its range gives the number of "
                      "pages, as a constant or a size ('pages: any' under "
                      "'sizes:')");
      continue;
    }
    if (hasLength)
      checkPagedLength(*found);
  }
}

} // namespace attnc::spec
