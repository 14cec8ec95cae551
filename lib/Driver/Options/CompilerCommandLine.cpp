//===- CompilerCommandLine.cpp - The command line of attnc ----------------===//

#include "Compile/OutputNames.h"
#include "Options/CommandLine.h"
#include "Options/OptionTable.h"

#include "attnc/Pipeline/Stages.h"
#include "attnc/Target/DeviceSource.h"
#include "attnc/Target/Platform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm::opt;

namespace attnc {
namespace {
#define OPTTABLE_STR_TABLE_CODE
#include "AttncOptions.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "AttncOptions.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

enum Id {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "AttncOptions.inc"
#undef OPTION
};

constexpr OptTable::Info infos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "AttncOptions.inc"
#undef OPTION
};

struct Table : GenericOptTable {
  Table() : GenericOptTable(OptionStrTable, OptionPrefixesTable, infos) {}
};
} // namespace

static std::vector<llvm::StringRef> outputNames() {
  std::vector<llvm::StringRef> names;
  for (const OutputKind &kind : outputKinds())
    names.push_back(kind.name);
  return names;
}

static std::optional<int> parseEmit(ParsedArguments &parsed,
                                    llvm::StringRef text,
                                    AttncOptions &options) {
  llvm::SmallVector<llvm::StringRef> names;
  text.split(names, ',');
  for (llvm::StringRef name : names) {
    if (name == "all") {
      options.emitAll = true;
      for (const OutputKind &kind : outputKinds())
        options.emit.push_back(kind.name.str());
      continue;
    }
    if (name == "mask") // needs sizes and the entries of tables
      return parsed.fail("--emit has no output 'mask'; use attnc-run --mask to "
                         "print the visited tiles");
    if (!findOutputKind(name))
      return parsed.fail("unknown output '" + name + "' of --emit" +
                         suggestName(name, outputNames()) + "; outputs: " +
                         llvm::join(outputNames(), ", ") + " or all");
    options.emit.push_back(name.str());
  }
  return std::nullopt;
}

/// `kernels`, if the name of -o is that of a source of kernels for devices.
static std::optional<int> chooseSource(ParsedArguments &parsed,
                                       AttncOptions &options) {
  if (isDirectoryName(options.output))
    return std::nullopt;
  const DeviceSource *source =
      llvm::find_if(getDeviceSources(), [&](const DeviceSource &one) {
        return llvm::StringRef(options.output).ends_with(one.suffix);
      });
  if (source == getDeviceSources().end())
    return std::nullopt;
  const Target *other = nullptr;
  bool isOfDevice = false;
  for (const Target *target : options.targets) {
    const DeviceSource *its = findDeviceSource(*target);
    isOfDevice |= its == source;
    if (its && its != source)
      other = target;
  }
  // PTX of attnc's own kernels, whatever the other devices are.
  const OutputKind *kind = findKindOfName(options.output);
  bool hasOwn = kind && llvm::any_of(options.targets, [](const Target *target) {
                  return target->kind == TargetKind::Gpu;
                });
  if (hasOwn && isOfDevice)
    return parsed.fail("-o " + options.output + " names " + source->name +
                       ", which the backends nvptx and halide write for the "
                       "levels of -mcpu; add --emit=" +
                       kind->name.str() + " or --emit=kernels");
  if (hasOwn || (kind && !other && !isOfDevice))
    return std::nullopt;
  if (isOfDevice && !other) {
    options.emit = {"kernels"};
    return std::nullopt;
  }
  std::string found =
      other ? ("kernels for '" + other->name + "' are written in " +
               findDeviceSource(*other)->name + " (" +
               findDeviceSource(*other)->suffix + ")")
                  .str()
            : "-mcpu names no such device (a dump may: add --emit=kernels)";
  return parsed.fail("-o " + options.output + " names " + source->name +
                     ", but " + found + "; use -mcpu=" + source->example +
                     (kind ? ", " + gpuPlatform().listLevels() : "") +
                     " or another name");
}

/// Each output once, in the order of the stages; without --emit those that the
/// name of -o selects.
static std::optional<int> chooseOutputs(ParsedArguments &parsed,
                                        AttncOptions &options) {
  if (options.emit.empty())
    if (auto code = chooseSource(parsed, options))
      return code;
  if (options.emit.empty()) {
    auto kinds = kindsOfName(options.output);
    if (!kinds)
      return parsed.fail("-o " + options.output +
                         " does not name a stage; add --emit=STAGE, or use the "
                         "name NAME.STAGE.mlir");
    if (llvm::is_contained(*kinds, "obj"))
      if (llvm::StringRef source = sourceSuffixOf(options.output);
          !source.empty())
        return parsed.fail("-o " + options.output + ": attnc writes no " +
                           source +
                           " files; write an object (-o NAME.o), an archive "
                           "(-o NAME.a) or a stage (-o NAME.STAGE.mlir)");
    options.emit = std::move(*kinds);
  }
  llvm::sort(options.emit, [](llvm::StringRef a, llvm::StringRef b) {
    return findOutputKind(a) < findOutputKind(b);
  });
  options.emit.erase(llvm::unique(options.emit), options.emit.end());
  llvm::StringRef suffix = linkedSuffixOf(options.output);
  if (!suffix.empty() && !options.emitAll &&
      llvm::is_contained(options.emit, "obj"))
    return parsed.fail("-o " + options.output + ": attnc does not link " +
                       suffix +
                       " files; write an object (-o NAME.o) or an archive (-o "
                       "NAME.a) and link it with the platform's tools");
  return std::nullopt;
}

