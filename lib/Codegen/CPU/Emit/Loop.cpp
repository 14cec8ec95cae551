//===- Loop.cpp - Loops over keys, branches, and groups of vectors --------===//
//
// A tile.for becomes one loop of full tiles without any mask code and one loop
// of partial tiles, for any number of segments:
//
//   for part = 0 to 2 * segments {      // head, then full tiles and tail
//     for each full tile { body }
//     for each partial tile { body }    // ActiveVectors.cpp
//   }
//
// The part of a body that works on lanes runs for one group of vectors after
// the other, so its temporaries need the width of a group only.
// Tests: test/Codegen/CPU/loop.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/StagedLoop.h"
#include "Emit/TileProduct.h"
#include "Memory/StoreRows.h"
#include "Plan/ZeroSums.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace attnc::cpu {

using Predicate = arith::CmpIPredicate;

/// A body with so many products has the code of partial tiles only: masks take
/// a small part of its time, and a second copy takes seconds to compile.
static constexpr int64_t kManyProducts = 12;

/// The end of the groups that have queries.
static Value endOfGroups(Ops &ops, const Plan &plan, Value queries) {
  int64_t width = plan.groupWidth * plan.lanes;
  Value all = ops.index(plan.vectors * plan.lanes);
  return queries && plan.hasGroups()
             ? ops.min(ops.mul(ops.ceilDiv(queries, width), width), all)
             : all;
}

void Emitter::forEachGroup(const Window *window,
                           llvm::function_ref<void(Window)> body) {
  if (window)
    return body(*window);
  ops.loop(ops.index(0), endOfGroups(ops, plan, queries),
           plan.groupWidth * lanes(),
           [&](Value first) { body({first, plan.groupWidth}); });
}

void Emitter::forEachVector(const Window *window,
                            llvm::function_ref<void(Window)> body) {
  if (!window) {
    ops.loop(ops.index(0), endOfGroups(ops, plan, queries), lanes(),
             [&](Value first) { body({first, 1}); });
    return;
  }
  for (int64_t v = 0; v < window->vectors; ++v)
    body({ops.add(window->first, v * lanes()), 1, window->local + v});
}

/// Remembers how many elements along the dims of a tile are in use.
void Emitter::noteExtents(Operation *op, tile::TileType type, ArrayAttr dims,
                          ValueRange valid) {
  for (auto [dim, value] : llvm::zip(dims.getAsRange<StringAttr>(), valid)) {
    if (dim == kLaneDim)
      continue;
    Value extent = scalars.lookup(value);
    std::optional<int64_t> fixed = constantOf(extent);
    int64_t size = *type.getDimSize(dim);
    if (fixed && *fixed >= size)
      continue;
    Value &known = extents[dim];
    if (known && known != extent && !(fixed && constantOf(known) == fixed)) {
      op->emitOpError("has a different valid extent along ")
          << dim << " than the tiles before it";
      failed = true;
    }
    known = extent;
  }
}

/// The run-time number of elements in use along a dim, or null: all.
Value Emitter::extentOf(StringAttr dim, int64_t size) {
  Value extent = extents.lookup(dim);
  return extent ? ops.min(extent, ops.index(size)) : extent;
}

/// The first element along a dim that the vectors at hand need.
Value Emitter::beginOf(StringAttr dim) {
  bool isSeen = seen.end && extents.lookup(dim) == seen.end;
  return isSeen ? seen.begin : ops.index(0);
}

void Emitter::emitItems(Block &block, const Window *window) {
  auto outside = extents;
  for (const Item &item : plan.items.find(&block)->second)
    emitItem(item, window);
  extents = std::move(outside);
}

