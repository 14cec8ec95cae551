//===- YamlScan.cpp - What must not reach the YAML parser -----------------===//

#include "Yaml/Yaml.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace attnc::spec {

/// More open brackets than any spec needs; the parser recurses over them.
static constexpr unsigned maxOpenBrackets = 64;
static constexpr unsigned maxListMarks = 8;

namespace {
class Scan {
public:
  Scan(StringRef text, Report &report) : text(text), report(report) {}
  bool run();

private:
  SMRange at(size_t begin, size_t end) const {
    return {SMLoc::getFromPointer(text.data() + begin),
            SMLoc::getFromPointer(text.data() + end)};
  }
  bool checkBytes();
  void line(size_t begin, size_t end);
  size_t contentEnd(size_t begin, size_t end) const;
  void value(size_t begin, size_t end);
  void quotedValue(size_t begin, size_t end);
  bool brackets(size_t begin, size_t end);
  bool lambda(size_t begin, size_t end, bool isIndented);
  bool keyWithoutSpace(size_t begin, size_t end);

  StringRef text;
  Report &report;
  unsigned open = 0;
  bool broken = false;
};
} // namespace

bool Scan::checkBytes() {
  if (text.size() > maxSpecBytes) {
    report.error(Message::TooLarge, at(0, 0),
                 {std::to_string(text.size()), std::to_string(maxSpecBytes)});
    return false;
  }
  const auto *begin = reinterpret_cast<const UTF8 *>(text.data());
  const UTF8 *legal = begin;
  const UTF8 *end = begin + text.size();
  if (!isLegalUTF8String(&legal, end)) {
    size_t place = legal - begin;
    report.error(Message::Character, at(place, place + 1),
                 {"0x" + toHex(text.substr(place, 1))});
    return false;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    uint8_t c = text[i];
    bool control = (c < 32 && c != '\n' && c != '\r' && c != '\t') || c == 127;
    if (!control)
      continue;
    report.error(Message::Character, at(i, i + 1),
                 {"0x" + toHex(text.substr(i, 1))});
    return false;
  }
  return true;
}

/// Where the content of a line ends: before a comment and trailing blanks.
size_t Scan::contentEnd(size_t begin, size_t end) const {
  char quote = 0;
  for (size_t i = begin; i < end; ++i) {
    char c = text[i];
    bool first = i == begin || isSpace(text[i - 1]);
    if (quote) {
      if (c == quote)
        quote = 0;
    } else if (c == '#' && first) {
      end = i;
      break;
    } else if ((c == '"' || c == '\'') &&
               (first || text[i - 1] == '[' || text[i - 1] == '{')) {
      quote = c;
    }
  }
  while (end > begin && isSpace(text[end - 1]))
    --end;
  return end;
}

bool Scan::brackets(size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    if (text[i] == '[' || text[i] == '{')
      ++open;
    if ((text[i] == ']' || text[i] == '}') && open)
      --open;
    if (open > maxOpenBrackets) {
      report.error(Message::YamlTooDeep, at(i, i + 1));
      return false;
    }
  }
  return true;
}

/// A value that opens with a quote and goes on behind the closing one.
void Scan::quotedValue(size_t begin, size_t end) {
  char quote = text[begin];
  size_t close = begin + 1;
  for (; close < end && text[close] != quote; ++close)
    if (quote == '"' && text[close] == '\\')
      ++close;
  if (close + 1 >= end || (quote == '\'' && text[close + 1] == '\''))
    return;
  if (text.slice(close + 1, end).ltrim().starts_with(":"))
    return; // a quoted key
  char other = quote == '"' ? '\'' : '"';
  // Formulas need no quotes; those of a text in one do.
  StringRef inside = text.slice(begin + 1, close),
            rest = text.slice(close + 1, end);
  bool isPlain = !inside.contains('"') && !inside.contains('\'') &&
                 !rest.contains('"') && !rest.contains('\'') &&
                 !StringRef("*&!>|%@`[{").contains(inside.take_front());
  std::string fix;
  if (isPlain)
    fix = (inside + rest).str();
  else if (!text.slice(begin, end).contains(other))
    fix = other + text.slice(begin, end).str() + other;
  report.error(Message::YamlQuoteRest, at(begin, end)).fix(fix);
  broken = true;
}

/// `!m[b, k]` and `|q - k| < 4` of other languages, in ours: as they are they
/// would be wrong in quotes, too. Empty for any other value.
static std::string ofOtherLanguages(StringRef value) {
  StringRef rest = value.drop_front().ltrim();
  if (value.front() == '!' && !rest.empty() && rest[0] != '!' && rest[0] != '=')
    return "not " + rest.str();
  auto [inside, behind] = rest.split('|');
  bool isClosed = inside.size() < rest.size() && !inside.trim().empty();
  if (value.front() == '|' && isClosed && !behind.contains('|'))
    return "abs(" + inside.trim().str() + ")" + behind.str();
  return "";
}

/// The value behind `key: ` or `- `.
void Scan::value(size_t begin, size_t end) {
  while (begin < end && text[begin] == ' ')
    ++begin;
  if (begin == end)
    return;
  char c = text[begin];
  if (c == '"' || c == '\'')
    return quotedValue(begin, end);
  if (!StringRef("*&!>|%@`").contains(c))
    return;
  if ((c == '>' || c == '|') &&
      text.slice(begin + 1, end).rtrim().find_first_not_of("+-123456789") ==
          StringRef::npos) {
    report.error(Message::YamlFeature, at(begin, begin + 1))
        .note("a formula must fit on one line; name parts of a long "
              "formula under 'let'");
    broken = true;
    return;
  }
  std::string fix = ofOtherLanguages(text.slice(begin, end));
  report.error(Message::YamlQuote, at(begin, end), {std::string(1, c)})
      .fix(fix);
  broken = true;
}

