//===- SoftmaxRows.cpp - Form `rows`: all keys in one tile ----------------===//
//
// A fixed, small kv_len needs no loop, no running maximum and no rescaling:
//
//   score:  s = mask(score(Q K^T))      m = row max of s
//   prob:   p = exp2(s - m)             l = row sum of p
//   value:  o = P V
//
// Tests: test/Lowering/softmax-rows.mlir
//
//===----------------------------------------------------------------------===//

#include "KernelBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

SoftmaxState emitRows(OpBuilder &builder, KernelBlock &block) {
  Location loc = block.loc;
  // A tile that is full and needs no mask is not partial.
  auto keyType = cast<RankedTensorType>(block.kernel.getK().getType());
  bool full = block.mask.isAlwaysTrue() && keyType.getDimSize(2) == block.sizeK;
  Value partial =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(!full));
  KeyTile keys{block.zero, block.kvLen, partial};
  Value query = block.emitQuery(builder);
  SoftmaxState initial = block.emitInitial(builder);

  auto scores =
      tile::PhaseOp::create(builder, loc, "score", [&](OpBuilder &b, Location) {
        Value s = block.emitScores(b, query, keys);
        Value m = tile::ReduceOp::create(
            b, loc, block.rowType(), tile::ReduceKind::Max, s, "k", initial.m);
        return SmallVector<Value>{s, m};
      });
  Value m = scores.getResult(1);
  auto probs =
      tile::PhaseOp::create(builder, loc, "prob", [&](OpBuilder &b, Location) {
        Value shift = block.emitShift(b, m);
        Value weights = block.emitWeight(b, scores.getResult(0), shift);
        Value l = initial.l;
        if (block.init) // the sink's weight
          l = tile::RescaleOp::create(b, loc, block.rowType(), l,
                                      block.emitWeight(b, initial.m, shift));
        l = tile::ReduceOp::create(b, loc, block.rowType(),
                                   tile::ReduceKind::Add, weights, "k", l);
        return SmallVector<Value>{block.emitProbabilities(b, weights), l};
      });
  Value p = probs.getResult(0);
  auto values =
      tile::PhaseOp::create(builder, loc, "value", [&](OpBuilder &b, Location) {
        return SmallVector<Value>{
            block.emitValues(b, p, keys, Value(), Value())};
      });
  Value o = block.emitNanRule(builder, values.getResult(0), [&](OpBuilder &b) {
    return block.emitValues(b, p, keys, Value(), block.emitAllowed(b, keys));
  });
  return {o, m, probs.getResult(1)};
}

} // namespace attnc::lowering
