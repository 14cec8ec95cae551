//===- ReadExpect.cpp - The sizes to be fast at ---------------------------===//

#include "Reader/SpecReader.h"

#include "Proof/Proofs.h"

#include "attnc/Support/Nearest.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc::spec {

static bool hasSize(const Regime &regime, unsigned size) {
  return any_of(regime.sizes, [&](auto &pair) { return pair.first == size; });
}

/// Gives a run-time size without a value one.
static void setSize(const AttentionSpec &spec, unsigned size, int64_t value,
                    Regime &regime) {
  if (spec.sizes[size].kind == Size::RunTime && !hasSize(regime, size))
    regime.sizes.push_back({size, value});
}

static std::string runTimeSizes(const AttentionSpec &spec) {
  std::string text;
  ListSeparator comma;
  for (const Size &size : spec.sizes)
    if (size.kind == Size::RunTime)
      text += StringRef(comma).str() + size.name;
  return text.empty() ? "none" : text;
}

using Values = DenseMap<const Expr *, ExprPtr>;

/// A formula of sizes at a regime; null where a size is not known there.
static ExprPtr valueAt(const AttentionSpec &spec, const Expr &e,
                       const Regime &regime, Values &known) {
  if (e.kind == Expr::Size) {
    const Size &size = spec.sizes[e.index];
    if (size.kind == Size::Fixed)
      return makeInt(size.value);
    if (size.kind == Size::Derived)
      return valueAt(spec, *size.formula, regime, known);
    for (auto [index, value] : regime.sizes)
      if (index == e.index)
        return makeInt(value);
    return nullptr;
  }
  if (e.isConstant())
    return std::make_shared<Expr>(e);
  if (e.kind != Expr::Apply)
    return nullptr;
  auto [place, isNew] = known.try_emplace(&e);
  if (!isNew)
    return place->second;
  std::vector<ExprPtr> operands;
  for (const ExprPtr &operand : e.operands)
    if (!operands.emplace_back(valueAt(spec, *operand, regime, known)))
      return nullptr;
  FoldProblem problem = FoldProblem::None;
  return known[&e] = foldConstants(e.op, e.type, operands, e.range, problem);
}

/// Adds the run-time sizes that a formula of sizes depends on.
static void collectRunTimeSizes(const AttentionSpec &spec, const Expr &e,
                                DenseSet<unsigned> &sizes) {
  if (e.kind == Expr::Size) {
    const Size &size = spec.sizes[e.index];
    if (size.kind == Size::RunTime)
      sizes.insert(e.index);
    else if (size.kind == Size::Derived)
      collectRunTimeSizes(spec, *size.formula, sizes);
  }
  for (const ExprPtr &operand : e.operands)
    collectRunTimeSizes(spec, *operand, sizes);
}

/// The least value, if there is one, of the only size without a value in
/// `known` at which a formula of sizes that grows with it is at least n.
static std::optional<std::pair<unsigned, int64_t>>
leastSize(const AttentionSpec &spec, const Expr &formula, int64_t n,
          const Regime &known) {
  DenseSet<unsigned> open;
  collectRunTimeSizes(spec, formula, open);
  for (auto [size, value] : known.sizes)
    open.erase(size);
  if (open.size() != 1)
    return std::nullopt;
  auto isEnough = [&](int64_t value) {
    Regime regime = known;
    regime.sizes.push_back({*open.begin(), value});
    Values values;
    ExprPtr result = valueAt(spec, formula, regime, values);
    return result && result->isConstant() && result->integer >= n;
  };
  int64_t low = -1, high = 1;
  while (!isEnough(high)) { // at maxSize, products of sizes overflow
    if (high >= maxSize)
      return std::nullopt;
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (isEnough(middle) ? high : low) = middle;
  }
  return std::pair(*open.begin(), high);
}

/// The run-time size p of an input `in 0..p - 1`.
static std::optional<unsigned> rangeOf(const AttentionSpec &spec,
                                       const Input &input) {
  const Expr *high = input.high.get();
  bool isLast =
      high && high->isApply(Op::Sub) && high->operands[0]->kind == Expr::Size &&
      high->operands[1]->isConstant() && high->operands[1]->integer == 1;
  if (!isLast || spec.sizes[high->operands[0]->index].kind != Size::RunTime)
    return std::nullopt;
  return high->operands[0]->index;
}

