//===- FeatureLanes.h - Schedules with features in the lanes ----*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_HALIDE_FEATURELANES_H
#define ATTNC_LIB_SCHEDULE_HALIDE_FEATURELANES_H

#include "Halide/HalideRequest.h"
#include "Strategy.h"

namespace attnc::schedule::halide {

/// Whether every regime has so few rows that lanes may be features.
bool isForFeatures(const KernelShape &shape);

/// A block of rows and its register tiles: [keys, rows] and [vectors of
/// features, rows].
struct FeatureTiles {
  int64_t q;
  RegisterTile score, value;
};

/// Those for the expected rows, or for the requested fields.
FeatureTiles chooseFeatureTiles(const KernelShape &shape, const Target &target,
                                const HalideRequest &request);

/// What is wrong with a schedule that has features in the lanes, or an empty
/// text.
std::string findFeatureProblem(const KernelShape &shape, const Target &target,
                               attn::ScheduleAttr schedule);

/// Cycles of the products of so many pairs, with the sums of their lanes.
double costOfFeatures(const KernelShape &shape, const Target &target,
                      attn::ScheduleAttr schedule, double pairs);

/// Cycles of waiting for keys and values where all else takes `busy`.
double waitForKeys(const KernelShape &shape, const Target &target,
                   attn::ScheduleAttr schedule, RegimeRanges &ranges,
                   double pairs, double busy);

} // namespace attnc::schedule::halide

#endif // ATTNC_LIB_SCHEDULE_HALIDE_FEATURELANES_H
