//===- Host.h - The host's side of kernels ----------------------*- C++ -*-===//
//
// Tests: test/Integration/gpu, test/Integration/cuda
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_CODEGEN_NVPTX_HOST_H
#define ATTNC_CODEGEN_NVPTX_HOST_H

#include "attnc/Target/Platform.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace attnc::ptx {

/// What launches a kernel in a process that emulates the device:
/// launch(TARGET, KERNEL, thread blocks, threads of a block, bytes of shared
/// memory, bytes of the workspace, struct attnc_call, an array of struct
/// attnc_tensor_map, its length).
using Launch = void(const char *, const char *, int64_t, int64_t, int64_t,
                    int64_t, const void *, const void *, int64_t);

/// The functions that Emit expects of a part (attnc/Emit/Object.h), for a host
/// that is this process: the only task of a grid calls `launch`. Null after an
/// error, which was emitted.
std::unique_ptr<llvm::Module> makeHostModule(mlir::ModuleOp module,
                                             const Target &target,
                                             llvm::LLVMContext &context,
                                             Launch *launch);

/// The functions that Emit expects of a part of an object for `host`, and
/// @attnc_device. The part holds its kernels as PTX and, unless that is empty,
/// as the cubin that `finishCubin` waits for. Null after an error, which was
/// emitted.
std::unique_ptr<llvm::Module>
makeObjectModule(mlir::ModuleOp module, const Target &target,
                 const Platform &host, llvm::StringRef ptx,
                 llvm::function_ref<std::optional<std::string>()> finishCubin,
                 llvm::LLVMContext &context);

} // namespace attnc::ptx

#endif // ATTNC_CODEGEN_NVPTX_HOST_H
