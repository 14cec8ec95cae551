//===- Accounting.h - Accounts of a module as text --------------*- C++ -*-===//
//
// What `attnc --emit=accounting` writes and `--explain` tells: the formulas of
// attnc/Analysis/Cost/Accounting.h at the sizes of `expect`.
// Tests: test/Tools/accounting.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_PIPELINE_ACCOUNTING_H
#define ATTNC_PIPELINE_ACCOUNTING_H

#include "attnc/Interface/Interface.h"
#include "attnc/Pipeline/Stages.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace attnc {

/// The accounts of a verified module at stage graph as JSON, at each regime of
/// `attnc.expect`. With `given` sizes at the first one, where these are
/// replaced. Products are those that a call of these sizes computes: of its
/// case, in their order. An axis without a size is an error at its function.
mlir::FailureOr<std::string>
accountingJson(mlir::ModuleOp graph, llvm::ArrayRef<Interface> functions,
               const PipelineOptions &options,
               const llvm::StringMap<int64_t> &given);

/// For --explain.
struct AccountLine {
  std::string kind, text;
  bool isResult = false; // of the passes, not of the spec
};
using AccountLines = std::vector<AccountLine>;

/// Lines for people, per function: parameters and a line per regime, if it has
/// matrices as weights, and what each pass saved.
mlir::FailureOr<std::vector<AccountLines>>
accountingLines(mlir::ModuleOp graph, llvm::ArrayRef<Interface> functions,
                const PipelineOptions &options,
                const llvm::StringMap<int64_t> &given);

} // namespace attnc

#endif // ATTNC_PIPELINE_ACCOUNTING_H
