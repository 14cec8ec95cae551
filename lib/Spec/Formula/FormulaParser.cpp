//===- FormulaParser.cpp - Tokens into a tree -----------------------------===//
//
// Recursive descent, one function per level of precedence. The first error of
// a formula ends it: what follows would be a guess.
//
//===----------------------------------------------------------------------===//

#include "Formula/Syntax.h"
#include "Language/ForeignWords.h"
#include "Language/Language.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstdlib>

using namespace llvm;

namespace attnc::spec {

NodePtr FormulaParser::make(Node::Kind kind, size_t begin) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->range = source.at(begin, begin);
  return node;
}

/// Ends the range of a node behind the last token taken, and bounds its depth.
/// `goesOn`: the node adds to the chain that its first child is.
NodePtr FormulaParser::finish(NodePtr node, bool goesOn) {
  if (!source.anchor.isValid())
    node->range.End =
        SMLoc::getFromPointer(source.text.data() + tokens[position - 1].end);
  auto isAbove = [&](const Node &child, bool isChained = false) {
    node->depth = std::max(node->depth, child.depth + !isChained);
    node->height = std::max(node->height, child.height + 1);
  };
  for (auto [i, child] : enumerate(node->children))
    isAbove(*child, /*isChained=*/goesOn && i == 0);
  for (const Node::Argument &argument : node->arguments)
    isAbove(*argument.value);
  bool isTooDeep = node->depth > maxFormulaDepth;
  if (!isTooDeep && node->height <= maxFormulaHeight)
    return node;
  report.error(
      Message::FormulaTooDeep, rangeOf(peek()),
      {std::to_string(isTooDeep ? maxFormulaDepth : maxFormulaHeight)});
  return nullptr;
}

/// Bounds the recursion of the parser itself.
bool FormulaParser::enter() {
  if (depth < maxFormulaDepth) {
    ++depth;
    return true;
  }
  report.error(Message::FormulaTooDeep, rangeOf(peek()),
               {std::to_string(maxFormulaDepth)});
  return false;
}

bool FormulaParser::takeIf(StringRef symbol) {
  if (!peek().is(symbol))
    return false;
  take();
  return true;
}

/// `=` alone, or with the other character of its operator: `> =`, `= =`.
SourceDiagnostic &FormulaParser::strayEquals() {
  const Token &token = peek();
  SMRange range = rangeOf(token);
  const Token *first = position ? &tokens[position - 1] : nullptr;
  bool isSplit = first && (first->is("<") || first->is(">") || first->is("="));
  if (isSplit) {
    range.Start = rangeOf(*first).Start;
  } else if (position + 1 < tokens.size() && tokens[position + 1].is("=")) {
    isSplit = true;
    first = &token;
    range.End = rangeOf(tokens[position + 1]).End;
  }
  std::string half = isSplit ? first->spelling.str() : "";
  return report
      .error(Message::NotAnOperator, range, {isSplit ? half + " =" : "="})
      .fix(isSplit ? half + "=" : "==");
}

SourceDiagnostic &FormulaParser::expected(StringRef what) {
  const Token &token = peek();
  if (token.is("="))
    return strayEquals();
  auto &error =
      report.error(Message::Expected, rangeOf(token),
                   {what.str(), token.kind == Token::End
                                    ? "the end"
                                    : "'" + token.spelling.str() + "'"});
  if (what == "an operator" && (token.is(")") || token.is("]")))
    error.note("this bracket has no matching opening bracket");
  const Token *last = position ? &tokens[position - 1] : nullptr;
  const NamedMask *mask =
      last && last->kind == Token::Name ? findMask(last->spelling) : nullptr;
  bool isArgument = token.kind == Token::Int || token.kind == Token::Name;
  if (what == "an operator" && mask && !mask->parameters.empty() &&
      isArgument && !findMask(token.spelling))
    error.note("arguments stand in parentheses: " + last->spelling + "(" +
               token.spelling + ")");
  if (token.is("if") || token.is("else"))
    error.note("write conditional values as where(condition, a, b)");
  if (token.is("not"))
    error.note("'not' has lower precedence than comparisons: "
               "parenthesize it");
  return error;
}

NodePtr FormulaParser::parse() { return parseOr(); }

NodePtr FormulaParser::parseOr() {
  if (!enter())
    return nullptr;
  scope_exit leave([&] { --depth; });
  NodePtr node = parseLeft(&FormulaParser::parseAnd, {Op::Or});
  return node && peek().is("xor") ? exclusiveOr(std::move(node))
                                  : std::move(node);
}

