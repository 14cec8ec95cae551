//===- ScheduleFile.cpp - Read and write schedule files -------------------===//

#include "attnc/Spec/ScheduleFile.h"

#include "Diagnostic/Report.h"
#include "Yaml/Yaml.h"

#include "attnc/Support/Nearest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;

namespace attnc::spec {

static constexpr StringLiteral currentVersion = "1";
static constexpr StringRef fileKeys[] = {"attnc-schedules", "compiler",
                                         "fingerprint", "kernels"};
static constexpr StringRef entryKeys[] = {
    "kernel",    "cpu",       "schedule",     "sizes",
    "threads",   "processor", "milliseconds", "automatic-milliseconds",
    "candidates"};
static constexpr StringRef candidateKeys[] = {"schedule", "relative-time"};

namespace {
class FileReader {
public:
  explicit FileReader(Report &report) : report(report) {}
  ScheduleFile read(const YamlNode &document);

private:
  bool checkMap(const YamlNode &node, StringRef what, ArrayRef<StringRef> keys);
  const YamlEntry *find(const YamlNode &map, StringRef key, bool isRequired);
  SMRange readText(const YamlNode &map, StringRef key, std::string &to,
                   bool isRequired = false);
  SMRange readSchedule(const YamlNode &map, std::string &to, bool isRequired);
  void readNumber(const YamlNode &map, StringRef key, double &to,
                  bool isRequired = false);
  ArrayRef<YamlNode> readList(const YamlNode &map, StringRef key,
                              bool isRequired);
  void readEntry(const YamlNode &node, ScheduleFile &file);

