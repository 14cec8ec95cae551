//===- Pack.cpp - Copy between tensors and scratch ------------------------===//
//
// Rows of K and V are read in place when they can be: elements of the
// accumulator's type, contiguous, with a row stride that does not put
// all rows of a tile into the same few sets of L1. Otherwise a tile is copied
// into a slot first; the loops see only a pointer and a row stride, so there is
// one body for both.
//
// O and everything else that has queries along the lanes is transposed at the
// edge of a block, in squares of registers when the elements of a query follow
// each other, else element by element; LoadLanes.cpp does the same for Q.
// Nothing outside the valid extents is read or written. Tests:
// test/Codegen/CPU/pack.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Block2D.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

/// Rows whose stride is a multiple of this many bytes fall into few sets of
/// L1: with 64 sets of 64 bytes, two rows are two lines of a pair of sets.
static constexpr int64_t kHarmfulStride = 2048;

static Value lookupValid(ArrayAttr dims, ValueRange valid, StringAttr dim,
                         const IRMapping &scalars) {
  for (auto [name, value] : llvm::zip(dims.getAsRange<StringAttr>(), valid))
    if (name == dim)
      return scalars.lookup(value);
  return {};
}

/// The block of a buffer that a load or store of `type` is about. `rowDim` is
/// the lanes' dim, or the outer one of two dims without lanes.
Emitter::Block2D Emitter::blockOf(tile::TileType type, Value buf,
                                  ValueRange indices, ArrayAttr validDims,
                                  ValueRange valid) {
  const Buffer &buffer = buffers[buf];
  auto names = cast<tile::BufType>(buf.getType()).getNames();
  Block2D block{buffer.element, {}, {}, {}, {}, {}, 1, {}};
  bool lanesFirst = type.hasDim(kLaneDim);
  std::optional<tile::RenameOp::Merged> merged =
      tile::RenameOp::findMerged(buf);
  Value offset = ops.index(0);
  if (merged) {
    MergedRows rows{merged->group, scalars.lookup(indices[merged->rows]),
                    merged->heads < 0 ? ops.index(0)
                                      : buffer.strides[merged->heads]};
    StringAttr row = lanesFirst ? StringAttr::get(type.getContext(), kLaneDim)
                                : *llvm::find_if(names, [&](StringAttr name) {
                                    return type.hasDim(name);
                                  });
    if (type.hasDim(row) && names[merged->rows] == row)
      block.merged = rows;
    else
      offset = rows.offsetOf(ops, offset, buffer.strides[merged->rows]);
  }
  for (auto [axis, index, stride] : llvm::zip(names, indices, buffer.strides)) {
    std::optional<int64_t> size = type.getDimSize(axis);
    if (!merged || axis != names[merged->rows])
      offset = ops.add(offset, ops.mul(scalars.lookup(index), stride));
    if (!size)
      continue;
    Value count = lookupValid(validDims, valid, axis, scalars);
    count = count ? ops.min(count, ops.index(*size)) : ops.index(*size);
    bool isRow = lanesFirst ? axis == kLaneDim : !block.rowStride;
    if (isRow && type.getRank() == 1 && !lanesFirst)
      isRow = false; // one row of columns
    if (isRow) {
      block.rowStride = stride;
      block.rowCount = count;
    } else {
      block.columnStride = stride;
      block.columnCount = count;
      block.columns = *size;
    }
  }
  Value zero = ops.index(0), one = ops.index(1);
  if (!block.rowStride)
    block.rowStride = zero, block.rowCount = one;
  if (!block.columnStride)
    block.columnStride = zero, block.columnCount = one;
  block.data = ops.address(buffer.data, memoryType(buffer.element), offset);
  return block;
}

Value MergedRows::offsetOf(Ops &ops, Value row, Value rowStride) const {
  if (group == 1)
    return ops.mul(row, rowStride);
  row = ops.add(first, row);
  Value query = ops.floorDiv(row, group);
  Value head = ops.sub(row, ops.mul(query, group));
  return ops.add(ops.mul(query, rowStride), ops.mul(head, headStride));
}

//===----------------------------------------------------------------------===//
// Rows of K and V
//===----------------------------------------------------------------------===//

/// Whether products by pairs sum over the rows, as over the keys of values.
static bool isAcross(tile::LoadOp load) {
  auto dot = cast<tile::DotOp>(*load->user_begin()); // all sum over the same
  return rowAndColumn(load).first.getValue() == dot.getSum();
}

