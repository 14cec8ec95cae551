//===- LanesRound.cpp - Rounding to integers ------------------------------===//
//
// Without SSE4.1 LLVM turns floor and its kin into calls of libm. Adding and
// subtracting 2^23 (f32) leaves no room for a fraction, so it rounds to the
// nearest integer, ties to even; the others differ from that by one at most.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc::codegen {

template <typename Op> static Real native(Real a) {
  return {a.ctx, Op::create(a.ctx->builder, a.ctx->loc, a.value)};
}

/// The least power of two beyond which every float is an integer.
static double integral(Real a) { return a.isF64() ? 0x1p52 : 0x1p23; }

Real roundEven(Real a) {
  if (a.ctx->features.round)
    return native<math::RoundEvenOp>(a);
  Real size = abs(a);
  Real limit = a.constant(integral(a));
  Real rounded = (size + limit) - limit;
  // The comparison is false for NaN, which then stays. Zeros keep their sign.
  return select(size < limit, copySign(rounded, a), a);
}

Real roundDown(Real a) {
  if (a.ctx->features.round)
    return native<math::FloorOp>(a);
  Real near = roundEven(a);
  return select(near > a, near - 1.0, near);
}

Real roundUp(Real a) {
  if (a.ctx->features.round)
    return native<math::CeilOp>(a);
  Real near = roundEven(a);
  Real up = select(near < a, near + 1.0, near);
  return copySign(up, a); // ceil(-0.5) is -0
}

Real roundToZero(Real a) {
  if (a.ctx->features.round)
    return native<math::TruncOp>(a);
  return copySign(roundDown(abs(a)), a);
}

// No instruction of x86 does this, so there is no native form.
Real roundAway(Real a) {
  Real size = abs(a);
  Real whole = roundDown(size);
  Real half = a.constant(0.5);
  Real up = select(size - whole < half, whole, whole + 1.0);
  // An integer stays as it is; infinity would become NaN above.
  return copySign(select(whole == size, size, up), a);
}

/// 1.5 * 2^mantissa: adding an integer n to it puts n into the low bits.
static double lowBits(Real a) { return a.isF64() ? 0x1.8p52 : 0x1.8p23; }

Real roundDownSmall(Real a) {
  if (a.ctx->features.round)
    return roundDown(a);
  Real near = nearestInteger(a, 1.0, 0).value;
  return near - select(near > a, a.constant(1.0), a.constant(0.0));
}

SmallInteger nearestInteger(Real a, double scale, int64_t offset) {
  double shift = lowBits(a) + static_cast<double>(offset);
  Real shifted =
      scale == 1.0 ? a + shift : fma(a, a.constant(scale), a.constant(shift));
  return {shifted - shift, bitsOf(shifted)};
}

Bits smallInteger(Real integer, int64_t offset) {
  return bitsOf(integer + (lowBits(integer) + static_cast<double>(offset)));
}

Real fromSmallInteger(Bits integer, Real like) {
  int64_t bias = like.isF64() ? 0x4338000000000000 : 0x4B400000;
  return realOf(integer + bias, like) - lowBits(like);
}

} // namespace attnc::codegen
