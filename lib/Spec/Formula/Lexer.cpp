//===- Lexer.cpp - Formulas into tokens -----------------------------------===//

#include "Formula/Syntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace attnc::spec {

SMRange SourceText::at(size_t begin, size_t end) const {
  if (anchor.isValid())
    return anchor;
  return {SMLoc::getFromPointer(text.data() + begin),
          SMLoc::getFromPointer(text.data() + end)};
}

namespace {
class Lexer {
public:
  Lexer(const SourceText &source, Report &report, std::vector<Token> &tokens)
      : source(source), text(source.text), report(report), tokens(tokens) {}

  bool run();

private:
  bool lexNumber();
  bool lexText();
  bool lexSymbol();
  bool bitOperator(StringRef rest);
  bool foreignOperator();
  void add(Token::Kind kind, size_t begin, size_t end) {
    tokens.push_back({kind, text.slice(begin, end), begin, end});
    position = end;
  }
  char peek(size_t ahead = 0) const {
    return position + ahead < text.size() ? text[position + ahead] : '\0';
  }

  const SourceText &source;
  StringRef text;
  Report &report;
  std::vector<Token> &tokens;
  size_t position = 0;
};
} // namespace

static bool isNameStart(char c) { return isAlpha(c) || c == '_'; }
static bool isNamePart(char c) { return isAlnum(c) || c == '_'; }

bool Lexer::run() {
  while (position < text.size()) {
    char c = peek();
    if (c == ' ' || c == '\t') {
      ++position;
    } else if (isNameStart(c)) {
      size_t end = position;
      while (end < text.size() && isNamePart(text[end]))
        ++end;
      add(Token::Name, position, end);
    } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
      if (!lexNumber())
        return false;
    } else if (c == '"' || c == '\'') {
      if (!lexText())
        return false;
    } else if (!lexSymbol()) {
      return false;
    }
  }
  add(Token::End, text.size(), text.size());
  return true;
}

bool Lexer::lexNumber() {
  size_t begin = position, end = position;
  auto digits = [&] {
    size_t start = end;
    while (end < text.size() && isDigit(text[end]))
      ++end;
    return end > start;
  };
  bool good = digits();
  bool real = false, isThousands = false;
  StringRef number;
  std::string fix = good ? "" : "0";
  // `0..8` is a range, not a real.
  if (end < text.size() && text[end] == '.' &&
      !text.substr(end).starts_with("..")) {
    real = true;
    ++end;
    if (!digits()) {
      good = false;
      fix = text.slice(begin, end).str() + "0";
    } else if (fix == "0") {
      fix += text.slice(begin, end);
    }
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    real = true;
    ++end;
    if (end < text.size() && (text[end] == '+' || text[end] == '-'))
      ++end;
    good &= digits();
  }
  if (end < text.size() && isNamePart(text[end])) {
    good = false;
    fix.clear();
    isThousands = end + 1 == text.find_if_not(isNamePart, end) ||
                  (end + 1 == text.size());
    isThousands &= !real && StringRef("kK").contains(text[end]);
    number = text.slice(begin, end);
    while (end < text.size() && isNamePart(text[end]))
      ++end;
  }
  if (!good) {
    auto &error = report.error(Message::BadNumber, source.at(begin, end),
                               {text.slice(begin, end).str()});
    error.fix(fix);
    uint64_t thousands = 0;
    if (isThousands && !number.getAsInteger(10, thousands) && thousands < 1e9)
      error.note("write " + std::to_string(thousands * 1024) + " or " +
                 std::to_string(thousands * 1000));
    return false;
  }
  add(real ? Token::Real : Token::Int, begin, end);
  return true;
}

bool Lexer::lexText() {
  size_t end = text.find(text[position], position + 1);
  if (end == StringRef::npos) {
    report.error(Message::OpenText, source.at(position, text.size()));
    return false;
  }
  add(Token::Text, position, end + 1);
  return true;
}

