//===- ReadTransposed.cpp - Read tables with an entry per query and key ---===//
//
// bias[h, q, k] has contiguous keys and the queries, which are the
// lanes, a row apart. Gathering costs an address and a load per element. The
// places of a granule are rows times lanes, so each query's keys are loaded as
// one piece of four, and pieces are turned: four pieces fill a register, and
// four registers are transposed within their quarters,
//
//   lane 0: k0 k1 k2 k3                     k0: lane 0, lane 1, ...
//   lane 1: k0 k1 k2 k3            ->       k1: lane 0, lane 1, ...
//   ...                                     ...
//
// which is a load per lane and five shuffles of registers for 4 * lanes
// elements. Of 16-bit types a piece has eight keys, of which two and two are
// turned as one. Taken at run time where the keys are contiguous and all
// places are inside of the table; else rows are read one by one (Read.cpp).
// Tests: test/Codegen/CPU/read-rows.mlir,
// test/Codegen/CPU/Emit/fetch-table.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/FetchAhead.h"
#include "Emit/RegionEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

static constexpr int64_t kPiece = 4; // keys that are loaded at once

/// One more in each row: a position, or that with the same added in all rows.
bool RegionEmitter::isConsecutive(Value value) {
  if (positions.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  auto isSame = [&](Value operand) { return entryOf(operand).depends == 0; };
  if (isa_and_present<arith::IndexCastOp>(op))
    return op->getResult(0).getType().getIntOrFloatBitWidth() >= 64 &&
           isConsecutive(op->getOperand(0));
  if (isa_and_present<arith::AddIOp>(op) && isSame(op->getOperand(0)))
    return isConsecutive(op->getOperand(1));
  if (isa_and_present<arith::AddIOp, arith::SubIOp>(op))
    return isSame(op->getOperand(1)) && isConsecutive(op->getOperand(0));
  return false;
}

/// The axis along which the rows of a read follow each other, if all other
/// indices are the same in all rows.
std::optional<unsigned> RegionEmitter::keyAxis(tile::ReadOp read) {
  std::optional<unsigned> axis;
  for (auto [i, index] : llvm::enumerate(read.getIndices())) {
    unsigned depends = entryOf(index).depends;
    if (!(depends & kOnRows))
      continue;
    if (axis || depends != kOnRows || !isConsecutive(index))
      return std::nullopt;
    axis = i;
  }
  return axis;
}

static Value shuffle(Ops &ops, Value a, Value b, ArrayRef<int64_t> mask) {
  return vector::ShuffleOp::create(ops, ops.loc, a, b, mask);
}

/// The vectors behind each other; a power of two of them.
static Value concatenate(Ops &ops, SmallVector<Value> parts) {
  while (parts.size() > 1) {
    int64_t width = cast<VectorType>(parts[0].getType()).getDimSize(0);
    SmallVector<int64_t> all;
    for (int64_t i = 0; i < 2 * width; ++i)
      all.push_back(i);
    SmallVector<Value> next;
    for (size_t i = 0; i < parts.size(); i += 2)
      next.push_back(shuffle(ops, parts[i], parts[i + 1], all));
    parts = std::move(next);
  }
  return parts[0];
}

/// One piece of each lane becomes one vector of lanes per key.
static SmallVector<Value> turnPieces(Ops &ops, ArrayRef<Value> pieces) {
  int64_t n = pieces.size();
  SmallVector<Value> q; // q[j]: lanes j, j + 4, ...
  for (int64_t j = 0; j < kPiece; ++j) {
    SmallVector<Value> parts;
    for (int64_t lane = j; lane < n; lane += kPiece)
      parts.push_back(pieces[lane]);
    q.push_back(concatenate(ops, std::move(parts)));
  }
  // Elements, then pairs of elements, of the low or high half of each quarter.
  SmallVector<int64_t> low, high, lowPairs, highPairs;
  for (int64_t at = 0; at < n; at += kPiece) {
    low.append({at, n + at, at + 1, n + at + 1});
    high.append({at + 2, n + at + 2, at + 3, n + at + 3});
    lowPairs.append({at, at + 1, n + at, n + at + 1});
    highPairs.append({at + 2, at + 3, n + at + 2, n + at + 3});
  }
  Value low01 = shuffle(ops, q[0], q[1], low);
  Value low23 = shuffle(ops, q[2], q[3], low);
  Value high01 = shuffle(ops, q[0], q[1], high);
  Value high23 = shuffle(ops, q[2], q[3], high);
  return {shuffle(ops, low01, low23, lowPairs),
          shuffle(ops, low01, low23, highPairs),
          shuffle(ops, high01, high23, lowPairs),
          shuffle(ops, high01, high23, highPairs)};
}

/// 16-bit numbers of two keys in each lane: those of the first, of the second.
static std::array<Value, 2> splitPairs(Ops &ops, Value pairs, Type half) {
  auto type = cast<VectorType>(pairs.getType());
  auto narrow = [&](Value value) -> Value {
    return arith::TruncIOp::create(ops, ops.loc, type.clone(half), value);
  };
  Value bits = arith::ConstantOp::create(
      ops, ops.loc,
      DenseElementsAttr::get(type,
                             ops.getIntegerAttr(type.getElementType(),
                                                half.getIntOrFloatBitWidth())));
  Value second = arith::ShRUIOp::create(ops, ops.loc, pairs, bits);
  return {narrow(pairs), narrow(second)};
}

/// Whether the keys lie behind each other, and all places of the granule are
/// inside of the table.
Value RegionEmitter::isDirect(const Buffer &buffer, const RowsRead &read) {
  auto isInside = [&](Value start, int64_t length, unsigned axis) {
    return ops.logicalAnd(
        ops.compare(arith::CmpIPredicate::sge, start, ops.index(0)),
        ops.compare(arith::CmpIPredicate::sle, ops.add(start, length),
                    buffer.extents[axis]));
  };
  int64_t queries = granule.window.vectors * emitter.lanes();
  Value inside = ops.logicalAnd(isInside(read.firstKey, granule.rows, read.key),
                                isInside(read.firstQuery, queries, read.query));
  return ops.logicalAnd(inside,
                        ops.compare(arith::CmpIPredicate::eq,
                                    buffer.strides[read.key], ops.index(1)));
}

/// The elements of the granule's rows and vectors, from pieces. `start` is
/// where that of the first query and key is.
SmallVector<Value> RegionEmitter::loadPieces(const Buffer &buffer, Value start,
                                             Value queryStride) {
  int64_t rows = granule.rows, vectors = granule.window.vectors;
  Type memory = emitter.memoryType(buffer.element);
  unsigned bytes = emitter.memoryBytes(buffer.element);
  // Two numbers of 16 bits are turned as one.
  bool isOfPairs = bytes == 2 && rows >= 2 * kPiece;
  Type loaded = isOfPairs ? Type(ops.getI32Type()) : memory;
  int64_t length = isOfPairs ? 2 * kPiece : kPiece;
  SmallVector<Value> values(rows * vectors);
  for (int64_t v = 0; v < vectors; ++v) {
    SmallVector<Value> lanes; // the first key of each
    for (int64_t lane = 0; lane < emitter.lanes(); ++lane) {
      lanes.push_back(start);
      start = ops.add(start, queryStride);
    }
    for (int64_t piece = 0; piece < rows; piece += length) {
      int64_t row = std::min(piece, rows - length); // the last may overlap
      SmallVector<Value> pieces;
      for (Value lane : lanes)
        pieces.push_back(ops.load(
            ops.vector(kPiece, loaded),
            ops.address(buffer.data, memory, ops.add(lane, row)), bytes));
      SmallVector<Value> turned = turnPieces(ops, pieces);
      if (isOfPairs) {
        SmallVector<Value> ofKeys;
        for (Value pairs : turned)
          llvm::append_range(ofKeys, splitPairs(ops, pairs, memory));
        turned = std::move(ofKeys);
      }
      for (auto [i, value] : llvm::enumerate(turned))
        values[(row + i) * vectors + v] =
            emitter.fromMemory(value, buffer.element);
    }
  }
  return values;
}

/// While a tile of keys is multiplied, the elements of the next tile are
/// prefetched into L2: each granule of rows takes its share of the lines.
void RegionEmitter::fetchNextTile(const Buffer &buffer, Value start,
                                  Value queryStride) {
  auto loop = granule.item.ops.front()->getParentOfType<tile::ForOp>();
  if (!loop || emitter.isCold || emitter.pacer || !granule.start ||
      emitter.extents.contains(granule.item.space.dim) ||
      granule.item.space.size != int64_t(loop.getStep()))
    return;
  Type memory = emitter.memoryType(buffer.element);
  int64_t keys = granule.item.space.size;
  int64_t queries = granule.window.vectors * emitter.lanes();
  int64_t share = llvm::divideCeil(queries * granule.rows, keys);
  Value next = ops.add(ops.sub(start, granule.start), keys);
  Value first = ops.mul(ops.floorDiv(granule.start, granule.rows), share);
  for (int64_t i = 0; i < share; ++i) {
    Value at = ops.add(next, ops.mul(ops.add(first, i), queryStride));
    fetchRow(ops, memory, ops.address(buffer.data, memory, at), keys, 2);
  }
}

bool RegionEmitter::emitReadRows(tile::ReadOp read) {
  int64_t rows = granule.rows, vectors = granule.window.vectors;
  if (rows < kPiece || emitter.lanes() < kPiece ||
      !isa<FloatType>(read.getType()))
    return false;
  auto indicesAt = [&](int64_t row, int64_t vector) {
    SmallVector<LaneValue> indices;
    for (Value index : read.getIndices())
      indices.push_back(at(index, row, vector));
    return indices;
  };
  std::optional<unsigned> key = keyAxis(read);
  SmallVector<LaneValue> first = indicesAt(0, 0);
  std::optional<unsigned> query = contiguousAxis(read, first);
  if (!key || !query)
    return false;

  const Buffer &buffer = emitter.buffers[read.getBuf()];
  LaneValue along = first[*query];
  RowsRead access{*key, *query, ops.toIndex(scalar(first[*key])),
                  ops.add(ops.toIndex(along.value), along.offset)};
  auto load = [&] {
    Value start = ops.add(access.firstKey,
                          ops.mul(access.firstQuery, buffer.strides[*query]));
    for (auto [i, index] : llvm::enumerate(first))
      if (i != *key && i != *query)
        start = ops.add(
            start, ops.mul(emitter.clampIndex(scalar(index), buffer.extents[i]),
                           buffer.strides[i]));
    fetchNextTile(buffer, start, buffer.strides[*query]);
    return loadPieces(buffer, start, buffer.strides[*query]);
  };
  auto readEach = [&] {
    SmallVector<Value> values;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t v = 0; v < vectors; ++v)
        values.push_back(emitRead(read, indicesAt(row, v)).value);
    return values;
  };
  SmallVector<Type> types(rows * vectors,
                          emitter.laneVector(emitter.accumulator()));
  Entry entry;
  entry.depends = kOnRows | kOnLanes;
  Value direct = isDirect(buffer, access);
  for (Value value : ops.chooseAll(types, direct, load, readEach))
    entry.places.push_back({value, 0, 0, true});
  entries[read.getResult()] = std::move(entry);
  return true;
}

} // namespace attnc::cpu
