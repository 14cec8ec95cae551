//===- StagedLoop.h - Full tiles as a pipeline of three stages --*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_STAGEDLOOP_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_STAGEDLOOP_H

#include "Emit/Emitter.h"

namespace attnc::cpu {

/// Emits `count` full tiles of a loop in Plan::staged from key `first` on, for
/// one group of vectors after the other.
void emitStaged(Emitter &emitter, tile::ForOp loop, Value first, Value count);

/// The granules of a nest, each of so many rows, in the pauses of the products
/// next to it, as evenly as pauses allow. `granule` gets the first row.
SmallVector<Value> emitPaced(Ops &ops, const Pacer &pacer, int64_t granules,
                             int64_t rows, ValueRange carried, Pace granule);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_STAGEDLOOP_H
