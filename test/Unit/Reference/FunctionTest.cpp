//===- FunctionTest.cpp - Meaning of the attn ops -------------------------===//

#include "Fixture.h"

#include <cmath>
#include <set>

using namespace attnc::reference;

namespace {

using FunctionTest = InterpreterTest;

TEST_F(FunctionTest, view_splits_and_permutes_heads) {
  auto result =
      run(R"mlir(
    func.func @f(%x: tensor<4x3xf32>) -> tensor<3x2x2xf32> {
      %0 = attn.view "(hg)d->dgh" %x : tensor<4x3xf32> -> tensor<3x2x2xf32>
      return %0 : tensor<3x2x2xf32>
    })mlir",
          {f32({0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32}, {4, 3})});
  EXPECT_EQ(result[0].real,
            (std::vector<double>{0, 20, 10, 30, 1, 21, 11, 31, 2, 22, 12, 32}));
}

TEST_F(FunctionTest, other_orders_of_a_sum_round_otherwise) {
  auto function = parse<mlir::func::FuncOp>(R"mlir(
    func.func @f(%x: tensor<1x8xf32>, %y: tensor<8x1xf32>) -> tensor<1x1xf32> {
      %0 = attn.contract "ik,kj->ij" (%x, %y) : (tensor<1x8xf32>, tensor<8x1xf32>) -> tensor<1x1xf32>
      return %0 : tensor<1x1xf32>
    })mlir");
  Tensor ones = f32({1, 1, 1, 1, 1, 1, 1, 1}, {8, 1});
  Tensor small = f32({1, 2, 3, 4, 5, 6, 7, 8}, {1, 8});
  Tensor large = f32({0x1p24, 1, 3, 5, 7, -0x1p24, 9, 11}, {1, 8});
  std::set<double> sums;
  for (unsigned order = 0; order < 8; ++order) {
    auto rounded = [&](const Tensor &x) {
      return (*interpret(function, {x, ones}, {}, Precision::Rounded, order))[0]
          .real[0];
    };
    EXPECT_EQ(rounded(small), 36);
    sums.insert(rounded(large));
    EXPECT_EQ(rounded(large), rounded(large));
  }
  EXPECT_GT(sums.size(), 1u);
}

TEST_F(FunctionTest, unpack_gives_each_sequence_its_rows) {
  auto result = run(R"mlir(
    func.func @f(%x: tensor<4x1xf32>, %s: tensor<4xi32>) -> tensor<3x4x1xf32> {
      %0 = attn.unpack %x by %s : tensor<4x1xf32>, tensor<4xi32> -> tensor<3x4x1xf32>
      return %0 : tensor<3x4x1xf32>
    })mlir",
                    {f32({1, 2, 3, 4}, {4, 1}), i32({1, 3, 3, 4}, {4})});
  EXPECT_EQ(result[0].real,
            (std::vector<double>{2, 3, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0}));
}

TEST_F(FunctionTest, pack_leaves_rows_of_no_sequence_alone) {
  auto result = run(R"mlir(
    func.func @f(%x: tensor<2x3xf32>, %s: tensor<3xi32>) -> tensor<3xf32> {
      %0 = attn.pack %x by %s : tensor<2x3xf32>, tensor<3xi32> -> tensor<3xf32>
      return %0 : tensor<3xf32>
    })mlir",
                    {f32({1, 2, 3, 4, 5, 6}, {2, 3}), i32({1, 2, 3}, {3})});
  EXPECT_TRUE(std::isnan(result[0].real[0]));
  EXPECT_EQ(result[0].real[1], 1);
  EXPECT_EQ(result[0].real[2], 4);
}

TEST_F(FunctionTest, pack_fills_rows_of_no_sequence) {
  auto result = run(R"mlir(
    func.func @f(%x: tensor<2x3xf32>, %s: tensor<3xi32>) -> tensor<3xf32> {
      %0 = attn.pack %x by %s fill 7.0 : tensor<2x3xf32>, tensor<3xi32> -> tensor<3xf32>
      return %0 : tensor<3xf32>
    })mlir",
                    {f32({1, 2, 3, 4, 5, 6}, {2, 3}), i32({1, 2, 3}, {3})});
  EXPECT_EQ(result[0].real, (std::vector<double>{7, 1, 4}));
}

