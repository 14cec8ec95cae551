//===- KeySplits.h - Parts of the keys of few queries -----------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_HALIDE_KEYSPLITS_H
#define ATTNC_LIB_SCHEDULE_HALIDE_KEYSPLITS_H

#include "KernelShape.h"

#include "attnc/Analysis/Regime/RegimeRanges.h"

namespace attnc::schedule::halide {

/// Whether every regime has at most `mostQueries` queries, so that heads alone
/// make few tasks, and one of them has keys enough that parts are worth a
/// merge.
bool isForParts(const KernelShape &shape, int64_t mostQueries);

/// Keys of a part for blocks of k keys, the preferred one first; 0: no parts.
llvm::SmallVector<int64_t> listSplits(const KernelShape &shape,
                                      int64_t mostQueries, int64_t k,
                                      std::optional<int64_t> requested);

/// Why the keys are not in parts although there are few queries and many keys,
/// or an empty text.
std::string explainWhole(const KernelShape &shape, int64_t mostQueries,
                         attn::ScheduleAttr schedule);

/// Parts of the keys that a block of rows visits; 1 without a split.
double countParts(attn::ScheduleAttr schedule, RegimeRanges &ranges);

} // namespace attnc::schedule::halide

#endif // ATTNC_LIB_SCHEDULE_HALIDE_KEYSPLITS_H
