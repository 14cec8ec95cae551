//===- CostModel.h - Predicted cycles of a schedule -------------*- C++ -*-===//
//
// Ranks schedules of one kernel on one core. docs/stages/4-scheduled.md derives
// the terms and compares them with measurements.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_CPU_COSTMODEL_H
#define ATTNC_LIB_SCHEDULE_CPU_COSTMODEL_H

#include "Cpu/CpuSchedule.h"
#include "Strategy.h"

namespace attnc::schedule::cpu {

Cost predictCost(const KernelShape &shape, const Target &target,
                 const CpuSchedule &schedule, RegimeRanges &ranges);

/// Cycles to copy a row of keys for a tile; 0: its features fill registers, so
/// it is read in place.
double copyKey(const KernelShape &shape);

/// Cycles to pack a row of keys before the kernel, for a query head.
double packKey(const KernelShape &shape);

/// Whether it is faster to pack keys once per call than to copy each tile of
/// them for each block of queries, for the fewest queries that `expect` lists.
bool isPackingFaster(const KernelShape &shape, const CpuSchedule &schedule);

/// Cycles of a register tile's inner loop for one step of the summed axis: an
/// element, or the `depth` of a dot-product unit. Null: fmas.
double cyclesPerStep(RegisterTile tile, int64_t unroll, const Target &target,
                     const Unit *unit = nullptr);

/// Cycles of a product of `rows` x `depth` by `depth` x `vectors`, cut into
/// register tiles. `waiting`: cycles per step that loads wait.
double productCycles(RegisterTile tile, double rows, double depth,
                     double vectors, int64_t unroll, const Target &target,
                     double waiting = 0, const Unit *unit = nullptr);

/// Cycles of a product of a matrix unit, for whole registers: its instructions,
/// and loading and storing each register of sums once. It adds up so many
/// products of equal sizes.
double matrixCycles(double rows, double depth, double vectors, int64_t products,
                    const Unit &unit);

/// The least cycles of the products: `pairs` of rows and keys, each product at
/// the peak of the unit that computes it, and `others` multiply-adds. Lanes of
/// features (`isFew`) are multiplied by fmas.
double cyclesAtPeak(const KernelShape &shape, const Target &target,
                    const CpuSchedule &schedule, bool isFew, double pairs,
                    double others);

} // namespace attnc::schedule::cpu

#endif // ATTNC_LIB_SCHEDULE_CPU_COSTMODEL_H
