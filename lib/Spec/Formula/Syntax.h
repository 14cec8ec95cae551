//===- Syntax.h - Formulas as they are written ----------------------------===//
//
// Lexer and parser: text -> tree of nodes with source ranges, names not
// resolved. Precedence, loosest first:
//   or < and < not < == != < <= > >= (chains) < + - < * / // % @
//   < unary - < ** (right) < call, index, .T
//
// Tests: test/Unit/Spec/SyntaxTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_FORMULA_SYNTAX_H
#define ATTNC_LIB_SPEC_FORMULA_SYNTAX_H

#include "Diagnostic/Report.h"
#include "Language/Language.h"

#include "attnc/Spec/Expr.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attnc::spec {

/// Characters of a formula and where they stand. Texts of the compiler itself
/// (defaults, named masks) stand nowhere; all their nodes get `anchor`.
struct SourceText {
  llvm::StringRef text;
  llvm::SMRange anchor;   // valid: the text is not in the file
  bool isOfPairs = false; // a formula of pairs has no functions of layers

  llvm::SMRange at(size_t begin, size_t end) const;
  llvm::SMRange all() const { return at(0, text.size()); }
};

struct Token {
  enum Kind : uint8_t {
    End,
    Int,
    Real,
    Text,
    Name,
    Symbol, // spelling says which
  };
  Kind kind = End;
  llvm::StringRef spelling;
  size_t begin = 0, end = 0; // in the text

  bool is(llvm::StringRef symbol) const {
    return (kind == Symbol || kind == Name) && spelling == symbol;
  }
};

/// Splits a text; false after an error. The last token is End.
bool tokenize(const SourceText &source, Report &report,
              std::vector<Token> &tokens);

struct Node;
using NodePtr = std::unique_ptr<Node>;

struct Node {
  enum Kind : uint8_t {
    Int,
    Real,
    Bool,
    Text,      // name: the text without quotes
    Name,      // name
    Call,      // name(children..., argument=...)
    Index,     // children[0][children[1], ...]
    Transpose, // children[0].T
    Unary,     // op children[0]
    Binary,    // children[0] op children[1]
    Chain,     // children[0] ops[0] children[1] ops[1] ...
  };
  Kind kind;
  llvm::SMRange range;
  llvm::SMRange headRange; // Call: the function's name; Binary: the operator
  std::string name;
  int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  Op op = Op::Add;
  std::vector<Op> ops;
  std::vector<NodePtr> children;
  struct Argument {
    std::string name;
    llvm::SMRange range; // of the name
    NodePtr value;
  };
  std::vector<Argument> arguments; // Call: the named ones
  unsigned depth = 1;              // of nesting: a chain a + b + c is one level
  unsigned height = 1;             // of the tree, in which a chain is a list
};

/// How deep a formula may be nested, and how high its tree may be: recursion
/// follows both.
constexpr unsigned maxFormulaDepth = 200, maxFormulaHeight = 800;

/// Parses a whole text as one formula; null after an error.
NodePtr parseFormula(const SourceText &source, Report &report);

/// Parses formulas out of a token list that holds more than a formula.
class FormulaParser {
public:
  FormulaParser(const SourceText &source, llvm::ArrayRef<Token> tokens,
                Report &report)
      : source(source), tokens(tokens), report(report) {}

  /// One formula from the current token on; null after an error.
  NodePtr parse();
  const Token &peek() const { return tokens[position]; }
  Token take() {
    return tokens[peek().kind == Token::End ? position : position++];
  }
  bool takeIf(llvm::StringRef symbol);
  llvm::SMRange rangeOf(const Token &token) const {
    return source.at(token.begin, token.end);
  }
  /// Reports that something else is expected at the current token.
  SourceDiagnostic &expected(llvm::StringRef what);
  SourceDiagnostic &strayEquals();

private:
  NodePtr parseOr();
  NodePtr parseAnd();
  NodePtr parseNot();
  NodePtr parseComparison();
  NodePtr parseSum();
  NodePtr parseProduct();
  NodePtr parseUnary();
  NodePtr parsePower();
  NodePtr parsePostfix();
  NodePtr parsePrimary();
  NodePtr parseNumber(const Token &token);
  bool parseArguments(Node &call);
  bool parseArgument(Node &call);
  NodePtr parseIndex(NodePtr base);
  void ofModule(size_t begin);
  void linearOfModule(size_t begin);
  void methodCall(size_t begin);
  NodePtr exclusiveOr(NodePtr left);
  /// Arguments as they are written, from the `(` at a token on, and the index
  /// of the `)`.
  struct WrittenArguments {
    llvm::SmallVector<llvm::StringRef> texts;
    size_t close = 0;
  };
  std::optional<WrittenArguments> writtenArguments(size_t open) const;
  const FunctionInfo *functionHere(llvm::StringRef name) const;

  using Rule = NodePtr (FormulaParser::*)();
  NodePtr parseLeft(Rule next, llvm::ArrayRef<Op> operators);
  NodePtr make(Node::Kind kind, size_t begin);
  NodePtr finish(NodePtr node, bool goesOn = false);
  bool enter();

  const SourceText &source;
  llvm::ArrayRef<Token> tokens;
  Report &report;
  size_t position = 0;
  unsigned depth = 0;
};

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_FORMULA_SYNTAX_H
