//===- TransposedValues.h - Values in blocks of keys ------------*- C++ -*-===//
//-*-===//

#ifndef ATTNC_LIB_LOWERING_KERNEL_TRANSPOSEDVALUES_H
#define ATTNC_LIB_LOWERING_KERNEL_TRANSPOSEDVALUES_H

#include "Kernel/KernelBlock.h"

namespace attnc::lowering {

/// Keys of a block of values that are stored transposed.
inline constexpr int64_t kKeysOfBlock = 32;

/// A grid that stores the values of a kernel in a workspace, for blocks of keys
/// the keys of a feature contiguously, from where the kernel then loads them.
mlir::LogicalResult storeTransposedValues(mlir::OpBuilder &builder,
                                          KernelBlock &block, Storage &storage);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_KERNEL_TRANSPOSEDVALUES_H
