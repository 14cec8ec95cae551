//===- StagedLoop.cpp - Full tiles as a pipeline of three stages ----------===//
//
// The tiles of a loop over keys whose body has stages (Plan/Stages.cpp):
//
//   Scores(0)
//   for t = 0 to tiles
//     Weights(t), beside Values(t - 1) and Scores(t + 1) if they exist
//   Values(tiles - 1)
//
// or half of the values of tiles t - 2 and t - 1 (Stages/PairedValues.cpp). So
// the matrix unit computes while vectors are exponentiated. "Beside" is the
// last nest of the weights: a step of a product is followed by as many of its
// granules as spread it evenly (Pacer.h).
//
// With a steady maximum (Plan/SteadyMaximum.cpp) the weights of a tile are made
// with the maximum of the tiles before, which takes no pass over scores; those
// of the first one with the maximum of some of its keys. A sum of weights over
// the limit shows that one is large; then all is done again with the maximum of
// the tile, with nothing beside it.
//
// Scores that depend on the distance are mostly largest next to the query, as
// with ALiBi, which is at the end of the keys if the mask is causal. So their
// full tiles run from the last one on: most maxima then stay. A term that grows
// with the distance has more tiles done again instead.
//
// Blocks of several groups of vectors run it once for each group, over as many
// tiles as stay in L2 for the groups that follow.
//
// A store of sums right behind their last product would stall the unit. So the
// last sums of a product are pending: they are stored when the next product
// uses their registers, in the next turn if need be.
//
// Tests: test/Codegen/CPU/Emit/stages.mlir, steady-maximum.mlir,
// distance-order.test
//
//===----------------------------------------------------------------------===//

#include "Emit/StagedLoop.h"
#include "Emit/FetchHead.h"
#include "Emit/TileProduct.h"
#include "Stages/FixedPointWeights.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace attnc::cpu {

using Predicate = arith::CmpIPredicate;

/// Bytes of keys and values of a pass: a quarter of the 2 MB of L2 that
/// processors with a matrix unit have, next to the sums of all groups.
static constexpr int64_t kPassBytes = 512 * 1024;

/// Writes one loop.
class StagedLoop {
public:
  StagedLoop(Emitter &emitter, tile::ForOp loop, const StagedTiles &tiles,
             Window window)
      : emitter(emitter), ops(emitter.ops), loop(loop), tiles(tiles),
        begin(ops.add(tiles.full, tiles.behind)),
        count(ops.add(begin, tiles.before)), body(loop.getBody().front()),
        stages(emitter.plan.staged.find(loop)->second),
        items(emitter.plan.items.find(&body)->second), window(window),
        isReversed(stages.steady && dependOnDistance(loop)),
        isPaired(stages.rescaling.has_value()), nextHead(emitter, loop, count) {
  }
  void emit();
  static void emitPasses(Emitter &emitter, tile::ForOp loop,
                         const StagedTiles &tiles);

private:
  using Pending = TileProduct::Pending;
  /// A product beside a nest, if `isActive`.
  struct Paced {
    TileProduct product;
    Value isActive;
  };

  void setTile(Value number);
  SmallVector<const Item *> start(Stage stage, Value number, Value isActive);
  TileProduct productOf(const Item &item, Stage stage, Value number);
  TileProduct halfOfValues(Value tile, Value half);
  TileProduct pairOfValues(Value number, Value isActive);
  void addMissingValues(Value number, const Pending &pending);
  void emitLastValues();
  Pending runAlone(TileProduct &product, const Pending &before, Pace pace = {});
  Pending runLast(TileProduct &product);
  Pending emitAlone(Stage stage, Value number);
  void emitWhole(Stage stage, Value number);
  bool isInPlace(Value yielded, Value result) const;
  bool isOf(Stage stage, Value yielded) const;
  void emitYields(Stage stage);
  SmallVector<Value> runProducts(std::vector<Paced> &products, int64_t every,
                                 ValueRange carried, Pace pace,
                                 Pending &pending);
  void emitPacedNest(const Item &nest, Value number, Pending &pending,
                     FixedPointWeights *fixedPoint = nullptr);
  void emitWeights(llvm::function_ref<void(const Item &)> emitPaced);
  SmallVector<Value> rowOf(Value tile);
  Value isEmpty(Value maximum);
  Value needsMaximum(FixedPointWeights *fixedPoint);
  void emitSteadyWeights(Value number, Pending &pending);
  void emitFirstMaximum();
  void emitTurn(Value number, Pending &pending);
  bool mayStayPending();
  void emitTurns(Pending pending);

