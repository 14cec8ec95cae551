//===- SpecFormulaTest.cpp - Formulas of the spec evaluator ---------------===//

#include "SpecFixture.h"

#include <cmath>

using namespace attnc::formula;

static constexpr double inf = HUGE_VAL;

/// The score of one pair, with Q = 2, K = 3 and the numbers x = -1.5, y = 4,
/// n = -7, m = 3 at hand.
static double score(const std::string &formula) {
  Arrays results =
      evaluate("heads: 1\nhead_dim: 1\ndtype: f64\noutputs: [score]\n"
               "score: \"" +
                   formula +
                   " + 0 * (x + y + n + m)\"\n"
                   "inputs:\n  x, y: f64\n  n, m: i32\n",
               {{"Q", {1, 1, 1, 1}, {2}},
                {"K", {1, 1, 1, 1}, {3}},
                {"V", {1, 1, 1, 1}, {1}},
                {"x", {}, {-1.5}},
                {"y", {}, {4}},
                {"n", {}, {}, {-7}},
                {"m", {}, {}, {3}}},
               {{"batch", 1}, {"query_len", 1}, {"kv_len", 1}});
  const std::vector<Number> &scores = results["score"].reals;
  return scores.empty() ? HUGE_VAL : double(scores[0]); // after an error
}

TEST(SpecFormula, OperatorsOfInts) {
  EXPECT_EQ(score("n // clamp(m, 1, 9)"), -3);
  EXPECT_EQ(score("n % clamp(m, 1, 9)"), 2);
  EXPECT_EQ(score("n * m - 1"), -22);
  EXPECT_EQ(score("m ** 2"), 9);
  EXPECT_EQ(score("abs(n)"), 7);
  EXPECT_EQ(score("sign(n)"), -1);
  EXPECT_EQ(score("min(n, m)"), -7);
  EXPECT_EQ(score("max(n, m)"), 3);
  EXPECT_EQ(score("clamp(n, -2, m)"), -2);
  EXPECT_EQ(score("n / 2"), -3.5);
}

TEST(SpecFormula, OperatorsOfReals) {
  EXPECT_EQ(score("Q @ K"), 6);
  EXPECT_EQ(score("x - y"), -5.5);
  EXPECT_EQ(score("-x * y"), 6);
  EXPECT_EQ(score("x / y"), -0.375);
  EXPECT_EQ(score("y ** 0.5"), 2);
  EXPECT_EQ(score("x ** 3"), -3.375);
  EXPECT_EQ(score("min(x, y)"), -1.5);
  EXPECT_EQ(score("clamp(y, x, 2)"), 2);
}

TEST(SpecFormula, Choices) {
  EXPECT_EQ(score("where(x < y, 1.0, 2.0)"), 1);
  EXPECT_EQ(score("where(x < y and not (n == m), 1.0, 2.0)"), 1);
  EXPECT_EQ(score("where(x > y or n != m, 1.0, 2.0)"), 1);
  EXPECT_EQ(score("where(n >= m, 1.0, 2.0)"), 2);
  EXPECT_EQ(score("where(0 <= m <= 3, 1.0, 2.0)"), 1);
}

TEST(SpecFormula, Functions) {
  EXPECT_EQ(score("floor(x)"), -2);
  EXPECT_EQ(score("ceil(x)"), -1);
  EXPECT_NEAR(score("exp(x)"), 0.22313016014842982, 1e-15);
  EXPECT_EQ(score("exp2(y)"), 16);
  EXPECT_NEAR(score("log(y)"), 1.3862943611198906, 1e-15);
  EXPECT_NEAR(score("log1p(y)"), 1.6094379124341003, 1e-15);
  EXPECT_EQ(score("sqrt(y)"), 2);
  EXPECT_EQ(score("rsqrt(y)"), 0.5);
  EXPECT_NEAR(score("tanh(x)"), -0.9051482536448664, 1e-15);
  EXPECT_NEAR(score("sigmoid(x)"), 0.18242552380635635, 1e-15);
  EXPECT_EQ(score("relu(x)"), 0);
  EXPECT_NEAR(score("elu(x)"), -0.7768698398515702, 1e-15);
  EXPECT_NEAR(score("silu(x)"), -0.2736382857095345, 1e-15);
  EXPECT_NEAR(score("gelu(x)"), -0.10021080190328713, 1e-15);
  EXPECT_NEAR(score("softplus(x)"), 0.20141327798275246, 1e-15);
  EXPECT_NEAR(score("erf(x)"), -0.9661051464753108, 1e-15);
  EXPECT_NEAR(score("sin(x)"), -0.9974949866040544, 1e-15);
  EXPECT_NEAR(score("cos(x)"), 0.0707372016677029, 1e-15);
  EXPECT_NEAR(score("softcap(y, 2)"), 1.9280551601516338, 1e-15);
}

