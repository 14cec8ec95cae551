//===- ZeroSums.h - Sums that a loop carries from zero on -------*- C++ -*-===//
//
// A matrix unit makes registers zero in one instruction, so the first tile of a
// loop need not load zeros that were stored before.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_CPU_PLAN_ZEROSUMS_H
#define ATTNC_LIB_CODEGEN_CPU_PLAN_ZEROSUMS_H

#include "Plan/Plan.h"

namespace attnc::cpu {

/// Whether a loop carries a tile from zero on.
inline bool isCarriedFromZero(tile::ForOp loop, mlir::Value carried) {
  auto place = llvm::find(loop.getRegionIterArgs(), carried);
  if (place == loop.getRegionIterArgs().end())
    return false;
  mlir::Value init = loop.getInits()[place - loop.getRegionIterArgs().begin()];
  auto splat = init.getDefiningOp<tile::SplatOp>();
  return splat && splat.getValue().isZero();
}

/// The loop whose first tile is the first to add to the sums of a product of
/// the matrix unit, which are zero before; or null. Its only segment has no
/// tiles before the full ones, so that its first tile starts where it does, and
/// all vectors take part in all tiles.
inline tile::ForOp loopFromZero(tile::DotOp dot, const Plan &plan,
                                tile::CpuAttr target) {
  auto sums = mlir::dyn_cast_if_present<mlir::BlockArgument>(dot.getAcc());
  auto loop = sums ? mlir::dyn_cast<tile::ForOp>(sums.getOwner()->getParentOp())
                   : tile::ForOp();
  if (!loop || !plan.hasTiles || !plan.pairDots.contains(dot) ||
      dot->getParentOp() != loop || !sums.hasOneUse() ||
      loop.getNumSegments() != 1 || loop.hasClassify() ||
      target.getLaneSkip() || loop.getSegment(0)[0] != loop.getSegment(0)[1])
    return {};
  return isCarriedFromZero(loop, sums) ? loop : tile::ForOp();
}

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_PLAN_ZEROSUMS_H
