//===- Import.h - From specs to the graph stage -----------------*- C++ -*-===//
//
// The first arrow: a checked spec becomes a function of attn ops, as the spec
// says it, nothing fused and nothing decided. docs/stages/2-graph.md describes
// the result. Tests: test/Import
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_IMPORT_IMPORT_H
#define ATTNC_IMPORT_IMPORT_H

#include "attnc/Interface/Interface.h"
#include "attnc/Spec/Spec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace attnc {

/// One function per spec, in order, and the module attribute
/// `attnc.interface`. Every op carries the place of its formula as file, line
/// and column of `sources`, which holds the specs' text. Null after an error,
/// which is reported through the context at that place: a spec may ask for what
/// no later stage can do.
mlir::OwningOpRef<mlir::ModuleOp>
importSpecs(mlir::MLIRContext &context, const llvm::SourceMgr &sources,
            llvm::ArrayRef<spec::AttentionSpec> specs);

/// The signature of a spec's function; errors as above.
mlir::FailureOr<Interface> importInterface(mlir::MLIRContext &context,
                                           const llvm::SourceMgr &sources,
                                           const spec::AttentionSpec &spec);

} // namespace attnc

#endif // ATTNC_IMPORT_IMPORT_H
