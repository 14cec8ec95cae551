//===- HalideStrategy.h - Schedules of the Halide backend -------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_HALIDE_HALIDESTRATEGY_H
#define ATTNC_LIB_SCHEDULE_HALIDE_HALIDESTRATEGY_H

#include "Strategy.h"

namespace attnc::schedule::halide {

const Strategy &getStrategy();
/// Of devices.
const Strategy &getGpuStrategy();

} // namespace attnc::schedule::halide

#endif // ATTNC_LIB_SCHEDULE_HALIDE_HALIDESTRATEGY_H
