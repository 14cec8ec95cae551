//===- Kernel.h - A kernel as a pipeline ------------------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_KERNEL_H
#define ATTNC_LIB_CODEGEN_HALIDE_KERNEL_H

#include "Step.h"

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::halide {

/// The function of the module that is exp2, exp or log2 of a scalar, after its
/// expansion: "attnc.exp2.f32".
std::string nameOfMath(llvm::StringRef function, mlir::Type type);

/// Fills in `step`. Emits an error for what the backend does not support.
mlir::LogicalResult emitKernel(attn::KernelOp kernel, const FunctionPlan &plan,
                               Step &step);

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_KERNEL_H