/// Adds the sizes that give the function n keys: their number, or the size that
/// it is a formula of and as many rows (pages) as tables with that axis find.
static void addKeys(const AttentionSpec &spec, int64_t n, Regime &regime) {
  auto add = [&](unsigned size, int64_t value) {
    setSize(spec, size, value, regime);
  };
  const Size &keys = spec.sizes[KvLen];
  auto solved = keys.kind == Size::Derived
                    ? leastSize(spec, *keys.formula, n, regime)
                    : std::nullopt;
  if (!solved)
    return add(KvLen, n);
  add(solved->first, solved->second);
  for (const Input &input : spec.inputs) {
    bool hasAxis = any_of(input.axes, [&](const ExprPtr &axis) {
      return axis->kind == Expr::Size && axis->index == solved->first;
    });
    if (std::optional<unsigned> rows = rangeOf(spec, input); hasAxis && rows)
      add(*rows, solved->second);
  }
}

/// prefill(n) and decode(n), for those of their sizes that are run-time ones.
void SpecReader::shorthand(StringRef name, int64_t n, Regime &regime) const {
  auto add = [&](unsigned size, int64_t value) {
    setSize(spec, size, value, regime);
  };
  // With one sequence its length is the number of all rows, and as many pages
  // as it needs are there.
  bool isRagged = spec.queryStorage.kind == Storage::Ragged;
  add(Batch, 1);
  add(isRagged ? spec.queryStorage.tokens : unsigned(QueryLen),
      name == "decode" ? 1 : n);
  if (spec.kvStorage.kind == Storage::Ragged)
    return add(spec.kvStorage.tokens, n);
  if (failed())
    return;
  addKeys(spec, n, regime);
  if (spec.kvStorage.kind == Storage::Paged)
    if (ExprPtr pages = spec.pages(); pages->kind == Expr::Size)
      add(pages->index,
          (n + spec.kvStorage.pageRows - 1) / spec.kvStorage.pageRows);
}

/// Gives every run-time size a value and sorts them.
void SpecReader::completeRegime(Regime &regime) const {
  auto valueOf = [&](unsigned size) -> std::optional<int64_t> {
    for (auto [known, value] : regime.sizes)
      if (known == size)
        return value;
    if (spec.sizes[size].kind == Size::Fixed)
      return spec.sizes[size].value;
    return std::nullopt;
  };
  std::optional<int64_t> queries = valueOf(QueryLen), keys = valueOf(KvLen);
  int64_t length = keys ? *keys : queries ? *queries : 512;
  for (auto [i, size] : enumerate(spec.sizes))
    if (size.kind == Size::RunTime && !hasSize(regime, i))
      regime.sizes.push_back({i, i == Batch ? 1 : length});
  llvm::sort(regime.sizes);
}

bool SpecReader::readRegimeCall(const YamlNode &node, Regime &regime) {
  if (!needLine(node))
    return false;
  NodePtr call = parseFormula({node.source(), {}}, report);
  if (!call)
    return false;
  bool good = call->kind == Node::Call &&
              (call->name == "prefill" || call->name == "decode") &&
              call->arguments.empty() && call->children.size() == 1 &&
              call->children[0]->kind == Node::Int &&
              call->children[0]->integer <= maxSize;
  if (!good) {
    report.error(Message::Regime, node.range)
        .note("valid regimes: prefill(n), decode(n), {query_len: n, ...}");
    return false;
  }
  shorthand(call->name, call->children[0]->integer, regime);
  return true;
}

bool SpecReader::readRegimeEntry(const YamlEntry &item, Regime &regime) {
  const std::string &name = item.key.text;
  if (name == "weight") {
    double weight = 0;
    bool good = item.value.kind == YamlNode::Scalar &&
                !StringRef(item.value.text).getAsDouble(weight) && weight > 0 &&
                weight <= 1e9;
    if (good)
      regime.weight = weight;
    else
      report.error(Message::Weight, item.value.range);
    return good;
  }
  bool isShorthand = name == "prefill" || name == "decode";
  std::optional<unsigned> size = spec.findSize(name);
  if (!size && !isShorthand) {
    std::vector<StringRef> names;
    for (const Size &known : spec.sizes)
      names.push_back(known.name);
    report.error(Message::RegimeName, item.key.range, {name})
        .note("run-time sizes of this function: " + runTimeSizes(spec))
        .fix(nearest(name, names));
    return false;
  }
  std::optional<int64_t> value = readCount(item.value);
  if (!value)
    return false;
  if (isShorthand) {
    shorthand(name, *value, regime);
    return true;
  }
  const Size &known = spec.sizes[*size];
  if (known.kind != Size::RunTime) {
    std::string how = known.kind == Size::Fixed
                          ? "fixed (" + std::to_string(known.value) + ")"
                          : std::string("a formula of other sizes");
    report.error(Message::RegimeFixed, item.key.range, {name, how})
        .note("run-time sizes of this function: " + runTimeSizes(spec));
    return false;
  }
  regime.sizes.push_back({*size, *value});
  return true;
}

