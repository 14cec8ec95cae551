//===- Kernel.h - A kernel as a pipeline ------------------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KERNEL_H
#define ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KERNEL_H

#include "Step.h"

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::halide {

/// Fills in `step`. Emits an error for what the backend does not support.
mlir::LogicalResult emitKernel(attn::KernelOp kernel, const FunctionPlan &plan,
                               Step &step);

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KERNEL_H
