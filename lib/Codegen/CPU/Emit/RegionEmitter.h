//===- RegionEmitter.h - A scalar region for rows and lanes -----*- C++ -*-===//
//
// Evaluates the region of a map or select_masked for all places of a granule.
// Each value is computed as often as it differs: once, once per row, once per
// vector of queries, or for each pair.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_REGIONEMITTER_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_REGIONEMITTER_H

#include "Emit/Emitter.h"

#include "attnc/Codegen/Common/IndexRange.h"

#include "llvm/ADT/SetVector.h"

namespace attnc::cpu {

/// One value of a region at one place. Integers that are linear in the lane
/// stay `value + offset + stride * lane` with a scalar `value` as long as they
/// can, so that a mask costs one compare per vector.
struct LaneValue {
  Value value;
  int64_t stride = 0, offset = 0;
  bool vector = false;

  bool onLanes() const { return vector || stride != 0; }
};

/// Integers that a region uses and does not compute, but no constants.
llvm::SetVector<Value> outsideIntegers(Block &region);

/// Whether an op of a region is a function of one number in many instructions.
bool isLongFunction(Operation *op);

class RegionEmitter {
public:
  RegionEmitter(Emitter &emitter, Granule &granule)
      : emitter(emitter), granule(granule), ops(emitter.ops) {}

  /// Binds an argument to the elements of a tile.
  void bindElements(Value argument, Value tile);
  /// Binds an argument to a vector for each vector of queries.
  void bindVectors(Value argument, mlir::ArrayRef<Value> vectors);
  /// Binds an argument to a scalar for each row (or one for all).
  void bindScalars(Value argument, mlir::ArrayRef<Value> rows);
  /// Binds an argument to one place that is the same everywhere.
  void bindPosition(Value argument, Value place);
  /// Binds an argument to the places along `dim`, the first of which is `at`.
  void bindPositions(Value argument, StringAttr dim, Value at);
  /// Integers from outside are near 0, as code has checked.
  void assumeNear(Block &region);
  /// Binds positions of the term of a product, for element `n` of its sum.
  void bindTermPositions(tile::DotOp dot, Value n);
  /// Binds what its reads have copied to scratch (TermReads.cpp).
  void bindTermReads(tile::DotOp dot, Value n);
  /// Copies what terms of a nest read by query, for one vector of queries.
  static void copyTermReads(Emitter &emitter, const Item &item, Window window);
  /// Evaluates the ops of the region whose results are not bound.
  void run(Block &region);
  /// The value that the region yields for each row and vector of `space`.
  SmallVector<Value> results(Value yielded, Space space);

private:
  /// On what a value depends.
  enum { kOnRows = 1, kOnLanes = 2 };
  struct Entry {
    unsigned depends = 0;
    SmallVector<LaneValue> places;
  };

  Entry &entryOf(Value value);
  LaneValue at(Value value, int64_t row, int64_t vector);
  void evaluate(Operation *op);
  LaneValue emit(Operation *op, SmallVector<LaneValue> operands);
  LaneValue emitScalar(Operation *op, mlir::ArrayRef<LaneValue> operands);
  LaneValue emitVector(Operation *op, mlir::ArrayRef<LaneValue> operands);
  LaneValue emitInteger(Operation *op, mlir::ArrayRef<LaneValue> operands);
  std::optional<LaneValue> emitLinear(Operation *op,
                                      mlir::ArrayRef<LaneValue> operands);
  std::optional<LaneValue> emitLinearCompare(mlir::arith::CmpIOp op,
                                             LaneValue a, LaneValue b);
  LaneValue emitRead(tile::ReadOp read, mlir::ArrayRef<LaneValue> indices);
  /// Reads a table by query and key for the whole granule, or says that it is
  /// none (ReadTransposed.cpp).
  bool emitReadRows(tile::ReadOp read);
  struct RowsRead {
    unsigned key, query; // axes of the table
    Value firstKey, firstQuery;
  };
  Value isDirect(const Buffer &buffer, const RowsRead &read);
  SmallVector<Value> loadPieces(const Buffer &buffer, Value start,
                                Value queryStride);
  void fetchNextTile(const Buffer &buffer, Value start, Value queryStride);
  std::optional<unsigned> keyAxis(tile::ReadOp read);
  bool isConsecutive(Value value);
  std::optional<unsigned> contiguousAxis(tile::ReadOp read,
                                         mlir::ArrayRef<LaneValue> indices);
  static void copyTermRead(Emitter &emitter, tile::DotOp dot, tile::ReadOp read,
                           const Item &item, Window window);
  Value readSmallTable(const SmallTable &table, Value places);
  Value gather(tile::ReadOp read, mlir::ArrayRef<LaneValue> indices);

  /// `value` as a scalar that is not linear in the lane.
  Value scalar(LaneValue value);
  /// `value` in lanes; integers with `bits` bits.
  Value lanes(LaneValue value, unsigned bits = 0);
  unsigned bitsFor(Value value);
  /// A value in the accumulator's type, rounded as an op says.
  Value roundBy(mlir::arith::TruncFOp op, Value value);

  Emitter &emitter;
  Granule &granule;
  Ops &ops;
  codegen::IndexRanges ranges;
  llvm::DenseMap<Value, Entry> entries;
  /// Positions along the nest's dim: one more in each row of the granule.
  llvm::DenseSet<Value> positions;
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_REGIONEMITTER_H
