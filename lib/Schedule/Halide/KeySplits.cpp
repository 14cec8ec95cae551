//===- KeySplits.cpp - Parts of the keys of few queries -------------------===//
//
// Tests: test/Schedule/Halide/split-keys.test
//
//===----------------------------------------------------------------------===//

#include "Halide/KeySplits.h"

#include "attnc/Analysis/Kernel/SplitKeys.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace attnc::schedule::halide {

static bool isFewByMany(const KernelShape &shape, int64_t mostQueries) {
  return shape.mostQueries > 0 && shape.mostQueries <= mostQueries &&
         shape.mostKeysSeen >= 2 * kKeysOfPart;
}

bool isForParts(const KernelShape &shape, int64_t mostQueries) {
  return isFewByMany(shape, mostQueries) && !isRagged(shape.kernel.getQ()) &&
         whyNotSplit(shape.kernel).empty();
}

SmallVector<int64_t> listSplits(const KernelShape &shape, int64_t mostQueries,
                                int64_t k, std::optional<int64_t> requested) {
  if (requested)
    return {*requested};
  if (!isForParts(shape, mostQueries))
    return {0};
  return {int64_t(llvm::alignTo(kKeysOfPart, k)), 0};
}

std::string explainWhole(const KernelShape &shape, int64_t mostQueries,
                         attn::ScheduleAttr schedule) {
  if (!schedule.getSplit() && isFewByMany(shape, mostQueries) &&
      isRagged(shape.kernel.getQ()))
    return "keys are not split into parts, although few queries are expected: "
           "the states of ragged queries would need room for all rows in each "
           "sequence";
  return {};
}

double countParts(attn::ScheduleAttr schedule, RegimeRanges &ranges) {
  if (schedule.getSplit() == 0)
    return 1;
  double blocks = std::ceil(std::max<double>(1, ranges.getQueries()) /
                            double(schedule.getQ()));
  double heads = double(std::max<int64_t>(ranges.getHeads(), 1));
  double most = double(schedule.getTarget().getMostInstances());
  return std::max(1.0, std::min(std::ceil(double(ranges.getKeys()) /
                                          double(schedule.getSplit())),
                                std::ceil(most / (blocks * heads))));
}

} // namespace attnc::schedule::halide