  Report &report;
};
} // namespace

/// Whether a node is a map; keys that are none of `keys` are reported.
bool FileReader::checkMap(const YamlNode &node, StringRef what,
                          ArrayRef<StringRef> keys) {
  if (node.kind != YamlNode::Map) {
    report.error(Message::ScheduleFileMap, node.range, {what.str()})
        .note("keys: " + join(keys, ", "));
    return false;
  }
  for (const YamlEntry &entry : node.map) {
    if (is_contained(keys, entry.key.text))
      continue;
    auto &error =
        report.error(Message::UnknownKey, entry.key.range, {entry.key.text});
    StringRef similar = nearest(entry.key.text, keys);
    if (similar.empty())
      error.note("keys of " + what + ": " + join(keys, ", "));
    else
      error.fix(similar);
  }
  return true;
}

const YamlEntry *FileReader::find(const YamlNode &map, StringRef key,
                                  bool isRequired) {
  auto found = find_if(
      map.map, [&](const YamlEntry &entry) { return entry.key.text == key; });
  if (found != map.map.end())
    return &*found;
  if (isRequired)
    report.error(Message::MissingKey, map.range, {key.str()});
  return nullptr;
}

/// The place of the text; invalid if there is none.
SMRange FileReader::readText(const YamlNode &map, StringRef key,
                             std::string &to, bool isRequired) {
  const YamlEntry *entry = find(map, key, isRequired);
  if (!entry)
    return {};
  const YamlNode &value = entry->value;
  if (value.kind == YamlNode::Scalar && !value.text.empty()) {
    to = value.text;
    return value.range;
  }
  if (value.kind == YamlNode::List || value.kind == YamlNode::Map) {
    report.error(
        Message::OneValue, value.range,
        {key.str(), value.kind == YamlNode::List ? "a list" : "a map"});
    return {};
  }
  auto &error =
      report.error(Message::EmptyValue, entry->key.range, {key.str()});
  if (key == "schedule")
    error.note("'#' starts a comment: quote the attribute");
  return {};
}

SMRange FileReader::readSchedule(const YamlNode &map, std::string &to,
                                 bool isRequired) {
  SMRange range = readText(map, "schedule", to, isRequired);
  if (range.isValid() && !(StringRef(to).starts_with("#attn.schedule<") &&
                           StringRef(to).ends_with(">")))
    report.error(Message::Schedule, range);
  return range;
}

void FileReader::readNumber(const YamlNode &map, StringRef key, double &to,
                            bool isRequired) {
  std::string text;
  SMRange range = readText(map, key, text, isRequired);
  if (!range.isValid())
    return;
  if (StringRef(text).getAsDouble(to) || !(to > 0) || !std::isfinite(to))
    report.error(Message::ScheduleFileNumber, range, {key.str(), text});
}

ArrayRef<YamlNode> FileReader::readList(const YamlNode &map, StringRef key,
                                        bool isRequired) {
  const YamlEntry *entry = find(map, key, isRequired);
  if (!entry)
    return {};
  if (entry->value.kind != YamlNode::List)
    report.error(Message::ScheduleFileList, entry->key.range, {key.str()});
  return entry->value.list;
}

void FileReader::readEntry(const YamlNode &node, ScheduleFile &file) {
  if (!checkMap(node, "an entry of 'kernels'", entryKeys))
    return;
  ScheduleEntry entry;
  entry.kernelRange = readText(node, "kernel", entry.kernel, true);
  entry.cpuRange = readText(node, "cpu", entry.cpu, true);
  readText(node, "sizes", entry.sizes);
  readText(node, "processor", entry.processor);
  std::string threads;
  SMRange at = readText(node, "threads", threads);
  if (at.isValid() &&
      (StringRef(threads).getAsInteger(10, entry.threads) || entry.threads < 1))
    report.error(Message::ScheduleFileNumber, at, {"threads", threads});
  readNumber(node, "milliseconds", entry.milliseconds);
  readNumber(node, "automatic-milliseconds", entry.automaticMilliseconds);
  for (const YamlNode &item : readList(node, "candidates", false)) {
    if (!checkMap(item, "a candidate", candidateKeys))
      continue;
    MeasuredSchedule &measured = entry.candidates.emplace_back();
    readSchedule(item, measured.schedule, true);
    readNumber(item, "relative-time", measured.relativeTime, true);
  }
  // Tuning that was interrupted has measured some, but chosen none.
  bool isWritten = entry.candidates.empty();
  entry.scheduleRange = readSchedule(node, entry.schedule, isWritten);
  if (const ScheduleEntry *other = file.find(entry.kernel, entry.cpu))
    report
        .error(Message::ScheduleFileRepeated, entry.kernelRange,
               {entry.kernel, entry.cpu})
        .note(other->kernelRange, "the other entry is here");
  file.kernels.push_back(std::move(entry));
}

ScheduleFile FileReader::read(const YamlNode &document) {
  ScheduleFile file;
  std::string version;
  SMRange range;
  if (document.kind == YamlNode::Map) {
    range = readText(document, "attnc-schedules", version, true);
    if (!range.isValid())
      return file; // of another kind, such as a spec
    if (version != currentVersion)
      report.error(Message::ScheduleFileVersion, range,
                   {currentVersion.str(), version});
  }
  if (!checkMap(document, "a schedule file", fileKeys))
    return file;
  readText(document, "compiler", file.compiler);
  file.fingerprintRange = readText(document, "fingerprint", file.fingerprint);
  for (const YamlNode &node : readList(document, "kernels", true))
    readEntry(node, file);
  return file;
}

ScheduleEntry *ScheduleFile::find(StringRef kernel, StringRef cpu) {
  auto found = find_if(kernels, [&](const ScheduleEntry &entry) {
    return entry.kernel == kernel && entry.cpu == cpu;
  });
  return found == kernels.end() ? nullptr : &*found;
}

std::optional<ScheduleFile> parseScheduleFile(const SourceMgr &sources,
                                              unsigned buffer,
                                              SourceDiagnostics &diagnostics) {
  Report report(diagnostics);
  unsigned before = report.foundErrors();
  StringRef text = sources.getMemoryBuffer(buffer)->getBuffer();
  std::vector<YamlNode> documents;
  if (!readYaml(text, report, documents))
    return std::nullopt;
  SMLoc start = SMLoc::getFromPointer(text.data());
  if (documents.size() != 1) {
    report.error(Message::ScheduleFileMap, {start, start}, {"a schedule file"})
        .note("keys: " + join(ArrayRef(fileKeys), ", "));
    return std::nullopt;
  }
  ScheduleFile file = FileReader(report).read(documents.front());
  if (report.foundErrors() != before)
    return std::nullopt;
  return file;
}

void printScheduleFile(raw_ostream &os, const ScheduleFile &file) {
  os << "# Schedules that attnc-run --tune measured. attnc and attnc-run "
        "apply\n"
        "# them with --schedule-file. A relative time is divided by that of\n"
        "# the automatic choice.\n"
     << "attnc-schedules: " << currentVersion << '\n'
     << "compiler: " << file.compiler << '\n'
     << "fingerprint: " << file.fingerprint << '\n'
     << "kernels:" << (file.kernels.empty() ? " []" : "") << '\n';
  for (const ScheduleEntry &entry : file.kernels) {
    os << "  - kernel: " << entry.kernel << "\n    cpu: " << entry.cpu << '\n';
    if (!entry.schedule.empty())
      os << "    schedule: '" << entry.schedule << "'\n";
    os << "    sizes: '" << entry.sizes << "'\n    threads: " << entry.threads
       << "\n    processor: '" << entry.processor << "'\n";
    if (!entry.schedule.empty())
      os << formatv("    milliseconds: {0:F6}\n"
                    "    automatic-milliseconds: {1:F6}\n",
                    entry.milliseconds, entry.automaticMilliseconds);
    os << "    candidates:" << (entry.candidates.empty() ? " []" : "") << '\n';
    for (const MeasuredSchedule &measured : entry.candidates)
      os << "      - schedule: '" << measured.schedule << "'\n"
         << formatv("        relative-time: {0:F3}\n", measured.relativeTime);
  }
}

} // namespace attnc::spec
