//===- GroupedRows.h - Pack grouped query heads into rows -------*- C++ -*-===//
//
// The query heads of a group differ in nothing but the query, so a kernel can
// compute them as rows of one block (`row_axes = gq` of #attn.schedule): row
// q * n + g is query q of head g of n. Rows of one position follow each other,
// so that blocks of rows stay blocks of positions and the mask's ranges stay
// tight.
//
// Tests: test/Schedule/grouped-rows.mlir, test/Lowering/grouped-rows.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_KERNEL_GROUPEDROWS_H
#define ATTNC_ANALYSIS_KERNEL_GROUPEDROWS_H

#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/Attn.h"

namespace attnc {

/// The query heads per KV head, or 1 if their number is not fixed.
int64_t groupOf(attn::KernelOp kernel);

/// Why the heads of a group cannot be rows, or an empty text.
/// With `mayStore`, queries behind a view that spaces them unevenly are none:
/// they can be stored first.
llvm::StringRef whyNotGrouped(attn::KernelOp kernel, bool mayStore = false);

/// Rewrites the regions of a kernel for rows q * n + g: arguments that were the
/// query are the row, those that were the head of the group are 0.
void mergeRowsOfRegions(attn::KernelOp kernel, int64_t group);

/// Digits of a tensor with axes b, h, g, q, ... for rows q * n + g: where g was
/// the digit is 0, and `heads` is that axis. Nothing if the heads of a group
/// are not adjacent along their axis, or rows are found through a table.
struct MergedDigits {
  TensorDigits digits;
  int64_t rows;                 // the axis of q
  std::optional<int64_t> heads; // the axis of g, if there is one
};
std::optional<MergedDigits> mergeDigits(const TensorDigits &digits);

/// A copy of a kernel whose rows are those of all heads of a group, as its own
/// axis of size q * n, for analyses. It is erased in the end.
class MergedKernel {
public:
  explicit MergedKernel(attn::KernelOp kernel);
  ~MergedKernel();
  MergedKernel(const MergedKernel &) = delete;
  MergedKernel &operator=(const MergedKernel &) = delete;

  attn::KernelOp get() const { return merged; }

private:
  mlir::Value mergeRows(mlir::OpBuilder &builder, mlir::Value rows);

  attn::KernelOp merged;
  llvm::SmallVector<mlir::Operation *> casts;
  int64_t group;
};

} // namespace attnc

#endif // ATTNC_ANALYSIS_KERNEL_GROUPEDROWS_H
