//===- CheckTest.cpp - Types, conversions and constants -------------------===//

#include "Evaluate.h"

#include "attnc/Spec/Print.h"

#include "gtest/gtest.h"

using namespace attnc::spec;

static std::string base(const std::string &rest) {
  return "attnc: 1\nheads: 12\nhead_dim: 64\n" + rest;
}

static ExprPtr mask(const std::string &formula) {
  std::string said;
  auto spec = parse(base("mask: " + formula + "\n"), &said);
  EXPECT_TRUE(spec) << said;
  return spec ? spec->mask : nullptr;
}

static ExprPtr score(const std::string &formula) {
  std::string said;
  auto spec = parse(base("score: " + formula + "\n"), &said);
  EXPECT_TRUE(spec) << said;
  return spec ? spec->score : nullptr;
}

TEST(Check, IntsBecomeRealsWhereTheyMeetOne) {
  ExprPtr e = score("Q @ K + (k - q)");
  ASSERT_TRUE(e->isApply(Op::Add));
  EXPECT_EQ(e->type, Type::Real);
  EXPECT_TRUE(e->operands[0]->isApply(Op::Dot));
  ASSERT_TRUE(e->operands[1]->isApply(Op::ToReal));
  ASSERT_TRUE(e->operands[1]->operands[0]->isApply(Op::Sub));
  EXPECT_EQ(e->operands[1]->operands[0]->type, Type::Int);
}

TEST(Check, DivisionOfIntsIsReal) {
  ExprPtr e = score("k / 2");
  ASSERT_TRUE(e->isApply(Op::Div));
  EXPECT_TRUE(e->operands[0]->isApply(Op::ToReal));
  EXPECT_EQ(e->operands[1]->real, 2.0);
}

TEST(Check, ConstantsFoldInTheirType) {
  EXPECT_EQ(score("1/16")->real, 0.0625);
  EXPECT_EQ(score("7 // 2")->real, 3.0);
  EXPECT_EQ(score("-7 // 2")->real, -4.0);
  EXPECT_EQ(score("-7 % 3")->real, 2.0);
  EXPECT_EQ(score("7 % -3")->real, -2.0);
  EXPECT_EQ(score("2 ** 62 - 1 + 2 ** 62")->real, 9223372036854775807.0);
  EXPECT_EQ(score("sqrt(head_dim)")->real, 8.0);
  EXPECT_EQ(score("9007199254740993 - 9007199254740992")->real, 1.0);
  EXPECT_TRUE(mask("9007199254740993 > 9007199254740992")->boolean);
  EXPECT_FALSE(mask("9007199254740993.0 > 9007199254740992.0")->boolean);
}

TEST(Check, ConditionsOfConstantsVanish) {
  EXPECT_TRUE(mask("true and k < q")->isApply(Op::Lt));
  EXPECT_TRUE(mask("k < q or heads > 20")->isApply(Op::Lt));
  EXPECT_FALSE(mask("k < q and false")->boolean);
  EXPECT_TRUE(mask("where(heads == 12, k < q, k > q)")->isApply(Op::Lt));
}

TEST(Check, ChainsAreConjunctions) {
  ExprPtr e = mask("0 <= q - k < 128");
  ASSERT_TRUE(e->isApply(Op::And));
  EXPECT_TRUE(
      sameExpr(*e->operands[0]->operands[1], *e->operands[1]->operands[0]));
}

TEST(Check, MacroNodesStandAtTheirCall) {
  std::string text = base("mask: window(5)\n");
  auto spec = parse(text);
  ASSERT_TRUE(spec);
  ASSERT_TRUE(spec->mask->isApply(Op::And));
  size_t length =
      spec->mask->range.End.getPointer() - spec->mask->range.Start.getPointer();
  EXPECT_EQ(length, std::string("window(5)").size());
}

TEST(Check, DotHasTheQueryFirst) {
  ExprPtr e = score("K @ Q");
  ASSERT_TRUE(e->isApply(Op::Dot));
  EXPECT_EQ(e->operands[0]->row, Row::Q);
  EXPECT_EQ(e->operands[1]->row, Row::K);
}

TEST(Check, AttentionOfTheScoreKeepsIt) {
  auto spec = parse(base("attention: softmax(score / 2, temperature=3)\n"));
  ASSERT_TRUE(spec);
  EXPECT_EQ(printFormula(*spec, *spec->score), "Q @ K / 8.0");
  EXPECT_EQ(printFormula(*spec, *spec->attention), "Q @ K / 8.0 / 2.0");
  EXPECT_EQ(spec->temperature->real, 3.0);
  EXPECT_FALSE(spec->sink);
}

TEST(Check, SizesAreInOrder) {
  auto spec = parse(base("kv_heads: 4\nquery_len: kv_len\n"));
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->sizes[Group].value, 3);
  EXPECT_EQ(spec->sizes[QueryLen].kind, Size::Derived);
  EXPECT_EQ(spec->sizes[QueryLen].formula->index, unsigned(KvLen));
  EXPECT_EQ(spec->findSize("kv_len"), unsigned(KvLen));
  EXPECT_FALSE(spec->findSize("nothing"));
}

TEST(Check, SameExprLooksAtBits) {
  EXPECT_TRUE(sameExpr(*makeReal(1), *makeReal(1)));
  EXPECT_FALSE(sameExpr(*makeReal(0.0), *makeReal(-0.0)));
  EXPECT_FALSE(sameExpr(*makeInt(1), *makeReal(1)));
  EXPECT_TRUE(sameExpr(*mask("k < q"), *mask("k  <  q")));
  EXPECT_FALSE(sameExpr(*mask("k < q"), *mask("q < k")));
}

TEST(Check, PrintedFormulasNeedNoMoreParentheses) {
  for (const char *formula :
       {"k - (q - i)", "(k - q) * i // 2", "-k ** 2", "(-k) ** 2", "k - -3",
        "not (k < q and i < 3)", "(k < q) == (i < 3)", "2 * (k + q) % 7",
        "-(k + q)", "min(k, q) - max(i, 3)"}) {
    auto spec = parse(
        base("mask: (" + std::string(formula) + ") == (" + formula + ")\n"));
    if (!spec) // a formula of truth values
      continue;
    EXPECT_EQ(printFormula(*spec, *spec->mask->operands[0]), formula);
  }
}

TEST(Check, LeastIntegerPrintsAndReadsBack) {
  auto spec = parse(base("mask: k > -9223372036854775807 - 1\n"));
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->mask->operands[1]->integer, INT64_MIN);
  EXPECT_EQ(print(*parse(print(*spec))), print(*spec));
}
