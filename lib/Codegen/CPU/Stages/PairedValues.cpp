//===- PairedValues.cpp - Sums of values of two tiles ---------------------===//
//
// Each turn of a pipeline loads and stores the sums of values (of P @ V) that
// it adds to: with tiles of 64 keys, each register for two TDPBF16PS. Since a
// steady maximum (Plan/SteadyMaximum.cpp) leaves the sums as they are, turn t
// adds one half of the features for two tiles instead, with as many products
// and half of the loads and stores:
//
//   turn       0     1      2      3      4
//   half 0                 0, 1          2, 3
//   half 1           0            1, 2          3, ...
//
// Turn t makes half t mod 2 of tiles t - 2 and t - 1, so weights have three
// copies. Where a tile gets a new maximum, the half that has missed tile t - 1
// is added at once, the sums are rescaled, and the next turn adds one tile
// only, as the second one does (Emit/StagedLoop.cpp). Tests:
// test/Codegen/CPU/Emit/paired-values.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Plan.h"

using namespace mlir;

namespace attnc::cpu {

/// Whether both halves of the sums of a product have whole blocks of 2 x 2
/// registers, and its steps all elements of a tile.
static bool hasHalves(tile::DotOp dot, const Plan &plan) {
  constexpr int64_t rows = 4 * kTileRows;
  tile::TileType weights = dot.getLhs().getType();
  Space space = *spaceOf(dot.getResult().getType());
  int64_t keys =
      *weights.getDimSize(StringAttr::get(dot.getContext(), dot.getSum()));
  return space.size % rows == 0 && keys % plan.tileDepth(dot.getLhs()) == 0;
}

std::optional<size_t>
findPairedValues(tile::ForOp loop, const StagedBody &stages, const Plan &plan) {
  const std::vector<Item> &items =
      plan.items.find(&loop.getBody().front())->second;
  std::optional<size_t> rescaling;
  const Item *product = nullptr;
  for (size_t number : stages.of(Stage::Values)) {
    const Item &item = items[number];
    if (item.kind == ItemKind::Tiles && !product)
      product = &item;
    else if (item.kind == ItemKind::Nest && item.ops.size() == 1 &&
             isa<tile::RescaleOp>(item.ops.front()) && !rescaling)
      rescaling = number;
    else if (item.kind != ItemKind::Scalar &&
             !(item.kind == ItemKind::Rows &&
               isBlocked(cast<tile::LoadOp>(item.ops.front()))))
      return std::nullopt;
  }
  if (!stages.steady || !product || !rescaling)
    return std::nullopt;
  // Sums stay in their slot: carried -> rescaled -> start of the product ->
  // next.
  auto rescale = cast<tile::RescaleOp>(items[*rescaling].ops.front());
  auto dot = cast<tile::DotOp>(product->ops.front());
  auto carried = llvm::find(loop.getRegionIterArgs(), rescale.getValue());
  if (carried == loop.getRegionIterArgs().end() ||
      !rescale.getValue().hasOneUse() || !rescale.getResult().hasOneUse() ||
      dot.getAcc() != rescale.getResult() ||
      spaceOf(rescale.getFactor().getType())->dim || !hasHalves(dot, plan))
    return std::nullopt;
  size_t place = carried - loop.getRegionIterArgs().begin();
  Value next = product->ops.back()->getResult(0);
  bool isCarried =
      loop.getBody().front().getTerminator()->getOperand(place) == next;
  return isCarried && next.hasOneUse() ? rescaling : std::nullopt;
}

} // namespace attnc::cpu
