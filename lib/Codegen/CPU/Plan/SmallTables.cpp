//===- SmallTables.cpp - Tables of few entries that a loop reads ----------===//
//
// A bias by the bucket of a distance has as many entries for a head as two
// registers of AVX-512 have lanes, and one permutation of them reads 16, where
// a gather takes a load for each. A read is one if its only index that differs
// between lanes is from 0 to 31 whatever the distance is. Loops over keys copy
// the entries to scratch before their first tile, so that they are contiguous
// (Read/SmallTables.cpp). Tests: test/Codegen/CPU/Plan/small-tables.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Plan.h"

#include "attnc/Codegen/Common/IndexRange.h"

using namespace mlir;

namespace attnc::cpu {

/// The axis of a read in a nest over distances whose index is less than
/// kSmallTable, if all others are known before the loop.
static std::optional<unsigned> smallAxis(tile::ReadOp read, tile::MapOp map,
                                         tile::ForOp loop,
                                         codegen::IndexRanges &ranges) {
  std::optional<unsigned> small;
  for (auto [axis, index] : llvm::enumerate(read.getIndices())) {
    if (!loop.getBody().isAncestor(index.getParentRegion()))
      continue;
    std::optional<codegen::IndexRange> range = ranges.of(index);
    if (small || index.getParentRegion() != &map.getBody() || !range ||
        range->low < 0 || range->high >= kSmallTable)
      return std::nullopt;
    small = axis;
  }
  return small;
}

void planSmallTables(Block &block, Plan &plan, tile::CpuAttr target) {
  if (target.getIsa() != tile::CpuIsa::Avx512 || !plan.accumulator.isF32() ||
      2 * plan.lanes != kSmallTable)
    return;
  block.walk([&](tile::MapOp map) {
    auto loop = map->getParentOfType<tile::ForOp>();
    std::optional<Space> space =
        spaceOf(cast<tile::TileType>(map.getResult().getType()));
    if (!loop || !space || !space->distances || !map.getInputs().empty())
      return;
    codegen::IndexRanges ranges;
    for (Value argument : map.getBody().getArguments())
      ranges.addDistance(argument);
    for (auto read : map.getBody().getOps<tile::ReadOp>()) {
      if (!isa<FloatType>(read.getType()))
        continue;
      if (std::optional<unsigned> axis = smallAxis(read, map, loop, ranges)) {
        plan.smallTables[read] = {loop, *axis, plan.bytes};
        plan.bytes += kSmallTable * 4;
      }
    }
  });
}

} // namespace attnc::cpu
