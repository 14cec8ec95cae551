//===- LeastValue.cpp - Lower bounds and growth of formulas ---------------===//
//
// elu(x) + 1, that is select(x > 0, x, expm1(x)) + 1, is at least 0: of the
// choice one side is above 0 where it is taken, the other one at least -1.
// Rounding to the nearest keeps such bounds, which are small integers. It grows
// like x: the exponential is taken of numbers up to 0 only.
//
//===----------------------------------------------------------------------===//

#include "Kernel/LeastValue.h"

#include "attnc/Dialect/Attn/AttnMove.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace attnc::fusion {

static constexpr double kUnknown = -std::numeric_limits<double>::infinity();

namespace {
/// Bounds of the values of one region.
class LeastValues {
public:
  /// `ofArgument` bounds the arguments.
  LeastValues(llvm::function_ref<double(BlockArgument)> ofArgument)
      : ofArgument(ofArgument) {}

  double get(Value value) {
    auto [place, isNew] = known.try_emplace(value, kUnknown);
    if (!isNew)
      return place->second;
    double least = compute(value);
    return known[value] = least;
  }

private:
  double compute(Value value);
  double ofProduct(arith::MulFOp op);
  double ofSelect(arith::SelectOp op);
  bool isNonNegative(Value value) { return get(value) >= 0; }

  llvm::function_ref<double(BlockArgument)> ofArgument;
  llvm::DenseMap<Value, double> known;
};
} // namespace

double LeastValues::ofProduct(arith::MulFOp op) {
  bool isSquare = op.getLhs() == op.getRhs();
  bool isOfSuch = isNonNegative(op.getLhs()) && isNonNegative(op.getRhs());
  return isSquare || isOfSuch ? 0 : kUnknown;
}

/// The side of `x > c` is above c if it is x.
double LeastValues::ofSelect(arith::SelectOp op) {
  double taken = get(op.getTrueValue()), other = get(op.getFalseValue());
  auto compared = op.getCondition().getDefiningOp<arith::CmpFOp>();
  bool isAbove =
      compared && (compared.getPredicate() == arith::CmpFPredicate::OGT ||
                   compared.getPredicate() == arith::CmpFPredicate::OGE);
  if (isAbove && compared.getLhs() == op.getTrueValue())
    taken = std::max(taken, get(compared.getRhs()));
  return std::min(taken, other);
}

double LeastValues::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument);
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant.getValueAsDouble();
  return llvm::TypeSwitch<Operation *, double>(value.getDefiningOp())
      .Case<math::ExpOp, math::Exp2Op, math::AbsFOp, math::SqrtOp>(
          [](auto) { return 0.0; })
      .Case<math::ExpM1Op, math::TanhOp, math::ErfOp>([](auto) { return -1.0; })
      .Case<math::Log1pOp>([&](auto op) {
        return isNonNegative(op.getOperand()) ? 0.0 : kUnknown;
      })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](auto op) { return get(op.getIn()); })
      .Case(
          [&](arith::AddFOp op) { return get(op.getLhs()) + get(op.getRhs()); })
      .Case([&](arith::MulFOp op) { return ofProduct(op); })
      .Case([&](arith::DivFOp op) {
        return isNonNegative(op.getLhs()) && isNonNegative(op.getRhs())
                   ? 0.0
                   : kUnknown;
      })
      .Case([&](arith::MaximumFOp op) {
        return std::max(get(op.getLhs()), get(op.getRhs()));
      })
      .Case([&](arith::MinimumFOp op) {
        return std::min(get(op.getLhs()), get(op.getRhs()));
      })
      .Case([&](arith::SelectOp op) { return ofSelect(op); })
      .Default(kUnknown);
}

namespace {
/// Whether values of one region are at most a constant times the greatest of
/// its inputs and 1, by magnitude.
class Growth {
public:
  Growth(LeastValues &least, llvm::function_ref<bool(BlockArgument)> ofArgument)
      : least(least), ofArgument(ofArgument) {}

  bool isLinear(Value value);

private:
  bool isBounded(Value value);
  bool isAtMostZero(Value value);
  bool isLinearSelect(arith::SelectOp op);
  bool areLinear(OperandRange values) {
    return llvm::all_of(values, [&](Value value) { return isLinear(value); });
  }

  LeastValues &least;
  llvm::function_ref<bool(BlockArgument)> ofArgument;
};
} // namespace

