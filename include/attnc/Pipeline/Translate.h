//===- Translate.h - The two ends of the pipeline ---------------*- C++ -*-===//
//
// From specs to a module of stage graph, and from a module of stage llvm to
// LLVM IR.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_PIPELINE_TRANSLATE_H
#define ATTNC_PIPELINE_TRANSLATE_H

#include "attnc/Spec/Spec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class SourceMgr;
} // namespace llvm

namespace attnc {

/// The module of stage graph; null after an error, which was emitted.
mlir::OwningOpRef<mlir::ModuleOp>
importModule(mlir::MLIRContext &context, const llvm::SourceMgr &sources,
             llvm::ArrayRef<spec::AttentionSpec> specs);

/// LLVM IR of a module of stage llvm; null after an error, which was emitted.
std::unique_ptr<llvm::Module> translateToLlvm(mlir::ModuleOp module,
                                              llvm::LLVMContext &context);

} // namespace attnc

#endif // ATTNC_PIPELINE_TRANSLATE_H