/// `batch=1,query_len=16`
static std::optional<int> parseSizes(ParsedArguments &parsed,
                                     llvm::StringRef text,
                                     AttncOptions &options) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto [name, value] = part.split('=');
    std::optional<int64_t> number =
        parseNumber(value, 0, std::numeric_limits<int32_t>::max());
    if (name.empty() || !number)
      return parsed.fail(
          "--size expects NAME=N[,NAME=N...] with sizes from 0 to "
          "2147483647, got '" +
          part + "'");
    options.sizes[name] = *number;
  }
  return std::nullopt;
}

static std::optional<int> checkPass(ParsedArguments &parsed,
                                    llvm::StringRef name,
                                    llvm::StringRef option) {
  if (isPassName(name))
    return std::nullopt;
  return parsed.fail("unknown pass '" + name + "' of " + option +
                     suggestPass(name) + "; --print-passes lists all passes");
}

/// Everything but the input; an exit code when something is wrong.
static std::optional<int> readOptions(ParsedArguments &parsed,
                                      AttncOptions &options) {
  const InputArgList &list = parsed.list;
  options.output = list.getLastArgValue(OPT_o);
  if (list.hasArg(OPT_o) && options.output.empty())
    return parsed.fail("-o expects a file, a directory or -");
  options.linker = list.getLastArgValue(OPT_linker);
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
  options.remarks = list.getLastArgValue(OPT_remarks);
  if (list.hasArg(OPT_remarks) && options.remarks.empty())
    return parsed.fail("--remarks expects a file or -");
  if (list.hasArg(OPT_MF) && !list.hasArg(OPT_MD))
    return parsed.fail("-MF requires -MD");
  if (list.hasArg(OPT_MD))
    options.dependencies = list.getLastArgValue(OPT_MF).str();
  options.explain = list.hasArg(OPT_explain);
  options.checkStages = list.hasArg(OPT_check_stages);
  options.printChanged = list.hasArg(OPT_print_changed);
  options.printAfter = list.getAllArgValues(OPT_print_after);
  for (llvm::StringRef name : options.printAfter)
    if (auto code = checkPass(parsed, name, "--print-after"))
      return code;
  options.crashAfter = list.getLastArgValue(OPT_debug_crash);
  if (list.hasArg(OPT_debug_crash))
    if (auto code = checkPass(parsed, options.crashAfter, "--debug-crash"))
      return code;
  options.time = list.hasArg(OPT_time);
  options.warningsAreErrors = list.hasArg(OPT_Werror);
  if (const Arg *arg = list.getLastArg(OPT_x)) {
    options.inputStage = parseStage(arg->getValue());
    if (!options.inputStage)
      return parsed.fail(
          llvm::Twine("unknown stage '") + arg->getValue() + "' of -x" +
          suggestStage(arg->getValue(), stageTable().stages().back()) +
          "; stages: " + listStages());
  }
  for (const std::string &text : list.getAllArgValues(OPT_emit))
    if (auto code = parseEmit(parsed, text, options))
      return code;
  for (const std::string &text : list.getAllArgValues(OPT_size))
    if (auto code = parseSizes(parsed, text, options))
      return code;
  if (auto code = parsePlatform(parsed, list.getLastArg(OPT_target), options))
    return code;
  if (auto code = parseTargets(parsed, list.getLastArg(OPT_mcpu),
                               options.platform->getDefaultLevels(), options))
    return code;
  if (auto code = chooseOutputs(parsed, options))
    return code;
  for (const std::string &name : list.getAllArgValues(OPT_W))
    if (auto code = parseWarning(parsed, name, options))
      return code;
  return parseColor(parsed, list.getLastArgValue(OPT_color, "auto"),
                    options.color);
}

static bool printedInformation(const InputArgList &list, const Table &table) {
  if (list.hasArg(OPT_help))
    printHelp(llvm::outs(), table, "attnc [options] INPUT",
              "attnc: compile attention specs to object files",
              getHostPlatform().getDefaultLevels());
  else if (list.hasArg(OPT_version))
    printVersion(llvm::outs(), "attnc", getHostPlatform().getDefaultLevels());
  else if (list.hasArg(OPT_print_targets))
    printTargets(llvm::outs());
  else if (list.hasArg(OPT_print_passes))
    printPasses(llvm::outs());
  else
    return false;
  return true;
}

Parsed<AttncOptions> parseAttncCommandLine(llvm::ArrayRef<const char *> args) {
  Parsed<AttncOptions> result;
  Table table;
  ParsedArguments parsed(table, "attnc", args);
  if (!parsed.exitCode && printedInformation(parsed.list, table))
    parsed.exitCode = 0;
  if (!parsed.exitCode)
    parsed.exitCode = readOptions(parsed, result.options);
  if (!parsed.exitCode)
    result.options.input = parsed.input("a .yaml spec, a dump with -x");
  result.options.arguments.assign(args.begin(), args.end());
  result.exitCode = parsed.exitCode;
  return result;
}

} // namespace attnc
