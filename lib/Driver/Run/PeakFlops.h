//===- PeakFlops.h - What the machine can do --------------------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_RUN_PEAKFLOPS_H
#define ATTNC_LIB_DRIVER_RUN_PEAKFLOPS_H

#include "attnc/Target/Target.h"

namespace attnc {

/// Seconds of CPU time that this thread has used: other load on the machine
/// does not count.
double threadSeconds();

/// The fastest unit of `target` for products of `operand` that this machine
/// has, and whose use its system permits.
UnitKind unitOfPeak(const Target &target, DType operand);

/// GFLOP/s (by CPU time) of independent multiply-adds in registers of `unit` on
/// this thread, measured over about `seconds`. A multiply-add counts as two.
/// Elements of fmas, in the vectors of `target`, are f64 if `isDouble`, else
/// f32; those of other units bf16.
double measurePeak(const Target &target, UnitKind unit, bool isDouble,
                   double seconds);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_PEAKFLOPS_H
