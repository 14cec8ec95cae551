//===- VerifyStage.h - What holds at every stage of attn ops ----*- C++ -*-===//
//
// The invariants that graph, fused and scheduled share; each stage's verifier
// pass adds its own. The numbers are those of docs/stages.
// Tests: test/Graph/verify-graph-invalid.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_VERIFYSTAGE_H
#define ATTNC_DIALECT_ATTN_VERIFYSTAGE_H

#include "attnc/Interface/Interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc::attn {

/// Checks a module of functions against its interface:
/// - (stage_c1) the module has a valid attribute `attnc.interface`;
/// - (stage_c2) there is one function with a body per entry, in order, and
///   nothing else;
/// - (stage_c3) arguments are the entry's inputs, results its outputs and then
///   the new values of inputs that are `inout`: element types, extents and
///   names of sizes;
/// - (stage_c4) names of sizes, in `attn.size` and in dims, are the entry's;
/// - (stage_c5) `attn.table_min`, `attn.table_max` and `attn.lower_bound` ask
/// an
///   argument of the function or what an op of it computes, no view or slice;
/// - (stage_c6) the body is one block of ops that `isAllowed` accepts and a
///   return; `allowed` names them for the message;
/// - (stage_c7 to stage_c9) what verifyInPlace() says;
/// - (stage_c10) the named size of an axis along which `attn.concat` goes is
/// the
///   sum of those of its parts.
/// Errors are reported at the offending op.
mlir::LogicalResult
verifyStage(mlir::ModuleOp module,
            llvm::function_ref<bool(mlir::Operation *)> isAllowed,
            llvm::StringRef allowed);

/// Checks a function that has the arguments and results of its interface:
/// - (stage_c7) the cache of `attn.append` is an argument that is `inout`, and
///   an `inout` argument is returned as it is or as `attn.append` made it;
/// - (stage_c8) no op after `attn.append` reads the value from before it;
/// - (stage_c9) a range of the table `at` keeps the rows inside the cache.
mlir::LogicalResult verifyInPlace(mlir::func::FuncOp func,
                                  const Interface &interface);

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_VERIFYSTAGE_H
