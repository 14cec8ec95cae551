//===- PacedProduct.cpp - Products of a matrix unit with pauses -----------===//
//
// The instructions of a product of a pipeline, spread over the granules of a
// nest (Emit/Pacer.h). Two consecutive tiles may be one product, which loads
// and stores its sums once (Stages/PairedValues.cpp).
//
// Tests: test/Codegen/CPU/Emit/stages.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/StagedLoop.h"
#include "Emit/TileProduct.h"

using namespace mlir;

namespace attnc::cpu {

/// How many times `every` instructions there are in a step of `rows` blocks.
int64_t TileProduct::pausesOfStep(int64_t rows, int64_t every) const {
  int64_t instructions = rows * window.vectors * int64_t(terms.size());
  return std::max<int64_t>(instructions / every, 1);
}

int64_t TileProduct::stepsOfTile() const {
  return int64_t(llvm::divideCeil(sumSize, depth));
}

int64_t TileProduct::stepsOfBlock() const {
  return (earlier ? 2 : 1) * stepsOfTile();
}

int64_t TileProduct::countPauses(int64_t every) const {
  int64_t inStep = rowBlocks / kBlock * pausesOfStep(kBlock, every) +
                   rowBlocks % kBlock * pausesOfStep(1, every);
  return inStep * stepsOfBlock();
}

void TileProduct::follow(TileProduct before, Value isActive) {
  earlier = std::make_shared<TileProduct>(std::move(before));
  hasEarlier = isActive;
}

void TileProduct::takeHalf(Value number) {
  rowBlocks /= 2;
  firstBlock = ops.mul(number, rowBlocks);
}

/// One step of a block. A store waits for its sum, and later instructions of
/// the unit for the store. So the sums of the block before are stored in the
/// first step, one by one before their registers are used again.
SmallVector<Value> TileProduct::emitPacedStep(const PacedBlock &block,
                                              Value step, bool isFirst,
                                              ValueRange carried, Pace pace) {
  int64_t vectors = window.vectors, sums = block.rows * vectors;
  int64_t count = sums * int64_t(terms.size());
  int64_t pauses = pausesOfStep(block.rows, block.every);
  Value at = ops.add(ops.mul(step, pauses), block.firstPause);
  SmallVector<Value> values = llvm::to_vector(carried);
  for (int64_t i = 0; i < count; ++i) {
    Place place{i % sums / vectors, i % vectors};
    if (isFirst && i < sums) {
      storePending(ops, block.pending, i, i + 1 == sums ? SIZE_MAX : i + 1);
      startSum(block.row, place.r, 0, place.v);
    }
    emitInstruction(size_t(i / sums), block.row, step, place, /*vector=*/0);
    if ((i + 1) % (count / pauses) == 0)
      values = pace(ops.add(at, (i + 1) / (count / pauses) - 1), values);
  }
  return values;
}

/// All steps of a block; `starts`: its sums are not in the registers yet.
SmallVector<Value> TileProduct::emitPacedSteps(const PacedBlock &block,
                                               bool starts, ValueRange carried,
                                               Pace pace) {
  int64_t steps = stepsOfTile();
  SmallVector<Value> values =
      emitPacedStep(block, ops.index(0), starts, carried, pace);
  auto emitOther = [&](Value step, ValueRange inner) {
    return emitPacedStep(block, step, /*isFirst=*/false, inner, pace);
  };
  if (steps * int64_t(terms.size()) > kMostUnrolled)
    return ops.loop(ops.index(1), ops.index(steps), 1, values, emitOther);
  for (int64_t step = 1; step < steps; ++step)
    values = emitOther(ops.index(step), values);
  return values;
}

SmallVector<Value> TileProduct::emitPacedBlock(const PacedBlock &block,
                                               ValueRange carried, Pace pace) {
  if (!earlier)
    return emitPacedSteps(block, /*starts=*/true, carried, pace);
  Value second = ops.add(block.firstPause,
                         stepsOfTile() * pausesOfStep(block.rows, block.every));
  auto both = [&] {
    return earlier->emitPacedSteps(block, /*starts=*/true, carried, pace);
  };
  auto single = [&] {
    storePending(ops, block.pending);
    for (int64_t r = 0; r < block.rows; ++r)
      for (int64_t v = 0; v < window.vectors; ++v)
        startSum(block.row, r, 0, v);
    return ops.loop(block.firstPause, second, 1, carried, pace);
  };
  SmallVector<Value> values =
      ops.chooseAll(carried.getTypes(), ops.likely(hasEarlier), both, single);
  PacedBlock rest = block;
  rest.firstPause = second;
  return emitPacedSteps(rest, /*starts=*/false, values, pace);
}

/// What is pending when a block of rows other than the first one starts, or the
/// first one. Strides are equal: sums of all products have rows of one group.
TileProduct::Pending TileProduct::pendingAt(Value number, Value row,
                                            const Pending &before) {
  Pending own = pendingSums(ops.sub(row, ops.index(kBlock)), kBlock, 0,
                            window.vectors, ops.boolean(true));
  Value isFirst = ops.compare(arith::CmpIPredicate::eq, number, ops.index(0));
  Value isOther = ops.compare(arith::CmpIPredicate::ne, number, ops.index(0));
  for (size_t i = 0; i < own.numbers.size(); ++i) {
    if (i >= before.numbers.size()) { // there were fewer sums before
      own.isActive[i] = isOther;
      continue;
    }
    own.isActive[i] = ops.select(isFirst, before.isActive[i], own.isActive[i]);
    own.places[i].pointer =
        ops.select(isFirst, before.places[i].pointer, own.places[i].pointer);
  }
  return own;
}

SmallVector<Value> TileProduct::emitPaced(const Paced &paced,
                                          ValueRange carried, Pace pace) {
  int64_t pausesOfBlock = pausesOfStep(kBlock, paced.every) * stepsOfBlock();
  int64_t whole = rowBlocks / kBlock;
  SmallVector<Value> next =
      ops.loop(ops.index(0), ops.index(whole), 1, carried,
               [&](Value number, ValueRange values) {
                 Value row = rowOfBlock(ops.mul(number, kBlock));
                 Value pause =
                     ops.add(ops.mul(number, pausesOfBlock), paced.first);
                 return emitPacedBlock({row, pause, kBlock, paced.every,
                                        pendingAt(number, row, paced.pending)},
                                       values, pace);
               });
  if (rowBlocks % kBlock == 0)
    return next;
  Value row = rowOfBlock(ops.index(whole * kBlock));
  Pending pending =
      whole ? pendingSums(rowOfBlock(ops.index((whole - 1) * kBlock)), kBlock,
                          0, window.vectors, ops.boolean(true))
            : paced.pending;
  return emitPacedBlock({row, ops.index(whole * pausesOfBlock + paced.first), 1,
                         paced.every, pending},
                        next, pace);
}

TileProduct::Pending TileProduct::lastSums(Value isActive) {
  int64_t rows = rowBlocks % kBlock ? 1 : kBlock;
  return pendingSums(rowOfBlock(ops.index(rowBlocks - rows)), rows, 0,
                     window.vectors, isActive);
}

/// A block of rows of sums of this half.
Value TileProduct::rowOfBlock(Value number) {
  return firstBlock ? ops.add(firstBlock, number) : number;
}

SmallVector<Value> emitPaced(Ops &ops, const Pacer &pacer, int64_t granules,
                             int64_t rows, ValueRange carried, Pace granule) {
  // As long as possible between pauses, but a pause for each granule.
  constexpr int64_t longest = 8;
  int64_t every = 1;
  while (every < longest && pacer.countPauses(every + 1) >= granules)
    ++every;
  int64_t pauses = pacer.countPauses(every);
  int64_t perPause = llvm::divideCeil(granules, pauses);
  bool isEven = perPause * pauses == granules;
  auto pace = [&](Value pause, ValueRange values) {
    Value start = ops.mul(pause, perPause * rows);
    Value end = ops.add(start, perPause * rows);
    if (!isEven)
      end = ops.min(end, ops.index(granules * rows));
    if (isEven && perPause <= 2) {
      SmallVector<Value> next = llvm::to_vector(values);
      for (int64_t i = 0; i < perPause; ++i)
        next = granule(ops.add(start, i * rows), next);
      return next;
    }
    if (perPause == 1) {
      SmallVector<Value> same = llvm::to_vector(values);
      return ops.chooseAll(
          values.getTypes(),
          ops.compare(arith::CmpIPredicate::slt, pause, ops.index(granules)),
          [&] { return granule(start, values); }, [&] { return same; });
    }
    return ops.loop(start, end, rows, values, granule);
  };
  return pacer.run(every, carried, pace);
}

} // namespace attnc::cpu
