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
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace attnc {

/// The stage of one op at the top of a module, or nothing for an op that may
/// stand in several.
static std::optional<Stage> stageOf(Operation &op) {
  if (auto stage = stageTable().stageOfOp(op.getName().getStringRef()))
    return stage;
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
  const StageEntry &entry = stageTable()[stage];
  if (entry.verify && failed(entry.verify(module)))
    return failure();
  registerAllPasses();
  PassManager manager(module.getContext(), ModuleOp::getOperationName(),
                      PassManager::Nesting::Implicit);
  if (failed(parsePassPipeline(entry.verifiers, manager)))
    return module.emitError("internal error: the verifiers of stage ")
           << stageName(stage) << " do not parse";
  return manager.run(module);
}

/// A program is compiled by the backend that its target belongs to.
static LogicalResult verifyBackends(ModuleOp module) {
  const StageTable &table = stageTable();
  for (auto program : module.getOps<tile::ProgramOp>())
    if (!table.findBackend(program.getTarget().getBackend()))
      return program.emitOpError("has the target ")
             << program.getTarget() << ", which no backend compiles; backends: "
             << table.listBackends();
  return success();
}

LogicalResult checkStage(ModuleOp module, Stage expected) {
  // First, since a misspelt attribute also is a missing one.
  if (failed(verifyAttributes(module)) || failed(mlir::verify(module)))
    return failure();
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
  return success(succeeded(verify(module, expected)) &&
                 succeeded(verifyBackends(module)));
}

const Backend *backendOfDump(ModuleOp module) {
  const Backend *found = nullptr;
  module.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      attribute.getValue().walk([&](tile::TargetAttrInterface target) {
        found = found ? found : stageTable().findBackend(target.getBackend());
      });
  });
  return found;
}

} // namespace attnc
