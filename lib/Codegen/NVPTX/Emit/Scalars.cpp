//===- Scalars.cpp - Scalar ops, tables and the regions of elements -------===//
//
// tile.read clamps each index to its axis, and an empty axis reads 0.
// Tests: test/Codegen/NVPTX/convert-tile-to-nvvm.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"
#include "Emit/RegionIntegers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;

namespace attnc::ptx {

using Predicate = arith::CmpIPredicate;

SmallVector<Value> Emitter::lookup(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return lookup(v); });
}

/// An index of 32 bits is clamped in 32: the last place is then the last one
/// that it can have.
Value Emitter::clampToAxis(Value index, Value extent) {
  Value last = b.add(extent, -1);
  if (index.getType().isIndex())
    return b.max(b.min(index, last), b.index(0));
  last = b.toI32(b.min(last, b.index(INT32_MAX)));
  Value place = b.max(b.min(index, last), b.i32(0));
  return arith::IndexCastUIOp::create(b, b.loc, b.getIndexType(), place);
}

Value Emitter::isFilled(const Buffer &buffer) {
  Value filled = b.boolean(true);
  for (Value extent : buffer.extents)
    filled = b.logicalAnd(filled, b.compare(Predicate::sgt, extent, 0));
  return filled;
}

Value Emitter::readElement(Value buf, ArrayRef<Value> indices, Type result) {
  const Buffer &buffer = buffers[buf];
  auto read = [&]() -> SmallVector<Value> {
    Value offset = b.index(0);
    for (auto [index, extent, stride] :
         llvm::zip_equal(indices, buffer.extents, buffer.strides))
      offset = b.add(offset, b.mul(clampToAxis(index, extent), stride));
    Value pointer =
        b.address(buffer.data, b.memoryType(buffer.element), offset);
    return {b.widen(b.load(buffer.element, pointer), buffer.element, result)};
  };
  if (isReadFilled)
    return *isReadFilled ? read()[0] : b.zero(result);
  return b.choose(result, isFilled(buffer), read,
                  [&] { return SmallVector<Value>{b.zero(result)}; })[0];
}

/// Whether the buffer has elements that the region of `map` reads with its only
/// read: one branch on that around all elements lets their reads overlap, which
/// a branch around each would not. Nothing for other maps.
std::optional<Value> Emitter::findGuard(tile::MapOp map) {
  tile::ReadOp only;
  for (Operation &op : map.getBody().front()) {
    if (isa<tile::TableMinOp, tile::TableMaxOp, tile::LowerBoundOp>(op))
      return std::nullopt;
    auto read = dyn_cast<tile::ReadOp>(op);
    if (read && only)
      return std::nullopt;
    if (read)
      only = read;
  }
  if (!only)
    return std::nullopt;
  return isFilled(buffers[only.getBuf()]);
}

/// Halves the range of sequences until one is left.
void Emitter::emitLocate(tile::LocateOp locate) {
  constexpr int64_t kBits = 31; // lengths are below 2^31
  Value number = lookup(locate.getNumber()), start = locate.getStart();
  Type index = b.getIndexType();
  Value origin = readElement(start, b.index(0), index);
  auto firstOf = [&](Value sequence) {
    Value begin = b.sub(readElement(start, sequence, index), origin);
    return b.add(b.floorDiv(begin, locate.getStep()), sequence);
  };
  Value sequences = b.sub(buffers[start].extents[0], b.index(1));
  SmallVector<Value> range =
      b.loop(b.index(0), b.index(kBits), b.index(1), {b.index(0), sequences},
             [&](Value, ValueRange ends) -> SmallVector<Value> {
               Value middle = b.floorDiv(b.add(ends[0], ends[1]), 2);
               Value isBelow =
                   b.compare(Predicate::sle, firstOf(middle), number);
               return {b.select(isBelow, middle, ends[0]),
                       b.select(isBelow, ends[1], middle)};
             });
  scalars.map(locate.getSequence(), range[0]);
  scalars.map(locate.getBlock(), b.sub(number, firstOf(range[0])));
}

