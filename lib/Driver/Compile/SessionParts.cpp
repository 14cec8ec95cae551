//===- SessionParts.cpp - A module for each processor ---------------------===//
//
// Tests: test/Tools/parts.test
//
//===----------------------------------------------------------------------===//

#include "Compile/Session.h"
#include "Compile/SplitParts.h"

#include "attnc/Interface/Attributes.h"
#include "attnc/Schedule/PredictCycles.h"
#include "attnc/Target/Platform.h"

#include "mlir/Parser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace attnc {

llvm::SmallVector<llvm::StringRef> splitParts(llvm::StringRef text) {
  constexpr llvm::StringLiteral separator = "// -----";
  llvm::SmallVector<llvm::StringRef> parts;
  size_t begin = 0, from = 0;
  for (size_t at; (at = text.find(separator, from)) != llvm::StringRef::npos;
       from = at + separator.size()) {
    if (at > 0 && text[at - 1] != '\n')
      continue;
    parts.push_back(text.slice(begin, at));
    begin = text.find('\n', at); // a line break keeps columns and is blank
    begin = std::min(begin, text.size());
  }
  parts.push_back(text.substr(begin));
  llvm::erase_if(parts, [](llvm::StringRef one) { return one.trim().empty(); });
  if (parts.empty())
    parts.push_back(text);
  return parts;
}

bool Session::loadParts(llvm::ArrayRef<llvm::StringRef> texts, Stage stage) {
  if (stage < Stage::Scheduled)
    return fail("the dump has several parts, but those of stage " +
                stageName(stage) + " have one for all processors");
  for (llvm::StringRef text : texts)
    if (!loadPart(text, stage))
      return false;
  llvm::sort(partList, [](const SessionPart &a, const SessionPart &b) {
    return isWeaker(a.target, b.target);
  });
  std::vector<const Target *> targets;
  for (const SessionPart &part : partList)
    targets.push_back(part.target);
  if (!checkTargets(targets))
    return false;
  currentStage = stage;
  return adoptParts();
}

bool Session::loadPart(llvm::StringRef text, Stage stage) {
  // Lines keep their numbers.
  llvm::StringRef whole =
      sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  size_t before = text.data() - whole.data();
  std::string padded(whole.take_front(before).count('\n'), '\n');
  padded += text;
  SessionPart part;
  part.stage = stage;
  part.module = parseSourceString<ModuleOp>(
      padded, ParserConfig(&context, /*verifyAfterParse=*/false),
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier());
  if (!part.module || mlir::failed(checkStage(*part.module, stage)))
    return false;
  part.target = targetOfDump(*part.module);
  if (!part.target || !adoptBackend(*part.module, *part.target, stage))
    return false;
  for (const SessionPart &other : partList)
    if (other.target == part.target)
      return fail("the dump has two parts for " + part.target->name);
  partList.push_back(std::move(part));
  return true;
}

const Target *Session::targetOfDump(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(kTargetAttr);
  const Target *target = name ? lookupTarget(name.getValue()) : nullptr;
  if (!target) {
    fail("the dump's attnc.target is not one of " + listTargetNames());
    return nullptr;
  }
  const Platform *platform = &platformOf(*target);
  if (Attribute triple = module->getAttr(kPlatformAttr)) {
    auto text = dyn_cast<StringAttr>(triple);
    platform = text ? findPlatform(text.getValue()) : nullptr;
    if (!platform || !platform->findPart(target->name)) {
      fail("the dump's attnc.platform is no platform of " + target->name);
      return nullptr;
    }
  }
  bool isFixed = options.platformGiven || !partList.empty();
  // A part for a GPU belongs to the programs of the parts before it.
  if (isFixed && target->kind == TargetKind::Gpu &&
      currentPlatform->findPart(target->name))
    platform = currentPlatform;
  if (platform != currentPlatform && isFixed) {
    fail("the dump was compiled for " + target->name + " of " +
         platform->triple + ", not of " +
         (options.platformGiven ? "--target=" : "") + currentPlatform->triple);
    return nullptr;
  }
  currentPlatform = platform;
  return platform->findPart(target->name); // an entry of its own
}

/// Takes the targets of a dump; with -mcpu they have to be the same.
bool Session::checkTargets(llvm::ArrayRef<const Target *> ofDump) {
  if (options.targetsGiven && ofDump != llvm::ArrayRef(targetList))
    return fail("the dump was compiled for -mcpu=" + joinTargetNames(ofDump) +
                ", not for " + joinTargetNames(targetList) +
                "; remove -mcpu or start from an earlier stage");
  targetList = ofDump.vec();
  pipeline.target = targetList.front();
  return true;
}

/// Gives each processor its module. What a level does not say by its name is
/// written down for dumps.
void Session::split() {
  pipeline.isOnlyPart = targetList.size() == 1;
  if (&platformOf(*targetList.front()) != currentPlatform)
    (*moduleRef)
        ->setAttr(kPlatformAttr,
                  StringAttr::get(&context, currentPlatform->triple));
  for (const Target *target : targetList) {
    SessionPart &part = partList.emplace_back();
    part.target = target;
    part.stage = currentStage;
    part.module = target == targetList.back()
                      ? std::move(moduleRef)
                      : OwningOpRef<ModuleOp>(moduleRef->clone());
  }
}