/// `f: lambda x: x + 1` of Python: here f(x): x + 1.
bool Scan::lambda(size_t begin, size_t end, bool isIndented) {
  auto [key, value] = text.slice(begin, end).split(": ");
  value = value.trim("\"' ");
  if (!value.consume_front("lambda "))
    return false;
  auto [parameters, body] = value.split(':');
  auto &error = report.error(Message::Lambda, at(begin, end));
  if (isIndented && !body.empty() && !key.contains('('))
    error.fix(key.trim() + "(" + parameters.trim() + "): " + body.trim());
  else
    error.note("formulas use the variables b, h, i, q and k directly");
  broken = true;
  return true;
}

/// `mask:causal`, which YAML reads as one word.
bool Scan::keyWithoutSpace(size_t begin, size_t end) {
  auto [key, value] = text.slice(begin, end).split(':');
  bool isKey = all_of(key, [](char c) { return isAlnum(c) || c == '_'; });
  if (open || key.empty() || !isKey || value.empty() || value[0] == ' ' ||
      value.contains(':'))
    return false;
  report.error(Message::KeySpace, at(begin, end)).fix(key + ": " + value);
  broken = true;
  return true;
}

void Scan::line(size_t begin, size_t end) {
  size_t start = begin;
  while (start < end && text[start] == ' ')
    ++start;
  if (start < end && text[start] == '\t' &&
      !text.slice(start, end).trim().empty()) {
    report.error(Message::YamlTab, at(start, start + 1));
    broken = true;
    return;
  }
  end = contentEnd(start, end);
  if (start == begin && text.slice(start, end).starts_with("%")) {
    report.error(Message::YamlDirective, at(start, end));
    broken = true;
    return;
  }
  unsigned marks = 0;
  while (start + 1 < end && (text[start] == '-' || text[start] == '?') &&
         text[start + 1] == ' ') {
    start += 2;
    if (++marks > maxListMarks) {
      report.error(Message::YamlTooDeep, at(start, start + 1));
      broken = true;
      return;
    }
    while (start < end && text[start] == ' ')
      ++start;
  }
  if (!brackets(start, end)) {
    broken = true;
    return;
  }
  StringRef content = text.slice(start, end);
  size_t colon = content.find(": ");
  if (lambda(start, end, start > begin))
    return;
  if (!marks && keyWithoutSpace(start, end))
    return;
  if (marks || colon == StringRef::npos)
    value(start, end);
  if (colon != StringRef::npos && !broken)
    value(start + colon + 2, end);
}

bool Scan::run() {
  if (!checkBytes())
    return false;
  for (size_t begin = 0; begin < text.size() && open <= maxOpenBrackets;) {
    size_t end = std::min(text.find('\n', begin), text.size());
    line(begin, end);
    begin = end + 1;
  }
  return !broken;
}

bool scanYaml(StringRef text, Report &report) {
  return Scan(text, report).run();
}

std::string hideTypes(StringRef text) {
  std::string shadow = text.str();
  bool inInputs = false;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    StringRef line = text.slice(begin, end);
    bool indented = line.starts_with(" ");
    if (!indented && !line.trim().empty() && !line.starts_with("#"))
      inInputs = line.rtrim() == "inputs:" || line.starts_with("inputs: #");
    size_t colon = line.find(": ");
    if (inInputs && indented && colon != StringRef::npos &&
        line.substr(colon + 2).ltrim().starts_with("["))
      for (char &c :
           MutableArrayRef<char>(&shadow[begin + colon], end - begin - colon))
        c = c == '[' ? '(' : c == ']' ? ')' : c;
    begin = end + 1;
  }
  return shadow;
}

bool bracketsMatch(StringRef text) {
  std::string open;
  for (char c : text) {
    if (c == '(' || c == '[' || c == '{')
      open += c == '(' ? ')' : c == '[' ? ']' : '}';
    if (c != ')' && c != ']' && c != '}')
      continue;
    if (open.empty() || open.back() != c)
      return false;
    open.pop_back();
  }
  return open.empty();
}

std::string flowEntryFix(StringRef text, size_t at) {
  size_t lineBegin = text.rfind('\n', at) + 1;
  size_t brace = text.slice(lineBegin, at).find('{');
  StringRef head = text.slice(lineBegin, lineBegin + brace).trim();
  if (brace == StringRef::npos || !head.consume_back(":") || head.contains(' '))
    return "";
  // The entry around `at`: between commas that stand in no bracket.
  size_t begin = lineBegin + brace + 1;
  unsigned depth = 0;
  size_t end = begin;
  for (; end < text.size() && text[end] != '\n'; ++end) {
    char c = text[end];
    if (c == '[' || c == '(' || c == '{')
      ++depth;
    bool closes = c == ']' || c == ')' || c == '}';
    if (!depth && (closes || c == ',')) {
      if (closes || end > at)
        break;
      begin = end + 1;
    }
    if (closes)
      --depth;
  }
  StringRef entry = text.slice(begin, end).trim();
  if (!entry.contains(": "))
    return "";
  return "on a new line under '" + head.str() +
         ":', indented by two spaces:    " + entry.str();
}

} // namespace attnc::spec
