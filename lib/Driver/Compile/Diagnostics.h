//===- Diagnostics.h - What the user gets to see ----------------*- C++ -*-===//
//
// Passes emit errors, warnings whose text ends in their id in brackets, and
// remarks whose text ends in the kind of information. All are shown in the
// style of the specs' own diagnostics, in the order of the file.
// Tests: test/Tools/warnings.test, test/Tools/color.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_COMPILE_DIAGNOSTICS_H
#define ATTNC_LIB_DRIVER_COMPILE_DIAGNOSTICS_H

#include "Options/CommandLine.h"

#include "attnc/Support/SourceDiagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

namespace attnc {

/// What a pass says about its work, for --explain and --remarks.
struct Remark {
  unsigned line, column; // in the input; 0 if unknown
  std::string kind, text;
  /// The body of a function that has several, and the kernel: "kernel 2 at
  /// 8:38"; empty where it is about all.
  std::string body, kernel;
  /// The processor, where there are several and it is about one of them.
  std::string part;
};

/// Switches the colours of the standard error: as asked, else on a terminal
/// unless NO_COLOR is set.
void useColors(std::optional<bool> color);

/// An empty collection for texts of `sources` that obeys -W and -Werror.
SourceDiagnostics makeDiagnostics(const llvm::SourceMgr &sources,
                                  const CommonOptions &options);

/// Collects diagnostics of a context while it lives.
class DiagnosticPrinter : public mlir::ScopedDiagnosticHandler {
public:
  DiagnosticPrinter(const llvm::SourceMgr &sources, mlir::MLIRContext *context,
                    const CommonOptions &options);
  ~DiagnosticPrinter() { print(); }

  /// True if there was an error, or a warning where warnings are errors.
  bool failed() const { return hasFailed; }
  llvm::ArrayRef<Remark> remarks() const { return remarkList; }
  /// The source is a spec that was read: what passes refuse there is legal.
  void startPasses() { specIsRead = true; }
  /// Remarks from now on are about one of several processors; empty: about all.
  void startPart(llvm::StringRef name) { part = name.str(); }
  /// What came since the last call goes to the standard error.
  void print();

private:
  void handle(mlir::Diagnostic &diagnostic);
  bool isRepeated(mlir::Diagnostic &diagnostic);

  const llvm::SourceMgr &sources;
  const CommonOptions &options;
  std::optional<SourceDiagnostics> pending;
  bool hasFailed = false, specIsRead = false;
  std::vector<Remark> remarkList;
  std::string part;
  /// Warnings so far: several kernels of one formula warn of the same.
  llvm::StringSet<> warned;
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_COMPILE_DIAGNOSTICS_H
