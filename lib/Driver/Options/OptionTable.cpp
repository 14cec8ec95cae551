//===- OptionTable.cpp - Parsing with a table of llvm::opt ----------------===//

#include "Options/OptionTable.h"

#include "Compile/Link.h"

#include "attnc/Pipeline/Backends.h"
#include "attnc/Support/Nearest.h"
#include "attnc/Support/Version.h"
#include "attnc/Target/Platform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace attnc {

void printError(llvm::StringRef tool, const llvm::Twine &text) {
  llvm::errs() << tool << ": ";
  llvm::errs().changeColor(llvm::raw_ostream::RED, /*Bold=*/true) << "error: ";
  llvm::errs().resetColor() << text << '\n';
}

int finishTool(llvm::StringRef tool, int exitCode) {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return exitCode;
  std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error();
  printError(tool, "cannot write the standard output: " + reason);
  return exitCode ? exitCode : 1;
}

ParsedArguments::ParsedArguments(const llvm::opt::OptTable &table,
                                 llvm::StringRef tool,
                                 llvm::ArrayRef<const char *> args)
    : list(nullptr, nullptr), tool(tool) {
  expand(args);
  if (exitCode)
    return;
  unsigned missingIndex = 0, missingCount = 0;
  list = table.ParseArgs(arguments, missingIndex, missingCount);
  if (missingCount) {
    exitCode = fail(llvm::Twine("option '") + list.getArgString(missingIndex) +
                    "' requires a value; see --help");
    return;
  }
  reportUnknown(table);
}

void ParsedArguments::expand(llvm::ArrayRef<const char *> args) {
  arguments.assign(args.begin(), args.end());
  llvm::cl::ExpansionContext context(allocator,
                                     llvm::cl::TokenizeGNUCommandLine);
  if (llvm::Error error = context.expandResponseFiles(arguments)) {
    exitCode = fail(llvm::toString(std::move(error)));
    return;
  }
  // A file that is not there is left as it is written.
  for (llvm::StringRef argument : arguments)
    if (argument.size() > 1 && argument.starts_with("@")) {
      exitCode =
          fail("cannot read the options file '" + argument.drop_front() + "'");
      return;
    }
}

/// What does what an option of another tool, or of a C compiler, is asked to
/// do.
static llvm::StringRef findElsewhere(llvm::StringRef option) {
  constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> known[] = {
      {"--explain", "attnc --explain"},
      {"--remarks", "attnc --remarks"},
      {"--emit", "attnc --emit"},
      {"--size", "attnc-run --size"},
      {"--bench", "attnc-run --bench"},
      {"--threads", "attnc-run --threads"},
      {"--strides", "attnc-run --strides"},
      {"--init", "attnc-run --init"},
      {"--dtype", "--set dtype="},
      {"-march", "-mcpu="},
      {"-mtune", "-mcpu="}};
  for (auto [name, instead] : known)
    if (option.split('=').first == name)
      return instead;
  return "";
}

/// Everything that begins with a dash and is no option.
void ParsedArguments::reportUnknown(const llvm::opt::OptTable &table) {
  for (const llvm::opt::Arg *arg : list) {
    if (arg->getOption().getKind() != llvm::opt::Option::UnknownClass)
      continue;
    std::string text = arg->getAsString(list), nearest;
    std::string message = "unknown option '" + text + "'";
    if (llvm::StringRef instead = findElsewhere(text); !instead.empty())
      message += "; did you mean '" + instead.str() + "'?";
    else if (table.findNearest(text, nearest) <= 2)
      message += "; did you mean '" + nearest + "'?";
    else
      message += "; see --help";
    exitCode = fail(message);
    return;
  }
}

std::string ParsedArguments::input(llvm::StringRef kinds) {
  std::vector<std::string> inputs;
  for (const llvm::opt::Arg *arg : list)
    if (arg->getOption().getKind() == llvm::opt::Option::InputClass)
      inputs.push_back(arg->getValue());
  if (inputs.size() == 1)
    return inputs.front();
  exitCode = inputs.empty() ? fail("no input file; expected " + kinds +
                                   ", or - for standard input; see --help")
                            : fail("expected one input, got '" + inputs[0] +
                                   "' and '" + inputs[1] + "'");
  return {};
}

