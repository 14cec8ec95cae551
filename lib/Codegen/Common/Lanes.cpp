//===- Lanes.cpp - Arithmetic on scalars and vectors, written as formulas -===//
//
// One op per operator. Rounding and scaling, which depend on the target, are in
// LanesRound.cpp and LanesScale.cpp.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace attnc::codegen {

Type Lanes::shaped(Type type) const {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return vector.clone(type);
  return type;
}

Value Lanes::splat(TypedAttr scalar) const {
  TypedAttr attr = scalar;
  if (auto vector = dyn_cast<VectorType>(shaped(scalar.getType())))
    attr = DenseElementsAttr::get(vector, Attribute(scalar));
  return arith::ConstantOp::create(ctx->builder, ctx->loc, attr);
}

Bits Bits::constant(int64_t number) const {
  return {ctx, splat(IntegerAttr::get(lane(), number))};
}

Real Real::constant(double number) const {
  return {ctx, splat(FloatAttr::get(lane(), number))};
}

template <typename Op, typename T> static T binary(T a, T b) {
  return T{{a.ctx, Op::create(a.ctx->builder, a.ctx->loc, a.value, b.value)}};
}

Real operator+(Real a, Real b) { return binary<arith::AddFOp>(a, b); }
Real operator-(Real a, Real b) { return binary<arith::SubFOp>(a, b); }
Real operator*(Real a, Real b) { return binary<arith::MulFOp>(a, b); }
Real operator/(Real a, Real b) { return binary<arith::DivFOp>(a, b); }

Real operator-(Real a) {
  return {a.ctx, arith::NegFOp::create(a.ctx->builder, a.ctx->loc, a.value)};
}

Real fma(Real a, Real b, Real c) {
  if (!a.ctx->features.fma)
    return a * b + c;
  return {a.ctx, math::FmaOp::create(a.ctx->builder, a.ctx->loc, a.value,
                                     b.value, c.value)};
}

Real fnma(Real a, Real b, Real c) {
  if (!a.ctx->features.fma)
    return c - a * b;
  return fma(-a, b, c);
}

/// The upper half of the digits of `a`: a product of two halves is exact.
static Real upperDigits(Real a) {
  Bits bits = bitsOf(a);
  return realOf(bits & bits.constant(a.isF64() ? ~0x7FFFFFF : ~0xFFF), a);
}

Real productError(Real a, Real b, Real product) {
  if (a.ctx->features.fma)
    return fma(a, b, -product);
  // Dekker 1971
  Real aHigh = upperDigits(a), bHigh = upperDigits(b);
  Real aLow = a - aHigh, bLow = b - bHigh;
  Real sum = (aHigh * bHigh - product) + aHigh * bLow;
  return (sum + aLow * bHigh) + aLow * bLow;
}

static Mask compare(arith::CmpFPredicate predicate, Real a, Real b) {
  return {a.ctx, arith::CmpFOp::create(a.ctx->builder, a.ctx->loc, predicate,
                                       a.value, b.value)};
}

Mask operator<(Real a, Real b) {
  return compare(arith::CmpFPredicate::OLT, a, b);
}

Mask operator>(Real a, Real b) {
  return compare(arith::CmpFPredicate::OGT, a, b);
}

Mask operator==(Real a, Real b) {
  return compare(arith::CmpFPredicate::OEQ, a, b);
}

Mask operator==(Bits a, int64_t b) {
  return {a.ctx, arith::CmpIOp::create(a.ctx->builder, a.ctx->loc,
                                       arith::CmpIPredicate::eq, a.value,
                                       a.constant(b).value)};
}

template <typename T> static T selectLanes(Mask mask, T a, T b) {
  return T{{a.ctx, arith::SelectOp::create(a.ctx->builder, a.ctx->loc,
                                           mask.value, a.value, b.value)}};
}

Real select(Mask mask, Real a, Real b) { return selectLanes(mask, a, b); }
Bits select(Mask mask, Bits a, Bits b) { return selectLanes(mask, a, b); }

Bits operator+(Bits a, Bits b) { return binary<arith::AddIOp>(a, b); }
Bits operator-(Bits a, Bits b) { return binary<arith::SubIOp>(a, b); }
Bits operator*(Bits a, Bits b) { return binary<arith::MulIOp>(a, b); }
Bits operator&(Bits a, Bits b) { return binary<arith::AndIOp>(a, b); }
Bits operator|(Bits a, Bits b) { return binary<arith::OrIOp>(a, b); }
Bits operator^(Bits a, Bits b) { return binary<arith::XOrIOp>(a, b); }

Bits operator<<(Bits a, Bits amount) {
  return binary<arith::ShLIOp>(a, amount);
}

Bits operator>>(Bits a, Bits amount) {
  return binary<arith::ShRUIOp>(a, amount);
}

Bits operator<<(Bits a, int amount) { return a << a.constant(amount); }
Bits operator>>(Bits a, int amount) { return a >> a.constant(amount); }

Bits bitsOf(Real a) {
  OpBuilder &builder = a.ctx->builder;
  Type type = a.shaped(builder.getIntegerType(a.isF64() ? 64 : 32));
  return {a.ctx, arith::BitcastOp::create(builder, a.ctx->loc, type, a.value)};
}

Real realOf(Bits a, Real like) {
  return {a.ctx, arith::BitcastOp::create(a.ctx->builder, a.ctx->loc,
                                          like.value.getType(), a.value)};
}

Real abs(Real a) {
  return {a.ctx, math::AbsFOp::create(a.ctx->builder, a.ctx->loc, a.value)};
}

Real copySign(Real a, Real b) { return binary<math::CopySignOp>(a, b); }

// The bound comes first: x86's max and min return their second operand where
// one is NaN, so that this selects to a single instruction.
Real atLeast(Real a, double bound) {
  Real limit = a.constant(bound);
  return select(limit > a, limit, a);
}

Real atMost(Real a, double bound) {
  Real limit = a.constant(bound);
  return select(limit < a, limit, a);
}

Real widen(Real a) {
  if (a.isF64())
    return a;
  OpBuilder &builder = a.ctx->builder;
  return {a.ctx,
          arith::ExtFOp::create(builder, a.ctx->loc,
                                a.shaped(builder.getF64Type()), a.value)};
}

Real narrow(Real a, Real like) {
  if (a.lane() == like.lane())
    return a;
  return {a.ctx, arith::TruncFOp::create(a.ctx->builder, a.ctx->loc,
                                         like.value.getType(), a.value)};
}

Real polynomial(Real x, ArrayRef<double> c) {
  return polynomial(x, c.drop_back(), x.constant(c.back()));
}

Real polynomial(Real x, ArrayRef<double> c, Real top) {
  for (double next : llvm::reverse(c))
    top = fma(top, x, x.constant(next));
  return top;
}

} // namespace attnc::codegen