/// The least or greatest of the elements from `first` to `last`, which are
/// positions. Elements of at most 32 bits are compared as such.
Value Emitter::emitTableEnd(Value buf, ValueRange first, ValueRange last,
                            bool isMax) {
  const Buffer &buffer = buffers[buf];
  SmallVector<Value> low, high, at(first.size());
  auto clamp = [&](Value index, Value extent) {
    return b.toI32(b.min(clampToAxis(index, extent), b.index(INT32_MAX)));
  };
  for (auto [extent, from, to] : llvm::zip(buffer.extents, first, last)) {
    low.push_back(clamp(from, extent));
    high.push_back(b.max(clamp(to, extent), low.back()));
  }
  bool isShort = Builder::bytesOf(buffer.element) < 4 ||
                 buffer.element.isSignlessInteger(32);
  auto read = [&](ArrayRef<Value> indices) {
    Value element = readElement(buf, indices, b.getIndexType());
    return isShort ? b.toI32(element) : element;
  };
  std::function<Value(unsigned, Value)> scan = [&](unsigned axis,
                                                   Value best) -> Value {
    if (axis == low.size())
      return isMax ? b.max(best, read(at)) : b.min(best, read(at));
    Value count = b.add(b.sub(high[axis], low[axis]), 1);
    Value found = b.loop(
        b.i32(0), count, b.i32(1), best, [&](Value number, ValueRange carried) {
          at[axis] = b.add(low[axis], number);
          return SmallVector<Value>{scan(axis + 1, carried[0])};
        })[0];
    if (auto loop = found.getDefiningOp<scf::ForOp>())
      loop.setUnsignedCmp(true); // the count may be 2^31
    return found;
  };
  return b.toIndex(scan(0, read(low)));
}

/// The place goes up by halves of the row as long as what it skips is less. It
/// is below 2^31, so that 32 bits are enough.
Value Emitter::emitLowerBound(tile::LowerBoundOp bound) {
  constexpr int64_t kBits = 31;
  Value buf = bound.getBuf(), value = lookup(bound.getValue());
  Value extent = b.min(buffers[buf].extents.back(), b.index(INT32_MAX));
  extent = b.toI32(extent);
  SmallVector<Value> at = lookup(bound.getIndices());
  at.push_back({});
  Value place = b.loop(
      b.i32(0), b.i32(kBits), b.i32(1),
      {b.i32(0), b.i32(int64_t(1) << (kBits - 1))},
      [&](Value, ValueRange carried) {
        Value next = b.add(carried[0], carried[1]);
        at.back() = b.sub(next, b.i32(1));
        Value element = readElement(buf, at, b.getIndexType());
        Value goes = b.logicalAnd(b.compare(Predicate::sle, next, extent),
                                  b.compare(Predicate::slt, element, value));
        Value half = arith::ShRUIOp::create(b, b.loc, carried[1], b.i32(1));
        return SmallVector<Value>{b.select(goes, next, carried[0]), half};
      })[0];
  return b.toIndex(place);
}

