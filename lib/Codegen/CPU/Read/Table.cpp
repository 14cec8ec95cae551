//===- Table.cpp - Queries on slices of tables ----------------------------===//
//
// The minimum and maximum entry that a tile uses, and where an entry lies in
// a nondecreasing row: loops over the few entries of a block, which cost little
// beside the tile that they may save. In a long sequence most tiles are asked
// and left out, so contiguous entries are read as vectors. Empty
// tables are a zero with strides 0 (Functions.cpp), so clamping is all that is
// left to do. Tests: test/Codegen/CPU/tables.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

static Value clampToAxis(Ops &ops, Value index, Value extent) {
  Value last = ops.sub(extent, ops.index(1));
  return ops.max(ops.min(ops.toIndex(index), last), ops.index(0));
}

/// A stored element as an index; truth values are 0 and 1.
Value Emitter::toInteger(Value raw, Type element) {
  Value value = fromMemory(raw, element);
  if (!value.getType().isInteger(1))
    return value;
  return ops.select(value, ops.index(1), ops.index(0));
}

/// The element `offset` elements from the start as an index.
Value Emitter::readInteger(const Buffer &buffer, Value offset) {
  Type type = memoryType(buffer.element);
  Value raw = ops.load(type, ops.address(buffer.data, type, offset),
                       memoryBytes(buffer.element));
  return toInteger(raw, buffer.element);
}

/// The least or greatest of `count` elements side by side, as many as a vector
/// of `width` has or more. The last vector overlaps the one before.
Value Emitter::scanVectors(const Buffer &buffer, Value start, Value count,
                           int64_t width, bool greatest) {
  Type element = memoryType(buffer.element);
  Type type = ops.vector(width, element);
  bool isSigned =
      !buffer.element.isInteger(1) && !buffer.element.isUnsignedInteger();
  auto loadAt = [&](Value place) {
    Value at = ops.address(buffer.data, element, ops.add(start, place));
    return ops.load(type, at, memoryBytes(buffer.element));
  };
  auto combine = [&](Value a, Value b) -> Value {
    if (isSigned)
      return greatest ? Value(arith::MaxSIOp::create(ops, ops.loc, a, b))
                      : Value(arith::MinSIOp::create(ops, ops.loc, a, b));
    return greatest ? Value(arith::MaxUIOp::create(ops, ops.loc, a, b))
                    : Value(arith::MinUIOp::create(ops, ops.loc, a, b));
  };
  Value last = ops.sub(count, ops.index(width));
  Value best =
      ops.loop(ops.index(0), last, width, loadAt(last),
               [&](Value place, ValueRange carried) {
                 return SmallVector<Value>{combine(carried[0], loadAt(place))};
               })[0];
  using Kind = vector::CombiningKind;
  Kind kind = isSigned ? (greatest ? Kind::MAXSI : Kind::MINSI)
                       : (greatest ? Kind::MAXUI : Kind::MINUI);
  Value one = vector::ReductionOp::create(ops, ops.loc, kind, best);
  return toInteger(one, buffer.element);
}

/// The least or greatest of `best` and `count` elements from `start` on.
Value Emitter::scanRow(const Buffer &buffer, Value start, Value count,
                       Value stride, Value best, bool greatest) {
  auto combine = [&](Value a, Value b) {
    return greatest ? ops.max(a, b) : ops.min(a, b);
  };
  int64_t bits = memoryBytes(buffer.element) * 8;
  int64_t width = std::min<int64_t>(
      16, lanes() * accumulator().getIntOrFloatBitWidth() / bits);
  Value isDense = ops.logicalAnd(
      ops.compare(arith::CmpIPredicate::eq, stride, ops.index(1)),
      ops.compare(arith::CmpIPredicate::sge, count, ops.index(width)));
  return ops.choose(
      ops.getIndexType(), isDense,
      [&] {
        return combine(best,
                       scanVectors(buffer, start, count, width, greatest));
      },
      [&] {
        return ops.loop(ops.index(0), count, 1, best,
                        [&](Value place, ValueRange carried) {
                          Value at = ops.add(start, ops.mul(place, stride));
                          return SmallVector<Value>{
                              combine(carried[0], readInteger(buffer, at))};
                        })[0];
      });
}

