//===- TensorRope.cpp - Rotary position embeddings ------------------------===//
//
// Su et al. 2021: a pair (x1, x2) of features becomes
//
//   (x1 cos a - x2 sin a, x2 cos a + x1 sin a), a = position * frequency
//
// where pair c of n features is (c, c + n / 2) in the style `half` (GPT-NeoX,
// Llama) and (2 c, 2 c + 1) in the style `interleaved` (GPT-J, DeepSeek). cos
// and sin are tensors of their own, the same for all heads, in the type in
// which elements are computed.
//
//===----------------------------------------------------------------------===//

#include "Tensor/TensorChecker.h"

#include "Proof/Proofs.h"
#include "Tensor/RopeScaling.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

static ExprPtr apply(Op op, ExprPtr a, ExprPtr b) {
  return makeApply(op, Type::Real, {std::move(a), std::move(b)});
}

static bool isRaggedLength(const AttentionSpec &spec, const Expr &e) {
  return e.kind == Expr::Size && spec.sizes[e.index].kind == Size::PerSequence;
}

/// Whether a formula of sizes and b has one value for each sequence.
static bool differsBySequence(const AttentionSpec &spec, const Expr &e) {
  return isRaggedLength(spec, e) || e.kind == Expr::Variable ||
         any_of(e.operands, [&](const ExprPtr &operand) {
           return differsBySequence(spec, *operand);
         });
}

/// A formula of a sequence as one of places along axes: b is axis 0, and the
/// length of a ragged side is start[b + 1] - start[b].
static ExprPtr atPlaces(const AttentionSpec &spec, const ExprPtr &e) {
  if (e->kind == Expr::Variable) // b is the only one in an offset
    return makePlace(0, e->range);
  if (isRaggedLength(spec, *e)) {
    bool isQuery = e->index == QueryLen;
    unsigned table = (isQuery ? spec.queryStorage : spec.kvStorage).table;
    ExprPtr b = makePlace(0, e->range);
    ExprPtr next = makeApply(Op::Add, Type::Int, {b, makeInt(1)}, e->range);
    ExprPtr end = makeLoad(table, Type::Int, {next}, e->range);
    ExprPtr begin = makeLoad(table, Type::Int, {b}, e->range);
    return makeApply(Op::Sub, Type::Int, {end, begin}, e->range);
  }
  if (e->operands.empty())
    return e;
  std::vector<ExprPtr> operands;
  for (const ExprPtr &operand : e->operands)
    operands.push_back(atPlaces(spec, operand));
  if (e->kind == Expr::Load)
    return makeLoad(e->index, e->type, std::move(operands), e->range);
  return makeApply(e->op, e->type, std::move(operands), e->range);
}

/// Whether an axis counts keys (true) or queries (false). Where both are as
/// many the row that is defined decides, then how the axis is written.
std::optional<bool> TensorChecker::countsKeys(const ExprPtr &rows) const {
  ExprPtr queries = makeSize(spec.axisOf(QueryLen)),
          keys = makeSize(spec.axisOf(KvLen));
  bool mayBeQueries = shapes.isSame(rows, queries);
  bool mayBeKeys = shapes.isSame(rows, keys);
  if (!mayBeQueries && !mayBeKeys)
    return std::nullopt;
  if (mayBeQueries != mayBeKeys)
    return mayBeKeys;
  if (std::optional<Row> row = findRow(what))
    return *row != Row::Q;
  return !sameExpr(*rows, *queries);
}

/// positions=own: q along an axis of queries, k along one of keys, as a tensor
/// of reals.
TensorPtr TensorChecker::ownPositions(const TensorPtr &x, const Node &node) {
  size_t rank = x->axes.size();
  std::optional<bool> ofKeys;
  if (rank >= 2)
    ofKeys = countsKeys(x->axes[rank - 2]);
  if (!ofKeys) {
    auto &error = report.error(Message::RopeRows, node.range, {shapeText(x)});
    error.note("positions=p reads them from a tensor p of shape [rows] "
               "or [batch, rows]");
    noteInputs(error, {x.get()});
    return nullptr;
  }
  const Storage &storage = *ofKeys ? spec.kvStorage : spec.queryStorage;
  if (storage.kind == Storage::Ragged) {
    auto positions = std::make_shared<Tensor>();
    positions->kind = Tensor::Positions;
    positions->row = *ofKeys ? Row::K : Row::Q;
    positions->dtype = computeType();
    positions->axes = {makeSize(storage.tokens)};
    positions->range = node.range;
    return positions;
  }
  ExprPtr place = makePlace(0, node.range);
  Axes axes = {x->axes[rank - 2]};
  if (!*ofKeys) {
    if (!spec.offset) // an error was reported
      return nullptr;
    ExprPtr offset = proveFormula(spec, report, spec.offset, "'offset'",
                                  Domain{true, true, false, true}, nullptr);
    if (!offset)
      return nullptr;
    if (differsBySequence(spec, *offset)) {
      axes.insert(axes.begin(), makeSize(Batch));
      place = makePlace(1, node.range);
      offset = atPlaces(spec, offset);
    }
    place = makeApply(Op::Add, Type::Int, {place, offset}, node.range);
  }
  return mapOver(std::move(axes),
                 makeApply(Op::ToReal, Type::Real, {place}, node.range), {},
                 node.range, computeType());
}

