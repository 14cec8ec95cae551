//===- RoughScores.cpp - Approximate functions in formulas ----------------===//
//
// Where weights are rounded to bf16, which changes them by up to 2^-9 of their
// size, functions in their formula may be approximate, too:
//
//   softmax   50 * tanh(x)        an error e of tanh changes the score by 50 e,
//                                 and the weight by the factor exp(50 e)
//   weights   1 / (1 + exp2(x))   relative errors of exp2 and of the quotient
//                                 are at most those of the weight
//
// An error is followed from a function to the result, absolute for exponents
// and relative for weights:
//
//   c * x           absolute |c| times, relative once
//   x + y           absolute once, relative once if neither is negative
//   x / y           relative once; absolute 1 / |y| times for a constant y
//   select, max, min, -x   once
//
// Anything else is not followed, and its functions stay accurate. The marked
// errors of a formula (docs/math-accuracy.md) add up to at most 2^-11.5, less
// than a fifth of the rounding. So tanh is approximate up to a cap of 68.
// Tests: test/Lowering/Softmax/rough-scores.mlir
//
//===----------------------------------------------------------------------===//

#include "Softmax/RoughScores.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"

#include <cmath>

using namespace mlir;

namespace attnc::lowering {

namespace {
/// Follows errors in one formula.
class ErrorPaths {
public:
  explicit ErrorPaths(RoughResult result) : result(result) {}
  /// The error of the result for an error of 1 in `value`.
  double gain(Value value);

private:
  double gainOfUse(OpOperand &use);
  /// The factor of the step from an operand to the op's result.
  double factor(OpOperand &use);

  RoughResult result;
  DenseMap<Value, double> gains;
};
} // namespace

static constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// The size of a constant.
static std::optional<double> sizeOfConstant(Value value) {
  APFloat number(0.0);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  return std::abs(number.convertToDouble());
}

/// Whether a value is never negative.
static bool isPositive(Value value) {
  APFloat number(0.0);
  if (matchPattern(value, m_ConstantFloat(&number)))
    return !number.isNegative();
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddFOp, arith::DivFOp, arith::MulFOp>(op))
    return isPositive(op->getOperand(0)) && isPositive(op->getOperand(1));
  return isa_and_nonnull<math::Exp2Op, math::ExpOp, math::AbsFOp>(op);
}

double ErrorPaths::factor(OpOperand &use) {
  Operation *op = use.getOwner();
  bool isRelative = result == RoughResult::Weight;
  bool isLeft = use.getOperandNumber() == 0;
  if (isa<arith::SelectOp>(op))
    return isLeft ? kUnknown : 1;
  if (isa<arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp>(op))
    return 1;
  if (isa<arith::AddFOp>(op))
    return !isRelative || (isPositive(op->getOperand(0)) &&
                           isPositive(op->getOperand(1)))
               ? 1
               : kUnknown;
  if (isa<arith::SubFOp>(op))
    return isRelative ? kUnknown : 1;
  if (isa<arith::MulFOp, arith::DivFOp>(op)) {
    if (isRelative)
      return 1;
    std::optional<double> size = sizeOfConstant(op->getOperand(isLeft ? 1 : 0));
    if (isa<arith::MulFOp>(op))
      return size.value_or(kUnknown);
    return size && isLeft ? 1 / *size : kUnknown;
  }
  return kUnknown;
}

double ErrorPaths::gainOfUse(OpOperand &use) {
  Operation *op = use.getOwner();
  if (op->hasTrait<OpTrait::IsTerminator>())
    return 1;
  double step = factor(use);
  return step == kUnknown ? kUnknown : step * gain(op->getResult(0));
}

double ErrorPaths::gain(Value value) {
  auto known = gains.find(value);
  if (known != gains.end())
    return known->second;
  double sum = 0;
  for (OpOperand &use : value.getUses())
    sum += gainOfUse(use);
  gains[value] = sum;
  return sum;
}

/// The error of an op with fastmath<afn>, or null if the flag has no effect:
/// absolute for exponents and relative for weights.
static std::optional<double> errorOf(Operation &op, RoughResult result) {
  if (!op.getNumResults() || !op.getResult(0).getType().isF32())
    return std::nullopt;
  if (result == RoughResult::Exponent) {
    if (isa<math::TanhOp>(op))
      return std::exp2(-17.6);
    return std::nullopt;
  }
  if (isa<math::Exp2Op>(op))
    return std::exp2(-13.5);
  if (isa<arith::DivFOp>(op) && matchPattern(op.getOperand(0), m_OneFloat()))
    return std::exp2(-14);
  return std::nullopt;
}

void markRough(tile::MapOp formula, RoughResult result) {
  ErrorPaths paths(result);
  const double most = std::exp2(-11.5);
  double sum = 0;
  for (Operation &op : formula.getBody().front()) {
    std::optional<double> error = errorOf(op, result);
    if (!error)
      continue;
    double added = *error * paths.gain(op.getResult(0));
    if (!(sum + added <= most))
      continue;
    sum += added;
    op.setAttr(cast<arith::ArithFastMathInterface>(op).getFastMathAttrName(),
               arith::FastMathFlagsAttr::get(op.getContext(),
                                             arith::FastMathFlags::afn));
  }
}

} // namespace attnc::lowering
