//===- SizeExprParse.cpp - Text to size expressions -----------------------===//
//
// A recursive descent over the part of the language's formulas that
// SizeExpr::str() prints. Depth and length are limited, since the text may
// come from a hand-edited dump.
// Tests: test/Unit/Interface/SizeExprTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Interface/SizeExpr.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace attnc;
using llvm::StringRef;
using Op = SizeExpr::Op;

namespace {
class Parser {
public:
  Parser(StringRef text, std::string &error) : text(text), error(error) {}

  std::optional<SizeExpr> parseAll() {
    std::optional<SizeExpr> result = parseSum();
    if (!result)
      return std::nullopt;
    skipBlanks();
    if (!text.empty())
      return fail("expected an operator before '" + text + "'");
    if (result->depth() > SizeExpr::kMaxDepth)
      return fail("the expression nests too deeply");
    return result;
  }

private:
  std::optional<SizeExpr> fail(const llvm::Twine &what) {
    error = what.str();
    return std::nullopt;
  }
  void skipBlanks() { text = text.ltrim(' '); }
  bool consume(StringRef token) {
    skipBlanks();
    return text.consume_front(token);
  }

  std::optional<SizeExpr> parseSum() {
    std::optional<SizeExpr> lhs = parseProduct();
    while (lhs) {
      Op op;
      if (consume("+"))
        op = Op::Add;
      else if (consume("-"))
        op = Op::Sub;
      else
        break;
      std::optional<SizeExpr> rhs = parseProduct();
      lhs = rhs ? std::optional(SizeExpr::binary(op, *lhs, *rhs)) : rhs;
    }
    return lhs;
  }

  std::optional<SizeExpr> parseProduct() {
    std::optional<SizeExpr> lhs = parsePrimary();
    while (lhs) {
      Op op;
      if (consume("*"))
        op = Op::Mul;
      else if (consume("//"))
        op = Op::FloorDiv;
      else if (consume("%"))
        op = Op::Mod;
      else
        break;
      std::optional<SizeExpr> rhs = parsePrimary();
      lhs = rhs ? std::optional(SizeExpr::binary(op, *lhs, *rhs)) : rhs;
    }
    return lhs;
  }

  std::optional<SizeExpr> parsePrimary() {
    skipBlanks();
    if (++primaries > 256)
      return fail("the expression is too long");
    if (text.empty())
      return fail("expected a size, a number or '('");
    if (llvm::isDigit(text.front()) || text.front() == '-')
      return parseNumber();
    if (consume("(")) {
      std::optional<SizeExpr> inner = parseSum();
      if (inner && !consume(")"))
        return fail("expected ')'");
      return inner;
    }
    StringRef name =
        text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty())
      return fail("unexpected '" + text.take_front(1) + "'");
    text = text.drop_front(name.size());
    if (name != "min" && name != "max")
      return SizeExpr::size(name);
    return parseCall(name == "min" ? Op::Min : Op::Max, name);
  }

  std::optional<SizeExpr> parseNumber() {
    size_t end = 1 + text.drop_front().find_if_not(llvm::isDigit);
    StringRef digits = end == 0 ? text : text.take_front(end);
    int64_t value;
    if (digits.getAsInteger(10, value))
      return fail("'" + digits + "' is not a 64-bit integer");
    text = text.drop_front(digits.size());
    return SizeExpr::constant(value);
  }

  std::optional<SizeExpr> parseCall(Op op, StringRef name) {
    if (!consume("("))
      return fail("expected '(' after '" + name + "'");
    std::optional<SizeExpr> lhs = parseSum();
    if (!lhs)
      return lhs;
    if (!consume(","))
      return fail("expected ',' in '" + name + "'");
    std::optional<SizeExpr> rhs = parseSum();
    if (!rhs)
      return rhs;
    if (!consume(")"))
      return fail("expected ')'");
    return SizeExpr::binary(op, *lhs, *rhs);
  }

  StringRef text;
  std::string &error;
  unsigned primaries = 0;
};
} // namespace

std::optional<SizeExpr> SizeExpr::parse(StringRef text, std::string &error) {
  if (text.size() > 1024) {
    error = "the expression is too long";
    return std::nullopt;
  }
  return Parser(text, error).parseAll();
}
