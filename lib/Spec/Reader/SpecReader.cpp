//===- SpecReader.cpp - One YAML document into one spec -------------------===//

#include "Reader/SpecReader.h"

#include "Language/ForeignWords.h"
#include "Proof/Prover.h"

#include "attnc/Support/CWords.h"
#include "attnc/Support/Nearest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace attnc::spec {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A value must stand on one line as it is, so that a caret can point into it.
bool SpecReader::needLine(const YamlNode &node) {
  if (node.verbatim)
    return true;
  report.error(Message::YamlLines, node.range);
  return false;
}

/// The texts of a list on one line; empty if one is no plain text.
static std::string joined(ArrayRef<YamlNode> list, StringRef separator) {
  constexpr size_t mostItems = 8;
  if (list.size() > mostItems)
    return "";
  std::string text;
  for (const YamlNode &item : list) {
    bool isPlain = item.kind == YamlNode::Scalar && item.verbatim;
    if (!isPlain || StringRef(item.range.End.getPointer()).find(']') >
                        StringRef(item.range.End.getPointer()).find('\n'))
      return "";
    bool isOr = StringRef(item.text).contains(" or ");
    text += (text.empty() ? "" : separator.str()) +
            (isOr ? "(" + item.text + ")" : item.text);
  }
  return text;
}

bool SpecReader::needScalar(const YamlEntry &entry) {
  const YamlNode &value = entry.value;
  if (value.kind == YamlNode::Scalar && !value.text.empty())
    return needLine(value);
  if (value.kind == YamlNode::Null || value.kind == YamlNode::Scalar) {
    report.error(Message::EmptyValue, entry.key.range, {entry.key.text});
    return false;
  }
  bool isList = value.kind == YamlNode::List;
  std::string conjunction =
      isList && entry.key.text == "mask" ? joined(value.list, " and ") : "";
  SMRange range = value.range;
  if (!conjunction.empty()) // the list as a whole
    range.End = SMLoc::getFromPointer(
        value.list.back().range.End.getPointer() +
        StringRef(value.list.back().range.End.getPointer()).find(']') + 1);
  report
      .error(Message::OneValue, range,
             {entry.key.text, isList ? "a list" : "a map"})
      .fix(conjunction);
  return false;
}

bool SpecReader::needMap(const YamlEntry &entry) {
  if (entry.value.kind == YamlNode::Map)
    return true;
  report.error(entry.value.kind == YamlNode::Null ? Message::EmptyValue
                                                  : Message::NeedsMap,
               entry.value.kind == YamlNode::Null ? entry.key.range
                                                  : entry.value.range,
               {entry.key.text});
  return false;
}

/// 0 .. maxSize.
std::optional<int64_t> SpecReader::readCount(const YamlNode &node) {
  int64_t value;
  if (node.kind == YamlNode::Scalar &&
      !StringRef(node.text).getAsInteger(10, value) && value >= 0 &&
      value <= maxSize)
    return value;
  report.error(Message::Count, node.range,
               {node.kind == YamlNode::Scalar ? "'" + node.text + "'"
                                              : std::string("this")});
  return std::nullopt;
}

/// A name that the header cannot use.
static bool isReservedWord(StringRef name) {
  return isCWord(name) || name.starts_with("attnc_") ||
         name.starts_with("ATTNC_");
}

std::string nameOfFile(StringRef file) {
  std::string name;
  for (char c : sys::path::stem(file))
    name += isAlnum(c) || c == '_' ? c : '_';
  if (file == "-" || file == "<stdin>" || name.empty())
    return "attention";
  if (isDigit(name[0]))
    name = "_" + name;
  return isReservedWord(name) || isCFunction(name) ? "spec_" + name : name;
}

