//===- Stages.cpp - Pipeline the tiles of a loop over keys ----------------===//
//
// A matrix unit works on its own while other instructions run, so a loop whose
// products it computes is a pipeline of three stages:
//
//   Scores    products that read nothing the body computes        S = K Q
//   Weights   what lies between                                   P = f(S)
//   Values    products of the results, and what only they read    O += V P
//
// One turn of the loop over full tiles computes (Emit/StagedLoop.cpp)
//
//   Values of tile t - 1,   Scores of tile t + 1,   Weights of tile t
//
// which are independent. A tile that passes from one stage to a later one
// alternates between two copies, except scores that are read once: the next
// tile's are written behind the reader, row by row. A tile that the loop
// carries must be read and written by one stage only. Values may be made for
// two tiles at once (Stages/PairedValues.cpp).
//
// Ops without lanes (loads of rows, formulas of a key) run in the stage that
// reads their results, which must be one; scalars run in all that do.
// A block of several groups of vectors is pipelined only if rows are read in
// place, since each group reads them. Tests: test/Codegen/CPU/Emit/stages.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Plan.h"

#include "attnc/Interface/Remark.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attnc::cpu {

namespace {
class StagePlanner {
public:
  StagePlanner(tile::ForOp loop, Plan &plan)
      : loop(loop), body(loop.getBody().front()), plan(plan),
        items(plan.items.find(&body)->second) {}
  /// Fills in the plan, or says why the loop cannot be pipelined.
  StringRef run();
  bool hasBothProducts();
  void explain(StringRef why);

private:
  bool findStages();
  bool moveRescaling();
  bool placeOthers();
  bool areCarriedInOneStage();
  bool findCrossing();
  bool findPaced();
  bool readsInPlace() const;
  int64_t countInstructions(Stage stage);
  bool isReadAhead(Value scores) const;
  std::optional<Stage> stageOf(Value value) const;
  llvm::SetVector<size_t> usersOf(Value value) const;

  tile::ForOp loop;
  Block &body;
  Plan &plan;
  const std::vector<Item> &items;
  /// Of items with lanes; those without may have several.
  SmallVector<std::optional<Stage>> stages;
  StagedBody result;
  SmallVector<Value> crossing;
};
} // namespace

/// The values that an item reads, in its regions too.
static void forEachOperand(const Item &item,
                           llvm::function_ref<void(Value)> fn) {
  for (Operation *op : item.ops)
    op->walk([&](Operation *inner) {
      for (Value value : inner->getOperands())
        fn(value);
    });
}

/// The stage of the item with lanes that makes `value`; none: no item does.
std::optional<Stage> StagePlanner::stageOf(Value value) const {
  for (auto [item, stage] : llvm::zip_equal(items, stages))
    if (stage && llvm::is_contained(item.ops, value.getDefiningOp()))
      return stage;
  return std::nullopt;
}

/// Numbers of the items that read `value`.
llvm::SetVector<size_t> StagePlanner::usersOf(Value value) const {
  llvm::SetVector<size_t> users;
  for (auto [number, item] : llvm::enumerate(items))
    forEachOperand(item, [&, number = number](Value operand) {
      if (operand == value)
        users.insert(number);
    });
  return users;
}

/// Items with lanes: a product that reads none of the others' results makes
/// scores, one that does makes values, and all else makes weights.
bool StagePlanner::findStages() {
  stages.assign(items.size(), std::nullopt);
  bool hasScores = false, hasValues = false;
  for (auto [item, stage] : llvm::zip_equal(items, stages)) {
    if (!item.onLanes())
      continue;
    if (item.kind != ItemKind::Nest && item.kind != ItemKind::Tiles)
      return false; // stores tiles, or loads them into lanes
    stage = Stage::Weights;
    if (item.kind != ItemKind::Tiles)
      continue;
    bool readsOthers = false;
    forEachOperand(item, [&, &item = item](Value value) {
      readsOthers |= !llvm::is_contained(item.ops, value.getDefiningOp()) &&
                     stageOf(value).value_or(Stage::Scores) != Stage::Scores;
    });
    stage = readsOthers ? Stage::Values : Stage::Scores;
    (readsOthers ? hasValues : hasScores) = true;
  }
  return hasScores && hasValues;
}

