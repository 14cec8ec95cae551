//===- VisitedRows.h - Find rows that only kernels visit --------*- C++ -*-===//
//
// What is made of the rows of a cache has as many rows as the cache has room
// for, and a kernel visits those that its `ranges` name: the others need not be
// made. The same holds for what lies before a window. Which rows these are
// follows from the kernels that read a tensor, through views and through ops
// that go row by row.
//
// Tests: test/Schedule/visited-rows.test,
// test/Integration/layouts/visited-rows.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_KERNEL_VISITEDROWS_H
#define ATTNC_ANALYSIS_KERNEL_VISITEDROWS_H

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <array>

namespace attnc {

/// The keys of a kernel are rows of a tensor.
struct RowReader {
  attn::KernelOp kernel;
  /// Axes of the tensor that are b, h and g of the kernel, where it has them.
  /// Those that `ranges` depends on are there.
  std::array<std::optional<unsigned>, 3> axes;
  std::array<bool, 3> needed;
};

/// All that read a tensor, and the axis along which they visit rows.
struct VisitedRows {
  unsigned axis = 0;
  llvm::SmallVector<RowReader, 2> readers;
};

/// Of a function of stage fused or scheduled.
class VisitedRowsOf {
public:
  explicit VisitedRowsOf(mlir::func::FuncOp function);

  /// Null where something reads all rows.
  const VisitedRows *lookup(mlir::Value tensor) const;

private:
  std::optional<VisitedRows> find(mlir::Value tensor) const;
  std::optional<VisitedRows> findUse(mlir::OpOperand &use) const;

  llvm::DenseMap<mlir::Value, VisitedRows> found;
};

/// Letters of the result of an op that may leave out rows; empty for others.
std::string visitedLetters(mlir::Operation *op);

} // namespace attnc

#endif // ATTNC_ANALYSIS_KERNEL_VISITEDROWS_H