/// x & 7 is no `and`: a bit operation with a number, x % 8 if that is one.
bool Lexer::bitOperator(StringRef rest) {
  StringRef digits = rest.drop_front().ltrim();
  uint64_t number = 0;
  if (!(rest.starts_with("&") || rest.starts_with("|")) ||
      digits.consumeInteger(10, number))
    return false;
  auto &error =
      report.error(Message::NotAnOperator,
                   source.at(position, position + rest.size() - digits.size()),
                   {rest.take_front().str()});
  bool isRemainder = rest.starts_with("&") && isMask_64(number);
  if (isRemainder)
    error.fix("% " + std::to_string(number + 1));
  else
    error.note("there are no bitwise operators; integers support + - * "
               "// % **");
  return true;
}

/// Operators of other languages, with ours.
bool Lexer::foreignOperator() {
  static constexpr std::pair<StringLiteral, StringLiteral> foreign[] = {
      {"&&", "and"}, {"||", "or"}, {"===", "=="}, {"!==", "!="}, {"<>", "!="},
      {"=<", "<="},  {"=>", ">="}, {"<<", ""},    {">>", ""},    {"++", ""},
      {"&", "and"},  {"|", "or"},  {"^", "**"},   {"~", "not"},  {"?", ""}};
  StringRef rest = text.substr(position);
  if (bitOperator(rest))
    return true;
  for (auto &[theirs, ours] : foreign)
    if (rest.starts_with(theirs)) {
      size_t bar = theirs == "|" ? rest.find('|', 1) : StringRef::npos;
      bool isMagnitude = bar != StringRef::npos && bar > 1; // |x|
      size_t size = isMagnitude ? bar + 1 : theirs.size();
      auto &error =
          report.error(Message::NotAnOperator,
                       source.at(position, position + size), {theirs.str()});
      if (isMagnitude)
        error.fix("abs(" + rest.slice(1, bar).trim().str() + ")");
      else
        error.fix(ours);
      if (theirs == "?")
        error.note("write conditional values as where(condition, a, b)");
      return true;
    }
  if (rest.starts_with("!") && !rest.starts_with("!=")) {
    StringRef next = rest.drop_front().ltrim();
    bool isUnequal = next.starts_with("=") && !next.starts_with("==");
    size_t length = isUnequal ? rest.size() - next.size() + 1 : 1;
    report
        .error(Message::NotAnOperator, source.at(position, position + length),
               {isUnequal ? "! =" : "!"})
        .fix(isUnequal ? "!=" : "not");
    return true;
  }
  return false;
}

bool Lexer::lexSymbol() {
  if (foreignOperator())
    return false;
  StringRef rest = text.substr(position);
  static constexpr StringLiteral symbols[] = {
      "**", "//", "==", "!=", "<=", ">=", "..", "+", "-", "*", "/",
      "%",  "@",  "<",  ">",  "(",  ")",  "[",  "]", ",", "=", "."};
  for (StringRef symbol : symbols)
    if (rest.starts_with(symbol)) {
      add(Token::Symbol, position, position + symbol.size());
      return true;
    }
  size_t end = position + 1; // the whole character of UTF-8
  while (end < text.size() && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80)
    ++end;
  StringRef character = text.slice(position, end);
  static constexpr std::pair<StringLiteral, StringLiteral> typographic[] = {
      {"\u2264", "<="}, {"\u2265", ">="}, {"\u2260", "!="}, {"\u2212", "-"},
      {"\u00b7", "*"},  {"\u00d7", "*"},  {"\u221e", "inf"}};
  auto known =
      find_if(typographic, [&](auto &pair) { return pair.first == character; });
  bool printable = end - position > 1 || isPrint(character[0]);
  auto &error = report.error(
      Message::Character, source.at(position, end),
      {printable ? "'" + character.str() + "'" : "0x" + toHex(character)});
  error.fix(known == std::end(typographic) ? StringRef()
                                           : StringRef(known->second));
  if (character == ":" && text.take_front(position).contains('['))
    error.note("slices are not supported: X[h] is a vector over the "
               "remaining axes; under 'let', a, b: split(X, n, m) "
               "splits the last axis");
  return false;
}

bool tokenize(const SourceText &source, Report &report,
              std::vector<Token> &tokens) {
  return Lexer(source, report, tokens).run();
}

} // namespace attnc::spec
