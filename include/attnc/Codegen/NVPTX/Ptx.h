//===- Ptx.h - From stage nvvm to PTX ---------------------------*- C++ -*-===//
//
// LLVM's NVPTX code generator in this process: neither CUDA nor a GPU is
// needed. Tests: test/Codegen/NVPTX/ptx.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_CODEGEN_NVPTX_PTX_H
#define ATTNC_CODEGEN_NVPTX_PTX_H

#include "attnc/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <optional>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace attnc::ptx {

/// Outputs of printKernels besides those of --emit: PTX of the kernels that
/// calls usually launch, and PTX of those for tensors without tensor maps,
/// which an object holds for the driver to compile. Empty if there are none.
inline constexpr llvm::StringLiteral kUsualPtx = "usual-ptx",
                                     kOtherwisePtx = "otherwise-ptx";

/// The kernels of a module of stage `nvvm` as PTX (`ptx`), or as optimized
/// LLVM IR that nvptx-emulator runs (`nvptx-ir`). Nothing after an error, which
/// was emitted.
std::optional<std::string> printKernels(mlir::ModuleOp module,
                                        const Target &target,
                                        llvm::StringRef output);

} // namespace attnc::ptx

#endif // ATTNC_CODEGEN_NVPTX_PTX_H
