//===- NormalizeRowTest.cpp - #attn.norm, #attn.row and #attn.dense -------===//
//
// Each on a kernel of one row, whose scores are the elements of K; keys 0 and 5
// of six are masked.
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <cmath>

using namespace attnc::reference;

namespace {

class RowsTest : public InterpreterTest {
protected:
  /// The results of a kernel that normalises by `normalize`.
  std::vector<Tensor> runRow(const std::string &normalize,
                             const std::string &types,
                             const std::vector<double> &scores,
                             const std::string &init = "") {
    std::string text = R"mlir(
  !Q = tensor<1x1x1x1x1xf32>
  !K = tensor<1x1x6x1xf32>
  !L = tensor<1x1x1x1xf32>
  !I = tensor<1x1x1x1xi32>
  !D = tensor<1x1x1x1x6xf32>
  func.func @f(%q: !Q, %k: !K, %v: !K) -> (TYPES) {
    %r:COUNT = attn.kernel ins(OPERANDS) -> (TYPES) normalize NORMALIZE
    score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
      attn.yield %x : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      %a = arith.cmpi sge, %j, %c1 : index
      %z = arith.cmpi slt, %j, %c5 : index
      %c = arith.andi %a, %z : i1
      attn.yield %c : i1
    } INIT
    return RESULTS : TYPES
  })mlir";
    bool two = types.find(',') != std::string::npos;
    bool values = types[1] == 'Q';
    auto replace = [&](llvm::StringRef word, const std::string &by) {
      for (size_t i; (i = text.find(word)) != std::string::npos;)
        text.replace(i, word.size(), by);
    };
    replace("TYPES", types);
    replace("COUNT", two ? "2" : "1");
    replace("OPERANDS", values ? "%q, %k, %v : !Q, !K, !K" : "%q, %k : !Q, !K");
    replace("NORMALIZE", normalize + " attributes {scale = 1.0 : f64" +
                             (values ? ", probabilities = f32}" : "}"));
    replace("RESULTS", two ? "%r#0, %r#1" : "%r");
    replace("INIT", init.empty() ? "" : R"mlir(init {
    ^bb0(%b: index, %h: index, %g: index, %i: index):
      %c = arith.constant )mlir" + init + R"mlir( : f32
      attn.yield %c : f32
    })mlir");
    return run(text, {f32({1}, {1, 1, 1, 1, 1}), f32(scores, {1, 1, 6, 1}),
                      f32({NAN, 1, 10, 100, 1000, NAN}, {1, 1, 6, 1})});
  }
  Tensor number(const std::string &kind, const std::vector<double> &scores) {
    return runRow("#attn.row<" + kind + ">", "!L", scores)[0];
  }
};

TEST_F(RowsTest, identity_weighs_by_the_score_and_masks_by_zero) {
  auto result =
      runRow("#attn.norm<shift = none, weight = identity, divide = none>",
             "!Q, !L", {9, 1, -2, 0.5, 0, 9});
  EXPECT_EQ(result[0].real[0], 1 - 20 + 50);
  EXPECT_EQ(result[1].real[0], -0.5);
}

TEST_F(RowsTest, weights_are_divided_by_their_sum_and_the_init) {
  auto result =
      runRow("#attn.norm<shift = none, weight = identity, divide = sum>",
             "!Q, !L", {9, 1, 2, 0, 0, 9}, "1.0");
  EXPECT_EQ(result[0].real[0], (1 + 20) / 4.0);
  EXPECT_EQ(result[1].real[0], 4);
}

TEST_F(RowsTest, a_sum_of_zero_gives_weights_of_zero) {
  auto result =
      runRow("#attn.norm<shift = none, weight = identity, divide = sum>",
             "!Q, !L", {9, 1, -1, 0, 0, 9});
  EXPECT_EQ(result[0].real[0], 0);
  EXPECT_EQ(result[1].real[0], 0);
}

TEST_F(RowsTest, lse_needs_no_values) {
  auto result = runRow("#attn.norm<shift = max, weight = exp, divide = sum>",
                       "!L", {9, 3, 3, 3, 3, 9});
  EXPECT_DOUBLE_EQ(result[0].real[0], 3 + std::log(4.0));
}

TEST_F(RowsTest, a_softmax_without_values_gives_sum_and_maximum) {
  auto parts = runRow("#attn.norm<shift = max, weight = exp, divide = sum>",
                      "!L, !L", {99, 1, 1, 2, 1, 99}, "2.0");
  EXPECT_NEAR(parts[0].real[0], 2 + 3 * std::exp(-1.0), 1e-12);
  EXPECT_EQ(parts[1].real[0], 2);
}

TEST_F(RowsTest, sum_and_max_are_of_allowed_keys) {
  EXPECT_EQ(number("sum", {9, 1, 2, 3, 4, 9}).real[0], 10);
  EXPECT_EQ(number("max", {9, 1, NAN, 3, 2, 9}).real[0], 3);
}

TEST_F(RowsTest, rank_takes_the_lower_key_among_equals) {
  auto rank = [&](int n, const std::vector<double> &scores) {
    return runRow("#attn.row<rank, n = " + std::to_string(n) + ">", "!L, !I",
                  scores);
  };
  auto second = rank(2, {9, 1, 3, 3, 2, 9});
  EXPECT_EQ(second[0].real[0], 3);
  EXPECT_EQ(second[1].integer[0], 3);
  auto zero = rank(1, {9, -1, -0.0, 0, -2, 9}); // zeros are equal
  EXPECT_EQ(zero[1].integer[0], 2);
  auto nan = rank(1, {9, 1, INFINITY, NAN, 2, 9});
  EXPECT_TRUE(std::isnan(nan[0].real[0]));
  EXPECT_EQ(nan[1].integer[0], 3);
  auto fewer = rank(5, {9, 1, 3, 3, 2, 9});
  EXPECT_EQ(fewer[0].real[0], -INFINITY);
  EXPECT_EQ(fewer[1].integer[0], 5);
}

TEST_F(RowsTest, simplex_makes_what_is_above_it_sum_to_one) {
  EXPECT_EQ(number("simplex", {9, 1, 1.5, -7, -INFINITY, 9}).real[0], 0.75);
  EXPECT_EQ(number("simplex", {9, 4, 1, 1, 1, 9}).real[0], 3);
  EXPECT_EQ(number("simplex", {9, 2, 2, 2, 2, 9}).real[0], 1.75);
  double none = -INFINITY;
  EXPECT_EQ(number("simplex", {9, none, none, none, none, 9}).real[0], 0);
  EXPECT_TRUE(std::isnan(number("simplex", {9, 4, NAN, 1, 1, 9}).real[0]));
}

TEST_F(RowsTest, dense_holds_scores_and_fills_masked_places) {
  auto result =
      runRow("#attn.dense<fill = -inf>", "!D", {NAN, 1, 2, 3, 4, NAN});
  EXPECT_EQ(result[0].real,
            (std::vector<double>{-INFINITY, 1, 2, 3, 4, -INFINITY}));
}

} // namespace
