//===- Emitter.h - Writes the code of one kernel ----------------*- C++ -*-===//
//
// One thread block executes one instance of a grid. All threads compute the
// same scalars, so branches and loops on them are uniform and may hold
// barriers. Ops on tiles are written for the places that Layout gives to their
// results, elementwise ones for each register or element in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_NVPTX_EMIT_EMITTER_H
#define ATTNC_LIB_CODEGEN_NVPTX_EMIT_EMITTER_H

#include "Builder.h"
#include "Emit/Places.h"
#include "Emit/Streams.h"
#include "Emit/TensorMap.h"
#include "Layout.h"

#include "attnc/Codegen/Common/IndexRange.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/MapVector.h"

namespace attnc::ptx {

class Emitter {
public:
  using Value = mlir::Value;

  /// Code of the host: scalars alone.
  explicit Emitter(Builder &b) : b(b) {}
  /// Code of a kernel. Defines the numbers of thread, lane and warp.
  Emitter(Builder &b, Layout layout, Value sharedMemory);

  /// The body of a grid. `registers` are those that its block can have.
  void emitGrid(mlir::Block &body, int64_t registers);
  void emitScalar(mlir::Operation *op);
  /// Bytes of shared memory that the code uses.
  int64_t getSharedBytes() const { return mostShared; }

  mlir::IRMapping scalars;
  llvm::DenseMap<Value, Buffer> buffers;
  /// Adds a tensor map to the parameters; null: producers load by cp.async.
  std::function<Value()> addMapParameter;
  /// What those maps have to be, in order.
  mlir::ArrayRef<TensorMap> getMaps() const { return maps; }

private:
  //===- Scalars.cpp
  Value lookup(Value scalar) { return scalars.lookup(scalar); }
  llvm::SmallVector<Value> lookup(mlir::ValueRange values);
  Value clampToAxis(Value index, Value extent);
  Value isFilled(const Buffer &buffer);
  std::optional<Value> findGuard(tile::MapOp map);
  Value readElement(Value buf, mlir::ArrayRef<Value> indices,
                    mlir::Type result);
  void emitLocate(tile::LocateOp locate);
  Value emitTableEnd(Value buf, mlir::ValueRange first, mlir::ValueRange last,
                     bool isMax);
  Value emitLowerBound(tile::LowerBoundOp bound);
  Value emitFastExp(mlir::Operation *op);
  /// What a region yields, given its arguments.
  Value evaluate(mlir::Block &block, mlir::ArrayRef<Value> arguments);

  //===- Control.cpp
  void emitBlock(mlir::Block &block);
  void emitOp(mlir::Operation *op);
  void emitFor(tile::ForOp loop);
  void emitPasses(mlir::scf::ForOp loop);
  void emitIf(mlir::scf::IfOp branch);
  llvm::SmallVector<Value> emitTile(tile::ForOp loop, Value first, Value count,
                                    Value partial, mlir::ValueRange carried);
  llvm::SmallVector<Value> emitPart(tile::ForOp loop, const Part &part,
                                    mlir::ValueRange carried);
  llvm::SmallVector<Value> emitPieces(tile::ForOp loop, Value low, Value high,
                                      mlir::ValueRange carried);
  Value emitClass(tile::ForOp loop, Value first, Value end);
  Value narrowBound(Value bound);
  /// The registers of values, one after the other, and back.
  llvm::SmallVector<Value> flatten(mlir::ValueRange values);
  llvm::SmallVector<mlir::Type> flatTypes(mlir::TypeRange types);
  void bind(mlir::ValueRange values, mlir::ValueRange flat);

