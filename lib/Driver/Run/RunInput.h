//===- RunInput.h - The input of attnc-run and its sizes --------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_RUN_RUNINPUT_H
#define ATTNC_LIB_DRIVER_RUN_RUNINPUT_H

#include "Compile/Session.h"
#include "Run/RunCase.h"

#include "llvm/ADT/StringMap.h"

namespace attnc {

using SizeMap = llvm::StringMap<int64_t>;

class RunInput {
public:
  /// Both outlive it.
  RunInput(RunOptions &options, Session &session)
      : options(options), session(session) {}

  /// Reads the input and checks the options against it. The exit code after an
  /// error, which was printed.
  std::optional<int> load();
  /// Brings the session to stage graph and keeps what that says.
  bool import();

  /// The stage of the input.
  Stage stage() const { return from; }
  /// The functions of the input: passes may add others.
  llvm::ArrayRef<Interface> functions() const { return functionList; }
  mlir::ModuleOp graph() { return *graphRef; }
  /// The spec of a function; null if the input is a dump.
  const spec::AttentionSpec *specOf(const Interface &function) const;
  /// The values that each case gives the run-time sizes: those of the first
  /// regime of `expect`, or of each regime, replaced by the products of --size
  /// and by --input.
  std::vector<SizeMap> combinations(unsigned index,
                                    bool ofAllRegimes = false) const;
  /// All sizes of a function; nothing after an error.
  std::optional<std::vector<int64_t>> sizesFor(const Interface &function,
                                               const SizeMap &chosen);
  /// Whether the machine has memory for a call with its reference.
  bool checkMemory(const Interface &function, llvm::ArrayRef<int64_t> sizes);

private:
  bool checkSizes();

  RunOptions &options;
  Session &session;
  Stage from = Stage::Spec;
  std::vector<Interface> functionList;
  mlir::OwningOpRef<mlir::ModuleOp> graphRef;
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_RUNINPUT_H
