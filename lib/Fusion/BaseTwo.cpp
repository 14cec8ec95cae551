//===- BaseTwo.cpp - Compute weights by exp2 ------------------------------===//
//
// Hardware and polynomials know 2^x; exp costs a multiplication more for each
// score. exp(s - m) = exp2(s log2 e - m log2 e), so scores and init are
// multiplied instead, and that is free wherever the formula is linear:
//
//   attn.kernel ... weight = exp ... {scale = 0.125 : f64} score {
//   ^bb0(%x: f32, ...):
//     %0 = attn.read %bias[%h, %k]   %1 = arith.addf %x, %0   attn.yield %1
// becomes
//   attn.kernel ... weight = exp2 ... {scale = 0.18033688 : f64} score {
//   ^bb0(%x: f32, ...):
//     %0 = attn.read %bias[%h, %k]   %1 = arith.mulf %0, 1.44269502
//     %2 = arith.addf %x, %1         attn.yield %2
//
// An exp inside of a score (a sigmoid is one) becomes exp2 likewise, where its
// argument takes the factor for nothing.
//
// Where to multiply is chosen by counting multiplications per pair of query and
// key: constants and `scale` absorb the factor, what depends on the query or
// the key alone is computed outside of the inner loop (Lowering splits formulas
// by dependence), anything else costs one. Never more than one at the end.
//
// A factor rounds what it multiplies, and of large scores only the differences
// matter. That is free where a score carries roundings of its own size anyway,
// as sums and products with the product do; but 10000 + k / 4 is exact, and so
// may be tables, and what saturates is exact at its ends: relu(x) + k / 4 is
// k / 4 for half of the products. Such scores keep exp, which multiplies after
// the subtraction. The same holds of x - m inside of an exp, where m comes from
// the same row.
//
// The least number of a type, which masks are often made of, must not become
// -inf: a row of such scores has weights, a row of -inf has none. So constants
// and what tables give stay finite when they are multiplied.
// Tests: test/Fusion/base-two.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "RealConstant.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/DenseMap.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace attnc;
using attnc::fusion::realConstant;

namespace attnc::fusion {
#define GEN_PASS_DEF_BASETWO
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

namespace {
/// Whether a value carries the roundings of the product: always, unless it has
/// reached one end (equal for all keys) or small ends, or not.
enum class Inexact { No, UnlessAtEnd, UnlessAtSmallEnds, Always };

/// Multiplies what one region yields, or what is given to its exponentials.
class Multiplier {
public:
  Multiplier(attn::KernelOp kernel, Region &region, double factor)
      : kernel(kernel), region(region), factor(factor), b(kernel) {
    findDependences();
  }
  void run();
  void useBaseTwoInside();
  /// Whether another rounding of what the region yields does not show.
  bool isInexact() {
    return inexactness(region.front().getTerminator()->getOperand(0)) !=
           Inexact::No;
  }

private:
  // Deeper formulas are multiplied where this depth is reached.
  static constexpr unsigned kMaxDepth = 100;

