//===- Features.cpp - Products whose lanes are features -------------------===//
//
// With `mapping = features`, products of a block of one vector of queries have
// the features of a row of K or V in their lanes. That needs rows whose columns
// are adjacent and all present; any other product has queries in its lanes.
// Tests: test/Codegen/CPU/features.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Plan.h"

#include "attnc/Target/RegisterTile.h"

using namespace mlir;

namespace attnc::cpu {

FeatureForm featureFormOf(tile::DotOp dot, const Plan &plan) {
  if (!plan.featureRows || dot.getMask() || dot.hasTerm())
    return FeatureForm::None;
  bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
  Value loaded = lhsOnLanes ? dot.getRhs() : dot.getLhs();
  auto load = loaded.getDefiningOp<tile::LoadOp>();
  if (!load)
    return FeatureForm::None;
  Type element = load.getBuf().getType().getElementType();
  if (!isa<FloatType>(element) && !element.isInteger(8))
    return FeatureForm::None;
  auto [row, column] = rowAndColumn(load);
  if (load.getValidOf(column)) // a number of columns known at run time only
    return FeatureForm::None;
  return column.getValue() == dot.getSum() ? FeatureForm::Along
                                           : FeatureForm::Across;
}

bool keepsStorageType(tile::LoadOp load, const Plan &plan) {
  return llvm::all_of(load->getUsers(), [&](Operation *user) {
    auto dot = dyn_cast<tile::DotOp>(user);
    return dot && (featureFormOf(dot, plan) != FeatureForm::None ||
                   plan.pairDots.contains(dot));
  });
}

int64_t Plan::rowsPerLane(Value tile) const {
  const Unit *unit = integerTiles.lookup(tile);
  if (!unit)
    return 2;
  return unit->kind == UnitKind::Matrix ? 4 : unit->depth;
}

int64_t Plan::rowPitch(tile::LoadOp load) const {
  int64_t columns =
      *load.getResult().getType().getDimSize(rowAndColumn(load).second);
  const Unit *unit = integerTiles.lookup(load.getResult());
  bool isOfDots = unit && unit->kind == UnitKind::DotProduct;
  return isOfDots ? int64_t(llvm::alignTo(columns, unit->depth)) : columns;
}

Type rowTypeOf(tile::LoadOp load, const Plan &plan) {
  if (!keepsStorageType(load, plan))
    return plan.accumulator;
  Type element = load.getBuf().getType().getElementType();
  if (const Unit *unit = plan.integerTiles.lookup(load.getResult())) {
    if (unit->kind == UnitKind::Matrix)
      return element;
    MLIRContext *context = element.getContext();
    if (unit->depth == 2)
      return IntegerType::get(context, 16);
    return mixesSigns(*unit)
               ? IntegerType::get(context, 8, IntegerType::Unsigned)
               : element;
  }
  bool isReadPaired = !plan.pairRows.contains(load) &&
                      !plan.tileRows.contains(load) &&
                      plan.pairDots.contains(*load->user_begin());
  return element.isInteger(8) && isReadPaired
             ? load.getResult().getType().getElementType()
             : element;
}

/// Whether rows of a load are found by groups: they are in pages of whole
/// groups, and only products with features in their lanes read them.
static bool hasPageOffsets(tile::LoadOp load, const Plan &plan) {
  if (!load.getTable() || load->use_empty() || *load.getPageRows() % kKeysOfFew)
    return false;
  bool isOfFew = llvm::all_of(load->getUsers(), [&](Operation *user) {
    auto dot = dyn_cast<tile::DotOp>(user);
    return dot && featureFormOf(dot, plan) != FeatureForm::None;
  });
  return isOfFew &&
         *load.getResult().getType().getDimSize(rowAndColumn(load).first) %
                 kKeysOfFew ==
             0;
}

void planFeatures(Block &block, Plan &plan, tile::CpuAttr target) {
  const CpuTraits &traits = *lookupIsa(tile::stringifyCpuIsa(target.getIsa()));
  unsigned bytes = plan.accumulator.getIntOrFloatBitWidth() / 8;
  auto take = [&](int64_t elements) {
    return std::exchange(plan.bytes,
                         plan.bytes + llvm::alignTo(elements * bytes, 64));
  };
  plan.featureSums =
      take(plan.lanes * plan.lanes * featureVectors(plan.featureRows, traits));
  block.walk([&](tile::DotOp dot) {
    if (featureFormOf(dot, plan) != FeatureForm::Along)
      return;
    bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
    Value queries = lhsOnLanes ? dot.getLhs() : dot.getRhs();
    if (plan.queryRows.contains(queries))
      return;
    auto type = cast<tile::TileType>(queries.getType());
    int64_t width = llvm::alignTo(*type.getDimSize(dot.getSum()), plan.lanes);
    plan.queryRows[queries] = {take(plan.lanes * width), width};
  });
  block.walk([&](tile::LoadOp load) {
    if (!hasPageOffsets(load, plan))
      return;
    int64_t keys =
        *load.getResult().getType().getDimSize(rowAndColumn(load).first);
    plan.pageOffsets[load] = plan.bytes;
    plan.bytes += llvm::alignTo(2 * keys / kKeysOfFew * sizeof(int64_t), 64);
  });
}

} // namespace attnc::cpu