/// Whether all rows are copied for a unit (StorePairs.cpp, PackTiles.cpp),
/// which reads each once.
static bool isCopiedForUnit(tile::LoadOp load, const Plan &plan) {
  if (!plan.tileRows.contains(load))
    return plan.pairRows.contains(load);
  int64_t columns =
      *load.getResult().getType().getDimSize(rowAndColumn(load).second);
  bool isConverted = load.getBuf().getType().getElementType().isInteger(8) &&
                     !plan.integerTiles.contains(load.getResult());
  return isAcross(load) || isConverted ||
         columns % plan.tileDepth(load.getResult()) != 0;
}

/// Whether rows cannot be read where they lie: they are in another type, their
/// columns or they themselves lie badly, or the target wants it so.
Value Emitter::needsCopy(tile::LoadOp load, Type element, Value unit,
                         Value stride) {
  if (isCopiedForUnit(load, plan)) // in the stored type, by whole columns
    return arith::XOrIOp::create(ops, ops.loc, unit, ops.boolean(true));
  const Unit *ofIntegers = plan.integerTiles.lookup(load.getResult());
  bool isConverted = element != rowTypeOf(load, plan) ||
                     (ofIntegers && ofIntegers->kind == UnitKind::DotProduct);
  if (isConverted || target.getPack() == tile::CpuPack::Always)
    return ops.boolean(true);
  Value copy = arith::XOrIOp::create(ops, ops.loc, unit, ops.boolean(true));
  // Lanes of features read each line of a row once.
  if (target.getPack() != tile::CpuPack::Auto || plan.featureRows)
    return copy;
  int64_t mask = kHarmfulStride / memoryBytes(element) - 1;
  Value low = arith::AndIOp::create(ops, ops.loc, stride, ops.index(mask));
  return ops.logicalOr(
      copy, ops.compare(arith::CmpIPredicate::eq, low, ops.index(0)));
}

/// Vectors where the columns follow each other and all are there, else one
/// element after the other.
void Emitter::copyRow(const RowCopy &copy) {
  Type memory = memoryType(copy.element);
  unsigned bytes = memoryBytes(copy.element);
  auto store = [&](Value raw, Value column) {
    ops.store(convertRow(raw, copy.element, copy.copied),
              ops.address(copy.to, memoryType(copy.copied), column),
              memoryBytes(copy.copied));
  };
  auto copyElement = [&](Value column) {
    Value from =
        ops.address(copy.from, memory, ops.mul(column, copy.columnStride));
    store(ops.load(memory, from, bytes), column);
  };
  int64_t whole = copy.columns / lanes() * lanes();
  bool wholeColumns = constantOf(copy.columnCount) == copy.columns;
  Value fast = wholeColumns ? copy.unit : ops.boolean(false);
  ops.branch(
      fast,
      [&] {
        ops.loop(ops.index(0), ops.index(whole), lanes(), [&](Value column) {
          Value from = ops.address(copy.from, memory, column);
          store(ops.load(laneVector(memory), from, bytes), column);
        });
        ops.loop(ops.index(whole), ops.index(copy.columns), 1, copyElement);
      },
      [&] { ops.loop(ops.index(0), copy.columnCount, 1, copyElement); });
}

void Emitter::emitRows(tile::LoadOp load) {
  if (load.getTable())
    return emitPagedRows(load);
  if (isBlocked(load))
    return emitBlockedRows(load);
  auto type = cast<tile::TileType>(load.getResult().getType());
  Block2D block = blockOf(type, load.getBuf(), load.getIndices(),
                          load.getValidDims(), load.getValid());
  auto [rowDim, columnDim] = rowAndColumn(load);
  Value unit =
      ops.compare(arith::CmpIPredicate::eq, block.columnStride, ops.index(1));
  Type copied = rowTypeOf(load, plan);
  int64_t pitch = plan.rowPitch(load);
  Value copy = needsCopy(load, block.element, unit, block.rowStride);
  if (isCopiedForUnit(load, plan) && isAcross(load)) // by whole columns
    copy = ops.logicalOr(copy, ops.compare(arith::CmpIPredicate::slt,
                                           block.columnCount,
                                           ops.index(block.columns)));
  const Slot &slot = plan.packs.find(load)->second;
  Value packed = ops.address(scratch, ops.getI8Type(), ops.index(slot.offset));
  ops.branch(copy, [&] {
    ops.loop(ops.index(0), block.rowCount, 1, [&](Value row) {
      Value from = ops.address(block.data, memoryType(block.element),
                               ops.mul(row, block.rowStride));
      Value to = ops.address(packed, memoryType(copied), ops.mul(row, pitch));
      copyRow({block.element, copied, from, to, block.columnStride,
               block.columnCount, unit, block.columns});
    });
  });
  rows[load.getResult()] = {ops.select(copy, packed, block.data),
                            ops.select(copy, ops.index(pitch), block.rowStride),
                            rowDim, columnDim, copied};
  if (plan.pairRows.contains(load))
    packPairs(load, block.rowCount);
  if (plan.tileRows.contains(load))
    packTiles(load, block.rowCount, block.columnCount);
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Rows of a square of registers become columns: log2(lanes) rounds that
/// interleave the upper with the lower half. Fewer registers hold several
/// squares side by side.
SmallVector<Value> Emitter::transpose(SmallVector<Value> squares) {
  int64_t n = lanes(), size = squares.size();
  SmallVector<int64_t> low, high;
  for (int64_t square = 0; square < n; square += size)
    for (int64_t i = square; i < square + size / 2; ++i) {
      low.append({i, n + i});
      high.append({size / 2 + i, n + size / 2 + i});
    }
  for (int64_t round = size; round > 1; round /= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < size / 2; ++i) {
      Value a = squares[i], b = squares[size / 2 + i];
      next.push_back(vector::ShuffleOp::create(ops, ops.loc, a, b, low));
      next.push_back(vector::ShuffleOp::create(ops, ops.loc, a, b, high));
    }
    squares = std::move(next);
  }
  return squares;
}