TEST_F(FunctionTest, place_fills_keys_of_other_sequences) {
  auto result = run(R"mlir(
    func.func @f(%x: tensor<2x2x4xf32>, %s: tensor<3xi32>) -> tensor<2x2x4xf32> {
      %0 = attn.place %x by %s fill -1.0 : tensor<2x2x4xf32>, tensor<3xi32>
      return %0 : tensor<2x2x4xf32>
    })mlir",
                    {f32({1, 2, 3, 4, 5, 6, 7, 8, //
                          11, 12, 13, 14, 15, 16, 17, 18},
                         {2, 2, 4}),
                     i32({1, 3, 4}, {3})});
  EXPECT_EQ(result[0].real,
            (std::vector<double>{-1, 1, 2, -1, -1, 5, 6, -1, //
                                 -1, -1, -1, 11, -1, -1, -1, 15}));
}

TEST_F(FunctionTest, pages_that_are_not_there_are_zeros) {
  auto result = run(R"mlir(
    func.func @f(%x: tensor<2x2x1xf32>, %t: tensor<2x2xi32>) -> tensor<2x3x1xf32> {
      %0 = attn.pages %x by %t : tensor<2x2x1xf32>, tensor<2x2xi32> -> tensor<2x3x1xf32>
      return %0 : tensor<2x3x1xf32>
    })mlir",
                    {f32({1, 2, 3, 4}, {2, 2, 1}), i32({1, 0, -1, 1}, {2, 2})});
  EXPECT_EQ(result[0].real, (std::vector<double>{3, 4, 1, 0, 0, 3}));
}

TEST_F(FunctionTest, slice_takes_a_piece_of_an_axis) {
  auto result = run(R"mlir(
    func.func @f(%x: tensor<2x3x2xf32>) -> tensor<2x2x2xf32> {
      %0 = attn.slice "bsd" %x along "s" [1, 2] : tensor<2x3x2xf32> -> tensor<2x2x2xf32>
      return %0 : tensor<2x2x2xf32>
    })mlir",
                    {f32({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {2, 3, 2})});
  EXPECT_EQ(result[0].real, (std::vector<double>{2, 3, 4, 5, 8, 9, 10, 11}));
}

TEST_F(FunctionTest, slice_of_a_table_keeps_integers) {
  auto result = run(R"mlir(
    func.func @f(%x: tensor<4xi32>) -> tensor<2xi32> {
      %0 = attn.slice "n" %x along "n" [2, 2] : tensor<4xi32> -> tensor<2xi32>
      return %0 : tensor<2xi32>
    })mlir",
                    {i32({5, 6, 7, 8}, {4})});
  EXPECT_EQ(result[0].integer, (std::vector<int64_t>{7, 8}));
}

TEST_F(FunctionTest, concat_broadcasts_a_part_without_heads) {
  auto result = run(R"mlir(
    func.func @f(%x: tensor<2x2xf32>, %y: tensor<1xf32>) -> tensor<2x3xf32> {
      %0 = attn.concat "hd,d->hd" along "d" (%x, %y) : (tensor<2x2xf32>, tensor<1xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    })mlir",
                    {f32({1, 2, 3, 4}, {2, 2}), f32({9}, {1})});
  EXPECT_EQ(result[0].real, (std::vector<double>{1, 2, 9, 3, 4, 9}));
}

TEST_F(FunctionTest, concat_along_a_slow_axis_takes_permuted_parts) {
  auto result = run(R"mlir(
    func.func @f(%x: tensor<1x2xf32>, %y: tensor<2x2xf32>) -> tensor<3x2xf32> {
      %0 = attn.concat "sd,ds->sd" along "s" (%x, %y) : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
      return %0 : tensor<3x2xf32>
    })mlir",
                    {f32({1, 2}, {1, 2}), f32({3, 4, 5, 6}, {2, 2})});
  EXPECT_EQ(result[0].real, (std::vector<double>{1, 2, 3, 5, 4, 6}));
}