void Emitter::emitItem(const Item &item, const Window *window) {
  Operation *op = item.ops.front();
  ops.loc = op->getLoc();
  switch (item.kind) {
  case ItemKind::Scalar:
    return emitScalar(op);
  case ItemKind::Nest:
    for (Operation *inner : item.ops)
      if (auto select = dyn_cast<tile::SelectMaskedOp>(inner))
        noteExtents(inner, select.getResult().getType(), select.getValidDims(),
                    select.getValid());
    if (item.space.distances)
      return emitDistances(item);
    if (!item.space.lanes)
      return emitNest(item, {ops.index(0), 1});
    if (readsMuch(item) && !window)
      return forEachVector(window, [&](Window w) { emitNest(item, w); });
    return forEachGroup(window, [&](Window w) { emitNest(item, w); });
  case ItemKind::Rows:
  case ItemKind::LaneLoad: {
    auto load = cast<tile::LoadOp>(op);
    noteExtents(op, load.getResult().getType(), load.getValidDims(),
                load.getValid());
    if (plan.transposedCopies.contains(load.getResult()))
      return; // its store loads
    return item.kind == ItemKind::Rows ? emitRows(load)
                                       : emitLaneLoad(load, window);
  }
  case ItemKind::Tiles:
    return forEachGroup(window, [&](Window w) { emitTiles(item.ops, w); });
  case ItemKind::Store: {
    auto store = cast<tile::StoreOp>(op);
    if (!plan.direct.contains(store.getValue()))
      return emitStore(store, window);
    return ops.branch(
        RowStorer(*this, store).isDirect(), [] {},
        [&] { emitStore(store, window); });
  }
  case ItemKind::AnyNan:
    return emitAnyNan(cast<tile::AnyNanOp>(op), window);
  case ItemKind::For:
    return emitFor(cast<tile::ForOp>(op), window);
  case ItemKind::If:
    return emitIf(cast<scf::IfOp>(op), window);
  case ItemKind::Passes:
    return emitPasses(cast<scf::ForOp>(op), window);
  }
}

//===----------------------------------------------------------------------===//
// tile.for
//===----------------------------------------------------------------------===//

/// Whether the first tile of a loop that has one stores sums from zero on.
static bool startsFromZero(LoopLikeOpInterface loop, Value carried,
                           const Plan &plan, tile::CpuAttr target,
                           const IRMapping &scalars) {
  auto dot = carried.hasOneUse() ? dyn_cast<tile::DotOp>(*carried.user_begin())
                                 : tile::DotOp();
  if (!dot || dot.getAcc() != carried ||
      loopFromZero(dot, plan, target) != loop)
    return false;
  ValueRange bounds = cast<tile::ForOp>(loop).getSegment(0);
  std::optional<int64_t> low = constantOf(scalars.lookup(bounds[0])),
                         high = constantOf(scalars.lookup(bounds[3]));
  return low && high && *low < *high;
}

/// Whether two bounds are the same in every segment.
static bool alwaysEqual(tile::ForOp loop, unsigned a, unsigned b) {
  for (unsigned s = 0; s < loop.getNumSegments(); ++s) {
    Value left = loop.getSegment(s)[a], right = loop.getSegment(s)[b];
    std::optional<int64_t> fixed = constantOf(left);
    if (left != right && !(fixed && constantOf(right) == fixed))
      return false;
  }
  return true;
}

/// Whether the body of a loop is emitted for partial tiles only.
static bool hasPartialTilesOnly(tile::ForOp loop, bool isCold) {
  return isCold ||
         llvm::range_size(loop.getBody().front().getOps<tile::DotOp>()) >=
             kManyProducts;
}

/// The sums of values that the first tile of a pipeline starts from zero, so
/// that zeros are stored only if it has no tile; or null. All full tiles are in
/// one pipeline of one group, with nothing before them.
static Value zeroSumsOf(tile::ForOp loop, const Plan &plan) {
  auto staged = plan.staged.find(loop);
  if (staged == plan.staged.end() || plan.hasGroups() || loop.hasClassify() ||
      loop.getNumSegments() != 1 || alwaysEqual(loop, 1, 2) ||
      !alwaysEqual(loop, 0, 1))
    return {};
  const std::vector<Item> &items =
      plan.items.find(&loop.getBody().front())->second;
  Value sums;
  for (size_t i : staged->second.of(Stage::Values)) {
    if (items[i].kind != ItemKind::Tiles)
      continue;
    if (sums)
      return {};
    sums = cast<tile::DotOp>(items[i].ops.front()).getAcc();
  }
  if (auto rescale = sums ? sums.getDefiningOp<tile::RescaleOp>() : nullptr)
    sums = rescale.getValue();
  return sums && sums.hasOneUse() && isCarriedFromZero(loop, sums) ? sums
                                                                   : Value();
}

/// Copies what a loop starts with to where it carries it.
void Emitter::emitInits(LoopLikeOpInterface loop, const Window *window) {
  auto keys = dyn_cast<tile::ForOp>(loop.getOperation());
  Value later = keys && !window && !hasPartialTilesOnly(keys, isCold)
                    ? zeroSumsOf(keys, plan)
                    : Value();
  for (auto [init, result, carried] : llvm::zip(
           loop.getInits(), *loop.getLoopResults(), loop.getRegionIterArgs())) {
    if (startsFromZero(loop, carried, plan, target, scalars) ||
        carried == later)
      continue;
    const Slot &to = plan.slots.find(result)->second;
    auto from = plan.slots.find(init);
    if (from != plan.slots.end() && from->second.offset == to.offset)
      continue;
    forEachGroup(window, [&, init = init](Window w) { copyTile(init, to, w); });
  }
}

