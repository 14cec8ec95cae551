//===- SourceDiagnostics.cpp - Errors that point into a text --------------===//
//
// Own printing, not SMDiagnostic's: notes stand behind the caret, a line with
// tabs, control characters, text that is not ASCII, or a great length still
// gets its caret at the right place, and the order is that of the file.
//
//===----------------------------------------------------------------------===//

#include "attnc/Support/SourceDiagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <tuple>

using namespace llvm;

namespace attnc {

SourceDiagnostic &SourceDiagnostic::note(const Twine &text) {
  remarks.push_back({("note: " + text).str(), {}});
  return *this;
}

SourceDiagnostic &SourceDiagnostic::note(SMRange place, const Twine &text) {
  remarks.push_back({("note: " + text).str(), place});
  return *this;
}

SourceDiagnostic &SourceDiagnostic::fix(const Twine &text) {
  std::string words = text.str();
  if (!words.empty())
    remarks.push_back({"fix: " + words, {}});
  return *this;
}

SourceDiagnostic &SourceDiagnostics::error(StringRef id, SMRange range,
                                           const Twine &message) {
  std::string text = message.str();
  ++foundCount;
  if (!told.insert({range.Start.getPointer(), text}).second)
    return repeated.emplace_back(SourceDiagnostic::Severity::Error, id, range,
                                 message);
  ++errorCount;
  return diagnostics.emplace_back(SourceDiagnostic::Severity::Error, id, range,
                                  message);
}

SourceDiagnostic &SourceDiagnostics::warning(StringRef id, SMRange range,
                                             const Twine &message) {
  if (is_contained(hidden, id))
    return repeated.emplace_back(SourceDiagnostic::Severity::Warning, id, range,
                                 message);
  if (warningsAreErrors)
    return error(id, range, message);
  ++warningCount;
  return diagnostics.emplace_back(SourceDiagnostic::Severity::Warning, id,
                                  range, message);
}

std::vector<const SourceDiagnostic *> SourceDiagnostics::sorted() const {
  // The last component keeps the order of what is said about one place.
  using Place = std::tuple<unsigned, const char *, size_t>;
  std::vector<std::pair<Place, const SourceDiagnostic *>> places;
  for (const SourceDiagnostic &d : diagnostics) {
    SMLoc at = d.range.Start;
    unsigned buffer = at.isValid() ? sources.FindBufferContainingLoc(at) : 0;
    places.push_back({{buffer, at.getPointer(), places.size()}, &d});
  }
  llvm::sort(places, less_first());
  std::vector<const SourceDiagnostic *> order;
  for (auto &[place, d] : places)
    order.push_back(d);
  return order;
}

namespace {
/// The line around a place, made printable.
struct ShownLine {
  std::string text;
  unsigned caret = 0; // column of the range, in characters
  unsigned width = 1;
};
} // namespace

/// Whether a byte begins a character: not a continuation byte of UTF-8.
static bool beginsCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

static unsigned countCharacters(StringRef text) {
  return count_if(text, beginsCharacter);
}

/// Of a longer line this many bytes are shown, and fewer before the place.
static constexpr size_t shownBytes = 160, shownBefore = 120;

/// Bytes of a byte order mark, which is no part of the first line.
static size_t markBytes(StringRef buffer) {
  return buffer.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

/// The text with '?' for control characters and for bytes that are not UTF-8.
static std::string printable(StringRef text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    const auto *at = reinterpret_cast<const UTF8 *>(text.data() + i);
    size_t bytes = getNumBytesForUTF8(*at);
    bool isLegal =
        i + bytes <= text.size() && isLegalUTF8Sequence(at, at + bytes);
    if (!isLegal)
      bytes = 1;
    if (!isLegal || (c >= 0 && c < 32) || c == 127)
      result += c == '\r' ? "" : c == '\t' ? " " : "?";
    else
      result += text.substr(i, bytes);
    i += bytes;
  }
  return result;
}

static ShownLine showLine(StringRef buffer, SMRange range) {
  size_t begin = range.Start.getPointer() - buffer.data();
  size_t lineBegin = buffer.substr(0, begin).rfind('\n') + 1;
  if (!lineBegin)
    lineBegin = std::min(markBytes(buffer), begin);
  size_t lineEnd = std::min(buffer.find('\n', begin), buffer.size());
  size_t end = begin;
  if (range.End.isValid())
    end = std::clamp<size_t>(range.End.getPointer() - buffer.data(), begin,
                             lineEnd);
  bool cutLeft = begin - lineBegin > shownBefore;
  if (cutLeft)
    for (lineBegin = begin - shownBefore / 2;
         lineBegin < begin && !beginsCharacter(buffer[lineBegin]);)
      ++lineBegin;
  bool cutRight = lineEnd - lineBegin > shownBytes;
  if (cutRight)
    lineEnd = lineBegin + shownBytes;
  end = std::min(end, lineEnd);

  ShownLine line;
  line.text = cutLeft ? "..." : "";
  line.caret =
      line.text.size() + countCharacters(buffer.slice(lineBegin, begin));
  line.width = std::max(1u, countCharacters(buffer.slice(begin, end)));
  line.text += printable(buffer.slice(lineBegin, lineEnd));
  if (cutRight)
    line.text += "...";
  return line;
}

static void printPlace(raw_ostream &os, const SourceMgr &sources, SMLoc at) {
  unsigned id = sources.FindBufferContainingLoc(at);
  auto [line, column] = sources.getLineAndColumn(at, id);
  size_t mark = markBytes(sources.getMemoryBuffer(id)->getBuffer());
  if (line == 1 && column > mark)
    column -= mark;
  os << sources.getMemoryBuffer(id)->getBufferIdentifier() << ':' << line << ':'
     << column << ": ";
}

void SourceDiagnostics::print(raw_ostream &os,
                              const SourceDiagnostic &d) const {
  bool isError = d.severity == SourceDiagnostic::Severity::Error;
  bool located =
      d.range.Start.isValid() && sources.FindBufferContainingLoc(d.range.Start);
  if (located)
    printPlace(os, sources, d.range.Start);
  else if (sources.getNumBuffers())
    os << sources.getMemoryBuffer(sources.getMainFileID())
              ->getBufferIdentifier()
       << ": ";
  os.changeColor(isError ? raw_ostream::RED : raw_ostream::MAGENTA,
                 /*Bold=*/true)
      << (isError ? "error: " : "warning: ");
  os.resetColor() << d.message;
  if (!d.id.empty())
    os << " [" << d.id << ']';
  os << '\n';

  bool first = true;
  unsigned indent = 0;
  if (located) {
    unsigned id = sources.FindBufferContainingLoc(d.range.Start);
    unsigned number = sources.getLineAndColumn(d.range.Start, id).first;
    ShownLine line =
        showLine(sources.getMemoryBuffer(id)->getBuffer(), d.range);
    os << format("%5u | ", number) << StringRef(line.text).rtrim() << '\n';
    os << "      | " << std::string(line.caret, ' ');
    os.changeColor(raw_ostream::GREEN, /*Bold=*/true)
        << '^' << std::string(line.width - 1, '~');
    os.resetColor();
    indent = line.caret + line.width;
  }
  for (const SourceDiagnostic::Remark &remark : d.remarks) {
    if (remark.range.isValid())
      continue;
    if (!first || !located)
      os << "      | " << std::string(indent, ' ');
    os << (located ? " " : "") << remark.text << '\n';
    first = false;
  }
  if (first && located)
    os << '\n';
  for (const SourceDiagnostic::Remark &remark : d.remarks)
    if (remark.range.isValid() &&
        sources.FindBufferContainingLoc(remark.range.Start)) {
      printPlace(os, sources, remark.range.Start);
      os << remark.text << '\n';
    }
}

void SourceDiagnostics::print(raw_ostream &os) const {
  unsigned shown = 0;
  for (const SourceDiagnostic *d : sorted()) {
    if (d->severity == SourceDiagnostic::Severity::Error &&
        ++shown > shownErrors)
      continue;
    print(os, *d);
  }
  if (!errorCount)
    return;
  os << errorCount << (errorCount == 1 ? " error" : " errors");
  if (errorCount > shownErrors)
    os << ", the first " << shownErrors << " are shown";
  os << '\n';
}

} // namespace attnc