TEST_F(FunctionTest, append_writes_each_sequence_at_its_own_end) {
  auto result = run(R"mlir(
    func.func @f(%c: tensor<2x3x1xf32>, %x: tensor<2x2x1xf32>, %at: tensor<2xi32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xf32>) {
      %0 = attn.append "bsd" %c, %x along "s" at "b" (%at) : tensor<2x3x1xf32>, tensor<2x2x1xf32>, tensor<2xi32> -> tensor<2x3x1xf32>
      return %0, %c : tensor<2x3x1xf32>, tensor<2x3x1xf32>
    })mlir",
                    {f32({1, 2, 3, 4, 5, 6}, {2, 3, 1}),
                     f32({7, 8, 9, 10}, {2, 2, 1}), i32({1, 0}, {2})});
  EXPECT_EQ(result[0].real, (std::vector<double>{1, 7, 8, 9, 10, 6}));
  // The old value is a value of its own.
  EXPECT_EQ(result[1].real, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST_F(FunctionTest, append_writes_nothing_outside) {
  auto result =
      run(R"mlir(
    func.func @f(%c: tensor<3x1xf32>, %x: tensor<2x1xf32>, %at: tensor<i32>) -> tensor<3x1xf32> {
      %0 = attn.append "sd" %c, %x along "s" at "" (%at) : tensor<3x1xf32>, tensor<2x1xf32>, tensor<i32> -> tensor<3x1xf32>
      return %0 : tensor<3x1xf32>
    })mlir",
          {f32({1, 2, 3}, {3, 1}), f32({7, 8}, {2, 1}), i32({2}, {})});
  EXPECT_EQ(result[0].real, (std::vector<double>{1, 2, 7}));
}

TEST_F(FunctionTest, contract_leaves_out_masked_products) {
  auto result = run(R"mlir(
    func.func @f(%p: tensor<2x2xf32>, %v: tensor<2x1xf32>, %m: tensor<2x2xi1>) -> tensor<2x1xf32> {
      %0 = attn.contract "qk,ke->qe" (%p, %v) where "qk" (%m) : (tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x2xi1>) -> tensor<2x1xf32>
      return %0 : tensor<2x1xf32>
    })mlir",
                    {f32({1, 0, 0.5, 0.5}, {2, 2}), f32({3, NAN}, {2, 1}),
                     truth({1, 0, 1, 1}, {2, 2})});
  EXPECT_EQ(result[0].real[0], 3);
  EXPECT_TRUE(std::isnan(result[0].real[1]));
}

TEST_F(FunctionTest, contract_rounds_each_product_only_when_asked) {
  llvm::StringRef text = R"mlir(
    func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<f32> {
      %0 = attn.contract "d,d->" (%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
      return %0 : tensor<f32>
    })mlir";
  std::vector<Tensor> inputs = {f32({1, 0x1p-30}, {2}), f32({1, 1}, {2})};
  EXPECT_EQ(run(text, inputs)[0].real[0], 1 + 0x1p-30);
  EXPECT_EQ(run(text, inputs, {}, Precision::Rounded)[0].real[0], 1);
}

/// Ties go away from zero; only factors of f32 where the function permits it.
TEST_F(FunctionTest, contract_rounds_factors_to_tf32_where_allowed) {
  auto sumOf = [&](const char *attributes, Precision precision) {
    std::string text = R"mlir(
    func.func @f(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<f32> )mlir";
    text += attributes;
    text += R"mlir( {
      %0 = attn.contract "d,d->" (%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
      return %0 : tensor<f32>
    })mlir";
    std::vector<Tensor> inputs = {
        f32({1 + 0x1p-11, -1 - 0x1p-11, 1 + 0x1p-12}, {3}),
        f32({1, 3, 5}, {3})};
    return run(text, inputs, {}, precision)[0].real[0];
  };
  const char *allowed = "attributes {attnc.tf32}";
  double exact = 3 - 2 * 0x1p-11 + 5 * 0x1p-12;
  EXPECT_EQ(sumOf(allowed, Precision::Exact), exact);
  EXPECT_EQ(sumOf("", Precision::Rounded), exact);
  EXPECT_EQ(sumOf(allowed, Precision::Rounded), 3 - 2 * 0x1p-10);
}