  Emitter &emitter;
  Ops &ops;
  tile::ForOp loop;
  StagedTiles tiles;
  Value begin; // number of the first tile before the full ones
  Value count;
  Block &body;
  const StagedBody &stages;
  const std::vector<Item> &items;
  Window window;
  bool isReversed;
  bool isPaired; // values are added for two tiles at once
  Value hasPair; // no turn has added the values of the last but one tile
  FetchHead nextHead;
};

/// Maps the arguments of the body to tile `number`.
void StagedLoop::setTile(Value number) {
  // Those before the first one have the numbers -1, -2, ... on the axis.
  bool hasOthers = !loop.getWithin().empty() && constantOf(number) != 0;
  Value place = number;
  if (isReversed) // full tiles from the last one on
    place =
        ops.select(ops.compare(Predicate::slt, number, tiles.full),
                   ops.sub(ops.sub(tiles.full, ops.index(1)), number), number);
  if (hasOthers)
    place = ops.select(ops.compare(Predicate::sge, number, begin),
                       ops.sub(ops.sub(begin, number), ops.index(1)), place);
  Value key = ops.add(tiles.first, ops.mul(place, int64_t(loop.getStep())));
  emitter.scalars.map(loop.getKeyStart(), key);
  emitter.scalars.map(loop.getKeyCount(), ops.index(loop.getStep()));
  emitter.scalars.map(
      loop.getPartial(),
      hasOthers ? ops.unlikely(ops.compare(Predicate::sge, number, tiles.full))
                : ops.boolean(false));
  emitter.turn = number;
}

/// Emits all of a stage of tile `number` but its products, which it returns.
/// Loads are needed where the products are emitted, tiles are computed only if
/// `isActive`.
SmallVector<const Item *> StagedLoop::start(Stage stage, Value number,
                                            Value isActive) {
  setTile(number);
  SmallVector<const Item *> products;
  for (size_t i : stages.of(stage)) {
    const Item &item = items[i];
    if (item.kind == ItemKind::Tiles)
      products.push_back(&item);
    else if (!item.onLanes())
      emitter.emitItem(item, nullptr);
    else if (i != stages.rescaling)
      ops.branch(isActive, [&] { emitter.emitItem(item, &window); });
  }
  return products;
}

/// A product of tile `number`.
TileProduct StagedLoop::productOf(const Item &item, Stage stage, Value number) {
  TileProduct product(emitter, item.ops, window);
  if (stage == Stage::Values && tiles.fromZero)
    product.startFromZero(ops.compare(Predicate::eq, number, ops.index(0)));
  return product;
}

/// The values of one half of the features of a tile.
TileProduct StagedLoop::halfOfValues(Value tile, Value half) {
  const Item *item = start(Stage::Values, tile, {}).front();
  TileProduct product = productOf(*item, Stage::Values, tile);
  product.takeHalf(half);
  return product;
}

/// The values that turn `number` adds for the two tiles before, or for the last
/// one. Where there is none, the rows of another tile are found.
TileProduct StagedLoop::pairOfValues(Value number, Value isActive) {
  Value half = arith::AndIOp::create(ops, ops.loc, number, ops.index(1));
  Value last = ops.select(isActive, ops.sub(number, ops.index(1)), number);
  TileProduct before = halfOfValues(ops.sub(last, ops.index(1)), half);
  TileProduct product = halfOfValues(last, half);
  product.follow(std::move(before), hasPair);
  return product;
}

/// The values of tile `number - 1` that turn `number` has not added.
void StagedLoop::addMissingValues(Value number, const Pending &pending) {
  Value last = ops.sub(number, ops.index(1));
  Value half = arith::AndIOp::create(ops, ops.loc, last, ops.index(1));
  TileProduct product = halfOfValues(last, half);
  storePending(ops, runAlone(product, pending));
}

