//===- ExpandMathTanh.cpp - tanh as arithmetic ----------------------------===//
//
// tanh(a) = h / (h + 1) with h = expm1(2a) / 2, on the absolute value. softcap
// calls it for every score: in f32 it is 20 instructions with AVX-512, without
// branches or blends. (A quotient of polynomials takes 16, but loses 5.2 ulp
// where tanh is close to 1.)
// Tests: test/Codegen/Common/expand-math.mlir, test/Unit/Codegen/Common
//
//===----------------------------------------------------------------------===//

#include "MathCoefficients.h"
#include "MathExpansions.h"

#include <cmath>

using namespace mlir;

namespace attnc::codegen {

// With a = n log(2) / 2 + r: h = 2^n expm1(2r) / 2 + (2^n - 1) / 2.
static Real tanhF32(Real x) {
  Real a = atMost(abs(x), 9.02); // beyond it tanh rounds to 1
  SmallInteger n = nearestInteger(a, 2.8853900817779268, x.bias());
  Real r = fnma(n.value, a.constant(0.34657359027997264), a);
  // expm1(2r) / 2 = r + r^2 (2 c0 + 4 c1 r + 8 c2 r^2 + ...)
  SmallVector<double> c(std::begin(coefficients::expm1F32),
                        std::end(coefficients::expm1F32));
  for (auto [order, value] : llvm::enumerate(c))
    value = std::ldexp(value, order + 1);
  Real small = fma(r * r, polynomial(r, c), r);
  Real power = powerOfTwo(n.bits, x);
  Real half = a.constant(0.5);
  Real h = fma(power, small, fma(power, half, -half));
  return copySign(divide(h, h + 1.0), x);
}

// e / (e + 2) is exact for small a, 1 - 2 / (e + 2) for large a.
static Real tanhF64(Real x) {
  Real a = abs(x);
  Real e = expandExpm1(a + a);
  Mask small = a < 1.0;
  Real quotient = select(small, e, e.constant(2.0)) / (e + 2.0);
  return copySign(select(small, quotient, 1.0 - quotient), x);
}

Real expandTanh(Real x) { return x.isF64() ? tanhF64(x) : tanhF32(x); }

} // namespace attnc::codegen
