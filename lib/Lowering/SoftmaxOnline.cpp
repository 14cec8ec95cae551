//===- SoftmaxOnline.cpp - Form `online`: a running maximum ---------------===//
//
//   for each tile of keys:
//     score:  s = mask(score(Q K^T))      m' = max(m, row max of s)
//     prob:   p = exp2(s - m')            a = exp2(m - m')
//             l = l * a + row sum of p
//     value:  o = o * a + P V
//
// With a threshold T the maximum is replaced only when it grows by more than T:
// then a = 1 in most tiles, which a target may skip, and p <= 2^T.
// Tests: test/Lowering/softmax-online.mlir, lazy-rescale.mlir, nan-rule.mlir
//
//===----------------------------------------------------------------------===//

#include "KernelBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

/// Bounds of the loop: the kernel's ranges for this block, or all keys as one
/// segment that needs the mask everywhere.
static SmallVector<Value> emitSegments(OpBuilder &builder, KernelBlock &block) {
  attn::KernelOp kernel = block.kernel;
  if (!kernel.hasRanges())
    return {block.zero, block.zero, block.zero, block.kvLen};
  Block &region = kernel.getRanges().front();
  IRMapping map;
  map.map(region.getArguments().take_front(3), block.bhg);
  map.map(region.getArgument(3), block.q0);
  map.map(region.getArgument(4), block.q1);
  OperandRange bounds = region.getTerminator()->getOperands();
  emitScalars(builder, region, bounds, block.scope, map);
  return llvm::map_to_vector(bounds,
                             [&](Value bound) { return map.lookup(bound); });
}

/// Keys of a tile that needs the mask.
static int64_t partialStep(KernelBlock &block) {
  auto cpu = dyn_cast<tile::CpuAttr>(block.kernel.getSchedule()->getTarget());
  return cpu ? std::min(cpu.getPartial(), block.sizeK) : block.sizeK;
}

/// Loops over the segments; `body` gives the values after a tile.
static SmallVector<Value>
emitLoop(OpBuilder &builder, KernelBlock &block, ValueRange segments,
         ValueRange inits,
         llvm::function_ref<SmallVector<Value>(OpBuilder &, const KeyTile &,
                                               ValueRange)>
             body) {
  auto loop = tile::ForOp::create(builder, block.loc, segments, inits,
                                  block.sizeK, partialStep(block));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&loop.getBody().front());
  KeyTile keys{loop.getKeyStart(), loop.getKeyCount(), loop.getPartial()};
  SmallVector<Value> carried(loop.getRegionIterArgs());
  tile::YieldOp::create(builder, block.loc, body(builder, keys, carried));
  return loop.getResults();
}

/// The next maximum: `largest`, or m as long as it is close enough.
static Value emitMaximum(OpBuilder &builder, KernelBlock &block, Value largest,
                         Value m) {
  Location loc = block.loc;
  double threshold =
      block.kernel.getSchedule()->getRescaleThreshold().convertToDouble();
  if (threshold == 0.0)
    return largest;
  return emitMap(builder, loc, block.rowType(), {largest, m},
                 [&](OpBuilder &b, ValueRange arguments) -> Value {
                   Value t = emitReal(b, loc, block.accumulate, threshold);
                   Value limit = arith::AddFOp::create(b, loc, arguments[1], t);
                   Value grows = arith::CmpFOp::create(
                       b, loc, arith::CmpFPredicate::OGT, arguments[0], limit);
                   return arith::SelectOp::create(b, loc, grows, arguments[0],
                                                  arguments[1]);
                 });
}

/// The three phases on one tile of keys.
static SmallVector<Value> emitTile(OpBuilder &builder, KernelBlock &block,
                                   Value query, const KeyTile &keys,
                                   const SoftmaxState &state) {
  Location loc = block.loc;
  bool early =
      block.kernel.getSchedule()->getRescaleIn() == attn::RescalePlace::Prob;
  auto scores =
      tile::PhaseOp::create(builder, loc, "score", [&](OpBuilder &b, Location) {
        Value s = block.emitScores(b, query, keys);
        Value largest = tile::ReduceOp::create(
            b, loc, block.rowType(), tile::ReduceKind::Max, s, "k", state.m);
        return SmallVector<Value>{s, emitMaximum(b, block, largest, state.m)};
      });
  Value s = scores.getResult(0), m = scores.getResult(1);
  auto probs =
      tile::PhaseOp::create(builder, loc, "prob", [&](OpBuilder &b, Location) {
        Value shift = block.emitShift(b, m);
        Value weights = block.emitWeight(b, s, shift);
        Value factor = block.emitWeight(b, state.m, shift);
        Value kept =
            tile::RescaleOp::create(b, loc, block.rowType(), state.l, factor);
        Value l = tile::ReduceOp::create(
            b, loc, block.rowType(), tile::ReduceKind::Add, weights, "k", kept);
        Value o = factor; // early: the rescaled accumulator instead
        if (early)
          o = tile::RescaleOp::create(b, loc, block.outType(), state.o, factor);
        return SmallVector<Value>{block.emitProbabilities(b, weights), o, l};
      });
  auto values =
      tile::PhaseOp::create(builder, loc, "value", [&](OpBuilder &b, Location) {
        Value o = probs.getResult(1);
        if (!early)
          o = tile::RescaleOp::create(b, loc, block.outType(), state.o, o);
        return SmallVector<Value>{
            block.emitValues(b, probs.getResult(0), keys, o, Value())};
      });
  return {values.getResult(0), m, probs.getResult(2)};
}

/// The values again, with masked products left out: m is known, so there is
/// nothing to rescale.
static Value emitAgain(OpBuilder &builder, KernelBlock &block, Value query,
                       ValueRange segments, Value m) {
  Value shift = block.emitShift(builder, m);
  Value zero = tile::SplatOp::create(builder, block.loc, block.outType(), 0.0);
  return emitLoop(builder, block, segments, zero,
                  [&](OpBuilder &b, const KeyTile &keys, ValueRange carried) {
                    Value s = block.emitScores(b, query, keys);
                    Value p = block.emitProbabilities(
                        b, block.emitWeight(b, s, shift));
                    Value where = block.emitAllowed(b, keys);
                    return SmallVector<Value>{
                        block.emitValues(b, p, keys, carried[0], where)};
                  })[0];
}

SoftmaxState emitOnline(OpBuilder &builder, KernelBlock &block) {
  Value query = block.emitQuery(builder);
  SoftmaxState initial = block.emitInitial(builder);
  SmallVector<Value> segments = emitSegments(builder, block);
  SmallVector<Value> results =
      emitLoop(builder, block, segments, {initial.o, initial.m, initial.l},
               [&](OpBuilder &b, const KeyTile &keys, ValueRange carried) {
                 return emitTile(b, block, query, keys,
                                 {carried[0], carried[1], carried[2]});
               });
  Value o = block.emitNanRule(builder, results[0], [&](OpBuilder &b) {
    return emitAgain(b, block, query, segments, results[1]);
  });
  return {o, results[1], results[2]};
}

} // namespace attnc::lowering
