//===- StoreBlocks.cpp - Store tiles of pairs of bf16 ---------------------===//
//
// A lane of such a tile (Pairs.cpp) has elements of two columns, so a square of
// registers has twice as many elements as one of f32:
//
//   columns along the lanes   the halves of vectors, such as terms of V, and
//                             copies that CopyTransposed.cpp does not transpose
//   rows along memory         transposed pairs, such as results
//
// Tests: test/Codegen/CPU/Memory/store-blocks.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Block2D.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

Value halvesOf(Ops &ops, ArrayRef<Value> vectors, int64_t half) {
  int64_t lanes = cast<VectorType>(vectors[0].getType()).getNumElements();
  auto words = ops.vector(2 * lanes, ops.getI16Type());
  SmallVector<Value> parts;
  for (Value vector : vectors)
    parts.push_back(LLVM::BitcastOp::create(ops, ops.loc, words, vector));
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < int64_t(vectors.size()) * lanes; ++i)
    places.push_back(2 * i + half);
  return vector::ShuffleOp::create(ops, ops.loc, parts.front(), parts.back(),
                                   places);
}

/// Stores one tile.
class PairStorer {
public:
  PairStorer(Emitter &emitter, tile::StoreOp store)
      : emitter(emitter), ops(emitter.ops),
        type(cast<tile::TileType>(store.getValue().getType())),
        slot(emitter.plan.slots.find(store.getValue())->second),
        block(emitter.blockOf(type, store.getBuf(), store.getIndices(),
                              store.getValidDims(), store.getValid())),
        end(ops.min(block.columnCount, ops.index(block.columns))) {}

  void storeColumns(Window group);
  void storeRows(Window single);

private:
  int64_t lanes() const { return emitter.lanes(); }
  Value loadPair(Value pair, Window window, int64_t vector) {
    return ops.load(emitter.laneVector(ops.getI32Type()),
                    emitter.slotAddress(slot, type, pair, window, vector),
                    4 * lanes());
  }
  void storeSquare(Value pair, int64_t count, Window single);
  void storeElements(Value column, Window single);

  Emitter &emitter;
  Ops &ops;
  tile::TileType type;
  const Slot &slot;
  Emitter::Block2D block;
  Value end; // of the columns
};

/// The halves of the lanes of up to two vectors are two columns.
void PairStorer::storeColumns(Window group) {
  Type i16 = ops.getI16Type();
  Value first = emitter.firstRow(group);
  int64_t rows = group.vectors * lanes();
  auto addressOf = [&](Value column, Value row) {
    Value to =
        ops.add(block.rowOffset(ops, row), ops.mul(column, block.columnStride));
    return ops.address(block.data, i16, to);
  };
  Value isWhole = followInMemory(ops, block, first, rows);
  Value left = ops.min(ops.sub(block.rowCount, first), ops.index(rows));
  auto storeColumn = [&](Value column, Value values) {
    ops.branch(
        isWhole, [&] { ops.store(values, addressOf(column, first), 2); },
        [&] {
          // Lanes go through scratch: their number is known at run time only.
          Value staged = ops.address(emitter.scratch, ops.getI8Type(),
                                     ops.index(emitter.plan.gatherElements));
          ops.store(values, staged, 64);
          ops.loop(ops.index(0), left, 1, [&](Value row) {
            ops.store(ops.load(i16, ops.address(staged, i16, row), 2),
                      addressOf(column, ops.add(first, row)), 2);
          });
        });
  };
  ops.loop(ops.index(0), ops.ceilDiv(end, 2), 1, [&](Value pair) {
    SmallVector<Value> vectors;
    for (int64_t v = 0; v < group.vectors; ++v)
      vectors.push_back(loadPair(pair, group, v));
    Value column = ops.mul(pair, 2), second = ops.add(column, 1);
    storeColumn(column, halvesOf(ops, vectors, 0));
    ops.branch(ops.compare(arith::CmpIPredicate::slt, second, end),
               [&] { storeColumn(second, halvesOf(ops, vectors, 1)); });
  });
}

/// `count` pairs of columns of all lanes become parts of rows of the tensor.
void PairStorer::storeSquare(Value pair, int64_t count, Window single) {
  SmallVector<Value> values(lanes(),
                            ops.zero(emitter.laneVector(ops.getI32Type())));
  for (int64_t i = 0; i < count; ++i)
    values[i] = loadPair(ops.add(pair, i), single, 0);
  auto there = llvm::to_vector(llvm::seq<int64_t>(0, count));
  Value first = emitter.firstRow(single);
  values = emitter.transpose(std::move(values));
  for (auto [lane, value] : llvm::enumerate(values)) {
    Value row = ops.add(first, lane);
    ops.branch(ops.compare(arith::CmpIPredicate::slt, row, block.rowCount),
               [&, value = value] {
                 Value to =
                     ops.add(block.rowOffset(ops, row), ops.mul(pair, 2));
                 ops.store(vector::ShuffleOp::create(ops, ops.loc, value, value,
                                                     there),
                           ops.address(block.data, ops.getI16Type(), to), 2);
               });
  }
}

/// A column of the tensor, element by element.
void PairStorer::storeElements(Value column, Window single) {
  Type i16 = ops.getI16Type();
  Value first = emitter.firstRow(single);
  Value left = ops.min(ops.sub(block.rowCount, first), ops.index(lanes()));
  Value pair = ops.floorDiv(column, 2);
  Value half = ops.sub(column, ops.mul(pair, 2));
  Value from = emitter.slotAddress(slot, type, pair, single, 0);
  ops.loop(ops.index(0), left, 1, [&](Value lane) {
    Value place = ops.add(ops.mul(lane, 2), half);
    Value to = ops.add(block.rowOffset(ops, ops.add(first, lane)),
                       ops.mul(column, block.columnStride));
    ops.store(ops.load(i16, ops.address(from, i16, place), 2),
              ops.address(block.data, i16, to), 2);
  });
}

/// Squares of `lanes` pairs, and of what is left of them, where a row of the
/// tensor is contiguous and complete.
void PairStorer::storeRows(Window single) {
  bool isWhole = constantOf(block.columnCount) == block.columns;
  int64_t pairs = isWhole ? block.columns / 2 : 0;
  int64_t whole = pairs / lanes() * lanes();
  Value unit =
      ops.compare(arith::CmpIPredicate::eq, block.columnStride, ops.index(1));
  ops.branch(unit, [&] {
    ops.loop(ops.index(0), ops.index(whole), lanes(),
             [&](Value pair) { storeSquare(pair, lanes(), single); });
    if (whole < pairs)
      storeSquare(ops.index(whole), pairs - whole, single);
  });
  ops.loop(ops.select(unit, ops.index(2 * pairs), ops.index(0)), end, 1,
           [&](Value column) { storeElements(column, single); });
}

void Emitter::storePairTile(tile::StoreOp store, const Window *window) {
  PairStorer storer(*this, store);
  if (!mayFollow(store.getBuf()))
    return forEachVector(window,
                         [&](Window single) { storer.storeRows(single); });
  forEachGroup(window, [&](Window group) {
    for (int64_t v = 0; v < group.vectors; v += 2)
      storer.storeColumns({ops.add(group.first, v * lanes()),
                           std::min<int64_t>(2, group.vectors - v),
                           group.local + v});
  });
}

} // namespace attnc::cpu
