//===- RandomInputsTest.cpp - What the inputs promise ---------------------===//

#include "attnc/Reference/RandomInputs.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <set>

using namespace attnc;
using namespace attnc::reference;

namespace {

Interface makeInterface(DType dtype) {
  Interface function;
  function.name = "f";
  function.sizes = {{"query_len", std::nullopt},
                    {"kv_len", std::nullopt},
                    {"head_dim", SizeExpr::constant(4)}};
  auto axes = [](llvm::StringRef length) {
    return std::vector<SizeExpr>{SizeExpr::constant(1), SizeExpr::constant(1),
                                 SizeExpr::size(length),
                                 SizeExpr::size("head_dim")};
  };
  auto add = [&](llvm::StringRef name, TensorRole role,
                 llvm::StringRef length) {
    InterfaceTensor tensor;
    tensor.name = name;
    tensor.role = role;
    tensor.dtype = dtype;
    tensor.axes = axes(length);
    function.tensors.push_back(std::move(tensor));
  };
  add("Q", TensorRole::Query, "query_len");
  add("K", TensorRole::Key, "kv_len");
  add("V", TensorRole::Value, "kv_len");
  InterfaceTensor table;
  table.name = "doc";
  table.dtype = DType::I32;
  table.axes = {SizeExpr::size("kv_len")};
  table.nondecreasing = true;
  table.range = {SizeExpr::constant(3), SizeExpr::constant(9)};
  function.tensors.push_back(table);
  return function;
}

/// Scores q . k of the first row with all keys.
std::set<double> scores(const std::vector<Tensor> &inputs, int64_t keys) {
  std::set<double> values;
  for (int64_t key = 0; key < keys; ++key) {
    double sum = 0;
    for (int64_t d = 0; d < 4; ++d)
      sum += inputs[0].real[d] * inputs[1].real[key * 4 + d];
    values.insert(sum);
  }
  return values;
}

TEST(RandomInputsTest, integer_scores_differ_by_the_gap_in_every_type) {
  mlir::MLIRContext context;
  for (DType dtype : {DType::F64, DType::F32, DType::F16, DType::BF16}) {
    auto inputs = randomInputs(makeInterface(dtype), {2, 65, 4},
                               InputKind::Integer, 1, &context);
    for (const Tensor &tensor : inputs)
      for (double value : tensor.real)
        EXPECT_EQ(value, roundToType(value, tensor.element));
    auto values = scores(inputs, 65);
    EXPECT_EQ(values.size(), 65u);
    for (double value : values)
      EXPECT_EQ(std::fmod(value, dtype == DType::F64 ? 0x1p14 : 0x1p11), 0);
  }
}

TEST(RandomInputsTest, tables_keep_their_declared_properties) {
  mlir::MLIRContext context;
  auto inputs = randomInputs(makeInterface(DType::F32), {2, 65, 4},
                             InputKind::Normal, 1, &context);
  const auto &table = inputs[3].integer;
  EXPECT_TRUE(std::is_sorted(table.begin(), table.end()));
  EXPECT_GE(table.front(), 3);
  EXPECT_LE(table.back(), 9);
}

TEST(RandomInputsTest, a_seed_gives_the_same_inputs_again) {
  mlir::MLIRContext context;
  auto make = [&](uint64_t seed) {
    return randomInputs(makeInterface(DType::F32), {2, 3, 4}, InputKind::Normal,
                        seed, &context)[2]
        .real;
  };
  EXPECT_EQ(make(5), make(5));
  EXPECT_NE(make(5), make(6));
}

TEST(RandomInputsTest, empty_sizes_give_empty_tensors) {
  mlir::MLIRContext context;
  auto inputs = randomInputs(makeInterface(DType::F32), {0, 0, 4},
                             InputKind::Integer, 1, &context);
  EXPECT_EQ(inputs[0].size(), 0);
  EXPECT_TRUE(inputs[3].integer.empty());
}

} // namespace