/// Whether a stage makes what the loop yields.
bool StagedLoop::isOf(Stage stage, Value yielded) const {
  return llvm::any_of(stages.of(stage), [&](size_t i) {
    return llvm::is_contained(items[i].ops, yielded.getDefiningOp());
  });
}

/// Whether a yielded tile is where the loop carries it.
bool StagedLoop::isInPlace(Value yielded, Value result) const {
  auto to = emitter.plan.slots.find(result);
  auto from = emitter.plan.slots.find(yielded);
  return to == emitter.plan.slots.end() ||
         (from != emitter.plan.slots.end() &&
          from->second.offset == to->second.offset);
}

/// Copies what a stage yields to where the loop carries it.
void StagedLoop::emitYields(Stage stage) {
  for (auto [value, result] :
       llvm::zip(body.getTerminator()->getOperands(), loop.getResults()))
    if (isOf(stage, value) && !isInPlace(value, result))
      emitter.copyTile(value, emitter.plan.slots.find(result)->second, window);
}

/// A product with nothing but `pace` beside it, which stores the sums of the
/// one before. Returns the last sums, which are pending.
StagedLoop::Pending StagedLoop::runAlone(TileProduct &product,
                                         const Pending &before, Pace pace) {
  auto nothing = [](Value, ValueRange) { return SmallVector<Value>(); };
  product.emitPaced({/*every=*/1, /*first=*/0, before}, {},
                    pace ? pace : Pace(nothing));
  return product.lastSums(ops.boolean(true));
}

/// All products of a stage.
StagedLoop::Pending StagedLoop::emitAlone(Stage stage, Value number) {
  auto outside = emitter.extents;
  Pending pending;
  for (const Item *item : start(stage, number, ops.boolean(true))) {
    TileProduct product = productOf(*item, stage, number);
    pending = runAlone(product, pending);
  }
  emitter.extents = std::move(outside);
  return pending;
}

/// The same, with nothing pending.
void StagedLoop::emitWhole(Stage stage, Value number) {
  storePending(ops, emitAlone(stage, number));
  emitYields(stage);
}

/// The products of a turn, each with its part of the granules beside it.
SmallVector<Value> StagedLoop::runProducts(std::vector<Paced> &products,
                                           int64_t every, ValueRange carried,
                                           Pace pace, Pending &pending) {
  SmallVector<Value> values = llvm::to_vector(carried);
  int64_t first = 0;
  for (Paced &paced : products) {
    TileProduct &product = paced.product;
    int64_t pauses = product.countPauses(every);
    auto run = [&] {
      return product.emitPaced({every, first, pending}, values, pace);
    };
    // Without the product the granules run by themselves.
    auto rest = [&] {
      storePending(ops, pending);
      return ops.loop(ops.index(first), ops.index(first + pauses), 1, values,
                      pace);
    };
    values = ops.chooseAll(ValueRange(values).getTypes(),
                           ops.likely(paced.isActive), run, rest);
    first += pauses;
    pending = product.lastSums(paced.isActive);
  }
  return values;
}

/// A nest of the weights of a tile, beside products of its neighbors.
void StagedLoop::emitPacedNest(const Item &nest, Value number, Pending &pending,
                               FixedPointWeights *fixedPoint) {
  Value next = ops.add(number, 1), last = ops.sub(number, ops.index(1));
  Value hasNext = ops.compare(Predicate::slt, next, count);
  Value hasLast = ops.compare(Predicate::sgt, number, ops.index(0));
  std::vector<Paced> products;
  // Where there is no such tile, the rows of another one are found.
  auto addStage = [&](Stage stage, Value tile, Value isActive) {
    Value there = ops.select(isActive, tile, number);
    for (const Item *product : start(stage, there, isActive))
      products.push_back({productOf(*product, stage, there), isActive});
  };
  if (isPaired)
    products.push_back({pairOfValues(number, hasLast), hasLast});
  else
    addStage(Stage::Values, last, hasLast);
  addStage(Stage::Scores, next, hasNext);
  setTile(number);
  auto countPauses = [&](int64_t every) {
    int64_t pauses = 0;
    for (const Paced &paced : products)
      pauses += paced.product.countPauses(every);
    return pauses;
  };
  auto run = [&](int64_t every, ValueRange carried, Pace pace) {
    Value before = ops.mul(number, countPauses(every));
    auto paceAndFetch = [&](Value pause, ValueRange values) {
      SmallVector<Value> next = pace(pause, values);
      nextHead.fetch(ops.add(before, pause));
      return next;
    };
    return runProducts(products, every, carried, paceAndFetch, pending);
  };
  Pacer pacer{&nest, fixedPoint, countPauses, run};
  llvm::SaveAndRestore restore(emitter.pacer,
                               static_cast<const Pacer *>(&pacer));
  emitter.emitItem(nest, &window);
}

