//===- HostModule.h - The host's functions of kernels -----------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_NVPTX_LAUNCH_HOSTMODULE_H
#define ATTNC_LIB_CODEGEN_NVPTX_LAUNCH_HOSTMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/IRBuilder.h"

#include <memory>

namespace attnc::ptx {

/// What a launch of a kernel needs, as values of the host.
struct LaunchValues {
  llvm::Value *blocks;    // thread blocks
  llvm::Value *threads;   // of a block
  llvm::Value *shared;    // bytes of dynamic shared memory
  llvm::Value *workspace; // bytes
  llvm::Value *call;      // struct attnc_call
  llvm::Value *maps;      // struct attnc_tensor_map, an array; or null
  int64_t mapCount;
};

/// Adds the instructions of a launch; the kernel is a declaration of the device
/// that is removed later. Returns whether another kernel has to be launched
/// instead, an i1, or null if it never has.
using AddLaunch = llvm::function_ref<llvm::Value *(
    llvm::IRBuilder<> &, const llvm::Function &kernel, const LaunchValues &)>;

/// The functions that Emit expects of a part (attnc/Emit/Object.h). Each grid
/// has one task, which launches its kernel, or none if the grid is empty. Null
/// after an error, which was emitted.
std::unique_ptr<llvm::Module> translateHost(mlir::ModuleOp module,
                                            llvm::LLVMContext &context,
                                            AddLaunch addLaunch);

} // namespace attnc::ptx

#endif // ATTNC_LIB_CODEGEN_NVPTX_LAUNCH_HOSTMODULE_H
