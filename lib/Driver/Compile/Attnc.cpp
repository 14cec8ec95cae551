//===- Attnc.cpp - The compiler's driver ----------------------------------===//
//
// Input -> stages -> outputs. All outputs are made before the first is written,
// so a failed run leaves none.
//
//===----------------------------------------------------------------------===//

#include "Compile/Explain.h"
#include "Compile/Link.h"
#include "Compile/OutputNames.h"
#include "Compile/Outputs.h"
#include "Compile/Session.h"
#include "Options/OptionTable.h"

#include "attnc/Driver/Driver.h"
#include "attnc/Emit/Header.h"
#include "attnc/Pipeline/Accounting.h"
#include "attnc/Pipeline/CheckStages.h"
#include "attnc/Spec/Print.h"
#include "attnc/Target/Platform.h"
#include "attnc/Target/RuntimeLibrary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {
namespace {

class Compilation {
public:
  Compilation(AttncOptions options, CrashReport &crash)
      : options(std::move(options)), session(this->options, crash) {}
  int run();

private:
  bool checkOutputOptions(Stage from);
  bool checkSizes();
  bool checkLinker();
  bool isInFolder() const;
  bool makeFolder();
  bool account();
  bool make(const OutputKind &kind, std::string &bytes);
  bool package(llvm::StringRef path, std::string &object);
  bool makeAll(Outputs &outputs);
  bool addOutput(Outputs &outputs, std::string path, std::string bytes);
  bool makeRemarks(Outputs &outputs);
  bool makeDependencies(Outputs &outputs);
  std::string pathOf(const OutputKind &kind) const;
  std::string stem() const;

  AttncOptions options;
  Session session;
  std::string linker;     // of a shared library
  std::string accounting; // JSON
  std::vector<AccountLines> accounts;
};

} // namespace

/// The one function's name; for several functions the input's name as a C
/// identifier.
std::string Compilation::stem() const {
  // A function that packs weights belongs to another one.
  bool isOne = !session.interfaces().empty() &&
               llvm::all_of(session.interfaces().drop_front(),
                            [&](const Interface &other) {
                              return other.name ==
                                     session.interfaces().front().packing();
                            });
  if (isOne)
    return session.interfaces().front().name;
  if (session.specs().size() == 1)
    return session.specs().front().name;
  std::string stem = llvm::sys::path::stem(options.input).str();
  for (char &c : stem)
    if (!llvm::isAlnum(c))
      c = '_';
  if (stem.empty() || llvm::isDigit(stem.front()))
    stem.insert(0, "_");
  return stem;
}

/// Whether -o names a directory for all outputs.
bool Compilation::isInFolder() const {
  return !options.output.empty() && options.output != "-" &&
         (options.emitAll || isDirectoryName(options.output));
}

std::string Compilation::pathOf(const OutputKind &kind) const {
  if (options.output.empty())
    return stem() + kind.suffix;
  if (isInFolder()) {
    llvm::SmallString<128> path(options.output);
    llvm::sys::path::append(path, stem() + kind.suffix);
    return path.str().str();
  }
  if (options.emit.size() == 1 || kind.name == "obj")
    return options.output;
  return headerNextTo(options.output);
}

bool Compilation::checkOutputOptions(Stage from) {
  if (options.emitAll)
    llvm::erase_if(options.emit, [&](llvm::StringRef name) {
      auto stage = name == "accounting" ? Stage::Graph : parseStage(name);
      return (stage && *stage < from) || !session.canMake(name);
    });
  for (llvm::StringRef name : options.emit)
    if (auto stage = parseStage(name); stage && *stage < from)
      return session.fail("--emit=" + name +
                          " is not available: the input is already at stage " +
                          stageName(from));
  if (llvm::is_contained(options.emit, "accounting") && from > Stage::Graph)
    return session.fail("--emit=accounting is computed at stage graph, but the "
                        "input is already at stage " +
                        stageName(from));
  llvm::StringRef output = options.output;
  if (output == "-" &&
      (options.emit.size() > 1 || !findOutputKind(options.emit[0])->isText))
    return session.fail("-o - supports a single text output, not --emit=" +
                        llvm::join(options.emit, ","));
  std::vector<std::string> objectAndHeader = {"obj", "header"};
  if (output.empty() || isInFolder() || options.emit.size() == 1 ||
      options.emit == objectAndHeader)
    return true;
  return session.fail(
      "-o " + output +
      " is one file, but --emit=" + llvm::join(options.emit, ",") +
      " writes several; for a directory write -o " + output + "/");
}

