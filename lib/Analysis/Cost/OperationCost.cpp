//===- OperationCost.cpp - Cost of elementwise operations -----------------===//

#include "attnc/Analysis/Cost/OperationCost.h"

using namespace mlir;
using namespace attnc;

/// Vector operations of exp2: the polynomial of degree 6, and what brings the
/// argument near zero and the exponent back.
static double exp2Cost(const CpuTarget &target) {
  double polynomial = target.hasFma ? 6 : 12;
  if (target.hasScalef) // reduce, scale
    return polynomial + 2;
  if (target.hasRound) // clamp, round, subtract, convert, shift, add
    return polynomial + 6;
  return polynomial + 7; // the rounding is two conversions
}

double attnc::weightCost(attn::NormAttr norm, const CpuTarget &target) {
  if (!norm)
    return 1; // add up or compare
  double sum = norm.getDivide() == attn::NormDivide::Sum ? 1 : 0;
  if (norm.getWeight() == attn::NormWeight::Identity)
    return sum;
  double weight = exp2Cost(target) + sum;
  if (norm.isSoftmax())
    weight += 2; // subtract, compare
  if (norm.getWeight() == attn::NormWeight::Exp)
    weight += 1; // times log2(e)
  return weight;
}

double attnc::operationCost(Operation *op, const CpuTarget &target) {
  constexpr double division = 8;
  double exp2 = exp2Cost(target);
  if (isa<arith::ConstantOp, attn::SizeOp, arith::IndexCastOp>(op))
    return 0;
  if (isa<arith::DivFOp, arith::FloorDivSIOp, arith::RemSIOp, math::SqrtOp,
          math::RsqrtOp>(op))
    return division;
  if (isa<math::TanhOp, math::ErfOp>(op))
    return 2 * exp2 + division;
  if (isa<math::AbsFOp, math::FloorOp, math::CeilOp, math::FmaOp,
          math::CopySignOp>(op))
    return 1;
  if (isa<math::Exp2Op>(op))
    return exp2;
  if (isa<math::MathDialect>(op->getDialect())) // exp is exp2 of two parts
    return exp2 + 4;
  return 1; // positions have 32 bits almost always
}
