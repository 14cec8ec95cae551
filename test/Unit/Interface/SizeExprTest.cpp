//===- SizeExprTest.cpp - Tests of size expressions -----------------------===//

#include "attnc/Interface/SizeExpr.h"

#include "gtest/gtest.h"

#include <limits>

using namespace attnc;

namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

SizeExpr parse(llvm::StringRef text) {
  std::string error;
  std::optional<SizeExpr> expr = SizeExpr::parse(text, error);
  EXPECT_TRUE(expr.has_value()) << text.str() << ": " << error;
  return expr.value_or(SizeExpr());
}

std::string errorOf(const std::string &text) {
  std::string error;
  EXPECT_EQ(SizeExpr::parse(text, error), std::nullopt) << text;
  return error;
}

TEST(SizeExprTest, PrintsWhatItReads) {
  for (const char *text :
       {"12", "kv_len", "kv_len - query_len", "a - (b - c)", "a - b - c",
        "(a + b) * c", "a + b * c", "a // (b % c)", "a // b % c",
        "min(a, max(b, 3)) + 1", "a + (-3)", "-3", "min(-3, a)"}) {
    EXPECT_EQ(parse(text).str(), text);
    EXPECT_EQ(parse(parse(text).str()), parse(text));
  }
}

TEST(SizeExprTest, FoldsConstantsAndNeutralElements) {
  EXPECT_EQ(parse("12 * 64 + 0").constantValue(), 768);
  EXPECT_EQ(parse("a * 1 + 0").sizeName(), "a");
  EXPECT_EQ(parse("0 + 1 * a // 1 - 0").sizeName(), "a");
}

TEST(SizeExprTest, KeepsAFoldThatWouldOverflow) {
  SizeExpr big = SizeExpr::constant(kMost) + SizeExpr::constant(1);
  EXPECT_EQ(big.constantValue(), std::nullopt);
  EXPECT_EQ(big.evaluate([](auto) { return std::nullopt; }), std::nullopt);
}

TEST(SizeExprTest, RefusesWhatIsNoExpression) {
  EXPECT_EQ(errorOf(""), "expected a size, a number or '('");
  EXPECT_EQ(errorOf("a +"), "expected a size, a number or '('");
  EXPECT_EQ(errorOf("a b"), "expected an operator before 'b'");
  EXPECT_EQ(errorOf("(a"), "expected ')'");
  EXPECT_EQ(errorOf("min(a)"), "expected ',' in 'min'");
  EXPECT_EQ(errorOf("min a"), "expected '(' after 'min'");
  EXPECT_EQ(errorOf("a & b"), "expected an operator before '& b'");
  EXPECT_EQ(errorOf("&"), "unexpected '&'");
  EXPECT_EQ(errorOf("99999999999999999999"),
            "'99999999999999999999' is not a 64-bit integer");
  EXPECT_EQ(errorOf("-"), "'-' is not a 64-bit integer");
  EXPECT_EQ(errorOf(std::string(1000, '(')), "the expression is too long");
  EXPECT_EQ(errorOf(std::string(2000, 'a')), "the expression is too long");
}

TEST(SizeExprTest, RefusesAnExpressionDeeperThanTheStackOfTheObject) {
  std::string text;
  for (unsigned i = 0; i < SizeExpr::kMaxDepth; ++i)
    text += "a - (";
  text += "a";
  text.append(SizeExpr::kMaxDepth, ')');
  EXPECT_EQ(errorOf(text), "the expression nests too deeply");
}

TEST(SizeExprTest, RoundsTowardsMinusInfinity) {
  EXPECT_EQ(SizeExpr::apply(SizeExpr::Op::FloorDiv, -7, 2), -4);
  EXPECT_EQ(SizeExpr::apply(SizeExpr::Op::FloorDiv, 7, -2), -4);
  EXPECT_EQ(SizeExpr::apply(SizeExpr::Op::Mod, -7, 2), 1);
  EXPECT_EQ(SizeExpr::apply(SizeExpr::Op::Mod, 7, -2), -1);
  EXPECT_EQ(SizeExpr::apply(SizeExpr::Op::Mod, kLeast, -1), 0);
}

TEST(SizeExprTest, SaysOverflowInsteadOfWrapping) {
  EXPECT_EQ(SizeExpr::apply(SizeExpr::Op::Add, kMost, 1), std::nullopt);
  EXPECT_EQ(SizeExpr::apply(SizeExpr::Op::Sub, kLeast, 1), std::nullopt);
  EXPECT_EQ(SizeExpr::apply(SizeExpr::Op::Mul, kMost, 2), std::nullopt);
  EXPECT_EQ(SizeExpr::apply(SizeExpr::Op::FloorDiv, kLeast, -1), std::nullopt);
  EXPECT_EQ(SizeExpr::apply(SizeExpr::Op::FloorDiv, 1, 0), std::nullopt);
  EXPECT_EQ(SizeExpr::apply(SizeExpr::Op::Mod, 1, 0), std::nullopt);
}

TEST(SizeExprTest, SubstitutesAndFolds) {
  SizeExpr expr = parse("heads * value_dim");
  SizeExpr twelve =
      expr.substitute([](llvm::StringRef name) -> std::optional<SizeExpr> {
        if (name == "heads")
          return SizeExpr::constant(12);
        return std::nullopt;
      });
  EXPECT_EQ(twelve.str(), "12 * value_dim");
  EXPECT_EQ(expr.sizeNames(), (std::vector<std::string>{"heads", "value_dim"}));
}

} // namespace