void Emitter::emitFor(tile::ForOp loop, const Window *window) {
  findAhead(loop, window);
  copyQueryRowsOf(loop);
  copySmallTables(loop);
  emitInits(loop, window);
  // The bounds of each segment, then its `within`.
  std::vector<SmallVector<Value>> segments(loop.getNumSegments());
  for (auto [s, segment] : llvm::enumerate(segments)) {
    llvm::append_range(segment, loop.getSegment(s));
    if (!loop.getWithin().empty())
      llvm::append_range(segment, loop.getWithin().slice(2 * s, 2));
    for (Value &bound : segment)
      bound = scalars.lookup(bound);
  }
  if (segments.size() == 1)
    return emitSegment(loop, segments[0], window);
  ops.loop(ops.index(0), ops.index(segments.size()), 1, [&](Value number) {
    SmallVector<Value> chosen = segments[0];
    for (unsigned s = 1; s < segments.size(); ++s) {
      Value isThis = ops.compare(Predicate::eq, number, ops.index(s));
      for (auto [bound, other] : llvm::zip_equal(chosen, segments[s]))
        bound = ops.select(isThis, other, bound);
    }
    emitSegment(loop, chosen, window);
  });
}

void Emitter::emitSegment(tile::ForOp loop, ValueRange bounds,
                          const Window *window) {
  int64_t step = loop.getStep(), partialStep = loop.getPartialStep();
  Value anyLow = bounds[0], anyHigh = bounds[3];
  auto emitPartial = [&](Value low, Value high) {
    int64_t most = skipsLanes(loop, window) ? step : partialStep;
    ops.loop(low, high, most, [&](Value first) {
      Value count = ops.min(ops.sub(high, first), ops.index(most));
      emitKeys(loop, first, count, true, window);
    });
  };
  firstFull = isSingle = {}; // nothing is fetched ahead without full tiles
  if (hasPartialTilesOnly(loop, isCold))
    return emitPartial(anyLow, anyHigh);
  Value allLow = ops.min(ops.max(bounds[1], anyLow), anyHigh);
  Value allHigh = ops.min(ops.max(bounds[2], allLow), anyHigh);
  bool hasFull = !alwaysEqual(loop, 1, 2), hasHead = !alwaysEqual(loop, 0, 1);
  Value zero = ops.index(0);
  Value full = hasFull
                   ? ops.max(ops.floorDiv(ops.sub(allHigh, allLow), step), zero)
                   : zero;
  Value isAny = ops.compare(Predicate::sgt, full, zero);
  Value headEnd = ops.select(isAny, allLow, anyLow);
  Value tailStart =
      ops.select(isAny, ops.add(allLow, ops.mul(full, step)), anyLow);
  bool isStaged = hasFull && !window && plan.staged.contains(loop);
  StagedTiles tiles{allLow, full, zero, zero};
  if (isStaged && !loop.getWithin().empty() && !plan.hasGroups()) {
    // Tiles of masked keys that lie where keys may be loaded.
    auto countTiles = [&](Value keys, Value room) {
      Value needed = ops.ceilDiv(ops.max(keys, zero), step);
      Value there = ops.floorDiv(ops.max(room, zero), step);
      return ops.select(isAny, ops.min(needed, there), zero);
    };
    Value low = bounds[4], high = bounds[5];
    tiles.behind =
        countTiles(ops.sub(anyHigh, tailStart), ops.sub(high, tailStart));
    tailStart = ops.add(tailStart, ops.mul(tiles.behind, step));
    if (hasHead) {
      tiles.before = countTiles(ops.sub(allLow, anyLow), ops.sub(allLow, low));
      headEnd = ops.sub(headEnd, ops.mul(tiles.before, step));
    }
  }
  firstFull = allLow;
  isSingle = ops.compare(Predicate::sle, full, ops.index(1));
  size_t known = ahead.size();
  if (hasFull)
    findNewKeys(loop, anyLow);
  llvm::scope_exit forget([&] { ahead.truncate(known); });
  auto zeroSums = [&](tile::ForOp loop, Value sums) {
    auto place = llvm::find(loop.getRegionIterArgs(), sums) -
                 loop.getRegionIterArgs().begin();
    forEachGroup(nullptr, [&](Window group) {
      copyTile(loop.getInits()[place],
               plan.slots.find(loop.getResult(place))->second, group);
    });
  };
  auto emitPart = [&](Value low, Value high, Value fullTiles) {
    if (loop.hasClassify())
      return emitPieces(loop, allLow, fullTiles, low, high, window);
    if (isStaged) {
      Value runs = ops.compare(Predicate::sgt, fullTiles, zero);
      Value sums = zeroSumsOf(loop, plan);
      if (sums)
        ops.branch(runs, [] {}, [&] { zeroSums(loop, sums); });
      emitStaged(*this, loop,
                 {allLow, fullTiles, ops.select(runs, tiles.behind, zero),
                  ops.select(runs, tiles.before, zero), bool(sums)});
    } else if (hasFull)
      ops.loop(zero, fullTiles, 1, [&](Value number) {
        emitKeys(loop, ops.add(allLow, ops.mul(number, step)), ops.index(step),
                 false, window);
      });
    emitPartial(low, high);
  };
  if (!hasHead || !hasFull)
    return emitPart(tailStart, anyHigh, full);
  ops.loop(zero, ops.index(2), 1, [&](Value part) {
    Value isHead = ops.compare(Predicate::eq, part, zero);
    emitPart(ops.select(isHead, anyLow, tailStart),
             ops.select(isHead, headEnd, anyHigh),
             ops.select(isHead, zero, full));
  });
}

