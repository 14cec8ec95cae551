//===- ChunkStates.h - States: contributions of earlier chunks --*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_CHUNK_CHUNKSTATES_H
#define ATTNC_LIB_LOWERING_CHUNK_CHUNKSTATES_H

#include "Chunk/ChunkFactors.h"
#include "Kernel/SplitOperands.h"

namespace attnc::lowering {

/// The states of a kernel of form chunked: for each multiple r of the chunk
/// the matrix of features by values, and the vector of features for the sum, of
/// all keys before r.
class ChunkStates {
public:
  ChunkStates(ScoreFactors factors, KernelBlock &block)
      : formulas(std::move(factors), block), block(block),
        chunk(block.kernel.getSchedule()->getChunk()),
        terms(countTerms(block.accumulate,
                         block.kernel.getSchedule()->getTarget())) {}

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

  /// What the loop over chunks carries: a sum, and what rounding has lost of
  /// it. This is null where states are stored as terms, which have fewer bits.
  struct State {
    mlir::Value values, valuesLost, sums, sumsLost;

    llvm::SmallVector<mlir::Value> list() const;
    State withList(mlir::ValueRange list) const;
  };

  void emitSizes(mlir::OpBuilder &builder);
  void createBuffers(mlir::OpBuilder &builder);
  mlir::Value emitKeysBefore(mlir::OpBuilder &builder, mlir::Value seen);
  void emitWalk(mlir::OpBuilder &builder, StateWalk walk);
  State emitChunk(mlir::OpBuilder &builder, const StateWalk &walk,
                  mlir::Value k0, State state);
  mlir::Value emitRatio(mlir::OpBuilder &builder, const StateWalk &walk,
                        mlir::Value k0, mlir::Value next);
  State emitZeros(mlir::OpBuilder &builder, int64_t lanes);
  mlir::Value emitOperand(mlir::OpBuilder &builder, const StateWalk &walk,
                          mlir::Value row, mlir::Value k0, mlir::Value held);
  mlir::Value emitHeldKeys(mlir::OpBuilder &builder, const StateWalk &walk,
                           mlir::Value k0);
  mlir::Value emitWeights(mlir::OpBuilder &builder, const StateWalk &walk,
                          mlir::Value row, mlir::Value k0);
  mlir::Value emitFeatures(mlir::OpBuilder &builder, const StateWalk &walk,
                           mlir::Value row, mlir::Value k0);
  mlir::Value load(mlir::OpBuilder &builder, const StateWalk &walk,
                   const BlockBuffer &rows, tile::TileType type,
                   mlir::Value k0);
  void store(mlir::OpBuilder &builder, const State &state,
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
  /// Of states and of what multiplies them; 1: products of f32.
  int64_t terms;
  /// Where they are stored, features along the lanes; and where they are read.
  /// The matrices of values by their terms.
  llvm::SmallVector<mlir::Value, 2> storeValues, values;
  mlir::Value storeSums, sums;
  mlir::Value count, whole; // of states; keys before the last one
  mlir::Value needed;       // 1, or 0 if there are too few queries
  // Of a block of the kernel's grid:
  mlir::Value first, number, visible;
};

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_CHUNK_CHUNKSTATES_H
