//===- attnc-spec-check.cpp - The spec front end alone --------------------===//
//
//   attnc-spec-check FILE [--set KEY=VALUE]...   canonical text on stdout,
//                                                diagnostics on stderr
//   attnc-spec-check FILE --json                 the description instead
//   attnc-spec-check FILE --round-trip           reads its own output again and
//                                                compares the two texts
//   attnc-spec-check --reference                 docs/spec-reference.md
//
// Exit codes: 0 done, 1 refused, 2 wrong command line.
//
//===----------------------------------------------------------------------===//

#include "attnc/Spec/Parse.h"
#include "attnc/Spec/Print.h"
#include "attnc/Spec/Reference.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace attnc;

namespace {
struct Options {
  StringRef file;
  std::vector<std::string> overrides;
  bool json = false, roundTrip = false;
};
} // namespace

static std::optional<std::string> print(std::unique_ptr<MemoryBuffer> buffer,
                                        const Options &options,
                                        ArrayRef<std::string> overrides) {
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  SourceDiagnostics diagnostics(sources);
  auto specs = spec::parseSpecs(sources, diagnostics, overrides);
  diagnostics.print(errs());
  if (!specs)
    return std::nullopt;
  std::string text;
  raw_string_ostream os(text);
  if (!options.json)
    spec::printSpecs(os, *specs);
  else
    for (const spec::AttentionSpec &spec : *specs)
      os << formatv("{0:2}\n", spec::describeSpec(spec));
  return text;
}

static int run(const Options &options) {
  auto file = MemoryBuffer::getFileOrSTDIN(options.file);
  if (!file) {
    errs() << "attnc-spec-check: error: " << options.file << ": "
           << file.getError().message() << '\n';
    return 1;
  }
  // Only the file's name: diagnostics do not depend on the folder.
  auto named = MemoryBuffer::getMemBufferCopy(
      (*file)->getBuffer(), sys::path::filename(options.file));
  auto text = print(std::move(named), options, options.overrides);
  if (!text)
    return 1;
  outs() << *text;
  if (!options.roundTrip)
    return 0;
  auto again = print(MemoryBuffer::getMemBuffer(*text, "again"), options, {});
  if (again == text)
    return 0;
  errs() << "error: the text does not read back as the same spec\n"
         << again.value_or("");
  return 1;
}

int main(int argc, char **argv) {
  errs().enable_colors(false); // tests compare whole outputs
  Options options;
  for (int i = 1; i < argc; ++i) {
    StringRef argument = argv[i];
    if (argument == "--reference") {
      spec::printReference(outs());
      return 0;
    }
    if (argument == "--set" && i + 1 < argc)
      options.overrides.push_back(argv[++i]);
    else if (argument == "--json")
      options.json = true;
    else if (argument == "--round-trip")
      options.roundTrip = true;
    else if (!argument.starts_with("--") && options.file.empty())
      options.file = argument;
    else
      return 2;
  }
  return options.file.empty() ? 2 : run(options);
}