std::optional<RopeScaling>
TensorChecker::ropeScaling(const Node &node, std::vector<TensorPtr> &divisors) {
  RopeScaling scaling;
  const FunctionInfo *function =
      node.kind == Node::Call ? findFunction(node.name) : nullptr;
  if (!function || function->place != FunctionInfo::Scaling) {
    report.error(
        Message::BadArgument, node.range,
        {"'scaling' of 'rope'",
         "linear(...), llama3(...), yarn(...), longrope(...) or none"});
    return std::nullopt;
  }
  Checker binder(spec, report, use, Scope::ofSizes("scaling"));
  std::vector<const Node *> bound;
  if (!binder.bind(node, *function, bound))
    return std::nullopt;
  std::map<StringRef, double> numbers;
  for (auto [parameter, argument] : zip_equal(function->parameters, bound)) {
    if (parameter.type == "tensor") {
      TensorPtr divisor = visitTensor(*argument);
      if (divisor)
        divisor = asReal(divisor);
      if (!divisor)
        return std::nullopt;
      divisors.push_back(divisor);
      continue;
    }
    if (parameter.type == "bconst") {
      if (argument && argument->kind != Node::Bool) {
        report.error(Message::BadArgument, argument->range,
                     {"'" + parameter.name.str() + "'", "true or false"});
        return std::nullopt;
      }
      numbers[parameter.name] = !argument || argument->boolean;
      continue;
    }
    ExprPtr number =
        numberArgument(argument, parameter.byDefault, node, parameter.name);
    if (!number)
      return std::nullopt;
    bool mayBeZero = parameter.name == "attention";
    if (!number->isConstant() || !std::isfinite(number->real) ||
        !(mayBeZero ? number->real >= 0 : number->real > 0)) {
      report.error(Message::BadArgument,
                   argument ? argument->range : node.headRange,
                   {"'" + parameter.name.str() + "' of '" + node.name + "'",
                    "a positive constant"});
      return std::nullopt;
    }
    numbers[parameter.name] = number->real;
  }
  auto number = [&](StringRef name, double &place) {
    if (auto found = numbers.find(name); found != numbers.end())
      place = found->second;
  };
  scaling.kind = function->function == Function::Linear   ? RopeScaling::Linear
                 : function->function == Function::Llama3 ? RopeScaling::Llama3
                 : function->function == Function::Yarn ? RopeScaling::Yarn
                                                        : RopeScaling::LongRope;
  number("factor", scaling.factor);
  number("low", scaling.low);
  number("high", scaling.high);
  number("fast", scaling.fast);
  number("slow", scaling.slow);
  number("original", scaling.original);
  number("attention", scaling.attention);
  if (auto truncate = numbers.find("truncate"); truncate != numbers.end())
    scaling.truncate = truncate->second != 0;
  auto bad = [&](StringRef name, StringRef legal) {
    report.error(
        Message::BadArgument, node.range,
        {("'" + name + "' of '" + node.name + "'").str(), legal.str()});
    return std::nullopt;
  };
  if (scaling.kind == RopeScaling::Llama3 && scaling.high <= scaling.low)
    return bad("high", "greater than 'low'");
  if (scaling.kind == RopeScaling::Yarn && scaling.fast <= scaling.slow)
    return bad("fast", "greater than 'slow'");
  if (scaling.kind == RopeScaling::LongRope && scaling.original <= 1)
    return bad("original", "greater than 1"); // its logarithm divides
  return scaling;
}

/// A map with further operands, which its formula reads where it says.
static TensorPtr mapReading(const TensorPtr &map, ArrayRef<TensorPtr> read) {
  auto tensor = std::make_shared<Tensor>(*map);
  append_range(tensor->operands, read);
  tensor->reads = read.size();
  return tensor;
}

/// False after an error: longrope has a divisor for each pair.
bool TensorChecker::areOfPairs(ArrayRef<TensorPtr> divisors, int64_t pairs,
                               const Node &node) {
  for (const TensorPtr &divisor : divisors) {
    if (divisor->axes.size() == 1 &&
        shapes.isSame(divisor->axes[0], makeInt(pairs)))
      continue;
    auto &error =
        report.error(Message::RowShape, node.range,
                     {"divisors of longrope", shapes.text({makeInt(pairs)}),
                      shapeText(divisor)});
    noteInputs(error, {divisor.get()});
    return false;
  }
  return true;
}

