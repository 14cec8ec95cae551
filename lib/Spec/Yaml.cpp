//===- Yaml.cpp - YAML into a tree of own nodes ---------------------------===//

#include "Yaml.h"

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
  Reader(StringRef text, Report &report) : text(text), report(report) {}
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

  StringRef text;
  Report &report;
  bool stop = false; // the parser has ended the stream, or we do
};
} // namespace

void Reader::flowError(SMRange range) {
  size_t at = range.Start.getPointer() - text.data();
  report.error(Message::YamlFlow, range).fix(flowEntryFix(text, at));
  stop = true;
}

/// One error of LLVM's parser in the words of this language.
void Reader::parserError(const SMDiagnostic &diagnostic) {
  if (stop) // it tells more than once
    return;
  stop = true;
  const char *pointer = diagnostic.getLoc().getPointer();
  if (!diagnostic.getLoc().isValid() || pointer < text.begin() ||
      pointer > text.end())
    pointer = text.begin();
  size_t at = pointer - text.data();
  SMLoc end = SMLoc::getFromPointer(pointer);
  SMRange range(end, end);
  if (!flowEntryFix(text, at).empty()) {
    flowError(range);
    return;
  }
  std::string what = diagnostic.getMessage().str();
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
  const char *begin = node.getSourceRange().Start.getPointer() + quoted;
  size_t length = std::min<size_t>(result.text.size(), text.end() - begin);
  result.verbatim = StringRef(begin, length) == result.text;
  if (!result.verbatim)
    length = std::min<size_t>(node.getSourceRange().End.getPointer() - begin,
                              text.end() - begin);
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
    report.error(Message::NotAKey, pair.getSourceRange());
    stop = true;
    return false;
  }
  YamlEntry entry; // the key before the value: the parser goes on only once
  entry.key = readScalar(*key, inFlow);
  entry.value = read(pair.getValue(), depth, inFlow);
  if (stop && entry.value.kind == YamlNode::Null)
    return false;
  if (inFlow && entry.value.kind == YamlNode::Null) {
    flowError(entry.key.range);
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
  result.range = node.getSourceRange();
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
  result.range = node.getSourceRange();
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
  null.range = node->getSourceRange();
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
  yaml::Stream stream(MemoryBufferRef(text, "spec"), messages,
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
  return Reader(text, report).run(documents);
}

} // namespace attnc::spec
