//===- Occupancy.h - How a grid fills a GPU ---------------------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_NVPTX_OCCUPANCY_H
#define ATTNC_LIB_SCHEDULE_NVPTX_OCCUPANCY_H

#include "KernelShape.h"

#include "attnc/Analysis/Regime/RegimeRanges.h"

namespace attnc::schedule::nvptx {

/// Thread blocks of a grid on the multiprocessors.
struct Occupancy {
  /// Of the multiprocessors, those that have a block.
  double share = 1;
  /// Resident blocks of such a multiprocessor.
  double active = 1;
  /// Of its schedulers, those that have a warp.
  double schedulers = 1;
  /// How much longer the multiprocessor with the most blocks takes than the
  /// mean.
  double imbalance = 1;
};

/// Of `blocks` thread blocks, `resident` of which fit a multiprocessor.
Occupancy occupancyOf(double blocks, int64_t warps, int64_t resident,
                      const Target &target);

/// Whether a kernel has so few rows at all its sizes that the heads alone do
/// not fill a GPU, and keys enough that parts of them may.
bool isForParts(const KernelShape &shape);

/// Keys of a part, for tiles of k keys: 0 (no parts), then the longest first.
llvm::SmallVector<int64_t> listSplits(const KernelShape &shape, int64_t k);

/// Parts of the keys that a block of rows visits; 1 without a split.
double countParts(int64_t split, double keysOfBlock, double blocksOfHead,
                  int64_t most);

/// Cycles of one multiprocessor for a head's states, which are stored and
/// merged in a grid of its own.
double mergeCycles(const KernelShape &shape, double parts, double rows,
                   double heads, const Target &target);

} // namespace attnc::schedule::nvptx

#endif // ATTNC_LIB_SCHEDULE_NVPTX_OCCUPANCY_H
