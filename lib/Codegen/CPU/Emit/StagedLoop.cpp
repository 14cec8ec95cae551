//===- StagedLoop.cpp - Full tiles as a pipeline of three stages ----------===//
//
// The tiles of a loop over keys whose body has stages (Plan/Stages.cpp):
//
//   Scores(0)
//   for t = 0 to tiles {
//     nests of Weights(t), beside the last one, step by step (Pacer.h),
//       Scores(t + 1) if there is such a tile
//       Values(t - 1) if there is such a tile
//   }
//   Values(tiles - 1)
//
// So the matrix unit computes while vectors are exponentiated. A step of a
// product is followed by as many granules of the nest as spread it evenly.
// Tests: test/Codegen/CPU/Emit/stages.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/StagedLoop.h"
#include "Emit/TileProduct.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace attnc::cpu {

using Predicate = arith::CmpIPredicate;

/// Writes one loop.
class StagedLoop {
public:
  StagedLoop(Emitter &emitter, tile::ForOp loop, Value first, Value count)
      : emitter(emitter), ops(emitter.ops), loop(loop), first(first),
        count(count), body(loop.getBody().front()),
        stages(emitter.plan.staged.find(loop)->second),
        items(emitter.plan.items.find(&body)->second),
        window{ops.index(0), emitter.plan.vectors} {}
  void emit();

private:
  void setTile(Value number);
  SmallVector<tile::DotOp> start(Stage stage, Value number, Value isActive);
  void emitAlone(Stage stage, Value number);
  void emitTurn(Value number);
  void emitPacedNest(const Item &nest, Value number);
  void emitYields(Stage stage);

  Emitter &emitter;
  Ops &ops;
  tile::ForOp loop;
  Value first, count;
  Block &body;
  const StagedBody &stages;
  const std::vector<Item> &items;
  Window window;
};

/// Maps the arguments of the body to full tile `number`.
void StagedLoop::setTile(Value number) {
  Value key = ops.add(first, ops.mul(number, int64_t(loop.getStep())));
  emitter.scalars.map(loop.getKeyStart(), key);
  emitter.scalars.map(loop.getKeyCount(), ops.index(loop.getStep()));
  emitter.scalars.map(loop.getPartial(), ops.boolean(false));
  Value bits = arith::AndIOp::create(ops, ops.loc, number, ops.index(1));
  emitter.turn = constantOf(number) ? ops.index(*constantOf(number) % 2) : bits;
}

/// Emits all of a stage of tile `number` but its products, which it returns.
/// Loads are needed where the products are emitted, tiles are computed only if
/// `isActive`.
SmallVector<tile::DotOp> StagedLoop::start(Stage stage, Value number,
                                           Value isActive) {
  setTile(number);
  SmallVector<tile::DotOp> dots;
  for (size_t i : stages.of(stage)) {
    const Item &item = items[i];
    if (item.kind == ItemKind::Tiles)
      dots.push_back(cast<tile::DotOp>(item.ops.front()));
    else if (item.onLanes())
      ops.branch(isActive, [&] { emitter.emitItem(item, &window); });
    else
      emitter.emitItem(item, nullptr);
  }
  return dots;
}

/// Copies what a stage yields to where the loop carries it.
void StagedLoop::emitYields(Stage stage) {
  for (auto [value, result] :
       llvm::zip(body.getTerminator()->getOperands(), loop.getResults())) {
    bool isOfStage =
        llvm::any_of(stages.of(stage), [&, value = value](size_t i) {
          return llvm::is_contained(items[i].ops, value.getDefiningOp());
        });
    auto to = emitter.plan.slots.find(result);
    auto from = emitter.plan.slots.find(value);
    if (!isOfStage || to == emitter.plan.slots.end())
      continue;
    if (from == emitter.plan.slots.end() ||
        from->second.offset != to->second.offset)
      emitter.copyTile(value, to->second, window);
  }
}

