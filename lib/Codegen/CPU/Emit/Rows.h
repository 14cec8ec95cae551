//===- Rows.h - Buffers and rows that code is emitted for -------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_ROWS_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_ROWS_H

#include "Ops.h"
#include "Plan/Granule.h"

namespace attnc::cpu {

using mlir::SmallVector;
using mlir::StringAttr;
using mlir::Type;
using mlir::Value;

/// An argument of the program. Strides are in elements.
struct Buffer {
  Type element;
  Value data;
  SmallVector<Value> strides, extents;
};

/// Rows of K or V as a dot reads them: element (r, c) is at
/// `pointer + r * rowStride + c`.
struct Rows {
  Value pointer, rowStride;
  StringAttr row, column;
  Type element; // the accumulator's type, or the tensor's
  /// For the matrix unit the copy of all rows from `firstCopied` on; null: none
  /// but what `pointer` is.
  Value copy = {}, copyStride = {}, firstCopied = {};
  /// Of lanes that may be read in place (Plan::streamed) the end of those that
  /// can be: lane `l` of row `r` is at `pointer + r * rowStride + l`.
  Value endOfLanes = {};
  /// Of rows in blocks (isBlocked) the elements from one block to the next.
  Value blockStride = {};
  /// Of rows in pages that products of few queries read in place the elements
  /// from `pointer` to every kKeysOfFew rows, in scratch (Plan::pageOffsets).
  Value offsets = {};
};

/// Of a buffer with merged axes (tile.rename) the heads whose queries are the
/// rows, and the first row of a block. One head: the axes are not merged.
struct MergedRows {
  int64_t group = 1;
  Value first = {}, headStride = {};

  /// From the first query of the first head, or else the block's first row, to
  /// row `row` of the block.
  Value offsetOf(Ops &ops, Value row, Value rowStride) const;
};

/// Rows of a block's queries that are stored or loaded later, or as many rows
/// of keys.
struct RowsAhead {
  Value pointer, stride; // in elements
  Type element;
  int64_t columns;
  MergedRows merged;
  bool isStored = false; // else loaded
};

/// Rows of keys that a product of few queries prefetches: of each load the
/// share `number` of `count` equal ones of the next `step` keys.
struct Streams {
  SmallVector<tile::LoadOp> loads;
  int64_t number = 0, count = 1, step = 0;
};

/// Elements of a line of cache.
int64_t lineElements(Type element);
/// Starts to fetch a row into the cache of this level.
void fetchRow(Ops &ops, Type element, Value row, int64_t columns,
              int64_t level);

/// A row of a tile of rows between a tensor and scratch.
struct RowCopy {
  Type element, copied; // of the tensor and of the copy
  Value from, to;
  Value columnStride, columnCount;
  Value unit; // the columns follow each other
  int64_t columns;
};

/// The operand of a dot without lanes: pointers to its rows or columns of a
/// granule.
struct Broadcasts {
  SmallVector<Value> pointers; // one per row of the granule
  Value step;                  // elements from one of the sum to the next
};

/// Rows past `extent` (null: all exist) are replaced by the last one.
Broadcasts broadcastsOf(Ops &ops, const Rows &rows, StringAttr free,
                        const Granule &granule, Value extent, Type element);

/// Keys of a partial tile, counted from its first one.
struct KeyRange {
  Value begin, end;
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_ROWS_H
