//===- SpecTensorTest.cpp - Layers by their formulas ----------------------===//

#include "SpecFixture.h"

#include <cmath>

using namespace attnc::formula;

/// A layer of one head whose output does not use O: [1, rows, width] of x.
static Arrays layer(const std::string &output, const std::string &inputs,
                    int rows, int width, std::vector<double> x,
                    std::initializer_list<Given> more = {}) {
  std::string text = "heads: 1\nhead_dim: 2\nquery_len: kv_len\ndtype: f64\n"
                     "sizes:\n  model: " +
                     std::to_string(width) + "\noutput: " + output +
                     "\ninputs:\n  x: [batch, kv_len, model]\n" + inputs;
  Given first{"x", {1, rows, width}, std::move(x)};
  std::initializer_list<std::pair<const char *, int>> sizes = {
      {"batch", 1}, {"kv_len", rows}};
  if (more.size() == 0)
    return evaluate(text, {first}, sizes);
  if (more.size() == 1)
    return evaluate(text, {first, more.begin()[0]}, sizes);
  return evaluate(text, {first, more.begin()[0], more.begin()[1]}, sizes);
}

TEST(SpecTensor, ElementsAndProducts) {
  expectNear(
      layer("x @ W + bias", "  W: [model, model]\n  bias: [model]\n", 1, 2,
            {1, 2},
            {{"W", {2, 2}, {1, 2, 3, 4}}, {"bias", {2}, {100, 200}}})["Y"],
      {107, 210});
  expectNear(layer("x @ x.T", "", 2, 2, {1, 2, 3, 4})["Y"], {5, 11, 11, 25});
}

TEST(SpecTensor, HeadsAndPieces) {
  expectNear(layer("merge_heads(einsum(\"b h q d, h d -> b h q d\", "
                   "split_heads(x, 2), s))",
                   "  s: [2, 2]\n", 1, 4, {1, 2, 3, 4},
                   {{"s", {2, 2}, {1, 1, 10, 10}}})["Y"],
             {1, 2, 30, 40});
  expectNear(layer("concat(x, x * 2, axis=rows)", "", 2, 1, {1, 2})["Y"],
             {1, 2, 2, 4});
  expectNear(layer("concat(x, eye(model), axis=rows)", "", 1, 2, {5, 6})["Y"],
             {5, 6, 1, 0, 0, 1});
}

TEST(SpecTensor, Norms) {
  expectNear(layer("rms_norm(x, eps=0.5)", "", 1, 2, {1, 2})["Y"],
             {1 / std::sqrt(3.0), 2 / std::sqrt(3.0)});
  expectNear(layer("layer_norm(x, eps=3.0)", "", 1, 2, {1, 3})["Y"],
             {-0.5, 0.5});
  expectNear(layer("l2_norm(x)", "", 1, 2, {3, 4})["Y"], {0.6, 0.8});
}

TEST(SpecTensor, SumsAlongAxes) {
  expectNear(layer("cumsum(x)", "", 3, 2, {1, 10, 2, 20, 3, 30})["Y"],
             {1, 10, 3, 30, 6, 60});
  expectNear(layer("cumsum(x, axis=model)", "", 1, 3, {1, 2, 3})["Y"],
             {1, 3, 6});
  expectNear(layer("segment_mean(x, 1)", "", 2, 2, {1, 2, 3, 6})["Y"], {2, 4});
  expectNear(layer("einsum(\"b r c -> b c\", x)", "", 2, 2, {1, 2, 3, 4})["Y"],
             {4, 6});
  expectNear(
      layer("einsum(\"b r r -> b r\", x @ x.T)", "", 2, 2, {1, 2, 3, 4})["Y"],
      {5, 25});
}

TEST(SpecTensor, SoftmaxAlongAxes) {
  double l3 = std::log(3.0);
  expectNear(layer("softmax(x)", "", 1, 2, {0, l3})["Y"], {0.25, 0.75});
  expectNear(layer("softmax(x, mask=x < 1)", "", 2, 2, {0, l3, l3, l3})["Y"],
             {1, 0, 0, 0});
}

TEST(SpecTensor, PseudoInverse) {
  expectNear(layer("pinv(x.T @ x)", "", 2, 2, {1, 0, 0, 2})["Y"],
             {1, 0, 0, 0.25}, 1e-3);
}

TEST(SpecTensor, Rope) {
  double c = std::cos(1.0), s = std::sin(1.0);
  expectNear(layer("rope(x)", "", 2, 2, {1, 2, 3, 4})["Y"],
             {1, 2, 3 * c - 4 * s, 4 * c + 3 * s});
  double c2 = std::cos(0.01), s2 = std::sin(0.01);
  expectNear(layer("rope(x, style=interleaved)", "", 2, 4,
                   {0, 0, 0, 0, 1, 0, 0, 1})["Y"],
             {0, 0, 0, 0, c, s, -s2, c2});
}

