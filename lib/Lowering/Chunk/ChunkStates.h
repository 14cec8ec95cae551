//===- ChunkStates.h - States: contributions of earlier chunks --*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_CHUNK_CHUNKSTATES_H
#define ATTNC_LIB_LOWERING_CHUNK_CHUNKSTATES_H

#include "Chunk/ChunkFactors.h"

namespace attnc::lowering {

/// The states of a kernel of form chunked: for each multiple r of the chunk
/// the matrix of features by values, and the vector of features for the sum, of
/// all keys before r.
class ChunkStates {
public:
  ChunkStates(ScoreFactors factors, KernelBlock &block)
      : formulas(std::move(factors), block), block(block),
        chunk(block.kernel.getSchedule()->getChunk()) {}

  /// The grid that makes them; it stands before the kernel's own.
  mlir::LogicalResult emitGrid(mlir::OpBuilder &builder, Storage &storage);

  /// In the kernel's grid: finds the state from which the block starts. To be
  /// called before the others below.
  void emitStart(mlir::OpBuilder &builder);
  /// The first key that the block visits itself.
  mlir::Value getFirstKey() const { return first; }
  /// o and l after the keys before that.
  SoftmaxState emitInitial(mlir::OpBuilder &builder, mlir::Value query,
                           SoftmaxState empty);

private:
  /// One instance of the grid of the states: some features of one head.
  struct StateWalk {
    BlockBuffer keys; // with features along the lanes
    llvm::SmallVector<mlir::Value> bhg;
    mlir::Value d0, valid; // the first feature; how many, if not all lanes
    int64_t lanes = 0;
    mlir::IRMapping score, feature, mask; // what is known of the head
    mlir::Value visible;                  // keys that row 0 sees
  };

  void emitSizes(mlir::OpBuilder &builder);
  void createBuffers(mlir::OpBuilder &builder);
  mlir::Value emitKeysBefore(mlir::OpBuilder &builder, mlir::Value seen);
  void emitWalk(mlir::OpBuilder &builder, StateWalk walk);
  llvm::SmallVector<mlir::Value> emitChunk(mlir::OpBuilder &builder,
                                           const StateWalk &walk,
                                           mlir::Value k0,
                                           mlir::ValueRange state);
  mlir::Value emitRatio(mlir::OpBuilder &builder, const StateWalk &walk,
                        mlir::Value k0, mlir::Value next);
  mlir::Value emitHeldKeys(mlir::OpBuilder &builder, const StateWalk &walk,
                           mlir::Value k0);
  mlir::Value emitWeights(mlir::OpBuilder &builder, const StateWalk &walk,
                          mlir::Value row, mlir::Value k0);
  mlir::Value emitFeatures(mlir::OpBuilder &builder, const StateWalk &walk,
                           mlir::Value row, mlir::Value k0);
  mlir::Value load(mlir::OpBuilder &builder, const StateWalk &walk,
                   const BlockBuffer &rows, tile::TileType type,
                   mlir::Value k0);
  void store(mlir::OpBuilder &builder, mlir::ValueRange state,
             const StateWalk &walk, mlir::Value number);
  llvm::SmallVector<mlir::Value> places(mlir::ValueRange bhg,
                                        mlir::Value number) const;
  mlir::Value emitFactors(mlir::OpBuilder &builder, mlir::Value row,
                          mlir::Value key);
  mlir::Value emitFeatures(mlir::OpBuilder &builder, mlir::Value query);
  llvm::SmallVector<mlir::Value> emitFromState(mlir::OpBuilder &builder,
                                               mlir::Value query,
                                               SoftmaxState empty);

  ChunkFactors formulas;
  KernelBlock &block;
  int64_t chunk;
  /// Where they are stored, features along the lanes; and where they are read.
  mlir::Value storeValues, storeSums, values, sums;
  mlir::Value count, whole; // of states; keys before the last one
  mlir::Value needed;       // 1, or 0 if there are too few queries
  // Of a block of the kernel's grid:
  mlir::Value first, number, visible;
};

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_CHUNK_CHUNKSTATES_H
