//===- DirectStores.cpp - Results that their nests store ------------------===//
//
// A nest that makes a tile of bf16 for a store alone, such as the epilogue of a
// product, stores rows of it as they are made. So they do not go through
// scratch, and two vectors fill a line of cache. The tile keeps its slot for
// blocks whose lanes are not contiguous in memory, or not all valid
// (Memory/StoreRows.cpp). Tests: test/Codegen/CPU/Memory/store-rows.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Block2D.h"

using namespace mlir;

namespace attnc::cpu {

/// Whether a store, whose tile an op of `nest` makes, may be part of it. Nests
/// with products have windows of their own.
static bool mayStore(const Item &nest, tile::StoreOp store) {
  auto type = cast<tile::TileType>(store.getValue().getType());
  return nest.kind == ItemKind::Nest && nest.space.lanes && nest.space.dim &&
         !nest.space.distances && spaceOf(type) == nest.space &&
         llvm::none_of(nest.ops, llvm::IsaPred<tile::DotOp>);
}

void planDirectStores(Plan &plan) {
  if (!plan.hasTiles || !plan.accumulator.isF32())
    return;
  for (const auto &[block, items] : plan.items)
    for (const Item &item : items) {
      auto store = dyn_cast<tile::StoreOp>(item.ops.front());
      if (!store || !mayFollow(store.getBuf()))
        continue;
      Value made = store.getValue();
      if (!cast<tile::TileType>(made.getType()).getElementType().isBF16() ||
          !store.getBuf().getType().getElementType().isBF16() ||
          !made.hasOneUse() || plan.pairTiles.contains(made))
        continue;
      bool isOfNest = llvm::any_of(items, [&](const Item &nest) {
        return llvm::is_contained(nest.ops, made.getDefiningOp()) &&
               mayStore(nest, store);
      });
      if (isOfNest)
        plan.direct[made] = store;
    }
}

} // namespace attnc::cpu
