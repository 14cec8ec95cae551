//===- Yaml.cpp - YAML into a tree of own nodes ---------------------------===//

#include "Yaml/Yaml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace llvm;

namespace attnc::spec {

static constexpr unsigned maxYamlDepth = 6;

namespace {
class Reader {
public:
  /// `shadow` is what the parser sees: `text` with hideTypes() applied.
  Reader(StringRef text, StringRef shadow, Report &report)
      : text(text), shadow(shadow), report(report) {}
  bool run(std::vector<YamlNode> &documents);

private:
  void parserError(const SMDiagnostic &diagnostic);
  YamlNode read(yaml::Node *node, unsigned depth, bool inFlow);
  YamlNode readScalar(yaml::ScalarNode &node, bool inFlow);
  YamlNode readMap(yaml::MappingNode &node, unsigned depth, bool inFlow);
  bool readEntry(yaml::KeyValueNode &pair, YamlNode &map, unsigned depth,
                 bool inFlow);
  YamlNode readList(yaml::SequenceNode &node, unsigned depth, bool inFlow);
  void flowError(SMRange range);
  bool startsFlow(SMRange range) const {
    size_t at = range.Start.getPointer() - text.data();
    return at < text.size() && (text[at] == '{' || text[at] == '[');
  }
  /// The place in the file of a place in what the parser sees.
  SMLoc place(SMLoc seen) const {
    size_t at = seen.getPointer() - shadow.data();
    return SMLoc::getFromPointer(text.data() + std::min(at, text.size()));
  }
  SMRange rangeOf(yaml::Node &node) const {
    SMRange seen = node.getSourceRange();
    return {place(seen.Start), place(seen.End)};
  }
  SMRange rangeOfCollection(yaml::Node &node) const;

  StringRef text, shadow;
  Report &report;
  bool stop = false; // the parser has ended the stream, or we do
};
} // namespace

/// The parser says where the first token behind the bracket stands.
SMRange Reader::rangeOfCollection(yaml::Node &node) const {
  SMRange range = rangeOf(node);
  size_t at = range.Start.getPointer() - text.data();
  if (at && (text[at - 1] == '[' || text[at - 1] == '{'))
    range.Start = SMLoc::getFromPointer(text.data() + at - 1);
  if (range.End.getPointer() < range.Start.getPointer())
    range.End = range.Start;
  return range;
}

void Reader::flowError(SMRange range) {
  size_t at = range.Start.getPointer() - text.data();
  report.error(Message::YamlFlow, range).fix(flowEntryFix(text, at));
  stop = true;
}

/// The innermost `[` or `{` that is not closed.
static size_t openBracket(StringRef text) {
  SmallVector<size_t> open;
  bool comment = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    comment = c == '#' || (comment && c != '\n');
    if (!comment && (c == '[' || c == '{'))
      open.push_back(i);
    if (!comment && (c == ']' || c == '}') && !open.empty())
      open.pop_back();
  }
  return open.empty() ? StringRef::npos : open.back();
}

/// The first quote that its line does not close, or npos; `begin` is where the
/// line begins. Values on several lines are not supported.
static size_t openQuote(StringRef line, size_t begin) {
  constexpr StringLiteral quotes = "\"'";
  size_t open = StringRef::npos;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    char before = i ? line[i - 1] : ' ';
    bool starts = before == ' ' || before == '[' || before == ',';
    if (open != StringRef::npos) {
      open = c == line[open] ? StringRef::npos : open;
      continue;
    }
    if (c == '#' && before == ' ')
      break;
    if (starts && quotes.contains(c))
      open = i;
  }
  return open == StringRef::npos ? open : begin + open;
}

static size_t openQuote(StringRef text) {
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    size_t open = openQuote(text.slice(begin, end), begin);
    if (open != StringRef::npos)
      return open;
    begin = end + 1;
  }
  return StringRef::npos;
}

