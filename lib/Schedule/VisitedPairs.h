//===- VisitedPairs.h - Pairs that blocks of a kernel compute ---*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_VISITEDPAIRS_H
#define ATTNC_LIB_SCHEDULE_VISITEDPAIRS_H

#include "attnc/Analysis/Regime/RegimeRanges.h"

namespace attnc::schedule {

/// Pairs of a row and a key that blocks of `q` rows compute: each row of a
/// block with the keys from the first to the last that one of them sees,
/// rounded up to whole tiles of `step` keys. Long sequences are sampled.
double countVisitedPairs(int64_t q, int64_t step, RegimeRanges &ranges);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_VISITEDPAIRS_H
