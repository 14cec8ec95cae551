//===- Driver.h - The tools behind their command lines ----------*- C++ -*-===//
//
// tools/attnc and tools/attnc-run call these and nothing else. Results go to
// the standard output, diagnostics to the standard error.
// Tests: test/Tools, test/Integration
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DRIVER_DRIVER_H
#define ATTNC_DRIVER_DRIVER_H

namespace attnc {

/// Exit code: 0 done; 1 the input was refused, a check failed or an output
/// could not be written; 2 the command line is wrong; 128 and the number of a
/// signal that interrupted --tune.
int runAttnc(int argc, const char *const *argv);
int runAttncRun(int argc, const char *const *argv);

} // namespace attnc

#endif // ATTNC_DRIVER_DRIVER_H