/// The upper halves of f32 whose lower halves are 0.
static Value upperHalves(Ops &ops, Value value) {
  auto shaped = [&](Type type) -> Type {
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? Type(vector.clone(type)) : type;
  };
  Type i32 = shaped(ops.getI32Type());
  Value bits = LLVM::BitcastOp::create(ops, ops.loc, i32, value);
  bits = arith::ShRUIOp::create(ops, ops.loc, bits, ops.constant(i32, 16));
  return arith::TruncIOp::create(ops, ops.loc, shaped(ops.getI16Type()), bits);
}

/// Whether a tile is stored as the bf16 that were loaded.
static bool storesLoaded(tile::StoreOp store, Type element, Type accumulator) {
  auto load = store.getValue().getDefiningOp<tile::LoadOp>();
  return load && element.isBF16() && accumulator.isF32() &&
         load.getType().getElementType() == element;
}

void Emitter::emitStore(tile::StoreOp store, const Window *window) {
  if (plan.transposedCopies.contains(store.getValue()))
    return copyTransposed(store, window);
  if (plan.pairTiles.contains(store.getValue()))
    return storePairTile(store, window);
  auto type = cast<tile::TileType>(store.getValue().getType());
  Block2D block = blockOf(type, store.getBuf(), store.getIndices(),
                          store.getValidDims(), store.getValid());
  Type memory = memoryType(block.element);
  unsigned bytes = memoryBytes(block.element);
  bool isExact = storesLoaded(store, block.element, accumulator());
  auto toStored = [&](Value value) {
    return isExact ? upperHalves(ops, value) : toMemory(value, block.element);
  };
  Space space = *spaceOf(type);
  Item item{ItemKind::Nest, {}, space};
  bool square = isa<FloatType>(block.element) && space.dim &&
                constantOf(block.columnCount) == block.columns;
  int64_t whole = square ? block.columns / lanes() * lanes() : 0;
  Value unit =
      ops.compare(arith::CmpIPredicate::eq, block.columnStride, ops.index(1));
  Value slowFrom = ops.select(unit, ops.index(whole), ops.index(0));
  forEachVector(window, [&](Window single) {
    Value first = firstRow(single);
    auto storeSquare = [&](Value column) {
      SmallVector<Value> values;
      for (int64_t i = 0; i < lanes(); ++i) {
        Granule granule(item, single, ops.add(column, i));
        values.push_back(element(granule, store.getValue(), 0, 0));
      }
      values = transpose(std::move(values));
      for (auto [lane, value] : llvm::enumerate(values)) {
        Value row = ops.add(first, lane);
        Value inside =
            ops.compare(arith::CmpIPredicate::slt, row, block.rowCount);
        ops.branch(inside, [&, value = value] {
          Value to = ops.add(block.rowOffset(ops, row), column);
          ops.store(toStored(value), ops.address(block.data, memory, to),
                    bytes);
        });
      }
    };
    if (whole)
      ops.branch(unit, [&] {
        ops.loop(ops.index(0), ops.index(whole), lanes(), storeSquare);
      });
    Value end = ops.min(block.columnCount, ops.index(block.columns));
    Value left = ops.min(ops.sub(block.rowCount, first), ops.index(lanes()));
    Value vectors;
    if (mayFollow(store.getBuf()))
      vectors = followInMemory(ops, block, first, lanes());
    auto storeVector = [&](Value values, Value column) {
      Value to = ops.add(first, ops.mul(column, block.columnStride));
      ops.store(values, ops.address(block.data, memory, to), bytes);
    };
    auto storeLanes = [&](Value values, Value column) {
      // Lanes go through scratch: their number is known at run time only.
      Value staged =
          ops.address(scratch, ops.getI8Type(), ops.index(plan.gatherElements));
      ops.store(values, staged, 64);
      ops.loop(ops.index(0), left, 1, [&](Value lane) {
        Value value =
            ops.load(memory, ops.address(staged, memory, lane), bytes);
        Value to = ops.add(block.rowOffset(ops, ops.add(first, lane)),
                           ops.mul(column, block.columnStride));
        ops.store(value, ops.address(block.data, memory, to), bytes);
      });
    };
    ops.loop(slowFrom, end, 1, [&](Value column) {
      Granule granule(item, single, column);
      Value values = toStored(element(granule, store.getValue(), 0, 0));
      if (!mayFollow(store.getBuf()))
        return storeLanes(values, column);
      ops.branch(
          vectors, [&] { storeVector(values, column); },
          [&] { storeLanes(values, column); });
    });
  });
}

