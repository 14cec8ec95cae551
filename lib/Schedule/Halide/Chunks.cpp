//===- Chunks.cpp - Chunks of keys of linear attention --------------------===//
//
// Tests: test/Integration/halide/linear
//
//===----------------------------------------------------------------------===//

#include "Halide/Chunks.h"

#include "attnc/Analysis/Kernel/LeastRows.h"

using namespace mlir;

namespace attnc::schedule::halide {

/// Pairs of formulas are dear, so few of them stand between two states.
SmallVector<int64_t> chunksOf(const KernelShape &shape,
                              std::optional<int64_t> requested) {
  if (requested)
    return {*requested};
  if (shape.sums.front())
    return {128, 64, 32};
  return {128, 64, 256};
}

bool usesStates(const KernelShape &shape, attn::ScheduleAttr schedule,
                RegimeRanges &ranges) {
  int64_t chunk = schedule.getChunk();
  return chunk > 0 &&
         ranges.getQueries() * shape.sharing >=
             leastRowsOfStates(shape.headDim, shape.valueDim + 1, chunk,
                               shape.factors->feature.has_value());
}

} // namespace attnc::schedule::halide
