//===- Session.cpp - One input on its way through the stages --------------===//

#include "Compile/Session.h"
#include "Compile/SplitParts.h"

#include "Options/OptionTable.h"

#include "attnc/Interface/Attributes.h"
#include "attnc/Pipeline/Backends.h"
#include "attnc/Pipeline/Translate.h"
#include "attnc/Spec/Parse.h"
#include "attnc/Target/Platform.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
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

Session::Session(const CommonOptions &options, CrashReport &crash)
    : options(options), crash(crash), registry(allDialects()),
      context(registry, MLIRContext::Threading::DISABLED),
      printer(sources, &context, options) {
  context.printOpOnDiagnostic(false); // the source line says it better
  currentPlatform = options.platform;
  targetList = options.targets;
  pipeline.target = targetList.front();
  pipeline.backend = options.backend;
  pipeline.schedule = options.schedule;
  pipeline.allowWeightProducts = options.allowWeightProducts;
  pipeline.ridge = options.ridge.value_or(kDefaultRidge);
  pipeline.skippedPasses = options.skippedPasses;
  pipeline.runningPass = &crash.pass;
}

void Session::startTiming() {
  timing.setEnabled(true);
  timing.setDisplayMode(DefaultTimingManager::DisplayMode::Tree);
  total = timing.getRootScope();
  pipeline.timing = &total;
}

bool Session::fail(const llvm::Twine &text) {
  printer.print(); // what led to it comes first
  printError(crash.tool, text);
  return false;
}

bool Session::load(Stage stage) {
  auto buffer = options.input == "-"
                    ? llvm::MemoryBuffer::getSTDIN()
                    : llvm::MemoryBuffer::getFile(options.input);
  if (!buffer)
    return fail("cannot read '" + options.input +
                "': " + buffer.getError().message());
  return load(std::move(*buffer), stage);
}

bool Session::load(std::unique_ptr<llvm::MemoryBuffer> text, Stage stage) {
  loadedStage = stage;
  crash.text = text->getBuffer();
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  TimingScope scope = total.nest("read the input");
  llvm::scope_exit print([&] { printer.print(); });
  return (stage == Stage::Spec ? loadSpec() : loadDump(stage)) &&
         loadScheduleFile();
}

bool Session::loadSpec() {
  SourceDiagnostics diagnostics = makeDiagnostics(sources, options);
  auto specs = spec::parseSpecs(sources, diagnostics, options.overrides);
  diagnostics.print(llvm::errs());
  if (!specs || diagnostics.errors())
    return false;
  specList = std::move(*specs);
  printer.startPasses();
  currentStage = Stage::Spec;
  return true;
}

namespace {
/// What MLIR's parser does not bound: it recurses with the nesting, and has
/// memory for each result up to the N of a reference %0#N.
struct DumpLimits {
  static constexpr int depth = 500;
  static constexpr size_t digits = 6;
};

/// A place that exceeds one of them.
struct Excess {
  size_t place;
  const char *id;
  std::string text;
};
} // namespace

/// The end of the string or comment that begins at `i`, or `i`.
static size_t skipText(llvm::StringRef text, size_t i) {
  if (text[i] == '"') {
    while (++i < text.size() && text[i] != '"' && text[i] != '\n')
      i += text[i] == '\\';
  } else if (text.substr(i).starts_with("//")) {
    i = std::min(text.find('\n', i), text.size());
  }
  return i;
}

static std::optional<Excess> findExcess(llvm::StringRef text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t end = skipText(text, i);
    if (end != i) {
      i = end;
      continue;
    }
    char c = text[i];
    if (llvm::StringRef("([{<").contains(c)) {
      if (++depth > DumpLimits::depth)
        return Excess{i, "too-deep",
                      "brackets nest deeper than " +
                          std::to_string(DumpLimits::depth) + " levels"};
    } else if (llvm::StringRef(")]}").contains(c) ||
               (c == '>' && i > 0 && text[i - 1] != '-')) {
      depth = std::max(depth - 1, 0);
    } else if (c == '#') {
      llvm::StringRef number = text.substr(i + 1).take_while(llvm::isDigit);
      if (number.size() > DumpLimits::digits)
        return Excess{i, "number",
                      "no op has a result with the number " + number.str()};
    }
  }
  return std::nullopt;
}

bool Session::checkDumpText() {
  llvm::StringRef text =
      sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  if (text.starts_with("ML\xefR"))
    return fail("'" + options.input +
                "' is MLIR bytecode; attnc reads textual dumps, as "
                "written by --emit");
  std::optional<Excess> found = findExcess(text);
  if (!found)
    return true;
  SourceDiagnostics diagnostics = makeDiagnostics(sources, options);
  auto at = llvm::SMLoc::getFromPointer(text.data() + found->place);
  diagnostics.error(found->id, {at, at}, found->text);
  diagnostics.print(llvm::errs());
  return false;
}