/// A stage of products with nothing beside it.
void StagedLoop::emitAlone(Stage stage, Value number) {
  auto outside = emitter.extents;
  for (tile::DotOp dot : start(stage, number, ops.boolean(true)))
    TileProduct(emitter, dot, window).emit();
  emitYields(stage);
  emitter.extents = std::move(outside);
}

/// The last nest of the weights of a tile, beside products of its neighbors.
void StagedLoop::emitPacedNest(const Item &nest, Value number) {
  Value next = ops.add(number, 1), last = ops.sub(number, ops.index(1));
  Value hasNext = ops.compare(Predicate::slt, next, count);
  Value hasLast = ops.compare(Predicate::sgt, number, ops.index(0));
  struct Paced {
    TileProduct product;
    Value isActive;
  };
  std::vector<Paced> products;
  int64_t instructions = 0;
  auto addStage = [&](Stage stage, Value tile, Value isActive) {
    // Where there is no such tile, the rows of another one are loaded.
    for (tile::DotOp dot : start(stage, tile, isActive)) {
      products.push_back({TileProduct(emitter, dot, window), isActive});
      instructions += products.back().product.countInstructions();
    }
  };
  addStage(Stage::Scores, ops.select(hasNext, next, number), hasNext);
  addStage(Stage::Values, ops.select(hasLast, last, number), hasLast);
  setTile(number);
  auto countPauses = [&](int64_t every) {
    int64_t pauses = 0;
    for (const Paced &paced : products)
      pauses += paced.product.countPauses(every);
    return pauses;
  };
  auto run = [&](int64_t every, ValueRange carried, Pace pace) {
    SmallVector<Value> values = llvm::to_vector(carried);
    int64_t first = 0;
    TileProduct::Pending pending;
    for (auto [i, paced] : llvm::enumerate(products)) {
      values = paced.product.emitPaced({paced.isActive, every, first, pending},
                                       values, pace);
      first += paced.product.countPauses(every);
      if (!pending.numbers.empty()) // has not stored them
        ops.branch(
            paced.isActive, [] {},
            [&] { paced.product.storePending(pending); });
      pending = paced.product.lastSums(paced.isActive);
    }
    products.back().product.storePending(pending);
    return values;
  };
  Pacer pacer{&nest, instructions, countPauses, run};
  llvm::SaveAndRestore restore(emitter.pacer,
                               static_cast<const Pacer *>(&pacer));
  emitter.emitItem(nest, &window);
}

void StagedLoop::emitTurn(Value number) {
  auto outside = emitter.extents;
  setTile(number);
  for (size_t i : stages.of(Stage::Weights)) {
    const Item &item = items[i];
    if (i == stages.paced)
      emitPacedNest(item, number);
    else
      emitter.emitItem(item, item.onLanes() ? &window : nullptr);
  }
  emitYields(Stage::Weights);
  emitYields(Stage::Values);
  emitter.extents = std::move(outside);
}

void StagedLoop::emit() {
  Value zero = ops.index(0);
  ops.branch(ops.compare(Predicate::sgt, count, zero), [&] {
    emitAlone(Stage::Scores, zero);
    ops.loop(zero, count, 1, [&](Value number) { emitTurn(number); });
    emitAlone(Stage::Values, ops.sub(count, ops.index(1)));
  });
  emitter.turn = {};
}

void emitStaged(Emitter &emitter, tile::ForOp loop, Value first, Value count) {
  StagedLoop(emitter, loop, first, count).emit();
}

SmallVector<Value> emitPaced(Ops &ops, const Pacer &pacer, int64_t granules,
                             int64_t rows, ValueRange carried, Pace granule) {
  int64_t every = 1;
  while (every < 4 && 2 * every * granules <= pacer.instructions)
    every *= 2;
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
    return ops.loop(start, end, rows, values, granule);
  };
  return pacer.run(every, carried, pace);
}

} // namespace attnc::cpu
