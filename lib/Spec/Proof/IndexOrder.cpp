//===- IndexOrder.cpp - Variables that index the axis of another one ------===//

#include "Proof/IndexOrder.h"

#include "Language/Language.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace attnc::spec {

/// A size that is another one by definition is that one.
static unsigned original(const AttentionSpec &spec, unsigned size) {
  const Size &info = spec.sizes[size];
  bool isOther = info.kind == Size::Derived && info.formula->kind == Expr::Size;
  return isOther ? info.formula->index : size;
}

/// What a variable counts along.
static unsigned sizeOf(Variable variable) {
  switch (variable) {
  case Variable::B:
    return Batch;
  case Variable::H:
    return Heads;
  case Variable::G:
    return KvHeads;
  case Variable::I:
    return QueryLen;
  case Variable::Q:
  case Variable::K:
    return KvLen;
  }
  llvm_unreachable("a variable");
}

static constexpr unsigned countedSizes[] = {Batch, Heads, KvHeads, QueryLen,
                                            KvLen};

std::optional<unsigned> sizeOfIndex(const AttentionSpec &spec,
                                    const Expr &index) {
  if (index.kind != Expr::Variable)
    return std::nullopt;
  return original(spec, sizeOf(index.variable));
}

std::optional<unsigned> countedAxis(const AttentionSpec &spec,
                                    const Expr &axis) {
  if (axis.kind != Expr::Size)
    return std::nullopt;
  unsigned size = original(spec, axis.index);
  return is_contained(countedSizes, size) ? std::optional(size) : std::nullopt;
}

/// The length whose rows an axis of all sequences' rows counts, as a size.
static unsigned lengthOf(const AttentionSpec &spec, unsigned size) {
  for (auto [storage, length] : {std::pair(&spec.queryStorage, QueryLen),
                                 std::pair(&spec.kvStorage, KvLen)})
    if (storage->kind == Storage::Ragged && storage->tokens == size)
      return length;
  return size;
}

/// The axis as the spec has it: with `query_len: kv_len` the axes [query_len,
/// kv_len] are one size and yet two axes. Rows of all sequences count as those
/// of one.
static std::optional<unsigned> writtenAxis(const AttentionSpec &spec,
                                           const Expr &axis) {
  if (axis.kind != Expr::Size)
    return std::nullopt;
  std::optional<unsigned> named;
  if (axis.range.isValid())
    named = spec.findSize(Report::textOf(axis.range));
  unsigned size = lengthOf(spec, named.value_or(axis.index));
  return is_contained(countedSizes, size) ? size : countedAxis(spec, axis);
}

/// The variable that an index is: k, or of ragged rows start[b] + k.
static const Expr *variableOf(const AttentionSpec &spec, const Expr &index) {
  if (index.kind == Expr::Variable)
    return &index;
  if (!index.isApply(Op::Add))
    return nullptr;
  auto isStart = [&](const Expr &e) {
    return e.kind == Expr::Load &&
           any_of(ArrayRef{&spec.queryStorage, &spec.kvStorage},
                  [&](const Storage *storage) {
                    return storage->kind == Storage::Ragged &&
                           storage->table == e.index;
                  });
  };
  for (unsigned i : {0, 1})
    if (isStart(*index.operands[i]) &&
        index.operands[1 - i]->kind == Expr::Variable)
      return index.operands[1 - i].get();
  return nullptr;
}

/// What the variable of an index counts along, by the name of that size.
static std::optional<unsigned> writtenSize(const AttentionSpec &spec,
                                           const Expr &index) {
  const Expr *variable = variableOf(spec, index);
  return variable ? std::optional(sizeOf(variable->variable)) : std::nullopt;
}

/// Whether the index runs along an axis of that size. The row of a query does
/// along its tensor as i, and along the keys as q.
static bool countsAlong(const AttentionSpec &spec, const Expr &index,
                        unsigned size) {
  const Expr *variable = variableOf(spec, index);
  bool isPosition = variable && variable->variable == Variable::Q;
  return writtenSize(spec, index) == size || (isPosition && size == QueryLen);
}

/// Where rows of all sequences lie behind each other, the storage whose table
/// says where the axis has those of one; else null.
static const Storage *storageOfAxis(const AttentionSpec &spec,
                                    const Expr &axis) {
  if (axis.kind != Expr::Size)
    return nullptr;
  for (const Storage *storage : {&spec.queryStorage, &spec.kvStorage})
    if (storage->kind == Storage::Ragged && storage->tokens == axis.index)
      return storage;
  return nullptr;
}

