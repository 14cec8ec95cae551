//===- SideBlock.h - One block of an op outside kernels ---------*- C++ -*-===//
//
// What the lowerings of attn.contract, attn.map and attn.normalize share: the
// grid over blocks of the result, places of letters, and stores. In a block the
// lanes' letter is the dim `q`, the rows' letter the dim `e`, and what is
// summed the dim `k`.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_LOWERING_SIDE_SIDEBLOCK_H
#define ATTNC_LIB_LOWERING_SIDE_SIDEBLOCK_H

#include "Plan/Storage.h"

#include "mlir/IR/IRMapping.h"

namespace attnc::lowering {

/// Values of letters.
using Places = llvm::SmallDenseMap<char, mlir::Value>;

class SideBlock {
public:
  SideBlock(mlir::Operation *op, Storage &storage);

  /// Adds the letters of a tensor of the op.
  void addAxes(llvm::StringRef letters, mlir::Value tensor);
  /// The dim of a letter, or a name of its own for a letter without one.
  char nameOf(char letter) const;
  /// Plans where a result goes; in a loop no branch can stand. Emits an error
  /// when it cannot be stored.
  mlir::LogicalResult addResult(mlir::Value result, llvm::StringRef letters,
                                bool inLoop = false);
  /// The result of an op with one goes where its operand `cache` lies.
  mlir::LogicalResult addInPlace(mlir::Value cache, llvm::StringRef letters);
  /// An operand that is read in blocks.
  mlir::FailureOr<BlockBuffer> operand(mlir::Value operand,
                                       llvm::StringRef letters);
  /// An operand in panels, of which blocks load one each.
  mlir::FailureOr<BlockBuffer> panels(mlir::Value operand,
                                      llvm::StringRef letters);
  /// Lets only the last summed letter be the dim k; `placeLetter` says where
  /// the others are. Before operands are looked up.
  void stepAlongLast() { stepped = summed.back(); }
  void placeLetter(char letter, mlir::Value place) { uniform[letter] = place; }
  /// Emits the grids of the op, with the blocks of each of its cases
  /// (attn.cases) for the calls of this case, and for the other calls.
  void forEachCase(llvm::function_ref<void()> emitGrids);
  /// Starts the grid over the blocks of axes with these letters.
  void open(llvm::StringRef axes);
  /// From the next grid on there are `size` elements along a letter.
  void resize(char letter, mlir::Attribute size) { sizes[letter] = size; }
  /// What is stored goes `by` places further along a letter.
  void shift(char letter, mlir::Value by) { shifts[letter] = by; }

  /// A tile over some of the dims q, e and k.
  tile::TileType tileType(llvm::StringRef dims, mlir::Type element) const;
  tile::TileType tileType(llvm::StringRef dims) const {
    return tileType(dims, accumulate);
  }
  /// A tile whose elements `body` computes from the elements of `inputs` and
  /// the places of all letters; those of the dim k are counted from `k0`.
  mlir::Value
  map(tile::TileType type, mlir::ValueRange inputs, mlir::Value k0,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange,
                                     const Places &)>
          body);
  /// `value` with fill where it lies past `nk` or `keep` is false.
  mlir::Value select(
      mlir::Value value, mlir::Value k0, mlir::Value nk, double fill,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, const Places &)> keep);
  /// A block of an operand; `k0` and `nk` belong to the dim k. 8-bit integers
  /// become `converted` (isConversionOnLoad), by default what sums have.
  mlir::Value load(const BlockBuffer &operand, llvm::StringRef dims,
                   mlir::Value k0, mlir::Value nk, mlir::Type converted = {});
  /// The block's panel of a matrix whose axis `lanesAxis` runs along the lanes.
  mlir::Value loadPanel(const BlockBuffer &panels, unsigned lanesAxis,
                        mlir::Value k0);
  /// A tile in the type of a result: a wider float is rounded.
  mlir::Value rounded(mlir::Value tile, mlir::Type element);
  /// Stores a tile wherever the result goes, rounded once.
  void store(mlir::Value value, mlir::Value result, mlir::Value k0 = {},
             mlir::Value nk = {});
  /// The element of a tensor whose axes have these letters.
  mlir::Value read(mlir::OpBuilder &b, mlir::Value tensor,
                   llvm::StringRef letters, const Places &places) {
    return read(b, tensor, letters, places, accumulate);
  }
  /// The same of floats as `real`.
  mlir::Value read(mlir::OpBuilder &b, mlir::Value tensor,
                   llvm::StringRef letters, const Places &places,
                   mlir::Type real);
  /// The one that belongs to the whole block: no block goes along the letters.
  mlir::Value readOnce(mlir::Value tensor, llvm::StringRef letters) {
    return read(builder, tensor, letters, uniform);
  }
  /// What a region with `arguments` yields, in place.
  mlir::Value inlined(mlir::OpBuilder &b, mlir::Region &region,
                      mlir::ValueRange arguments);

  /// The letters of the dim k, one number for all: their places.
  void splitPlace(mlir::OpBuilder &b, mlir::Value number,
                  llvm::StringRef letters, Places &places) const;

  /// A loop over 0 to `count` in steps of at most `step`.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value count, int64_t step, mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(
           mlir::Value k0, mlir::Value nk, mlir::ValueRange carried)>
           body);
  /// The same one by one, for what has no full steps.
  llvm::SmallVector<mlir::Value>
  loopOverNumbers(mlir::Value count, mlir::ValueRange inits,
                  llvm::function_ref<llvm::SmallVector<mlir::Value>(
                      mlir::Value number, mlir::ValueRange carried)>
                      body);

  /// The rows of the block in tiles of at most `rows`: what `body` makes has
  /// as many rows, and those of the tile at hand.
  void loopOverRows(int64_t rows, llvm::function_ref<void()> body);

  /// The run-time number of elements along a letter.
  mlir::Value sizeOf(mlir::OpBuilder &b, char letter) const;
  /// The fixed number, or nothing.
  std::optional<int64_t> fixedSize(char letter) const;

  mlir::Operation *op;
  Storage &storage;
  attn::BlockAttr block;
  mlir::Location loc;
  mlir::OpBuilder builder;
  mlir::Type accumulate;
  llvm::SmallVector<mlir::Value> made; // by the grid: its ops' results
  std::string summed;     // letters of the dim k, the first varying slowest
  int64_t summedSize = 0; // of a tile along it

