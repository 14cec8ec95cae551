//===- SoftmaxOnline.cpp - Form `online`: a running maximum ---------------===//
//
//   for each tile of keys:
//     score:  s = mask(score(Q K^T))      m' = max(m, row max of s)
//     prob:   p = exp(s - m')             a = exp(m - m')
//             l = l * a + row sum of p
//     value:  o = o * a + P V
//
// A kernel without a shift has no m and no a, one that does not divide no l,
// one without values no o.
//
// With a threshold T the maximum is replaced only when it grows by more than T:
// then a = 1 in most tiles, which a target may skip, and p <= e^T.
// Tests: test/Lowering/Softmax/softmax-online.mlir, lazy-rescale.mlir,
// nan-rule.mlir
//
//===----------------------------------------------------------------------===//

#include "Chunk/ChunkStates.h"
#include "Kernel/KeyWalk.h"
#include "Kernel/SplitOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace attnc::lowering {

/// Keys of a tile that needs the mask.
static int64_t partialStep(KernelBlock &block) {
  return block.kernel.getSchedule()->getTarget().getPartialStep(block.sizeK);
}

SmallVector<Value>
emitLoop(OpBuilder &builder, KernelBlock &block, const KeyWalk &walk,
         ValueRange inits,
         llvm::function_ref<SmallVector<Value>(OpBuilder &, const KeyTile &,
                                               ValueRange)>
             body) {
  auto loop = tile::ForOp::create(builder, block.loc, walk.segments, inits,
                                  block.sizeK, partialStep(block));
  loop.getWithinMutable().assign(walk.within);
  walk.emitClassify(builder, block, loop);
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
  // Of scores without the scale.
  double threshold =
      block.kernel.getSchedule()->getRescaleThreshold().convertToDouble() /
      block.weightScale();
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

/// p, a (nothing without m) and l of a tile with scores s.
static SmallVector<Value> emitProb(OpBuilder &b, KernelBlock &block, Value s,
                                   Value gates, Value m,
                                   const SoftmaxState &state) {
  Location loc = block.loc;
  Value shift = block.emitShift(b, m);
  Value weights = block.emitWeight(b, s, shift), l = state.l, factor;
  if (m)
    factor = block.emitWeight(b, state.m, shift);
  if (m && l)
    l = tile::RescaleOp::create(b, loc, block.rowType(), l, factor);
  if (l)
    l = tile::ReduceOp::create(b, loc, block.rowType(), tile::ReduceKind::Add,
                               weights, "k", l);
  bool early =
      block.kernel.getSchedule()->getRescaleIn() == attn::RescalePlace::Prob;
  if (factor && early && state.o) // the rescaled accumulator instead
    factor = tile::RescaleOp::create(b, loc, block.outType(), state.o, factor);
  SmallVector<Value> results;
  if (state.o) {
    results.push_back(block.emitProbabilities(b, weights, gates));
    if (factor)
      results.push_back(factor);
  }
  if (l)
    results.push_back(l);
  return results;
}

/// o' = a o + P V; `factor` is null without a maximum, `where` unless masked
/// products are skipped.
static Value emitValue(OpBuilder &b, KernelBlock &block, Value p, Value factor,
                       const KeyTile &keys, Value o, Value where) {
  bool early =
      block.kernel.getSchedule()->getRescaleIn() == attn::RescalePlace::Prob;
  if (factor && early)
    o = factor;
  else if (factor)
    o = tile::RescaleOp::create(b, block.loc, block.outType(), o, factor);
  return block.emitValues(b, p, keys, o, where);
}

/// The phases on one tile of keys; those without results do not stand.
static SmallVector<Value> emitTile(OpBuilder &builder, KernelBlock &block,
                                   Value query, const KeyTile &keys,
                                   const SoftmaxState &state,
                                   bool skipsMasked = false) {
  Location loc = block.loc;
  auto scores =
      tile::PhaseOp::create(builder, loc, "score", [&](OpBuilder &b, Location) {
        Value gates;
        Value s = block.emitScores(b, query, keys, &gates);
        SmallVector<Value> results{s};
        if (gates)
          results.push_back(gates);
        if (!state.m)
          return results;
        Value largest = tile::ReduceOp::create(
            b, loc, block.rowType(), tile::ReduceKind::Max, s, "k", state.m);
        results.push_back(emitMaximum(b, block, largest, state.m));
        return results;
      });
  SoftmaxState next = state;
  Value s = scores.getResult(0);
  Value gates = block.gate ? scores.getResult(1) : Value();
  if (state.m)
    next.m = scores.getResults().back();
  if (!state.o && !state.l)
    return next.values();
  auto probs =
      tile::PhaseOp::create(builder, loc, "prob", [&](OpBuilder &b, Location) {
        return emitProb(b, block, s, gates, next.m, state);
      });
  ValueRange results = probs.getResults();
  if (state.l)
    next.l = results.back();
  if (!state.o)
    return next.values();
  Value p = results[0], factor = state.m ? results[1] : Value();
  auto values =
      tile::PhaseOp::create(builder, loc, "value", [&](OpBuilder &b, Location) {
        // Masked products are also those of operands that are not split.
        bool isMasked = !block.mask.isAlwaysTrue() || block.select ||
                        countWeightTerms(block) > 1;
        Value where = skipsMasked && isMasked
                          ? block.emitAllowed(b, query, keys)
                          : Value();
        return SmallVector<Value>{
            emitValue(b, block, p, factor, keys, state.o, where)};
      });
  next.o = values.getResult(0);
  return next.values();
}

/// The values again, with masked products left out: m is known, so there is
/// nothing to rescale.
static Value emitAgain(OpBuilder &builder, KernelBlock &block, Value query,
                       const KeyWalk &walk, Value m, Value initial) {
  Value shift = block.emitShift(builder, m);
  return emitLoop(builder, block, walk, initial,
                  [&](OpBuilder &b, const KeyTile &keys, ValueRange carried) {
                    Value gates;
                    Value s = block.emitScores(b, query, keys, &gates);
                    Value p = block.emitProbabilities(
                        b, block.emitWeight(b, s, shift), gates);
                    Value where = block.emitAllowed(b, query, keys);
                    return SmallVector<Value>{
                        block.emitValues(b, p, keys, carried[0], where)};
                  })[0];
}

/// The state, or, if it has a NaN, the state of operands as they are stored,
/// with masked products skipped: infinities are no sums of terms.
static SoftmaxState emitUnsplit(OpBuilder &builder, KernelBlock &block,
                                Value query, const KeyWalk &walk,
                                const SoftmaxState &initial,
                                const SoftmaxState &state) {
  Location loc = block.loc;
  SmallVector<Value> values = state.values();
  Value bad = tile::AnyNanOp::create(builder, loc, state.o ? state.o : state.l,
                                     {{"q", block.rows}});
  auto branch = scf::IfOp::create(builder, loc, ValueRange(values).getTypes(),
                                  bad, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, values);
  builder.setInsertionPointToStart(branch.thenBlock());
  llvm::SaveAndRestore storedKeys(block.storedKeys, {});
  llvm::SaveAndRestore storedValues(block.storedValues, {});
  SmallVector<Value> again = emitLoop(
      builder, block, walk, initial.values(),
      [&](OpBuilder &b, const KeyTile &keys, ValueRange carried) {
        return emitTile(b, block, query, keys, initial.withValues(carried),
                        /*skipsMasked=*/true);
      });
  scf::YieldOp::create(builder, loc, again);
  return state.withValues(branch.getResults());
}

/// Once m and l are known: the weights (or scores) of all pairs of the block,
/// those of keys that no query sees without computing them.
static void emitPairLoop(OpBuilder &builder, KernelBlock &block, Value query,
                         const KeyWalk &walk, const SoftmaxState &state) {
  OpBuilder::InsertionGuard guard(builder);
  block.branchOnPairs(builder);
  if (!block.mask.isAlwaysTrue())
    block.emitMaskedPairs(builder, walk);
  Value shift = block.emitShift(builder, state.m);
  emitLoop(builder, block, walk, {},
           [&](OpBuilder &b, const KeyTile &keys, ValueRange) {
             Value s = block.emitScores(b, query, keys);
             Value weight = block.emitWeight(b, s, shift);
             Value pairs = block.emitDivided(b, weight, state.l);
             if (pairs != weight) // 0 / l is NaN where a key made l one
               pairs = block.emitUnmasked(b, query, pairs, keys);
             block.emitPairs(b, pairs, keys);
             return SmallVector<Value>();
           });
  block.emitOtherPairs(builder);
}

SoftmaxState emitOnline(OpBuilder &builder, KernelBlock &block) {
  Value query = block.emitQuery(builder);
  SoftmaxState initial =
      block.part0 ? block.emitEmpty(builder) : block.emitInitial(builder);
  KeyWalk walk(builder, block);
  if (block.part0)
    walk.clamp(builder, block.loc, block.part0, block.part1);
  if (initial.values().empty()) {
    emitPairLoop(builder, block, query, walk, initial);
    return initial;
  }
  if (block.states) {
    initial = block.states->emitInitial(builder, query, initial);
    walk.startAt(builder, block.loc, block.states->getFirstKey());
  }
  SmallVector<Value> results = emitLoop(
      builder, block, walk, initial.values(),
      [&](OpBuilder &b, const KeyTile &keys, ValueRange carried) {
        return emitTile(b, block, query, keys, initial.withValues(carried));
      });
  SoftmaxState state = initial.withValues(results);
  bool isSplit = block.storedKeys.size() > 1 || block.storedValues.size() > 1;
  if (isSplit)
    state = emitUnsplit(builder, block, query, walk, initial, state);
  else if (state.o)
    state.o = block.emitNanRule(builder, state.o, [&](OpBuilder &b) {
      return emitAgain(b, block, query, walk, state.m, initial.o);
    });
  if (block.hasPairs)
    emitPairLoop(builder, block, query, walk, state);
  return state;
}

} // namespace attnc::lowering
