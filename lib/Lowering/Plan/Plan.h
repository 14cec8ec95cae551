//===- Plan.h - What can be lowered -----------------------------*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_PLAN_PLAN_H
#define ATTNC_LIB_LOWERING_PLAN_PLAN_H

#include "Plan/Scope.h"
#include "Plan/Signature.h"

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::lowering {

/// One block, whose arguments and results are tensors that a program can take.
mlir::LogicalResult checkForm(mlir::func::FuncOp function);

/// Every op has a lowering and its decisions, and all sizes are known. Each of
/// these emits one error that says what cannot be lowered, and why.
mlir::LogicalResult checkFunction(mlir::func::FuncOp function,
                                  const Signature &signature);

/// Formulas read elements whose places can be computed.
mlir::LogicalResult checkReads(mlir::func::FuncOp function, const Scope &scope);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_PLAN_PLAN_H
