//===- LeastValue.h - Lower bounds and growth of formulas -------*- C++ -*-===//
//
// Tests: test/Fusion/reorder-products.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_KERNEL_LEASTVALUE_H
#define ATTNC_LIB_FUSION_KERNEL_LEASTVALUE_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::fusion {

/// A number that no element of `tensor` is below, as its maps round it; minus
/// infinity if none is known. NaN elements do not count.
double leastOf(mlir::Value tensor);

/// The same of what a region yields whose arguments may be anything.
double leastOf(mlir::Region &region);

/// Whether the elements of `tensor` are at most as large as those of the inputs
/// of its maps, but for constants: elu(x) + 1 and sigmoids are, exp(x) and
/// products of two inputs are not.
bool growsLinearly(mlir::Value tensor);

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_KERNEL_LEASTVALUE_H