/// The place of a row of one sequence among those of all: start[b] + k. Empty
/// where the table of the axis does not say it.
static std::string placeAmongAll(const AttentionSpec &spec, Variable variable,
                                 const Storage &storage) {
  bool isQueries = &storage == &spec.queryStorage;
  const Storage &other = isQueries ? spec.kvStorage : spec.queryStorage;
  bool isOneTable =
      other.kind == Storage::Ragged && other.table == storage.table;
  StringRef row = variable == Variable::I   ? "i"
                  : variable == Variable::Q ? "q"
                                            : "k";
  if (!isOneTable && isQueries && variable == Variable::Q)
    row = "i";
  if (!isOneTable && isQueries != (row == "i"))
    return "";
  return spec.inputs[storage.table].name + "[b] + " + row.str();
}

/// The index as it stands in that axis.
static std::string textIn(const AttentionSpec &spec, const Expr &index,
                          const Expr &axis) {
  const Expr *variable = variableOf(spec, index);
  bool isRow = variable && variable->variable == Variable::Q &&
               writtenAxis(spec, axis) == QueryLen;
  const Storage *storage = storageOfAxis(spec, axis);
  std::string text = storage && variable
                         ? placeAmongAll(spec, variable->variable, *storage)
                         : "";
  if (!text.empty())
    return text;
  return isRow ? "i" : printFormula(spec, index);
}

/// The indices in the order of the axes, as text; empty if that is none.
static std::string inOrder(const AttentionSpec &spec, const Expr &load) {
  const Input &input = spec.inputs[load.index];
  std::vector<std::string> texts;
  std::vector<bool> taken(load.operands.size());
  for (size_t axis = 0; axis < load.operands.size(); ++axis) {
    std::optional<unsigned> size = writtenAxis(spec, *input.axes[axis]);
    bool found = false;
    for (auto [i, index] : enumerate(load.operands)) {
      found = size && !taken[i] && countsAlong(spec, *index, *size);
      if (!found)
        continue;
      taken[i] = true;
      texts.push_back(textIn(spec, *index, *input.axes[axis]));
      break;
    }
    if (!found)
      return "";
  }
  return input.name + "[" + join(texts, ", ") + "]";
}

static std::string textOf(const AttentionSpec &spec, const Expr &axis) {
  return axis.range.isValid() ? Report::textOf(axis.range).str()
                              : printFormula(spec, axis);
}

static std::string axesOf(const AttentionSpec &spec, const Input &input) {
  std::vector<std::string> texts;
  for (const ExprPtr &axis : input.axes)
    texts.push_back(textOf(spec, *axis));
  return "[" + join(texts, ", ") + "]";
}

/// Whether two sizes are one at every call: `query_len: kv_len`, or ragged rows
/// of one table.
static bool isOneSize(const AttentionSpec &spec, unsigned a, unsigned b) {
  auto isLength = [](unsigned size) {
    return size == QueryLen || size == KvLen;
  };
  bool isOneTable = spec.queryStorage.kind == Storage::Ragged &&
                    spec.kvStorage.kind == Storage::Ragged &&
                    spec.queryStorage.table == spec.kvStorage.table;
  return original(spec, a) == original(spec, b) ||
         (isOneTable && isLength(a) && isLength(b));
}

/// Whether the index of an axis has changed places with another one: it counts
/// along `own`, and the axis `here`. Where both are one size the other index
/// has to be there; else its own axis without it is enough.
static bool isSwapped(const AttentionSpec &spec, const Expr &load,
                      unsigned axis, unsigned own, unsigned here) {
  const Input &input = spec.inputs[load.index];
  bool hasOwn = false, ownIsTaken = false, hasOther = false;
  for (auto [other, index] : enumerate(load.operands)) {
    if (other == axis || writtenAxis(spec, *input.axes[other]) != own)
      continue;
    hasOwn = true;
    ownIsTaken |= writtenSize(spec, *index) == own;
    hasOther |= countsAlong(spec, *index, here);
  }
  if (hasOther && !countsAlong(spec, *load.operands[axis], here))
    return true;
  return hasOwn && !ownIsTaken && !isOneSize(spec, own, here);
}

