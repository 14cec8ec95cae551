//===- RunCommandLine.cpp - The command line of attnc-run -----------------===//

#include "Options/CommandLine.h"
#include "Options/OptionTable.h"

#include "attnc/Pipeline/Stages.h"
#include "attnc/Target/Platform.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace llvm::opt;

namespace attnc {
namespace {
#define OPTTABLE_STR_TABLE_CODE
#include "RunOptions.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "RunOptions.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

enum Id {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "RunOptions.inc"
#undef OPTION
};

constexpr OptTable::Info infos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "RunOptions.inc"
#undef OPTION
};

struct Table : GenericOptTable {
  Table() : GenericOptTable(OptionStrTable, OptionPrefixesTable, infos) {}
};
} // namespace

/// `batch=1,query_len=16,32,kv_len=64`: a part without `=` is one more value of
/// the size before it.
static std::optional<int>
parseSizes(ParsedArguments &parsed, llvm::StringRef text, RunOptions &options) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto [name, value] = part.split('=');
    if (!part.contains('=')) {
      if (options.sizes.empty())
        return parsed.fail("--size expects NAME=N[,N...], got '" + text + "'");
      value = part;
    } else {
      options.sizes.emplace_back(name.str(), std::vector<int64_t>());
    }
    std::optional<int64_t> number =
        parseNumber(value, 0, std::numeric_limits<int32_t>::max());
    if (!number)
      return parsed.fail("--size: '" + value +
                         "' is not a size from 0 to "
                         "2147483647 (in '" +
                         part + "')");
    options.sizes.back().second.push_back(*number);
  }
  return std::nullopt;
}

static std::optional<int> parseBench(ParsedArguments &parsed,
                                     RunOptions &options) {
  const Arg *arg = parsed.list.getLastArg(OPT_bench_default, OPT_bench);
  if (!arg)
    return std::nullopt;
  double seconds = 1;
  if (arg->getOption().matches(OPT_bench) &&
      (llvm::StringRef(arg->getValue()).getAsDouble(seconds) ||
       !(seconds > 0) || seconds > 3600))
    return parsed.fail(
        llvm::Twine("--bench expects seconds from 0 to 3600, got '") +
        arg->getValue() + "'");
  options.benchSeconds = seconds;
  return std::nullopt;
}

static std::optional<int> parseInputs(ParsedArguments &parsed,
                                      RunOptions &options) {
  using Init = RunOptions::Init;
  using Strides = RunOptions::Strides;
  llvm::StringRef init = parsed.list.getLastArgValue(OPT_init, "normal");
  auto kind = llvm::StringSwitch<std::optional<Init>>(init)
                  .Case("normal", Init::Normal)
                  .Case("integer", Init::Integer)
                  .Case("zero", Init::Zero)
                  .Default(std::nullopt);
  if (!kind)
    return parsed.fail("--init expects normal, integer or zero, got '" + init +
                       "'");
  options.init = *kind;
  llvm::StringRef strides = parsed.list.getLastArgValue(OPT_strides, "bhsd");
  auto order = llvm::StringSwitch<std::optional<Strides>>(strides)
                   .Case("bhsd", Strides::Bhsd)
                   .Case("bshd", Strides::Bshd)
                   .Case("negative", Strides::Negative)
                   .Case("random", Strides::Random)
                   .Case("broadcast", Strides::Broadcast)
                   .Default(std::nullopt);
  if (!order)
    return parsed.fail("--strides expects bhsd, bshd, negative, random or "
                       "broadcast, got '" +
                       strides + "'");
  options.strides = *order;
  if (order == Strides::Broadcast && !options.inputFiles.empty())
    return parsed.fail("--strides=broadcast repeats elements of the inputs and "
                       "cannot be combined with --input");
  return std::nullopt;
}

/// `NAME=FILE` of --input and --save.
static std::optional<int>
parseFiles(ParsedArguments &parsed, llvm::StringRef option,
           const std::vector<std::string> &texts,
           std::vector<std::pair<std::string, std::string>> &files) {
  for (llvm::StringRef text : texts) {
    auto [name, path] = text.split('=');
    if (name.empty() || path.empty())
      return parsed.fail(option + " expects NAME=FILE.npy, got '" + text + "'");
    files.emplace_back(name.str(), path.str());
  }
  return std::nullopt;
}

