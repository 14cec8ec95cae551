//===- LinearSums.h - Costs and types of reordered sums ---------*- C++ -*-===//
//
// What the sums of linear attention cost in both orders, and how precise they
// have to be (see ReorderProducts.cpp).
// Tests: test/Fusion/reorder-products.mlir, test/Fusion/split-linear.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_KERNEL_LINEARSUMS_H
#define ATTNC_LIB_FUSION_KERNEL_LINEARSUMS_H

#include "Kernel/LinearMatch.h"

namespace attnc::fusion {

/// Multiply-additions at the sizes that are expected.
struct LinearCosts {
  double pairs = 0, linear = 0;
};
LinearCosts costsOf(const LinearMatch &match);

/// The most keys of which the quadratic form takes no more multiply-additions
/// than the other one, however many queries there are: for F features of the
/// scores and E of the values F E / (F + E). 0 if these are not fixed.
int64_t fewKeysOf(const LinearMatch &match);

/// The type in which scores and weights are computed.
mlir::Type accumulateTypeOf(const LinearMatch &match);

/// Whether no sums cancel, in the type of the tensors, and those over keys are
/// about as large as what they are of: exp(80) over 4096 keys is no f32.
bool mayBeNarrow(const LinearMatch &match, mlir::Value query, mlir::Value key,
                 mlir::Value values);

/// With so many keys the weights of the plain formula are rounded as much as
/// sums of f32 over features.
inline constexpr int64_t kLeastKeysOfNarrow = 8;

/// Whether sums over features may be narrow where those over keys may be: all
/// calls have enough keys, the result has 16 bits, or there is no quotient of
/// sums in which the errors of a single key would cancel.
bool mayNarrowFeatures(const LinearMatch &match);

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_KERNEL_LINEARSUMS_H
