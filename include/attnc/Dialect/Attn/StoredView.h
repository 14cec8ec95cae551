//===- StoredView.h - Results stored in the layout of a view ----*- C++ -*-===//
//
// A result that a later op reads is stored in a workspace, in the order of its
// axes. If a view of it has attn.stored, the workspace has the axes of the view
// instead, and the op that makes the result stores it there:
//
//   %o, ... = attn.kernel ...                      b h g q e
//   %m = attn.view "bhgqe->bq(hge)" %o {attn.stored}
//
// Readers of the view then see one axis. Schedule decides it
// (lib/Schedule/MergeSums.cpp), Lowering obeys (lib/Lowering/Plan/Storage.cpp).
// Tests: test/Schedule/Cpu/merge-sums.mlir, test/Lowering/stored-views.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_STOREDVIEW_H
#define ATTNC_DIALECT_ATTN_STOREDVIEW_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::attn {

/// Decision: the result of a view is a tensor of its own in memory.
inline constexpr llvm::StringLiteral kStored = "attn.stored";

inline bool isStoredView(mlir::Operation *op) {
  return llvm::isa_and_present<ViewOp>(op) && op->hasAttr(kStored);
}

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_STOREDVIEW_H