TEST_F(FunctionTest, map_gets_elements_and_positions) {
  auto result = run(R"mlir(
    func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %0 = attn.map "qk->qk" (%x) : (tensor<2x2xf32>) -> tensor<2x2xf32> {
      ^bb0(%s: f32, %q: index, %k: index):
        %d = arith.subi %q, %k : index
        %i = arith.index_cast %d : index to i64
        %f = arith.sitofp %i : i64 to f32
        %y = arith.addf %s, %f : f32
        attn.yield %y : f32
      }
      return %0 : tensor<2x2xf32>
    })mlir",
                    {f32({0, 0, 10, 10}, {2, 2})});
  EXPECT_EQ(result[0].real, (std::vector<double>{0, -1, 11, 10}));
}

TEST_F(FunctionTest, comparisons_of_reals_know_equal_greater_less_and_nan) {
  struct {
    const char *predicate;
    std::vector<int64_t> values; // for equal, greater, less, NaN
  } rows[] = {
      {"oeq", {1, 0, 0, 0}}, {"ogt", {0, 1, 0, 0}}, {"oge", {1, 1, 0, 0}},
      {"olt", {0, 0, 1, 0}}, {"ole", {1, 0, 1, 0}}, {"one", {0, 1, 1, 0}},
      {"ord", {1, 1, 1, 0}}, {"ueq", {1, 0, 0, 1}}, {"ugt", {0, 1, 0, 1}},
      {"uge", {1, 1, 0, 1}}, {"ult", {0, 0, 1, 1}}, {"ule", {1, 0, 1, 1}},
      {"une", {0, 1, 1, 1}}, {"uno", {0, 0, 0, 1}}};
  for (const auto &row : rows) {
    std::string text = R"mlir(
    func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
      %0 = attn.map "k,k->k" (%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1> {
      ^bb0(%a: f32, %b: f32, %k: index):
        %c = arith.cmpf PREDICATE, %a, %b : f32
        attn.yield %c : i1
      }
      return %0 : tensor<4xi1>
    })mlir";
    text.replace(text.find("PREDICATE"), 9, row.predicate);
    auto result = run(text, {f32({1, 2, 1, NAN}, {4}), f32({1, 1, 2, 1}, {4})});
    EXPECT_EQ(result[0].integer, row.values) << row.predicate;
  }
}

TEST_F(FunctionTest, mask_takes_extents_from_named_sizes) {
  auto result = run(R"mlir(
    func.func @f() -> tensor<?x?xi1, #attn.dims<query_len, kv_len>> {
      %m = attn.mask "qk" : tensor<?x?xi1, #attn.dims<query_len, kv_len>> {
      ^bb0(%q: index, %k: index):
        %c = arith.cmpi sle, %k, %q : index
        attn.yield %c : i1
      }
      return %m : tensor<?x?xi1, #attn.dims<query_len, kv_len>>
    })mlir",
                    {}, {{"query_len", 2}, {"kv_len", 3}});
  EXPECT_EQ(result[0].integer, (std::vector<int64_t>{1, 0, 0, 1, 1, 0}));
}

constexpr llvm::StringLiteral softmax = R"mlir(
  func.func @f(%s: tensor<2x2xf32>, %m: tensor<2x2xi1>) -> (tensor<2x2xf32>, tensor<2xf32>) {
    %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (tensor<2x2xf32>, tensor<2x2xi1>) -> (tensor<2x2xf32>, tensor<2xf32>)
    return %p, %lse : tensor<2x2xf32>, tensor<2xf32>
  })mlir";

