//===- KeyWalk.h - Iteration over a kernel's keys ---------------*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_KERNEL_KEYWALK_H
#define ATTNC_LIB_LOWERING_KERNEL_KEYWALK_H

#include "Kernel/KernelBlock.h"

namespace attnc::lowering {

/// The regions `ranges` and `classify` of a kernel for one block of queries.
class KeyWalk {
public:
  /// Computes what is known before the loop: the segments, and the parts of
  /// `classify` that do not depend on the keys of a tile, so that a table is
  /// searched for the queries once.
  KeyWalk(mlir::OpBuilder &builder, KernelBlock &block);
  /// These segments, whatever the regions say.
  explicit KeyWalk(llvm::ArrayRef<mlir::Value> segments) : segments(segments) {}

  /// Leaves out keys before `first`.
  void startAt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value first);

  /// Leaves out keys outside [first, end).
  void clamp(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value first,
             mlir::Value end);

  /// The keys that the loop leaves out, as segments; all keys where `classify`
  /// leaves out some more.
  llvm::SmallVector<mlir::Value> emitGaps(mlir::OpBuilder &builder,
                                          KernelBlock &block) const;

  /// Gives `loop` its region `classify`, if the kernel has one.
  void emitClassify(mlir::OpBuilder &builder, KernelBlock &block,
                    tile::ForOp loop) const;

  /// Bounds of tile.for; without `ranges` all keys, all of them masked if there
  /// is a mask.
  llvm::SmallVector<mlir::Value> segments;
  /// `within` of tile.for, or nothing.
  llvm::SmallVector<mlir::Value> within;

private:
  bool classifies = false;
  mlir::IRMapping classified;
};

/// Loops over the segments; `body` gives the values after a tile.
llvm::SmallVector<mlir::Value>
emitLoop(mlir::OpBuilder &builder, KernelBlock &block, const KeyWalk &walk,
         mlir::ValueRange inits,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(
             mlir::OpBuilder &, const KeyTile &, mlir::ValueRange)>
             body);

/// So many turns, one after the other; `body` gives the values after one.
llvm::SmallVector<mlir::Value> emitPasses(
    mlir::OpBuilder &builder, mlir::Location loc, unsigned passes,
    mlir::ValueRange inits,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> body);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_KERNEL_KEYWALK_H
