//===- SoftmaxSingleTile.cpp - Form `rows`: all keys in one tile ----------===//
//
// A fixed, small kv_len needs no loop, no running maximum and no rescaling:
//
//   score:  s = mask(score(Q K^T))      m = row max of s
//   prob:   p = exp(s - m)              l = row sum of p
//   value:  o = P V
//
// Tests: test/Lowering/Softmax/softmax-single-tile.mlir
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

/// p (with values) and l (with a sum) of scores s.
static SmallVector<Value> emitProb(OpBuilder &b, KernelBlock &block, Value s,
                                   Value gates, Value m,
                                   const SoftmaxState &initial) {
  Value shift = block.emitShift(b, m);
  Value weights = block.emitWeight(b, s, shift), l = initial.l;
  if (l && m && block.init) // the sink's weight
    l = tile::RescaleOp::create(b, block.loc, block.rowType(), l,
                                block.emitWeight(b, initial.m, shift));
  if (l)
    l = tile::ReduceOp::create(b, block.loc, block.rowType(),
                               tile::ReduceKind::Add, weights, "k", l);
  SmallVector<Value> results;
  if (initial.o)
    results.push_back(block.emitProbabilities(b, weights, gates));
  if (l)
    results.push_back(l);
  return results;
}

SoftmaxState emitRows(OpBuilder &builder, KernelBlock &block) {
  if (block.hasPairs) // a loop that stores
    return emitOnline(builder, block);
  Location loc = block.loc;
  // A tile that is full and needs no mask is not partial.
  auto keyType = cast<RankedTensorType>(block.kernel.getK().getType());
  bool full = block.mask.isAlwaysTrue() &&
              keyType.getDimSize(block.kernel.getKeyAxis()) == block.sizeK;
  Value partial =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(!full));
  KeyTile keys{block.zero, block.kvLen, partial};
  Value query = block.emitQuery(builder);
  SoftmaxState initial = block.emitInitial(builder);

  auto scores =
      tile::PhaseOp::create(builder, loc, "score", [&](OpBuilder &b, Location) {
        Value gates;
        Value s = block.emitScores(b, query, keys, &gates);
        SmallVector<Value> results{s};
        if (gates)
          results.push_back(gates);
        if (initial.m)
          results.push_back(tile::ReduceOp::create(b, loc, block.rowType(),
                                                   tile::ReduceKind::Max, s,
                                                   "k", initial.m));
        return results;
      });
  SoftmaxState state = initial;
  Value gates = block.gate ? scores.getResult(1) : Value();
  if (initial.m)
    state.m = scores.getResults().back();
  if (!initial.o && !initial.l)
    return state;
  auto probs =
      tile::PhaseOp::create(builder, loc, "prob", [&](OpBuilder &b, Location) {
        return emitProb(b, block, scores.getResult(0), gates, state.m, initial);
      });
  if (initial.l)
    state.l = probs.getResults().back();
  if (!initial.o)
    return state;
  Value p = probs.getResult(0);
  auto values =
      tile::PhaseOp::create(builder, loc, "value", [&](OpBuilder &b, Location) {
        return SmallVector<Value>{
            block.emitValues(b, p, keys, Value(), Value())};
      });
  state.o = block.emitNanRule(builder, values.getResult(0), [&](OpBuilder &b) {
    return block.emitValues(b, p, keys, Value(),
                            block.emitAllowed(b, query, keys));
  });
  return state;
}

} // namespace attnc::lowering