static std::optional<int> readNumbers(ParsedArguments &parsed,
                                      RunOptions &options) {
  const InputArgList &list = parsed.list;
  if (const Arg *arg = list.getLastArg(OPT_threads)) {
    std::optional<int64_t> threads = parseNumber(arg->getValue(), 1, 1024);
    if (!threads)
      return parsed.fail(llvm::Twine("--threads expects 1 to 1024, got '") +
                         arg->getValue() + "'");
    options.threads = *threads;
  }
  if (const Arg *arg = list.getLastArg(OPT_seed)) {
    std::optional<int64_t> seed =
        parseNumber(arg->getValue(), 0, std::numeric_limits<int64_t>::max());
    if (!seed)
      return parsed.fail(
          llvm::Twine("--seed expects a non-negative integer, got '") +
          arg->getValue() + "'");
    options.seed = *seed;
  }
  for (const std::string &text : list.getAllArgValues(OPT_size))
    if (auto code = parseSizes(parsed, text, options))
      return code;
  return parseBench(parsed, options);
}

static std::optional<int> parseGpu(ParsedArguments &parsed,
                                   RunOptions &options) {
  const Arg *arg = parsed.list.getLastArg(OPT_gpu);
  if (!arg)
    return std::nullopt;
  llvm::StringRef gpu = arg->getValue();
  options.usesDriver = gpu == "driver";
  if (gpu != "emulator" && gpu != "driver")
    return parsed.fail("--gpu expects emulator or driver, got '" + gpu + "'");
  if (options.interpret || options.mask)
    return parsed.fail("--gpu selects what runs kernels and cannot be combined "
                       "with --interpret or --mask");
  return std::nullopt;
}

std::string refuseForTargets(const RunOptions &options,
                             llvm::ArrayRef<const Target *> targets) {
  if (options.usesDriver && !haveGpu(targets))
    return "--gpu applies to kernels of GPUs; " +
           describeTargets(options, targets);
  // Of several parts, the object itself chooses one. GPUs follow CPUs.
  bool usesEmulator = options.usesDriver
                          ? !*options.usesDriver
                          : targets.front()->kind == TargetKind::Gpu &&
                                !options.mask && !options.interpret;
  if (usesEmulator && targets.size() > 1)
    return "the emulator runs objects for a single GPU; " +
           describeTargets(options, targets) +
           "; name one GPU alone or use --gpu=driver";
  return refuseForTargets(static_cast<const CommonOptions &>(options), targets);
}

/// The first of the given options that says something else than --tune does.
static llvm::StringRef conflictWithTune(const InputArgList &list) {
  for (const Arg *arg : list)
    switch (arg->getOption().getID()) {
    case OPT_schedule:
    case OPT_schedule_file:
    case OPT_bench:
    case OPT_bench_default:
    case OPT_json:
    case OPT_no_check:
    case OPT_input:
    case OPT_save:
    case OPT_interpret:
    case OPT_mask:
    case OPT_model_instructions:
    case OPT_check_stages:
    case OPT_gpu:
      return arg->getSpelling();
    default:
      break;
    }
  return "";
}

/// Reads --tune and --tune-candidates, after all other options.
static std::optional<int> parseTune(ParsedArguments &parsed,
                                    RunOptions &options) {
  const InputArgList &list = parsed.list;
  const Arg *tune = list.getLastArg(OPT_tune);
  if (const Arg *arg = list.getLastArg(OPT_tune_candidates)) {
    std::optional<int64_t> count = parseNumber(arg->getValue(), 1, 1000);
    if (!count)
      return parsed.fail(
          llvm::Twine("--tune-candidates expects 1 to 1000, got '") +
          arg->getValue() + "'");
    if (!tune)
      return parsed.fail("--tune-candidates applies to --tune=FILE");
    options.tuneCandidates = static_cast<unsigned>(*count);
  }
  if (!tune)
    return std::nullopt;
  options.tune = tune->getValue();
  if (options.tune.empty() || options.tune == "-")
    return parsed.fail("--tune expects a file, got '" + options.tune + "'");
  llvm::StringRef other = conflictWithTune(list);
  if (!other.empty())
    return parsed.fail("--tune cannot be combined with " + other.rtrim('='));
  if (options.choosesBackend)
    return parsed.fail("--tune measures schedules of one backend and cannot be "
                       "combined with --backend=auto");
  for (const Target *target : options.targets)
    if (target->kind != TargetKind::Cpu)
      return parsed.fail("--tune measures kernels of CPUs; -mcpu names " +
                         joinTargetNames(options.targets));
  if (!options.platform->isHost())
    return parsed.fail("--tune measures this machine; objects of " +
                       options.platform->triple + " run in an emulator");
  return std::nullopt;
}