/// Where the line of a place has the `?` of `c ? a : b`, whose second colon
/// YAML takes for that of a key; npos if it has none.
static size_t choiceMark(StringRef text, size_t at) {
  size_t begin = text.rfind('\n', at) + 1; // 0 where there is none
  StringRef line = text.slice(begin, text.find('\n', at));
  line = line.take_front(line.find(" #")); // a comment
  size_t mark = line.find(" ? ");
  bool isChoice = mark != StringRef::npos && line.find(": ") < mark &&
                  line.find(" : ", mark) != StringRef::npos;
  return isChoice ? begin + mark + 1 : StringRef::npos;
}

/// One error of LLVM's parser in the words of this language.
void Reader::parserError(const SMDiagnostic &diagnostic) {
  if (stop) // it tells more than once
    return;
  stop = true;
  const char *pointer = diagnostic.getLoc().getPointer();
  if (!diagnostic.getLoc().isValid() || pointer < shadow.begin() ||
      pointer > shadow.end())
    pointer = shadow.begin();
  size_t at = pointer - shadow.data();
  SMLoc loc = place(SMLoc::getFromPointer(pointer));
  SMRange range(loc, loc);
  if (!flowEntryFix(text, at).empty()) {
    flowError(range);
    return;
  }
  if (size_t mark = choiceMark(text, at); mark != StringRef::npos) {
    const char *begin = text.data() + mark;
    report
        .error(Message::NotAnOperator,
               {SMLoc::getFromPointer(begin), SMLoc::getFromPointer(begin + 1)},
               {"?"})
        .note("write conditional values as where(condition, a, b)");
    return;
  }
  std::string what = diagnostic.getMessage().str();
  if (StringRef(what).starts_with("Could not find closing")) {
    size_t open = openBracket(text);
    if (open != StringRef::npos) { // the parser points at the end of the file
      SMLoc bracket = SMLoc::getFromPointer(text.data() + open);
      report.error(Message::YamlOpen, {bracket, bracket},
                   {text.substr(open, 1).str()});
      return;
    }
  }
  if (StringRef(what).starts_with("Expected quote at end of scalar"))
    if (size_t open = openQuote(text); open != StringRef::npos) {
      SMLoc quote = SMLoc::getFromPointer(text.data() + open);
      report.error(Message::YamlOpen, {quote, quote},
                   {text.substr(open, 1).str()});
      return;
    }
  if (StringRef(what).starts_with("Unexpected token. Expected Key or Block")) {
    size_t line = text.rfind('\n', at) + 1; // 0 where there is none
    size_t start = std::min(text.find_first_not_of(' ', line), text.size());
    if (start > line) {
      range.Start = SMLoc::getFromPointer(text.data() + line);
      range.End = SMLoc::getFromPointer(text.data() + start);
      what = "unexpected indentation";
    }
  }
  while (StringRef(what).ends_with("."))
    what.pop_back();
  if (!what.empty())
    what[0] = toLower(what[0]);
  report.error(Message::Yaml, range, {what});
}

YamlNode Reader::readScalar(yaml::ScalarNode &node, bool inFlow) {
  YamlNode result;
  result.kind = YamlNode::Scalar;
  SmallString<64> storage;
  result.text = node.getValue(storage).str();
  StringRef raw = node.getRawValue();
  bool quoted = raw.starts_with("\"") || raw.starts_with("'");
  size_t start = node.getSourceRange().Start.getPointer() - shadow.data();
  start = std::min(start + quoted, text.size());
  const char *begin = text.data() + start;
  size_t length = std::min<size_t>(result.text.size(), text.end() - begin);
  result.verbatim = shadow.substr(start, length) == result.text;
  if (result.verbatim)
    result.text = text.substr(start, length).str();
  else
    length = std::max<ptrdiff_t>(rangeOf(node).End.getPointer() - begin, 0);
  result.range = {SMLoc::getFromPointer(begin),
                  SMLoc::getFromPointer(begin + length)};
  if (inFlow && !quoted && !bracketsMatch(result.text))
    flowError(result.range);
  return result;
}