Value Emitter::tableEnd(const Buffer &buffer, ValueRange first, ValueRange last,
                        bool greatest) {
  SmallVector<Value> low, high;
  Value start = ops.index(0);
  for (auto [extent, stride, from, to] :
       llvm::zip(buffer.extents, buffer.strides, first, last)) {
    low.push_back(clampToAxis(ops, from, extent));
    high.push_back(from == to
                       ? low.back()
                       : ops.max(clampToAxis(ops, to, extent), low.back()));
    start = ops.add(start, ops.mul(low.back(), stride));
  }
  // From here on places count from `low`.
  std::function<Value(unsigned, Value, Value)> scan =
      [&](unsigned axis, Value offset, Value best) {
        if (axis == low.size()) {
          Value value = readInteger(buffer, offset);
          return greatest ? ops.max(best, value) : ops.min(best, value);
        }
        if (low[axis] == high[axis])
          return scan(axis + 1, offset, best);
        Value count = ops.add(ops.sub(high[axis], low[axis]), 1);
        if (axis + 1 == low.size())
          return scanRow(buffer, offset, count, buffer.strides[axis], best,
                         greatest);
        return ops.loop(
            ops.index(0), count, 1, best, [&](Value place, ValueRange carried) {
              Value at = ops.add(offset, ops.mul(place, buffer.strides[axis]));
              return SmallVector<Value>{scan(axis + 1, at, carried[0])};
            })[0];
      };
  return scan(0, start, readInteger(buffer, start));
}

/// The place goes up by halves of the row as long as what it skips is less.
Value Emitter::lowerBound(const Buffer &buffer, ValueRange row, Value value) {
  constexpr int64_t kBits = 31; // lengths are below 2^31
  Value start = ops.index(0);
  for (auto [extent, stride, index] :
       llvm::zip(buffer.extents, buffer.strides, row))
    start = ops.add(start, ops.mul(clampToAxis(ops, index, extent), stride));
  Value extent = buffer.extents.back(), stride = buffer.strides.back();
  Value half = ops.index(int64_t(1) << (kBits - 1)), zero = ops.index(0);
  return ops.loop(
      zero, ops.index(kBits), 1, {zero, half}, [&](Value, ValueRange carried) {
        Value next = ops.add(carried[0], carried[1]);
        Value skipped = clampToAxis(ops, ops.add(next, -1), extent);
        Value element =
            readInteger(buffer, ops.add(start, ops.mul(skipped, stride)));
        Value goes = ops.logicalAnd(
            ops.compare(arith::CmpIPredicate::sle, next, extent),
            ops.compare(arith::CmpIPredicate::slt, element, value));
        return SmallVector<Value>{ops.select(goes, next, carried[0]),
                                  ops.floorDiv(carried[1], 2)};
      })[0];
}

/// A scalar op that asks about a table; false if `op` does not.
bool Emitter::emitTable(Operation *op) {
  auto values = [&](ValueRange from) {
    return llvm::map_to_vector(from,
                               [&](Value v) { return scalars.lookup(v); });
  };
  Value result;
  if (auto least = dyn_cast<tile::TableMinOp>(op))
    result = tableEnd(buffers[least.getBuf()], values(least.getFirst()),
                      values(least.getLast()), /*greatest=*/false);
  else if (auto greatest = dyn_cast<tile::TableMaxOp>(op))
    result = tableEnd(buffers[greatest.getBuf()], values(greatest.getFirst()),
                      values(greatest.getLast()), /*greatest=*/true);
  else if (auto bound = dyn_cast<tile::LowerBoundOp>(op))
    result = lowerBound(buffers[bound.getBuf()], values(bound.getIndices()),
                        scalars.lookup(bound.getValue()));
  else
    return false;
  scalars.map(op->getResult(0), result);
  return true;
}

} // namespace attnc::cpu