static std::optional<int> readOptions(ParsedArguments &parsed,
                                      RunOptions &options) {
  const InputArgList &list = parsed.list;
  options.overrides = list.getAllArgValues(OPT_set);
  if (auto code = parseSchedule(parsed, list.getLastArg(OPT_schedule), options))
    return code;
  if (auto code = parseScheduleFileName(
          parsed, list.getLastArg(OPT_schedule_file), options))
    return code;
  if (auto code = parseRidge(parsed, list.getLastArg(OPT_ridge), options))
    return code;
  if (auto code = parseBackend(parsed, list.getLastArg(OPT_backend), options))
    return code;
  options.ptxas = list.getLastArgValue(OPT_ptxas);
  options.allowWeightProducts = list.hasArg(OPT_allow_weight_products);
  if (auto code = parseSkippedPasses(
          parsed, list.getAllArgValues(OPT_skip_pass), options))
    return code;
  if (const Arg *arg = list.getLastArg(OPT_x)) {
    options.inputStage = parseStage(arg->getValue());
    if (!options.inputStage || *options.inputStage > Stage::Scheduled)
      return parsed.fail(llvm::Twine("-x expects spec, graph, fused or "
                                     "scheduled, got '") +
                         arg->getValue() + "'" +
                         suggestStage(arg->getValue(), Stage::Scheduled));
  }
  options.json = list.hasArg(OPT_json);
  options.check = !list.hasArg(OPT_no_check);
  options.checkStages = list.hasArg(OPT_check_stages);
  options.interpret = list.hasArg(OPT_interpret);
  options.mask = list.hasArg(OPT_mask);
  options.modelInstructions = list.hasArg(OPT_model_instructions);
  options.warningsAreErrors = list.hasArg(OPT_Werror);
  if (auto code = parsePlatform(parsed, list.getLastArg(OPT_target), options))
    return code;
  if (auto code =
          parseTargets(parsed, list.getLastArg(OPT_mcpu),
                       options.platform->getDefaultLevels().front(), options))
    return code;
  for (const std::string &name : list.getAllArgValues(OPT_W))
    if (auto code = parseWarning(parsed, name, options))
      return code;
  if (auto code = readNumbers(parsed, options))
    return code;
  if (options.interpret && (options.checkStages || options.benchSeconds))
    return parsed.fail(
        "--interpret does not compile and cannot be combined with "
        "--bench or --check-stages");
  if (auto code = parseGpu(parsed, options))
    return code;
  if (options.benchSeconds && haveGpu(options.targets))
    return parsed.fail("--bench does not measure GPUs; -mcpu names " +
                       joinTargetNames(options.targets));
  if (options.benchSeconds && !options.platform->isHost())
    return parsed.fail("--bench measures this machine; objects of " +
                       options.platform->triple + " run in an emulator");
  if (options.modelInstructions && !options.platform->isHost())
    return parsed.fail("--model-instructions applies to the processors of this "
                       "platform and cannot be combined with --target=" +
                       options.platform->triple);
  if (options.modelInstructions &&
      (options.interpret || options.mask || options.benchSeconds))
    return parsed.fail("--model-instructions runs the kernel slowly and cannot "
                       "be combined with --interpret, --mask or --bench");
  if (options.mask &&
      (options.interpret || options.benchSeconds || list.hasArg(OPT_save)))
    return parsed.fail("--mask does not run the kernel and cannot be combined "
                       "with --bench, --save or --interpret");
  if (auto code = parseFiles(parsed, "--input", list.getAllArgValues(OPT_input),
                             options.inputFiles))
    return code;
  if (auto code = parseFiles(parsed, "--save", list.getAllArgValues(OPT_save),
                             options.savedFiles))
    return code;
  if (auto code = parseInputs(parsed, options))
    return code;
  if (auto code = parseTune(parsed, options))
    return code;
  return parseColor(parsed, list.getLastArgValue(OPT_color, "auto"),
                    options.color);
}

Parsed<RunOptions> parseRunCommandLine(llvm::ArrayRef<const char *> args) {
  Parsed<RunOptions> result;
  Table table;
  ParsedArguments parsed(table, "attnc-run", args);
  auto done = [&](int code) {
    result.exitCode = code;
    return std::move(result);
  };
  if (parsed.exitCode)
    return done(*parsed.exitCode);
  if (parsed.list.hasArg(OPT_help)) {
    printHelp(llvm::outs(), table, "attnc-run [options] SPEC",
              "attnc-run: compile and run a spec, check it against a float64 "
              "reference, and time it",
              &getDefaultTarget());
    return done(0);
  }
  if (parsed.list.hasArg(OPT_version)) {
    printVersion(llvm::outs(), "attnc-run", &getDefaultTarget());
    return done(0);
  }
  if (parsed.list.hasArg(OPT_print_targets)) {
    printTargets(llvm::outs());
    return done(0);
  }
  if (auto code = readOptions(parsed, result.options))
    return done(*code);
  result.options.input = parsed.input("a .yaml spec");
  result.options.arguments.assign(args.begin(), args.end());
  result.exitCode = parsed.exitCode;
  return result;
}

} // namespace attnc
