//===- Emitter.h - From a planned grid body to loops ------------*- C++ -*-===//
//
// Writes the loops of one copy of a grid's body, on 1-D vectors loaded through
// pointers. What goes where is decided by the Plan; copies of a loop body
// differ in a Window (vectors of queries) and in the extents of the dims.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_EMITTER_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_EMITTER_H

#include "Emit/Pacer.h"
#include "Emit/Rows.h"

#include "attnc/Target/Target.h"

#include "mlir/IR/IRMapping.h"

namespace attnc::cpu {

using mlir::ArrayAttr;
using mlir::Block;
using mlir::Operation;
using mlir::ValueRange;

class Emitter {
public:
  Emitter(Ops &ops, const Plan &plan, tile::CpuAttr target, Value scratch,
          Value rowBase)
      : ops(ops), plan(plan), target(target), scratch(scratch),
        rowBase(rowBase) {}

  /// Emits a grid's items. What is outside is in `scalars` and `buffers`.
  mlir::LogicalResult emitBody(Block &block);
  /// Clone or evaluate a scalar op, and all that a scalar value needs.
  void emitScalar(Operation *op);
  Value emitSlice(Value value);
  /// Gives the registers of the matrix unit their shapes, and gives them up.
  void configureTiles();
  void releaseTiles();

  mlir::IRMapping scalars;
  llvm::DenseMap<Value, Buffer> buffers;
  Value queries;  // of this copy's block; null: all
  struct Block2D; // a block of a buffer as rows of lanes
private:
  friend class FetchHead;
  friend class FixedPointWeights;
  friend class IntegerProduct;
  friend class RegionEmitter;
  friend class LaneActivity;
  friend class LaneLoader;
  friend class PairStorer;
  friend class RowStorer;
  friend class TilePacker;
  friend class TransposedCopier;
  friend class StagedLoop;
  friend class TileProduct;
  friend class ValueSums;
  /// What all levels with the program's vector instructions have.
  const CpuTraits &traits() const {
    return *lookupIsa(tile::stringifyCpuIsa(target.getIsa()));
  }

  // Loop.cpp
  void emitItems(Block &block, const Window *window);
  void emitItem(const Item &item, const Window *window);
  void emitFor(tile::ForOp loop, const Window *window);
  void emitSegment(tile::ForOp loop, ValueRange bounds, const Window *window);
  void emitPieces(tile::ForOp loop, Value allLow, Value full, Value low,
                  Value high, const Window *window);
  Value emitClass(tile::ForOp loop, Value first, Value end);
  void emitKeys(tile::ForOp loop, Value first, Value count, bool partial,
                const Window *window);
  void emitLanes(tile::ForOp loop, Window window);
  void emitIf(mlir::scf::IfOp branch, const Window *window);
  void emitPasses(mlir::scf::ForOp loop, const Window *window);
  void emitInits(mlir::LoopLikeOpInterface loop, const Window *window);
  void emitYields(Block &block, ValueRange results, Window window);
  void noteExtents(Operation *op, tile::TileType type, ArrayAttr dims,
                   ValueRange valid);
  Value extentOf(StringAttr dim, int64_t size);
  Value beginOf(StringAttr dim);
  /// Run `body` for each group of vectors (or vector) of a window or the block.
  using OnWindow = llvm::function_ref<void(Window)>;
  void forEachGroup(const Window *window, OnWindow body);
  void forEachVector(const Window *window, OnWindow body);

  // ActiveVectors.cpp
  bool skipsLanes(tile::ForOp loop, const Window *window);
  void emitActive(tile::ForOp loop);
  void emitApart(tile::ForOp loop, Window group, llvm::ArrayRef<KeyRange> keys);
  KeyRange activeKeys(tile::ForOp loop, Window vector);

