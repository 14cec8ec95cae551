//===- KeyParts.h - Parts of the keys and their states ----------*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_KERNEL_KEYPARTS_H
#define ATTNC_LIB_LOWERING_KERNEL_KEYPARTS_H

#include "Kernel/KernelBlock.h"

namespace attnc::lowering {

/// The keys of a kernel in parts, and workspaces for the state of each part.
class KeyParts {
public:
  /// Computes the size of parts and makes the workspaces, before any grid.
  KeyParts(mlir::OpBuilder &builder, KernelBlock &block);

  /// Parts of the longest sequence that is possible.
  mlir::Value getCount() const { return count; }
  /// Makes `block` one that merges a single row, with its features along q.
  void layAlongFeatures(KernelBlock &block, tile::ProgramOp program);
  /// In the grid of the parts: the keys of part `number`. Of ragged keys,
  /// continues in a branch for parts that have some.
  void emitStart(mlir::OpBuilder &builder, KernelBlock &block,
                 mlir::Value number);
  void emitStore(mlir::OpBuilder &builder, KernelBlock &block,
                 const SoftmaxState &state, mlir::Value number);
  /// In the grid after that: the state of all keys.
  SoftmaxState emitMerged(mlir::OpBuilder &builder, KernelBlock &block);

private:
  llvm::SmallVector<mlir::Value> places(mlir::OpBuilder &builder,
                                        KernelBlock &block,
                                        mlir::Value number) const;
  SoftmaxState emitLoad(mlir::OpBuilder &builder, KernelBlock &block,
                        mlir::Value number);
  SoftmaxState emitMergedTile(mlir::OpBuilder &builder, KernelBlock &block,
                              const KeyTile &parts, const SoftmaxState &state);
  SoftmaxState emitMergedRow(mlir::OpBuilder &builder, KernelBlock &block);

  mlir::Value length, count; // of parts
  SoftmaxState spaces;       // workspaces of o, m and l
  mlir::Value alongFeatures; // that of o, whose features are dim q
  bool ragged;               // queries: their rows are those of all sequences
};

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_KERNEL_KEYPARTS_H