  void findDependences();
  bool dependsOnPair(Value y) const { return dependence.lookup(y) == 3; }
  bool isProduct(Value y) {
    return &region == &kernel.getScore() && y == region.getArgument(0);
  }
  Inexact inexactness(Value y) { return inexact.lookup(y); }
  Inexact inexactness(Operation *op);
  Inexact ofChoice(Operation *op);
  Inexact ofSum(Operation *op);
  bool canScaleProduct();
  // Operands through which the factor may go, all of them or the cheapest.
  SmallVector<unsigned, 2> linearOperands(Operation *op, unsigned depth);
  unsigned cost(Value y, unsigned depth);
  Value push(Value y, unsigned depth);
  Value constant(Location loc, Type type, double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  /// `y` times a number, finite where y is: it may be the least number.
  Value multiply(Value y, double number);

  attn::KernelOp kernel;
  Region &region;
  double factor;
  OpBuilder b;
  DenseMap<Value, unsigned> dependence; // 1: on the row, 2: on the key
  DenseMap<Value, Inexact> inexact;
};
} // namespace

// A zero divisor stays: its infinities are no factor.
static bool isDivisionByConstant(Operation *op) {
  auto quotient = dyn_cast<arith::DivFOp>(op);
  std::optional<double> divisor =
      quotient ? realConstant(quotient.getRhs()) : std::nullopt;
  return divisor && *divisor != 0 && std::isfinite(1 / *divisor);
}

/// A number of a row that another kernel made of the scores, maybe the greatest
/// of them: a difference to it may be exact.
static bool readsRowOfScores(Value y) {
  auto read = y.getDefiningOp<attn::ReadOp>();
  return read && read.getSource().getDefiningOp<attn::KernelOp>();
}

/// A select, minimum or maximum. A large constant is one end; of two of them
/// the difference is exact.
Inexact Multiplier::ofChoice(Operation *op) {
  constexpr double small = 64;
  Inexact least = Inexact::Always;
  unsigned large = 0, constants = 0;
  for (Value y : op->getOperands().take_back(2)) {
    if (std::optional<double> number = realConstant(y)) {
      ++constants;
      large += std::abs(*number) > small && std::isfinite(*number);
      continue;
    }
    least = std::min(least, inexactness(y));
    large += inexactness(y) == Inexact::UnlessAtEnd;
  }
  if (constants == 2 || least == Inexact::No || large > 1)
    return Inexact::No;
  if (large)
    return Inexact::UnlessAtEnd;
  return constants ? std::min(least, Inexact::UnlessAtSmallEnds) : least;
}

/// A rounding of its own size, if one term has always one; what is exact at an
/// end shows the other term there.
Inexact Multiplier::ofSum(Operation *op) {
  Inexact left = inexactness(op->getOperand(0));
  Inexact right = inexactness(op->getOperand(1));
  if (llvm::any_of(op->getOperands(), readsRowOfScores))
    return Inexact::No;
  if (left == Inexact::Always || right == Inexact::Always)
    return Inexact::Always;
  if (realConstant(op->getOperand(0)))
    return right;
  if (realConstant(op->getOperand(1)))
    return left;
  return left == Inexact::UnlessAtEnd && right == Inexact::UnlessAtEnd
             ? Inexact::No
             : std::min(left, right);
}

/// Of an op whose operands are known.
Inexact Multiplier::inexactness(Operation *op) {
  if (isa<arith::SelectOp, arith::MinimumFOp, arith::MaximumFOp>(op))
    return ofChoice(op);
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return ofSum(op);
  if (isa<math::FloorOp, math::CeilOp, attn::ReadOp>(op))
    return Inexact::No;
  Inexact most = Inexact::No, least = Inexact::Always; // of what varies
  for (Value y : op->getOperands()) {
    if (realConstant(y) == 0)
      return Inexact::No;
    if (realConstant(y))
      continue;
    most = std::max(most, inexactness(y));
    least = std::min(least, inexactness(y));
  }
  if (isa<arith::MulFOp, arith::DivFOp>(op))
    return most == Inexact::Always ? most : std::min(least, most);
  if (isa<arith::NegFOp, math::AbsFOp, math::SqrtOp, math::LogOp, math::Log2Op,
          math::Log1pOp, math::SinOp, math::CosOp>(op))
    return most;
  // The others have ends: exp, tanh, erf, ...
  return std::min(most, Inexact::UnlessAtSmallEnds);
}

void Multiplier::findDependences() {
  unsigned first = &region == &kernel.getScore() ? 1 : 0;
  auto setProduct = [&](Value y) {
    dependence[y] = 3;
    inexact[y] = Inexact::Always;
  };
  if (first) {
    setProduct(region.getArgument(0));
    for (Value y : region.getArguments().take_back(kernel.getNumProducts()))
      setProduct(y);
  }
  dependence[region.getArgument(first + 3)] = 1;
  if (region.getNumArguments() > first + 4)
    dependence[region.getArgument(first + 4)] = 2;
  for (Operation &op : region.front()) {
    unsigned on = 0;
    for (Value operand : op.getOperands())
      on |= dependence.lookup(operand);
    for (Value result : op.getResults())
      dependence[result] = on;
    if (op.getNumResults() == 1)
      inexact[op.getResult(0)] = inexactness(&op);
  }
}

bool Multiplier::canScaleProduct() {
  double scale = std::abs(kernel.getScale().convertToDouble() * factor);
  double most = kernel.getAccumulateType().isF64()
                    ? std::numeric_limits<double>::max()
                    : std::numeric_limits<float>::max();
  bool isGated =
      kernel.hasGate() && !kernel.getGate().getArgument(0).use_empty();
  return region.getArgument(0).hasOneUse() && !isGated && scale <= most;
}

SmallVector<unsigned, 2> Multiplier::linearOperands(Operation *op,
                                                    unsigned depth) {
  if (isa<arith::AddFOp, arith::SubFOp, arith::MinimumFOp, arith::MaximumFOp>(
          op))
    return {0, 1};
  if (isa<arith::SelectOp>(op))
    return {1, 2};
  if (isa<arith::NegFOp, arith::DivFOp>(op))
    return {0};
  if (isa<arith::MulFOp>(op))
    return {cost(op->getOperand(0), depth) < cost(op->getOperand(1), depth)
                ? 0u
                : 1u};
  return {};
}

/// The largest finite number of a type.
static double largest(Type type) {
  return llvm::APFloat::getLargest(cast<FloatType>(type).getFloatSemantics())
      .convertToDouble();
}

/// A table's entry may be the least number there is; functions of it with
/// bounded values, and integers, may not.
static bool readsReals(Value y, unsigned depth) {
  Operation *op = y.getDefiningOp();
  if (!op || !isa<FloatType>(y.getType()) || depth == 0 ||
      isa<math::TanhOp, math::ErfOp, math::SinOp, math::CosOp>(op))
    return false;
  if (auto read = dyn_cast<attn::ReadOp>(op)) // not what products made
    return isa<BlockArgument>(read.getSource());
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return readsReals(operand, depth - 1);
  });
}

