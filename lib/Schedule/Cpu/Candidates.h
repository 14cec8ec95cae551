//===- Candidates.h - Candidate schedules -----------------------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_CPU_CANDIDATES_H
#define ATTNC_LIB_SCHEDULE_CPU_CANDIDATES_H

#include "Cpu/CpuSchedule.h"

namespace attnc::schedule::cpu {

/// Schedules of the kernel with the fields of `request` as they are, `weights`
/// being that of its name (null: chosen by the kernel), in the order of
/// preference between equals. Not all need be legal: where the request
/// excludes every legal one, the first tells why.
llvm::SmallVector<CpuSchedule> makeCandidates(const KernelShape &shape,
                                              const Target &target,
                                              const ScheduleRequest &request,
                                              mlir::Type weights);

} // namespace attnc::schedule::cpu

#endif // ATTNC_LIB_SCHEDULE_CPU_CANDIDATES_H
