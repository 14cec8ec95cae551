//===- OptionTable.cpp - Parsing with a table of llvm::opt ----------------===//

#include "OptionTable.h"

#include "attnc/Target/Target.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

int commandLineError(llvm::StringRef tool, const llvm::Twine &text) {
  llvm::errs() << tool << ": error: " << text << '\n';
  return 2;
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
                    "' needs a value; see --help");
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

/// Everything that begins with a dash and is no option.
void ParsedArguments::reportUnknown(const llvm::opt::OptTable &table) {
  for (const llvm::opt::Arg *arg : list) {
    if (arg->getOption().getKind() != llvm::opt::Option::UnknownClass)
      continue;
    std::string text = arg->getAsString(list), nearest;
    std::string message = "unknown option '" + text + "'";
    if (table.findNearest(text, nearest) <= 2)
      message += "; did you mean '" + nearest + "'?";
    else
      message += "; see --help";
    exitCode = fail(message);
    return;
  }
}

std::string ParsedArguments::input() {
  std::vector<std::string> inputs;
  for (const llvm::opt::Arg *arg : list)
    if (arg->getOption().getKind() == llvm::opt::Option::InputClass)
      inputs.push_back(arg->getValue());
  if (inputs.size() == 1)
    return inputs.front();
  exitCode = inputs.empty()
                 ? fail("no input; give a .yaml spec, a dump with -x, or - for "
                        "the standard input; see --help")
                 : fail("one input is expected, got '" + inputs[0] + "' and '" +
                        inputs[1] + "'");
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
    return parsed.fail("--color takes auto, always or never, got '" + when +
                       "'");
  return std::nullopt;
}

std::optional<int> parseTarget(ParsedArguments &parsed,
                               std::optional<llvm::StringRef> cpu,
                               CommonOptions &options) {
  options.target = &getDefaultCpuTarget();
  options.targetGiven = cpu.has_value();
  if (!cpu)
    return std::nullopt;
  if (*cpu == "native") {
    options.target = &selectCpuTarget(getHostFeatures());
    return std::nullopt;
  }
  if (cpu->contains(','))
    return parsed.fail("-mcpu takes one level for now, got '" + *cpu + "'");
  options.target = lookupCpuTarget(*cpu);
  if (options.target)
    return std::nullopt;
  std::string message = ("unknown -mcpu level '" + *cpu + "'").str();
  llvm::StringRef similar = findSimilarCpuTarget(*cpu);
  if (!similar.empty())
    message += "; did you mean '" + similar.str() + "'?";
  return parsed.fail(message + " (levels: " + listCpuTargetNames() +
                     ", native)");
}

std::optional<int> parseWarning(ParsedArguments &parsed, llvm::StringRef name,
                                CommonOptions &options) {
  bool on = !name.consume_front("no-");
  if (name != "slow-path")
    return parsed.fail("unknown warning '" + name +
                       "' of -W; there is: slow-path");
  options.warnSlowPath = on;
  return std::nullopt;
}

void printTargets(llvm::raw_ostream &os) {
  for (const CpuTarget &target : getCpuTargets())
    os << llvm::formatv("{0,-16} {1}\n", target.name, target.description);
}

} // namespace attnc
