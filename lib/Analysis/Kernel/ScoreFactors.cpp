//===- ScoreFactors.cpp - Find separable factors of a score ---------------===//
//
//   pairs: f(x, q, d) * g(y, k, d) * exp(u(x, q, d) + w(y, k, d))
//   score: x * f(q) * g(k) * exp(u(q) + w(k)) * a ** (q - k)
//   mask:  k <= q + offset and m(q) and n(k)
//
// A factor is looked at from the outside in: products and quotients are taken
// apart, what depends on one side stays whole, and what depends on both must be
// an exponential of a sum of two sides, or a power as Import writes it. 0 under
// a condition of one side is a factor, too. 0 for a score of -inf, which Import
// adds where an infinity cannot be excluded, is none: a product of finite
// factors is not infinite.
//
// Tests: test/Schedule/chunked.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Kernel/ScoreFactors.h"

#include "attnc/Analysis/Expr/DependenceSplit.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attnc {

static bool isConstant(Value value, double number) {
  FloatAttr attr;
  return matchPattern(value, m_Constant(&attr)) &&
         attr.getValueAsDouble() == number;
}

/// A choice between two values by a comparison of floats.
static arith::CmpFOp comparisonOf(Value value, arith::CmpFPredicate predicate) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  return compare && compare.getPredicate() == predicate ? compare
                                                        : arith::CmpFOp();
}

//===----------------------------------------------------------------------===//
// Two sides
//===----------------------------------------------------------------------===//

namespace {
/// What the values of a region depend on.
class Sides {
public:
  Sides(Block &block, ArrayRef<unsigned> bits)
      : split(splitByDependence(block, bits)) {}

  unsigned of(Value value) const { return split.dependence.lookup(value); }
  bool isUniform(Value value) const { return of(value) == OnNothing; }
  /// Depends on one side, or on none.
  bool isOneSided(Value value) const {
    return !(of(value) & ~OnQuery) || !(of(value) & ~OnKey);
  }
  /// Whether a value is the sum of one of the query and one of the key.
  bool isSum(Value value) const;
  /// Whether it is `base ** n` with a base of the head and an integer n that is
  /// such a sum.
  bool isPower(Value value) const;

private:
  bool findSum(Value value) const;
  /// `t` becomes the integer of the power as a float.
  bool isPositivePower(Value value, Value &t) const;
  bool isSignedPower(Value value, Value power, Value t) const;

  DependenceSplit split;
  mutable llvm::DenseMap<Value, bool> sums; // what was asked for
};
} // namespace

bool Sides::isSum(Value value) const {
  auto known = sums.find(value);
  if (known != sums.end())
    return known->second;
  bool found = findSum(value);
  sums[value] = found;
  return found;
}

bool Sides::findSum(Value value) const {
  if (isOneSided(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto sum = [&](Value operand) { return isSum(operand); };
  if (isa<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::AddIOp,
          arith::SubIOp, arith::IndexCastOp, arith::SIToFPOp, arith::ExtFOp>(
          op))
    return llvm::all_of(op->getOperands(), sum);
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return (isUniform(op->getOperand(0)) && isSum(op->getOperand(1))) ||
           (isUniform(op->getOperand(1)) && isSum(op->getOperand(0)));
  if (isa<arith::DivFOp>(op))
    return isUniform(op->getOperand(1)) && isSum(op->getOperand(0));
  return false;
}

/// exp2(t * log2(|base|))
bool Sides::isPositivePower(Value value, Value &t) const {
  auto exp2 = value.getDefiningOp<math::Exp2Op>();
  auto product =
      exp2 ? exp2.getOperand().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!product)
    return false;
  bool left = isUniform(product.getLhs());
  t = left ? product.getRhs() : product.getLhs();
  Value log = left ? product.getLhs() : product.getRhs();
  return isUniform(log) && t.getDefiningOp<arith::SIToFPOp>() && isSum(t);
}

/// t is an integer ? (t / 2 is one ? power : -power) : NaN
bool Sides::isSignedPower(Value value, Value power, Value t) const {
  auto isFloorOf = [](arith::CmpFOp compare, Value x) {
    auto floor = compare.getRhs().getDefiningOp<math::FloorOp>();
    return compare.getLhs() == x && floor && floor.getOperand() == x;
  };
  auto whole = comparisonOf(value, arith::CmpFPredicate::OEQ);
  if (whole && isFloorOf(whole, t))
    value = value.getDefiningOp<arith::SelectOp>().getTrueValue();
  auto even = comparisonOf(value, arith::CmpFPredicate::OEQ);
  auto half =
      even ? even.getLhs().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!half || !isFloorOf(even, half) || half.getLhs() != t ||
      !isConstant(half.getRhs(), 0.5))
    return false;
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto negative = select.getFalseValue().getDefiningOp<arith::NegFOp>();
  return select.getTrueValue() == power && negative &&
         negative.getOperand() == power;
}

