//===- Block2D.h - A block of a tensor as rows and columns ------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_PLAN_BLOCK2D_H
#define ATTNC_LIB_CODEGEN_CPU_PLAN_BLOCK2D_H

#include "Emit/Emitter.h"

namespace attnc::cpu {

/// Rows of a tensor: queries (or keys) times one other dim.
struct Emitter::Block2D {
  Type element;
  Value data; // the element at the first row and column; see `merged`
  Value rowStride, columnStride;
  Value rowCount, columnCount; // valid ones
  int64_t columns = 1;         // of the tile
  MergedRows merged = {};

  /// From `data` to the start of a row.
  Value rowOffset(Ops &ops, Value row) const {
    return merged.offsetOf(ops, row, rowStride);
  }
};

/// Keys from those that a grid packs to those that it prefetches.
inline constexpr int64_t kKeysAhead = 32;

/// Whether elements of queries may follow each other in memory: in tensors
/// whose last axis lies along the lanes.
bool mayFollow(Value buf);
/// The same of what a load reads: 8-bit integers, too, that stand for floats.
bool mayFollow(tile::LoadOp load);

/// Finds the panel that operand B of the matrix unit reads (isPanel).
void emitPanel(Emitter &emitter, tile::LoadOp load);

/// Whether `count` rows from `first` on are valid and follow each other in
/// memory.
Value followInMemory(Ops &ops, const Emitter::Block2D &block, Value first,
                     int64_t count);

/// Half `half` (0: the lower one) of each 32-bit lane of one or two vectors.
Value halvesOf(Ops &ops, llvm::ArrayRef<Value> vectors, int64_t half);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_PLAN_BLOCK2D_H