TEST_F(FunctionTest, normalize_gives_zero_where_no_key_is_allowed) {
  auto result = run(softmax, {f32({NAN, INFINITY, 5, 5}, {2, 2}),
                              truth({0, 0, 1, 1}, {2, 2})});
  EXPECT_EQ(result[0].real, (std::vector<double>{0, 0, 0.5, 0.5}));
  EXPECT_EQ(result[1].real[0], -INFINITY);
  EXPECT_DOUBLE_EQ(result[1].real[1], 5 + std::log(2.0));
}

TEST_F(FunctionTest, normalize_weighs_minus_infinity_as_zero) {
  auto result = run(softmax, {f32({-INFINITY, 1, -INFINITY, -INFINITY}, {2, 2}),
                              truth({1, 1, 1, 1}, {2, 2})});
  EXPECT_EQ(result[0].real, (std::vector<double>{0, 1, 0, 0}));
  EXPECT_EQ(result[1].real[1], -INFINITY);
}

TEST_F(FunctionTest, reduce_gives_a_number_for_each_row) {
  auto result = run(
      R"mlir(
    func.func @f(%s: tensor<2x3xf32>, %m: tensor<2x3xi1>) -> (tensor<2xf32>, tensor<2xi32>) {
      %row, %key = attn.reduce "qk" over "k" #attn.row<rank, n = 2> (%s) where (%m) : (tensor<2x3xf32>, tensor<2x3xi1>) -> (tensor<2xf32>, tensor<2xi32>)
      return %row, %key : tensor<2xf32>, tensor<2xi32>
    })mlir",
      {f32({9, 2, 1, 3, 3, NAN}, {2, 3}), truth({0, 1, 1, 1, 1, 0}, {2, 3})});
  EXPECT_EQ(result[0].real, (std::vector<double>{1, 3}));
  EXPECT_EQ(result[1].integer, (std::vector<int64_t>{2, 1}));
}

TEST_F(FunctionTest, concat_takes_sizes_of_the_call) {
  auto result =
      run(R"mlir(
    func.func @f(%x: tensor<1x2xf32>, %y: tensor<?x2xf32, #attn.dims<n, 2>>) -> tensor<?x2xf32, #attn.dims<"n + 1", 2>> {
      %0 = attn.concat "sd,sd->sd" along "s" (%x, %y) : (tensor<1x2xf32>, tensor<?x2xf32, #attn.dims<n, 2>>) -> tensor<?x2xf32, #attn.dims<"n + 1", 2>>
      return %0 : tensor<?x2xf32, #attn.dims<"n + 1", 2>>
    })mlir",
          {f32({1, 2}, {1, 2}), f32({3, 4, 5, 6}, {2, 2})}, {{"n", 2}});
  EXPECT_EQ(result[0].shape, (llvm::SmallVector<int64_t>{3, 2}));
  EXPECT_EQ(result[0].real, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST_F(FunctionTest, scan_adds_up_along_an_axis) {
  auto result = run(R"mlir(
    func.func @f(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
      %0 = attn.scan "sd" %x along "s" : tensor<3x2xf32> -> tensor<3x2xf32>
      return %0 : tensor<3x2xf32>
    })mlir",
                    {f32({1, 10, 2, 20, 4, INFINITY}, {3, 2})});
  EXPECT_EQ(result[0].real, (std::vector<double>{1, 10, 3, 30, 7, INFINITY}));
}

TEST_F(FunctionTest, normalize_counts_the_sink_in_the_sum) {
  auto result = run(R"mlir(
    func.func @f(%s: tensor<1x1xf32>, %m: tensor<1x1xi1>) -> (tensor<1x1xf32>, tensor<1xf32>) {
      %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (tensor<1x1xf32>, tensor<1x1xi1>) -> (tensor<1x1xf32>, tensor<1xf32>) init {
      ^bb0(%q: index):
        %sink = arith.constant 3.0 : f32
        attn.yield %sink : f32
      }
      return %p, %lse : tensor<1x1xf32>, tensor<1xf32>
    })mlir",
                    {f32({3}, {1, 1}), truth({1}, {1, 1})});
  EXPECT_DOUBLE_EQ(result[0].real[0], 0.5);
  EXPECT_DOUBLE_EQ(result[1].real[0], 3 + std::log(2.0));
}