bool SpecReader::readRegimeMap(const YamlNode &node, Regime &regime) {
  bool good = true;
  // Sizes by name first: they win over the shorthands.
  for (bool shorthands : {false, true})
    for (const YamlEntry &item : node.map) {
      bool isShorthand =
          item.key.text == "prefill" || item.key.text == "decode";
      if (isShorthand == shorthands)
        good &= readRegimeEntry(item, regime);
    }
  return good;
}

void SpecReader::readRegime(const YamlNode &node) {
  Regime regime;
  regime.range = node.range;
  bool good = false;
  if (node.kind == YamlNode::Scalar)
    good = readRegimeCall(node, regime);
  else if (node.kind == YamlNode::Map)
    good = readRegimeMap(node, regime);
  else
    report.error(Message::Regime, node.range)
        .note("valid regimes: prefill(n), decode(n), {query_len: n, ...}");
  if (!good)
    return;
  completeRegime(regime);
  spec.expect.push_back(std::move(regime));
}

/// The list that is meant by `expect: decode`; empty for another word.
static std::string listOf(StringRef text) {
  if (text == "prefill")
    return "[prefill(1024)]";
  if (text == "decode")
    return "[decode(4096)]";
  StringRef count = text.trim();
  bool isRegime =
      (count.consume_front("prefill(") || count.consume_front("decode(")) &&
      count.consume_back(")") && !count.empty() && all_of(count, isDigit);
  return isRegime ? "[" + text.str() + "]" : "";
}

void SpecReader::readExpect() {
  const YamlEntry *expect = entry(Key::Expect);
  if (expect && expect->value.kind != YamlNode::List) {
    bool isText = expect->value.kind == YamlNode::Scalar;
    report
        .error(Message::NeedsList,
               isText ? expect->value.range : expect->key.range, {"expect"})
        .fix(isText ? listOf(expect->value.text) : "");
    return;
  }
  if (expect && !expect->value.list.empty()) {
    spec.expectGiven = true;
    for (const YamlNode &node : expect->value.list)
      readRegime(node);
    return;
  }
  if (failed())
    return;
  bool causal = isCausal(spec, spec.mask);
  for (auto [name, n] :
       {std::pair("prefill", 1024), std::pair("decode", 4096)}) {
    Regime &regime = spec.expect.emplace_back();
    const Size &keys = spec.sizes[KvLen];
    int64_t length = keys.kind == Size::Fixed ? keys.value : causal ? n : 512;
    shorthand(name, length, regime);
    completeRegime(regime);
    bool another = causal && spec.sizes[QueryLen].kind == Size::RunTime;
    if (!another)
      return;
  }
}

/// The first condition of the call that the sizes of a regime do not meet.
static const Precondition *broken(const AttentionSpec &spec,
                                  const Regime &regime) {
  for (const Precondition &precondition : spec.preconditions) {
    Values known;
    ExprPtr value = valueAt(spec, *precondition.condition, regime, known);
    if (value && value->isConstant() && !value->boolean)
      return &precondition;
  }
  return nullptr;
}

/// Sizes at which every call would be refused are no sizes to be fast at.
void SpecReader::checkExpect() {
  if (!spec.expectGiven) {
    auto isBroken = [&](const Regime &regime) { return broken(spec, regime); };
    if (!all_of(spec.expect, isBroken))
      erase_if(spec.expect, isBroken);
    return;
  }
  for (const Regime &regime : spec.expect)
    if (const Precondition *condition = broken(spec, regime))
      report.warning(Message::RegimeRefused, regime.range, {condition->text})
          .note(condition->range, condition->reason + " requires it");
}

} // namespace attnc::spec
