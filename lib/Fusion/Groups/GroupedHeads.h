//===- GroupedHeads.h - Decide whether to pack grouped heads --------------===//
//
// What attn-merge-groups can do, and what it is worth at given sizes.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_GROUPS_GROUPEDHEADS_H
#define ATTNC_LIB_FUSION_GROUPS_GROUPEDHEADS_H

#include "attnc/Analysis/Regime/Regimes.h"
#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc::fusion {

/// A tensor behind its views and slices.
struct ViewedRows {
  mlir::Value source;
  llvm::SmallVector<mlir::Operation *> views; // from the tensor to the source
};
ViewedRows skipViews(mlir::Value rows);

/// The places of b, h, g, q among the arguments of a region of a kernel: that
/// of g.
unsigned groupArgument(attn::KernelOp kernel, mlir::Region &region);

/// The kernels of a function whose KV heads serve several query heads each, as
/// many as the type says.
llvm::SmallVector<attn::KernelOp> findGroupedKernels(mlir::func::FuncOp f);

/// Why heads of a group cannot be rows; empty: they can.
llvm::StringRef findGroupObstacle(attn::KernelOp kernel);

/// Cycles that the products of the kernel take, with heads of a group as rows
/// of one block or one by one. Greater than 0.
double groupCycles(attn::KernelOp kernel, bool areRows, const Regime &at,
                   const Target &target);

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_GROUPS_GROUPEDHEADS_H
