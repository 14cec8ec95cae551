//===- VisitedPairs.h - Pairs that blocks of a kernel compute ---*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_VISITEDPAIRS_H
#define ATTNC_LIB_SCHEDULE_VISITEDPAIRS_H

#include "attnc/Analysis/Regime/RegimeRanges.h"

namespace attnc::schedule {

/// Pairs of a row and a key that blocks of `q` rows compute: each row of a
/// block with the keys from the first to the last that one of them sees,
/// rounded up to whole tiles of `step` keys. With `chunk` they begin at the
/// last multiple of it before which all rows see all keys. Long sequences are
/// sampled.
double countVisitedPairs(int64_t q, int64_t step, RegimeRanges &ranges,
                         int64_t chunk = 0);

/// Tiles of `q` rows and `step` keys: how many blocks do not visit, visit with
/// the mask, and visit without it.
struct VisitedTiles {
  double skipped = 0, partial = 0, full = 0;
  double visited() const { return partial + full; }
};

/// The tiles of tile.for with `partial_step = step`. Long sequences are
/// sampled.
VisitedTiles countVisitedTiles(int64_t q, int64_t step, RegimeRanges &ranges);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_VISITEDPAIRS_H