/// Finds the linker of a shared library before anything is compiled.
bool Compilation::checkLinker() {
  bool isShared = llvm::is_contained(options.emit, "obj") && !isInFolder() &&
                  objectFormatOf(options.output) == ObjectFormat::SharedLibrary;
  if (!isShared && !options.linker.empty())
    return session.fail(
        "--linker applies to shared libraries only: -o NAME.so");
  if (!isShared)
    return true;
  auto path = findLinker(options.linker, *options.platform);
  if (!path)
    return session.fail(llvm::toString(path.takeError()));
  linker = std::move(*path);
  return true;
}

/// The directory that -o names.
bool Compilation::makeFolder() {
  if (!isInFolder())
    return true;
  llvm::StringRef folder = options.output;
  std::error_code code = llvm::sys::fs::create_directories(folder);
  if (!code && !llvm::sys::fs::is_directory(folder))
    code = std::make_error_code(std::errc::not_a_directory);
  return !code || session.fail("cannot create the directory '" + folder +
                               "': " + code.message());
}

/// Each size of --size has to be one that some function reads.
bool Compilation::checkSizes() {
  for (const auto &size : options.sizes) {
    bool isRead = llvm::any_of(session.interfaces(), [&](const Interface &f) {
      return llvm::is_contained(f.runtimeSizes(), size.first().str());
    });
    if (!isRead)
      return session.fail("--size: there is no run-time size '" + size.first() +
                          "'");
  }
  return true;
}

/// While the module is at stage graph: --emit=accounting, and what --explain
/// tells of functions with weights.
bool Compilation::account() {
  bool isWanted = llvm::is_contained(options.emit, "accounting");
  bool isToldOf = options.explain && options.emit.back() != "spec" &&
                  session.stage() <= Stage::Graph;
  if (!isWanted && !isToldOf)
    return true;
  if (!session.advanceTo(Stage::Graph) || !checkSizes())
    return false;
  if (isWanted) {
    auto text = accountingJson(session.module(), session.interfaces(),
                               session.pipelineOptions(), options.sizes);
    if (mlir::failed(text))
      return false;
    accounting = std::move(*text);
  }
  if (isToldOf) {
    auto lines = accountingLines(session.module(), session.interfaces(),
                                 session.pipelineOptions(), options.sizes);
    if (mlir::failed(lines))
      return false;
    accounts = std::move(*lines);
  }
  return true;
}

/// What the object calls at run time besides libc, for the header's comment.
static std::vector<std::string> listLibraries(const Session &session) {
  std::vector<std::string> libraries;
  for (const Target *target : llvm::reverse(session.targets())) {
    llvm::StringRef name = getRuntimeLibrary(*target, session.platform()).name;
    if (!name.empty() && !llvm::is_contained(libraries, name))
      libraries.push_back(name.str());
  }
  return libraries;
}

bool Compilation::make(const OutputKind &kind, std::string &bytes) {
  llvm::raw_string_ostream os(bytes);
  if (kind.name == "accounting") {
    os << accounting;
    return true;
  }
  if (kind.name == "spec") {
    spec::printSpecs(os, session.specs());
    return true;
  }
  if (kind.name == "obj" || kind.name == "asm") {
    llvm::SmallString<0> object;
    if (!session.emit(kind.isText ? EmitKind::Assembly : EmitKind::Object,
                      object))
      return false;
    os << object;
    return true;
  }
  if (!parseStage(kind.name) && kind.name != "header")
    return session.printOutput(kind.name, os);
  if (kind.name == "header") {
    // The header's text names the kernels, which are known when scheduled.
    if (session.stage() < Stage::Scheduled &&
        !session.advanceTo(Stage::Scheduled))
      return false;
    std::vector<std::string> targets;
    for (const Target *target : llvm::reverse(session.targets()))
      targets.push_back(target->name.str()); // best first, as in the object
    os << emitHeader(stem(), session.interfaces(), targets,
                     listLibraries(session));
    return true;
  }
  if (!session.advanceTo(*parseStage(kind.name)))
    return false;
  session.print(os);
  return true;
}

/// Replaces the object by the archive or the library that `path` names.
bool Compilation::package(llvm::StringRef path, std::string &object) {
  ObjectFormat format = objectFormatOf(path);
  if (format == ObjectFormat::Object)
    return true;
  auto bytes =
      format == ObjectFormat::Archive
          ? makeArchive(object, stem() + ".o", session.platform())
          : linkShared(linker, object, llvm::sys::path::filename(path));
  if (!bytes)
    return session.fail(llvm::toString(bytes.takeError()));
  object = std::move(*bytes);
  return true;
}

