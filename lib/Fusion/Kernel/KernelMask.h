//===- KernelMask.h - Convert the mask of a graph to a kernel's -*- C++ -*-===//
//
// A mask of indices and tables is the region `mask` of a kernel, from which its
// ranges follow. Where a mask depends on products of queries and keys, that
// part is the region `select`:
//
//   %m = attn.mask "bhgqk" {k <= q}
//   %w = attn.map "bhgqk,bhgqk->bhgqk"(%s, %m) {%m and %s > 0}
//
// Tests: test/Fusion/fuse-kernel-select.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_KERNEL_KERNELMASK_H
#define ATTNC_LIB_FUSION_KERNEL_KERNELMASK_H

#include "Kernel/KernelMatch.h"

namespace attnc::fusion {

/// Whether the mask (which may be null) depends on one of the products.
bool isOfProducts(mlir::Value mask, llvm::ArrayRef<PairProduct> products);

/// The regions `mask` and `select` of a kernel, of a mask with the kernel's
/// `letters`; a null one allows all.
void buildMask(mlir::OpBuilder &builder, attn::KernelOp kernel,
               mlir::Value mask, llvm::StringRef letters,
               llvm::ArrayRef<PairProduct> products);

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_KERNEL_KERNELMASK_H