  //===- Tiles.cpp
  Value rowPosition(int64_t slot), columnPosition(int64_t slot), firstColumn();
  bool isColumn(llvm::StringRef dim, const Place &place) const;
  Value readLane(Tile &tile, int64_t slot);
  Value positionFrom(Value start, llvm::StringRef dim, const Place &place);
  Value position(llvm::StringRef dim, const Place &place);
  Value element(Value tile, const Place &place);
  Value elementOf(const SharedTile &shared,
                  llvm::function_ref<Value(llvm::StringRef)> position);
  Value sharedAddress(const SharedTile &shared,
                      llvm::function_ref<Value(llvm::StringRef)> position);
  Value panelOffset(const SharedTile &shared, Value row, Value column);
  Value sharedPointer(int64_t offset);
  /// Whether this thread is the only one of those with a copy of the element.
  Value isOwner(tile::TileType type);
  /// Each register of a tile, row by row.
  llvm::SmallVector<Value>
  computeRegisters(tile::TileType type,
                   llvm::function_ref<Value(const Place &)> compute);
  void define(Value result, llvm::function_ref<Value(const Place &)> compute);
  void defineShared(Value result, mlir::StringAttr inner,
                    llvm::function_ref<Value(const Place &)> compute);
  void forEachElement(tile::TileType type, const SharedTile &shared,
                      AtPlace body);
  /// Whether it is valid (null: always), by its row alone or by all else.
  Value isValid(const Place &place, mlir::ArrayAttr dims,
                mlir::ValueRange valid, std::optional<bool> byRow = {});
  SharedTile allocate(SharedTile tile), toShared(Value tile);
  bool isWantedInShared(Value tile);

  //===- Elementwise.cpp
  void emitMap(tile::MapOp map);
  bool isOncePerWarp(tile::MapOp map);
  llvm::SmallVector<Value>
  computeOfWarp(tile::MapOp map,
                llvm::function_ref<Value(const Place &)> compute);
  void emitSelect(tile::SelectMaskedOp select);
  void emitRescale(tile::RescaleOp rescale);
  void emitSkew(tile::SkewOp skew);
  void emitReduce(tile::ReduceOp op), emitReduceInRegisters(tile::ReduceOp op);
  void emitAnyNan(tile::AnyNanOp test);
  llvm::SmallVector<Value> argumentsOf(mlir::ValueRange inputs,
                                       mlir::ArrayAttr dims,
                                       mlir::ValueRange at, const Place &place);

  //===- Pipeline.cpp
  llvm::SmallVector<tile::LoadOp> findAhead(tile::ForOp loop);
  void emitPlace(tile::ForOp loop, tile::LoadOp load);
  llvm::SmallVector<Value> emitPipelined(tile::ForOp loop,
                                         mlir::ArrayRef<tile::LoadOp> loads,
                                         Value first, Value full,
                                         mlir::ValueRange carried);

  //===- Overlap.cpp
  std::optional<LateProduct> findLate(tile::ForOp loop,
                                      mlir::ArrayRef<tile::LoadOp> loads);
  bool emitLate(mlir::Operation *op);
  llvm::SmallVector<Value>
  emitOverlapped(tile::ForOp loop, Value end, mlir::ValueRange carried,
                 Builder::Carry emitAt,
                 llvm::function_ref<void(Value)> findCopies);
  void issueLate(), finishLate();

  //===- Producers.cpp
  void planStreams(mlir::Block &body), emitProducers(mlir::Block &body);
  void emitBounds(mlir::Block &body);
  void planStream(tile::ForOp loop, mlir::ArrayRef<tile::LoadOp> loads);
  int64_t countRoleThreads(size_t role) const;
  void initializeBarriers();
  void emitAsProducer(mlir::Operation *op), releaseAfter(mlir::Operation *op);
  void enterStream(tile::ForOp loop);
  void producePart(tile::ForOp loop, const Part &part);
  void produceTile(tile::ForOp loop, Value first, Value count);
  Ring *ringOf(mlir::Operation *load);
  SharedTile bufferOf(const Ring &ring);
  Value barrierOf(const Ring &ring, int64_t barriers);
  void waitFor(Value barrier, Value phase), arriveAt(Value barrier);
  void release(Ring &ring);
  void waitFull(const Ring &ring), advance(const Ring &ring);

  //===- Consumers.cpp
  bool overlapsPartial(tile::ForOp loop);
  llvm::SmallVector<Value> emitConsumed(tile::ForOp loop,
                                        mlir::ArrayRef<Part> parts,
                                        mlir::ValueRange carried);
  void beginTurns(), takeTurn(), passTurn(), endTurns();

  //===- TensorMaps.cpp
  std::optional<TensorMap> findMap(tile::LoadOp load);
  bool canUseMaps();
  void addMaps();
  void copyPanels(const Ring &ring);
  void clearInvalidRows(const Ring &ring);

