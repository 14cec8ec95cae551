//===- Diagnostics.h - What the user gets to see ----------------*- C++ -*-===//
//
// Passes emit errors, warnings whose text ends in their id in brackets, and
// remarks whose text ends in the kind of information. This decides which of
// them are printed, and counts them.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_DIAGNOSTICS_H
#define ATTNC_LIB_DRIVER_DIAGNOSTICS_H

#include "CommandLine.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

namespace attnc {

/// Prints diagnostics of a context on the standard error while it lives.
class DiagnosticPrinter : public mlir::SourceMgrDiagnosticHandler {
public:
  DiagnosticPrinter(llvm::SourceMgr &sources, mlir::MLIRContext *context,
                    const CommonOptions &options, bool explain);

  /// True if an error was printed, or a warning where warnings are errors.
  bool failed() const { return hasFailed; }
  /// The texts of the remarks so far, in order (shown or not).
  llvm::ArrayRef<std::string> remarks() const { return remarkTexts; }

private:
  void handle(mlir::Diagnostic &diagnostic);

  const CommonOptions &options;
  bool explain;
  bool hasFailed = false;
  std::vector<std::string> remarkTexts;
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_DIAGNOSTICS_H