/// The weights of a tile with its maximum.
void StagedLoop::emitWeights(llvm::function_ref<void(const Item &)> emitPaced) {
  for (size_t i : stages.of(Stage::Weights)) {
    const Item &item = items[i];
    if (i == stages.paced)
      emitPaced(item);
    else
      emitter.emitItem(item, item.onLanes() ? &window : nullptr);
  }
}

/// The vectors of a tile of one row.
SmallVector<Value> StagedLoop::rowOf(Value tile) {
  Item none{ItemKind::Nest, {}, *spaceOf(cast<tile::TileType>(tile.getType()))};
  Granule granule(none, window, {});
  SmallVector<Value> vectors;
  for (int64_t v = 0; v < window.vectors; ++v)
    vectors.push_back(emitter.element(granule, tile, 0, v));
  return vectors;
}

/// Lanes that have seen no key.
Value StagedLoop::isEmpty(Value maximum) {
  return arith::CmpFOp::create(
      ops, ops.loc, arith::CmpFPredicate::OEQ, maximum,
      ops.constant(maximum.getType(),
                   -std::numeric_limits<double>::infinity()));
}

/// Whether weights must be made again, with the maximum of their tile.
Value StagedLoop::needsMaximum(FixedPointWeights *fixedPoint) {
  const SteadyMaximum &steady = *stages.steady;
  Value any =
      fixedPoint ? ops.any(fixedPoint->hasUseless()) : ops.boolean(false);
  SmallVector<Value> factors; // of sums of values
  if (isPaired)
    factors = rowOf(cast<tile::RescaleOp>(items[*stages.rescaling].ops.front())
                        .getFactor());
  for (auto [v, sum, before] :
       llvm::enumerate(rowOf(steady.sum), rowOf(steady.before))) {
    Type type = sum.getType();
    Value isLarge =
        arith::CmpFOp::create(ops, ops.loc, arith::CmpFPredicate::UGE, sum,
                              ops.constant(type, SteadyMaximum::mostSum));
    Value isUseless =
        fixedPoint ? fixedPoint->isTooLarge(before) : isEmpty(before);
    Value again = arith::OrIOp::create(ops, ops.loc, isLarge, isUseless);
    if (isPaired) {
      Value isRescaled =
          arith::CmpFOp::create(ops, ops.loc, arith::CmpFPredicate::UNE,
                                factors[v], ops.constant(type, 1));
      again = arith::OrIOp::create(ops, ops.loc, again, isRescaled);
    }
    any = ops.logicalOr(any, ops.any(again));
  }
  return any;
}