bool checkIndexOrder(const AttentionSpec &spec, Report &report,
                     const Expr &load) {
  const Input &input = spec.inputs[load.index];
  if (input.made) // its axes are not written anywhere
    return true;
  for (auto [axis, index] : enumerate(load.operands)) {
    std::optional<unsigned> own = writtenSize(spec, *index);
    std::optional<unsigned> here = writtenAxis(spec, *input.axes[axis]);
    if (!own || !here || own == here ||
        !isSwapped(spec, load, axis, *own, *here))
      continue;
    bool isWritten = Report::textOf(load.range).ends_with("]");
    auto &error = report
                      .error(Message::IndexSwapped, load.range,
                             {printFormula(spec, *index), spec.sizes[*own].name,
                              textOf(spec, *input.axes[axis]), input.name})
                      .fix(isWritten ? inOrder(spec, load) : "")
                      .note(input.typeRange,
                            "the order of its axes is " + axesOf(spec, input));
    if (isOneSize(spec, *own, *here))
      error.note("if both orders are intended, give both axes the same "
                 "size name");
    return false;
  }
  return true;
}

bool reportOtherAxis(const AttentionSpec &spec, Report &report,
                     const Expr &load, unsigned axis) {
  const Input &input = spec.inputs[load.index];
  const Expr &index = *load.operands[axis], &extent = *input.axes[axis];
  std::optional<unsigned> own = sizeOfIndex(spec, index);
  std::optional<unsigned> here = countedAxis(spec, extent);
  if (input.made || !own || !here || own == here)
    return false;
  // What belongs to a head or a query, by its other index.
  StringRef meant = *own == Heads && *here == KvHeads                    ? "g"
                    : index.variable == Variable::Q && *here == QueryLen ? "i"
                                                                         : "";
  bool isWritten = Report::textOf(index.range) == printFormula(spec, index);
  report
      .error(Message::IndexSwapped, index.range,
             {printFormula(spec, index),
              spec.sizes[sizeOf(index.variable)].name, textOf(spec, extent),
              input.name})
      .fix(isWritten ? meant : "")
      .note(input.typeRange, "'" + input.name + "' is declared here");
  return true;
}

/// The row of a sequence that an index computes with, or null. What a table
/// says is none, nor is the distance of two rows.
static const Expr *rowIn(const Expr &index,
                         DenseMap<const Expr *, const Expr *> &known) {
  static constexpr Variable rows[] = {Variable::I, Variable::Q, Variable::K};
  if (index.kind == Expr::Variable)
    return is_contained(rows, index.variable) ? &index : nullptr;
  if (index.kind != Expr::Apply)
    return nullptr;
  if (auto same = known.find(&index); same != known.end())
    return same->second;
  const Expr *found = nullptr;
  for (const ExprPtr &operand : index.operands) {
    const Expr *row = rowIn(*operand, known);
    if (row && found && row->variable != found->variable)
      return known[&index] = nullptr;
    found = row ? row : found;
  }
  return known[&index] = found;
}

static const Expr *rowIn(const Expr &index) {
  DenseMap<const Expr *, const Expr *> known;
  return rowIn(index, known);
}

static bool reads(const Expr &e, unsigned table) {
  return anyNode(e, [&](const Expr &x) {
    return x.kind == Expr::Load && x.index == table;
  });
}

/// An index without the term start[b], or null if it has none.
static ExprPtr withoutStart(const ExprPtr &e, unsigned table) {
  if (!e->isApply(Op::Add))
    return nullptr;
  for (unsigned i : {0, 1}) {
    const ExprPtr &term = e->operands[i], &rest = e->operands[1 - i];
    if (term->kind == Expr::Load && term->index == table &&
        term->operands[0]->kind == Expr::Variable)
      return rest;
    if (ExprPtr row = withoutStart(term, table))
      return makeApply(Op::Add, e->type, {row, rest}, e->range);
  }
  return nullptr;
}

