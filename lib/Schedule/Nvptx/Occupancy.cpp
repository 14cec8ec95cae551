//===- Occupancy.cpp - How a grid fills a GPU -----------------------------===//
//
// Where a grid has fewer blocks than the machine has places for, some
// multiprocessors idle and the others have too few reads under way: by Little's
// law these must be as many bytes as memory delivers during its latency. Parts
// of the keys make more blocks. Tests: test/Schedule/Nvptx/parts.test
//
//===----------------------------------------------------------------------===//

#include "Nvptx/Occupancy.h"

#include "attnc/Analysis/Kernel/SplitKeys.h"
#include "attnc/Target/GpuMachine.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace attnc::schedule::nvptx {

/// More rows fill the machine by themselves, and their states would take as
/// much memory as the results.
static constexpr int64_t kMostRowsForParts = 64;
/// Fewer keys take hardly longer than the launch of a grid that merges.
static constexpr int64_t kLeastKeysForParts = 1024;
static constexpr int64_t kLeastPart = 128;

/// Each has tensor cores of its own.
static constexpr double kSchedulers = 4;

Occupancy occupancyOf(double blocks, int64_t warps, int64_t resident,
                      const Target &target) {
  double mean = blocks / double(getGpuMachine(target).multiprocessors);
  Occupancy occupancy;
  occupancy.share = std::min(1.0, mean);
  occupancy.active = std::clamp(mean, 1.0, double(resident));
  occupancy.schedulers =
      std::min(1.0, occupancy.active * double(warps) / kSchedulers);
  if (mean > 1)
    occupancy.imbalance = std::ceil(mean) / mean;
  return occupancy;
}

bool isForParts(const KernelShape &shape) {
  return shape.mostQueries > 0 && shape.mostQueries <= kMostRowsForParts &&
         shape.mostKeysSeen >= kLeastKeysForParts &&
         whyNotSplit(shape.kernel).empty();
}

SmallVector<int64_t> listSplits(const KernelShape &shape, int64_t k) {
  SmallVector<int64_t> splits{0};
  if (!isForParts(shape))
    return splits;
  int64_t longest = llvm::bit_floor(uint64_t(shape.mostKeysSeen));
  for (int64_t keys = longest; keys >= kLeastPart; keys /= 2)
    for (int64_t length : {keys, keys * 3 / 4})
      if (length >= k)
        splits.push_back(llvm::alignTo(length, k));
  return splits;
}

double countParts(int64_t split, double keysOfBlock, double blocksOfHead,
                  int64_t most) {
  if (split == 0)
    return 1;
  double wanted = std::ceil(double(most) / std::max(blocksOfHead, 1.0));
  return std::max(1.0,
                  std::min(std::ceil(keysOfBlock / double(split)), wanted));
}

double mergeCycles(const KernelShape &shape, double parts, double rows,
                   double heads, const Target &target) {
  // The launch of a grid and its first reads; then states follow each other,
  // some of which are read at once.
  constexpr double kLaunch = 4000, kPart = 100;
  double launch = (kLaunch + kPart * parts) *
                  double(getGpuMachine(target).multiprocessors) /
                  std::max(heads, 1.0);
  double bytes = 2 * parts * rows * double(shape.valueDim + 2) *
                 double(shape.accumulateBytes());
  return launch + bytes / target.memory.back().bytesPerCycle;
}

} // namespace attnc::schedule::nvptx
