//===- ExpandMathErf.cpp - erf and erfc as arithmetic ---------------------===//
//
// erf is a polynomial up to 1, then 1 - 2^g with a polynomial g = log2(erfc).
// erfc is accurate where 1 - erf is not: exp(-x^2) times a rational function,
// for which x^2 is needed to more bits than a float has. Tests:
// test/Codegen/Common/expand-math.mlir, test/Unit/Codegen/Common
//
//===----------------------------------------------------------------------===//

#include "MathCoefficients.h"
#include "MathExpansions.h"

using namespace mlir;

namespace attnc::codegen {

Real expandErf(Real x) {
  Real a = atMost(abs(x), 4.0); // beyond 3.92 erf rounds to 1
  Real small = fma(x, polynomial(x * x, coefficients::erfF32), x);
  Real large = 1.0 - expandExp2Normal(polynomial(a, coefficients::erfTailF32));
  return select(a < 1.0, small, copySign(large, x));
}

/// x * x - square, where `square` is x * x rounded.
static Real squareError(Real x, Real square) {
  if (x.ctx->features.fma)
    return fma(x, x, -square);
  // Dekker: products of halves of 12 bits are exact.
  Real hi = realOf(bitsOf(x) & ~int64_t(0xFFF), x);
  Real lo = x - hi;
  return ((hi * hi - square) + hi * lo * 2.0) + lo * lo;
}

/// erfc(a) for a >= 1/2.
static Real erfcTail(Real a) {
  a = atMost(a, 10.5); // erfc rounds to 0 from 10.06 on
  Real square = a * a;
  Real gauss = expandExpOfSum(-square, -squareError(a, square));
  Real one = a.constant(1.0);
  Real line = fma(a, a.constant(2.0), one);
  Real t = divide(one, line);
  Real p = polynomial(t, coefficients::erfcF32P);
  Real ratio = divide(p, polynomial(t, coefficients::erfcF32Q)) + 1.25;
  // A second division instead of t * ratio, for half an ulp.
  return divide(gauss * ratio, line);
}

Real expandErfc(Real x) {
  Real a = abs(x);
  Real tail = erfcTail(a);
  Real reflected = select(x < 0.0, 2.0 - tail, tail);
  return select(a < 0.5, 1.0 - expandErf(x), reflected);
}

} // namespace attnc::codegen