/// start[b] + row, where the row of the sequence may be none.
static void warnLeavingSequence(const AttentionSpec &spec, Report &report,
                                Prover &prover, const Expr &load, unsigned axis,
                                const Storage &storage) {
  const Input &input = spec.inputs[load.index];
  const Expr &index = *load.operands[axis];
  ExprPtr row = withoutStart(load.operands[axis], storage.table);
  if (!row || row->kind != Expr::Apply)
    return;
  unsigned length = &storage == &spec.queryStorage ? QueryLen : KvLen;
  LinearForm place = prover.linear(row);
  LinearForm last = prover.linear(makeSize(length)) - LinearForm(1);
  if (prover.proves(place) && prover.proves(last - place))
    return;
  const Expr &all = *input.axes[axis];
  report
      .warning(Message::IndexLeaves, index.range,
               {printFormula(spec, index),
                input.made ? printFormula(spec, all) : textOf(spec, all),
                input.name})
      .fix(spec.inputs[storage.table].name + "[b] + clamp(" +
           printFormula(spec, *row) + ", 0, " + spec.sizes[length].name +
           " - 1)");
}

void warnIndexOfOne(const AttentionSpec &spec, Report &report, Prover &prover,
                    const Expr &load, unsigned axis) {
  const Input &input = spec.inputs[load.index];
  const Expr &index = *load.operands[axis];
  const Storage *storage = storageOfAxis(spec, *input.axes[axis]);
  const Expr *row = storage ? rowIn(index) : nullptr;
  if (!row)
    return;
  if (reads(index, storage->table))
    return warnLeavingSequence(spec, report, prover, load, axis, *storage);
  const Expr &all = *input.axes[axis];
  std::string axisText =
      input.made ? printFormula(spec, all) : textOf(spec, all);
  auto &warning =
      report.warning(Message::IndexOfOne, index.range,
                     {printFormula(spec, index), axisText, input.name});
  std::string place = placeAmongAll(spec, row->variable, *storage);
  bool isWritten = Report::textOf(load.range).ends_with("]");
  if (isWritten && row == &index)
    warning.fix(place);
  else if (!place.empty())
    warning.note((row == &index ? "the entries of sequence b are at "
                                : "row " + printFormula(spec, *row) +
                                      " of sequence b is at ") +
                 place);
  if (!input.made)
    warning.note(input.typeRange, "'" + input.name + "' is declared here");
}

/// What is counted in blocks of so many: q of q // 16, query_len of
/// (query_len + 15) // 16. Blocks of one are the thing itself.
static std::pair<const Expr *, int64_t> countedInBlocks(const Expr &e) {
  if (!e.isApply(Op::FloorDiv) || !e.operands[1]->isConstant())
    return {&e, 1};
  const Expr *whole = e.operands[0].get();
  while ((whole->isApply(Op::Add) || whole->isApply(Op::Sub)) &&
         whole->operands[1]->isConstant())
    whole = whole->operands[0].get();
  return {whole, e.operands[1]->integer};
}

void warnForeignIndex(const AttentionSpec &spec, Report &report,
                      const Expr &load, unsigned axis,
                      ArrayRef<Precondition> conditions) {
  const Input &input = spec.inputs[load.index];
  const Expr &index = *load.operands[axis];
  auto [row, ofRow] = countedInBlocks(index);
  auto [rows, ofAxis] = countedInBlocks(*input.axes[axis]);
  if (ofRow != ofAxis)
    return;
  std::optional<unsigned> own = sizeOfIndex(spec, *row);
  std::optional<unsigned> here = countedAxis(spec, *rows);
  bool isRow = row->kind == Expr::Variable && row->variable == Variable::I;
  // The rows of queries may well be the first places of the keys.
  if (input.made || !own || !here || own == here || (isRow && *here == KvLen))
    return;
  std::vector<std::string> needed;
  for (const Precondition &condition : conditions)
    needed.push_back(condition.text);
  auto &warning = report.warning(
      Message::IndexForeign, index.range,
      {printFormula(spec, index), spec.sizes[*writtenSize(spec, *row)].name,
       textOf(spec, *input.axes[axis]), input.name, join(needed, " and ")});
  std::string ordered = inOrder(spec, load);
  bool isWritten = Report::textOf(load.range).ends_with("]");
  if (isWritten && !ordered.empty() && ordered != printFormula(spec, load))
    warning.note("with the indices in the order of the axes: " + ordered);
  else if (row->kind == Expr::Variable && row->variable == Variable::Q &&
           *here == QueryLen)
    warning.note("the row of a query in its tensor is i");
  warning.note(input.typeRange, "'" + input.name + "' is declared here");
}

} // namespace attnc::spec
