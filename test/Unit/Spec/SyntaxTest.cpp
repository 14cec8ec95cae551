//===- SyntaxTest.cpp - How formulas are read -----------------------------===//

#include "Formula/Syntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace attnc;
using namespace attnc::spec;
using namespace llvm;

static std::string dump(const Node &node);

static std::string dumpAll(StringRef head, ArrayRef<NodePtr> nodes) {
  std::string text = "(" + head.str();
  for (const NodePtr &node : nodes)
    text += " " + dump(*node);
  return text + ")";
}

/// The tree with all its parentheses.
static std::string dump(const Node &node) {
  switch (node.kind) {
  case Node::Int:
    return std::to_string(node.integer);
  case Node::Real:
    return std::to_string(node.real);
  case Node::Bool:
    return node.boolean ? "true" : "false";
  case Node::Text:
    return "'" + node.name + "'";
  case Node::Name:
    return node.name;
  case Node::Call: {
    std::string text = dumpAll(node.name, node.children);
    for (const Node::Argument &argument : node.arguments)
      text += "{" + argument.name + " " + dump(*argument.value) + "}";
    return text;
  }
  case Node::Index:
    return dumpAll("[]", node.children);
  case Node::Transpose:
    return dumpAll("T", node.children);
  case Node::Unary:
  case Node::Binary:
    return dumpAll(opSpelling(node.op), node.children);
  case Node::Chain: {
    std::string ops;
    for (Op op : node.ops)
      ops += opSpelling(op);
    return dumpAll(ops, node.children);
  }
  }
  return "";
}

/// The tree of a formula, or the first line of what is wrong.
static std::string read(const std::string &text) {
  SourceMgr sources;
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text, "f"),
                             SMLoc());
  SourceDiagnostics diagnostics(sources);
  Report report(diagnostics);
  NodePtr node =
      parseFormula({sources.getMemoryBuffer(1)->getBuffer(), {}}, report);
  std::string said;
  raw_string_ostream os(said);
  diagnostics.print(os);
  EXPECT_EQ(node == nullptr, diagnostics.errors() == 1);
  return node ? dump(*node) : StringRef(said).split('\n').first.str();
}

TEST(Syntax, Precedence) {
  // Each operator beside the next tighter one, on both sides.
  EXPECT_EQ(read("a or b and c or d"), "(or (or a (and b c)) d)");
  EXPECT_EQ(read("not a and b"), "(and (not a) b)");
  EXPECT_EQ(read("not a < b"), "(not (< a b))");
  EXPECT_EQ(read("a + b < c - d"), "(< (+ a b) (- c d))");
  EXPECT_EQ(read("a + b * c - d / e"), "(- (+ a (* b c)) (/ d e))");
  EXPECT_EQ(read("a * -b"), "(* a (- b))");
  EXPECT_EQ(read("-a * b"), "(* (- a) b)");
  EXPECT_EQ(read("-a ** b"), "(- (** a b))");
  EXPECT_EQ(read("a ** -b"), "(** a (- b))");
  EXPECT_EQ(read("a[b] ** c(d)"), "(** ([] a b) (c d))");
  EXPECT_EQ(read("(a or b) and c"), "(and (or a b) c)");
  EXPECT_EQ(read("(a + b) * c"), "(* (+ a b) c)");
  EXPECT_EQ(read("not not a"), "(not (not a))");
  EXPECT_EQ(read("- - a"), "(- (- a))");
}

TEST(Syntax, Associativity) {
  for (const char *op : {"+", "-", "*", "/", "//", "%", "@", "and", "or"}) {
    std::string o = op;
    EXPECT_EQ(read("a " + o + " b " + o + " c"),
              "(" + o + " (" + o + " a b) c)");
  }
  EXPECT_EQ(read("a ** b ** c"), "(** a (** b c))");
  EXPECT_EQ(read("a * b // c % d @ e"), "(@ (% (// (* a b) c) d) e)");
}

TEST(Syntax, Chains) {
  EXPECT_EQ(read("a < b <= c != d"), "(<<=!= a b c d)");
  EXPECT_EQ(read("(a < b) < c"), "(< (< a b) c)");
}

TEST(Syntax, Postfix) {
  EXPECT_EQ(read("a[b, c + 1].T"), "(T ([] a b (+ c 1)))");
  EXPECT_EQ(read("f()"), "(f)");
  EXPECT_EQ(read("f(a, x=b + 1, y=2)"), "(f a){x (+ b 1)}{y 2}");
  EXPECT_EQ(read("f(a == b)"), "(f (== a b))");
}

TEST(Syntax, Numbers) {
  EXPECT_EQ(read("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(read("0.5"), "0.500000");
  EXPECT_EQ(read("25e-2"), "0.250000");
  EXPECT_EQ(read("inf"), "inf");
  EXPECT_EQ(read("true"), "true");
  EXPECT_EQ(read("\"b q\""), "'b q'");
}

TEST(Syntax, RangesKeepParentheses) {
  std::string text = "a + (b * c)[0]";
  SourceMgr sources;
  SourceDiagnostics diagnostics(sources);
  Report report(diagnostics);
  NodePtr node = parseFormula({text, {}}, report);
  ASSERT_TRUE(node);
  EXPECT_EQ(Report::textOf(node->range), text);
  EXPECT_EQ(Report::textOf(node->children[1]->range), "(b * c)[0]");
  EXPECT_EQ(Report::textOf(node->children[1]->children[0]->range), "(b * c)");
  EXPECT_EQ(Report::textOf(node->headRange), "+");
}

TEST(Syntax, Errors) {
  EXPECT_EQ(read(""), "f:1:1: error: expected a formula, got the end [syntax]");
  EXPECT_EQ(read("a +"),
            "f:1:4: error: expected a formula, got the end [syntax]");
  EXPECT_EQ(read("a b"),
            "f:1:3: error: expected an operator, got 'b' [syntax]");
  EXPECT_EQ(read("a[1"),
            "f:1:4: error: expected ',' or ']', got the end [syntax]");
  EXPECT_EQ(read("a.x"),
            "f:1:3: error: expected 'T' (transpose), got 'x' [syntax]");
  EXPECT_EQ(
      read("f(x=1, 2)"),
      "f:1:8: error: positional arguments must precede named ones [syntax]");
  EXPECT_EQ(read("f(x=1, x=2)"),
            "f:1:8: error: the argument 'x' is given twice [arguments]");
  EXPECT_EQ(read("0..3"),
            "f:1:2: error: expected an operator, got '..' [syntax]");
}

TEST(Syntax, DepthIsLimited) {
  std::string deep(250, '(');
  EXPECT_NE(read(deep + "a" + std::string(250, ')')).find("[too-deep]"),
            std::string::npos);
  EXPECT_NE(read(std::string(250, '-') + "a").find("[too-deep]"),
            std::string::npos);
  std::string chain = "a";
  for (int i = 0; i < 250; ++i)
    chain += " + a";
  // A flat chain is not nesting.
  EXPECT_EQ(read(chain).find("[too-deep]"), std::string::npos);
  EXPECT_EQ(read(std::string(100, '(') + "a" + std::string(100, ')')), "a");
}
