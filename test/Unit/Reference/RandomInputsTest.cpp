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

TEST(RandomInputsTest, products_with_weights_keep_the_size_of_rows) {
  mlir::MLIRContext context;
  Interface function = makeInterface(DType::F32);
  for (bool isFixed : {true, false}) {
    InterfaceTensor weights;
    weights.name = isFixed ? "W" : "x";
    weights.axes = {isFixed ? SizeExpr::constant(400)
                            : SizeExpr::size("kv_len"),
                    SizeExpr::constant(100)};
    function.tensors.push_back(weights);
  }
  auto inputs =
      randomInputs(function, {2, 400, 4}, InputKind::Normal, 1, &context);
  auto meanSquare = [](const Tensor &tensor) {
    double sum = 0;
    for (double value : tensor.real)
      sum += value * value;
    return sum / double(tensor.size());
  };
  EXPECT_NEAR(meanSquare(inputs[4]), 1.0 / 400, 0.1 / 400);
  EXPECT_NEAR(meanSquare(inputs[5]), 1, 0.1);
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

/// K lies in rows or pages that the table says.
Interface withRows(RowLayout rows, std::vector<SizeExpr> axes,
                   std::vector<SizeExpr> tableAxes, SizeExpr last) {
  Interface function = makeInterface(DType::F32);
  function.tensors[1].rows = rows;
  function.tensors[1].rowTable = "doc";
  function.tensors[1].axes = std::move(axes);
  InterfaceTensor &table = function.tensors[3];
  table.axes = std::move(tableAxes);
  table.nondecreasing = rows == RowLayout::Ragged;
  table.range = {SizeExpr::constant(0), std::move(last)};
  return function;
}

TEST(RandomInputsTest, starts_share_out_all_rows_and_leave_some_empty) {
  mlir::MLIRContext context;
  SizeExpr one = SizeExpr::constant(1), rows = SizeExpr::size("kv_len");
  Interface function =
      withRows(RowLayout::Ragged, {rows, one, SizeExpr::size("head_dim")},
               {SizeExpr::size("query_len") + one}, rows);
  auto start =
      randomInputs(function, {20, 300, 4}, InputKind::Normal, 1, &context)[3]
          .integer;
  ASSERT_EQ(start.size(), 21u);
  EXPECT_TRUE(std::is_sorted(start.begin(), start.end()));
  EXPECT_EQ(start.front(), 0);
  EXPECT_EQ(start.back(), 300);
  std::set<int64_t> lengths;
  for (size_t b = 0; b + 1 < start.size(); ++b)
    lengths.insert(start[b + 1] - start[b]);
  EXPECT_TRUE(lengths.count(0));
  EXPECT_GT(lengths.size(), 5u);
}

TEST(RandomInputsTest, pages_are_shuffled_and_differ) {
  mlir::MLIRContext context;
  SizeExpr one = SizeExpr::constant(1), pages = SizeExpr::size("kv_len");
  Interface function =
      withRows(RowLayout::Paged,
               {pages, one, SizeExpr::constant(2), SizeExpr::size("head_dim")},
               {one, SizeExpr::size("query_len")}, pages - one);
  auto table =
      randomInputs(function, {6, 9, 4}, InputKind::Normal, 1, &context)[3]
          .integer;
  EXPECT_EQ(std::set<int64_t>(table.begin(), table.end()).size(), 6u);
  EXPECT_FALSE(std::is_sorted(table.begin(), table.end()));
  for (int64_t page : table)
    EXPECT_TRUE(page >= 0 && page < 9) << page;
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
