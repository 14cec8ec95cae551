//===- Advance.cpp - Moves a module along the arrow -----------------------===//

#include "attnc/Pipeline/Stages.h"

#include "PassTable.h"
#include "PrintChanges.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc {

namespace {
/// Knows which pass runs when the compiler crashes.
class PassWatcher : public PassInstrumentation {
public:
  PassWatcher(std::string &running, llvm::StringRef crashAfter)
      : running(running), crashAfter(crashAfter) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty()) // an adaptor of nested passes has none
      running = pass->getArgument().str();
  }
  void runAfterPass(Pass *pass, Operation *) override {
    if (!crashAfter.empty() && pass->getArgument() == crashAfter)
      LLVM_BUILTIN_TRAP;
    running.clear();
  }

private:
  std::string &running;
  std::string crashAfter;
};
} // namespace

/// Printing and verification that the user requested.
static void configure(PassManager &manager, const PipelineOptions &options) {
  manager.enableVerifier(true);
  if (options.printChanged)
    manager.addInstrumentation(createChangePrinter(llvm::errs()));
  if (!options.printAfter.empty()) {
    auto isWanted = [names = options.printAfter](Pass *pass, Operation *) {
      return llvm::is_contained(names, pass->getArgument().str());
    };
    manager.enableIRPrinting(nullptr, isWanted, /*printModuleScope=*/true,
                             /*printAfterOnlyOnChange=*/false,
                             /*printAfterOnlyOnFailure=*/false, llvm::errs());
  }
  if (options.runningPass)
    manager.addInstrumentation(std::make_unique<PassWatcher>(
        *options.runningPass, options.crashAfter));
  if (options.instrument)
    options.instrument(manager);
}

const Backend &backendOf(const PipelineOptions &options) {
  return options.backend ? *options.backend
                         : *stageTable().backendFor(options.target->kind);
}

Stage lastStage(const PipelineOptions &options) {
  return stageTable().path(backendOf(options)).back();
}

/// Runs the passes from the stage before to `stage`.
static LogicalResult advanceTo(ModuleOp module, Stage stage,
                               const PipelineOptions &options) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName(),
                      PassManager::Nesting::Implicit);
  configure(manager, options);
  TimingScope timing;
  if (options.timing) {
    timing = options.timing->nest(("stage " + stageName(stage)).str());
    manager.enableTiming(timing); // the last instrumentation
  }
  if (failed(parsePassPipeline(stagePasses(stage, options), manager)))
    return emitError(module.getLoc())
           << "internal error: the pipeline of stage " << stageName(stage)
           << " does not parse";
  return success(succeeded(manager.run(module)) &&
                 succeeded(verifyAttributes(module)));
}

LogicalResult advance(ModuleOp module, Stage from, Stage to,
                      const PipelineOptions &options) {
  registerAllPasses();
  const Backend &backend = backendOf(options);
  std::vector<Stage> path = stageTable().path(backend);
  for (Stage stage : {from, to})
    if (!llvm::is_contained(path, stage))
      return emitError(module.getLoc())
             << "backend '" << backend.name << "' has no stage "
             << stageName(stage);
  for (Stage next : path)
    if (from < next && next <= to && failed(advanceTo(module, next, options)))
      return failure();
  return success();
}

LogicalResult runQuietly(ModuleOp module, const std::string &passes,
                         llvm::function_ref<void(PassManager &)> configure) {
  registerAllPasses();
  PassManager manager(module.getContext(), ModuleOp::getOperationName(),
                      PassManager::Nesting::Implicit);
  configure(manager);
  if (failed(parsePassPipeline(passes, manager)))
    return emitError(module.getLoc())
           << "internal error: the passes to count with do not parse";
  ScopedDiagnosticHandler silence(
      module.getContext(), [](Diagnostic &diagnostic) {
        return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
      });
  return manager.run(module);
}

} // namespace attnc