/// `a xor b` of other languages: an error, with `(a) != (b)` as the fix.
NodePtr FormulaParser::exclusiveOr(NodePtr left) {
  take();
  NodePtr right = parseOr();
  if (!right)
    return nullptr;
  auto &error = report.error(Message::NotAnOperator,
                             {left->range.Start, right->range.End}, {"xor"});
  if (!source.anchor.isValid())
    error.fix("(" + Report::textOf(left->range) + ") != (" +
              Report::textOf(right->range) + ")");
  return nullptr;
}

NodePtr FormulaParser::parseAnd() {
  return parseLeft(&FormulaParser::parseNot, {Op::And});
}

/// next { operator next }, associating to the left.
NodePtr FormulaParser::parseLeft(Rule next, ArrayRef<Op> operators) {
  size_t begin = peek().begin;
  NodePtr left = (this->*next)();
  for (bool goesOn = false; left; goesOn = true) {
    auto op =
        find_if(operators, [&](Op o) { return peek().is(opSpelling(o)); });
    if (op == operators.end())
      return left;
    NodePtr node = make(Node::Binary, begin);
    node->op = *op;
    node->headRange = rangeOf(take());
    node->children.push_back(std::move(left));
    node->children.push_back((this->*next)());
    if (!node->children[1])
      return nullptr;
    left = finish(std::move(node), goesOn);
  }
  return nullptr;
}

NodePtr FormulaParser::parseNot() {
  if (!peek().is("not"))
    return parseComparison();
  if (!enter())
    return nullptr;
  scope_exit leave([&] { --depth; });
  NodePtr node = make(Node::Unary, peek().begin);
  node->op = Op::Not;
  node->headRange = rangeOf(take());
  node->children.push_back(parseNot());
  return node->children[0] ? finish(std::move(node)) : nullptr;
}

NodePtr FormulaParser::parseComparison() {
  static constexpr Op comparisons[] = {Op::Eq, Op::Ne, Op::Lt,
                                       Op::Le, Op::Gt, Op::Ge};
  NodePtr node = make(Node::Chain, peek().begin);
  while (true) {
    NodePtr operand = parseSum();
    if (!operand)
      return nullptr;
    node->children.push_back(std::move(operand));
    auto op =
        find_if(comparisons, [&](Op o) { return peek().is(opSpelling(o)); });
    if (op == std::end(comparisons))
      break;
    node->ops.push_back(*op);
    take();
  }
  if (node->ops.empty())
    return std::move(node->children[0]);
  return finish(std::move(node));
}

NodePtr FormulaParser::parseSum() {
  return parseLeft(&FormulaParser::parseProduct, {Op::Add, Op::Sub});
}

NodePtr FormulaParser::parseProduct() {
  return parseLeft(&FormulaParser::parseUnary,
                   {Op::Mul, Op::Div, Op::FloorDiv, Op::Mod, Op::Dot});
}

NodePtr FormulaParser::parseUnary() {
  if (!peek().is("-"))
    return parsePower();
  if (!enter())
    return nullptr;
  scope_exit leave([&] { --depth; });
  NodePtr node = make(Node::Unary, peek().begin);
  node->op = Op::Neg;
  node->headRange = rangeOf(take());
  node->children.push_back(parseUnary());
  return node->children[0] ? finish(std::move(node)) : nullptr;
}

NodePtr FormulaParser::parsePower() {
  size_t begin = peek().begin;
  NodePtr base = parsePostfix();
  if (!base || !peek().is("**"))
    return base;
  if (!enter())
    return nullptr;
  scope_exit leave([&] { --depth; });
  NodePtr node = make(Node::Binary, begin);
  node->op = Op::Pow;
  node->headRange = rangeOf(take());
  node->children.push_back(std::move(base));
  node->children.push_back(parseUnary()); // 2 ** -x ** y is 2 ** (-(x ** y))
  return node->children[1] ? finish(std::move(node)) : nullptr;
}

NodePtr FormulaParser::parsePostfix() {
  size_t begin = peek().begin;
  NodePtr node = parsePrimary();
  while (node) {
    if (peek().is("[")) {
      node = parseIndex(std::move(node));
      continue;
    }
    if (!peek().is("."))
      return node;
    take();
    if (node->kind == Node::Name && isForeignModule(node->name)) {
      ofModule(begin);
      return nullptr;
    }
    if (!peek().is("T")) {
      methodCall(begin);
      return nullptr;
    }
    take();
    NodePtr transpose = make(Node::Transpose, begin);
    transpose->children.push_back(std::move(node));
    node = finish(std::move(transpose));
  }
  return nullptr;
}

