//===- Halide.h - Stage scheduled to code, by Halide ------------*- C++ -*-===//
//
// Compiles the functions of a module of stage scheduled, whose targets are
// #halide.schedule, to what Emit requires of a part (attnc/Emit/Object.h).
// Halide itself is in libattnc-halide, which is loaded by the first call.
// Tests: test/Codegen/Halide
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_CODEGEN_HALIDE_HALIDE_H
#define ATTNC_CODEGEN_HALIDE_HALIDE_H

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <optional>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace attnc {
struct Target;
} // namespace attnc

namespace attnc::halide {

/// Null after an error, which was emitted at the op or function concerned.
std::unique_ptr<llvm::Module> compileToLlvm(mlir::ModuleOp module,
                                            const Target &target,
                                            llvm::LLVMContext &context);

/// Halide's statements of all functions as text; nothing after an error.
std::optional<std::string> printStatements(mlir::ModuleOp module,
                                           const Target &target);

/// The same as a page of HTML, before loops become kernels of a device.
std::optional<std::string> printPage(mlir::ModuleOp module,
                                     const Target &target);

/// The source of the kernels of a device, or nothing after an error.
std::optional<std::string> printKernels(mlir::ModuleOp module,
                                        const Target &target);

} // namespace attnc::halide

#endif // ATTNC_CODEGEN_HALIDE_HALIDE_H
