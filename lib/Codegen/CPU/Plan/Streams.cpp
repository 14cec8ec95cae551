//===- Streams.cpp - Operands along the lanes that are read in place ------===//
//
// What a product has along its lanes is copied into a slot, because the
// register tiles read it once for each few rows. A product with as few rows as
// one register tile reads each element once: then the copy would cost more than
// it saves, and the register tile loads its vectors from the tensor. So a large
// weight is read at the rate of memory by a few rows.
//
// That needs lanes that are contiguous in memory, which is known at run time
// only; others are copied (LoadLanes.cpp). Tests:
// test/Codegen/CPU/Memory/streams.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Block2D.h"

using namespace mlir;

namespace attnc::cpu {

/// Whether the only user of a load is a product that one row of register tiles
/// covers. The rows of scores are keys, of which there are more.
static bool isReadOnce(tile::LoadOp load, const Plan &plan,
                       tile::CpuAttr target) {
  Value loaded = load.getResult();
  if (!load.getResult().getType().hasDim(kLaneDim) || !loaded.hasOneUse())
    return false;
  auto dot = dyn_cast<tile::DotOp>(*loaded.user_begin());
  if (!dot || dot->getBlock() != load->getBlock() || dot.getMask() ||
      dot.hasTerm() || loaded == dot.getAcc() ||
      featureFormOf(dot, plan) != FeatureForm::None)
    return false;
  Space space = *spaceOf(cast<tile::TileType>(dot.getResult().getType()));
  bool isScore = space.dim && space.dim == "k";
  return !isScore && space.size <= target.getValueGranule()[0];
}

void planStreams(Block &block, Plan &plan, tile::CpuAttr target) {
  block.walk([&](tile::LoadOp load) {
    if (isReadOnce(load, plan, target))
      plan.streamed.insert(load);
  });
}

} // namespace attnc::cpu
