//===- Parse.cpp - From text to specs -------------------------------------===//

#include "attnc/Spec/Parse.h"

#include "Language/ForeignWords.h"
#include "Reader/SpecReader.h"
#include "Yaml/ForeignFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace attnc::spec {

/// Where in a value, outside of brackets, `,KEY=` begins; 0 if nowhere.
static size_t secondOverride(StringRef value) {
  int depth = 0;
  for (auto [i, c] : enumerate(value)) {
    depth += StringRef("([{").contains(c);
    depth -= StringRef(")]}").contains(c);
    if (c != ',' || depth)
      continue;
    auto [key, rest] = value.drop_front(i + 1).split('=');
    if (findKey(key.trim()))
      return i;
  }
  return 0;
}

/// `KEY=VALUE` as an entry of a document.
static bool readOverride(SourceMgr &sources, StringRef text, Report &report,
                         std::vector<YamlEntry> &overrides) {
  unsigned id = sources.AddNewSourceBuffer(
      MemoryBuffer::getMemBufferCopy(text, "--set"), SMLoc());
  StringRef line = sources.getMemoryBuffer(id)->getBuffer();
  auto at = [&](size_t begin, size_t end) {
    return SMRange(SMLoc::getFromPointer(line.data() + begin),
                   SMLoc::getFromPointer(line.data() + end));
  };
  size_t equals = line.find('=');
  if (equals == StringRef::npos || equals == 0) {
    report.error(Message::Override, at(0, line.size()));
    return false;
  }
  StringRef name = line.take_front(equals).rtrim();
  StringRef value = line.drop_front(equals + 1).ltrim(' ');
  if (!findKey(name)) {
    reportUnknownKey(report,
                     {name, value, at(0, name.size()), at(0, line.size()), "="},
                     [](StringRef) { return false; });
    return false;
  }
  if (size_t next = secondOverride(value)) {
    report.error(Message::OverrideOne, at(0, line.size()))
        .fix("--set " + (name + "=" + value.take_front(next)).str() +
             " --set " + value.drop_front(next + 1).trim().str());
    return false;
  }
  std::vector<YamlNode> values;
  if (!readYaml(value, report, values))
    return false;
  if (values.size() != 1) {
    report.error(Message::EmptyValue, at(0, name.size()), {name.str()});
    return false;
  }
  YamlEntry entry;
  entry.key.kind = YamlNode::Scalar;
  entry.key.text = name.str();
  entry.key.range = at(0, name.size());
  entry.key.verbatim = true;
  entry.value = std::move(values[0]);
  erase_if(overrides, [&](const YamlEntry &other) {
    return other.key.text == entry.key.text; // the last one counts
  });
  overrides.push_back(std::move(entry));
  return true;
}

/// Functions of one object must not share a name, nor the names made from it.
static bool checkNames(ArrayRef<AttentionSpec> specs, Report &report) {
  bool good = true;
  for (auto [i, spec] : enumerate(specs))
    for (const AttentionSpec &other : specs.take_front(i)) {
      bool clash = false;
      for (StringRef suffix : {"", "_raw", "_workspace", "_describe"})
        clash |= spec.name == (other.name + suffix).str() ||
                 other.name == (spec.name + suffix).str();
      if (!clash)
        continue;
      report.error(Message::DuplicateName, spec.nameRange, {spec.name})
          .note(other.nameRange, "the other function is named here");
      good = false;
    }
  return good;
}

std::optional<std::vector<AttentionSpec>>
parseSpecs(SourceMgr &sources, SourceDiagnostics &diagnostics,
           ArrayRef<std::string> overrides) {
  Report report(diagnostics);
  const MemoryBuffer &buffer =
      *sources.getMemoryBuffer(sources.getMainFileID());
  if (reportForeignFile(buffer.getBuffer(), report))
    return std::nullopt;
  std::vector<YamlNode> documents;
  bool good = readYaml(buffer.getBuffer(), report, documents);
  std::vector<YamlEntry> entries;
  for (const std::string &text : overrides)
    good &= readOverride(sources, text, report, entries);
  if (good && documents.empty()) {
    const char *start = buffer.getBufferStart();
    report
        .error(Message::EmptySpec,
               {SMLoc::getFromPointer(start), SMLoc::getFromPointer(start)})
        .note("a minimal spec has three lines: attnc: 1, heads: 12, "
              "head_dim: 64");
    good = false;
  }
  std::vector<AttentionSpec> specs;
  std::string name = nameOfFile(buffer.getBufferIdentifier());
  for (const YamlNode &document : documents) {
    SpecReader reader(report, name);
    if (auto spec = reader.read(document, entries))
      specs.push_back(std::move(*spec));
  }
  if (good)
    good = checkNames(specs, report);
  if (report.errors())
    return std::nullopt;
  return specs;
}

} // namespace attnc::spec
