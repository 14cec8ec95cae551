//===- CopyTransposed.cpp - Transpose blocks of 16-bit elements -----------===//
//
// A grid that packs V for a matrix unit loads rows of a tensor and stores their
// columns. 8 registers hold 8 columns of 32 rows; a quarter of a register is
// one load of 16 bytes:
//
//   register i            row i | row 8 + i | row 16 + i | row 24 + i
//   interleaved by 16, 32, 64 bits in each quarter
//   register c            column c of rows 0 to 31
//
// Loads go to quarters on any vector port, and shuffles within quarters need
// no index registers: 3 per register, where transposed squares of 32-bit pairs
// (LoadLanes.cpp) and the halves of their lanes (StoreBlocks.cpp) need 5 and a
// detour through scratch. They remain for other strides and incomplete vectors.
//
// Tests: test/Codegen/CPU/Memory/copy-transposed.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Block2D.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

/// Elements of a quarter of a register, and of a register.
static constexpr int64_t kQuarter = 8, kRegister = 4 * kQuarter;

/// Copies one block.
class TransposedCopier {
public:
  TransposedCopier(Emitter &emitter, tile::LoadOp load, tile::StoreOp store)
      : emitter(emitter), ops(emitter.ops),
        from(emitter.blockOf(load.getType(), load.getBuf(), load.getIndices(),
                             load.getValidDims(), load.getValid())),
        to(emitter.blockOf(load.getType(), store.getBuf(), store.getIndices(),
                           store.getValidDims(), store.getValid())),
        end(endOf(to)) {}

  Value isFast(Window group);
  void copyRows(Value first);

private:
  using AddressOf = llvm::function_ref<Value(int64_t row, Value column)>;
  Value endOf(const Emitter::Block2D &block) {
    return ops.min(block.columnCount, ops.index(block.columns));
  }
  Value loadQuarters(int64_t number, Value column, AddressOf addressOf);
  void copyColumns(Value first, Value column, AddressOf addressOf);
  void fetchAhead(Value first, Value column);
  void copyAllRows(Value first);
  void copySomeRows(Value first, Value count);

  Emitter &emitter;
  Ops &ops;
  Emitter::Block2D from, to;
  Value end; // of the columns
};

/// Whether rows are contiguous in the tensor, columns where they are stored,
/// and columns fill quarters.
Value TransposedCopier::isFast(Window group) {
  auto equals = [&](Value a, Value b) {
    return ops.compare(arith::CmpIPredicate::eq, a, b);
  };
  Value filled = ops.mul(ops.floorDiv(end, kQuarter), kQuarter);
  Value hasAll = ops.logicalAnd(equals(end, filled), equals(end, endOf(from)));
  Value unit = equals(from.columnStride, ops.index(1));
  return ops.logicalAnd(ops.logicalAnd(unit, hasAll),
                        followInMemory(ops, to, emitter.firstRow(group),
                                       group.vectors * emitter.lanes()));
}

/// Rows `number`, 8 + `number`, 16 + `number` and 24 + `number` of 8 columns.
Value TransposedCopier::loadQuarters(int64_t number, Value column,
                                     AddressOf addressOf) {
  auto part = ops.vector(kQuarter, ops.getI16Type());
  auto whole = ops.vector(kRegister, ops.getI16Type());
  // LLVM would join two halves of a register, which only one port can.
  auto keepHalf = [&](Value half) {
    auto type = ops.vector(kRegister / 4, ops.getF64Type());
    Value bits = LLVM::BitcastOp::create(ops, ops.loc, type, half);
    bits = LLVM::CallIntrinsicOp::create(
               ops, ops.loc, type, ops.getStringAttr("llvm.arithmetic.fence"),
               bits)
               .getResult(0);
    return LLVM::BitcastOp::create(ops, ops.loc, whole, bits);
  };
  Value joined;
  for (int64_t quarter = 0; quarter < 4; ++quarter) {
    Value at = addressOf(quarter * kQuarter + number, column);
    Value loaded = ops.load(part, at, 2);
    SmallVector<int64_t> places(kRegister, vector::ShuffleOp::kPoisonIndex);
    for (int64_t i = 0; i < kQuarter; ++i)
      places[i] = i;
    Value wide =
        vector::ShuffleOp::create(ops, ops.loc, loaded, loaded, places);
    for (int64_t i = 0; i < kRegister; ++i)
      places[i] = i / kQuarter == quarter ? kRegister + i % kQuarter : i;
    joined = quarter
                 ? vector::ShuffleOp::create(ops, ops.loc, joined, wide, places)
                 : wide;
    if (quarter == 1)
      joined = keepHalf(joined);
  }
  return joined;
}

