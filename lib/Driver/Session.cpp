//===- Session.cpp - One input on its way through the stages --------------===//

#include "Session.h"

#include "attnc/Pipeline/Translate.h"
#include "attnc/Spec/Parse.h"
#include "attnc/Target/Target.h"

#include "mlir/Parser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc {

static DialectRegistry allDialects() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

/// The schedule's text, or that of the file it names.
static std::string readSchedule(llvm::StringRef text) {
  if (text.empty() || text.starts_with("#"))
    return text.str();
  auto file = llvm::MemoryBuffer::getFile(text, /*IsText=*/true);
  return file ? (*file)->getBuffer().trim().str() : text.str();
}

Session::Session(llvm::StringRef tool, const CommonOptions &options,
                 bool explain)
    : tool(tool), options(options), registry(allDialects()),
      context(registry, MLIRContext::Threading::DISABLED),
      printer(sources, &context, options, explain) {
  context.printOpOnDiagnostic(false); // the source line says it better
  pipeline.target = options.target;
  pipeline.schedule = readSchedule(options.schedule);
}

bool Session::fail(const llvm::Twine &text) const {
  llvm::errs() << tool << ": error: " << text << '\n';
  return false;
}

bool Session::load(Stage stage) {
  auto buffer = options.input == "-"
                    ? llvm::MemoryBuffer::getSTDIN()
                    : llvm::MemoryBuffer::getFile(options.input);
  if (!buffer)
    return fail("cannot read '" + options.input +
                "': " + buffer.getError().message());
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  return stage == Stage::Spec ? loadSpec() : loadDump(stage);
}

bool Session::loadSpec() {
  SourceDiagnostics diagnostics(sources);
  auto specs = spec::parseSpecs(sources, diagnostics, options.overrides);
  diagnostics.print(llvm::errs());
  if (!specs || (diagnostics.warnings() && options.warningsAreErrors))
    return false;
  specList = std::move(*specs);
  currentStage = Stage::Spec;
  return true;
}

bool Session::loadDump(Stage stage) {
  if (!options.overrides.empty())
    return fail("--set changes a spec; a dump of stage " + stageName(stage) +
                " has none");
  moduleRef = parseSourceFile<ModuleOp>(sources, &context);
  if (!moduleRef || mlir::failed(checkStage(*moduleRef, stage)))
    return false;
  currentStage = stage;
  return adoptModule();
}

/// Reads what the module carries: interfaces and, if it has one, the target.
bool Session::adoptModule() {
  auto interfaces = getInterfaces(*moduleRef);
  if (mlir::failed(interfaces))
    return false;
  interfaceList = std::move(*interfaces);
  auto level = (*moduleRef)->getAttr("attnc.target");
  if (!level)
    return true;
  auto name = dyn_cast<StringAttr>(level);
  const CpuTarget *target = name ? lookupCpuTarget(name.getValue()) : nullptr;
  if (!target)
    return fail("the dump's attnc.target is not one of " +
                listCpuTargetNames());
  if (options.targetGiven && target != options.target)
    return fail("the dump was made for -mcpu=" + target->name + ", not for " +
                options.target->name +
                "; leave -mcpu out or start from an earlier stage");
  pipeline.target = target;
  return true;
}

bool Session::advanceTo(Stage stage) {
  if (currentStage == Stage::Spec && stage != Stage::Spec) {
    moduleRef = importModule(context, sources, specList);
    if (!moduleRef || !adoptModule())
      return false;
    currentStage = Stage::Graph;
  }
  if (mlir::failed(advance(*moduleRef, currentStage, stage, pipeline)) ||
      printer.failed())
    return false;
  currentStage = stage;
  return adoptModule();
}

bool Session::emit(EmitKind kind, llvm::SmallVectorImpl<char> &bytes) {
  if (!advanceTo(Stage::Llvm))
    return false;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> kernels =
      translateToLlvm(module(), llvmContext);
  if (!kernels)
    return false;
  CodegenTarget target{
      "x86_64-unknown-linux-gnu", pipeline.target->llvmCpu.str(),
      pipeline.target->llvmFeatures.str(),
      pipeline.target->requiredFeatures.str(), pipeline.target->name.str()};
  llvm::raw_svector_ostream os(bytes);
  if (llvm::Error error =
          emitObject(std::move(kernels), interfaceList, target, os, kind))
    return fail("internal error: " + llvm::toString(std::move(error)));
  return true;
}

} // namespace attnc