/// Queries past the valid ones do not count.
void Emitter::emitAnyNan(tile::AnyNanOp op, const Window *window) {
  auto type = cast<tile::TileType>(op.getValue().getType());
  Space space = *spaceOf(type);
  Item item{ItemKind::Nest, {}, space};
  Value valid =
      lookupValid(op.getValidDims(), op.getValid(),
                  StringAttr::get(op.getContext(), kLaneDim), scalars);
  // Element by element truth values are kept as floats: 0, or 1 where a NaN is.
  VectorType lanesType = laneVector(accumulator());
  Value found = ops.boolean(false);
  Value flag = ops.address(scratch, ops.getI8Type(), ops.index(plan.zero + 64));
  ops.store(ops.constant(ops.getI8Type(), 0), flag, 1);
  forEachVector(window, [&](Window single) {
    Value low = ops.index(0);
    Value high = ops.index(space.dim ? space.size : 1);
    // A comparison of two values shows whether one of them is a NaN.
    int64_t rows = space.dim && space.size % 4 == 0 ? 4 : 1;
    SmallVector<Value> sums = ops.loop(
        low, high, rows, {ops.zero(lanesType)},
        [&](Value row, ValueRange carried) -> SmallVector<Value> {
          Granule granule(item, single, row, rows);
          auto areNan = [&](int64_t first, int64_t second) -> Value {
            Value a = element(granule, op.getValue(), first, 0);
            Value b = element(granule, op.getValue(), second, 0);
            return arith::CmpFOp::create(ops, ops.loc,
                                         arith::CmpFPredicate::UNO, a, b);
          };
          Value any = areNan(0, std::min<int64_t>(rows - 1, 1));
          if (rows > 2)
            any = ops.logicalOr(any, areNan(2, 3));
          return {ops.select(any, ops.constant(lanesType, 1), carried[0])};
        });
    Value isNan = arith::CmpFOp::create(ops, ops.loc, arith::CmpFPredicate::ONE,
                                        sums[0], ops.zero(lanesType));
    if (valid) {
      Value left = ops.sub(valid, firstRow(single));
      Value count = ops.min(ops.max(left, ops.index(0)), ops.index(lanes()));
      Value limit =
          ops.broadcast(ops.createOrFold<arith::TruncIOp>(
                            ops.loc, ops.getI32Type(), ops.toI64(count)),
                        lanes());
      SmallVector<int32_t> numbers;
      for (int64_t lane = 0; lane < lanes(); ++lane)
        numbers.push_back(lane);
      Value lane = arith::ConstantOp::create(ops, ops.loc,
                                             ops.getI32VectorAttr(numbers));
      isNan = ops.logicalAnd(
          isNan, ops.compare(arith::CmpIPredicate::slt, lane, limit));
    }
    Value any = ops.any(isNan);
    ops.branch(any,
               [&] { ops.store(ops.constant(ops.getI8Type(), 1), flag, 1); });
  });
  Value bits = ops.load(ops.getI8Type(), flag, 1);
  found = ops.compare(arith::CmpIPredicate::ne, bits,
                      ops.constant(ops.getI8Type(), 0));
  scalars.map(op.getResult(), found);
}

} // namespace attnc::cpu
