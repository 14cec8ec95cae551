//===- PackTiles.cpp - Operands of a matrix unit --------------------------===//
//
// A register of the unit takes 16 rows of 32 elements, or of 64 8-bit integers,
// so operands have whole registers of rows and columns; what a tensor does not
// have is 0.
//
//   K    rows in place if they are on lines of cache and fill registers, else a
//        copy [key][feature]; of a last incomplete register always a copy
//   V    a copy [features / 16][keys / 32][16 features][32 keys]
//   either in place from where an earlier grid has packed it (isBlocked)
//   Q,P  pairs of rows in their slots (LoadLanes.cpp, StorePairs.cpp), to which
//        pairs of zeros are added
//
// Tests: test/Codegen/CPU/tiles.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Block2D.h"

using namespace mlir;

namespace attnc::cpu {

using Predicate = arith::CmpIPredicate;

/// Replaces the rows that were found for one load by what the unit reads.
class TilePacker {
public:
  TilePacker(Emitter &emitter, tile::LoadOp load, Value rowCount,
             Value columnCount)
      : emitter(emitter), ops(emitter.ops), type(load.getResult().getType()),
        from(emitter.rows[load.getResult()]), rowCount(rowCount),
        columnCount(columnCount),
        packed(ops.address(
            emitter.scratch, ops.getI8Type(),
            ops.index(emitter.plan.tileRows.find(load)->second.offset))),
        isOfIntegers(emitter.plan.integerTiles.contains(load.getResult())),
        depth(emitter.plan.tileDepth(load.getResult())) {}

  void copyWholeRows();
  void transposeRows();
  static void findPanel(Emitter &emitter, tile::LoadOp load);

private:
  Value loadPart(Value row, Value end, Value column, int64_t count,
                 int64_t width);
  Value loadColumns(Value row, Value column, Value count);
  Value convert(Value loaded);

