//===- Ptx.cpp - The syntax of PTX in inline assembly ---------------------===//

#include "Ptx.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace attnc::nvptx;

namespace {

class Parser {
public:
  explicit Parser(StringRef text) : rest(text) {}
  Expected<PtxCode> parse();

private:
  bool parseStatement();
  bool parseInstruction();
  bool parseOperand(PtxOperand &operand);
  bool parseParts(PtxOperand &operand, PtxOperand::Kind kind, char end);
  bool parseAtom(PtxOperand &operand);
  void skipSpace();
  bool consume(char c);
  StringRef takeWord();

  StringRef rest;
  PtxCode code;
};

} // namespace

void Parser::skipSpace() {
  while (true) {
    rest = rest.ltrim();
    if (rest.consume_front("//"))
      rest = rest.drop_until([](char c) { return c == '\n'; });
    else if (rest.consume_front("/*"))
      rest = rest.substr(std::min(rest.find("*/"), rest.size() - 2) + 2);
    else
      return;
  }
}

bool Parser::consume(char c) {
  skipSpace();
  return rest.consume_front(StringRef(&c, 1));
}

/// An identifier or opcode: letters, digits and _ . :: % $$ ${:uid}.
StringRef Parser::takeWord() {
  skipSpace();
  size_t length = 0;
  while (length < rest.size()) {
    char c = rest[length];
    bool isScope = c == ':' && length + 1 < rest.size() &&
                   rest[length + 1] == ':'; // shared::cta
    StringRef special = rest.substr(length);
    if (isScope || special.starts_with("$$"))
      length += 2;
    else if (special.starts_with("${:uid}")) // the same number everywhere
      length += 7;
    else if (isAlnum(c) || c == '_' || c == '.' || c == '%')
      ++length;
    else
      break;
  }
  StringRef word = rest.take_front(length);
  rest = rest.drop_front(length);
  return word;
}

bool Parser::parseParts(PtxOperand &operand, PtxOperand::Kind kind, char end) {
  operand.kind = kind;
  do {
    if (!parseOperand(operand.parts.emplace_back()))
      return false;
  } while (consume(','));
  return consume(end);
}

bool Parser::parseAtom(PtxOperand &operand) {
  skipSpace();
  if (!rest.starts_with("$$") && rest.consume_front("$")) {
    operand.kind = PtxOperand::placeholder;
    bool isBraced = rest.consume_front("{");
    if (rest.consumeInteger(10, operand.number))
      return false;
    return !isBraced || rest.consume_front("}");
  }
  if (!rest.empty() && (isDigit(rest[0]) || rest[0] == '-'))
    return !rest.consumeInteger(0, operand.number);
  operand.text = takeWord().str();
  operand.kind = operand.text == "_" ? PtxOperand::sink : PtxOperand::name;
  return !operand.text.empty();
}

bool Parser::parseOperand(PtxOperand &operand) {
  if (consume('['))
    return parseParts(operand, PtxOperand::address, ']');
  if (consume('{'))
    return parseParts(operand, PtxOperand::list, '}');
  if (!parseAtom(operand))
    return false;
  if (!consume('|'))
    return true;
  PtxOperand first = operand, second;
  if (!parseAtom(second))
    return false;
  operand = PtxOperand();
  operand.kind = PtxOperand::pair;
  operand.parts = {first, second};
  return true;
}

bool Parser::parseInstruction() {
  PtxInstruction instruction;
  if (consume('@')) {
    instruction.isNegated = consume('!');
    instruction.guard.emplace();
    if (!parseAtom(*instruction.guard))
      return false;
  }
  instruction.opcode = takeWord().str();
  if (instruction.opcode.empty())
    return false;
  if (!instruction.guard && consume(':')) { // a label
    code.labels[instruction.opcode] = code.instructions.size();
    return true;
  }
  if (!consume(';')) {
    do {
      if (!parseOperand(instruction.operands.emplace_back()))
        return false;
    } while (consume(','));
    if (!consume(';'))
      return false;
  }
  code.instructions.push_back(std::move(instruction));
  return true;
}

bool Parser::parseStatement() {
  if (consume('{') || consume('}') || consume(';'))
    return true;
  skipSpace();
  if (!rest.starts_with(".reg "))
    return parseInstruction();
  rest = rest.drop_until([](char c) { return c == ';'; });
  return consume(';');
}

Expected<PtxCode> Parser::parse() {
  for (skipSpace(); !rest.empty(); skipSpace()) {
    StringRef statement = rest;
    if (!parseStatement())
      return createStringError(
          "cannot parse '" +
          statement.take_until([](char c) { return c == ';' || c == '\n'; }) +
          "'");
  }
  return std::move(code);
}

Expected<PtxCode> attnc::nvptx::parsePtx(StringRef text) {
  return Parser(text).parse();
}
