//===- CpuStrategy.h - Schedules for vector units of CPUs -------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_CPU_CPUSTRATEGY_H
#define ATTNC_LIB_SCHEDULE_CPU_CPUSTRATEGY_H

#include "Strategy.h"

namespace attnc::schedule::cpu {

/// Queries are lanes, a register tile is keys or features by vectors of
/// queries. Its own fields are those of #tile.cpu.
const Strategy &getStrategy();

} // namespace attnc::schedule::cpu

#endif // ATTNC_LIB_SCHEDULE_CPU_CPUSTRATEGY_H