/// Whether some line begins as the first one of a spec, which none of a dump
/// does.
static bool isSpec(llvm::StringRef text) {
  return text.starts_with("attnc:") || text.contains("\nattnc:");
}

bool Session::loadDump(Stage stage) {
  if (isSpec(sources.getMemoryBuffer(sources.getMainFileID())->getBuffer()))
    return fail("'" + options.input + "' is a spec, not a dump of stage " +
                stageName(stage) + "; remove -x");
  if (!checkDumpText())
    return false;
  llvm::SmallVector<llvm::StringRef> texts =
      splitParts(sources.getMemoryBuffer(sources.getMainFileID())->getBuffer());
  if (texts.size() > 1)
    return loadParts(texts, stage);
  moduleRef = parseSourceFile<ModuleOp>(
      sources, ParserConfig(&context, /*verifyAfterParse=*/false));
  if (!moduleRef || mlir::failed(checkStage(*moduleRef, stage)))
    return false;
  currentStage = stage;
  if ((*moduleRef)->hasAttr(kTargetAttr)) {
    const Target *target = targetOfDump(*moduleRef);
    if (!target || !checkTargets(target))
      return false;
  }
  if (!adoptModule())
    return false;
  if (stage < Stage::Scheduled)
    return true;
  targetList.resize(1); // of a dump that names none
  pipeline.target = targetList.front();
  if (!adoptBackend(*moduleRef, *pipeline.target, stage))
    return false;
  split();
  return adoptParts();
}

/// The backend whose schedules a dump has; without schedules that of its
/// target. It has to compile for the target, and to have the stage: an edited
/// dump can name another one.
bool Session::adoptBackend(ModuleOp module, const Target &target, Stage stage) {
  if (const Backend *found = backendOfDump(module)) {
    if (options.backend && options.backend != found)
      return fail("the dump was scheduled for --backend=" + found->name +
                  ", not for " + options.backend->name +
                  "; remove --backend or start from an earlier stage");
    if (found != stageTable().backendFor(target.kind))
      partBackends[&target] = found;
  }
  const Backend &backend = backendFor(target);
  if (!llvm::is_contained(backend.kinds, target.kind))
    return fail("the dump was scheduled for backend '" + backend.name +
                "', which does not compile for its attnc.target " +
                target.name);
  if (!llvm::is_contained(stageTable().path(backend), stage))
    return fail("the dump is at stage " + stageName(stage) +
                ", which backend '" + backend.name + "' of " + target.name +
                " does not have");
  return true;
}

/// Reads what the module carries.
bool Session::adoptModule() {
  auto interfaces = getInterfaces(*moduleRef);
  if (mlir::failed(interfaces))
    return false;
  interfaceList = std::move(*interfaces);
  return true;
}

bool Session::advanceTo(Stage stage) {
  llvm::scope_exit print([&] { printer.print(); });
  if (currentStage == Stage::Spec && stage != Stage::Spec) {
    TimingScope scope = total.nest("import the spec");
    moduleRef = importModule(context, sources, specList);
    if (!moduleRef || !adoptModule())
      return false;
    currentStage = Stage::Graph;
  }
  if (Stage shared = std::min(stage, Stage::Fused); currentStage < shared) {
    if (mlir::failed(advance(*moduleRef, currentStage, shared, pipeline)) ||
        printer.failed())
      return false;
    currentStage = shared;
    if (!adoptModule())
      return false;
  }
  return currentStage >= stage || advanceParts(stage);
}

std::vector<unsigned> Session::firstLines() const {
  std::vector<unsigned> lines;
  for (const Interface &function : interfaceList) {
    unsigned line = ~0u;
    auto mayBegin = [&](llvm::SMRange range) {
      unsigned main = sources.getMainFileID();
      if (range.isValid() &&
          sources.FindBufferContainingLoc(range.Start) == main)
        line =
            std::min(line, sources.getLineAndColumn(range.Start, main).first);
    };
    for (const spec::AttentionSpec &spec : specList) {
      if (spec.name != function.name)
        continue;
      mayBegin(spec.nameRange);
      for (const spec::ExprPtr &formula : {spec.score, spec.mask})
        if (formula)
          mayBegin(formula->range);
    }
    if (specList.empty())
      if (Operation *op = SymbolTable::lookupSymbolIn(
              partList.empty() ? *moduleRef : *partList.front().module,
              function.name))
        if (auto at = dyn_cast<FileLineColRange>(op->getLoc()))
          line = at.getStartLine();
    lines.push_back(line);
  }
  return lines;
}

void Session::print(llvm::raw_ostream &os) {
  if (partList.empty()) {
    moduleRef->print(os);
    os << '\n';
  }
  for (const SessionPart &part : partList) {
    os << (&part == &partList.front() ? "" : "// -----\n");
    part.module.get().print(os);
    os << '\n';
  }
}

} // namespace attnc
