//===- TuneFile.h - The schedule file that --tune continues -----*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_RUN_TUNE_TUNEFILE_H
#define ATTNC_LIB_DRIVER_RUN_TUNE_TUNEFILE_H

#include "Compile/Session.h"

#include "attnc/Spec/ScheduleFile.h"

namespace attnc {

class TuneFile {
public:
  /// Both outlive it.
  TuneFile(const RunOptions &options, Session &session)
      : options(options), session(session) {}

  /// Reads the file, if there is one, which has to be of this input and version
  /// of attnc. False after an error, which was printed.
  bool open(llvm::StringRef fingerprint);
  /// The entry of a kernel, with what was measured before. Null after an error:
  /// it was measured with other sizes, threads or on another processor.
  spec::ScheduleEntry *entryOf(llvm::StringRef kernel, llvm::StringRef cpu,
                               llvm::StringRef sizes);
  /// Writes the file, as a whole or not at all.
  bool write();

private:
  const RunOptions &options;
  Session &session;
  spec::ScheduleFile file;
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_TUNE_TUNEFILE_H
