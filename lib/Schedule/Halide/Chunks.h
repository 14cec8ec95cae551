//===- Chunks.h - Chunks of keys of linear attention ------------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_HALIDE_CHUNKS_H
#define ATTNC_LIB_SCHEDULE_HALIDE_CHUNKS_H

#include "KernelShape.h"

#include "attnc/Analysis/Regime/RegimeRanges.h"

namespace attnc::schedule::halide {

/// The most keys of a block or a chunk.
inline constexpr int64_t kMostKeys = 4096;

/// Keys between states of form chunked, the preferred number first.
llvm::SmallVector<int64_t> chunksOf(const KernelShape &shape,
                                    std::optional<int64_t> requested);

/// Whether states are made for so many queries.
bool usesStates(const KernelShape &shape, attn::ScheduleAttr schedule,
                RegimeRanges &ranges);

} // namespace attnc::schedule::halide

#endif // ATTNC_LIB_SCHEDULE_HALIDE_CHUNKS_H
