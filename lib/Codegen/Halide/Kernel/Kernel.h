//===- Kernel.h - A kernel as a pipeline ------------------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KERNEL_H
#define ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KERNEL_H

#include "Step.h"

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::halide {

/// The keys of a kernel in parts, which are tasks of their own (`split` of the
/// schedule).
struct KeyParts {
  mlir::Attribute length; // keys of a part, a multiple of `k`
  mlir::Attribute count;
  /// On CPUs, the workspaces of the states of parts: sums of values [b, h, g,
  /// part, q, e], maxima and sums of weights [b, h, g, part, q].
  unsigned values = 0, maxima = 0, sums = 0;
};

/// The parts of a kernel whose schedule has a `split`. Adds their workspaces to
/// the plan of a function for CPUs.
KeyParts planParts(attn::KernelOp kernel, FunctionPlan &plan);

/// What one pipeline computes of a kernel.
enum class KernelPart {
  Whole,  // all of it; on a device also where the keys are in parts
  States, // the state of a part of the keys
  Merge,  // the results of the states
};

/// Fills in `step`; `parts` is null where the keys are not split. Emits an
/// error for what the backend does not support.
mlir::LogicalResult emitKernel(attn::KernelOp kernel, const FunctionPlan &plan,
                               Step &step, KernelPart part = KernelPart::Whole,
                               const KeyParts *parts = nullptr);

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KERNEL_H
