//===- WriteConditions.cpp - Write conditions and floats as ops -----------===//
//
// The half of IndexWriter that writes what a tile is asked.
// Tests: test/Fusion/classify-tiles.mlir, test/Fusion/classify-reals.mlir
//
//===----------------------------------------------------------------------===//

#include "Mask/IndexWriter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc::fusion {

/// Ops of the kinds that the mask was made of, so that they round alike.
Value IndexWriter::writeReal(RealExpr expr) {
  using Kind = RealNode::Kind;
  Value a = expr->a ? write(expr->a) : Value();
  Value b = expr->b ? write(expr->b) : Value();
  switch (expr->kind) {
  case Kind::Constant:
    return arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(mask.realType, expr->value));
  case Kind::Symbol:
    return copySlice(mask.reals[expr->number]);
  case Kind::Index: {
    Value wide = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            write(expr->index));
    return arith::SIToFPOp::create(builder, loc, mask.realType, wide);
  }
  case Kind::Negate:
    return create<arith::NegFOp>(a);
  case Kind::Abs:
    return create<math::AbsFOp>(a);
  case Kind::Floor:
    return create<math::FloorOp>(a);
  case Kind::Ceil:
    return create<math::CeilOp>(a);
  case Kind::Sqrt:
    return create<math::SqrtOp>(a);
  case Kind::Exp:
    return create<math::ExpOp>(a);
  case Kind::Exp2:
    return create<math::Exp2Op>(a);
  case Kind::Log:
    return create<math::LogOp>(a);
  case Kind::Log2:
    return create<math::Log2Op>(a);
  case Kind::Tanh:
    return create<math::TanhOp>(a);
  case Kind::Add:
    return create<arith::AddFOp>(a, b);
  case Kind::Subtract:
    return create<arith::SubFOp>(a, b);
  case Kind::Multiply:
    return create<arith::MulFOp>(a, b);
  case Kind::Divide:
    return create<arith::DivFOp>(a, b);
  case Kind::Min:
    return create<arith::MinimumFOp>(a, b);
  case Kind::Max:
    return create<arith::MaximumFOp>(a, b);
  }
  llvm_unreachable("all kinds are listed");
}

Value IndexWriter::write(RealExpr expr) {
  if (Value v = writtenReals.lookup(expr))
    return v;
  Value v = writeReal(expr);
  return writtenReals[expr] = v;
}

Value IndexWriter::writeLogic(const MaskCondition *condition) {
  using Kind = MaskCondition::Kind;
  switch (condition->kind) {
  case Kind::Never:
  case Kind::Always:
  case Kind::Unknown:
    return arith::ConstantIntOp::create(builder, loc,
                                        condition->kind != Kind::Never, 1);
  case Kind::AtLeastZero:
    return writeAtLeastZero(condition->expr);
  case Kind::RealAtLeast:
  case Kind::RealAbove: {
    Value x = write(condition->x), y = write(condition->y);
    auto predicate = condition->kind == Kind::RealAtLeast
                         ? arith::CmpFPredicate::OGE
                         : arith::CmpFPredicate::OGT;
    return arith::CmpFOp::create(builder, loc, predicate, x, y);
  }
  case Kind::Not: {
    Value a = write(condition->a);
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    return create<arith::XOrIOp>(a, yes);
  }
  case Kind::And:
  case Kind::Or: {
    Value a = write(condition->a), b = write(condition->b);
    return condition->kind == Kind::And ? create<arith::AndIOp>(a, b)
                                        : create<arith::OrIOp>(a, b);
  }
  }
  llvm_unreachable("all kinds are listed");
}

Value IndexWriter::write(const MaskCondition *condition) {
  if (Value v = truths.lookup(condition))
    return v;
  Value v = writeLogic(condition);
  return truths[condition] = v;
}

} // namespace attnc::fusion