std::optional<int64_t> parseNumber(llvm::StringRef text, int64_t low,
                                   int64_t high) {
  int64_t value = 0;
  if (text.getAsInteger(10, value) || value < low || value > high)
    return std::nullopt;
  return value;
}

std::optional<int> parseColor(ParsedArguments &parsed, llvm::StringRef when,
                              std::optional<bool> &color) {
  if (when == "auto")
    color = std::nullopt;
  else if (when == "always" || when == "never")
    color = when == "always";
  else
    return parsed.fail("--color expects auto, always or never, got '" + when +
                       "'");
  return std::nullopt;
}

std::optional<int> parseSchedule(ParsedArguments &parsed,
                                 const llvm::opt::Arg *arg,
                                 CommonOptions &options) {
  if (!arg)
    return std::nullopt;
  llvm::StringRef value = arg->getValue();
  std::string text = value.str();
  if (!value.starts_with("#")) {
    auto file = llvm::MemoryBuffer::getFile(value, /*IsText=*/true);
    if (!file)
      return parsed.fail(
          "--schedule expects #attn.schedule<...> or a file with "
          "it; cannot read '" +
          value + "': " + file.getError().message());
    text = (*file)->getBuffer().trim().str();
    options.scheduleText = value.str();
  }
  // The attribute travels inside braces of a textual pipeline.
  if (!llvm::StringRef(text).starts_with("#attn.schedule<") ||
      !llvm::StringRef(text).ends_with(">") ||
      llvm::StringRef(text).find_first_of("{}\"'\n") != llvm::StringRef::npos)
    return parsed.fail(
        "--schedule expects #attn.schedule<FIELD = VALUE, ...> on "
        "one line, got '" +
        llvm::StringRef(text).take_front(80) + "'");
  options.schedule = std::move(text);
  return std::nullopt;
}

std::optional<int> parseScheduleFileName(ParsedArguments &parsed,
                                         const llvm::opt::Arg *arg,
                                         CommonOptions &options) {
  if (!arg)
    return std::nullopt;
  if (!options.schedule.empty())
    return parsed.fail("--schedule sets the schedule of all kernels and cannot "
                       "be combined with --schedule-file");
  options.scheduleFile = arg->getValue();
  if (options.scheduleFile.empty() || options.scheduleFile == "-")
    return parsed.fail("--schedule-file expects a file, got '" +
                       options.scheduleFile + "'");
  return std::nullopt;
}

std::optional<int> parseRidge(ParsedArguments &parsed,
                              const llvm::opt::Arg *arg,
                              CommonOptions &options) {
  if (!arg)
    return std::nullopt;
  double value = 0;
  // Up to a number that no machine has, so that costs stay finite.
  if (!llvm::to_float(arg->getValue(), value) || !(value > 0 && value <= 1e6))
    return parsed.fail(llvm::Twine("--ridge expects a number above 0, up to "
                                   "1000000, got '") +
                       arg->getValue() + "'");
  options.ridge = value;
  return std::nullopt;
}

std::string suggestName(llvm::StringRef word,
                        llvm::ArrayRef<llvm::StringRef> names) {
  llvm::StringRef similar = nearest(word.lower(), names);
  return similar.empty() ? "" : (" (did you mean '" + similar + "'?)").str();
}

std::string suggestStage(llvm::StringRef word, Stage last) {
  std::vector<llvm::StringRef> names;
  for (Stage stage : stageTable().stages())
    if (stage <= last)
      names.push_back(stageName(stage));
  return suggestName(word, names);
}

/// Of --backend, for which no backend is called so.
static constexpr llvm::StringLiteral kAutoBackend = "auto";

/// " ('opencl' is a level: -mcpu=opencl)" for the name of a level, else "".
static std::string suggestLevel(llvm::StringRef word) {
  return lookupTarget(word)
             ? (" ('" + word + "' is a level: -mcpu=" + word + ")").str()
             : "";
}

