//===- SideOps.h - Ops outside kernels as pipelines -------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_SIDE_SIDEOPS_H
#define ATTNC_LIB_CODEGEN_HALIDE_SIDE_SIDEOPS_H

#include "Step.h"

namespace attnc::halide {

/// Fills in `step`. Emits an error for what the backend does not support.
mlir::LogicalResult emitSideOp(mlir::Operation *op, const FunctionPlan &plan,
                               Step &step);

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_SIDE_SIDEOPS_H
