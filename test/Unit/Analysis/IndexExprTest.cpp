//===- IndexExprTest.cpp - Tests of integer expressions -------------------===//

#include "attnc/Analysis/Expr/IndexExpr.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

struct IndexExprTest : testing::Test {
  IndexExprs exprs;
  IndexExpr q = exprs.symbol(IndexExprs::Row);
  IndexExpr k = exprs.symbol(IndexExprs::Key);
  IndexExpr q0 = exprs.symbol(IndexExprs::RowBegin);
  IndexExpr n = exprs.symbol(IndexExprs::KeyCount);
  IndexExpr x = exprs.makeSymbol({-100, 100});
  IndexExpr d = exprs.makeSymbol({1, 1000});
};

TEST_F(IndexExprTest, EqualSumsAreOneNode) {
  EXPECT_EQ(exprs.add(exprs.add(q, x), 3), exprs.add(x, exprs.add(q, 3)));
  EXPECT_EQ(exprs.sub(exprs.add(q, x), x), q);
  EXPECT_TRUE(exprs.sub(q, q)->isConstant(0));
}

TEST_F(IndexExprTest, ProductsAreDistributed) {
  EXPECT_EQ(exprs.mul(d, exprs.add(x, 2)),
            exprs.add(exprs.mul(d, x), exprs.scale(d, 2)));
}

TEST_F(IndexExprTest, MultiplesLeaveTheDivision) {
  IndexExpr eight = exprs.constant(8);
  EXPECT_EQ(exprs.floorDiv(exprs.add(exprs.scale(q, 8), 17), eight),
            exprs.add(q, 2));
  EXPECT_EQ(exprs.floorDiv(exprs.add(q, -1), eight),
            exprs.add(exprs.floorDiv(exprs.add(q, 7), eight), -1));
}

TEST_F(IndexExprTest, DivisionRoundsDown) {
  for (int64_t v = -20; v <= 20; ++v) {
    IndexExpr e = exprs.floorDiv(exprs.constant(v), exprs.constant(3));
    EXPECT_EQ(e->value * 3 + ((v % 3) + 3) % 3, v);
  }
}

TEST_F(IndexExprTest, ProvesOrderOfSumsAndMaxima) {
  IndexExpr zero = exprs.constant(0);
  IndexExpr a = exprs.max(exprs.sub(exprs.add(q0, x), d), zero);
  IndexExpr b = exprs.max(exprs.add(exprs.add(q0, x), 1), zero);
  EXPECT_TRUE(exprs.provablyLessEqual(a, b));
  EXPECT_FALSE(exprs.provablyLessEqual(b, a));
  EXPECT_TRUE(exprs.provablyLessEqual(exprs.min(q0, n), n));
  EXPECT_FALSE(exprs.provablyLessEqual(q0, n));
}

TEST_F(IndexExprTest, MinimaAndMaximaThatAreKnownVanish) {
  EXPECT_EQ(exprs.max(n, exprs.constant(0)), n);
  EXPECT_EQ(exprs.min(exprs.min(x, n), n), exprs.min(x, n));
}

TEST_F(IndexExprTest, OverflowIsSeen) {
  IndexExpr big = exprs.makeSymbol({0, IndexBounds::limit - 1});
  EXPECT_FALSE(big->mayOverflow);
  EXPECT_TRUE(exprs.add(big, 1)->mayOverflow);
  EXPECT_TRUE(exprs.mul(n, exprs.mul(n, n))->mayOverflow);
  EXPECT_TRUE(exprs.scale(exprs.constant(INT64_MAX), 2)->mayOverflow);
  // d * floor(x / d) is no larger than x, though d * (x / 1) would be.
  EXPECT_FALSE(exprs.mul(d, exprs.floorDiv(big, d))->mayOverflow);
}

TEST_F(IndexExprTest, EvaluatesEveryKind) {
  IndexExpr e = exprs.select(
      {exprs.sub(x, d)}, exprs.mul(x, d),
      exprs.add(exprs.floorDiv(exprs.scale(x, 3), d), exprs.min(q0, n)));
  //                  q, k, q0, q1, n, x, d
  EXPECT_EQ(evaluate(e, {0, 0, 5, 6, 4, 0, 0, 7, 2}), 14);
  EXPECT_EQ(evaluate(e, {0, 0, 5, 6, 4, 0, 0, -7, 2}), -11 + 4);
}

TEST_F(IndexExprTest, CountsSharedOperationsOnce) {
  IndexExpr sum = exprs.add(q0, x);
  EXPECT_EQ(countOperations({sum, exprs.min(sum, n)}), 2u);
}

TEST_F(IndexExprTest, HugeExpressionsEnd) {
  IndexExpr e = exprs.add(q, x);
  for (int i = 0; i < 60; ++i)
    e = exprs.mul(exprs.add(e, i), exprs.add(exprs.sub(e, k), d));
  EXPECT_TRUE(e->mayOverflow);
}

} // namespace
