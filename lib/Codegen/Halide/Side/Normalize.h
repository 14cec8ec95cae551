//===- Normalize.h - Softmax of stored scores as a pipeline -----*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_SIDE_NORMALIZE_H
#define ATTNC_LIB_CODEGEN_HALIDE_SIDE_NORMALIZE_H

#include "Step.h"

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::halide {

/// Fills in `step`. Emits an error for what the backend does not support.
mlir::LogicalResult emitNormalize(attn::NormalizeOp op,
                                  const FunctionPlan &plan, Step &step);

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_SIDE_NORMALIZE_H
