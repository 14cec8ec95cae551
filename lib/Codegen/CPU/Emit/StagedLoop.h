//===- StagedLoop.h - Full tiles as a pipeline of three stages --*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_STAGEDLOOP_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_STAGEDLOOP_H

#include "Emit/Emitter.h"

namespace attnc::cpu {

/// Tiles of a loop in the order in which a pipeline visits them: full ones from
/// key `first` on, those behind them, and those before `first`, the nearest
/// first. Those on both sides need the mask.
struct StagedTiles {
  Value first, full, behind, before;
  bool fromZero = false; // the values of the first tile start sums of values
};

/// Emits tiles of a loop in Plan::staged, for one group of vectors after the
/// other.
void emitStaged(Emitter &emitter, tile::ForOp loop, const StagedTiles &tiles);

/// The granules of a nest, each of so many rows, in the pauses of the products
/// next to it, as evenly as pauses allow. `granule` gets the first row.
SmallVector<Value> emitPaced(Ops &ops, const Pacer &pacer, int64_t granules,
                             int64_t rows, ValueRange carried, Pace granule);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_STAGEDLOOP_H
