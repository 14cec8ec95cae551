//===- ExpandMathLog.cpp - log, log2, log1p as arithmetic -----------------===//
//
// x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), by integer arithmetic on
// the bits of x; then e log(2) + log(1 + f). Special arguments are selected at
// the end.
// Tests: test/Codegen/Common/expand-math.mlir, test/Unit/Codegen/Common
//
//===----------------------------------------------------------------------===//

#include "MathCoefficients.h"
#include "MathExpansions.h"

#include <limits>

using namespace mlir;

namespace attnc::codegen {

namespace {
struct Split {
  Bits biased; // e + bias
  Real f;
};
} // namespace

/// x = 2^e (1 + f) for normal positive x.
static Split split(Real x) {
  int64_t sqrtHalf = x.isF64() ? 0x3FE6A09E667F3BCD : 0x3F3504F3;
  int64_t one = int64_t(x.bias()) << x.mantissa();
  Bits shifted = bitsOf(x) + (one - sqrtHalf);
  Bits fraction = shifted & ((int64_t(1) << x.mantissa()) - 1);
  return {shifted >> x.mantissa(), realOf(fraction + sqrtHalf, x) - 1.0};
}

/// log(1 + f) - f for f as split gives it.
static Real logTail(Real f) {
  if (f.isF64()) {
    Real s = f / (f + 2.0);
    Real z = s * s;
    Real halfSquare = f * f * 0.5;
    Real rest = z * polynomial(z, coefficients::logF64);
    return fma(s, halfSquare + rest, -halfSquare);
  }
  Real square = f * f;
  Real cubic = f * square * polynomial(f, coefficients::logF32);
  return fnma(square, f.constant(0.5), cubic);
}

/// e log(2) + f + tail.
static Real addExponent(Real e, Real f, Real tail) {
  double hi = e.isF64() ? 0x1.62e42feep-1 : 0.693359375;
  double lo = e.isF64() ? 1.9082149292705877e-10 : -0.000212194440054691;
  Real small = fma(e, e.constant(lo), tail);
  return fma(e, e.constant(hi), f + small);
}

/// log's value at `x` from `result`, which holds for normal positive x only.
static Real withSpecialCases(Real x, Real result) {
  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  Real atInfinity = select(x < infinity, result, x);
  Real outside = select(x == 0.0, x.constant(-infinity), x.constant(nan));
  return select(x > 0.0, atInfinity, outside);
}

/// x = 2^e (1 + f) also for denormals.
static std::pair<Real, Real> splitAny(Real x) {
  int up = x.mantissa() + 2;
  Mask denormal = x < (x.isF64() ? 0x1p-1022 : 0x1p-126);
  Real scaled = x * static_cast<double>(int64_t(1) << up);
  Split parts = split(select(denormal, scaled, x));
  Real bias = select(denormal, x.constant(x.bias() + up), x.constant(x.bias()));
  return {fromSmallInteger(parts.biased, x) - bias, parts.f};
}

Real expandLog(Real x) {
  auto [e, f] = splitAny(x);
  return withSpecialCases(x, addExponent(e, f, logTail(f)));
}

Real expandLog2(Real x) {
  auto [e, f] = splitAny(x);
  // log2(e) = hi + lo; the leading product needs both.
  Real hi = x.constant(x.isF64() ? 1.4426950408889634 : 1.4426950216293335);
  Real lo =
      x.constant(x.isF64() ? 2.0355273740931033e-17 : 1.9259629911266175e-8);
  Real tail = logTail(f) * hi;
  Real sum = fma(f, hi, fma(f, lo, tail));
  return withSpecialCases(x, e + sum);
}

// With u = 1 + x rounded, log1p(x) = log(u + c) where c is what rounding lost.
Real expandLog1p(Real x) {
  Real u = x + 1.0;
  Real rounded = u - 1.0;
  Real lost = (1.0 - (u - rounded)) + (x - rounded);
  Split parts = split(u);
  Real e = fromSmallInteger(parts.biased, x) - double(x.bias());
  // 2^(1 - e), since 2^-e may be less than the least normal number.
  Bits inverse = parts.biased.constant(2 * x.bias() + 1) - parts.biased;
  Real scale = realOf(inverse << x.mantissa(), x);
  Real f = fma(lost * 0.5, scale, parts.f);
  Real result = addExponent(e, f, logTail(f));
  // An infinite x makes `lost` NaN, which f then is, but u stays infinite.
  Real value = withSpecialCases(u, result);
  // Keeps the sign of zero, and denormals.
  return select(abs(x) < (x.isF64() ? 0x1p-54 : 0x1p-25), x, value);
}

} // namespace attnc::codegen
