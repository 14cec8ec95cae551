//===- Pipeline.cpp - From tile programs to GPU kernels -------------------===//

#include "attnc/Codegen/NVPTX/Pipeline.h"

#include "attnc/Codegen/Common/Passes.h"
#include "attnc/Codegen/NVPTX/Passes.h"
#include "attnc/Target/Target.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace attnc::ptx {

void buildTileToNvvmPipeline(OpPassManager &manager, const Target &target) {
  ConvertTileToNvvmOptions options;
  options.target = target.name.str();
  manager.addPass(createConvertTileToNvvm(options));
  auto &functions = manager.nest<func::FuncOp>();
  functions.addPass(createCSEPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(codegen::createExpandMath());
  functions.addPass(arith::createArithExpandOpsPass());
  functions.addPass(createLoopInvariantCodeMotionPass());
  functions.addPass(createCSEPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(codegen::createConvertLoopsToLlvm());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("the GPU, as -mcpu names it"),
                             llvm::cl::init("sm_80")};
};
} // namespace

void registerTileToNvvmPipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "tile-to-nvvm", "All passes from tile programs to GPU kernels",
      [](OpPassManager &manager, const PipelineOptions &options) {
        const Target *target = lookupTarget(options.target.getValue());
        buildTileToNvvmPipeline(manager,
                                target ? *target : *lookupTarget("sm_80"));
      });
}

} // namespace attnc::ptx