/// What may be meant by a word that is no backend: a level, or a misspelt one.
static std::string suggestBackend(llvm::StringRef word) {
  if (std::string level = suggestLevel(word); !level.empty())
    return level;
  std::vector<llvm::StringRef> names = {kAutoBackend};
  for (const Backend &backend : stageTable().backends())
    names.push_back(backend.name);
  return suggestName(word, names);
}

std::optional<int> parseBackend(ParsedArguments &parsed,
                                const llvm::opt::Arg *arg,
                                CommonOptions &options) {
  if (!arg)
    return std::nullopt;
  options.choosesBackend = arg->getValue() == kAutoBackend;
  options.backend = stageTable().findBackend(arg->getValue());
  if (!options.backend && !options.choosesBackend)
    return parsed.fail(llvm::Twine("unknown backend '") + arg->getValue() +
                       "' of --backend" + suggestBackend(arg->getValue()) +
                       "; backends: " + stageTable().listBackends() + ", " +
                       kAutoBackend);
  return std::nullopt;
}

std::string suggestPass(llvm::StringRef name) {
  std::string similar = similarPass(name);
  return similar.empty() || similar == name
             ? ""
             : " (did you mean '" + similar + "'?)";
}

std::optional<int> parseSkippedPasses(ParsedArguments &parsed,
                                      std::vector<std::string> names,
                                      CommonOptions &options) {
  std::vector<std::string> known = skippablePasses();
  for (const std::string &name : names)
    if (!llvm::is_contained(known, name))
      return parsed.fail(
          "--skip-pass cannot skip '" + name + "'" + suggestPass(name) +
          "; passes that it can skip: " + llvm::join(known, ", "));
  options.skippedPasses = std::move(names);
  return std::nullopt;
}

/// What may be meant by a word that is no platform's triple: a level, or the
/// platform whose architecture it names.
static std::string suggestPlatform(llvm::StringRef word) {
  if (std::string level = suggestLevel(word); !level.empty())
    return level;
  auto family = llvm::Triple(word).getArch();
  for (const Platform &platform : getPlatforms())
    if (family != llvm::Triple::UnknownArch &&
        llvm::Triple(platform.triple).getArch() == family)
      return (" (did you mean '" + platform.triple + "'?)").str();
  return "";
}

std::optional<int> parsePlatform(ParsedArguments &parsed,
                                 const llvm::opt::Arg *arg,
                                 CommonOptions &options) {
  options.platformGiven = arg;
  options.platform = arg ? findPlatform(arg->getValue()) : &getHostPlatform();
  if (options.platform)
    return std::nullopt;
  return parsed.fail(llvm::Twine("--target '") + arg->getValue() +
                     "' is not supported" + suggestPlatform(arg->getValue()) +
                     "; supported: " + listPlatforms());
}

const Platform &gpuPlatform() {
  return *llvm::find_if(getPlatforms(), [](const Platform &platform) {
    return platform.levels.front().kind == TargetKind::Gpu;
  });
}

/// Where a level of another platform is compiled; of a device, where objects
/// for it are.
static const Platform &ownerOf(const Target &level) {
  for (const Platform &platform : getPlatforms())
    if (const Target *own = platform.findLevel(level.name);
        own && own->kind == TargetKind::Device && own->device.hasHostCode)
      return platform;
  return platformOf(level);
}

static std::optional<int> parseLevel(ParsedArguments &parsed,
                                     llvm::StringRef name,
                                     const Platform &platform,
                                     const Target *&target) {
  if (name == "native" && !platform.isHost())
    return parsed.fail("-mcpu=native is this machine's level and cannot be "
                       "combined with --target=" +
                       platform.triple + "; levels: " + platform.listLevels());
  target = name == "native" ? &platform.selectLevel(getHostFeatures())
                            : platform.findPart(name);
  if (target)
    return std::nullopt;
  std::string known =
      platform.listLevels() +
      (platform.isHost() ? ", native; GPUs: " + gpuPlatform().listLevels()
                         : "");
  if (name.trim().empty())
    return parsed.fail("-mcpu has an empty entry; levels: " + known);
  if (const Target *foreign = lookupTarget(name))
    return parsed.fail("-mcpu level '" + name +
                       "' requires --target=" + ownerOf(*foreign).triple +
                       "; levels of " + platform.triple + ": " + known);
  std::string message = ("unknown -mcpu level '" + name + "'").str();
  bool isGpu = name.starts_with_insensitive("sm") ||
               !gpuPlatform().findProduct(name).empty();
  const Platform &owner = isGpu ? gpuPlatform() : platform;
  llvm::StringRef similar = owner.findSimilarLevel(name);
  if (!similar.empty())
    message += "; did you mean '" + similar.str() + "'?";
  return parsed.fail(
      message +
      (isGpu ? " (GPUs: " + owner.listLevels() : " (levels: " + known) + ")");
}

