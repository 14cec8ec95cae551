//===- StoreRows.cpp - Store results as their nest makes them -------------===//
//
// Rows of a tile of bf16, whose registers hold f32 that are rounded already:
// the upper halves of two vectors are 64 bytes of the tensor.
//
// Tests: test/Codegen/CPU/Memory/store-rows.mlir
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
  return ops.address(block.data, ops.getI16Type(), place);
}

void RowStorer::storeRows(Granule &granule) {
  Value end = ops.min(block.columnCount, ops.index(block.columns));
  bool isWhole = constantOf(end) == block.columns;
  int64_t vectors = granule.window.vectors, lanes = emitter.lanes();
  for (int64_t row = 0; row < granule.rows; ++row) {
    Value column = ops.add(granule.start, row);
    auto storeRow = [&] {
      Value to = addressOf(column, granule.window);
      for (int64_t v = 0; v < vectors; v += 2) {
        SmallVector<Value> values;
        for (int64_t i = v; i < std::min(v + 2, vectors); ++i)
          values.push_back(emitter.element(granule, store.getValue(), row, i));
        ops.store(halvesOf(ops, values, /*half=*/1),
                  ops.address(to, ops.getI16Type(), ops.index(v * lanes)), 2);
      }
    };
    if (isWhole)
      storeRow();
    else
      ops.branch(ops.compare(arith::CmpIPredicate::slt, column, end), storeRow);
  }
}

} // namespace attnc::cpu