/// What `classify` says of the keys [first, end).
Value Emitter::emitClass(tile::ForOp loop, Value first, Value end) {
  Block &block = loop.getClassify().front();
  scalars.map(block.getArgument(0), first);
  scalars.map(block.getArgument(1), end);
  for (Operation &op : block.without_terminator())
    emitScalar(&op);
  return scalars.lookup(block.getTerminator()->getOperand(0));
}

/// `full` tiles from `allLow` on that are known to be full, then pieces of
/// [low, high) that are classified. One loop, so that the code of a full tile
/// is there once.
void Emitter::emitPieces(tile::ForOp loop, Value allLow, Value full, Value low,
                         Value high, const Window *window) {
  int64_t step = loop.getStep(), partialStep = loop.getPartialStep();
  Value zero = ops.index(0);
  Value pieces = ops.max(ops.ceilDiv(ops.sub(high, low), step), zero);
  ops.loop(zero, ops.add(full, pieces), 1, [&](Value number) {
    Value known = ops.compare(Predicate::slt, number, full);
    Value piece = ops.add(low, ops.mul(ops.sub(number, full), step));
    Value first =
        ops.select(known, ops.add(allLow, ops.mul(number, step)), piece);
    Value rest = ops.min(ops.add(first, step), high);
    Value end = ops.select(known, ops.add(first, step), rest);
    Value found = ops.choose(
        ops.getIndexType(), known, [&] { return ops.index(2); },
        [&] { return emitClass(loop, first, end); });
    Value isFull = ops.logicalAnd(
        ops.compare(Predicate::eq, found, ops.index(2)),
        ops.compare(Predicate::eq, ops.sub(end, first), ops.index(step)));
    ops.branch(
        isFull, [&] { emitKeys(loop, first, ops.index(step), false, window); },
        [&] {
          Value isEmpty = ops.compare(Predicate::eq, found, zero);
          Value last = ops.select(isEmpty, first, end);
          ops.loop(first, last, partialStep, [&](Value at) {
            Value count = ops.min(ops.sub(end, at), ops.index(partialStep));
            Value part = emitClass(loop, at, ops.add(at, count));
            ops.branch(ops.compare(Predicate::ne, part, zero),
                       [&] { emitKeys(loop, at, count, true, window); });
          });
        });
  });
}

void Emitter::emitKeys(tile::ForOp loop, Value first, Value count, bool partial,
                       const Window *window) {
  scalars.map(loop.getKeyStart(), first);
  scalars.map(loop.getKeyCount(), count);
  scalars.map(loop.getPartial(), ops.boolean(partial));
  auto outside = extents;
  Block &body = loop.getBody().front();
  const std::vector<Item> &items = plan.items.find(&body)->second;
  for (const Item &item : items)
    if (!item.onLanes())
      emitItem(item, nullptr);
  if (partial && skipsLanes(loop, window))
    emitActive(loop);
  else
    forEachGroup(window, [&](Window w) { emitLanes(loop, w); });
  extents = std::move(outside);
}

void Emitter::emitLanes(tile::ForOp loop, Window window) {
  Block &body = loop.getBody().front();
  SmallVector<const Item *> items;
  for (const Item &item : plan.items.find(&body)->second)
    if (item.onLanes())
      items.push_back(&item);
  for (size_t i = 0; i < items.size(); ++i) {
    const Item *next = i + 1 < items.size() ? items[i + 1] : nullptr;
    if (next && TileProduct::emitBoth(*this, *items[i], *next, window))
      ++i;
    else
      emitItem(*items[i], &window);
  }
  emitYields(body, loop.getResults(), window);
}