/// The weights of tile `number` with the maximum of the tiles before, and once
/// more if that does not suffice.
void StagedLoop::emitSteadyWeights(Value number, Pending &pending) {
  const SteadyMaximum &steady = *stages.steady;
  const auto &slots = emitter.plan.slots;
  SmallVector<std::pair<Value, SmallVector<Value>>> before;
  for (Value carried : loop.getRegionIterArgs())
    if (!spaceOf(cast<tile::TileType>(carried.getType()))->dim &&
        slots.contains(carried))
      before.push_back({carried, rowOf(carried)});
  std::optional<FixedPointWeights> weights;
  for (size_t i : stages.of(Stage::Weights)) {
    const Item &item = items[i];
    auto largest = slots.find(steady.largest);
    if (i == stages.paced) {
      if (steady.fixedPoint)
        weights.emplace(emitter, *steady.fixedPoint, window);
      emitPacedNest(steady.fused, number, pending,
                    weights ? &*weights : nullptr);
    } else if (i != steady.nest)
      emitter.emitItem(item, item.onLanes() ? &window : nullptr);
    else if (largest != slots.end())
      emitter.copyTile(steady.before, largest->second, window);
  }
  Value isOther = ops.compare(Predicate::sgt, number, ops.index(0));
  SmallVector<Type> types(pending.isActive.size() + isPaired, ops.getI1Type());
  auto again = [&]() -> SmallVector<Value> {
    if (isPaired) // all values with the maximum of the tiles before
      ops.branch(isOther, [&] { addMissingValues(number, {}); });
    emitWhole(Stage::Scores, number); // the next ones have been written over
    setTile(number);
    for (auto &[carried, vectors] : before)
      for (auto [v, vector] : llvm::enumerate(vectors))
        emitter.storeSlot(vector, slots.find(carried)->second,
                          cast<tile::TileType>(carried.getType()), {}, window,
                          int64_t(v));
    llvm::SaveAndRestore restore(emitter.isCold, true);
    emitWeights([&](const Item &item) { emitter.emitItem(item, &window); });
    if (isPaired)
      emitter.emitItem(items[*stages.rescaling], &window);
    Value next = ops.add(number, 1);
    ops.branch(ops.compare(Predicate::slt, next, count),
               [&] { emitWhole(Stage::Scores, next); });
    return SmallVector<Value>(types.size(), ops.boolean(false));
  };
  auto stays = [&] {
    SmallVector<Value> next = pending.isActive;
    if (isPaired)
      next.push_back(isOther);
    return next;
  };
  SmallVector<Value> next = ops.chooseAll(
      types, ops.unlikely(needsMaximum(weights ? &*weights : nullptr)), again,
      stays);
  if (isPaired)
    hasPair = next.pop_back_val();
  pending.isActive = std::move(next);
  setTile(number);
}

/// Queries that have seen no key yet get the maximum of some keys of the first
/// tile, as if earlier tiles had it. Their sums are 0.
void StagedLoop::emitFirstMaximum() {
  const SteadyMaximum &steady = *stages.steady;
  const Slot &slot = emitter.plan.slots.find(steady.before)->second;
  auto type = cast<tile::TileType>(steady.before.getType());
  SmallVector<Value> before = rowOf(steady.before), empty;
  Value any = ops.boolean(false);
  for (Value row : before) {
    empty.push_back(isEmpty(row));
    any = ops.logicalOr(any, ops.any(empty.back()));
  }
  auto outside = emitter.extents;
  setTile(ops.index(0));
  ops.branch(any, [&] {
    for (size_t i : stages.of(Stage::Weights)) { // what the scores need
      if (i == steady.nest)
        break;
      emitter.emitItem(items[i], items[i].onLanes() ? &window : nullptr);
    }
    emitter.emitItem(steady.sample, &window);
    for (auto [v, sampled] : llvm::enumerate(rowOf(steady.largest)))
      emitter.storeSlot(ops.select(empty[v], sampled, before[v]), slot, type,
                        {}, window, int64_t(v));
  });
  emitter.extents = std::move(outside);
}

void StagedLoop::emitTurn(Value number, Pending &pending) {
  auto outside = emitter.extents;
  setTile(number);
  if (stages.steady)
    emitSteadyWeights(number, pending);
  else
    emitWeights(
        [&](const Item &item) { emitPacedNest(item, number, pending); });
  if (!mayStayPending()) {
    storePending(ops, pending);
    pending.isActive.assign(pending.isActive.size(), ops.boolean(false));
  }
  emitYields(Stage::Weights);
  ops.branch(ops.compare(Predicate::sgt, number, ops.index(0)),
             [&] { emitYields(Stage::Values); });
  emitter.extents = std::move(outside);
}

/// Whether the last scores of a turn may be stored in the first step of the
/// next one, whose granules have not got to their rows by then.
bool StagedLoop::mayStayPending() {
  return stages.steady && stages.steady->fused.space.size > 2 * kTileRows;
}