bool Growth::isAtMostZero(Value value) {
  if (auto minus = value.getDefiningOp<arith::NegFOp>())
    return least.get(minus.getOperand()) >= 0;
  if (auto minimum = value.getDefiningOp<arith::MinimumFOp>())
    return llvm::any_of(minimum->getOperands(), [&](Value operand) {
      return matchPattern(operand, m_AnyZeroFloat());
    });
  return false;
}

/// Whether a constant bounds the magnitude.
bool Growth::isBounded(Value value) {
  Operation *op = value.getDefiningOp();
  if (matchPattern(value, m_Constant()) ||
      isa_and_present<math::TanhOp, math::ErfOp>(op))
    return true;
  if (isa_and_present<math::ExpOp, math::Exp2Op, math::ExpM1Op>(op))
    return isAtMostZero(op->getOperand(0));
  // A sigmoid.
  auto quotient = dyn_cast_if_present<arith::DivFOp>(op);
  return quotient && isBounded(quotient.getLhs()) &&
         least.get(quotient.getRhs()) >= 1;
}

/// The exponential of x on the side where x > c does not hold is bounded.
bool Growth::isLinearSelect(arith::SelectOp op) {
  auto compared = op.getCondition().getDefiningOp<arith::CmpFOp>();
  bool isAbove = compared &&
                 (compared.getPredicate() == arith::CmpFPredicate::OGT ||
                  compared.getPredicate() == arith::CmpFPredicate::OGE) &&
                 matchPattern(compared.getRhs(), m_Constant());
  Value other = op.getFalseValue();
  Operation *made = other.getDefiningOp();
  bool isOfSame =
      isAbove &&
      isa_and_present<math::ExpOp, math::Exp2Op, math::ExpM1Op>(made) &&
      made->getOperand(0) == compared.getLhs();
  return isLinear(op.getTrueValue()) && (isOfSame || isLinear(other));
}

bool Growth::isLinear(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument);
  if (isBounded(value))
    return true;
  return llvm::TypeSwitch<Operation *, bool>(value.getDefiningOp())
      .Case<arith::ExtFOp, arith::TruncFOp, arith::AddFOp, arith::SubFOp,
            arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, math::AbsFOp,
            math::SqrtOp, math::Log1pOp>(
          [&](Operation *op) { return areLinear(op->getOperands()); })
      .Case([&](arith::MulFOp op) {
        return (isBounded(op.getLhs()) && isLinear(op.getRhs())) ||
               (isBounded(op.getRhs()) && isLinear(op.getLhs()));
      })
      .Case([&](arith::SelectOp op) { return isLinearSelect(op); })
      .Default(false);
}

/// The map that makes the elements of a tensor, be it viewed, or null.
static attn::MapOp findMap(Value tensor) {
  while (isa_and_present<attn::ViewOp, attn::SliceOp>(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return tensor.getDefiningOp<attn::MapOp>();
}

bool growsLinearly(Value tensor) {
  attn::MapOp map = findMap(tensor);
  if (!map)
    return true;
  auto inputOf = [&](BlockArgument argument) -> Value {
    unsigned number = argument.getArgNumber();
    return number < map.getInputs().size() ? map.getInputs()[number] : Value();
  };
  auto leastOfArgument = [&](BlockArgument argument) {
    Value input = inputOf(argument);
    return input ? leastOf(input) : kUnknown;
  };
  auto isLinearArgument = [&](BlockArgument argument) {
    Value input = inputOf(argument);
    return input && growsLinearly(input);
  };
  LeastValues least(leastOfArgument);
  Growth growth(least, isLinearArgument);
  return growth.isLinear(map.getBody().front().getTerminator()->getOperand(0));
}

double leastOf(Region &region) {
  auto ofArgument = [](BlockArgument) { return kUnknown; };
  LeastValues values(ofArgument);
  return values.get(region.front().getTerminator()->getOperand(0));
}

double leastOf(Value tensor) {
  attn::MapOp map = findMap(tensor);
  if (!map)
    return kUnknown;
  auto ofArgument = [&](BlockArgument argument) {
    unsigned number = argument.getArgNumber();
    return number < map.getInputs().size() ? leastOf(map.getInputs()[number])
                                           : kUnknown;
  };
  LeastValues values(ofArgument);
  return values.get(map.getBody().front().getTerminator()->getOperand(0));
}

} // namespace attnc::fusion
