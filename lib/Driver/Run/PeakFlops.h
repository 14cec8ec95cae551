//===- PeakFlops.h - What the machine can do --------------------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_RUN_PEAKFLOPS_H
#define ATTNC_LIB_DRIVER_RUN_PEAKFLOPS_H

namespace attnc {

struct Target;

/// Seconds of CPU time that this thread has used: other load on the machine
/// does not count.
double threadSeconds();

/// GFLOP/s (by CPU time) of independent multiply-adds in registers on this
/// thread, in the vectors of `target`, measured over about `seconds`. An fma
/// counts as two. Elements are f64 if `isDouble`, else f32.
double measurePeak(const Target &target, bool isDouble, double seconds);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_PEAKFLOPS_H