bool Reader::readEntry(yaml::KeyValueNode &pair, YamlNode &map, unsigned depth,
                       bool inFlow) {
  auto *key = dyn_cast_if_present<yaml::ScalarNode>(pair.getKey());
  if (stop)
    return false;
  if (!key) {
    report.error(Message::NotAKey, rangeOf(pair));
    stop = true;
    return false;
  }
  YamlEntry entry; // the key before the value: the parser goes on only once
  entry.key = readScalar(*key, inFlow);
  entry.value = read(pair.getValue(), depth, inFlow);
  if (stop && entry.value.kind == YamlNode::Null)
    return false;
  if (inFlow && entry.value.kind == YamlNode::Null) {
    auto [name, value] = StringRef(entry.key.text).split(':');
    auto isLetter = [](char c) { return isAlnum(c) || c == '_'; };
    if (value.empty() || !all_of(name, isLetter)) {
      flowError(entry.key.range);
      return false;
    }
    report.error(Message::KeySpace, entry.key.range)
        .fix((name + ": " + value).str());
    stop = true;
    return false;
  }
  auto same = find_if(map.map, [&](const YamlEntry &other) {
    return other.key.text == entry.key.text;
  });
  if (same != map.map.end())
    report.error(Message::RepeatedKey, entry.key.range, {entry.key.text})
        .note(same->key.range, "first set here");
  else
    map.map.push_back(std::move(entry));
  return !stop;
}

YamlNode Reader::readMap(yaml::MappingNode &node, unsigned depth, bool inFlow) {
  YamlNode result;
  result.kind = YamlNode::Map;
  result.range = rangeOfCollection(node);
  inFlow |= startsFlow(result.range);
  for (yaml::KeyValueNode &pair : node)
    if (!readEntry(pair, result, depth, inFlow))
      break;
  return result;
}

YamlNode Reader::readList(yaml::SequenceNode &node, unsigned depth,
                          bool inFlow) {
  YamlNode result;
  result.kind = YamlNode::List;
  result.range = rangeOfCollection(node);
  inFlow |= startsFlow(result.range);
  for (yaml::Node &item : node) {
    result.list.push_back(read(&item, depth, inFlow));
    if (stop)
      break;
  }
  return result;
}

YamlNode Reader::read(yaml::Node *node, unsigned depth, bool inFlow) {
  YamlNode null;
  if (!node || stop)
    return null;
  null.range = rangeOf(*node);
  if (depth > maxYamlDepth) {
    report.error(Message::YamlTooDeep, null.range);
    stop = true;
    return null;
  }
  if (isa<yaml::NullNode>(node))
    return null;
  bool tagged = !node->getAnchor().empty() || !node->getRawTag().empty();
  if (isa<yaml::AliasNode, yaml::BlockScalarNode>(node) || tagged) {
    report.error(Message::YamlFeature, null.range);
    stop = true;
    return null;
  }
  if (auto *map = dyn_cast<yaml::MappingNode>(node))
    return readMap(*map, depth + 1, inFlow);
  if (auto *list = dyn_cast<yaml::SequenceNode>(node))
    return readList(*list, depth + 1, inFlow);
  if (auto *scalar = dyn_cast<yaml::ScalarNode>(node))
    return readScalar(*scalar, inFlow);
  return null;
}

bool Reader::run(std::vector<YamlNode> &documents) {
  SourceMgr messages; // only carries the parser's errors to us
  messages.setDiagHandler(
      [](const SMDiagnostic &diagnostic, void *self) {
        static_cast<Reader *>(self)->parserError(diagnostic);
      },
      this);
  unsigned before = report.errors();
  yaml::Stream stream(MemoryBufferRef(shadow, "spec"), messages,
                      /*ShowColors=*/false);
  for (yaml::Document &document : stream) {
    if (stop)
      break;
    YamlNode root = read(document.getRoot(), 0, false);
    if (root.kind != YamlNode::Null && !stop)
      documents.push_back(std::move(root));
    if (stop) // moving on would skip over, that is parse, the rest
      break;
  }
  return report.errors() == before;
}

bool readYaml(StringRef text, Report &report,
              std::vector<YamlNode> &documents) {
  if (!scanYaml(text, report))
    return false;
  std::string shadow = hideTypes(text);
  return Reader(text, shadow, report).run(documents);
}

} // namespace attnc::spec
