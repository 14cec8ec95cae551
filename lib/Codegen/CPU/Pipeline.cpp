//===- Pipeline.cpp - From tile programs to the LLVM dialect --------------===//
//
// The emitter leaves little to do: what a pass here finds was written in the
// simplest form, such as an address computed where it is used.
//
//===----------------------------------------------------------------------===//

#include "attnc/Codegen/CPU/Pipeline.h"

#include "attnc/Codegen/CPU/Passes.h"
#include "attnc/Codegen/Common/Passes.h"
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

namespace attnc::cpu {

void buildTileToLlvmPipeline(OpPassManager &manager, const Target &target) {
  manager.addPass(createConvertTileToLlvm());
  auto &functions = manager.nest<func::FuncOp>();
  functions.addPass(createCSEPass());
  // Before the expansion: it would take three ops for each division.
  functions.addPass(createCanonicalizerPass());
  codegen::ExpandMathOptions math;
  math.fma = target.cpu.hasFma;
  math.round = target.cpu.hasRound;
  math.avx512 = target.cpu.hasScalef;
  math.flushDenormals = true; // the entry sets FTZ and DAZ
  functions.addPass(codegen::createExpandMath(math));
  functions.addPass(arith::createArithExpandOpsPass());
  functions.addPass(createLoopInvariantCodeMotionPass());
  functions.addPass(createCSEPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(codegen::createConvertLoopsToLlvm());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("the level, as -mcpu names it (default: the compiler's)")};
};
} // namespace

void registerTileToLlvmPipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "tile-to-llvm", "All passes from tile programs to the LLVM dialect",
      [](OpPassManager &manager, const PipelineOptions &options) {
        const Target *target = lookupTarget(options.target.getValue());
        buildTileToLlvmPipeline(manager, target ? *target : getDefaultTarget());
      });
}

} // namespace attnc::cpu
