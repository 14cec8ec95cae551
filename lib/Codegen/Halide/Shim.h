//===- Shim.h - Functions of an object around pipelines ---------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_SHIM_H
#define ATTNC_LIB_CODEGEN_HALIDE_SHIM_H

#include "Step.h"

#include "llvm/IR/Module.h"

namespace attnc::halide {

/// Adds what Halide's code calls, and for each function what the entry calls
/// (attnc/Emit/Object.h).
void addRuntime(llvm::Module &module);
/// The same for a module with Halide's runtime of a device with the interface
/// `api`, and hides its variables.
void addDeviceRuntime(llvm::Module &module, llvm::StringRef api);
/// Lets LLVM join products and sums, and nothing else: Halide computes
/// strictly, which also keeps the two apart.
void finishModule(llvm::Module &module);
void addFunction(llvm::Module &module, const FunctionPlan &plan,
                 llvm::ArrayRef<Step> steps);

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_SHIM_H
