//===- Tuner.h - attnc-run --tune -------------------------------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_RUN_TUNE_TUNER_H
#define ATTNC_LIB_DRIVER_RUN_TUNE_TUNER_H

#include "Compile/CrashReport.h"
#include "Options/CommandLine.h"

namespace attnc {

/// Measures schedules of the kernels of the input and writes the fastest to the
/// file of --tune. The exit code; 128 and the signal after an interruption.
int runTuner(RunOptions options, CrashReport &crash);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_TUNE_TUNER_H
