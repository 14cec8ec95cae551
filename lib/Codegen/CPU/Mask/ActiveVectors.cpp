//===- ActiveVectors.cpp - Key range of each vector in a partial tile -----===//
//
// With lane_skip a partial tile has as many keys as a full one. For each vector
// of queries it is asked piece by piece of at most `partial_step` keys whether
// the vector sees one (LaneActivity.cpp), and
//
//   if all vectors see the first and the last piece { body for all together }
//   else for each vector { body from its first to its last piece }
//
// so the tile of a causal diagonal costs little more than its triangle, and O
// is read and written once per tile, not per piece. A register tile of one
// vector has more rows instead (granuleRows in EmitNest.cpp).
// Tests: test/Codegen/CPU/lane-skip.mlir
//
//===----------------------------------------------------------------------===//

#include "Mask/LaneActivity.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace attnc::cpu {

using Predicate = arith::CmpIPredicate;

/// The only select_masked of a loop that is on in its partial tiles.
static tile::SelectMaskedOp findMask(tile::ForOp loop) {
  tile::SelectMaskedOp found;
  for (auto select : loop.getBody().front().getOps<tile::SelectMaskedOp>()) {
    if (found || select.getPartial() != loop.getPartial() ||
        !select.getResult().getType().hasDim(kLaneDim))
      return {};
    found = select;
  }
  return found;
}

/// Whether partial tiles leave out what vectors do not see.
bool Emitter::skipsLanes(tile::ForOp loop, const Window *window) {
  return !window && target.getLaneSkip() && findMask(loop);
}

/// Keys of a piece: no register tile of one vector has fewer rows.
static int64_t pieceOf(tile::ForOp loop, const Plan &plan) {
  auto rows = int64_t(llvm::bit_floor(uint64_t(plan.extraRows + 1)));
  return std::min<int64_t>(loop.getPartialStep(), rows);
}

/// The keys of the tile at hand from the first to the last piece that a vector
/// of queries sees; none: the end is 0.
KeyRange Emitter::activeKeys(tile::ForOp loop, Window vector) {
  int64_t piece = pieceOf(loop, plan);
  Value count = scalars.lookup(loop.getKeyCount()), zero = ops.index(0);
  SmallVector<Value> found =
      ops.loop(zero, count, piece, {count, zero},
               [&](Value at, ValueRange range) -> SmallVector<Value> {
                 Value end = ops.min(ops.add(at, piece), count);
                 LaneActivity activity(*this);
                 Value kept =
                     activity.anyKept(findMask(loop), vector, {at, end}, piece);
                 return {ops.select(kept, ops.min(range[0], at), range[0]),
                         ops.select(kept, end, range[1])};
               });
  return {found[0], found[1]};
}

void Emitter::emitActive(tile::ForOp loop) {
  Value count = scalars.lookup(loop.getKeyCount());
  LaneActivity activity(*this);
  int64_t piece = pieceOf(loop, plan);
  KeyRange first{ops.index(0), ops.min(ops.index(piece), count)};
  if (constantOf(
          activity.anyKept(findMask(loop), {ops.index(0), 1}, first, piece)))
    return forEachGroup(nullptr, [&](Window w) { emitLanes(loop, w); });
  forEachGroup(nullptr, [&](Window group) {
    SmallVector<KeyRange> keys;
    Value all = ops.boolean(plan.vectors > 1);
    for (int64_t v = 0; v < group.vectors; ++v) {
      Window vector{ops.add(group.first, v * lanes()), 1, group.local + v};
      keys.push_back(activeKeys(loop, vector));
      Value number = ops.sub(keys.back().end, keys.back().begin);
      all = ops.logicalAnd(ops.compare(Predicate::sge, number, count), all);
    }
    ops.branch(
        all, [&] { emitLanes(loop, group); },
        [&] { emitApart(loop, group, keys); });
  });
}

/// The body for each vector of a group that sees keys, with only these.
void Emitter::emitApart(tile::ForOp loop, Window group,
                        ArrayRef<KeyRange> keys) {
  Value count = scalars.lookup(loop.getKeyCount());
  ops.loop(ops.index(0), ops.index(group.vectors), 1, [&](Value v) {
    KeyRange own = keys[0];
    for (int64_t other = 1; other < group.vectors; ++other) {
      Value isThis = ops.compare(Predicate::eq, v, ops.index(other));
      own.begin = ops.select(isThis, keys[other].begin, own.begin);
      own.end = ops.select(isThis, keys[other].end, own.end);
    }
    ops.branch(ops.compare(Predicate::slt, own.begin, own.end), [&] {
      auto outside = extents;
      for (auto &[dim, extent] : extents)
        if (extent == count)
          extent = own.end;
      scalars.map(loop.getKeyCount(), own.end);
      seen = own;
      emitLanes(loop, {ops.add(group.first, ops.mul(v, lanes())), 1});
      seen = {};
      scalars.map(loop.getKeyCount(), count);
      extents = std::move(outside);
    });
  });
}

} // namespace attnc::cpu