  //===- Memory.cpp
  struct Block;
  Block blockOf(tile::LoadOp load);
  void forEachColumn(Place place, mlir::Type element, Value first, Value stride,
                     AtPlace body);
  Value offsetOfRow(Value row, int64_t group, Value rowStride,
                    Value headStride);
  std::pair<Value, Value> locateElement(tile::LoadOp load, const Block &block,
                                        const Place &place);
  void emitLoad(tile::LoadOp load), emitSharedLoad(tile::LoadOp load);
  bool canCopyAsync(tile::LoadOp load, mlir::StringAttr inner);
  Value copiedBytes(tile::LoadOp load, Value column, Value isReadable);
  Value isAligned(const Block &block, mlir::StringAttr inner);
  void copyAsync(tile::LoadOp load, const Block &block,
                 const SharedTile &shared);
  void copyAsyncRows(tile::LoadOp load, const Block &block,
                     const SharedTile &shared);
  int64_t unitsOf(const SharedTile &shared) const;
  bool hasRegularRows(tile::LoadOp load, const SharedTile &shared) const;
  void copy(tile::LoadOp load, const SharedTile &shared);
  static mlir::StringAttr innerOf(tile::LoadOp load);
  void emitStore(tile::StoreOp store);

  //===- Dot.cpp
  void emitDot(tile::DotOp dot);
  void emitMma(tile::DotOp dot), emitSums(tile::DotOp dot);
  Value packRows(Value tile, int64_t row, int64_t column);
  llvm::SmallVector<Value> roundRows(Value tile, int64_t row, int64_t column);
  llvm::SmallVector<Value> loadRows(tile::DotOp dot, int64_t row, int64_t sum);
  llvm::SmallVector<Value> loadMatrices(const SharedTile &shared,
                                        bool isSumInner, int64_t sum,
                                        int64_t column, Value start = {});
  llvm::SmallVector<Value> loadPairs(const SharedTile &shared, bool isSumInner,
                                     int64_t sum, int64_t column, Value start);

  //===- Warpgroup.cpp
  void emitWgmma(tile::DotOp dot);
  llvm::SmallVector<Value> issueWgmma(tile::DotOp dot, mlir::ValueRange sums,
                                      mlir::ValueRange packed = {});
  llvm::SmallVector<Value> accumulatorOf(Value tile);
  void defineAccumulator(Value tile, mlir::ValueRange registers);
  llvm::SmallVector<Value> waitForWgmma(int64_t pending,
                                        mlir::ValueRange registers);
  llvm::SmallVector<Value> packSteps(Value rows, int64_t steps);
  Value descriptorOf(const SharedTile &shared, Value offset);
  void publish(mlir::ArrayRef<SharedTile> written); // all may read them

  Builder &b;
  Layout layout;
  Value sharedMemory, thread, lane, warp;
  int64_t threads = 0; // that work on what is emitted, from 0 to here
  mlir::Operation *entryEnd = nullptr; // after what all code may use
  llvm::DenseMap<Value, Tile> tiles;
  llvm::DenseMap<int64_t, Value> rowPositions, columnPositions;
  llvm::DenseMap<mlir::Block *, codegen::IndexRanges> ranges; // of regions
  llvm::DenseSet<mlir::Operation *> ahead; // loads that were copied before
  std::optional<LateProduct> late;         // of the loop that is emitted
  llvm::MapVector<mlir::Operation *, Stream> streams; // by loop
  Stream *stream = nullptr;          // of the loop that is emitted
  llvm::SmallVector<TensorMap> maps; // with loads = tma, of the streams
  llvm::SmallVector<Value> mapParameters;
  size_t roles = 1;                      // of producers
  std::optional<size_t> role;            // whose code is emitted
  std::optional<bool> isReadFilled;      // see findGuard()
  int64_t shared = 0, mostShared = 0;    // bytes
  llvm::SmallVector<Value> sharedCopies; // of tiles in registers, by age
};

} // namespace attnc::ptx

#endif // ATTNC_LIB_CODEGEN_NVPTX_EMIT_EMITTER_H
