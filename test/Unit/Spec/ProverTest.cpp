//===- ProverTest.cpp - What follows from ranges and guards ---------------===//

#include "Proof/Prover.h"

#include "Evaluate.h"

#include "gtest/gtest.h"

using namespace attnc::spec;

namespace {
/// Formulas by their text, in a spec with a size n and a table t in 0..7.
class ProverTest : public ::testing::Test {
protected:
  /// The condition `formula` as a checked one.
  ExprPtr condition(const std::string &formula) {
    std::string said;
    spec = parse("attnc: 1\nheads: 12\nkv_heads: 4\nhead_dim: 8\n"
                 "sizes: {n: any}\nscore: Q @ K + t[b] + y\n"
                 "mask: (" +
                     formula +
                     ") and (k < 1000000 + y)\ninputs:\n"
                     "  t: i32[batch] in 0..7\n  y: i32\n  z: f32[n]\n"
                     "offset: kv_len - query_len\nattention: "
                     "softmax(score, sink=z[clamp(y, 0, n - 1)])\n",
                 &said);
    EXPECT_TRUE(spec) << formula << said;
    return spec ? spec->mask->operands[0] : makeBool(true);
  }
  /// Whether `guard` implies `goal`, a comparison a <= b.
  bool implies(const std::string &guard, const std::string &goal) {
    ExprPtr both = condition("(" + guard + ") == (" + goal + ")");
    Prover prover(*spec, Domain());
    if (atCall)
      for (const Precondition &needed : spec->preconditions)
        prover.know(needed.condition);
    const Expr &e = *both->operands[1];
    prover.assume(both->operands[0], true);
    return prover.proves(prover.linear(e.operands[1]) -
                         prover.linear(e.operands[0]));
  }
  std::optional<AttentionSpec> spec;
  bool atCall = false; // what the call checks is known
};
} // namespace

TEST_F(ProverTest, KnowsRangesOfVariables) {
  EXPECT_TRUE(implies("k == k", "0 <= k"));
  EXPECT_TRUE(implies("k == k", "k <= kv_len - 1"));
  EXPECT_TRUE(implies("k == k", "q <= kv_len - 1"));
  EXPECT_TRUE(implies("k == k", "h <= 11"));
  EXPECT_TRUE(implies("k == k", "g * 3 <= h"));
  EXPECT_TRUE(implies("k == k", "t[b] <= 7"));
  EXPECT_FALSE(implies("k == k", "0 <= q"));
  EXPECT_FALSE(implies("k == k", "1 <= n"));
}

TEST_F(ProverTest, UsesGuards) {
  EXPECT_TRUE(implies("k <= q", "0 <= q"));
  EXPECT_TRUE(implies("0 <= q - k < 128", "q - k <= 127"));
  EXPECT_TRUE(implies("k == q", "0 <= q"));
  EXPECT_TRUE(implies("not (k > q)", "k <= q"));
  EXPECT_TRUE(implies("not (k > q or k < 5)", "5 <= q"));
}

TEST_F(ProverTest, TriesBothCases) {
  EXPECT_TRUE(implies("k < 5 or k < 7", "k <= 6"));
  EXPECT_TRUE(implies("k != 0", "1 <= k"));
  EXPECT_TRUE(implies("k == k", "0 <= max(q, 0)"));
  EXPECT_TRUE(implies("k == k", "clamp(y, 2, 9) <= 9"));
  EXPECT_TRUE(implies("k == k", "0 <= abs(y)"));
  EXPECT_TRUE(
      implies("k == k", "where(y < 3, 3, y) - y <= where(y < 3, 3 - y, 0)"));
}

TEST_F(ProverTest, KnowsQuotients) {
  EXPECT_TRUE(implies("k == k", "y % 16 <= 15"));
  EXPECT_TRUE(implies("k == k", "0 <= y % 16"));
  EXPECT_TRUE(implies("k == k", "k // 4 <= k"));
  EXPECT_TRUE(implies("k == k", "k // 4 * 4 <= k"));
  EXPECT_TRUE(implies("q // 8 == k // 8", "q - k <= 7"));
  EXPECT_FALSE(implies("k == k", "0 <= q // 8"));
}

TEST_F(ProverTest, KnowsQuotientsBySizes) {
  atCall = true;
  EXPECT_TRUE(implies("k == k", "y % n <= n - 1"));
  EXPECT_TRUE(implies("k == k", "0 <= y % n"));
  EXPECT_TRUE(implies("k == k", "k // n <= k"));
  EXPECT_TRUE(implies("k == k", "1 <= (k + n) // n"));
  EXPECT_TRUE(implies("k == k", "y <= y // n * n + y % n"));
  EXPECT_FALSE(implies("k == k", "(k + n) // n <= 1"));
  EXPECT_FALSE(implies("k == k", "0 <= y // n"));
  EXPECT_FALSE(implies("k == k", "y % n <= n - 2"));
}

TEST_F(ProverTest, KnowsProducts) {
  EXPECT_TRUE(implies("k == k", "b * kv_len + k <= batch * kv_len - 1"));
  EXPECT_FALSE(implies("k == k", "b * kv_len + q <= b * kv_len - 1"));
}

TEST_F(ProverTest, BoundsUseRelations) {
  condition("k < q");
  Prover prover(*spec, Domain());
  auto [least, greatest] =
      prover.bounds(prover.linear(makeVariable(Variable::Q)));
  ASSERT_TRUE(greatest);
  EXPECT_EQ(*greatest, maxSize - 1);
  ASSERT_TRUE(least);
  EXPECT_EQ(*least, 1 - maxSize);
}

TEST_F(ProverTest, FailuresAreOfSizes) {
  condition("k < q");
  Prover prover(*spec, Domain());
  auto failures = prover.failures(prover.linear(makeVariable(Variable::Q)));
  ASSERT_EQ(failures.size(), 1u);
  ASSERT_EQ(failures[0].size(), 1u); // query_len - kv_len - 1 >= 0
  EXPECT_EQ(failures[0][0].terms.size(), 2u);
  EXPECT_EQ(failures[0][0].constant, -1);
}

TEST_F(ProverTest, ForgetsGuards) {
  ExprPtr guard = condition("k <= q");
  Prover prover(*spec, Domain());
  LinearForm q = prover.linear(makeVariable(Variable::Q));
  Prover::Mark mark = prover.mark();
  prover.assume(guard, true);
  EXPECT_TRUE(prover.proves(q));
  prover.forget(mark);
  EXPECT_FALSE(prover.proves(q));
}