bool Compilation::makeAll(Outputs &outputs) {
  if (!account())
    return false;
  for (llvm::StringRef name : options.emit) {
    std::string bytes;
    const OutputKind &kind = *findOutputKind(name);
    std::string path = pathOf(kind);
    if (!make(kind, bytes) || (name == "obj" && !package(path, bytes)) ||
        !addOutput(outputs, std::move(path), std::move(bytes)))
      return false;
  }
  return makeRemarks(outputs) && makeDependencies(outputs);
}

bool Compilation::addOutput(Outputs &outputs, std::string path,
                            std::string bytes) {
  if (path != "-" && options.input != "-" &&
      llvm::sys::fs::equivalent(path, options.input))
    return session.fail("the output '" + path + "' is the input");
  bool isShared = objectFormatOf(path) == ObjectFormat::SharedLibrary;
  outputs.add(std::move(path), std::move(bytes), isShared);
  return true;
}

bool Compilation::makeRemarks(Outputs &outputs) {
  if (options.remarks.empty())
    return true;
  std::string text;
  llvm::raw_string_ostream os(text);
  printRemarks(os, options.input, session.interfaces(), session.firstLines(),
               session.remarks());
  return addOutput(outputs, options.remarks, std::move(text));
}

/// A file's name in a rule of make.
static std::string inRule(llvm::StringRef path) {
  std::string result;
  for (char c : path) {
    if (c == ' ' || c == '#')
      result += '\\';
    if (c == '$')
      result += '$';
    result += c;
  }
  return result;
}

/// The rule of -MD: `OUTPUT...: INPUT...`.
bool Compilation::makeDependencies(Outputs &outputs) {
  if (!options.dependencies)
    return true;
  std::string rule, path = *options.dependencies;
  for (llvm::StringRef name : options.emit)
    rule += (rule.empty() ? "" : " ") + inRule(pathOf(*findOutputKind(name)));
  rule += ":";
  for (llvm::StringRef input :
       {llvm::StringRef(options.input), llvm::StringRef(options.scheduleText),
        llvm::StringRef(options.scheduleFile)})
    if (!input.empty() && input != "-")
      rule += " " + inRule(input);
  if (path.empty()) {
    llvm::SmallString<128> beside(
        pathOf(*findOutputKind(options.emit.front())));
    if (beside == "-")
      return session.fail(
          "-MD needs a file name when writing to standard output; "
          "add -MF FILE");
    llvm::sys::path::replace_extension(beside, ".d");
    path = beside.str().str();
  }
  return addOutput(outputs, std::move(path), rule + "\n");
}

int Compilation::run() {
  std::optional<Stage> named = stageOfName(options.input);
  if (!options.inputStage && !named)
    return session.fail("cannot determine the stage from the name '" +
                        options.input + "'; add -x STAGE: " + listStages()),
           2;
  Stage from = options.inputStage ? *options.inputStage : *named;
  std::string refusal = refuseForDump(options, from);
  if (!refusal.empty())
    return session.fail(refusal), 2;
  if (!checkOutputOptions(from))
    return 2;
  if (!checkLinker())
    return 1;
  if (options.time)
    session.startTiming();
  if (!session.load(from))
    return 1;
  refusal = refuseForTargets(options, session.targets());
  if (!refusal.empty())
    return session.fail(refusal), 2;
  session.pipelineOptions().printAfter = options.printAfter;
  session.pipelineOptions().printChanged = options.printChanged;
  session.pipelineOptions().crashAfter = options.crashAfter;
  std::optional<StageChecker> checker;
  if (options.checkStages) {
    // The standard output may be the place of the result.
    checker.emplace(session.pipelineOptions(),
                    options.output == "-" ? llvm::errs() : llvm::outs());
    checker->specs = session.specs();
    checker->dumpFolder = stem() + ".check-stages";
  }
  Outputs outputs;
  bool isMade = makeAll(outputs);
  if (options.explain)
    printExplanation(llvm::errs(), session.interfaces(), accounts,
                     session.firstLines(), session.remarks());
  if (!isMade || (checker && checker->failed()))
    return 1;
  if (!makeFolder())
    return 1;
  if (llvm::Error error = outputs.write())
    return session.fail(llvm::toString(std::move(error))), 1;
  return 0;
}

int runAttnc(int argc, const char *const *argv) {
  useColors(std::nullopt);
  Parsed<AttncOptions> parsed = parseAttncCommandLine(
      llvm::ArrayRef<const char *>(argv, argc).drop_front());
  if (parsed.exitCode)
    return finishTool("attnc", *parsed.exitCode);
  useColors(parsed.options.color);
  CrashReport crash("attnc", parsed.options);
  return finishTool(
      "attnc", runWithCrashReport(crash, [&] {
        return Compilation(std::move(parsed.options), crash).run();
      }));
}

} // namespace attnc
