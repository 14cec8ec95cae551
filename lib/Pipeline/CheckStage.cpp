//===- CheckStage.cpp - Which stage a dump is in --------------------------===//
//
// A dump says what it is by its ops. Reading it as another stage would end in
// an error of some pass far away, so it is refused here. Then the stage's own
// verifier runs: a dump that was edited may break what later passes rely on.
// Tests: test/Pipeline/verified-dumps.test
//
//===----------------------------------------------------------------------===//

#include "attnc/Pipeline/Stages.h"

#include "PassTable.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace attnc {

/// The stage of one op at the top of a module, or nothing for an op that may
/// stand in several.
static std::optional<Stage> stageOf(Operation &op) {
  if (isa<tile::ProgramOp>(op))
    return Stage::Tile;
  if (op.getDialect() && isa<LLVM::LLVMDialect>(op.getDialect()))
    return Stage::Llvm;
  if (!isa<func::FuncOp>(op))
    return std::nullopt;
  bool hasKernel = false, hasSchedule = true;
  op.walk([&](attn::KernelOp kernel) {
    hasKernel = true;
    hasSchedule &= kernel.getSchedule().has_value();
  });
  if (!hasKernel)
    return Stage::Graph;
  return hasSchedule ? Stage::Scheduled : Stage::Fused;
}

/// Runs the verifiers of the stage; the module stays as it is.
static LogicalResult verify(ModuleOp module, Stage stage) {
  if (stage == Stage::Llvm)
    return verifyLlvm(module);
  registerAllPasses();
  PassManager manager(module.getContext(), ModuleOp::getOperationName(),
                      PassManager::Nesting::Implicit);
  if (failed(parsePassPipeline(verifyingPasses(stage), manager)))
    return module.emitError("internal error: the verifiers of stage ")
           << stageName(stage) << " do not parse";
  return manager.run(module);
}

LogicalResult checkStage(ModuleOp module, Stage expected) {
  if (module.getBody()->empty())
    return module.emitError("the dump holds no function");
  for (Operation &op : *module.getBody()) {
    std::optional<Stage> stage = stageOf(op);
    if (!stage)
      return op.emitError()
             << "'" << op.getName() << "' belongs to no stage of the compiler";
    // A kernel that was left unfused makes fused and scheduled look like graph.
    bool isGraphLike = *stage == Stage::Graph && (expected == Stage::Fused ||
                                                  expected == Stage::Scheduled);
    // A schedule that is there already is kept.
    bool isScheduled = *stage == Stage::Scheduled && expected == Stage::Fused;
    if (*stage != expected && !isGraphLike && !isScheduled)
      return op.emitError()
             << "'" << op.getName() << "' belongs to stage "
             << stageName(*stage) << ", read as " << stageName(expected)
             << "; use -x " << stageName(*stage);
  }
  return verify(module, expected);
}

} // namespace attnc