/// Copies what a block yields to where the results are expected.
void Emitter::emitYields(Block &block, ValueRange results, Window window) {
  for (auto [value, result] :
       llvm::zip(block.getTerminator()->getOperands(), results)) {
    auto to = plan.slots.find(result);
    if (to == plan.slots.end())
      continue;
    auto from = plan.slots.find(value);
    if (from == plan.slots.end() || from->second.offset != to->second.offset)
      copyTile(value, to->second, window);
  }
}

//===----------------------------------------------------------------------===//
// scf.for
//===----------------------------------------------------------------------===//

/// Passes over the keys that depend on each other: their code is there once.
void Emitter::emitPasses(scf::ForOp loop, const Window *window) {
  emitInits(loop, window);
  ops.loop(scalars.lookup(loop.getLowerBound()),
           scalars.lookup(loop.getUpperBound()),
           loop.getConstantStep()->getSExtValue(), [&](Value number) {
             scalars.map(loop.getInductionVar(), number);
             Block &body = *loop.getBody();
             emitItems(body, window);
             forEachGroup(window, [&](Window w) {
               emitYields(body, loop.getResults(), w);
             });
           });
}

//===----------------------------------------------------------------------===//
// scf.if
//===----------------------------------------------------------------------===//

/// Whether a branch multiplies the values again, because the block has a NaN:
/// those that are not masked, or, of products on the matrix unit, operands as
/// they are stored.
static bool isSecondTry(scf::IfOp branch, const Plan &plan) {
  return branch.getCondition().getDefiningOp<tile::AnyNanOp>() &&
         branch.getThenRegion()
             .walk([&](tile::DotOp dot) {
               return dot.getMask() || plan.hasTiles ? WalkResult::interrupt()
                                                     : WalkResult::advance();
             })
             .wasInterrupted();
}

/// Branches that make something run for single vectors: what they hold is small
/// or seldom. The second try of a block with a NaN is cold: it has the code of
/// partial tiles only, with small register tiles (of gemma2-local it was 42 %
/// of all code). One that makes nothing holds all that is left of a block; if a
/// loop in it stores tile after tile, as of pairs, it runs for single vectors,
/// too.
void Emitter::emitIf(scf::IfOp branch, const Window *window) {
  SmallVector<Type> types;
  for (Type type : branch.getResultTypes())
    if (!isa<tile::TileType>(type))
      types.push_back(type);
  auto emitBlock = [&](Block &block) {
    bool heavy = llvm::any_of(plan.items.find(&block)->second, [](auto &item) {
      return item.kind == ItemKind::For || item.kind == ItemKind::Passes ||
             item.kind == ItemKind::Tiles ||
             (item.kind == ItemKind::Nest && item.space.lanes);
    });
    bool storesInLoop =
        llvm::any_of(block.getOps<tile::ForOp>(), [](tile::ForOp loop) {
          return loop->getNumResults() == 0;
        });
    bool isSmall = branch->getNumResults() > 0 || storesInLoop;
    if (heavy && types.empty() && isSmall)
      forEachVector(window, [&](Window w) {
        emitItems(block, &w);
        emitYields(block, branch.getResults(), w);
      });
    else {
      emitItems(block, window);
      forEachGroup(
          window, [&](Window w) { emitYields(block, branch.getResults(), w); });
    }
    SmallVector<Value> results;
    for (Value value : block.getTerminator()->getOperands())
      if (!isa<tile::TileType>(value.getType()))
        results.push_back(scalars.lookup(value));
    return results;
  };
  bool wasCold = isCold;
  isCold |= isSecondTry(branch, plan);
  llvm::scope_exit restore([&] { isCold = wasCold; });
  Value condition = scalars.lookup(branch.getCondition());
  auto op = scf::IfOp::create(ops, ops.loc, types, condition,
                              /*addThenBlock=*/true,
                              /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(ops);
  Location loc = ops.loc;
  for (auto [from, to] : llvm::zip(branch->getRegions(), op->getRegions())) {
    ops.setInsertionPointToStart(&to.front());
    SmallVector<Value> results;
    if (!from.empty())
      results = emitBlock(from.front());
    scf::YieldOp::create(ops, loc, results);
  }
  unsigned place = 0;
  for (Value result : branch.getResults())
    if (!isa<tile::TileType>(result.getType()))
      scalars.map(result, op.getResult(place++));
}

} // namespace attnc::cpu