  Emitter &emitter;
  Ops &ops;
  tile::TileType type;
  Rows &from;
  Value rowCount, columnCount, packed;
  bool isOfIntegers;
  int64_t depth; // elements of a register's row
};

/// Loaded elements as the unit reads them.
Value TilePacker::convert(Value loaded) {
  return isOfIntegers
             ? loaded
             : emitter.convertRow(loaded, from.element, ops.getBF16Type());
}

/// `count` elements of a row from `column` on, as a vector of `width`, whose
/// others are 0. With `end` a row from there on is 0, too.
Value TilePacker::loadPart(Value row, Value end, Value column, int64_t count,
                           int64_t width) {
  Type element = emitter.memoryType(from.element);
  unsigned bytes = emitter.memoryBytes(from.element);
  auto vector = ops.vector(width, element);
  Value known = end ? ops.min(row, ops.sub(end, ops.index(1))) : row;
  Value at = ops.address(from.pointer, element,
                         ops.add(ops.mul(known, from.rowStride), column));
  Value loaded;
  if (count == width) {
    loaded = ops.load(vector, at, bytes);
  } else {
    SmallVector<bool> there(width);
    std::fill_n(there.begin(), count, true);
    Value mask = arith::ConstantOp::create(
        ops, ops.loc,
        DenseElementsAttr::get(ops.vector(width, ops.getI1Type()), there));
    loaded = LLVM::MaskedLoadOp::create(ops, ops.loc, vector, at, mask,
                                        ops.zero(vector),
                                        ops.getI32IntegerAttr(bytes));
  }
  loaded = convert(loaded);
  return end ? ops.select(ops.compare(Predicate::slt, row, end), loaded,
                          ops.zero(loaded.getType()))
             : loaded;
}

/// The first `count` of `depth` elements of a row from `column` on; others are
/// 0.
Value TilePacker::loadColumns(Value row, Value column, Value count) {
  Type element = emitter.memoryType(from.element);
  auto vector = ops.vector(depth, element);
  SmallVector<int16_t> numbers(
      llvm::to_vector(llvm::seq<int16_t>(int16_t(depth))));
  Value limit = ops.broadcast(ops.createOrFold<arith::TruncIOp>(
                                  ops.loc, ops.getI16Type(), ops.toI64(count)),
                              depth);
  Value number = arith::ConstantOp::create(
      ops, ops.loc,
      DenseElementsAttr::get(ops.vector(depth, ops.getI16Type()),
                             ArrayRef<int16_t>(numbers)));
  Value at = ops.address(from.pointer, element,
                         ops.add(ops.mul(row, from.rowStride), column));
  Value loaded = LLVM::MaskedLoadOp::create(
      ops, ops.loc, vector, at, ops.compare(Predicate::slt, number, limit),
      ops.zero(vector),
      ops.getI32IntegerAttr(emitter.memoryBytes(from.element)));
  return convert(loaded);
}

/// Whether a number of elements or an address is a multiple of a power of two.
static Value isMultiple(Ops &ops, Value number, int64_t of) {
  Value i64 = ops.toI64(number);
  Value rest = ops.createOrFold<arith::AndIOp>(
      ops.loc, i64, ops.constant(i64.getType(), double(of - 1)));
  return ops.compare(Predicate::eq, rest, ops.constant(i64.getType(), 0));
}

/// Rows of K. A row that is not on a line of cache would be read as two.
void TilePacker::copyWholeRows() {
  Type part = ops.getIntegerType(8 * kTileRowBytes / depth);
  int64_t columns = *type.getDimSize(from.column);
  int64_t whole = columns / depth * depth;
  int64_t wide = llvm::alignTo(columns, depth);
  bool isComplete = constantOf(columnCount) == columns;
  Value inPlace = ops.boolean(false);
  if (whole == columns && (isa<FloatType>(from.element) || isOfIntegers)) {
    Value address =
        LLVM::PtrToIntOp::create(ops, ops.loc, ops.getI64Type(), from.pointer);
    inPlace = ops.logicalAnd(isMultiple(ops, address, kTileRowBytes),
                             isMultiple(ops, from.rowStride, depth));
    if (!isComplete)
      inPlace = ops.logicalAnd(inPlace, isMultiple(ops, columnCount, depth));
  }
  auto store = [&](Value value, Value row, Value column) {
    Value place = ops.add(ops.mul(row, wide), column);
    ops.store(value, ops.address(packed, part, place), kTileRowBytes);
  };
  Value zero = ops.index(0), zeros = ops.zero(ops.vector(depth, part));
  Value copy = arith::XOrIOp::create(ops, ops.loc, inPlace, ops.boolean(true));
  Value last = isComplete ? ops.index(whole)
                          : ops.mul(ops.floorDiv(columnCount, depth), depth);
  bool hasRest =
      whole == columns && constantOf(rowCount).value_or(1) % kTileRows != 0;
  Value first = zero;
  if (hasRest)
    first = ops.select(
        inPlace, ops.mul(ops.floorDiv(rowCount, kTileRows), kTileRows), zero);
  auto copyRows = [&] {
    ops.loop(first, rowCount, 1, [&](Value row) {
      ops.loop(zero, last, depth, [&](Value column) {
        store(loadPart(row, {}, column, depth, depth), row, column);
      });
      if (!isComplete)
        ops.loop(last, columnCount, depth, [&](Value column) {
          store(loadColumns(row, column, ops.sub(columnCount, column)), row,
                column);
        });
      else if (whole < columns)
        store(loadPart(row, {}, last, columns - whole, depth), row, last);
    });
    Value end = ops.mul(ops.ceilDiv(rowCount, kTileRows), kTileRows);
    ops.loop(rowCount, end, 1, [&](Value row) {
      ops.loop(zero, ops.index(wide), depth,
               [&](Value column) { store(zeros, row, column); });
    });
  };
  if (hasRest) {
    copyRows();
    from.copy = packed;
    from.copyStride = ops.index(wide);
    from.firstCopied = first;
    return;
  }
  ops.branch(copy, copyRows);
  from.rowStride = ops.select(inPlace, from.rowStride, ops.index(wide));
  from.pointer = ops.select(inPlace, from.pointer, packed);
}

/// Rows of V: squares of pairs of keys by features are transposed.
void TilePacker::transposeRows() {
  Type i32 = ops.getI32Type();
  int64_t columns = *type.getDimSize(from.column);
  int64_t steps = llvm::divideCeil(*type.getDimSize(from.row), kTileDepth);
  std::optional<int64_t> known = constantOf(rowCount);
  Value end = known && *known % kTileDepth == 0 ? Value() : rowCount;
  auto copySquare = [&](Value block, Value step, int64_t count) {
    Value column = ops.mul(block, kTileRows);
    SmallVector<Value> pairs;
    for (int64_t pair = 0; pair < kTileDepth / 2; ++pair) {
      auto part = [&](int64_t second) {
        Value row = ops.add(ops.mul(step, kTileDepth), 2 * pair + second);
        return loadPart(row, end, column, count, kTileRows);
      };
      Value low = part(0);
      pairs.push_back(emitter.joinHalves(low, part(1)));
    }
    Value number = ops.add(ops.mul(block, steps), step);
    for (auto [row, value] :
         llvm::enumerate(emitter.transpose(std::move(pairs)))) {
      Value place = ops.mul(ops.add(ops.mul(number, kTileRows), int64_t(row)),
                            kTileRowBytes / 4);
      ops.store(value, ops.address(packed, i32, place), kTileRowBytes);
    }
  };
  ops.loop(ops.index(0), ops.ceilDiv(rowCount, kTileDepth), 1, [&](Value step) {
    int64_t whole = columns / kTileRows;
    ops.loop(ops.index(0), ops.index(whole), 1,
             [&](Value block) { copySquare(block, step, kTileRows); });
    if (int64_t left = columns - whole * kTileRows)
      copySquare(ops.index(whole), step, left);
  });
  from.pointer = packed;
}

/// Rows that are stored as the unit reads them. Tiles start at blocks.
void Emitter::emitBlockedRows(tile::LoadOp load) {
  const Buffer &buffer = buffers[load.getBuf()];
  auto merged = *tile::RenameOp::findMerged(load.getBuf());
  auto names = load.getBuf().getType().getNames();
  Value offset = ops.index(0);
  for (auto [axis, index] : llvm::enumerate(load.getIndices())) {
    Value place = scalars.lookup(index);
    if (int64_t(axis) == merged.rows)
      place = ops.floorDiv(place, kTileDepth);
    offset = ops.add(offset, ops.mul(place, buffer.strides[axis]));
  }
  auto [row, column] = rowAndColumn(load);
  bool isPadded = hasPaddedRows(load);
  Rows found{ops.address(buffer.data, memoryType(buffer.element), offset),
             buffer.strides[names.size() - (isPadded ? 3 : 2)], row, column,
             buffer.element};
  if (!isPadded)
    found.blockStride = buffer.strides[merged.rows];
  rows[load.getResult()] = found;
}

/// A panel that is stored as the unit reads it, pairs of all lanes one after
/// the other; another order of the last two axes is copied to the tile's slot.
void TilePacker::findPanel(Emitter &emitter, tile::LoadOp load) {
  Ops &ops = emitter.ops;
  const Buffer &buffer = emitter.buffers[load.getBuf()];
  auto merged = *tile::RenameOp::findMerged(load.getBuf());
  tile::TileType type = load.getResult().getType();
  int64_t width = *type.getDimSize(kLaneDim);
  int64_t pairs = type.getNumElements() / width / 2;
  Type element = emitter.memoryType(buffer.element);
  Value offset = ops.index(0);
  for (auto [axis, index] : llvm::enumerate(load.getIndices())) {
    Value place = emitter.scalars.lookup(index);
    if (int64_t(axis) == merged.rows)
      place = ops.floorDiv(place, 2);
    offset = ops.add(offset, ops.mul(place, buffer.strides[axis]));
  }
  Value first = ops.address(buffer.data, element, offset);
  Value stride = buffer.strides[merged.rows],
        ofLane = buffer.strides[merged.rows + 1],
        ofPart = buffer.strides[merged.heads];
  auto is = [&](Value number, int64_t expected) {
    return ops.compare(Predicate::eq, number, ops.index(expected));
  };
  Value inPlace = ops.logicalAnd(is(ofLane, 2), is(ofPart, 1));
  Value copy = ops.address(
      emitter.scratch, ops.getI8Type(),
      ops.index(emitter.plan.slots.find(load.getResult())->second.offset));
  ops.branch(
      inPlace, [] {},
      [&] {
        ops.loop(ops.index(0), ops.index(pairs), 1, [&](Value pair) {
          ops.loop(ops.index(0), ops.index(2 * width), 1, [&](Value number) {
            Value lane = ops.floorDiv(number, 2);
            Value part = ops.sub(number, ops.mul(lane, 2));
            Value from =
                ops.add(ops.mul(pair, stride),
                        ops.add(ops.mul(lane, ofLane), ops.mul(part, ofPart)));
            Value to = ops.add(ops.mul(pair, 2 * width), number);
            ops.store(ops.load(element, ops.address(first, element, from), 2),
                      ops.address(copy, element, to), 2);
          });
        });
      });
  emitter.rows[load.getResult()] = {
      ops.select(inPlace, first, copy),
      ops.select(inPlace, stride, ops.index(2 * width)),
      {},
      {},
      buffer.element};
}

void emitPanel(Emitter &emitter, tile::LoadOp load) {
  TilePacker::findPanel(emitter, load);
}

void Emitter::packTiles(tile::LoadOp load, Value rowCount, Value columnCount) {
  StringAttr row = rows[load.getResult()].row;
  auto dot = cast<tile::DotOp>(*load->user_begin()); // all sum over the same
  if (row.getValue() == dot.getSum())
    TilePacker(*this, load, rowCount, columnCount).transposeRows();
  else
    TilePacker(*this, load, rowCount, columnCount).copyWholeRows();
  if (!plan.integerTiles.contains(load.getResult()))
    rows[load.getResult()].element = ops.getBF16Type();
}

/// Makes pairs [first, end) of a slot zero.
void Emitter::clearPairs(Value tile, Value first, Value end, Window window) {
  const Slot &slot = plan.slots.find(tile)->second;
  auto type = cast<tile::TileType>(tile.getType());
  Value zero = ops.zero(laneVector(ops.getI32Type()));
  ops.loop(first, end, 1, [&](Value pair) {
    for (int64_t v = 0; v < window.vectors; ++v)
      ops.store(zero, slotAddress(slot, type, pair, window, v), kTileRowBytes);
  });
}

/// Makes the pairs zero that a tile lacks to whole registers.
void Emitter::clearPadding(Value tile, Window window) {
  int64_t size = spaceOf(cast<tile::TileType>(tile.getType()))->size;
  int64_t perLane = plan.rowsPerLane(tile);
  clearPairs(tile, ops.index(llvm::divideCeil(size, perLane)),
             ops.index(llvm::alignTo(size, plan.tileDepth(tile)) / perLane),
             window);
}

/// Rows [begin, end) of a slot of pairs are written, `begin` is even: the
/// others of the registers that hold them become zero.
void Emitter::completePairs(Value tile, KeyRange written, Window window) {
  Value first =
      ops.mul(ops.floorDiv(written.begin, kTileDepth), kTileDepth / 2);
  clearPairs(tile, first, ops.floorDiv(written.begin, 2), window);
  Value pairs = ops.ceilDiv(written.end, 2),
        whole = ops.floorDiv(written.end, 2);
  ops.branch(ops.compare(Predicate::slt, whole, pairs), [&] {
    const Slot &slot = plan.slots.find(tile)->second;
    auto type = cast<tile::TileType>(tile.getType());
    auto i32 = laneVector(ops.getI32Type());
    for (int64_t v = 0; v < window.vectors; ++v) {
      Value at = slotAddress(slot, type, whole, window, v);
      Value low =
          arith::AndIOp::create(ops, ops.loc, ops.load(i32, at, kTileRowBytes),
                                ops.constant(i32, 0xffff));
      ops.store(low, at, kTileRowBytes);
    }
  });
  Value end = ops.mul(ops.ceilDiv(written.end, kTileDepth), kTileDepth / 2);
  clearPairs(tile, pairs, end, window);
}

} // namespace attnc::cpu