/// All turns, the first one with the registers of `pending`.
void StagedLoop::emitTurns(Pending pending) {
  size_t registers = pending.numbers.size();
  auto valuesOf = [&](const Pending &sums) {
    SmallVector<Value> values;
    for (const TileProduct::Matrix &place : sums.places)
      values.push_back(place.pointer);
    llvm::append_range(values, sums.isActive);
    if (isPaired)
      values.push_back(hasPair);
    return values;
  };
  auto replaced = [&](ValueRange values) {
    Pending sums = pending;
    for (size_t i = 0; i < registers; ++i) {
      sums.places[i].pointer = values[i];
      sums.isActive[i] = values[registers + i];
    }
    return sums;
  };
  hasPair = ops.boolean(false);
  SmallVector<Value> sums = ops.loop(ops.index(0), count, 1, valuesOf(pending),
                                     [&](Value number, ValueRange values) {
                                       Pending before = replaced(values);
                                       if (isPaired)
                                         hasPair = values.back();
                                       emitTurn(number, before);
                                       return valuesOf(before);
                                     });
  storePending(ops, replaced(sums));
  if (isPaired)
    hasPair = sums.back();
}

/// The last product of the loop.
StagedLoop::Pending StagedLoop::runLast(TileProduct &product) {
  int64_t steps = product.countPauses(/*every=*/1);
  return runAlone(product, {}, [&](Value step, ValueRange) {
    nextHead.fetchQueries(step, steps);
    return SmallVector<Value>();
  });
}

/// The values that no turn has added.
void StagedLoop::emitLastValues() {
  auto outside = emitter.extents;
  Value last = ops.sub(count, ops.index(1));
  if (isPaired) {
    TileProduct pair = pairOfValues(count, ops.boolean(true));
    addMissingValues(count, runLast(pair));
  } else {
    for (const Item *item : start(Stage::Values, last, ops.boolean(true))) {
      TileProduct product = productOf(*item, Stage::Values, last);
      storePending(ops, runLast(product));
    }
  }
  emitter.extents = std::move(outside);
  if (!isPaired)
    emitYields(Stage::Values);
}

void StagedLoop::emit() {
  Value zero = ops.index(0);
  ops.branch(ops.compare(Predicate::sgt, count, zero), [&] {
    Pending pending = emitAlone(Stage::Scores, zero);
    if (!mayStayPending()) {
      storePending(ops, pending);
      pending.isActive.assign(pending.isActive.size(), ops.boolean(false));
    }
    if (stages.steady)
      emitFirstMaximum();
    emitTurns(std::move(pending));
    emitLastValues();
  });
  emitter.turn = {};
}

/// Full tiles that all groups of a block read before the next ones.
static int64_t tilesOfPass(tile::ForOp loop) {
  int64_t bytes = 0;
  for (auto load : loop.getBody().front().getOps<tile::LoadOp>())
    if (!load.getType().hasDim(kLaneDim))
      bytes += load.getType().getNumElements() * 2;
  return std::max<int64_t>(kPassBytes / std::max<int64_t>(bytes, 1), 1);
}

void StagedLoop::emitPasses(Emitter &emitter, tile::ForOp loop,
                            const StagedTiles &tiles) {
  Ops &ops = emitter.ops;
  const Plan &plan = emitter.plan;
  if (!plan.hasGroups())
    return StagedLoop(emitter, loop, tiles, {ops.index(0), plan.vectors})
        .emit();
  int64_t most = tilesOfPass(loop);
  ops.loop(ops.index(0), tiles.full, most, [&](Value start) {
    Value key = ops.add(tiles.first, ops.mul(start, int64_t(loop.getStep())));
    Value ofPass = ops.min(ops.sub(tiles.full, start), ops.index(most));
    emitter.forEachGroup(nullptr, [&](Window group) {
      StagedLoop(emitter, loop, {key, ofPass, ops.index(0), ops.index(0)},
                 group)
          .emit();
    });
  });
}

void emitStaged(Emitter &emitter, tile::ForOp loop, const StagedTiles &tiles) {
  StagedLoop::emitPasses(emitter, loop, tiles);
}

} // namespace attnc::cpu