  // EmitNest.cpp
  void emitNest(const Item &item, Window window);
  void emitDistances(const Item &item);
  void emitSkew(Granule &granule, tile::SkewOp skew);
  void emitChunk(const Item &item, Window window);
  SmallVector<Value> emitGranule(Granule &granule, ValueRange carried);
  void emitReduce(Granule &granule, tile::ReduceOp reduce,
                  mlir::MutableArrayRef<Value> carried);
  void copyTile(Value from, const Slot &to, Window window);
  int64_t granuleRows(const Item &item, int64_t vectors, int64_t most);
  std::pair<int64_t, int64_t> granuleOf(tile::DotOp dot);
  bool needsExactCount(const Item &item);
  bool readsMuch(const Item &item);

  // EmitDot.cpp, EmitPairs.cpp, EmitTiles.cpp
  void emitDot(Granule &granule, tile::DotOp dot);
  SmallVector<Value> addProducts(Granule &granule, tile::DotOp, Value extent,
                                 ValueRange sums);
  SmallVector<Value> emitTerms(Granule &granule, tile::DotOp dot, Value extent,
                               SmallVector<Value> sums);
  SmallVector<Value> emitTerm(Granule &, tile::DotOp, Value n,
                              llvm::ArrayRef<SmallVector<Value>> elements);
  Value loadStreamed(const Rows &from, Window window, Value n, int64_t v);
  SmallVector<Value> addPairs(Granule &granule, tile::DotOp dot, Value extent,
                              SmallVector<Value> sums);
  void emitTiles(mlir::ArrayRef<mlir::Operation *> dots, Window window);

  // Features/Along.cpp, Features/Across.cpp
  void copyQueryRows(tile::DotOp dot);
  void copyQueryRowsOf(tile::ForOp loop);
  void copyOwnQueryRows(const Item &item);
  void emitAlongFeatures(Granule &granule, tile::DotOp dot);
  void emitAcrossFeatures(Granule &granule, tile::DotOp dot);
  SmallVector<Value> forEachPass(ValueRange carried, Pace pass);
  Value lanesOfPass(Value query);
  Value loadFeatures(const Rows &from, Value pointer, int64_t count);
  SmallVector<Value> productsOfKeys(tile::DotOp, llvm::ArrayRef<Value> pointers,
                                    Value firstQuery, const Granule &keysAt);
  SmallVector<Value> addValues(Granule &, tile::DotOp, Value first,
                               int64_t columns, Value query, ValueRange starts);
  Value sumsOfLanes(SmallVector<Value> vectors);
  SmallVector<Value> scoresOfKeys(llvm::ArrayRef<Value> terms);

  // FetchAhead.cpp, FetchStreams.cpp
  tile::LoadOp nextLoad(Block *block, Value loaded, StringAttr dim);
  void fetchNextRows(const Granule &, tile::DotOp, Value part, int64_t parts);
  std::optional<Streams> streamsOf(tile::DotOp dot);
  void fetchStreams(const Streams &streams, Value turn, int64_t turns,
                    int64_t piece, int64_t pieces);
  std::optional<RowsAhead> rowsAhead(auto op, tile::TileType type);
  void fetchLanes(const Granule &granule, tile::DotOp dot);
  void fetchStored(const Granule &granule, tile::DotOp dot);
  void findAhead(tile::ForOp loop, const Window *window);
  void findAhead(const Item &item);
  void findNewKeys(tile::ForOp loop, Value first);
  void fetchAhead(const Granule &granule, tile::DotOp dot);

  // RegionVectorize.cpp
  SmallVector<Value> emitRegion(Granule &granule, Block &region,
                                ValueRange inputs, Space space,
                                ArrayAttr atDims, ValueRange at);
  void emitSelectMasked(Granule &granule, tile::SelectMaskedOp op);

  // Memory.cpp
  /// The register of `tile` at a place of the granule, loaded if need be.
  Value element(Granule &granule, Value tile, int64_t row, int64_t vector);
  void storeResult(Granule &granule, Value tile);
  Value slotAddress(const Slot &slot, tile::TileType type, Value row,
                    Window window, int64_t vector);
  Value loadSlot(const Slot &slot, tile::TileType type, Value row,
                 Window window, int64_t vector);
  Value loadLanes(Value pointer, tile::TileType type, unsigned alignment);
  Value fromSlot(Value value, tile::TileType type);
  void storeSlot(Value value, const Slot &slot, tile::TileType type, Value row,
                 Window window, int64_t vector);
  /// Memory elements to the registers' types and back; scalars or vectors.
  Value fromMemory(Value raw, Type element);
  Value convertRow(Value raw, Type element, Type copied);
  Value toMemory(Value value, Type element);
  Type memoryType(Type element);
  unsigned memoryBytes(Type element);
  Value roundTo(Value value, Type element);

