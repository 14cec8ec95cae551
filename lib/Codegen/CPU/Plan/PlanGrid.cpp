//===- PlanGrid.cpp - Plan the versions of a grid's body ------------------===//
//
// A block of queries that is mostly empty would waste most of its lanes, so a
// second copy of the body handles the last queries in pieces of `tail`.
// Tests: test/Codegen/CPU/tail.mlir,
// test/Codegen/CPU/convert-tile-to-llvm-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "Plan/TermReads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::cpu {

namespace {
/// What the tiles of a grid have in common.
struct BlockFacts {
  int64_t queries = 0;
  Type accumulator;
  Value valid;
  bool sameValid = true;
};
} // namespace

static LogicalResult collectFacts(tile::GridOp grid, BlockFacts &facts) {
  Type f32 = Float32Type::get(grid.getContext());
  facts.accumulator = f32;
  auto result = grid.walk([&](Operation *op) {
    SmallVector<Value> values(op->getResults());
    llvm::append_range(values, op->getOperands());
    for (Value value : values) {
      auto type = dyn_cast<tile::TileType>(value.getType());
      if (!type)
        continue;
      if (type.getElementType().isF64())
        facts.accumulator = type.getElementType();
      std::optional<int64_t> size = type.getDimSize(kLaneDim);
      if (!size)
        continue;
      if (facts.queries && facts.queries != *size) {
        op->emitOpError("has ")
            << *size << " queries, but another tile of the grid has "
            << facts.queries << "; the CPU's blocks have one size";
        return WalkResult::interrupt();
      }
      facts.queries = *size;
    }
    auto noteValid = [&](Value valid) {
      facts.sameValid &= !facts.valid || facts.valid == valid;
      facts.valid = valid;
    };
    if (auto load = dyn_cast<tile::LoadOp>(op))
      if (load.getResult().getType().hasDim(kLaneDim))
        noteValid(load.getValidOf(kLaneDim));
    if (auto store = dyn_cast<tile::StoreOp>(op))
      if (store.getValue().getType().hasDim(kLaneDim))
        noteValid(store.getValidOf(kLaneDim));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Whether a value is known from scalars of the grid's body alone.
static bool isScalarSlice(Value value, Block &body) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &body)
    return true;
  bool isTable = isa<tile::ReadOp, tile::LocateOp>(op);
  if (op->getNumRegions() || (!isTable && !isMemoryEffectFree(op)))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value v) { return isScalarSlice(v, body); });
}

/// Only the matrix unit reads rows in blocks and panels.
static LogicalResult checkBlocked(Block &body, const Plan &plan) {
  WalkResult result = body.walk([&](tile::LoadOp load) {
    if (isPanel(load) &&
        !(plan.hasTiles && plan.pairTiles.contains(load.getResult()))) {
      load.emitOpError("reads a panel of pairs, which only products on the "
                       "matrix unit can; use unit = matrix");
      return WalkResult::interrupt();
    }
    if (!isBlocked(load) || plan.tileRows.contains(load))
      return WalkResult::advance();
    load.emitOpError("reads rows in blocks of ")
        << kTileDepth
        << ", which only products on the matrix unit can; use pack = auto";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult planCopy(tile::GridOp grid, tile::CpuAttr target,
                              const BlockFacts &facts, int64_t queries,
                              Plan &plan) {
  plan.lanes = target.getLanes();
  plan.vectors = queries / plan.lanes;
  ArrayRef<int64_t> score = target.getScoreGranule();
  ArrayRef<int64_t> value = target.getValueGranule();
  int64_t width = std::min(plan.vectors, std::max(score[1], value[1]));
  while (plan.vectors % width)
    --width;
  plan.groupWidth = width;
  plan.accumulator = facts.accumulator;
  if (plan.vectors == 1)
    plan.featureRows = target.getFeatureRows();
  plan.extraRows = std::max<int64_t>({8, score[0], value[0]}) - 1;
  // 64 bytes each: zeros, a flag; then what lanes pass through.
  plan.zero = 0;
  plan.gatherOffsets = 128;
  plan.gatherElements = plan.gatherOffsets + llvm::alignTo(plan.lanes * 8, 64);
  plan.tileShapes = plan.gatherElements + llvm::alignTo(plan.lanes * 8, 64);
  plan.bytes = plan.tileShapes;
  if (target.getUnit() == tile::CpuUnit::Matrix)
    plan.bytes += 64;
  Block &body = grid.getBody().front();
  if (failed(planItems(body, plan)))
    return failure();
  if (plan.featureRows)
    planFeatures(body, plan, target);
  planStreams(body, plan, target);
  if (target.getUnit() != tile::CpuUnit::Fma &&
      failed(planPairs(body, plan, target, queries == facts.queries)))
    return failure();
  if (failed(checkBlocked(body, plan)))
    return failure();
  planStages(body, plan, queries == facts.queries);
  planSmallTables(body, plan, target);
  planTermReads(body, plan);
  planDirectStores(plan);
  return planHomes(body, plan);
}

FailureOr<GridPlan> planGrid(tile::GridOp grid, tile::CpuAttr target) {
  BlockFacts facts;
  if (failed(checkOps(grid)) || failed(collectFacts(grid, facts)))
    return failure();
  int64_t lanes = target.getLanes();
  if (!facts.queries)
    facts.queries = lanes;
  if (facts.queries % lanes)
    return grid.emitOpError("has blocks of ")
           << facts.queries << " queries, which is not a multiple of the "
           << lanes << " lanes of the target";
  GridPlan plan;
  plan.grid = grid;
  plan.target = target;
  if (failed(planCopy(grid, target, facts, facts.queries, plan.whole)))
    return failure();
  Block &body = grid.getBody().front();
  int64_t tail = target.getTail();
  if (!facts.valid || !facts.sameValid || !isScalarSlice(facts.valid, body))
    return plan;
  plan.validQueries = facts.valid;
  if (!tail || tail >= facts.queries)
    return plan;
  if (failed(planCopy(grid, target, facts, tail, plan.piece)))
    return failure();
  return plan;
}

} // namespace attnc::cpu
