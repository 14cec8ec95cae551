//===- CopyTransposed.cpp - Transpose blocks of 16-bit elements -----------===//
//
// A grid that packs V for a matrix unit loads rows of a tensor and stores their
// columns. 8 registers hold 8 columns of 32 rows, transposed within quarters of
// registers (Quarters.h): 3 shuffles per register, where transposed squares of
// 32-bit pairs (LoadLanes.cpp) and the halves of their lanes (StoreBlocks.cpp)
// need 5 and a detour through scratch. They remain for other strides and
// incomplete vectors.
//
// Tests: test/Codegen/CPU/Memory/copy-transposed.mlir
//
//===----------------------------------------------------------------------===//

#include "Memory/Quarters.h"
#include "Plan/Block2D.h"

using namespace mlir;

namespace attnc::cpu {

/// Elements of a quarter of a register, and of a register.
static constexpr int64_t kQuarter = kQuarterBytes / 2, kRegister = 4 * kQuarter;

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

/// 8 columns of 32 rows from `first` on.
void TransposedCopier::copyColumns(Value first, Value column,
                                   AddressOf addressOf) {
  Type i16 = ops.getI16Type();
  auto rowAt = [&](int64_t row) { return addressOf(row, column); };
  for (auto [i, value] :
       llvm::enumerate(loadTransposedQuarters(ops, i16, 2, rowAt))) {
    Value place = ops.mul(ops.add(column, int64_t(i)), to.columnStride);
    ops.store(value, ops.address(to.data, i16, ops.add(first, place)), 2);
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
