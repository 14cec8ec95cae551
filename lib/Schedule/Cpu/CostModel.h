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

/// Cycles to transpose the values of a tile for the matrix unit. `fitsL1`: next
/// to all that its block reads and writes.
double transposeValues(const KernelShape &shape, double keys,
                       bool fitsL1 = true);

/// Cycles to transpose all values of a head before the kernel, for a query
/// head.
double packValues(const KernelShape &shape, double keys);

/// Whether it is faster to pack keys once per call than to copy each tile of
/// them for each block of queries, for the fewest queries that `expect` lists.
bool isPackingFaster(const KernelShape &shape, const CpuSchedule &schedule);

/// Cycles of a register tile's inner loop for one step of the summed axis: an
/// element, or the `depth` of a dot-product unit. Null: fmas.
double cyclesPerStep(RegisterTile tile, int64_t unroll, const Target &target,
                     const Unit *unit = nullptr);

/// Whether a unit multiplies rows of so many bits where lanes are features:
/// pairs of bf16.
bool multipliesFeatures(const Unit *unit, unsigned bits);

/// Cycles to multiply the vectors of a register tile whose lanes are features
/// with its queries. With a unit a vector of pairs counts as two, which may be
/// zipped from two rows; without one a vector of fewer `bits` is converted.
double cyclesOfFeatures(RegisterTile tile, const Target &target,
                        const Unit *unit, unsigned bits,
                        unsigned accumulateBits, bool zips = false);

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

/// Cycles for which a pipelined tile waits to store a register of sums, or to
/// load and store it.
inline constexpr double kStore = 8, kLoadAndStore = 24;

/// Cycles of a product of a matrix unit in a pipelined tile, and `perSum` for
/// each register of sums.
double pipelinedCycles(double rows, double depth, double vectors,
                       int64_t products, double perSum, const Unit &unit);

/// What the code generator makes of a kernel's full tiles with a schedule
/// (lib/Codegen/CPU/Plan/Stages.cpp).
struct Pipeline {
  /// Products of the matrix unit overlap with weights.
  bool isPipelined = false;
  /// Weights are computed in fixed point.
  bool hasFixedPoint = false;
  /// Sums of values are loaded and stored for two tiles at once.
  bool pairsValues = false;
};
Pipeline findPipeline(const KernelShape &shape, const CpuSchedule &schedule,
                      const PairedProducts &paired, int64_t lanes);

/// Bytes of the tiles that a pipeline of `rows` queries reads and writes in
/// each turn: scores, copies of weights, sums and queries.
double pipelineBytes(const KernelShape &shape, double keys, double rows);

/// The part of their transfers from L2 that a pipeline waits for if they do not
/// fit L1. Measured: 0.2 to 0.5.
inline constexpr double kPipelineExposed = 0.35;

/// Instructions of weights in fixed point per vector, their sum included.
inline constexpr double kFixedPointOperations = 8;

/// The least cycles of the products: `pairs` of rows and keys, each product at
/// the peak of the unit that computes it, and `others` multiply-adds. Lanes of
/// features (`isFew`) are multiplied by fmas or a dot-product unit.
double cyclesAtPeak(const KernelShape &shape, const Target &target,
                    const CpuSchedule &schedule, bool isFew, double pairs,
                    double others);

} // namespace attnc::schedule::cpu

#endif // ATTNC_LIB_SCHEDULE_CPU_COSTMODEL_H
