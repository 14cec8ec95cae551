//===- ScheduleFile.h - Measured schedules of a spec's kernels ------------===//
//
// A schedule file is YAML: attnc-run --tune writes it, --schedule-file reads
// it. This is its contents as plain values. Whether the kernels exist and the
// schedules are legal is checked where they are applied.
//
//   attnc-schedules: 1
//   kernels:
//     - kernel: gpt2_small
//       cpu: x86-64-v4
//       schedule: '#attn.schedule<q = 64, k = 64>'
//
// Tests: test/Tools/Schedules
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SPEC_SCHEDULEFILE_H
#define ATTNC_SPEC_SCHEDULEFILE_H

#include "attnc/Support/SourceDiagnostics.h"

#include "llvm/Support/SourceMgr.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc::spec {

/// A candidate and its time, divided by that of the automatic choice.
struct MeasuredSchedule {
  std::string schedule;
  double relativeTime = 0;
};

/// The schedule of one kernel for one microarchitecture.
struct ScheduleEntry {
  std::string kernel, cpu;
  std::string schedule; // empty: tuning was interrupted
  /// What it was measured with; empty or 0 in files written by hand.
  std::string sizes, processor;
  int64_t threads = 0;
  double milliseconds = 0, automaticMilliseconds = 0;
  std::vector<MeasuredSchedule> candidates;
  /// Where the file has these.
  llvm::SMRange kernelRange, cpuRange, scheduleRange;
};

struct ScheduleFile {
  /// The version of attnc and the hash of the input that the schedules were
  /// measured with; empty in files written by hand.
  std::string compiler, fingerprint;
  llvm::SMRange fingerprintRange;
  std::vector<ScheduleEntry> kernels;

  ScheduleEntry *find(llvm::StringRef kernel, llvm::StringRef cpu);
};

/// Reads a buffer of `sources`. Errors go to `diagnostics`, which must be made
/// for `sources`; none are printed. No value when there was an error.
std::optional<ScheduleFile> parseScheduleFile(const llvm::SourceMgr &sources,
                                              unsigned buffer,
                                              SourceDiagnostics &diagnostics);

/// Writes a text that parseScheduleFile() reads.
void printScheduleFile(llvm::raw_ostream &os, const ScheduleFile &file);

} // namespace attnc::spec

#endif // ATTNC_SPEC_SCHEDULEFILE_H
