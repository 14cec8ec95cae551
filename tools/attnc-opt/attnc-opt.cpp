//===- attnc-opt.cpp - mlir-opt with the dialects and passes of attnc -----===//
//
// The tool of the tests and of whoever writes a pass: every pass of ours alone
// or in a pipeline, on IR of any stage. Only the upstream dialects that our IR
// uses are registered, because each RUN line of the tests pays the start-up.
//
//===----------------------------------------------------------------------===//

#include "attnc/Pipeline/Stages.h"
#include "attnc/RegisteredHeaders.inc"
#include "attnc/Support/Version.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/CommandLine.h"

#include <vector>

static void registerUpstream(mlir::DialectRegistry &registry) {
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::ub::UBDialect, mlir::vector::VectorDialect>();
  mlir::func::registerInlinerExtension(registry);
  mlir::registerTransformsPasses();
}

/// The libraries of LLVM register hundreds of options for code generation,
/// which attnc-opt does not do; those of MLIR come later.
static void hideOptionsOfLlvm() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (name != "help" && name != "version" && name != "color")
      option->setHiddenFlag(llvm::cl::ReallyHidden);
}

int main(int argc, char **argv) {
  hideOptionsOfLlvm();
  // A remark without the text of its op, which may be a whole kernel; the same
  // option on the command line wins.
  std::vector<char *> arguments(argv, argv + argc);
  char terse[] = "--mlir-print-op-on-diagnostic=false";
  bool isGiven = llvm::any_of(arguments, [](llvm::StringRef argument) {
    return argument.ltrim('-').starts_with("mlir-print-op-on-diagnostic");
  });
  if (!isGiven)
    arguments.insert(arguments.begin() + 1, terse);
  mlir::DialectRegistry registry;
  registerUpstream(registry);
#define ATTNC_DIALECT(CLASS) registry.insert<CLASS>();
#define ATTNC_PASSES(REGISTER) REGISTER();
#include "attnc/Registered.inc"
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "attnc " << attnc::getVersion();
    if (llvm::StringRef commit = attnc::getCommit(); !commit.empty())
      os << " (commit " << commit << ')';
    os << '\n';
  });
  attnc::registerStagePipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      static_cast<int>(arguments.size()), arguments.data(),
      "attnc-opt: run passes of attnc on its IR\n", registry));
}