  // StorePairs.cpp, Pack*.cpp, StoreBlocks.cpp, CopyTransposed.cpp
  Value joinHalves(Value low, Value high);
  Value roundToPair(Value low, Value high, bool tiesAway = false);
  void storePairs(Granule &granule, Value tile, const Slot &slot);
  void packPairs(tile::LoadOp load, Value rowCount);
  void emitBlockedRows(tile::LoadOp load);
  void packTiles(tile::LoadOp load, Value rowCount, Value columnCount);
  void clearPairs(Value tile, Value first, Value end, Window window);
  void clearPadding(Value tile, Window window);
  void completePairs(Value tile, KeyRange written, Window window);
  void emitRows(tile::LoadOp load);
  void copyRow(const RowCopy &copy);
  Value needsCopy(tile::LoadOp load, Type element, Value unit, Value stride);
  void emitStore(tile::StoreOp store, const Window *window);
  void storePairTile(tile::StoreOp store, const Window *window);
  void copyTransposed(tile::StoreOp store, const Window *window);
  void emitAnyNan(tile::AnyNanOp op, const Window *window);
  SmallVector<Value> transpose(SmallVector<Value> squares);
  Block2D blockOf(tile::TileType type, Value buf, ValueRange indices,
                  ArrayAttr validDims, ValueRange valid);

  // LoadLanes.cpp, Pages.cpp
  void emitLaneLoad(tile::LoadOp load, const Window *window);
  struct PagedBlock; // the tensor of a load through a table
  void emitPagedRows(tile::LoadOp load);
  void storeOffset(Value offsets, Value row, Value offset);
  Value rowAddress(const Rows &from, Value row);

  // Table.cpp, SmallTables.cpp
  Value toInteger(Value raw, Type element);
  Value readInteger(const Buffer &buffer, Value offset);
  Value scanVectors(const Buffer &buffer, Value start, Value count,
                    int64_t width, bool greatest);
  Value scanRow(const Buffer &buffer, Value start, Value count, Value stride,
                Value best, bool greatest);
  Value tableEnd(const Buffer &buffer, ValueRange first, ValueRange last,
                 bool greatest);
  Value lowerBound(const Buffer &buffer, ValueRange row, Value value);
  bool emitTable(Operation *op);
  void copySmallTables(tile::ForOp loop);

  // Read.cpp
  Value clampIndex(Value index, Value extent); // within an axis of a table
  Value readElement(Value buf, llvm::ArrayRef<Value> indices);
  void emitLocate(tile::LocateOp locate);

  int64_t lanes() const { return plan.lanes; }
  Type accumulator() const { return plan.accumulator; }
  auto laneVector(Type type) const { return ops.vector(plan.lanes, type); }
  /// The query of lane 0 of the first vector of a window.
  Value firstRow(Window window) { return ops.add(rowBase, window.first); }

  Ops &ops;
  const Plan &plan;
  tile::CpuAttr target;
  Value scratch;
  Value rowBase; // queries of the tiles before this copy's first one
  llvm::DenseMap<Value, Rows> rows;
  /// Elements in use along the dims that do not use all; run-time values.
  llvm::DenseMap<StringAttr, Value> extents;
  /// The keys that the vectors at hand see of a partial tile; null: all.
  KeyRange seen;
  SmallVector<RowsAhead> ahead, lanesAhead;
  Value firstFull, isSingle;          // tile of the segment at hand
  bool isCold = false, isFew = false; // runs rarely; for few queries
  Value turn; // of a pipeline: the copy of slots that alternate; null: first
  const Pacer *pacer = nullptr;         // of the nest at hand
  bool areNear = false, failed = false; // integers of regions; an op
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_EMITTER_H
