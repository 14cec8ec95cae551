//===- SmallTables.cpp - Read tables of few entries by permutations -------===//
//
// See Plan/SmallTables.cpp for which reads these are.
//
//===----------------------------------------------------------------------===//

#include "Emit/RegionEmitter.h"

using namespace mlir;

namespace attnc::cpu {

/// Copies the entries that reads of a loop may use. Those past the end of a
/// table are its last one, as for all reads.
void Emitter::copySmallTables(tile::ForOp loop) {
  for (const auto &[op, table] : plan.smallTables) {
    if (table.loop != loop)
      continue;
    auto read = cast<tile::ReadOp>(op);
    Value copy = ops.address(scratch, ops.getI8Type(), ops.index(table.offset));
    SmallVector<Value> indices;
    for (auto [axis, index] : llvm::enumerate(read.getIndices()))
      indices.push_back(axis == table.axis ? Value() : scalars.lookup(index));
    ops.loop(ops.index(0), ops.index(kSmallTable), 1, [&](Value entry) {
      indices[table.axis] = entry;
      ops.store(readElement(read.getBuf(), indices),
                ops.address(copy, accumulator(), entry), 4);
    });
  }
}

/// The entries for an index of all lanes.
Value RegionEmitter::readSmallTable(const SmallTable &table, Value places) {
  Type type = emitter.laneVector(emitter.accumulator());
  Value copy =
      ops.address(emitter.scratch, ops.getI8Type(), ops.index(table.offset));
  auto half = [&](int64_t number) {
    return ops.load(type, ops.address(copy, type, ops.index(number)), 64);
  };
  Value operands[] = {half(0), places, half(1)};
  return LLVM::CallIntrinsicOp::create(
             ops, ops.loc, type,
             ops.getStringAttr("llvm.x86.avx512.vpermi2var.ps.512"), operands)
      .getResult(0);
}

} // namespace attnc::cpu