TEST(SpecFormula, PowersAreThoseOfC) {
  EXPECT_EQ(score("(x * inf) ** y"), inf);
  EXPECT_EQ(score("(x * inf) ** m"), -inf);
  EXPECT_EQ(score("(x * inf) ** x"), 0);
  EXPECT_EQ(score("(x + 0.5) ** (y * inf)"), 1);
  EXPECT_EQ(score("(x * inf) ** 0.5"), inf);
}

TEST(SpecFormula, BucketsAndSlopes) {
  EXPECT_EQ(score("t5_bucket(n, 32, 128)"), 7);
  EXPECT_EQ(score("t5_bucket(m, 32, 128)"), 19);
  EXPECT_EQ(score("t5_bucket(n * 4, 32, 128)"), 11);
  EXPECT_EQ(score("t5_bucket(n * 100, 32, 128)"), 15);
  EXPECT_EQ(score("alibi_slope(h)"), 0.00390625);
}

TEST(SpecFormula, SlopesOfHeadsThatAreNoPowerOfTwo) {
  Arrays results = evaluate(
      "heads: 3\nhead_dim: 1\noutputs: [score]\nscore: alibi_slope(h)\n",
      {{"Q", {1, 3, 1, 1}, {0, 0, 0}},
       {"K", {1, 3, 1, 1}, {0, 0, 0}},
       {"V", {1, 3, 1, 1}, {0, 0, 0}}},
      {{"batch", 1}, {"query_len", 1}, {"kv_len", 1}});
  expectNear(results["score"], {0x1p-4, 0x1p-8, 0x1p-2});
}

TEST(SpecFormula, VectorsAndMatrices) {
  Arrays results = evaluate(
      "heads: 1\nhead_dim: 2\noutputs: [score]\n"
      "score: (W @ Q) @ K + u @ (K @ W) + Q @ (W.T @ where(K > 4, K, u))"
      " + l2_norm(Q) @ (K * t)\n"
      "inputs:\n  W: [2, 2]\n  u: [2]\n  t: i8[2]\n",
      {{"Q", {1, 1, 1, 2}, {3, 4}},
       {"K", {1, 1, 1, 2}, {5, -1}},
       {"V", {1, 1, 1, 2}, {0, 0}},
       {"W", {2, 2}, {1, 2, 3, 4}},
       {"u", {2}, {10, 20}},
       {"t", {2}, {}, {2, 5}}},
      {{"batch", 1}, {"query_len", 1}, {"kv_len", 1}});
  // W Q = (11, 25); K W = (2, 6); where = (5, 20), W.T of it = (65, 90);
  // Q / 5 = (0.6, 0.8), K t = (10, -5).
  expectNear(results["score"], {55 - 25 + 20 + 120 + 195 + 360 + 6 - 4});
}

TEST(SpecFormula, VariablesAndTables) {
  Arrays results = evaluate(
      "heads: 4\nkv_heads: 2\nhead_dim: 1\noutputs: [score]\noffset: past[b]\n"
      "mask: 0 <= q < 9\n"
      "score: 10000 * table[b, g, k] + 1000 * h + 100 * i + 10 * q + k + "
      "where(seen[b, q], 0.5, 0)\n"
      "inputs:\n  past: i32[batch]\n  table: i8[batch, kv_heads, kv_len]\n"
      "  seen: bool[batch, 9]\n",
      {{"Q", {1, 4, 1, 1}, {0, 0, 0, 0}},
       {"K", {1, 2, 2, 1}, {0, 0, 0, 0}},
       {"V", {1, 2, 2, 1}, {0, 0, 0, 0}},
       {"past", {1}, {}, {5}},
       {"table", {1, 2, 2}, {}, {1, 2, 3, 4}},
       {"seen", {1, 9}, {}, {0, 0, 0, 0, 0, 1, 0, 0, 0}}},
      {{"batch", 1}, {"query_len", 1}, {"kv_len", 2}});
  expectNear(results["score"], {10050.5, 20051.5, 11050.5, 21051.5, 32050.5,
                                42051.5, 33050.5, 43051.5});
}

TEST(SpecFormula, ConstantsHaveTheTypeOfReals) {
  auto run = [](const std::string &dtype) {
    Arrays results = evaluate(
        "heads: 1\nhead_dim: 1\noutputs: [score]\nscore: Q @ K * 0.1\ndtype: " +
            dtype + "\n",
        {{"Q", {1, 1, 1, 1}, {1}},
         {"K", {1, 1, 1, 1}, {1}},
         {"V", {1, 1, 1, 1}, {0}}},
        {{"batch", 1}, {"query_len", 1}, {"kv_len", 1}});
    return double(results["score"].reals.front());
  };
  EXPECT_EQ(run("f64"), 0.1);
  EXPECT_EQ(run("f32"), double(0.1f));
  EXPECT_EQ(run("f16"), double(0.1f));
}
