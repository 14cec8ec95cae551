//===- SpecAttentionTest.cpp - Rows of attention by their formulas --------===//

#include "SpecFixture.h"

#include <cmath>

using namespace attnc::formula;

static const double inf = HUGE_VAL;
static const double nan_ = std::nan("");

/// Attention of one query over keys whose scores are s, and whose values are 1,
/// 2, 4, ...
static Arrays ofScores(const std::string &keys, std::vector<double> s,
                       const std::string &inputs = "",
                       std::initializer_list<Given> more = {}) {
  int64_t count = int64_t(s.size());
  std::vector<double> values, zeros(s.size());
  for (int64_t k = 0; k < count; ++k)
    values.push_back(std::ldexp(1.0, int(k)));
  std::vector<Given> tensors = more;
  Arrays results =
      evaluate("heads: 1\nhead_dim: 1\ndtype: f64\nscore: s[k]\n" + keys +
                   "inputs:\n  s: [kv_len]\n" + inputs,
               {{"Q", {1, 1, 1, 1}, {0}},
                {"K", {1, 1, count, 1}, zeros},
                {"V", {1, 1, count, 1}, values},
                {"s", {count}, s},
                {"t", {}, {more.size() ? more.begin()->reals[0] : 0}}},
               {{"batch", 1}, {"query_len", 1}, {"kv_len", int(count)}});
  return results;
}

TEST(SpecAttention, SoftmaxAndItsLogarithm) {
  double l3 = std::log(3.0);
  Arrays results = ofScores("outputs: [lse, attention]\n", {0, l3});
  expectNear(results["attention"], {0.25, 0.75});
  expectNear(results["O"], {1.75});
  expectNear(results["lse"], {std::log(4.0)});
}

TEST(SpecAttention, LargeScoresDoNotOverflow) {
  Arrays results = ofScores("outputs: [lse]\n", {20000, 20000});
  expectNear(results["O"], {1.5});
  expectNear(results["lse"], {20000 + std::log(2.0)});
}

TEST(SpecAttention, SinkAndTemperature) {
  double l2 = std::log(2.0);
  Arrays results =
      ofScores("attention: softmax(score, sink=t, temperature=2.0)\n"
               "outputs: [lse]\n",
               {2 * l2, 0}, "  t: f64\n", {{"t", {}, {l2}}});
  expectNear(results["O"], {(2.0 * 1 + 1 * 2) / 5});
  expectNear(results["lse"], {std::log(5.0)});
}

TEST(SpecAttention, MasksAndRowsWithoutAKey) {
  Arrays some =
      ofScores("mask: k % 2 == 1\noutputs: [lse, score]\n", {5, 1, nan_, 1});
  expectNear(some["O"], {5});
  expectNear(some["score"], {-inf, 1, -inf, 1});
  Arrays none = ofScores("mask: k > q + 5\noutputs: [lse]\n", {5, 1});
  expectNear(none["O"], {0});
  expectNear(none["lse"], {-inf});
}

TEST(SpecAttention, InfiniteScoresWeighNothing) {
  expectNear(ofScores("", {-inf, 0, 0})["O"], {3});
  expectNear(ofScores("attention: score + 1\n", {-inf, 1, 0})["O"], {8});
}

TEST(SpecAttention, WeightsThatAreNoSoftmax) {
  expectNear(ofScores("attention: relu(score)\n", {-1, 2, 3})["O"], {16});
  expectNear(ofScores("attention: score / sum(score)\n", {1, 3})["O"], {1.75});
  expectNear(ofScores("attention: score / sum(score)\n", {0, 0})["O"], {0});
  expectNear(ofScores("attention: score / count()\n", {1, 3})["O"], {3.5});
}

TEST(SpecAttention, SparsemaxAndTopK) {
  expectNear(ofScores("attention: sparsemax(score)\n"
                      "outputs: [attention]\n",
                      {0.5, 1, -3})["attention"],
             {0.25, 0.75, 0});
  expectNear(
      ofScores("attention: softmax(top_k(score, 2))\n", {1, 3, 1, 3})["O"],
      {5});
  // Of equal scores the lower key.
  expectNear(ofScores("attention: softmax(top_k(score, 1))\n", {3, 3, 1})["O"],
             {1});
}

TEST(SpecAttention, SoftmaxInsideOfAFormula) {
  expectNear(ofScores("attention: softmax(score) * 2 - sum(softmax(score))\n"
                      "outputs: [attention]\n",
                      {0, std::log(3.0)})["attention"],
             {-0.5, 0.5});
}

TEST(SpecAttention, GroupsShareKeysAndWidthsDiffer) {
  Arrays results = evaluate(
      "heads: 4\nkv_heads: 2\nhead_dim: 2\nvalue_dim: 1\nscore: Q @ K\n"
      "attention: score\n",
      {{"Q", {1, 4, 1, 2}, {1, 0, 0, 1, 1, 0, 0, 1}},
       {"K", {1, 2, 1, 2}, {2, 3, 5, 7}},
       {"V", {1, 2, 1, 1}, {1, 10}}},
      {{"batch", 1}, {"query_len", 1}, {"kv_len", 1}});
  expectNear(results["O"], {2, 3, 50, 70});
}

