//===- Candidates.h - Candidate schedules -----------------------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_CANDIDATES_H
#define ATTNC_LIB_SCHEDULE_CANDIDATES_H

#include "CpuSchedule.h"

namespace attnc::schedule {

/// Schedules of the kernel with the fields of `request` as they are, in the
/// order of preference between equals. Not all need be legal: where the request
/// excludes every legal one, the first tells why.
llvm::SmallVector<CpuSchedule> makeCandidates(const KernelShape &shape,
                                              const Target &target,
                                              const ScheduleRequest &request);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_CANDIDATES_H