/// tanh|x| = (1 - e^-2|x|) / (1 + e^-2|x|), by the approximate instructions;
/// below 0.25, where 1 - e^-2|x| cancels, the Taylor series, whose next term is
/// below 2^-26 of the result.
static Value emitFastTanh(Builder &b, Value x) {
  constexpr double log2e = std::numbers::log2e;
  Type type = x.getType();
  auto constant = [&](double value) { return b.constant(type, value); };
  auto multiply = [&](Value a, Value c) -> Value {
    return arith::MulFOp::create(b, b.loc, a, c);
  };
  auto fma = [&](Value a, Value c, Value d) -> Value {
    return math::FmaOp::create(b, b.loc, a, c, d);
  };
  Value size = math::AbsFOp::create(b, b.loc, x);
  Value power = b.intrinsic("ex2.approx.ftz.f32", type,
                            multiply(size, constant(-2 * log2e)));
  Value one = constant(1);
  Value divisor = arith::AddFOp::create(b, b.loc, one, power);
  Value inverse = b.intrinsic("rcp.approx.ftz.f", type, divisor);
  Value large = multiply(arith::SubFOp::create(b, b.loc, one, power), inverse);
  large = math::CopySignOp::create(b, b.loc, large, x);
  Value square = multiply(x, x), series = constant(62.0 / 2835);
  for (double coefficient : {-17.0 / 315, 2.0 / 15, -1.0 / 3})
    series = fma(series, square, constant(coefficient));
  Value small = fma(multiply(x, square), series, x);
  Value isSmall = arith::CmpFOp::create(b, b.loc, arith::CmpFPredicate::OLT,
                                        size, constant(0.25));
  return arith::SelectOp::create(b, b.loc, isSmall, small, large);
}

/// exp2, exp and tanh by approximate instructions where the schedule allows it,
/// else null.
Value Emitter::emitFastExp(Operation *op) {
  if (!isa<math::Exp2Op, math::ExpOp, math::TanhOp>(op) ||
      !layout.getTarget() || !layout.getTarget().getFastExp() ||
      !op->getResult(0).getType().isF32())
    return {};
  Value x = lookup(op->getOperand(0));
  if (isa<math::TanhOp>(op))
    return emitFastTanh(b, x);
  if (isa<math::ExpOp>(op))
    x = arith::MulFOp::create(b, b.loc, x,
                              b.constant(x.getType(), std::numbers::log2e));
  return b.intrinsic("ex2.approx.ftz.f32", x.getType(), x);
}

void Emitter::emitScalar(Operation *op) {
  Value result;
  if (auto read = dyn_cast<tile::ReadOp>(op)) {
    result =
        readElement(read.getBuf(), lookup(read.getIndices()), read.getType());
  } else if (auto present = dyn_cast<tile::PresentOp>(op)) {
    Value data = buffers[present.getBuf()].data;
    Value null = LLVM::ZeroOp::create(b, b.loc, data.getType());
    result =
        LLVM::ICmpOp::create(b, b.loc, LLVM::ICmpPredicate::ne, data, null);
  } else if (auto least = dyn_cast<tile::TableMinOp>(op)) {
    result = emitTableEnd(least.getBuf(), lookup(least.getFirst()),
                          lookup(least.getLast()), /*isMax=*/false);
  } else if (auto greatest = dyn_cast<tile::TableMaxOp>(op)) {
    result = emitTableEnd(greatest.getBuf(), lookup(greatest.getFirst()),
                          lookup(greatest.getLast()), /*isMax=*/true);
  } else if (auto bound = dyn_cast<tile::LowerBoundOp>(op)) {
    result = emitLowerBound(bound);
  } else if (auto locate = dyn_cast<tile::LocateOp>(op)) {
    return emitLocate(locate);
  } else {
    result = emitFastExp(op);
  }
  if (result)
    scalars.map(op->getResult(0), result);
  else
    b.clone(*op, scalars);
}

Value Emitter::evaluate(mlir::Block &block, ArrayRef<Value> arguments) {
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    scalars.map(argument, value);
  auto [known, isNew] = ranges.try_emplace(&block);
  if (isNew)
    known->second = findRanges(block);
  RegionIntegers integers(b, scalars, known->second);
  for (Operation &op : block.without_terminator())
    if (auto read = dyn_cast<tile::ReadOp>(op))
      scalars.map(read,
                  readElement(read.getBuf(), integers.narrow(read.getIndices()),
                              read.getType()));
    else if (!integers.emit(&op))
      emitScalar(&op);
  Value result = block.getTerminator()->getOperand(0);
  integers.materialize(result);
  return lookup(result);
}

} // namespace attnc::ptx
