//===- CrashReport.h - What a crash leaves behind ---------------*- C++ -*-===//
//
// A compiler that crashes must not leave the user with a signal's number: the
// command line and the input are written to two files that reproduce the crash.
// Tests: test/Tools/crash-report.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_COMPILE_CRASHREPORT_H
#define ATTNC_LIB_DRIVER_COMPILE_CRASHREPORT_H

#include "Options/CommandLine.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace attnc {

/// What reproduces a crash. Filled while the compilation goes on.
struct CrashReport {
  CrashReport(llvm::StringRef tool, const CommonOptions &options)
      : tool(tool), arguments(options.arguments), input(options.input) {}

  std::string tool;
  std::vector<std::string> arguments;
  std::string input; // the one of `arguments` that names it
  std::string text;  // what the input holds
  std::string pass;  // that is running; empty: none
};

/// Runs `compile` and gives its result. If it crashes (signal, failed
/// assertion, overflow of the stack), `report` is written to the directory of
/// temporary files, the user is told where, and the result is 1.
int runWithCrashReport(const CrashReport &report,
                       llvm::function_ref<int()> compile);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_COMPILE_CRASHREPORT_H