TEST(SpecTensor, LayersUseO) {
  Arrays results = evaluate(
      "heads: 2\nhead_dim: 1\nquery_len: kv_len\nmask: causal\nattention: 1.0\n"
      "sizes:\n  model: 2\nlet:\n  Q: split_heads(x)\n  K: Q\n"
      "  U: split_heads(x @ W)\n  V: U\noutput: x + merge_heads(O)\n"
      "outputs: [U]\n"
      "inputs:\n  x: [batch, kv_len, model]\n  W: [model, model]\n",
      {{"x", {1, 2, 2}, {1, 2, 3, 4}}, {"W", {2, 2}, {0, 1, 10, 0}}},
      {{"batch", 1}, {"kv_len", 2}});
  expectNear(results["U"], {20, 40, 1, 3});
  expectNear(results["Y"], {21, 3, 63, 8});
}

TEST(SpecTensor, AttentionOfOtherRows) {
  Arrays results = evaluate(
      "heads: 1\nhead_dim: 1\nattention: score\nscore: Q @ K + kv_len\n"
      "output: O + attend(Q, A, A)\ninputs:\n  A: [batch, heads, 3, 1]\n",
      {{"Q", {1, 1, 1, 1}, {2}},
       {"K", {1, 1, 2, 1}, {1, 1}},
       {"V", {1, 1, 2, 1}, {0, 100}},
       {"A", {1, 1, 3, 1}, {1, 2, 3}}},
      {{"batch", 1}, {"query_len", 1}, {"kv_len", 2}});
  expectNear(results["Y"], {400 + 5 * 1 + 7 * 2 + 9 * 3});
}

TEST(SpecTensor, Caches) {
  Arrays results = evaluate(
      "heads: 1\nhead_dim: 1\nmask: causal\nattention: 1.0\noffset: past[b]\n"
      "let:\n  K: cached(kc, kn, past[b])\n  V: cached(vc, vn, past[b])\n"
      "inputs:\n  kn, vn: [batch, heads, query_len, 1]\n"
      "  kc, vc: inout [batch, heads, kv_len, 1]\n  past: i32[batch]\n",
      {{"Q", {2, 1, 1, 1}, {0, 0}},
       {"kn", {2, 1, 1, 1}, {0, 0}},
       {"vn", {2, 1, 1, 1}, {7, 8}},
       {"kc", {2, 1, 3, 1}, {0, 0, 0, 0, 0, 0}},
       {"vc", {2, 1, 3, 1}, {1, 2, 3, 4, 5, 6}},
       {"past", {2}, {}, {1, 0}}},
      {{"batch", 2}, {"query_len", 1}, {"kv_len", 3}});
  expectNear(results["O"], {8, 8});
  expectNear(results["vc"], {1, 7, 3, 8, 5, 6});
}

TEST(SpecTensor, TablesThatLetMakes) {
  Arrays results = evaluate(
      "heads: 1\nhead_dim: 1\nquery_len: kv_len\nattention: score\n"
      "mask: causal\nscore: G[b, q] - G[b, k]\nlet:\n  G: cumsum(gate)\n"
      "inputs:\n  gate: [batch, kv_len]\n",
      {{"Q", {1, 1, 2, 1}, {0, 0}},
       {"K", {1, 1, 2, 1}, {0, 0}},
       {"V", {1, 1, 2, 1}, {1, 1}},
       {"gate", {1, 2}, {3, 5}}},
      {{"batch", 1}, {"kv_len", 2}});
  expectNear(results["O"], {0, 5});
}

TEST(SpecTensor, RaggedLayersCountPositionsInEachSequence) {
  double c = std::cos(1.0), s = std::sin(1.0);
  Arrays results = evaluate(
      "heads: 1\nhead_dim: 2\nattention: 1.0\nmask: causal\n"
      "storage:\n  query: ragged(start)\n  kv: ragged(start)\n"
      "let:\n  Q: split_heads(x)\n  K: Q\n  V: rope(split_heads(x))\n"
      "output: merge_heads(O)\ninputs:\n  x: [query_tokens, 2]\n"
      "  start: i32[batch + 1] nondecreasing\n",
      {{"x", {4, 2}, {1, 0, 1, 0, 1, 0, 9, 9}}, {"start", {3}, {}, {0, 1, 3}}},
      {{"batch", 2}, {"query_tokens", 4}});
  expectNear(results["Y"], {1, 0, 1, 0, 1 + c, s, 0, 0});
}
