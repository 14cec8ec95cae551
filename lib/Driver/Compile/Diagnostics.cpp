//===- Diagnostics.cpp - What the user gets to see ------------------------===//

#include "Compile/Diagnostics.h"

#include "attnc/Interface/Remark.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc {

void useColors(std::optional<bool> color) {
  auto unwanted = llvm::sys::Process::GetEnv("NO_COLOR");
  bool isTerminal = llvm::sys::Process::StandardErrHasColors();
  llvm::errs().enable_colors(
      color.value_or(isTerminal && (!unwanted || unwanted->empty())));
}

SourceDiagnostics makeDiagnostics(const llvm::SourceMgr &sources,
                                  const CommonOptions &options) {
  SourceDiagnostics diagnostics(sources);
  diagnostics.hideWarnings(options.hiddenWarnings);
  if (options.warningsAreErrors)
    diagnostics.makeWarningsErrors();
  return diagnostics;
}

/// The first place in a file that a location holds; null if it has none.
static FileLineColRange fileLocation(Location location) {
  FileLineColRange found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColRange>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// The place in a buffer of `sources`; invalid if there is none.
static llvm::SMRange rangeOf(const llvm::SourceMgr &sources,
                             FileLineColRange location) {
  if (!location || !sources.getNumBuffers())
    return {};
  unsigned found = 0; // each --set is a buffer of that name
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id)
    if (sources.getMemoryBuffer(id)->getBufferIdentifier() ==
        location.getFilename().getValue()) {
      if (found)
        return {};
      found = id;
    }
  if (!found)
    return {};
  llvm::SMLoc begin =
      const_cast<llvm::SourceMgr &>(sources).FindLocForLineAndColumn(
          found, location.getStartLine(), /*ColNo=*/1);
  if (!begin.isValid())
    return {};
  // With the column, the call would give nothing behind a carriage return.
  llvm::StringRef rest(begin.getPointer(),
                       sources.getMemoryBuffer(found)->getBufferEnd() -
                           begin.getPointer());
  size_t column = std::max(location.getStartColumn(), 1u) - 1;
  if (column > rest.find('\n') || column > rest.size())
    return {};
  auto at = llvm::SMLoc::getFromPointer(begin.getPointer() + column);
  return {at, at};
}

/// Takes "[kind]" from the end of a text.
static std::string takeKind(llvm::StringRef &text) {
  size_t begin = text.rfind(" [");
  if (begin == llvm::StringRef::npos || !text.ends_with("]"))
    return "";
  std::string kind = text.substr(begin + 2).drop_back().str();
  if (!llvm::all_of(kind, [](char c) { return c == '-' || llvm::isAlpha(c); }))
    return "";
  text = text.take_front(begin);
  return kind;
}

DiagnosticPrinter::DiagnosticPrinter(const llvm::SourceMgr &sources,
                                     MLIRContext *context,
                                     const CommonOptions &options)
    : ScopedDiagnosticHandler(context), sources(sources), options(options) {
  setHandler([this](Diagnostic &diagnostic) { handle(diagnostic); });
}

/// The op that the parser's message about an unknown one probably means; empty
/// for other messages, such as those about the attributes of a known op.
static std::string similarOp(MLIRContext *context, llvm::StringRef text) {
  auto [name, problem] = text.split('\'').second.split('\'');
  bool isUnknown =
      text.starts_with("unregistered operation '") ||
      (text.starts_with("custom op '") && problem.starts_with(" is unknown"));
  if (!isUnknown)
    return "";
  std::string best;
  unsigned distance = name.size() / 3 + 1;
  for (RegisteredOperationName known : context->getRegisteredOperations())
    if (unsigned d = name.edit_distance(known.getStringRef()); d < distance) {
      distance = d;
      best = known.getStringRef().str();
    }
  return best;
}

/// The text of an error of MLIR's generated parsers in words of the dump: they
/// name C++ types, "failed to parse Tile_CpuAttr parameter 'isa' which is to be
/// a `::attnc::tile::CpuIsa`". Other texts stay.
static std::string translateParserError(llvm::StringRef text) {
  llvm::StringRef rest = text;
  if (rest.consume_front("failed to parse "))
    if (auto [type, field] = rest.split(" parameter '"); !field.empty())
      return ("invalid value of the field '" + field.split('\'').first + "'")
          .str();
  if (rest.starts_with("expected ::"))
    if (auto [type, values] = rest.split(" to be one of: "); !values.empty())
      return ("expected one of " + values).str();
  if (rest.consume_front("duplicate or unknown struct parameter name: "))
    return ("unknown or repeated field '" + rest + "'").str();
  if (rest.consume_front("struct is missing required parameter: "))
    return ("missing the field '" + rest + "'").str();
  return text.str();
}

/// Whether a warning was given at this place before, or, if its place is the
/// begin of the file (an op that no formula made), anywhere.
bool DiagnosticPrinter::isRepeated(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Warning)
    return false;
  std::string text = diagnostic.str(), place;
  FileLineColRange location = fileLocation(diagnostic.getLocation());
  bool isWhole = !location || (location.getStartLine() == 1 &&
                               location.getStartColumn() == 1);
  if (isWhole && warned.contains(text))
    return true;
  llvm::raw_string_ostream(place) << diagnostic.getLocation() << text;
  warned.insert(text);
  return !warned.insert(place).second;
}

void DiagnosticPrinter::handle(Diagnostic &diagnostic) {
  if (isRepeated(diagnostic))
    return;
  std::string whole = diagnostic.str();
  llvm::StringRef text = whole;
  std::string kind = takeKind(text);
  FileLineColRange location = fileLocation(diagnostic.getLocation());
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
    unsigned line = location ? location.getStartLine() : 0;
    unsigned column = location ? location.getStartColumn() : 0;
    remarkList.push_back({line, column, std::move(kind), text.str(),
                          bodyOf(diagnostic),
                          describeKernel(diagnostic.getLocation()), part});
    return;
  }
  if (!pending)
    pending.emplace(makeDiagnostics(sources, options));
  llvm::SMRange range = rangeOf(sources, location);
  bool isWarning = diagnostic.getSeverity() == DiagnosticSeverity::Warning;
  if (!isWarning && kind.empty() && specIsRead && range.isValid())
    kind = "unsupported";
  SourceDiagnostic &shown =
      isWarning ? pending->warning(kind, range, text)
                : pending->error(kind, range, translateParserError(text));
  if (location && !range.isValid())
    shown.note("at " + location.getFilename().getValue() + ":" +
               llvm::Twine(location.getStartLine()) + ":" +
               llvm::Twine(location.getStartColumn()));
  if (std::string op = similarOp(diagnostic.getLocation().getContext(), text);
      !op.empty())
    shown.note("did you mean '" + op + "'?");
  for (Diagnostic &note : diagnostic.getNotes()) {
    if (std::string fix = note.str();
        llvm::StringRef(fix).starts_with("fix: ")) {
      shown.fix(llvm::StringRef(fix).drop_front(5));
      continue;
    }
    llvm::SMRange place = rangeOf(sources, fileLocation(note.getLocation()));
    if (place.isValid() && place.Start != range.Start)
      shown.note(place, note.str());
    else
      shown.note(note.str());
  }
  hasFailed |= pending->errors() != 0;
}

void DiagnosticPrinter::print() {
  if (pending)
    pending->print(llvm::errs());
  pending.reset();
}

} // namespace attnc