/// A level that the backend compiles for, of the platform if it has one.
static llvm::StringRef levelOf(const Backend &backend,
                               const Platform &platform) {
  auto levelsOf = [](const Platform &any) {
    return llvm::concat<const Target>(any.levels, any.devices);
  };
  for (const Target &level : levelsOf(platform))
    if (llvm::is_contained(backend.kinds, level.kind))
      return level.name;
  for (const Platform &other : getPlatforms())
    for (const Target &level : levelsOf(other))
      if (llvm::is_contained(backend.kinds, level.kind))
        return level.name;
  return "";
}

/// Every level has to be one that the backend of --backend compiles for.
static std::optional<int> checkBackend(ParsedArguments &parsed,
                                       const CommonOptions &options) {
  if (!options.backend)
    return std::nullopt;
  for (const Target *target : options.targets)
    if (!llvm::is_contained(options.backend->kinds, target->kind))
      return parsed.fail("--backend=" + options.backend->name +
                         " does not compile for " + target->name +
                         "; use a level such as -mcpu=" +
                         levelOf(*options.backend, *options.platform));
  return std::nullopt;
}

std::optional<int> parseTargets(ParsedArguments &parsed,
                                const llvm::opt::Arg *arg,
                                llvm::ArrayRef<const Target *> defaults,
                                CommonOptions &options) {
  options.targets = defaults.vec();
  options.targetsGiven = arg;
  if (!arg) // a dump may be for others than the default levels
    return std::nullopt;
  llvm::StringRef list = arg->getValue();
  options.targets.clear();
  // Names of GPUs alone need no --target: their kernels are those of any host.
  bool areGpus = llvm::all_of(llvm::split(list, ','), [](llvm::StringRef name) {
    const Target *target = lookupTarget(name);
    return target && target->kind == TargetKind::Gpu;
  });
  if (areGpus && !options.platformGiven)
    options.platform = &platformOf(*lookupTarget(list.split(',').first));
  const Target *native = nullptr;
  for (llvm::StringRef name : llvm::split(list, ',')) {
    const Target *target = nullptr;
    if (auto code = parseLevel(parsed, name, *options.platform, target))
      return code;
    bool isNative = name == "native";
    if (isNative ? native != nullptr
                 : llvm::is_contained(options.targets, target))
      return parsed.fail("-mcpu=" + list + " names " +
                         (isNative ? name : target->name) + " twice");
    if (isNative) // whatever it is, the list may name it, too
      native = target;
    else
      options.targets.push_back(target);
  }
  if (native && !llvm::is_contained(options.targets, native))
    options.targets.push_back(native);
  llvm::sort(options.targets, isWeaker);
  // Devices come first.
  if (options.targets.size() > 1 &&
      options.targets[1]->kind == TargetKind::Device)
    return parsed.fail("-mcpu=" + list + " names the devices '" +
                       options.targets[0]->name + "' and '" +
                       options.targets[1]->name +
                       "'; an object has at most one, compile two objects");
  return checkBackend(parsed, options);
}

/// The ids of all warnings: of the specs (docs/spec-reference.md) and of the
/// passes.
static constexpr llvm::StringLiteral warnings[] = {
    "empty-mask",   "index-order", "offset",        "open-window",
    "scaled-twice", "slow-path",   "stale-schedule"};

llvm::ArrayRef<llvm::StringLiteral> warningNames() { return warnings; }