bool Sides::isPower(Value value) const {
  // n == 0 ? 1 : ...
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto zero = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                     : arith::CmpIOp();
  Value integer;
  if (zero && zero.getPredicate() == arith::CmpIPredicate::eq &&
      matchPattern(zero.getRhs(), m_Zero()) &&
      isConstant(select.getTrueValue(), 1.0)) {
    integer = zero.getLhs();
    value = select.getFalseValue();
  }
  // base == 1 ? 1 : ...
  auto one = comparisonOf(value, arith::CmpFPredicate::OEQ);
  if (one && isUniform(one)) {
    select = value.getDefiningOp<arith::SelectOp>();
    if (!isConstant(select.getTrueValue(), 1.0))
      return false;
    value = select.getFalseValue();
  }
  // base < 0 ? signed : positive
  Value power = value, t;
  auto negative = comparisonOf(value, arith::CmpFPredicate::OLT);
  if (negative && isUniform(negative))
    power = value.getDefiningOp<arith::SelectOp>().getFalseValue();
  if (!isPositivePower(power, t) ||
      (integer && integer != t.getDefiningOp<arith::SIToFPOp>().getIn()))
    return false;
  return power == value ||
         isSignedPower(value.getDefiningOp<arith::SelectOp>().getTrueValue(),
                       power, t);
}

//===----------------------------------------------------------------------===//
// The score
//===----------------------------------------------------------------------===//

namespace {
/// Takes the value of a region apart.
class ProductSplit {
public:
  /// `bits` are what the arguments depend on; OnPair is that of the sum over
  /// features, which the value is a multiple of if `sum` is not null.
  ProductSplit(Block &block, ArrayRef<unsigned> bits, Value sum,
               ScoreFactors::Product &factors)
      : sum(sum), factors(factors), sides(block, bits) {}

  /// Whether `value`, or 1 / value if `inverse`, is a product of factors, with
  /// the sum once where it depends on it.
  bool split(Value value, bool inverse = false);
  bool needsSum(Value value) const { return sides.of(value) & OnPair; }

private:
  bool splitChoice(arith::SelectOp choice);
  bool addFactor(Value value, bool inverse);

  Value sum;
  ScoreFactors::Product &factors;
  Sides sides;
};
} // namespace

bool ProductSplit::split(Value value, bool inverse) {
  if (value == sum)
    return !inverse;
  if (addFactor(value, inverse))
    return true;
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::MulFOp, arith::DivFOp>(op)) {
    bool quotient = isa<arith::DivFOp>(op);
    bool left = needsSum(op->getOperand(0)),
         right = needsSum(op->getOperand(1));
    if (left && right)
      return false;
    // The sum first: factors stand in the order of their computation.
    if (right)
      return split(op->getOperand(1), inverse != quotient) &&
             split(op->getOperand(0), inverse);
    return split(op->getOperand(0), inverse) &&
           split(op->getOperand(1), inverse != quotient);
  }
  auto choice = value.getDefiningOp<arith::SelectOp>();
  return choice && !inverse && splitChoice(choice);
}

/// 0 under a condition, or a factor.
bool ProductSplit::splitChoice(arith::SelectOp choice) {
  bool whereTrue = isConstant(choice.getTrueValue(), 0.0);
  if (!whereTrue && !isConstant(choice.getFalseValue(), 0.0))
    return false;
  Value condition = choice.getCondition();
  Value otherwise = whereTrue ? choice.getFalseValue() : choice.getTrueValue();
  if (needsSum(choice) != needsSum(otherwise) || !split(otherwise))
    return false;
  // A guard of infinite scores.
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  if (whereTrue && compare && needsSum(compare.getLhs()) &&
      compare.getPredicate() == arith::CmpFPredicate::OEQ &&
      isConstant(compare.getRhs(), -std::numeric_limits<double>::infinity()))
    return true;
  if (!sides.isOneSided(condition))
    return false;
  auto use =
      whereTrue ? ScoreFactors::Use::ZeroWhere : ScoreFactors::Use::ZeroUnless;
  bool ofQuery = !(sides.of(condition) & ~OnQuery);
  (ofQuery ? factors.ofQuery : factors.ofKey).push_back({condition, use});
  return true;
}

