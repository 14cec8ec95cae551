//===- StoreRows.cpp - Store results as their nest makes them -------------===//
//
// Rows of a tile of bf16, whose registers hold f32 that are rounded already:
// the upper halves of two vectors are 64 bytes of the tensor.
//
// Tests: test/Codegen/CPU/Memory/store-rows.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Block2D.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

Value Emitter::isDirect(tile::StoreOp store) {
  auto type = cast<tile::TileType>(store.getValue().getType());
  Block2D block = blockOf(type, store.getBuf(), store.getIndices(),
                          store.getValidDims(), store.getValid());
  return followInMemory(ops, block, firstRow({ops.index(0), 0}),
                        plan.vectors * lanes());
}

/// The upper halves of the elements of one or two vectors of f32.
static Value upperHalvesOf(Ops &ops, ArrayRef<Value> vectors) {
  int64_t lanes = cast<VectorType>(vectors[0].getType()).getNumElements();
  auto words = ops.vector(2 * lanes, ops.getI16Type());
  SmallVector<Value> parts;
  for (Value vector : vectors)
    parts.push_back(LLVM::BitcastOp::create(ops, ops.loc, words, vector));
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < int64_t(vectors.size()) * lanes; ++i)
    places.push_back(2 * i + 1);
  return vector::ShuffleOp::create(ops, ops.loc, parts.front(), parts.back(),
                                   places);
}

void Emitter::storeRows(Granule &granule, tile::StoreOp store) {
  auto type = cast<tile::TileType>(store.getValue().getType());
  Block2D block = blockOf(type, store.getBuf(), store.getIndices(),
                          store.getValidDims(), store.getValid());
  Value first = firstRow(granule.window);
  Value end = ops.min(block.columnCount, ops.index(block.columns));
  bool isWhole = constantOf(end) == block.columns;
  int64_t vectors = granule.window.vectors;
  for (int64_t row = 0; row < granule.rows; ++row) {
    Value column = ops.add(granule.start, row);
    Value to = ops.add(first, ops.mul(column, block.columnStride));
    auto storeRow = [&] {
      for (int64_t v = 0; v < vectors; v += 2) {
        SmallVector<Value> values;
        for (int64_t i = v; i < std::min(v + 2, vectors); ++i)
          values.push_back(element(granule, store.getValue(), row, i));
        ops.store(
            upperHalvesOf(ops, values),
            ops.address(block.data, ops.getI16Type(), ops.add(to, v * lanes())),
            2);
      }
    };
    if (isWhole)
      storeRow();
    else
      ops.branch(ops.compare(arith::CmpIPredicate::slt, column, end), storeRow);
  }
}

} // namespace attnc::cpu
