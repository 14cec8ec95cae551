//===- RowBlocks.h - Cost of row blocks that read a kernel's keys ---------===//
//
// A kernel takes rows of queries in blocks of a few vectors, the rest in single
// vectors, and each of them reads the keys and values of its head again. A
// single vector computes so little with an element that reading takes longer.
// So products in kernels are not as fast as their FLOPs where rows are few, or
// where features are so many that only one vector of rows fits L2.
//
// Tests: test/Unit/Analysis/RowBlocksTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_COST_ROWBLOCKS_H
#define ATTNC_ANALYSIS_COST_ROWBLOCKS_H

#include "attnc/Target/Target.h"

namespace attnc {

/// Products of rows with rows of keys, or of weights with values.
struct RowBlocks {
  const Target *target;
  DType type; // of the sums
  /// Features of a query's row and of its result, which a block keeps.
  double features;

  /// Instructions' rows in a block: at most four times those that the unit
  /// takes at once, and what fits half of L2 with the keys of a tile.
  int64_t vectors() const;
  /// Cycles that `rows` rows take by one key: `products` multiply-adds of a
  /// row, with `bytes` that each block reads.
  double cyclesPerKey(double rows, double products, double bytes) const;
};

} // namespace attnc

#endif // ATTNC_ANALYSIS_COST_ROWBLOCKS_H
