//===- TaskBlock.h - What one task computes of a tensor ---------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_SIDE_TASKBLOCK_H
#define ATTNC_LIB_CODEGEN_HALIDE_SIDE_TASKBLOCK_H

#include "Tasks.h"

namespace attnc::halide {

/// A task has the whole last axis of a tensor and up to 32 indices of the one
/// before; further axes are coordinates of the task. Where an axis is scanned,
/// a task has the whole of that one and up to 16 indices of the last axis.
class TaskBlock {
public:
  /// Adds the coordinates to the grid of `step`.
  TaskBlock(mlir::Value tensor, Step &step, Tensors &tensors,
            std::optional<unsigned> scanned = std::nullopt);

  /// Minima and extents of x, along the last axis, and y.
  llvm::ArrayRef<std::pair<Ex, Ex>> getDims() const { return dims; }
  /// On a device followed by those of the task: the dimensions of a store.
  llvm::SmallVector<std::pair<Ex, Ex>> storedDims();
  /// Begins the formulas of a store over domain `domain`: they are for its
  /// task.
  void beginStore(llvm::StringRef domain);
  /// On a device, whether x and y are in the task, whose extent is not known to
  /// the dimensions.
  llvm::SmallVector<Ex> storedWhere(Ex x, Ex y);
  /// Functions of the task; see Tasks.
  Tasks &getTasks() { return tasks; }
  /// The indices in the tensor of an element of the block.
  llvm::SmallVector<Ex> indicesOf(Ex x, Ex y);
  /// The number of x and y of the element at these indices.
  std::pair<Ex, Ex> placeOf(llvm::ArrayRef<Ex> indices);
  /// Whether the scanned axis is that of x.
  bool scansLastAxis() const { return scanned && *scanned + 1 == rank; }
  /// Scratch of a function that has the block's elements.
  void reserve() const;

private:
  bool hasBlock(unsigned axis) const;

  mlir::Value tensor;
  Step &step;
  Builder &b;
  Tensors &tensors;
  Tasks tasks;
  unsigned rank;
  std::optional<unsigned> scanned, rows;
  llvm::SmallVector<std::pair<Ex, Ex>> dims;
};

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_SIDE_TASKBLOCK_H