/// What only products of values read, as the sums that are rescaled before.
/// Returns whether there is nothing of stage Values that others read.
bool StagePlanner::moveRescaling() {
  auto yielded = body.getTerminator()->getOperands();
  for (size_t number = items.size(); number-- > 0;) {
    const Item &item = items[number];
    if (stages[number] != Stage::Weights)
      continue;
    bool onlyValues = llvm::all_of(item.ops, [&](Operation *op) {
      llvm::SetVector<size_t> users = usersOf(op->getResult(0));
      return !users.empty() && !llvm::is_contained(yielded, op->getResult(0)) &&
             llvm::all_of(users, [&](size_t user) {
               return user == number || stages[user] == Stage::Values;
             });
    });
    // The operand of a product is not moved: the next stage would wait for it.
    bool isOperand = llvm::any_of(item.ops, [&](Operation *op) {
      return plan.pairTiles.contains(op->getResult(0));
    });
    if (onlyValues && !isOperand)
      stages[number] = Stage::Values;
  }
  for (auto [number, item] : llvm::enumerate(items))
    if (stages[number] == Stage::Values)
      for (Operation *op : item.ops)
        for (size_t user : usersOf(op->getResult(0)))
          if (stages[user] != Stage::Values)
            return false;
  return true;
}

/// Items without lanes run in the stages that read them.
bool StagePlanner::placeOthers() {
  std::vector<std::array<bool, 3>> runsIn(items.size());
  for (size_t number = items.size(); number-- > 0;) {
    const Item &item = items[number];
    if (stages[number]) {
      runsIn[number][size_t(*stages[number])] = true;
      continue;
    }
    for (Operation *op : item.ops)
      for (Value value : op->getResults())
        for (size_t user : usersOf(value))
          for (size_t stage = 0; stage < 3; ++stage)
            runsIn[number][stage] |= runsIn[user][stage];
    bool isScalar = item.kind == ItemKind::Scalar;
    if (!isScalar && llvm::count(runsIn[number], true) != 1)
      return false;
  }
  for (size_t stage = 0; stage < 3; ++stage)
    for (size_t number = 0; number < items.size(); ++number)
      if (runsIn[number][stage])
        result.items[stage].push_back(number);
  return true;
}

/// Whether each carried tile is read in the stage that makes its next value.
bool StagePlanner::areCarriedInOneStage() {
  for (auto [carried, next] : llvm::zip_equal(
           loop.getRegionIterArgs(), body.getTerminator()->getOperands())) {
    if (next == carried)
      continue;
    std::optional<Stage> stage = stageOf(next);
    if (!stage || *stage == Stage::Scores)
      return false;
    for (size_t user : usersOf(carried))
      if (stages[user] != stage)
        return false;
  }
  return true;
}

/// The tiles that a later stage reads. The loop must not carry them, since they
/// have slots of their own.
bool StagePlanner::findCrossing() {
  for (auto [number, item] : llvm::enumerate(items)) {
    if (!stages[number])
      continue;
    for (Operation *op : item.ops) {
      Value made = op->getResult(0);
      bool crosses = llvm::any_of(usersOf(made), [&](size_t user) {
        return stages[user] != stages[number];
      });
      if (!crosses)
        continue;
      if (llvm::is_contained(body.getTerminator()->getOperands(), made))
        return false;
      crossing.push_back(made);
    }
  }
  return true;
}

/// The last nest of weights with keys, which usually has the exponentials.
bool StagePlanner::findPaced() {
  for (size_t number : llvm::reverse(result.of(Stage::Weights))) {
    const Item &item = items[number];
    if (item.kind != ItemKind::Nest || !item.space.lanes || !item.space.dim)
      continue;
    result.paced = number;
    return true;
  }
  return false;
}

/// Whether the next scores may be written over `scores`, each row after it has
/// been read by the paced nest. Products of values come first in a turn, so
/// that the only product of scores is never ahead of the nest if its blocks of
/// registers are equal.
bool StagePlanner::isReadAhead(Value scores) const {
  auto type = cast<tile::TileType>(scores.getType());
  std::optional<Space> space = spaceOf(type);
  if (!space || space->size % (2 * kTileRows) != 0)
    return false;
  int64_t products = 0;
  for (size_t number : result.of(Stage::Scores))
    products += items[number].kind == ItemKind::Tiles;
  return stageOf(scores) == Stage::Scores && products == 1 &&
         llvm::all_of(usersOf(scores), [&](size_t user) {
           return stages[user] == Stage::Weights && user <= result.paced;
         });
}

