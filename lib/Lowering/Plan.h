//===- Plan.h - The parts of a function that can be lowered -----*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_PLAN_H
#define ATTNC_LIB_LOWERING_PLAN_H

#include "KernelBlock.h"
#include "Signature.h"

namespace attnc::lowering {

/// One kernel between views of the function's arguments and results.
struct Plan {
  attn::KernelOp kernel;
  Signature signature;
  /// Of q, k and v.
  mlir::BlockArgument arguments[3];
  TensorDigits operands[3];
  /// Of the function's results; their buffers are filled in later.
  std::vector<BlockOutput> outputs;
  /// Of the function's arguments, then of its results.
  llvm::SmallVector<tile::BufType> buffers;
};

/// Checks everything that the lowering relies on; emits one error that says
/// what cannot be lowered, and why.
mlir::FailureOr<Plan> planFunction(mlir::func::FuncOp function);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_PLAN_H
