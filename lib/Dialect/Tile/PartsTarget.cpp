//===- PartsTarget.cpp - Parts and rows, as a target wants them -----------===//

#include "attnc/Dialect/Tile/PartsTarget.h"

using namespace mlir;

namespace attnc::tile {

int64_t mostInstances(TargetAttrInterface target) {
  // Up to eight thread blocks on each of some 130 multiprocessors; or threads.
  return isa<NvptxAttr>(target) ? 1024 : 32;
}

TargetAttrInterface mergeTarget(TargetAttrInterface target, int64_t features) {
  constexpr int64_t lanes = 32, mostWarps = 32;
  auto nvptx = dyn_cast<NvptxAttr>(target);
  int64_t warps = (features + lanes - 1) / lanes;
  if (!nvptx || warps > mostWarps)
    return {};
  return NvptxAttr::get(target.getContext(), nvptx.getArch(),
                        NvptxMapping::Thread, warps, /*rows=*/lanes,
                        /*stages=*/1, nvptx.getFastExp(),
                        /*sharedRows=*/false, /*overlap=*/false,
                        /*producers=*/false, /*pingPong=*/false,
                        NvptxLoads::Async);
}

bool readsElements(TargetAttrInterface target) {
  return isa<NvptxAttr>(target);
}

} // namespace attnc::tile
