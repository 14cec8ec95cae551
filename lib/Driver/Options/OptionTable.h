//===- OptionTable.h - Parsing with a table of llvm::opt --------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_OPTIONS_OPTIONTABLE_H
#define ATTNC_LIB_DRIVER_OPTIONS_OPTIONTABLE_H

#include "Options/CommandLine.h"

#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

namespace attnc {

/// One message "TOOL: error: TEXT" on the standard error.
void printError(llvm::StringRef tool, const llvm::Twine &text);

/// The exit code of a tool that is done: not 0 if the standard output could not
/// be written, which is said.
int finishTool(llvm::StringRef tool, int exitCode);

/// The arguments of one run: @file expanded, unknown options and missing values
/// told with what was probably meant.
class ParsedArguments {
public:
  ParsedArguments(const llvm::opt::OptTable &table, llvm::StringRef tool,
                  llvm::ArrayRef<const char *> args);

  /// Set when the command line is wrong; the message is out already.
  std::optional<int> exitCode;
  llvm::opt::InputArgList list;

  /// The message of a wrong command line and its exit code.
  int fail(const llvm::Twine &text) {
    printError(tool, text);
    return 2;
  }
  /// The one input, or - when `-` was given; sets exitCode if there is none or
  /// there are several. `kinds` says what it may be.
  std::string input(llvm::StringRef kinds);

private:
  void expand(llvm::ArrayRef<const char *> args);
  void reportUnknown(const llvm::opt::OptTable &table);

  llvm::StringRef tool;
  llvm::BumpPtrAllocator allocator;
  llvm::SmallVector<const char *> arguments;
};

/// A decimal number from `low` to `high`, or nothing.
std::optional<int64_t> parseNumber(llvm::StringRef text, int64_t low,
                                   int64_t high);

/// Reads --color.
std::optional<int> parseColor(ParsedArguments &parsed, llvm::StringRef when,
                              std::optional<bool> &color);
/// Reads --schedule, an attribute as text or the file that holds it.
std::optional<int> parseSchedule(ParsedArguments &parsed,
                                 const llvm::opt::Arg *arg,
                                 CommonOptions &options);
/// Reads --schedule-file, after --schedule.
std::optional<int> parseScheduleFileName(ParsedArguments &parsed,
                                         const llvm::opt::Arg *arg,
                                         CommonOptions &options);
/// Reads --ridge.
std::optional<int> parseRidge(ParsedArguments &parsed,
                              const llvm::opt::Arg *arg,
                              CommonOptions &options);
/// " (did you mean 'NAME'?)" for the most similar name, or nothing.
std::string suggestName(llvm::StringRef word,
                        llvm::ArrayRef<llvm::StringRef> names);
/// The same for the stages up to `last`.
std::string suggestStage(llvm::StringRef word, Stage last);
/// " (did you mean 'PASS'?)", or nothing.
std::string suggestPass(llvm::StringRef name);
/// Reads --skip-pass.
std::optional<int> parseSkippedPasses(ParsedArguments &parsed,
                                      std::vector<std::string> names,
                                      CommonOptions &options);
/// The ids of all warnings.
llvm::ArrayRef<llvm::StringLiteral> warningNames();
/// The platform whose levels are GPUs.
const Platform &gpuPlatform();
/// Reads --target.
std::optional<int> parsePlatform(ParsedArguments &parsed,
                                 const llvm::opt::Arg *arg,
                                 CommonOptions &options);
/// Reads -mcpu and -W into `options`; an exit code if one is wrong. `defaults`
/// are the levels of the platform without -mcpu.
std::optional<int> parseTargets(ParsedArguments &parsed,
                                const llvm::opt::Arg *arg,
                                llvm::ArrayRef<const Target *> defaults,
                                CommonOptions &options);
/// Reads --backend.
std::optional<int> parseBackend(ParsedArguments &parsed,
                                const llvm::opt::Arg *arg,
                                CommonOptions &options);
std::optional<int> parseWarning(ParsedArguments &parsed, llvm::StringRef name,
                                CommonOptions &options);
/// The stage of a dump called NAME.STAGE.mlir, as --emit names them; of a name
/// without a stage, nothing. Other files are specs.
std::optional<Stage> stageOfName(llvm::StringRef input);
/// Why a dump of stage `from` cannot obey the options; empty if it can.
std::string refuseForDump(const CommonOptions &options, Stage from);
/// Why the options do not apply to `targets`, those of the input; empty if they
/// do.
std::string refuseForTargets(const CommonOptions &options,
                             llvm::ArrayRef<const Target *> targets);
std::string refuseForTargets(const RunOptions &options,
                             llvm::ArrayRef<const Target *> targets);
/// Whether some of the targets are GPUs.
bool haveGpu(llvm::ArrayRef<const Target *> targets);
/// "-mcpu names x86-64-v3"
std::string describeTargets(const CommonOptions &options,
                            llvm::ArrayRef<const Target *> targets);

/// What --help prints. In help texts @stages@, @shared-stages@ and @outputs@
/// stand for the names in the tables of the pipeline, @levels@ for `defaults`.
void printHelp(llvm::raw_ostream &os, const llvm::opt::OptTable &table,
               const char *usage, const char *title,
               llvm::ArrayRef<const Target *> defaults);
/// What --version prints.
void printVersion(llvm::raw_ostream &os, llvm::StringRef tool,
                  llvm::ArrayRef<const Target *> defaults);
/// What --print-targets prints.
void printTargets(llvm::raw_ostream &os);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_OPTIONS_OPTIONTABLE_H
