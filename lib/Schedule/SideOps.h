//===- SideOps.h - Schedule ops outside kernels -----------------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_SIDEOPS_H
#define ATTNC_LIB_SCHEDULE_SIDEOPS_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Target/Target.h"

namespace attnc::schedule {

/// Whether an op writes a tensor to memory that no kernel makes: what needs an
/// `attn.block`. Masks are formulas of their users, views are indices.
bool isSideOp(mlir::Operation *op);

/// The block of a side op on a level.
attn::BlockAttr chooseBlock(mlir::Operation *op, const Target &target);

/// What is wrong with the block of a side op, or an empty text.
std::string findProblem(mlir::Operation *op, attn::BlockAttr block,
                        const Target &target);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_SIDEOPS_H