/// Adds a value of one side, or a decay, if it is one.
bool ProductSplit::addFactor(Value value, bool inverse) {
  unsigned bits = sides.of(value);
  auto use = inverse ? ScoreFactors::Use::Over : ScoreFactors::Use::Times;
  if (!(bits & ~OnQuery)) {
    factors.ofQuery.push_back({value, use});
    return true;
  }
  if (!(bits & ~OnKey)) {
    factors.ofKey.push_back({value, use});
    return true;
  }
  if (needsSum(value))
    return false;
  Operation *op = value.getDefiningOp();
  if (isa_and_present<math::ExpOp, math::Exp2Op>(op) &&
      sides.isSum(op->getOperand(0))) {
    factors.decays.push_back(
        {value, op->getOperand(0), isa<math::Exp2Op>(op), use});
    return true;
  }
  if (!sides.isPower(value))
    return false;
  factors.decays.push_back({value, {}, false, use});
  return true;
}

//===----------------------------------------------------------------------===//
// The mask
//===----------------------------------------------------------------------===//

namespace {
/// The factors of the query and the key in an integer that is linear in both.
struct Slopes {
  int64_t query = 0, key = 0;
};

class MaskSplit {
public:
  MaskSplit(Block &block, ScoreFactors &factors)
      : block(block), factors(factors),
        sides(block, {OnNothing, OnNothing, OnNothing, OnQuery, OnKey}) {}

  bool split(Value condition);
  bool foundCausal() const { return isCausal; }

private:
  /// Nothing where the value is not linear, or deeper than `depth` operations.
  std::optional<Slopes> slopesOf(Value value, unsigned depth = 8) const;
  bool matchCausal(arith::CmpIOp compare);

  Block &block;
  ScoreFactors &factors;
  Sides sides;
  bool isCausal = false;
};
} // namespace

std::optional<Slopes> MaskSplit::slopesOf(Value value, unsigned depth) const {
  if (sides.isUniform(value))
    return Slopes();
  if (value == block.getArgument(3))
    return Slopes{1, 0};
  if (value == block.getArgument(4))
    return Slopes{0, 1};
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  if (depth == 0)
    return std::nullopt;
  auto a = slopesOf(op->getOperand(0), depth - 1);
  auto b = slopesOf(op->getOperand(1), depth - 1);
  if (!a || !b)
    return std::nullopt;
  int64_t sign = isa<arith::AddIOp>(op) ? 1 : -1;
  return Slopes{a->query + sign * b->query, a->key + sign * b->key};
}

bool MaskSplit::matchCausal(arith::CmpIOp compare) {
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  Value low = compare.getLhs(), high = compare.getRhs();
  if (predicate == Predicate::sge || predicate == Predicate::sgt)
    std::swap(low, high);
  else if (predicate != Predicate::sle && predicate != Predicate::slt)
    return false;
  auto a = slopesOf(low), b = slopesOf(high);
  if (!a || !b || b->query - a->query != 1 || a->key - b->key != 1 || isCausal)
    return false;
  isCausal = true;
  factors.causal = {low, high,
                    predicate == Predicate::slt || predicate == Predicate::sgt};
  return true;
}

bool MaskSplit::split(Value condition) {
  if (matchPattern(condition, m_One()))
    return true;
  unsigned bits = sides.of(condition);
  if (!(bits & ~OnQuery)) {
    factors.queryMask.push_back(condition);
    return true;
  }
  if (!(bits & ~OnKey)) {
    factors.keyMask.push_back(condition);
    return true;
  }
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return split(both.getLhs()) && split(both.getRhs());
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && matchCausal(compare);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Whether what keys contribute by these factors depends on `arguments`, of
/// which one is g.
static bool differs(const ScoreFactors::Product &product,
                    ArrayRef<BlockArgument> arguments) {
  llvm::SetVector<Operation *> slice;
  for (BlockArgument argument : arguments)
    getForwardSlice(argument, &slice);
  auto depends = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op ? slice.contains(op) : llvm::is_contained(arguments, value);
  };
  return llvm::any_of(product.ofKey,
                      [&](auto &factor) { return depends(factor.value); }) ||
         llvm::any_of(product.decays,
                      [&](auto &decay) { return depends(decay.value); });
}