private:
  llvm::SmallVector<mlir::Value>
  emitLoop(llvm::ArrayRef<mlir::Value> bounds, int64_t step, int64_t partial,
           mlir::ValueRange inits,
           llvm::function_ref<llvm::SmallVector<mlir::Value>(
               mlir::Value k0, mlir::Value nk, mlir::ValueRange carried)>
               body);
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>>
  starts(tile::TileType type, mlir::Value k0) const;
  Places placesIn(mlir::OpBuilder &b, tile::TileType type,
                  mlir::ValueRange indices) const;
  llvm::SmallVector<mlir::Value> indices(const BlockBuffer &buffer,
                                         mlir::Value k0);
  mlir::Value placeOf(char name, mlir::Value k0) const;
  llvm::SmallVector<mlir::Value> shifted(const BlockBuffer &buffer,
                                         mlir::Value k0);
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>>
  valid(tile::TileType type, mlir::Value nk) const;
  int64_t rowsOfTile() const;
  llvm::SmallVector<mlir::Value>
  findCase(llvm::ArrayRef<attn::CaseAttr> cases) const;
  std::pair<mlir::Value, mlir::Value> extentAlong(char letter);
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>, 2>
  emitSegments(const RowReader &reader, llvm::StringRef letters);
  void branchOnVisits();

  char stepped = 0;     // the summed letter that is the dim k, if only one is
  int64_t tileRows = 0; // of a tile at hand; 0: those of the block
  llvm::SmallDenseMap<char, mlir::Attribute> sizes;
  llvm::DenseMap<mlir::Value, std::vector<Destination>> results;
  Places uniform, shifts;
  mlir::Value q0, nq, e0, ne, zero;
  mlir::Value
      isCalled; // whether the next grids are of the call's case, or null
};

/// A scalar in the type of a result: a wider float is rounded.
mlir::Value emitRounded(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value x, mlir::Type element);
/// A scalar of a narrower float type in a wider one.
mlir::Value emitWidened(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value x, mlir::Type element);

/// Grids of single ops; each emits an error for what it cannot do.
mlir::LogicalResult lowerContract(attn::ContractOp op, Storage &storage);
mlir::LogicalResult lowerMap(attn::MapOp op, Storage &storage);
mlir::LogicalResult lowerNormalize(attn::NormalizeOp op, Storage &storage);
mlir::LogicalResult lowerReduce(attn::ReduceOp op, Storage &storage);
mlir::LogicalResult lowerConcat(attn::ConcatOp op, Storage &storage);
mlir::LogicalResult lowerAppend(attn::AppendOp op, Storage &storage);
mlir::LogicalResult lowerScan(attn::ScanOp op, Storage &storage);
/// A grid that copies a tensor to a result of the function.
mlir::LogicalResult lowerCopy(mlir::Value value, unsigned number,
                              attn::BlockAttr block, Storage &storage);
/// Nothing, or a grid that copies rows of sequences to rows of all that another
/// op reads, where what made the rows has not stored them there.
mlir::LogicalResult lowerPack(attn::PackOp pack, attn::BlockAttr block,
                              Storage &storage);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_SIDE_SIDEBLOCK_H
