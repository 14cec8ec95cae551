//===- ExpandMathTanh.cpp - tanh as arithmetic ----------------------------===//
//
// tanh(a) = h / (h + 1) with h = expm1(2a) / 2, on the absolute value. softcap
// calls it for every score: in f32 it is 20 instructions with AVX-512, without
// branches or blends. (A quotient of polynomials takes 16, but loses 5.2 ulp
// where tanh is close to 1.)
//
// With afn, f32 and AVX-512 it is a cubic around the nearest multiple of 1/4,
// whose coefficients come from tables:
//
//   a = min(|x|, 7.75)
//   y = a + 1.5 * 2^21     its last bits are i = the integer nearest to 4 a
//   r = a - (y - 1.5 * 2^21)
//   c0[i] + c1[i] r + c2[i] r^2 + c3[i] r^3
//
// While AMX is active only one port multiplies 512 bits. Of these instructions
// it executes the three fmas and the minimum, of those above 15; additions,
// logic and the tables' permutations use the other port, too.
// Tests: test/Codegen/Common/expand-math.mlir, test/Unit/Codegen/Common
//
//===----------------------------------------------------------------------===//

#include "LanesAvx512.h"
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

Real expandTanhRough(Real x, double factor) {
  const auto &table = coefficients::tanhPiecesF32;
  constexpr double toQuarters = 0x1.8p21; // an ulp of it is 1/4
  Real a = atMost(abs(x), (std::size(table[0]) - 1) / 4.0);
  Real index = a + toQuarters;
  Real r = a - (index - toQuarters);
  auto coefficient = [&](unsigned order) {
    SmallVector<double> scaled;
    for (double value : table[order])
      scaled.push_back(factor * value);
    return avx512Lookup(scaled, index);
  };
  Real result = coefficient(3);
  for (unsigned order : {2, 1, 0})
    result = fma(result, r, coefficient(order));
  Bits sign = bitsOf(x) & bitsOf(x.constant(-0.0));
  return realOf(bitsOf(result) ^ sign, x);
}

Real expandTanh(Real x) { return x.isF64() ? tanhF64(x) : tanhF32(x); }

} // namespace attnc::codegen
