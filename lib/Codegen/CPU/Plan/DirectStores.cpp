//===- DirectStores.cpp - Results that their nests store ------------------===//
//
// A nest that makes a tile for a store alone stores rows of it as they are
// made, so they do not go through scratch. The tile keeps its slot for blocks
// whose lanes are not contiguous in memory, or not all valid
// (Memory/StoreRows.cpp).
//
//   nests of fmas with a product   tiles as wide as the sums, f32 or f64: a row
//                                  is stored while the next products run
//   nests beside the matrix unit   tiles of bf16 that no product makes, such as
//                                  an epilogue: two vectors fill a line of
//                                  cache
//
// Tests: test/Codegen/CPU/Memory/store-rows.mlir, store-sums.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Block2D.h"

using namespace mlir;

namespace attnc::cpu {

/// Whether a store, whose tile an op of `nest` makes, may be part of it. On the
/// matrix unit nests with products have windows of their own; with features in
/// the lanes registers are not rows of the tile.
static bool mayStore(const Item &nest, tile::StoreOp store, const Plan &plan) {
  auto type = cast<tile::TileType>(store.getValue().getType());
  bool hasProduct = llvm::any_of(nest.ops, llvm::IsaPred<tile::DotOp>);
  return nest.kind == ItemKind::Nest && nest.space.lanes && nest.space.dim &&
         !nest.space.distances && spaceOf(type) == nest.space &&
         hasProduct != plan.hasTiles && !plan.featureRows;
}

/// The type of tiles and tensors whose rows nests store, or null.
static Type directElement(const Plan &plan) {
  if (!plan.hasTiles)
    return plan.accumulator;
  return plan.accumulator.isF32()
             ? BFloat16Type::get(plan.accumulator.getContext())
             : Type();
}

void planDirectStores(Plan &plan) {
  Type element = directElement(plan);
  for (const auto &[block, items] : plan.items)
    for (const Item &item : items) {
      auto store = dyn_cast<tile::StoreOp>(item.ops.front());
      if (!store || !mayFollow(store.getBuf()))
        continue;
      Value made = store.getValue();
      if (cast<tile::TileType>(made.getType()).getElementType() != element ||
          store.getBuf().getType().getElementType() != element ||
          !made.hasOneUse() || plan.pairTiles.contains(made))
        continue;
      bool isOfNest = llvm::any_of(items, [&](const Item &nest) {
        return llvm::is_contained(nest.ops, made.getDefiningOp()) &&
               mayStore(nest, store, plan);
      });
      if (isOfNest)
        plan.direct[made] = store;
    }
}

} // namespace attnc::cpu