Value Multiplier::multiply(Value y, double number) {
  Location loc = y.getLoc();
  Value c = constant(loc, y.getType(), number);
  Value product = arith::MulFOp::create(b, loc, y, c);
  constexpr unsigned maxOperations = 16;
  if (std::abs(number) <= 1 || !readsReals(y, maxOperations))
    return product;
  // Infinities and NaN stay.
  auto selectIf = [&](arith::CmpFPredicate predicate, Value left, Value right,
                      Value yes, Value no) -> Value {
    Value is = arith::CmpFOp::create(b, loc, predicate, left, right);
    return arith::SelectOp::create(b, loc, is, yes, no);
  };
  double most = largest(y.getType());
  Value low = constant(loc, y.getType(), -most);
  Value high = constant(loc, y.getType(), most);
  Value infinity =
      constant(loc, y.getType(), std::numeric_limits<double>::infinity());
  using Predicate = arith::CmpFPredicate;
  Value finite = selectIf(Predicate::OLT, product, low, low, product);
  finite = selectIf(Predicate::OGT, finite, high, high, finite);
  Value size = math::AbsFOp::create(b, loc, y);
  return selectIf(Predicate::OEQ, size, infinity, product, finite);
}

// Multiplications per pair that push(y) adds.
unsigned Multiplier::cost(Value y, unsigned depth) {
  if (realConstant(y) || !dependsOnPair(y))
    return 0;
  if (isProduct(y))
    return canScaleProduct() ? 0 : 1;
  Operation *op = y.getDefiningOp();
  if (!op || !y.hasOneUse() || depth == kMaxDepth)
    return 1;
  if (isDivisionByConstant(op))
    return 0;
  SmallVector<unsigned, 2> operands = linearOperands(op, depth + 1);
  if (operands.empty())
    return 1;
  unsigned sum = 0;
  for (unsigned i : operands)
    sum += cost(op->getOperand(i), depth + 1);
  return std::min(sum, 1u);
}