std::optional<int> parseWarning(ParsedArguments &parsed, llvm::StringRef name,
                                CommonOptions &options) {
  bool on = !name.consume_front("no-");
  if (!llvm::is_contained(warnings, name))
    return parsed.fail(
        "unknown warning '" + name + "' of -W" +
        suggestName(name, llvm::to_vector_of<llvm::StringRef>(warnings)) +
        "; warnings: " + llvm::join(llvm::ArrayRef(warnings), ", "));
  llvm::erase(options.hiddenWarnings, name);
  if (!on)
    options.hiddenWarnings.push_back(name.str());
  return std::nullopt;
}

std::optional<Stage> stageOfName(llvm::StringRef input) {
  if (!input.ends_with(".mlir"))
    return Stage::Spec;
  llvm::StringRef inner =
      llvm::sys::path::extension(llvm::sys::path::stem(input));
  return parseStage(inner.ltrim('.'));
}

std::string refuseForDump(const CommonOptions &options, Stage from) {
  std::string dump = " a dump of stage " + stageName(from).str();
  if (!options.overrides.empty() && from != Stage::Spec)
    return "--set changes a spec, but the input is" + dump;
  if (!options.schedule.empty() && from >= Stage::Scheduled)
    return "--schedule has no effect on" + dump +
           "; edit the dump or start from stage fused";
  if (!options.scheduleFile.empty() && from >= Stage::Scheduled)
    return "--schedule-file has no effect on" + dump +
           "; edit the dump or start from stage fused";
  if (!options.skippedPasses.empty() && from >= Stage::Fused)
    return "--skip-pass has no effect on" + dump + "; start from stage graph";
  if (options.ridge && from >= Stage::Fused)
    return "--ridge has no effect on" + dump + "; start from stage graph";
  if (options.allowWeightProducts && from >= Stage::Fused)
    return "--allow-weight-products has no effect on" + dump +
           "; start from stage graph";
  return "";
}

bool haveGpu(llvm::ArrayRef<const Target *> targets) {
  return llvm::any_of(targets, [](const Target *target) {
    return target->kind == TargetKind::Gpu;
  });
}

std::string describeTargets(const CommonOptions &options,
                            llvm::ArrayRef<const Target *> targets) {
  return (options.targetsGiven ? "-mcpu names "
                               : "the input is compiled for ") +
         joinTargetNames(targets);
}

std::string refuseForTargets(const CommonOptions &options,
                             llvm::ArrayRef<const Target *> targets) {
  if (!options.ptxas.empty() && !haveGpu(targets))
    return "--ptxas applies to kernels of GPUs; " +
           describeTargets(options, targets);
  return "";
}

void printHelp(llvm::raw_ostream &os, const llvm::opt::OptTable &table,
               const char *usage, const char *title,
               llvm::ArrayRef<const Target *> defaults) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  table.printHelp(stream, usage, title);
  auto replace = [&](llvm::StringRef word, const std::string &by) {
    for (size_t place; (place = text.find(word)) != std::string::npos;)
      text.replace(place, word.size(), by);
  };
  std::vector<std::string> outputs;
  for (const OutputKind &kind : stageTable().outputKinds())
    outputs.push_back(kind.name.str());
  replace("@levels@", joinTargetNames(defaults));
  replace("@outputs@", llvm::join(outputs, " "));
  replace("@stages@", listStages());
  replace("@shared-stages@", listSharedStages());
  replace("@linkers@", llvm::join(linkerNames(), ", "));
  replace("@backends@", stageTable().listBackends());
  os << text;
}

void printVersion(llvm::raw_ostream &os, llvm::StringRef tool,
                  llvm::ArrayRef<const Target *> defaults) {
  os << tool << ' ' << getVersion();
  if (llvm::StringRef commit = getCommit(); !commit.empty())
    os << " (commit " << commit << ')';
  os << "\nLLVM " << LLVM_VERSION_STRING
     << "\nDefault target: " << getHostPlatform().triple
     << ", -mcpu=" << joinTargetNames(defaults) << '\n';
}

void printTargets(llvm::raw_ostream &os) {
  for (const Platform &platform : getPlatforms()) {
    os << platform.triple << '\n';
    for (const Target &target : platform.levels)
      os << llvm::formatv("  {0,-16} {1}\n", target.name, target.description);
    for (const Target &target : platform.devices)
      os << llvm::formatv("  {0,-16} {1}\n", target.name, target.description);
  }
}

} // namespace attnc