std::optional<FormulaParser::WrittenArguments>
FormulaParser::writtenArguments(size_t open) const {
  if (open >= tokens.size() || !tokens[open].is("("))
    return std::nullopt;
  WrittenArguments result;
  size_t begin = tokens[open].end;
  unsigned depth = 0;
  for (size_t at = open; at < tokens.size(); ++at) {
    const Token &token = tokens[at];
    depth += token.is("(") || token.is("[");
    bool closes = token.is(")") || token.is("]");
    bool ends = closes && depth == 1;
    if (ends || (token.is(",") && depth == 1)) {
      StringRef text = source.text.slice(begin, token.begin).trim();
      begin = token.end;
      if (!text.empty())
        result.texts.push_back(text);
    }
    if (ends) {
      result.close = at;
      return result;
    }
    depth -= closes;
  }
  return std::nullopt;
}

/// A function of the language, unless it is one of tensors in a formula of
/// pairs.
const FunctionInfo *FormulaParser::functionHere(StringRef name) const {
  const FunctionInfo *function = findFunction(name);
  bool isOfLayers = function && (function->place == FunctionInfo::Layer ||
                                 function->place == FunctionInfo::Scaling);
  return isOfLayers && source.isOfPairs ? nullptr : function;
}

/// `Q.dot(K)`, `x.sqrt()`: here functions and operators.
void FormulaParser::methodCall(size_t begin) {
  const Token &name = peek();
  StringRef base = source.text.slice(begin, tokens[position - 2].end);
  auto arguments = writtenArguments(position + 1);
  if (name.kind != Token::Name || !arguments) {
    expected("'T' (transpose)");
    return;
  }
  const ForeignWord *word = findForeignName(name.spelling);
  StringRef ours = word && !word->ours.empty() ? word->ours : name.spelling;
  const FunctionInfo *function = functionHere(ours);
  if (base.starts_with("(") && base.ends_with(")"))
    base = base.drop_front().drop_back();
  arguments->texts.insert(arguments->texts.begin(), base);
  SMRange call = source.at(begin, tokens[arguments->close].end);
  bool hasNamed =
      any_of(arguments->texts, [](StringRef t) { return t.contains('='); });
  std::string formula = formulaOfCall(name.spelling, arguments->texts, call);
  auto &error = report.error(
      Message::NoMethod, formula.empty() && !function ? rangeOf(name) : call,
      {name.spelling.str()});
  if (!formula.empty())
    error.fix(formula);
  else if (function && !hasNamed)
    error.fix(ours + "(" + join(arguments->texts, ", ") + ")");
  else if (function)
    error.note("call the function: " + function->signature());
  else if (word && word->ours.empty())
    error.note(word->note);
}

/// `F.linear(x, W, b)`: a product, here with the names that stand there.
void FormulaParser::linearOfModule(size_t begin) {
  std::vector<std::string> names;
  size_t at = position + 1;
  while (at + 2 < tokens.size() && tokens[at].is(names.empty() ? "(" : ",") &&
         tokens[at + 1].kind == Token::Name) {
    names.push_back(tokens[at + 1].spelling.str());
    at += 2;
  }
  bool isWhole = tokens[at].is(")") && (names.size() == 2 || names.size() == 3);
  const Token &last = isWhole ? tokens[at] : peek();
  auto &error = report.error(Message::UnknownName, source.at(begin, last.end),
                             {source.text.slice(begin, peek().end).str()});
  if (!isWhole)
    error.note("write F.linear(x, W, b) as x @ W.T + b");
  else
    error.fix(names[0] + " @ " + names[1] + ".T" +
              (names.size() == 3 ? " + " + names[2] : ""));
}

/// `math.sqrt`: the last name alone is ours, if we have it.
void FormulaParser::ofModule(size_t begin) {
  while (position + 2 < tokens.size() && tokens[position + 1].is(".") &&
         tokens[position + 2].kind == Token::Name)
    position += 2;
  const Token &name = peek();
  const ForeignWord *word = findForeignName(name.spelling);
  if (name.is("linear"))
    return linearOfModule(begin);
  StringRef ours = word ? word->ours : name.spelling;
  const FunctionInfo *function = findFunction(ours);
  bool isOurs = functionHere(ours) || findMask(ours) || name.is("inf");
  std::string text = source.text.slice(begin, name.end).str(), formula;
  size_t end = name.end;
  if (auto arguments = writtenArguments(position + 1)) {
    SMRange call = source.at(begin, tokens[arguments->close].end);
    formula = formulaOfCall(name.spelling, arguments->texts, call);
    end = formula.empty() ? end : tokens[arguments->close].end;
  }
  auto &error =
      report.error(Message::UnknownName, source.at(begin, end), {text});
  if (!formula.empty())
    error.fix(formula);
  else if (isOurs)
    error.fix(ours).note("function names have no module prefix here");
  else if (function)
    error.note("'" + ours + "' is only available in 'let' and 'output'; the " +
               "product of two rows is written Q @ K");
  else if (word)
    error.note(word->note);
  else
    error.note("function names have no module prefix here");
}

