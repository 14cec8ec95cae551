//===- SideBlocks.h - Blocks of ops outside kernels -------------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_CPU_SIDEBLOCKS_H
#define ATTNC_LIB_SCHEDULE_CPU_SIDEBLOCKS_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Target/Target.h"

namespace attnc::schedule::cpu {

/// The block of a side op on a processor.
attn::BlockAttr chooseBlock(mlir::Operation *op, const Target &target);

/// Its blocks for other sizes: those of a product for few rows.
llvm::SmallVector<attn::CaseAttr>
chooseCases(mlir::Operation *op, attn::BlockAttr block, const Target &target);

/// Which unit computes a product of bf16 operands, if the target has one for
/// them, as a sentence; otherwise an empty text.
std::string explainUnit(mlir::Operation *op, attn::BlockAttr block,
                        const Target &target);

/// What is wrong with the block of a side op, or an empty text.
std::string findProblem(mlir::Operation *op, attn::BlockAttr block,
                        const Target &target);

} // namespace attnc::schedule::cpu

#endif // ATTNC_LIB_SCHEDULE_CPU_SIDEBLOCKS_H