static bool differsInGroup(attn::KernelOp kernel, const ScoreFactors &factors) {
  if (kernel.hasGroupedKeys() ||
      differs(factors.score, kernel.getScore().getArgument(3)))
    return true;
  bool hasDecays = !factors.score.decays.empty();
  if (factors.feature) {
    Region &pair = kernel.getPairs().front();
    unsigned rows = attn::KernelOp::countRows(pair);
    // Elements of the query, too, are those of a head of the group.
    SmallVector<BlockArgument> arguments{pair.getArgument(2 * rows + 3)};
    for (unsigned row = 0; row < rows; ++row)
      arguments.push_back(pair.getArgument(2 * row));
    if (differs(*factors.feature, arguments))
      return true;
    hasDecays |= !factors.feature->decays.empty();
  }
  ScoreFactors::Product mask; // conditions as if they were factors
  for (Value condition : factors.keyMask)
    mask.ofKey.push_back({condition});
  // Where a decay is measured from is a place of the query.
  if (hasDecays)
    mask.ofKey.append({{factors.causal.low}, {factors.causal.high}});
  return differs(mask, kernel.getMask().getArgument(2));
}

/// Whether the weights are the scores, and nothing but sums of them is asked
/// for.
static bool hasLinearWeights(attn::KernelOp kernel) {
  if (attn::RowAttr row = kernel.getRowKind())
    return row.getKind() == attn::RowKind::Sum;
  attn::NormAttr norm = kernel.getNorm();
  return norm && norm.getShift() == attn::NormShift::None &&
         norm.getWeight() == attn::NormWeight::Identity;
}

/// The factors of the score and of the features; false if there are none.
static bool splitScore(attn::KernelOp kernel, ScoreFactors &factors) {
  Block &score = kernel.getScore().front();
  SmallVector<unsigned> bits{OnPair,    OnNothing, OnNothing,
                             OnNothing, OnQuery,   OnKey};
  ProductSplit ofSum(score, bits, score.getArgument(0), factors.score);
  Value made = score.getTerminator()->getOperand(0);
  if (!ofSum.needsSum(made) || !ofSum.split(made))
    return false;
  if (!kernel.hasPairs())
    return true;
  Block &pair = kernel.getPairs().front().front();
  bits.clear();
  for (unsigned i = 0; i < attn::KernelOp::countRows(kernel.getPairs().front());
       ++i)
    bits.append({OnQuery, OnKey});
  bits.append({OnNothing, OnNothing, OnNothing, OnNothing, OnQuery, OnKey});
  factors.feature.emplace();
  return ProductSplit(pair, bits, {}, *factors.feature)
      .split(pair.getTerminator()->getOperand(0));
}

bool isLinearAttention(attn::KernelOp kernel) {
  ScoreFactors factors;
  return hasLinearWeights(kernel) && kernel.getNumProducts() == 0 &&
         splitScore(kernel, factors) &&
         !matchPattern(kernel.getMask().front().getTerminator()->getOperand(0),
                       m_One());
}

/// Whether the function has rows of sequences that lie behind each other or in
/// pages: what an op makes of them is as long as all together.
static bool hasTableRows(attn::KernelOp kernel) {
  return llvm::any_of(*kernel->getBlock(), [](Operation &op) {
    return isa<attn::UnpackOp, attn::PackOp, attn::PagesOp>(op);
  });
}

std::optional<ScoreFactors> findScoreFactors(attn::KernelOp kernel,
                                             std::string &reason) {
  auto fail = [&](StringRef why) {
    reason = why.str();
    return std::nullopt;
  };
  if (!hasLinearWeights(kernel))
    return fail("weights are not the scores themselves");
  if (kernel.hasValue())
    return fail("the value is a per-feature formula");
  if (kernel.hasSelect())
    return fail("the mask depends on the product");
  if (kernel.getNumProducts() != 0 || kernel.hasGate())
    return fail(
        "the score has several products, or the value has a per-pair factor");
  if (hasTableRows(kernel))
    return fail("rows are ragged or paged");
  ScoreFactors factors;
  if (!splitScore(kernel, factors))
    return fail("the score is not a product of features times query-side "
                "factors, key-side factors, and exponentials of their sums");
  Block &mask = kernel.getMask().front();
  MaskSplit ofMask(mask, factors);
  if (!ofMask.split(mask.getTerminator()->getOperand(0)) ||
      !ofMask.foundCausal())
    return fail("the mask is not 'k <= q' combined with conditions of the "
                "query or the key alone");
  factors.differsInGroup = differsInGroup(kernel, factors);
  return factors;
}

bool readsArgument(Value value, BlockArgument argument) {
  if (value == argument)
    return true;
  llvm::SetVector<Operation *> slice;
  getForwardSlice(argument, &slice);
  return slice.contains(value.getDefiningOp());
}

} // namespace attnc