/// Longrope's divisor of a pair: of the operands 1 and 2 of a map, at their
/// own place or at `places`.
static ExprPtr divisorOf(const RopeScaling &scaling,
                         const std::vector<ExprPtr> &places) {
  ExprPtr isLong =
      makeApply(Op::Gt, Type::Bool,
                {makeApply(Op::ToReal, Type::Real, {makeSize(KvLen)}),
                 makeReal(scaling.original)});
  return makeApply(Op::Select, Type::Real,
                   {isLong, makeElement(2, Type::Real, {}, places),
                    makeElement(1, Type::Real, {}, places)});
}

/// cos and sin of position * frequency: [positions' axes, pairs], or with each
/// of them for both features that stand side by side.
bool TensorChecker::rotations(const TensorPtr &positions, double base,
                              int64_t pairs, bool isInterleaved,
                              const RopeScaling &scaling,
                              ArrayRef<TensorPtr> divisors, const Node &node,
                              TensorPtr (&turned)[2]) {
  if (!areOfPairs(divisors, pairs, node))
    return false;
  Axes axes = positions->axes;
  axes.push_back(makeInt(isInterleaved ? 2 * pairs : pairs));
  ExprPtr pair = makePlace(axes.size() - 1, node.range);
  if (isInterleaved)
    pair = makeApply(Op::FloorDiv, Type::Int, {pair, makeInt(2)});
  ExprPtr frequency = frequencyOf(scaling, base, pairs, pair);
  // The axis of features is none of pairs: divisors are read.
  std::vector<ExprPtr> places;
  if (isInterleaved)
    places = {pair};
  if (!divisors.empty())
    frequency = apply(Op::Div, frequency, divisorOf(scaling, places));
  std::vector<TensorPtr> operands = {positions}, read;
  append_range(isInterleaved ? read : operands, divisors);
  ExprPtr angle =
      apply(Op::Mul, makeElement(0, Type::Real, node.range), frequency);
  for (unsigned i : {0, 1}) {
    Op op = i == 0 ? Op::Cos : Op::Sin;
    ExprPtr value = makeApply(op, Type::Real, {angle}, node.range);
    if (scaling.magnitude() != 1)
      value = apply(Op::Mul, value, makeReal(scaling.magnitude()));
    turned[i] = mapReading(
        mapOver(axes, value, operands, node.range, computeType()), read);
  }
  return true;
}

/// Features c and c + n / 2: two pieces, which stand behind each other again.
std::vector<TensorPtr> TensorChecker::rotateHalves(const TensorPtr &x,
                                                   const TensorPtr (&turned)[2],
                                                   const Node &node) {
  unsigned last = x->axes.size() - 1;
  int64_t pairs = *shapes.number(x->axes.back()) / 2;
  TensorPtr halves[2];
  for (unsigned i : {0, 1})
    halves[i] = slice(x, last, i * pairs, makeInt(pairs), node.range);
  auto element = [&](unsigned i) {
    return makeElement(i, Type::Real, node.range);
  };
  std::vector<TensorPtr> results;
  for (unsigned i : {0, 1}) {
    ExprPtr own = apply(Op::Mul, element(0), element(2));
    ExprPtr other = apply(Op::Mul, element(1), element(3));
    results.push_back(mapOver(halves[i]->axes,
                              apply(i == 0 ? Op::Sub : Op::Add, own, other),
                              {halves[i], halves[1 - i], turned[0], turned[1]},
                              node.range, x->dtype));
  }
  return results;
}

/// Features 2 c and 2 c + 1: each is read by its neighbour, too.
TensorPtr TensorChecker::rotateNeighbours(const TensorPtr &x,
                                          const TensorPtr (&turned)[2],
                                          const Node &node) {
  auto element = [&](unsigned i) {
    return makeElement(i, Type::Real, node.range);
  };
  std::vector<ExprPtr> places;
  for (unsigned axis = 0; axis < x->axes.size(); ++axis)
    places.push_back(makePlace(axis, node.range));
  auto ints = [](Op op, ExprPtr a, int64_t n) {
    return makeApply(op, Type::Int, {std::move(a), makeInt(n)});
  };
  ExprPtr feature = places.back();
  ExprPtr isSecond = ints(Op::Mod, feature, 2);
  // 1 to the right of an even one, 1 to the left of an odd one.
  places.back() =
      makeApply(Op::Sub, Type::Int,
                {ints(Op::Add, feature, 1), ints(Op::Mul, isSecond, 2)});
  ExprPtr other = makeElement(3, Type::Real, node.range, places);
  ExprPtr turnedOther = apply(Op::Mul, other, element(2));
  ExprPtr isFirst =
      makeApply(Op::Eq, Type::Bool, {isSecond, makeInt(0)}, node.range);
  ExprPtr term = makeApply(
      Op::Select, Type::Real,
      {isFirst, makeApply(Op::Neg, Type::Real, {turnedOther}), turnedOther});
  ExprPtr formula =
      apply(Op::Add, apply(Op::Mul, element(0), element(1)), term);
  return mapReading(mapOver(x->axes, formula, {x, turned[0], turned[1]},
                            node.range, x->dtype),
                    {x});
}

