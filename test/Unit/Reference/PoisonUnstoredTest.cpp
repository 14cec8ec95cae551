//===- PoisonUnstoredTest.cpp - Which rows of a cache become NaN ----------===//

#include "attnc/Reference/PoisonUnstored.h"

#include "Fixture.h"

#include <cmath>

using namespace attnc::reference;

namespace {

using UnstoredRows = InterpreterTest;

constexpr llvm::StringLiteral storesTwoRows = R"mlir(
func.func @f(%cache: tensor<2x?x1xf32, #attn.dims<2, kv_len, 1>>, %rows: tensor<2x?x1xf32, #attn.dims<2, query_len, 1>>, %past: tensor<2xi32>) -> tensor<2x?x1xf32, #attn.dims<2, kv_len, 1>> {
  %0 = attn.append "bsd" %cache, %rows along "s" at "b" (%past) : tensor<2x?x1xf32, #attn.dims<2, kv_len, 1>>, tensor<2x?x1xf32, #attn.dims<2, query_len, 1>>, tensor<2xi32> -> tensor<2x?x1xf32, #attn.dims<2, kv_len, 1>>
  return %0 : tensor<2x?x1xf32, #attn.dims<2, kv_len, 1>>
}
)mlir";

/// One character for each value of the cache: whether it is NaN.
std::string forgotten(const Tensor &cache) {
  std::string text;
  for (double value : cache.real)
    text += std::isnan(value) ? 'x' : '.';
  return text;
}

TEST_F(UnstoredRows, StandBehindThoseOfTheCall) {
  auto function = parse<mlir::func::FuncOp>(storesTwoRows);
  std::vector<Tensor> inputs = {f32({0, 1, 2, 3, 4, 5, 6, 7}, {2, 4, 1}),
                                f32({8, 9, 8, 9}, {2, 2, 1}), i32({0, 1}, {2})};
  llvm::StringMap<int64_t> sizes = {{"kv_len", 4}, {"query_len", 2}};
  forgetUnstoredRows(function, inputs, sizes, [](unsigned) { return false; });
  EXPECT_EQ(forgotten(inputs[0]), "..xx...x");
  EXPECT_EQ(forgotten(inputs[1]), "....");
}

TEST_F(UnstoredRows, OfKeptCachesStay) {
  auto function = parse<mlir::func::FuncOp>(storesTwoRows);
  std::vector<Tensor> inputs = {f32({0, 1, 2, 3, 4, 5, 6, 7}, {2, 4, 1}),
                                f32({8, 9, 8, 9}, {2, 2, 1}), i32({0, 1}, {2})};
  llvm::StringMap<int64_t> sizes = {{"kv_len", 4}, {"query_len", 2}};
  forgetUnstoredRows(function, inputs, sizes,
                     [](unsigned argument) { return argument == 0; });
  EXPECT_EQ(forgotten(inputs[0]), "........");
}

} // namespace