/// The name of a size or an input: it becomes a field and a parameter in C.
bool SpecReader::checkNewName(StringRef name, SMRange range) {
  if (!isIdentifier(name)) {
    report.error(Message::BadName, range, {name.str()});
    return false;
  }
  StringRef taken = takenBy(name);
  static constexpr StringLiteral header[] = {"size", "runtime", "threads",
                                             "args"};
  if (isReservedWord(name) || is_contained(header, name) ||
      name.ends_with("_strides"))
    taken = "C, C++ or the generated header";
  if (!taken.empty()) {
    report.error(Message::TakenName, range, {name.str(), taken.str()});
    return false;
  }
  for (const Size &size : spec.sizes)
    if (size.name == name) {
      report.error(Message::TakenName, range, {name.str(), "a size"});
      return false;
    }
  if (auto entry = use.let.find(name.str()); entry != use.let.end()) {
    report.error(Message::TakenName, range, {name.str(), "an entry of 'let'"})
        .note(entry->second.range, "defined here");
    return false;
  }
  for (const Input &input : spec.inputs)
    if (input.name == name) {
      report.error(Message::TakenName, range, {name.str(), "an input"})
          .note(input.nameRange, "declared here");
      return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

const YamlEntry *SpecReader::entry(Key key) const {
  auto found = keys.find(key);
  return found == keys.end() ? nullptr : &found->second;
}

bool SpecReader::collectKeys(const YamlNode &document,
                             ArrayRef<YamlEntry> overrides) {
  if (document.kind != YamlNode::Map) {
    report.error(Message::NotAMap, document.range);
    return false;
  }
  for (const YamlEntry &entry : document.map)
    if (std::optional<Key> key = findKey(entry.key.text))
      keys[*key] = entry;
  for (const YamlEntry &entry : overrides)
    keys[*findKey(entry.key.text)] = entry;
  return true;
}

void SpecReader::reportUnknownKeys(const YamlNode &document) {
  auto isSet = [&](StringRef name) { return entry(*findKey(name)); };
  for (const YamlEntry &entry : document.map) {
    if (findKey(entry.key.text))
      continue;
    auto [name, value] = StringRef(entry.key.text).split('=');
    bool isAssigned = !value.empty() && findKey(name.trim());
    if (entry.value.kind == YamlNode::Null &&
        (isAssigned || StringRef(entry.key.text).contains(' '))) {
      auto &error = report.error(Message::NotAKey, entry.key.range);
      if (isAssigned) {
        error.fix(name.trim() + ": " + value.trim());
        meant.insert(name.trim().str());
      }
      continue;
    }
    bool isText = entry.value.kind == YamlNode::Scalar;
    SMRange range = entry.key.range;
    if (isText)
      range.End = entry.value.range.End;
    StringRef ours = reportUnknownKey(report,
                                      {entry.key.text,
                                       isText ? entry.value.text : StringRef(),
                                       entry.key.range, range, ": "},
                                      isSet);
    meant.insert(ours.str());
  }
}

bool SpecReader::checkVersion(const YamlNode &document) {
  const YamlEntry *version = entry(Key::Attnc);
  SMLoc start = document.range.Start;
  if (!version) {
    report.error(Message::MissingKey, {start, start}, {"attnc"})
        .fix("attnc: 1");
    return true;
  }
  if (!needScalar(*version))
    return true;
  int64_t number = 0;
  bool isNumber =
      !StringRef(version->value.text).getAsInteger(10, number) && number > 0;
  if (!isNumber) {
    report.error(Message::Version, version->value.range, {version->value.text})
        .fix("1");
    return true;
  }
  if (number == 1)
    return true;
  report.error(Message::NewerVersion, version->value.range,
               {version->value.text});
  return false; // the rest is another language
}

void SpecReader::readName(const YamlNode &document) {
  spec.name = defaultName;
  spec.nameRange =
      document.map.empty() ? document.range : document.map.front().key.range;
  const YamlEntry *name = entry(Key::Name);
  if (!name || !needScalar(*name))
    return;
  spec.nameRange = name->value.range;
  const std::string &text = name->value.text;
  if (!isIdentifier(text)) {
    std::string fix;
    for (char c : text)
      fix += isAlnum(c) || c == '_' ? c : '_';
    report.error(Message::BadName, name->value.range, {text})
        .fix(isIdentifier(fix) ? fix : "");
    return;
  }
  if (isReservedWord(text)) {
    report.error(Message::ReservedName, name->value.range, {text});
    return;
  }
  if (isCFunction(text)) {
    report.error(Message::LibraryName, name->value.range, {text})
        .fix("attention_" + text);
    return;
  }
  spec.name = text;
}

std::optional<DType> SpecReader::readDType(const YamlNode &node) {
  std::optional<DType> dtype;
  if (node.kind == YamlNode::Scalar)
    dtype = parseDType(node.text);
  if (dtype && isFloat(*dtype))
    return dtype;
  auto &error =
      report.error(Message::DType, node.range,
                   {node.kind == YamlNode::Scalar ? "'" + node.text + "'"
                                                  : std::string("this")});
  if (dtype) // of ints
    error.note("for quantized rows, declare integer inputs and "
               "dequantize them under 'let': K: k8 * step, with k8: "
               "i8[batch, kv_heads, kv_len, head_dim] and step: f32 "
               "under 'inputs:'");
  else if (StringRef ours = findForeignType(node.text);
           ours.contains('f')) // a float
    error.fix(ours);
  return std::nullopt;
}

void SpecReader::readDTypes() {
  const YamlEntry *dtype = entry(Key::DType);
  if (!dtype)
    return;
  if (dtype->value.kind == YamlNode::Null) {
    report.error(Message::EmptyValue, dtype->key.range, {"dtype"});
    return;
  }
  if (dtype->value.kind != YamlNode::Map) {
    if (auto type = readDType(dtype->value))
      spec.queryType = spec.keyType = spec.valueType = spec.outputType = *type;
    for (SMRange &range : spec.typeRanges)
      range = dtype->value.range;
    return;
  }
  std::pair<StringRef, DType *> places[] = {{"query", &spec.queryType},
                                            {"key", &spec.keyType},
                                            {"value", &spec.valueType},
                                            {"output", &spec.outputType}};
  std::vector<StringRef> names;
  for (auto &[name, place] : places)
    names.push_back(name);
  for (const YamlEntry &item : dtype->value.map) {
    auto place =
        find_if(places, [&](auto &p) { return p.first == item.key.text; });
    if (place == std::end(places)) {
      report.error(Message::UnknownKey, item.key.range, {item.key.text})
          .note("keys of 'dtype': query, key, value, output")
          .fix(nearest(item.key.text, names));
      continue;
    }
    if (auto type = readDType(item.value))
      *place->second = *type;
    if (size_t row = place - places; row < 3)
      spec.typeRanges[row] = item.value.range;
  }
  mixedTypes = any_of(
      places, [&](auto &place) { return *place.second != spec.queryType; });
}

void SpecReader::readSchedule() {
  const YamlEntry *schedule = entry(Key::Schedule);
  if (!schedule)
    return;
  if (schedule->value.kind == YamlNode::List) {
    unsupported(schedule->value.range, "a list of schedules");
    return;
  }
  if (schedule->value.kind == YamlNode::Null) {
    report.error(Message::EmptyValue, schedule->key.range, {"schedule"})
        .note("'#' starts a comment: quote the attribute");
    return;
  }
  if (!needScalar(*schedule))
    return;
  spec.schedule = schedule->value.text;
  spec.scheduleRange = schedule->value.range;
  if (!StringRef(spec.schedule).starts_with("#attn.schedule<") ||
      !StringRef(spec.schedule).ends_with(">"))
    report.error(Message::Schedule, spec.scheduleRange);
}

std::optional<AttentionSpec> SpecReader::read(const YamlNode &document,
                                              ArrayRef<YamlEntry> overrides) {
  errorsBefore = report.foundErrors();
  if (!collectKeys(document, overrides) || !checkVersion(document))
    return std::nullopt;
  reportUnknownKeys(document);
  anchor =
      document.map.empty() ? document.range : document.map.front().key.range;
  readName(document);
  readStorage(); // ragged storage has a size of its own
  readSizes(document);
  readDTypes();
  readLet(); // its names before the formulas that use them
  bool sizesFailed = failed();
  readInputs();
  bindStorage();
  readFormulas();
  readPrecision();
  readOutputs();
  keepLet();
  checkCaches(); // outputs of 'let' may make some
  readSchedule();
  if (!sizesFailed)
    readExpect();
  if (!failed())
    proveFormulas();
  if (!failed())
    checkState();
  if (!failed())
    checkExpect();
  if (!failed())
    checkUse();
  if (!failed())
    checkLengths();
  if (failed())
    return std::nullopt;
  return std::move(spec);
}

} // namespace attnc::spec