NodePtr FormulaParser::parseIndex(NodePtr base) {
  NodePtr node = make(Node::Index, 0);
  node->range = base->range;
  node->children.push_back(std::move(base));
  take();
  do {
    node->children.push_back(parseOr());
    if (!node->children.back())
      return nullptr;
  } while (takeIf(","));
  if (!peek().is("]")) {
    expected("',' or ']'");
    return nullptr;
  }
  take();
  return finish(std::move(node));
}

NodePtr FormulaParser::parseNumber(const Token &token) {
  std::string digits = token.spelling.str();
  if (token.kind == Token::Int) {
    NodePtr node = make(Node::Int, token.begin);
    if (token.spelling.getAsInteger(10, node->integer)) {
      report.error(Message::IntTooLarge, rangeOf(token), {digits});
      return nullptr;
    }
    return finish(std::move(node));
  }
  NodePtr node = make(Node::Real, token.begin);
  node->real = std::strtod(digits.c_str(), nullptr);
  if (std::isinf(node->real)) {
    report.error(Message::RealTooLarge, rangeOf(token), {digits}).fix("inf");
    return nullptr;
  }
  return finish(std::move(node));
}

NodePtr FormulaParser::parsePrimary() {
  const Token token = peek();
  static constexpr StringLiteral keywords[] = {"and", "or", "not", "if",
                                               "else"};
  if (token.kind == Token::End || is_contained(keywords, token.spelling)) {
    expected("a formula");
    return nullptr;
  }
  if (token.kind == Token::Int || token.kind == Token::Real) {
    take();
    return parseNumber(token);
  }
  if (token.kind == Token::Text) {
    take();
    NodePtr node = make(Node::Text, token.begin);
    node->name = token.spelling.drop_front().drop_back();
    return finish(std::move(node));
  }
  if (takeIf("(")) {
    NodePtr node = parseOr();
    if (node && !peek().is(")")) {
      expected("')'");
      return nullptr;
    }
    if (node) {
      take();
      // The range keeps the parentheses, so that a caret shows what was meant.
      if (!source.anchor.isValid())
        node->range = source.at(token.begin, tokens[position - 1].end);
    }
    return node;
  }
  if (token.kind != Token::Name) {
    expected("a formula");
    return nullptr;
  }
  take();
  if (token.spelling == "inf" || token.spelling == "true" ||
      token.spelling == "false") {
    NodePtr node =
        make(token.spelling == "inf" ? Node::Real : Node::Bool, token.begin);
    node->real = HUGE_VAL;
    node->boolean = token.spelling == "true";
    return finish(std::move(node));
  }
  NodePtr node = make(peek().is("(") ? Node::Call : Node::Name, token.begin);
  node->name = token.spelling.str();
  node->headRange = rangeOf(token);
  if (node->kind == Node::Call && !parseArguments(*node))
    return nullptr;
  return finish(std::move(node));
}

bool FormulaParser::parseArguments(Node &call) {
  take();
  if (takeIf(")"))
    return true;
  do {
    if (!parseArgument(call))
      return false;
  } while (takeIf(","));
  if (takeIf(")"))
    return true;
  expected("',' or ')'");
  return false;
}

bool FormulaParser::parseArgument(Node &call) {
  bool named = peek().kind == Token::Name && position + 1 < tokens.size() &&
               tokens[position + 1].is("=");
  if (!named) {
    if (!call.arguments.empty()) {
      report.error(Message::PositionalAfterNamed, rangeOf(peek()));
      return false;
    }
    call.children.push_back(parseOr());
    return call.children.back() != nullptr;
  }
  Token name = take();
  take();
  for (const Node::Argument &other : call.arguments)
    if (other.name == name.spelling) {
      report.error(Message::ArgumentTwice, rangeOf(name), {other.name});
      return false;
    }
  NodePtr value = parseOr();
  if (!value)
    return false;
  call.arguments.push_back(
      {name.spelling.str(), rangeOf(name), std::move(value)});
  return true;
}

NodePtr parseFormula(const SourceText &source, Report &report) {
  std::vector<Token> tokens;
  if (!tokenize(source, report, tokens))
    return nullptr;
  FormulaParser parser(source, tokens, report);
  NodePtr node = parser.parse();
  if (node && parser.peek().kind != Token::End) {
    parser.expected("an operator");
    return nullptr;
  }
  return node;
}

} // namespace attnc::spec
