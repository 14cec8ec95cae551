//===- ExpandMathExp.cpp - exp2, exp, expm1, rsqrt as arithmetic ----------===//
//
// All reduce the argument to n + f with an integer n, evaluate a polynomial in
// the rest and multiply by 2^n. exp2 in f32 is the function that an attention
// kernel spends a tenth of its time in; with AVX-512 it is seven instructions:
//
//   f = x - floor(x)         vreduceps
//   p = 1 + c1 f + ... f^5   5 vfmadd
//   p * 2^floor(x)           vscalefps
//
// The constant term is exactly 1, so that 2^integer is exact; p(1) differs from
// 2 by less than the error of p, hence no jump at integers.
// Tests: test/Codegen/Common/expand-math.mlir, test/Unit/Codegen/Common
//
//===----------------------------------------------------------------------===//

#include "LanesAvx512.h"
#include "MathCoefficients.h"
#include "MathExpansions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc::codegen {

namespace {
/// What differs between the element types.
struct ExpLimits {
  double overflow;  // exp(x) is infinite from here on
  double underflow; // exp(x) is 0 up to here
  double minusOne;  // expm1(x) is -1 up to here
  double linear;    // expm1(x) is x up to here in size
  double ln2Hi;     // few bits, so that n * ln2Hi is exact
  double ln2Lo;
};
} // namespace

static ExpLimits limitsOf(Real x) {
  if (x.isF64())
    return {710.0,   -746.0,          -40.0,
            0x1p-54, 0x1.62e42feep-1, 1.9082149292705877e-10};
  return {89.0, -104.0, -18.0, 0x1p-25, 0.693359375, -0.000212194440054691};
}

static ArrayRef<double> expm1Table(Real x) {
  if (x.isF64())
    return coefficients::expm1F64;
  return coefficients::expm1F32;
}

static Real exp2F64(Real x) {
  // AVX-512 scales right by any n; elsewhere n has to stay in range.
  if (!x.ctx->features.avx512)
    x = atMost(atLeast(x, -1076.0), 1024.0);
  Real n = roundEven(x);
  return scaleByPowerOfTwo(polynomial(x - n, coefficients::exp2F64), n);
}

static Real exp2Normal(Real x, ArrayRef<double> table) {
  if (x.ctx->features.avx512) {
    Real p = polynomial(avx512Fraction(x), table);
    return avx512ScaleFloor(p, x);
  }
  Real n = roundDownSmall(x);
  Real p = polynomial(x - n, table);
  return p * powerOfTwo(smallInteger(n, x.bias()), x);
}

static Real exp2F32(Real x, ArrayRef<double> table) {
  if (x.ctx->features.avx512)
    return exp2Normal(x, table);
  // At the ends the power of two is 0 or infinity.
  if (x.ctx->features.flushDenormals)
    return exp2Normal(atMost(atLeast(x, -127.0), 128.0), table);
  x = atMost(atLeast(x, -151.0), 128.0);
  Real n = roundDownSmall(x);
  return scaleByPowerOfTwo(polynomial(x - n, table), n);
}

Real expandExp2Normal(Real x) { return exp2Normal(x, coefficients::exp2F32); }

Real expandExp2(Real x) {
  return x.isF64() ? exp2F64(x) : exp2F32(x, coefficients::exp2F32);
}

Real expandExp2BesideOne(Real x) {
  return exp2F32(x, coefficients::exp2BesideOneF32);
}

Real expandExp2Rough(Real x) { return exp2F32(x, coefficients::exp2RoughF32); }

/// x = n log(2) + r with |r| <= log(2) / 2, for x within the limits.
static std::pair<SmallInteger, Real> reduce(Real x, const ExpLimits &limits,
                                            int64_t offset) {
  SmallInteger n = nearestInteger(x, 1.4426950408889634, offset);
  Real r = fnma(n.value, x.constant(limits.ln2Hi), x);
  return {n, fnma(n.value, x.constant(limits.ln2Lo), r)};
}

/// exp(r) for an r as reduce gives it.
static Real expOfRest(Real r) {
  Real tail = polynomial(r, expm1Table(r));
  return polynomial(r, {1.0, 1.0}, tail);
}

Real expandExp(Real x) { return expandExpOfSum(x, std::nullopt); }

Real expandExpAtMostOne(Real x) {
  if (x.ctx->features.avx512)
    return expandExp(x);
  ExpLimits limits = limitsOf(x);
  // Where n is -bias the power of two is 0.
  auto [n, r] =
      reduce(atLeast(x, x.isF64() ? -709.0 : -88.0), limits, int64_t(x.bias()));
  return expOfRest(r) * powerOfTwo(n.bits, x);
}

Real expandExpOfSum(Real x, std::optional<Real> low) {
  ExpLimits limits = limitsOf(x);
  x = atMost(atLeast(x, limits.underflow), limits.overflow);
  auto [n, r] = reduce(x, limits, 2 * int64_t(x.bias()));
  if (low)
    r = r + *low;
  return scaleByPowerOfTwo(expOfRest(r), n);
}

// expm1(x) = 2^n expm1(r) + (2^n - 1), computed at half the size because 2^n
// may overflow where the result does not.
Real expandExpm1(Real x) {
  ExpLimits limits = limitsOf(x);
  Real inside = atMost(atLeast(x, limits.minusOne), limits.overflow);
  auto [n, r] = reduce(inside, limits, x.bias() - 1);
  Real tail = polynomial(r, expm1Table(x));
  Real small = fma(r * r, tail, r);
  Real half = powerOfTwo(n.bits, x);
  Real result = fma(half, small, half - 0.5) * 2.0;
  // Keeps the sign of zero and all bits of denormals.
  return select(abs(x) < limits.linear, x, result);
}

Real expandRsqrt(Real x) {
  Real root{{x.ctx, math::SqrtOp::create(x.ctx->builder, x.ctx->loc, x.value)}};
  return 1.0 / root;
}

} // namespace attnc::codegen
