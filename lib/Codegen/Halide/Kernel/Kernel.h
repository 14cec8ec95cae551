//===- Kernel.h - A kernel as a pipeline ------------------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KERNEL_H
#define ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KERNEL_H

#include "Step.h"

#include "attnc/Analysis/Kernel/ScoreFactors.h"
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

/// What keys before a chunk contribute to queries after them (form chunked).
struct ChunkStates {
  ScoreFactors factors;
  mlir::Attribute last;  // number of the last state
  mlir::Attribute group; // query heads of a KV head that have their own
  int64_t features = 0;  // of a state: whole vectors
  mlir::Attribute lanes; // the same; 0 if there is no state
  /// [b, h, g, number, column, feature]. Columns: the features of values, the
  /// sum of weights, and for each of the decays that features have of their own
  /// from where the state is measured.
  unsigned workspace = 0;
};

/// Adds the workspace of the states of a kernel with such factors.
ChunkStates planChunks(attn::KernelOp kernel, ScoreFactors factors,
                       FunctionPlan &plan);

/// What one pipeline computes of a kernel.
enum class KernelPart {
  Whole,  // all of it; on a device also where the keys are in parts
  States, // the state of a part of the keys
  Merge,  // the results of the states
  Chunks, // the states before chunks of keys
};

struct KernelJob {
  KernelPart part = KernelPart::Whole;
  const KeyParts *parts = nullptr;     // null: the keys are not split
  const ChunkStates *chunks = nullptr; // null: another form than chunked
};

/// Fills in `step`. Emits an error for what the backend does not support.
mlir::LogicalResult emitKernel(attn::KernelOp kernel, const FunctionPlan &plan,
                               Step &step, const KernelJob &job = {});

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KERNEL_H