TensorPtr TensorChecker::rotate(const TensorPtr &x, int64_t pairs,
                                bool isInterleaved,
                                const TensorPtr (&turned)[2],
                                const Node &node) {
  unsigned last = x->axes.size() - 1;
  int64_t width = *shapes.number(x->axes.back()), turning = 2 * pairs;
  ArrayRef<ExprPtr> rows = ArrayRef(turned[0]->axes).drop_back();
  if (rows.empty() || x->axes.size() < 2 ||
      !shapes.isSame(rows.back(), x->axes[last - 1]) ||
      !shapes.embed(rows.drop_back(), ArrayRef(x->axes).drop_back(2))) {
    auto &error = report.error(Message::TensorShapes, node.range,
                               {"rope", shapeText(x), shapes.text(rows)});
    error.note("the shape of positions must be [rows] or [batch, rows]");
    return nullptr;
  }
  TensorPtr part =
      turning == width ? x : slice(x, last, 0, makeInt(turning), node.range);
  std::vector<TensorPtr> parts;
  if (isInterleaved)
    parts = {rotateNeighbours(part, turned, node)};
  else
    parts = rotateHalves(part, turned, node);
  if (turning != width)
    parts.push_back(
        slice(x, last, turning, makeInt(width - turning), node.range));
  if (parts.size() == 1)
    return parts[0];
  SmallVector<unsigned> along(parts.size(), last);
  return concatAlong(std::move(parts), along, x->axes.back(), node);
}

TensorPtr TensorChecker::rope(const Node &node, ArrayRef<const Node *> bound) {
  TensorPtr x = visitTensor(*bound[0]);
  if (x)
    x = asReal(x);
  ExprPtr base = numberArgument(bound[1], "10000", node, "base");
  if (!x || !base)
    return nullptr;
  auto bad = [&](const Node *place, StringRef name, const Twine &legal) {
    report.error(Message::BadArgument, place ? place->range : node.range,
                 {("'" + name + "' of 'rope'").str(), legal.str()});
    return nullptr;
  };
  if (!base->isConstant() || !(base->real > 1) || std::isinf(base->real))
    return bad(bound[1], "base", "a constant above 1");
  std::optional<int64_t> width =
      x->axes.empty() ? std::nullopt : shapes.number(x->axes.back());
  if (!width) {
    report.error(Message::NeedsAxes, node.range,
                 {"rope", "one axis; the last one must have a fixed size"});
    return nullptr;
  }
  std::optional<int64_t> dims = width;
  auto isWord = [](const Node *argument, StringRef word) {
    return argument->kind == Node::Name && argument->name == word;
  };
  if (bound[2] && !isWord(bound[2], "all")) {
    ExprPtr size = countArgument(bound[2], "", node.headRange);
    if (!size)
      return nullptr;
    dims = shapes.number(size);
  }
  if (!dims || *dims % 2 != 0 || *dims < 2 || *dims > *width)
    return bad(bound[2], "dims",
               "even and at most " + Twine(*width) + ", the width of " +
                   shapeText(x));
  bool isInterleaved = bound[3] && isWord(bound[3], "interleaved");
  if (bound[3] && !isInterleaved && !isWord(bound[3], "half"))
    return bad(bound[3], "style", "half or interleaved");
  RopeScaling scaling;
  std::vector<TensorPtr> divisors;
  if (bound[4] && !isWord(bound[4], "none")) {
    std::optional<RopeScaling> given = ropeScaling(*bound[4], divisors);
    if (!given)
      return nullptr;
    scaling = *given;
  }
  TensorPtr positions;
  if (bound[5] && !isWord(bound[5], "own")) {
    positions = visitTensor(*bound[5]);
    if (positions)
      positions = asReal(positions);
  } else {
    positions = ownPositions(x, node);
  }
  TensorPtr turned[2];
  if (!positions || !rotations(positions, base->real, *dims / 2, isInterleaved,
                               scaling, divisors, node, turned))
    return nullptr;
  return rotate(x, *dims / 2, isInterleaved, turned, node);
}

} // namespace attnc::spec