/// The lower or upper elements of each quarter of two registers in turn,
/// `width` at a time.
static Value interleave(Ops &ops, Value a, Value b, int64_t width, bool upper) {
  SmallVector<int64_t> places;
  for (int64_t quarter = 0; quarter < kRegister; quarter += kQuarter)
    for (int64_t i = 0; i < kQuarter / 2; i += width)
      for (int64_t source : {int64_t(0), kRegister})
        for (int64_t part = 0; part < width; ++part)
          places.push_back(source + quarter + upper * kQuarter / 2 + i + part);
  return vector::ShuffleOp::create(ops, ops.loc, a, b, places);
}

/// 8 columns of 32 rows from `first` on.
void TransposedCopier::copyColumns(Value first, Value column,
                                   AddressOf addressOf) {
  SmallVector<Value> square;
  for (int64_t i = 0; i < kQuarter; ++i)
    square.push_back(loadQuarters(i, column, addressOf));
  // Each round interleaves register i with i + distance; then place p of a
  // quarter holds row p, and register i the column with the bits of i reversed.
  for (int64_t width = 1; width < kQuarter; width *= 2)
    for (int64_t i = 0; i < kQuarter; ++i) {
      if (i & width)
        continue;
      Value a = square[i], b = square[i + width];
      square[i] = interleave(ops, a, b, width, /*upper=*/false);
      square[i + width] = interleave(ops, a, b, width, /*upper=*/true);
    }
  for (int64_t i = 0; i < kQuarter; ++i) {
    int64_t reversed = (i & 1) << 2 | (i & 2) | i >> 2;
    Value place = ops.mul(ops.add(column, i), to.columnStride);
    ops.store(square[reversed],
              ops.address(to.data, ops.getI16Type(), ops.add(first, place)), 2);
  }
}

/// Prefetches one row of each quarter of the block after that of the rows from
/// `first` on. Processors load pairs of lines into L2, so a line of each pair
/// is enough, and steps of 8 columns prefetch those of all rows.
void TransposedCopier::fetchAhead(Value first, Value column) {
  constexpr int64_t pair = kTileRowBytes; // elements
  Type i16 = ops.getI16Type();
  Value start = ops.mul(ops.floorDiv(column, pair), pair);
  Value number = ops.floorDiv(ops.sub(column, start), kQuarter);
  for (int64_t quarter = 0; quarter < 4; ++quarter) {
    Value row =
        ops.add(first, ops.add(number, kKeysAhead + quarter * kQuarter));
    Value place = ops.add(ops.mul(row, from.rowStride), start);
    fetchRow(ops, i16, ops.address(from.data, i16, place), /*columns=*/1,
             /*level=*/1);
  }
}

void TransposedCopier::copyAllRows(Value first) {
  Type i16 = ops.getI16Type();
  auto addressOf = [&](int64_t row, Value column) {
    Value start = ops.mul(ops.add(first, row), from.rowStride);
    return ops.address(ops.address(from.data, i16, start), i16, column);
  };
  ops.loop(ops.index(0), end, kQuarter, [&](Value column) {
    fetchAhead(first, column);
    copyColumns(first, column, addressOf);
  });
}

/// The rows after the first `count` are 0.
void TransposedCopier::copySomeRows(Value first, Value count) {
  Type i16 = ops.getI16Type();
  Value zeros = ops.address(emitter.scratch, ops.getI8Type(),
                            ops.index(emitter.plan.zero));
  ops.store(ops.zero(ops.vector(kQuarter, i16)), zeros, 2);
  auto addressOf = [&](int64_t row, Value column) {
    Value start = ops.mul(ops.add(first, row), from.rowStride);
    return ops.select(
        ops.compare(arith::CmpIPredicate::slt, ops.index(row), count),
        ops.address(ops.address(from.data, i16, start), i16, column), zeros);
  };
  ops.loop(ops.index(0), end, kQuarter,
           [&](Value column) { copyColumns(first, column, addressOf); });
}

void TransposedCopier::copyRows(Value first) {
  Value count = ops.sub(from.rowCount, first);
  ops.branch(
      ops.compare(arith::CmpIPredicate::sge, count, ops.index(kRegister)),
      [&] { copyAllRows(first); }, [&] { copySomeRows(first, count); });
}

void Emitter::copyTransposed(tile::StoreOp store, const Window *window) {
  auto load = store.getValue().getDefiningOp<tile::LoadOp>();
  TransposedCopier copier(*this, load, store);
  forEachGroup(window, [&](Window group) {
    auto copyThroughScratch = [&] {
      emitLaneLoad(load, &group);
      storePairTile(store, &group);
    };
    int64_t rows = group.vectors * lanes();
    if (rows % kRegister)
      return copyThroughScratch();
    ops.branch(
        copier.isFast(group),
        [&] {
          for (int64_t row = 0; row < rows; row += kRegister)
            copier.copyRows(ops.add(firstRow(group), row));
        },
        copyThroughScratch);
  });
}

} // namespace attnc::cpu
