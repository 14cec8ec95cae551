//===- Consumers.cpp - Tiles that producers copy for the others -----------===//
//---------------===//
//
// Consumers wait for the tiles of their loops, full and partial ones in one
// loop, so that each product of values is computed during the softmax of the
// next tile (Overlap.cpp), at the edges of a mask, too:
//
//   for n = 0 to the number of tiles {
//     start S(n) = Q K(n)
//     start O += P(n - 1) V(n - 1)
//     wait for S(n)
//     if tile n is partial { mask S(n) }
//     ...
//   }
//
// Tests: test/Codegen/NVPTX/consumers.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

using namespace mlir;

namespace attnc::ptx {

using Predicate = arith::CmpIPredicate;

static constexpr int64_t kWarp = 32;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static SmallVector<tile::LoadOp> loadsOf(const Stream &stream) {
  return llvm::map_to_vector(stream.rings,
                             [](const Ring &ring) { return ring.load; });
}

/// Whether what comes from the places of `dim` that are not valid is masked.
static bool isMaskedLater(Value tile, StringAttr dim) {
  return llvm::all_of(tile.getUsers(), [&](Operation *user) {
    if (auto select = dyn_cast<tile::SelectMaskedOp>(user))
      return llvm::is_contained(select.getValidDims(), Attribute(dim));
    if (auto dot = dyn_cast<tile::DotOp>(user); dot && dot.getSum() == dim)
      return false;
    return isa<tile::DotOp, tile::MapOp>(user) &&
           isMaskedLater(user->getResult(0), dim);
  });
}

/// Whether full and partial tiles of the loop are in one. Pieces that
/// `classify` leaves out have no place there, and of the loads that come before
/// a turn nothing is cleared.
bool Emitter::overlapsPartial(tile::ForOp loop) {
  SmallVector<tile::LoadOp> loads = loadsOf(*stream);
  std::optional<LateProduct> product = findLate(loop, loads);
  return product && !loop.hasClassify() &&
         loop.getStep() == loop.getPartialStep() &&
         llvm::all_of(loads, [&](tile::LoadOp load) {
           return load == product->columns ||
                  llvm::all_of(
                      load.getValidDims().getAsRange<StringAttr>(),
                      [&](StringAttr dim) { return isMaskedLater(load, dim); });
         });
}

namespace {
/// Tiles up to the number `end`: their keys begin at `first` + number * step
/// and are below `high`.
struct Run {
  Value end, first, high;
  bool isPartial;
};
} // namespace

/// The tiles of `parts` in order.
static SmallVector<Run> findRuns(Builder &b, ArrayRef<Part> parts,
                                 int64_t step) {
  SmallVector<Run> runs;
  Value begin = b.index(0);
  auto add = [&](Value first, Value count, Value high, bool isPartial) {
    if (constantOf(count) == 0)
      return;
    Value end = b.add(begin, count);
    runs.push_back({end, b.sub(first, b.mul(begin, step)), high, isPartial});
    begin = end;
  };
  for (const Part &part : parts) {
    add(part.first, part.full, b.add(part.first, b.mul(part.full, step)),
        /*isPartial=*/false);
    if (part.low)
      add(part.low,
          b.max(b.ceilDiv(b.sub(part.high, part.low), step), b.index(0)),
          part.high, /*isPartial=*/true);
  }
  return runs;
}

/// The wait for the next keys stands between the softmax and the wait for the
/// values, where its branches keep ptxas from moving the latter.
SmallVector<Value> Emitter::emitConsumed(tile::ForOp loop, ArrayRef<Part> parts,
                                         ValueRange carried) {
  int64_t step = loop.getStep();
  SmallVector<Run> runs = findRuns(b, parts, step);
  if (runs.empty())
    return SmallVector<Value>(carried);
  Value end = runs.back().end;
  SmallVector<tile::LoadOp> loads = loadsOf(*stream);
  std::optional<LateProduct> outer = std::move(late);
  late = findLate(loop, loads);
  auto waitForScores = [&] {
    for (Ring &ring : stream->rings)
      if (ring.load != late->columns)
        waitFull(ring);
  };
  auto findTiles = [&](Value) {
    for (Ring &ring : stream->rings) {
      tiles[ring.load] = {ring.load.getType(), {}, bufferOf(ring), {}};
      ahead.insert(ring.load);
    }
  };
  auto emitNumber = [&](Value number, ValueRange inner) {
    Run run = runs.back();
    Value isPartial = b.boolean(run.isPartial);
    for (const Run &before : llvm::reverse(ArrayRef(runs).drop_back())) {
      Value isBefore = b.compare(Predicate::slt, number, before.end);
      run.first = b.select(isBefore, before.first, run.first);
      run.high = b.select(isBefore, before.high, run.high);
      isPartial = b.select(isBefore, b.boolean(before.isPartial), isPartial);
    }
    Value first = b.add(run.first, b.mul(number, step)), count = b.index(step);
    if (constantOf(isPartial) != 0)
      count = b.min(b.sub(run.high, first), count);
    return emitTile(loop, first, count, isPartial, inner);
  };
  auto emitAt = [&](Value number, ValueRange inner) {
    if (late) {
      if (constantOf(number) == 0)
        waitForScores();
      findTiles(number);
      late->copyNext = [&, number] {
        b.branch(b.compare(Predicate::slt, b.add(number, 1), end),
                 waitForScores);
      };
    }
    return emitNumber(number, inner);
  };
  SmallVector<Value> results =
      late ? emitOverlapped(loop, end, carried, emitAt, findTiles)
           : b.loop(b.index(0), end, b.index(1), carried, emitAt);
  late = std::move(outer);
  for (tile::LoadOp load : loads)
    ahead.erase(load);
  return results;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//
//
// With `ping_pong` a warpgroup starts its products only after the one before
// it, so that it computes its softmax while the next one's products run. Each
// has a named barrier, where its predecessor arrives.

static constexpr int64_t kFirstTurn = 2;

static Value barrierOfTurn(Builder &b, Value group) {
  return b.toI32(b.add(group, kFirstTurn));
}

void Emitter::takeTurn() {
  if (!stream || !layout.getTarget().getPingPong())
    return;
  b.intrinsic("barrier.cta.sync.aligned.count",
              {barrierOfTurn(b, b.floorDiv(warp, 4)), b.i32(2 * 4 * kWarp)});
}

void Emitter::passTurn() {
  if (!stream || !layout.getTarget().getPingPong())
    return;
  int64_t groups = layout.getTarget().getWarps() / 4;
  Value next = b.add(b.floorDiv(warp, 4), 1);
  next = b.select(b.compare(Predicate::eq, next, groups), b.index(0), next);
  b.intrinsic("barrier.cta.arrive.aligned.count",
              {barrierOfTurn(b, next), b.i32(2 * 4 * kWarp)});
}

/// The last warpgroup lets the first one start, once that has taken its last
/// turn of the loop before.
void Emitter::beginTurns() {
  if (!stream || !layout.getTarget().getPingPong())
    return;
  int64_t groups = layout.getTarget().getWarps() / 4;
  b.barrier();
  b.branch(b.compare(Predicate::eq, b.floorDiv(warp, 4), groups - 1),
           [&] { passTurn(); });
}

/// And its last turn is passed to nobody.
void Emitter::endTurns() {
  if (!stream || !layout.getTarget().getPingPong())
    return;
  b.branch(b.compare(Predicate::eq, b.floorDiv(warp, 4), 0),
           [&] { takeTurn(); });
}

} // namespace attnc::ptx
