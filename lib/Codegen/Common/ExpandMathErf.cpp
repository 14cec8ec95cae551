//===- ExpandMathErf.cpp - erf and erfc as arithmetic ---------------------===//
//
// erf is a polynomial up to 1, then 1 - 2^g with a polynomial g = log2(erfc),
// or in f64 1 - erfc. erfc is accurate where 1 - erf is not: exp(-x^2) times a
// rational function, for which x^2 is needed to more bits than a float has.
// Tests:
// test/Codegen/Common/expand-math.mlir, test/Unit/Codegen/Common
//
//===----------------------------------------------------------------------===//

#include "MathCoefficients.h"
#include "MathExpansions.h"

using namespace mlir;

namespace attnc::codegen {

static Real erfcTail(Real a);

Real expandErf(Real x) {
  if (x.isF64()) {
    Real a = abs(x);
    Real small = fma(x, polynomial(x * x, coefficients::erfF64), x);
    Real large = 1.0 - erfcTail(a);
    return select(a < 1.0, small, copySign(large, x));
  }
  Real a = atMost(abs(x), 4.0); // beyond 3.92 erf rounds to 1
  Real small = fma(x, polynomial(x * x, coefficients::erfF32), x);
  Real large = 1.0 - expandExp2Normal(polynomial(a, coefficients::erfTailF32));
  return select(a < 1.0, small, copySign(large, x));
}

/// erfc(a) exp(a^2) (1 + 2a), t = 1 / (1 + 2a).
static Real erfcRatio(Real a, Real t) {
  if (a.isF64())
    return polynomial(divide(a - 3.75, a + 3.75), coefficients::erfcF64) + 1.25;
  Real p = polynomial(t, coefficients::erfcF32P);
  return divide(p, polynomial(t, coefficients::erfcF32Q)) + 1.25;
}

/// erfc(a) for a >= 1/2.
static Real erfcTail(Real a) {
  // erfc rounds to 0 from 10.06 (f64: 27.23) on.
  a = atMost(a, a.isF64() ? 27.3 : 10.5);
  Real square = a * a;
  Real gauss = expandExpOfSum(-square, -productError(a, a, square));
  Real one = a.constant(1.0);
  Real line = fma(a, a.constant(2.0), one);
  Real ratio = erfcRatio(a, divide(one, line));
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
