//===- CommandLine.h - What the user asked for ------------------*- C++ -*-===//
//
// The options are declared in AttncOptions.td, RunOptions.td and
// CommonOptions.td; this turns them into plain values. A wrong command line
// ends with one message and exit code 2.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_OPTIONS_COMMANDLINE_H
#define ATTNC_LIB_DRIVER_OPTIONS_COMMANDLINE_H

#include "attnc/Pipeline/Stages.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attnc {

struct Backend;
struct Platform;
struct Target;

/// What the input is compiled with, in every tool.
struct CommonOptions {
  std::vector<std::string> arguments; // all, as given
  std::string input;                  // a path, or - for the standard input
  std::vector<std::string> overrides; // --set KEY=VALUE
  std::string schedule;               // attribute as text; empty: chosen
  std::string scheduleText;           // where that text was, if in a file
  std::string scheduleFile;           // --schedule-file; empty: none
  bool allowWeightProducts = false;
  std::optional<double> ridge;            // --ridge; positive
  std::vector<std::string> skippedPasses; // --skip-pass
  const Platform *platform = nullptr;     // --target
  bool platformGiven = false;
  /// -mcpu: each level once, weakest first; not empty.
  std::vector<const Target *> targets;
  bool targetsGiven = false;
  const Backend *backend = nullptr;        // --backend; null: not given
  bool choosesBackend = false;             // --backend=auto
  std::string ptxas;                       // --ptxas; empty: found in PATH
  std::vector<std::string> hiddenWarnings; // -Wno-NAME
  bool warningsAreErrors = false;
  std::optional<bool> color;
};

struct AttncOptions : CommonOptions {
  std::string output;              // -o; empty: the default names
  std::vector<std::string> emit;   // each once, in the order of the stages
  std::string linker;              // --linker; empty: found in PATH
  std::optional<Stage> inputStage; // -x
  bool emitAll = false;            // what can be made from the input
  bool explain = false, checkStages = false;
  bool printChanged = false, time = false;
  std::vector<std::string> printAfter;
  std::string crashAfter;                  // --debug-crash
  std::string remarks;                     // file of --remarks; empty: none
  std::optional<std::string> dependencies; // -MD; empty: the default name
  llvm::StringMap<int64_t> sizes;          // --size
};

struct RunOptions : CommonOptions {
  /// Pairs of a tensor and a file: --input, --save.
  std::vector<std::pair<std::string, std::string>> inputFiles, savedFiles;
  /// Per size its values, in the order given.
  std::vector<std::pair<std::string, std::vector<int64_t>>> sizes;
  std::optional<Stage> inputStage; // -x: spec, graph or fused
  int64_t threads = 1;
  std::string tune; // the file of --tune; empty: not given
  unsigned tuneCandidates = 24;
  std::optional<double> benchSeconds;
  bool json = false, check = true, checkStages = false, interpret = false;
  bool mask = false, modelInstructions = false;
  std::optional<bool> usesDriver; // --gpu: false is emulator; null: not given
  uint64_t seed = 1;
  enum class Init { Normal, Integer, Zero } init = Init::Normal;
  enum class Strides {
    Bhsd,
    Bshd,
    Negative,
    Random,
    Broadcast, // inputs: some axes repeat one element
  } strides = Strides::Bhsd;
};

/// The options, or the exit code when the tool is done already (help, version)
/// or the command line is wrong.
template <typename Options> struct Parsed {
  Options options;
  std::optional<int> exitCode;
};
Parsed<AttncOptions> parseAttncCommandLine(llvm::ArrayRef<const char *> args);
Parsed<RunOptions> parseRunCommandLine(llvm::ArrayRef<const char *> args);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_OPTIONS_COMMANDLINE_H