TEST_F(FunctionTest, read_clamps_and_reads_zero_from_nothing) {
  auto result =
      run(R"mlir(
    func.func @f(%t: tensor<2xi32>, %none: tensor<0xf32>) -> tensor<3xf32> {
      %0 = attn.map "->q" () : () -> tensor<3xf32> {
      ^bb0(%q: index):
        %a = attn.read %t[%q] : tensor<2xi32> -> index
        %i = arith.index_cast %a : index to i64
        %f = arith.sitofp %i : i64 to f32
        %z = attn.read %none[%q] : tensor<0xf32> -> f32
        %y = arith.addf %f, %z : f32
        attn.yield %y : f32
      }
      return %0 : tensor<3xf32>
    })mlir",
          {[&] {
             Tensor t = makeTensor(mlir::Builder(&context).getI32Type(), {2});
             t.integer = {7, -9};
             return t;
           }(),
           f32({}, {0})});
  EXPECT_EQ(result[0].real, (std::vector<double>{7, -9, -9}));
}

/// A causal kernel over 3 rows and 2 keys whose row -1 sees nothing.
constexpr llvm::StringLiteral kernel = R"mlir(
  func.func @f(%q: tensor<1x1x1x3x1xf32>, %k: tensor<1x1x2x1xf32>, %v: tensor<1x1x2x1xf32>) -> (tensor<1x1x1x3x1xf32>, tensor<1x1x1x3xf32>) {
    %o, %lse = attn.kernel ins(%q, %k, %v : tensor<1x1x1x3x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x1x1x3x1xf32>, tensor<1x1x1x3xf32>) normalize #attn.norm<shift = max, weight = WEIGHT, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32}
    score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
      attn.yield %x : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      %c = arith.cmpi slt, %j, %i : index
      attn.yield %c : i1
    }
    return %o, %lse : tensor<1x1x1x3x1xf32>, tensor<1x1x1x3xf32>
  })mlir";

TEST_F(FunctionTest, kernel_gives_zero_for_a_masked_row_and_hides_masked_nan) {
  std::string text = kernel.str();
  text.replace(text.find("WEIGHT"), 6, "exp");
  auto result =
      run(text, {f32({0, 0, 0}, {1, 1, 1, 3, 1}), f32({1, NAN}, {1, 1, 2, 1}),
                 f32({4, INFINITY}, {1, 1, 2, 1})});
  EXPECT_EQ(result[0].real[0], 0);
  EXPECT_EQ(result[0].real[1], 4);
  EXPECT_TRUE(std::isnan(result[0].real[2]));
  EXPECT_EQ(result[1].real[0], -INFINITY);
  EXPECT_EQ(result[1].real[1], 0);
}

TEST_F(FunctionTest, kernel_in_base_two_still_gives_a_natural_lse) {
  std::string text = kernel.str();
  text.replace(text.find("WEIGHT"), 6, "exp2");
  auto result =
      run(text, {f32({1, 1, 1}, {1, 1, 1, 3, 1}), f32({2, 2}, {1, 1, 2, 1}),
                 f32({4, 8}, {1, 1, 2, 1})});
  EXPECT_EQ(result[0].real[2], 6);
  EXPECT_DOUBLE_EQ(result[1].real[2], 3 * std::log(2.0));
}

TEST_F(FunctionTest, unknown_ops_are_an_error) {
  auto function = parse<mlir::func::FuncOp>(R"mlir(
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = arith.addf %x, %x : tensor<2xf32>
      return %0 : tensor<2xf32>
    })mlir");
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message = diagnostic.str();
                                          return mlir::success();
                                        });
  EXPECT_TRUE(mlir::failed(
      interpret(function, {f32({1, 2}, {2})}, {}, Precision::Exact)));
  EXPECT_NE(message.find("reference interpreter"), std::string::npos);
}

} // namespace
