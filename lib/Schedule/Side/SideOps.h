//===- SideOps.h - Ops outside kernels that are scheduled -------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_SIDE_SIDEOPS_H
#define ATTNC_LIB_SCHEDULE_SIDE_SIDEOPS_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::schedule {

/// Whether an op writes a tensor to memory that no kernel makes: what needs an
/// `attn.block`. Masks are formulas of their users, views are indices.
bool isSideOp(mlir::Operation *op);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_SIDE_SIDEOPS_H
