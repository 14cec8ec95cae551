//===- Accounting.h - Accounts of a module as text --------------*- C++ -*-===//
//
// What `attnc --emit=accounting` writes and `--explain` tells: the formulas of
// attnc/Analysis/Accounting.h at the sizes of `expect`.
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

/// Lines for people, per function: parameters, then a line per regime. A
/// function without matrices as weights has none.
mlir::FailureOr<std::vector<std::vector<std::string>>>
accountingLines(mlir::ModuleOp graph, llvm::ArrayRef<Interface> functions,
                const PipelineOptions &options,
                const llvm::StringMap<int64_t> &given);

} // namespace attnc

#endif // ATTNC_PIPELINE_ACCOUNTING_H
