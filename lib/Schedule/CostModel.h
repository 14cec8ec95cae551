//===- CostModel.h - Predicted cycles of a schedule -------------*- C++ -*-===//
//
// Ranks schedules of one kernel on one core. docs/stages/4-scheduled.md derives
// the terms and compares them with measurements.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_COSTMODEL_H
#define ATTNC_LIB_SCHEDULE_COSTMODEL_H

#include "CpuSchedule.h"

#include "attnc/Analysis/Regime/RegimeRanges.h"

namespace attnc::schedule {

/// Cycles of one head, by cause.
struct Cost {
  double products = 0; // Q K^T and P V
  double weights = 0;  // formula, mask, exp
  double overhead = 0; // starting tiles and blocks, packing Q, storing O
  double memory = 0;   // waiting for K and V beyond all that
  double total() const {
    return products + weights + overhead + memory + states;
  }
  /// What tiles that need the mask have of these.
  double partial = 0;
  /// Of form chunked: the states, their part in a block's values included.
  double states = 0;
  /// Of the FMA peak, counting the pairs that the mask allows.
  double peakFraction = 0;
  /// Pairs of a row and a key that are visited.
  double visitedPairs = 0;
  /// Tiles of q x k: none visited, some with the mask, the rest without.
  double skippedTiles = 0, partialTiles = 0, fullTiles = 0;
};

Cost predictCost(const KernelShape &shape, const Target &target,
                 const CpuSchedule &schedule, RegimeRanges &ranges);

/// Cycles of a register tile's inner loop for one step of the summed axis.
double cyclesPerStep(RegisterTile tile, int64_t unroll, const Target &target);

/// Cycles of a product of `rows` x `depth` by `depth` x `vectors`, cut into
/// register tiles. `waiting`: cycles per step that loads wait.
double productCycles(RegisterTile tile, double rows, double depth,
                     double vectors, int64_t unroll, const Target &target,
                     double waiting = 0);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_COSTMODEL_H
