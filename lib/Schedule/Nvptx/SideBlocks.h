//===- SideBlocks.h - Blocks of ops outside kernels on GPUs -----*- C++ -*-===//
//
// Tests: test/Schedule/Nvptx/products.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_NVPTX_SIDEBLOCKS_H
#define ATTNC_LIB_SCHEDULE_NVPTX_SIDEBLOCKS_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Target/Target.h"

#include <string>

namespace attnc::schedule::nvptx {

/// The block of an op for which `isSideOp` holds.
attn::BlockAttr chooseBlock(mlir::Operation *op, const Target &target);

/// A block of a product for the fewest rows that `expect` lists, if it is
/// smaller.
llvm::SmallVector<attn::CaseAttr>
chooseCases(mlir::Operation *op, attn::BlockAttr block, const Target &target);

/// Why the op cannot have the block, or nothing.
std::string findProblem(mlir::Operation *op, attn::BlockAttr block,
                        const Target &target);

} // namespace attnc::schedule::nvptx

#endif // ATTNC_LIB_SCHEDULE_NVPTX_SIDEBLOCKS_H
