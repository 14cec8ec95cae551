//===- Bf16Sums.h - Sums of products of bf16 --------------------*- C++ -*-===//
//
// The arithmetic of AVX512-BF16 and AMX-BF16, whatever MXCSR says: denormals
// count as zeros, products are exact, each sum is rounded to nearest, and what
// is below the least normal number becomes zero (SDM volume 2, VDPBF16PS and
// TDPBF16PS).
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_RUN_MODEL_BF16SUMS_H
#define ATTNC_LIB_DRIVER_RUN_MODEL_BF16SUMS_H

#include <cstdint>

namespace attnc {

/// Denormals count as zeros.
float withoutDenormal(float value);

/// The f32 nearest to an exact sum of two doubles, which are far from the
/// limits of their exponents.
float roundSum(double a, double b);

/// sum + a * b
float addProduct(float sum, uint16_t a, uint16_t b);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_MODEL_BF16SUMS_H
