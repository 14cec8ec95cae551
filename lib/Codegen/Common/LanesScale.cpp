//===- LanesScale.cpp - Powers of two and quotients -----------------------===//
//
// vscalef multiplies by 2^floor(n), with overflow, underflow and infinities as
// they should be. Elsewhere two factors are made from the bits of n, because
// one factor cannot reach from the largest float to the least denormal.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "LanesAvx512.h"

using namespace mlir;

namespace attnc::codegen {

Real scaleByPowerOfTwo(Real p, Real n) {
  if (p.ctx->features.avx512)
    return avx512ScaleFloor(p, n);
  return scaleByPowerOfTwo(p, {n, smallInteger(n, 2 * int64_t(p.bias()))});
}

Real scaleByPowerOfTwo(Real p, SmallInteger n) {
  if (p.ctx->features.avx512)
    return avx512ScaleFloor(p, n.value);
  // n + 2 * bias = k1 + k2 with k1, k2 the biased exponents of 2^(n/2).
  Bits k1 = n.bits >> 1;
  Bits k2 = n.bits - k1;
  return p * powerOfTwo(k1, p) * powerOfTwo(k2, p);
}

Real powerOfTwo(Bits biased, Real like) {
  return realOf(biased << like.mantissa(), like);
}

Real divide(Real a, Real b) {
  if (!a.ctx->features.avx512 || a.isF64())
    return a / b;
  Real inverse = avx512Reciprocal14(b);
  Real quotient = a * inverse;
  // The signs are such that -0 / b is -0.
  Real excess = fma(b, quotient, -a);
  return fnma(inverse, excess, quotient);
}

Real reciprocal(Real b) {
  Real inverse = avx512Reciprocal14(b);
  Real missing = fnma(b, inverse, b.constant(1.0));
  // 0 times infinity: the inverse is infinite or zero, and exact.
  return select(missing == missing, fma(inverse, missing, inverse), inverse);
}

} // namespace attnc::codegen