Value Multiplier::push(Value y, unsigned depth) {
  if (std::optional<double> number = realConstant(y)) {
    b.setInsertionPointAfterValue(y);
    double most = largest(y.getType());
    double product = *number * factor;
    if (std::isfinite(*number))
      product = std::clamp(product, -most, most);
    return constant(y.getLoc(), y.getType(), product);
  }
  if (isProduct(y) && canScaleProduct()) {
    kernel.setScaleAttr(
        b.getF64FloatAttr(kernel.getScale().convertToDouble() * factor));
    return y;
  }
  Operation *op = y.getDefiningOp();
  if (op && y.hasOneUse() && isDivisionByConstant(op)) {
    b.setInsertionPoint(op);
    double divisor = *realConstant(op->getOperand(1));
    return multiply(op->getOperand(0), factor / divisor);
  }
  SmallVector<unsigned, 2> operands;
  if (op && y.hasOneUse() && depth < kMaxDepth)
    operands = linearOperands(op, depth + 1);
  unsigned sum = 0;
  for (unsigned i : operands)
    sum += cost(op->getOperand(i), depth + 1);
  // A tie goes down: a product before a sum becomes one fma.
  if (!operands.empty() && sum <= 1) {
    for (unsigned i : operands)
      op->setOperand(i, push(op->getOperand(i), depth + 1));
    return y;
  }
  b.setInsertionPointAfterValue(y);
  return multiply(y, factor);
}

void Multiplier::run() {
  auto yield = cast<attn::YieldOp>(region.front().getTerminator());
  yield->setOperand(0, push(yield.getValue(), 0));
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(region.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// exp(-y) is exp2(y times -log2 e) as well.
void Multiplier::useBaseTwoInside() {
  double positive = factor;
  for (auto exp :
       llvm::make_early_inc_range(region.front().getOps<math::ExpOp>())) {
    Value y = exp.getOperand();
    factor = positive;
    for (auto negation = y.getDefiningOp<arith::NegFOp>();
         negation && y.hasOneUse();
         negation = y.getDefiningOp<arith::NegFOp>()) {
      y = negation.getOperand();
      factor = -factor;
    }
    if (!y.hasOneUse() || !dependsOnPair(y) || cost(y, 0) != 0 ||
        inexactness(y) == Inexact::No)
      continue;
    y = push(y, 0);
    b.setInsertionPoint(exp);
    exp.replaceAllUsesWith(
        math::Exp2Op::create(b, exp.getLoc(), y).getResult());
    exp.erase();
  }
  factor = positive;
}

static void useBaseTwo(attn::KernelOp kernel) {
  Multiplier(kernel, kernel.getScore(), std::numbers::log2e).useBaseTwoInside();
  attn::NormAttr norm = kernel.getNorm();
  // Rows that formulas read are differences' other sides, and weights for each
  // pair are bound by memory: no further roundings.
  if (!norm || norm.getWeight() != attn::NormWeight::Exp || !kernel.getV())
    return;
  Multiplier scores(kernel, kernel.getScore(), std::numbers::log2e);
  if (!scores.isInexact())
    return;
  scores.run();
  if (kernel.hasInit())
    Multiplier(kernel, kernel.getInit(), std::numbers::log2e).run();
  kernel.setNormalizeAttr(
      attn::NormAttr::get(kernel.getContext(), norm.getShift(),
                          attn::NormWeight::Exp2, norm.getDivide()));
}

namespace {
struct BaseTwo final : fusion::impl::BaseTwoBase<BaseTwo> {
  void runOnOperation() override { getOperation()->walk(useBaseTwo); }
};
} // namespace
