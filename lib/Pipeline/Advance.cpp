//===- Advance.cpp - Moves a module along the arrow -----------------------===//

#include "attnc/Pipeline/Stages.h"

#include "PassTable.h"
#include "PrintChanges.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc {

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
  if (options.instrument)
    options.instrument(manager);
}

LogicalResult advance(ModuleOp module, Stage from, Stage to,
                      const PipelineOptions &options) {
  registerAllPasses();
  for (unsigned next = static_cast<unsigned>(from) + 1;
       next <= static_cast<unsigned>(to); ++next) {
    PassManager manager(module.getContext(), ModuleOp::getOperationName(),
                        PassManager::Nesting::Implicit);
    configure(manager, options);
    TimingScope timing;
    if (options.timing) {
      timing = options.timing->nest(
          ("stage " + stageName(static_cast<Stage>(next))).str());
      manager.enableTiming(timing); // the last instrumentation
    }
    std::string passes = stagePasses(static_cast<Stage>(next), options);
    if (failed(parsePassPipeline(passes, manager)))
      return emitError(module.getLoc())
             << "internal error: the pipeline of stage "
             << stageName(static_cast<Stage>(next)) << " does not parse";
    if (failed(manager.run(module)))
      return failure();
  }
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
