//===- StoreRows.cpp - Store results as their nest makes them -------------===//
//
// Rows of a tile as wide as the registers, or of a tile of bf16, whose
// registers hold f32 that are rounded already: the upper halves of two vectors
// are 64 bytes of the tensor.
//
// Tests: test/Codegen/CPU/Memory/store-rows.mlir, store-sums.mlir
//
//===----------------------------------------------------------------------===//

#include "Memory/StoreRows.h"

using namespace mlir;

namespace attnc::cpu {

Value RowStorer::isDirect() {
  return followInMemory(ops, block, emitter.firstRow({ops.index(0), 0}),
                        emitter.plan.vectors * emitter.lanes());
}

Value RowStorer::addressOf(Value row, Window window) {
  Value place =
      ops.add(emitter.firstRow(window), ops.mul(row, block.columnStride));
  return ops.address(block.data, emitter.memoryType(block.element), place);
}

/// The vectors of a row, to `to`.
void RowStorer::storeRow(Granule &granule, int64_t row, Value to) {
  int64_t vectors = granule.window.vectors, lanes = emitter.lanes();
  Type memory = emitter.memoryType(block.element);
  unsigned bytes = emitter.memoryBytes(block.element);
  int64_t joined = block.element == emitter.accumulator() ? 1 : 2;
  for (int64_t v = 0; v < vectors; v += joined) {
    SmallVector<Value> values;
    for (int64_t i = v; i < std::min(v + joined, vectors); ++i)
      values.push_back(emitter.element(granule, store.getValue(), row, i));
    ops.store(joined == 1 ? values.front() : halvesOf(ops, values, /*half=*/1),
              ops.address(to, memory, ops.index(v * lanes)), bytes);
  }
}

void RowStorer::storeRows(Granule &granule) {
  Value end = ops.min(block.columnCount, ops.index(block.columns));
  bool isWhole = constantOf(end) == block.columns;
  for (int64_t row = 0; row < granule.rows; ++row) {
    Value column = ops.add(granule.start, row);
    auto store = [&] {
      storeRow(granule, row, addressOf(column, granule.window));
    };
    if (isWhole)
      store();
    else
      ops.branch(ops.compare(arith::CmpIPredicate::slt, column, end), store);
  }
}

} // namespace attnc::cpu
