//===- Bf16Sums.cpp - Sums of products of bf16 ----------------------------===//
//
// See Bf16Sums.h. Tests: test/Unit/Driver/InstructionModelsTest.cpp
//
//===----------------------------------------------------------------------===//

#include "Run/Model/Bf16Sums.h"

#include "llvm/ADT/bit.h"

#include <cmath>

namespace attnc {

float withoutDenormal(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value)
                                                : value;
}

static float widen(uint16_t bf16) {
  return withoutDenormal(llvm::bit_cast<float>(uint32_t(bf16) << 16));
}

/// The sum is rounded to odd first, so rounding twice is harmless (Boldo and
/// Melquiond 2008); tiny results become zero, as seen after rounding with an
/// unbounded exponent (SDM volume 1, 4.9.1.5).
float roundSum(double a, double b) {
  double sum = a + b;
  if (std::isfinite(sum)) {
    double part = sum - a;
    double error = (a - (sum - part)) + (b - part); // Knuth's TwoSum
    auto bits = llvm::bit_cast<uint64_t>(sum);
    if (error != 0 && bits % 2 == 0)
      sum = llvm::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1
                                                            : bits - 1);
  }
  constexpr double scale = 0x1p64, least = 0x1p-126;
  if (std::abs(sum) < 2 * least &&
      std::abs(float(sum * scale)) < float(least * scale))
    return std::copysign(0.0F, float(sum));
  return float(sum);
}

float addProduct(float sum, uint16_t a, uint16_t b) {
  return roundSum(double(widen(a)) * double(widen(b)),
                  double(withoutDenormal(sum)));
}

} // namespace attnc
