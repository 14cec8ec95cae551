//===- OperationCost.cpp - Cost of elementwise operations -----------------===//

#include "attnc/Analysis/Cost/OperationCost.h"

using namespace mlir;
using namespace attnc;

double attnc::weightCost(attn::NormAttr norm, const Target &target) {
  if (!norm)
    return 1; // add up or compare
  double sum = norm.getDivide() == attn::NormDivide::Sum ? 1 : 0;
  if (norm.getWeight() == attn::NormWeight::Identity)
    return sum;
  double weight = target.exp2Operations + sum;
  if (norm.isSoftmax())
    weight += 2; // subtract, compare
  if (norm.getWeight() == attn::NormWeight::Exp)
    weight += 1; // times log2(e)
  return weight;
}

double attnc::operationCost(Operation *op, const Target &target) {
  constexpr double division = 8;
  double exp2 = target.exp2Operations;
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