TEST(SpecAttention, CausalRowsEndAtTheLastKey) {
  Arrays results =
      evaluate("heads: 1\nhead_dim: 1\nmask: causal\nattention: 1.0\n",
               {{"Q", {1, 1, 2, 1}, {0, 0}},
                {"K", {1, 1, 3, 1}, {0, 0, 0}},
                {"V", {1, 1, 3, 1}, {1, 10, 100}}},
               {{"batch", 1}, {"query_len", 2}, {"kv_len", 3}});
  expectNear(results["O"], {11, 111});
}

TEST(SpecAttention, ValuesOfPairs) {
  Arrays results =
      evaluate("heads: 1\nhead_dim: 2\nvalue: V * k + W @ Q\nattention: 1.0\n"
               "inputs:\n  W: [2, 2]\n",
               {{"Q", {1, 1, 1, 2}, {1, 2}},
                {"K", {1, 1, 2, 2}, {0, 0, 0, 0}},
                {"V", {1, 1, 2, 2}, {1, 2, 3, 4}},
                {"W", {2, 2}, {0, 1, 1, 0}}},
               {{"batch", 1}, {"query_len", 1}, {"kv_len", 2}});
  expectNear(results["O"], {3 + 2 * 2, 4 + 2 * 1});
}

TEST(SpecAttention, DefinitionsOfRows) {
  Arrays results =
      evaluate("heads: 1\nhead_dim: 2\nscore: Q @ K\nattention: score\n"
               "let:\n  Q: l2_norm(Q) * 3\n  K: K8 * scale\n  V: K\n"
               "inputs:\n  K8: i8[batch, kv_heads, kv_len, head_dim]\n"
               "  scale: [batch, kv_heads, kv_len]\n",
               {{"Q", {1, 1, 1, 2}, {3, 4}},
                {"K8", {1, 1, 2, 2}, {}, {1, 2, 3, 4}},
                {"scale", {1, 1, 2}, {2, 10}}},
               {{"batch", 1}, {"query_len", 1}, {"kv_len", 2}});
  double first = 1.8 * 2 + 2.4 * 4, second = 1.8 * 30 + 2.4 * 40;
  expectNear(results["O"], {first * 2 + second * 30, first * 4 + second * 40});
}

TEST(SpecAttention, AMatrixPerQueryHead) {
  Arrays results = evaluate(
      "heads: 2\nkv_heads: 1\nhead_dim: 1\nscore: Q @ (W[h] @ K)\n"
      "attention: score\nvalue: W[h] @ V\ninputs:\n  W: [heads, 1, 1]\n",
      {{"Q", {1, 2, 1, 1}, {1, 1}},
       {"K", {1, 1, 1, 1}, {3}},
       {"V", {1, 1, 1, 1}, {5}},
       {"W", {2, 1, 1}, {2, 7}}},
      {{"batch", 1}, {"query_len", 1}, {"kv_len", 1}});
  expectNear(results["O"], {2 * 3 * 2 * 5, 7 * 3 * 7 * 5});
}

TEST(SpecAttention, RaggedRows) {
  Arrays results =
      evaluate("heads: 1\nhead_dim: 1\nmask: causal\nscore: Q @ K + k\n"
               "attention: score\noutputs: [attention, score]\n"
               "storage:\n  query: ragged(qs)\n  kv: ragged(ks)\n"
               "inputs:\n  qs: i32[batch + 1] nondecreasing\n"
               "  ks: i32[batch + 1] nondecreasing\n",
               {{"Q", {3, 1, 1}, {9, 1, 2}},
                {"K", {3, 1, 1}, {10, 20, 30}},
                {"V", {3, 1, 1}, {1, 1, 1}},
                {"qs", {3}, {}, {1, 2, 3}},
                {"ks", {3}, {}, {0, 2, 3}}},
               {{"batch", 2}, {"query_tokens", 3}, {"kv_tokens", 3}});
  expectNear(results["O"], {nan_, 10 + 21, 60});
  expectNear(results["attention"], {nan_, nan_, nan_, 10, 21, 0, 0, 0, 60});
  expectNear(results["score"],
             {nan_, nan_, nan_, 10, 21, -inf, -inf, -inf, 60});
}

TEST(SpecAttention, PagedKeys) {
  Arrays results = evaluate(
      "heads: 1\nhead_dim: 1\nkv_len: width * 2\nmask: k < n[b]\nscore: Q @ K\n"
      "attention: score\nstorage:\n  kv: paged(table, 2)\n"
      "sizes:\n  width: any\n"
      "inputs:\n  table: i32[batch, width] in -1..1\n  n: i32[batch]\n",
      {{"Q", {1, 1, 1, 1}, {1}},
       {"K", {2, 1, 2, 1}, {1, 2, 3, 4}},
       {"V", {2, 1, 2, 1}, {1, 10, 100, 1000}},
       {"table", {1, 3}, {}, {1, 0, -1}},
       {"n", {1}, {}, {3}}},
      {{"batch", 1}, {"query_len", 1}, {"width", 3}});
  expectNear(results["O"], {300 + 4000 + 1});
}

TEST(SpecAttention, State) {
  Arrays results = evaluate(
      "heads: 1\nhead_dim: 2\nvalue_dim: 1\nscore: Q @ K\n"
      "attention: score / sum(score)\nmask: causal\noutputs: [state]\n",
      {{"Q", {1, 1, 1, 2}, {1, 1}},
       {"K", {1, 1, 2, 2}, {1, 2, 3, 4}},
       {"V", {1, 1, 2, 1}, {5, 7}}},
      {{"batch", 1}, {"query_len", 1}, {"kv_len", 2}});
  expectNear(results["state"], {5 + 21, 4, 10 + 28, 6});
}
