//===- Backends.cpp - The table of backends -------------------------------===//
//
// Each backend continues from stage scheduled with stages of its own. Its entry
// has everything that the driver, attnc-opt and the checks of dumps need.
//
//===----------------------------------------------------------------------===//

#include "attnc/Pipeline/Backends.h"

#include "PassTable.h"

#include "attnc/Codegen/CPU/Passes.h"
#include "attnc/Codegen/CPU/Pipeline.h"
#include "attnc/Codegen/Common/Passes.h"
#include "attnc/Codegen/Halide/Halide.h"
#include "attnc/Codegen/NVPTX/Host.h"
#include "attnc/Codegen/NVPTX/Passes.h"
#include "attnc/Codegen/NVPTX/Pipeline.h"
#include "attnc/Codegen/NVPTX/Ptx.h"
#include "attnc/Dialect/Halide/Halide.h"
#include "attnc/Dialect/Tile/Passes.h"
#include "attnc/Lowering/Passes.h"
#include "attnc/Pipeline/Translate.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace attnc {
namespace {

//===----------------------------------------------------------------------===//
// llvm
//===----------------------------------------------------------------------===//

constexpr StageEntry tileStage = {"tile",
                                  "convert-attn-to-tile,"
                                  "canonicalize,"
                                  "cse,"
                                  "tile-verify-program",
                                  "tile-verify-program", "tile.program"};

constexpr StageEntry llvmStage = {"llvm", "tile-to-llvm{target=@cpu@}", "",
                                  "llvm.", verifyLlvm};

constexpr const StageEntry *llvmStages[] = {&tileStage, &llvmStage};
constexpr TargetKind llvmKinds[] = {TargetKind::Cpu};
constexpr OutputEntry llvmOutputs[] = {{"asm", ".s", /*isText=*/true}};

void registerLlvmDialects(DialectRegistry &registry) {
  registry.insert<cf::ControlFlowDialect, LLVM::LLVMDialect,
                  vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void registerLlvmPasses() {
  lowering::registerLoweringPasses();
  tile::registerDialectTilePasses();
  codegen::registerCodegenCommonPasses();
  cpu::registerCodegenCPUPasses();
  cpu::registerTileToLlvmPipeline();
}

std::unique_ptr<llvm::Module> translateLlvm(ModuleOp module, const Target &,
                                            llvm::LLVMContext &context) {
  return translateToLlvm(module, context);
}

//===----------------------------------------------------------------------===//
// halide
//===----------------------------------------------------------------------===//

constexpr TargetKind deviceKinds[] = {TargetKind::Device};
constexpr OutputEntry halideOutputs[] = {
    {"asm", ".s", /*isText=*/true},
    {"halide", ".halide", /*isText=*/true},
    {"halide-html", ".html", /*isText=*/true},
    {"kernels", ".kernels", /*isText=*/true, OutputEntry::None, deviceKinds}};
constexpr TargetKind halideKinds[] = {TargetKind::Cpu, TargetKind::Device};

void registerHalideDialects(DialectRegistry &registry) {
  registry.insert<halide::HalideDialect>();
}

void registerHalidePasses() {}

std::optional<std::string> printHalide(ModuleOp module, const Target &target,
                                       llvm::StringRef output) {
  return output == "kernels"       ? halide::printKernels(module, target)
         : output == "halide-html" ? halide::printPage(module, target)
                                   : halide::printStatements(module, target);
}

//===----------------------------------------------------------------------===//
// nvptx
//===----------------------------------------------------------------------===//

constexpr StageEntry nvvmStage = {"nvvm", "tile-to-nvvm{target=@cpu@}", ""};

constexpr const StageEntry *nvptxStages[] = {&tileStage, &nvvmStage};
constexpr TargetKind nvptxKinds[] = {TargetKind::Gpu};
constexpr OutputEntry nvptxOutputs[] = {
    {"ptx", ".ptx", /*isText=*/true},
    {"cubin", ".cubin", /*isText=*/false, OutputEntry::Assembler},
    {"sass", ".sass", /*isText=*/true, OutputEntry::Disassembler},
    {"nvptx-ir", ".ll", /*isText=*/true}};

void registerNvptxDialects(DialectRegistry &) {} // those of llvm suffice

void registerNvptxPasses() {
  ptx::registerCodegenNVPTXPasses();
  ptx::registerTileToNvvmPipeline();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

constexpr Backend backends[] = {
    {"llvm", "Vector code for CPUs by LLVM", llvmKinds, llvmStages, llvmOutputs,
     registerLlvmDialects, registerLlvmPasses, translateLlvm},
    {"halide", "Kernels as Halide pipelines", halideKinds, /*stages=*/{},
     halideOutputs, registerHalideDialects, registerHalidePasses,
     halide::compileToLlvm, printHalide, /*isNarrow=*/true},
    {"nvptx", "Kernels for NVIDIA GPUs by LLVM", nvptxKinds, nvptxStages,
     nvptxOutputs, registerNvptxDialects, registerNvptxPasses,
     /*translate=*/nullptr, ptx::printKernels, /*isNarrow=*/false,
     ptx::makeHostModule, /*assembly=*/ptx::kUsualPtx, ptx::makeObjectModule},
};

} // namespace

const StageTable &stageTable() {
  static const StageTable table(sharedStages(), backends);
  return table;
}

} // namespace attnc
