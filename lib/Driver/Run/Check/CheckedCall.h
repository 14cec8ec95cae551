//===- CheckedCall.h - Calls compared with the reference --------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_RUN_CHECK_CHECKEDCALL_H
#define ATTNC_LIB_DRIVER_RUN_CHECK_CHECKEDCALL_H

#include "Compile/Session.h"
#include "Run/RunCase.h"

namespace attnc {

/// The function of the module that a call of these sizes would run.
Oracle oracleOf(mlir::ModuleOp module, llvm::ArrayRef<Interface> interfaces,
                llvm::StringRef name, llvm::ArrayRef<int64_t> sizes);

/// How an object is called for a function of the input, which has another
/// interface in the object if weights are packed.
llvm::Expected<CallPlan> planCall(llvm::ArrayRef<Interface> ofObject,
                                  const Interface &function,
                                  RunnableObject &object);

/// Calls with checks; errors are printed by the session.
class CheckedCaller {
public:
  /// All outlive it.
  CheckedCaller(const RunOptions &options, Session &session,
                const attnc_runtime &runtime, const TensorFiles &files)
      : options(options), session(session), runtime(runtime), files(files) {}

  /// Fills the tensors and calls the function.
  bool call(RunCase &run, const CallPlan &plan,
            const ReferenceFunctions &reference);
  /// Compares the results of the call with the reference, and those of further
  /// draws of the inputs if there are few rows. Nothing after an error.
  std::optional<CheckResult> check(RunCase &run, const CallPlan &plan,
                                   const ReferenceFunctions &reference);

private:
  bool drawAgain(const RunCase &first, const CallPlan &plan,
                 const ReferenceFunctions &reference, CheckResult &check);

  const RunOptions &options;
  Session &session;
  const attnc_runtime &runtime;
  const TensorFiles &files;
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_CHECK_CHECKEDCALL_H
