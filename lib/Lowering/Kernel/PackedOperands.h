//===- PackedOperands.h - Store operands for a matrix unit ------*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_KERNEL_PACKEDOPERANDS_H
#define ATTNC_LIB_LOWERING_KERNEL_PACKEDOPERANDS_H

#include "Kernel/KernelBlock.h"

namespace attnc::lowering {

/// Elements along the summed dim of a row of a matrix unit's register.
inline constexpr int64_t kPackedDepth = 32;

/// Grids that store operands of a kernel in workspaces as a matrix unit reads
/// them, from where the kernel then loads them: what its schedule packs.
mlir::LogicalResult storePackedOperands(mlir::OpBuilder &builder,
                                        KernelBlock &block, Storage &storage);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_KERNEL_PACKEDOPERANDS_H