/// Whether all rows of keys and values are read where they are: those of V in
/// blocks, those of K if their features fill registers.
bool StagePlanner::readsInPlace() const {
  return llvm::all_of(body.getOps<tile::LoadOp>(), [&](tile::LoadOp load) {
    if (!plan.tileRows.contains(load) || isBlocked(load))
      return true;
    auto [row, column] = rowAndColumn(load);
    bool isTransposed = llvm::any_of(load->getUsers(), [&](Operation *user) {
      auto dot = dyn_cast<tile::DotOp>(user);
      return dot && dot.getSum() == row.getValue();
    });
    return !isTransposed && !load.getTable() &&
           *load.getType().getDimSize(column) % kTileDepth == 0 &&
           load.getBuf().getType().getElementType().isBF16();
  });
}

StringRef StagePlanner::run() {
  if (plan.hasGroups() && !readsInPlace())
    return "each group of queries would copy rows of keys or values";
  if (loop.hasClassify())
    return "tiles are classified in the loop";
  if (!findStages())
    return "the loop loads queries or stores tiles";
  if (!moveRescaling())
    return "other ops use its sums of values";
  if (!placeOthers())
    return "products of different stages use the same rows";
  if (!areCarriedInOneStage() || !findCrossing())
    return "ops of different stages use a tile that the loop carries";
  if (!findPaced())
    return "no op on keys and queries makes weights";
  result.steady = findSteadyMaximum(loop, result, plan);
  result.rescaling = findPairedValues(loop, result, plan);
  for (Value made : crossing) {
    plan.crossing.insert(made);
    if (!isReadAhead(made))
      plan.alternating[made] =
          result.rescaling && stageOf(made) == Stage::Weights ? 3 : 2;
  }
  plan.staged.try_emplace(loop, std::move(result));
  return {};
}

/// Whether the matrix unit computes two products of a loop in turn: scores and
/// values.
bool StagePlanner::hasBothProducts() {
  SmallVector<tile::DotOp> dots;
  for (const Item &item : items)
    if (item.kind == ItemKind::Tiles)
      dots.push_back(cast<tile::DotOp>(item.ops.front()));
  return llvm::any_of(dots, [&](tile::DotOp dot) {
    return dot.getSum() != dots.front().getSum();
  });
}

/// Instructions of the unit in the products of a stage.
int64_t StagePlanner::countInstructions(Stage stage) {
  int64_t count = 0;
  for (size_t number : plan.staged.find(loop)->second.of(stage)) {
    if (items[number].kind != ItemKind::Tiles)
      continue;
    auto dot = cast<tile::DotOp>(items[number].ops.front());
    Space space = *spaceOf(cast<tile::TileType>(dot.getResult().getType()));
    tile::TileType queries = dot.getLhs().getType();
    int64_t depth =
        *queries.getDimSize(StringAttr::get(dot.getContext(), dot.getSum()));
    count += int64_t(items[number].ops.size()) *
             int64_t(llvm::divideCeil(space.size, kTileRows)) *
             plan.groupWidth * int64_t(llvm::divideCeil(depth, kTileDepth));
  }
  return count;
}

void StagePlanner::explain(StringRef why) {
  InFlightDiagnostic remark = remarkOn(loop);
  if (!why.empty()) {
    remark << "does not pipeline tiles on the matrix unit, because " << why
           << " [kernel]";
    return;
  }
  const StagedBody &staged = plan.staged.find(loop)->second;
  remark << "pipelines full tiles of " << loop.getStep()
         << " keys: " << countInstructions(Stage::Scores)
         << " instructions of the matrix unit for scores of the next tile and "
         << countInstructions(Stage::Values)
         << (staged.rescaling ? " for half of the values of the last two"
                              : " for values of the last one")
         << " run next to the weights";
  if (staged.steady)
    remark << ", which use the maximum of earlier tiles"
           << (staged.steady->fixedPoint ? ", in fixed point" : "");
  if (plan.hasGroups())
    remark << "; groups of " << plan.groupWidth * plan.lanes
           << " queries, in passes over keys";
  remark << " [kernel]";
}

void planStages(Block &block, Plan &plan, bool explains) {
  if (!plan.hasTiles)
    return;
  block.walk([&](tile::ForOp loop) {
    StagePlanner planner(loop, plan);
    StringRef why = planner.run();
    if (explains && planner.hasBothProducts())
      planner.explain(why);
  });
}

} // namespace attnc::cpu