/// The interfaces of all parts differ in their kernels only.
bool Session::adoptParts() {
  for (SessionPart &part : partList) {
    auto interfaces = getInterfaces(*part.module);
    if (mlir::failed(interfaces))
      return false;
    part.interfaces = std::move(*interfaces);
  }
  interfaceList = partList.back().interfaces;
  for (const SessionPart &part : llvm::drop_begin(llvm::reverse(partList)))
    for (auto [function, other] : llvm::zip(interfaceList, part.interfaces))
      llvm::append_range(function.kernels, other.kernels);
  return true;
}

/// Runs `work`; its first error, or else an empty text.
static std::string findError(MLIRContext &context,
                             llvm::function_ref<bool()> work) {
  std::string error;
  ScopedDiagnosticHandler first(&context, [&](Diagnostic &diagnostic) {
    if (error.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      error = diagnostic.str();
    return mlir::success();
  });
  if (work())
    return "";
  return error.substr(0, error.rfind(" [")); // without the message's id
}

/// Why a backend cannot schedule a part, or compile it if `translates`; an
/// empty text, and perhaps the predicted cycles, if it can.
std::string Session::whyNot(const Backend &backend, const SessionPart &part,
                            bool translates, std::optional<double> &cycles) {
  OwningOpRef<ModuleOp> copy = part.module.get().clone();
  PipelineOptions quiet;
  quiet.target = part.target;
  quiet.backend = &backend;
  quiet.schedule = pipeline.schedule;
  quiet.isOnlyPart = pipeline.isOnlyPart;
  quiet.skippedPasses = pipeline.skippedPasses;
  quiet.runningPass = pipeline.runningPass;
  return findError(context, [&] {
    Stage to = translates ? lastStage(quiet) : Stage::Scheduled;
    if (mlir::failed(advance(*copy, part.stage, to, quiet)))
      return false;
    if (!translates) {
      cycles = predictCycles(*copy, *part.target, backend.name);
      return true;
    }
    if (!backend.translate) {
      emitError(copy->getLoc()) << "makes no objects [backend]";
      return false;
    }
    llvm::LLVMContext llvmContext;
    return backend.translate(*copy, *part.target, llvmContext) != nullptr;
  });
}

/// The better one must be so by more than the model can tell.
static constexpr double kCostTolerance = 1.02;

/// --backend=auto: of the backends for the part's processor that can compile
/// it the first, unless fewer cycles are predicted with another one. If none
/// can, the first of all will say why.
void Session::chooseBackend(const SessionPart &part) {
  std::vector<const Backend *> serving;
  for (const Backend &backend : stageTable().backends())
    if (llvm::is_contained(backend.kinds, part.target->kind))
      serving.push_back(&backend);
  const Backend *chosen = nullptr;
  std::string reason = "the only one for this level", refusal, costs;
  std::optional<double> least;
  for (const Backend *backend : serving) {
    if (serving.size() == 1) {
      chosen = backend;
      break;
    }
    std::optional<double> cycles;
    std::string error = whyNot(*backend, part, /*translates=*/false, cycles);
    bool isFirst = error.empty() && !chosen;
    if (error.empty() && cycles && (isFirst || least))
      costs += llvm::formatv("{0}{1} {2:F3} M", costs.empty() ? "" : ", ",
                             backend->name, 1e-6 * *cycles);
    bool isBetter = !isFirst && error.empty() && cycles && least &&
                    kCostTolerance * *cycles < *least;
    if (isBetter)
      error = whyNot(*backend, part, /*translates=*/true, cycles);
    if (refusal.empty() && !error.empty() && (!chosen || isBetter))
      refusal = (backend->name + " refuses: " + error).str();
    if (!error.empty() || !(isFirst || isBetter))
      continue;
    chosen = backend;
    least = cycles;
    reason = isBetter          ? "which is predicted to be faster"
             : refusal.empty() ? "the default for this level"
                               : "";
  }
  if (!chosen)
    return;
  partBackends[part.target] = chosen;
  if (!refusal.empty())
    reason += (reason.empty() ? "because " : "; ") + refusal;
  if (llvm::StringRef(costs).contains(','))
    reason += "; predicted cycles per head: " + costs;
  emitRemark(part.module.get().getLoc())
      << part.target->name << ": backend " << chosen->name << ", " << reason
      << " [object]";
}

bool Session::advanceParts(std::optional<Stage> stage) {
  if (partList.empty()) {
    if (!checkSchedules())
      return false;
    split();
  }
  Stage reached = currentStage;
  for (SessionPart &part : partList) {
    pipeline.target = part.target;
    bool isOneOfSeveral = partList.size() > 1;
    printer.startPart(isOneOfSeveral ? part.target->name : "");
    if (part.stage < Stage::Scheduled)
      requestSchedules(part);
    if (options.choosesBackend && part.stage < Stage::Scheduled)
      chooseBackend(part);
    pipeline.backend = requestedBackend(*part.target);
    if (isOneOfSeveral && pipeline.beginPart)
      pipeline.beginPart(part.target->name, *part.module);
    Stage to = stage ? *stage : lastStage(pipeline);
    if (part.stage < to) {
      if (mlir::failed(advance(*part.module, part.stage, to, pipeline)) ||
          printer.failed())
        return false;
      part.stage = to;
    }
    reached = std::max(reached, to);
  }
  printer.startPart("");
  pipeline.target = targetList.front();
  pipeline.backend = requestedBackend(*pipeline.target);
  currentStage = reached;
  return adoptParts();
}

} // namespace attnc
