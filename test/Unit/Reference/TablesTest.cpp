//===- TablesTest.cpp - Meaning of questions about tables -----------------===//

#include "Fixture.h"

using namespace attnc::reference;

namespace {

class TablesTest : public InterpreterTest {
protected:
  /// What the program stores for `table`, the entries `a` and `b`, and `%x`.
  double run(llvm::StringRef op, std::vector<int64_t> entries,
             std::vector<int64_t> shape, int64_t a, int64_t b) {
    Tensor table = makeTensor(mlir::IntegerType::get(&context, 32), shape);
    table.integer = std::move(entries);
    std::vector<Tensor> tensors = {table, f32({0}, {1})};
    std::string axes = shape.size() == 1 ? "n" : "m, n";
    std::string text =
        R"mlir(
      tile.program @f(%t: !tile.buf<)mlir" +
        axes +
        R"mlir( : i32>, %y: !tile.buf<q : f32>, %a: index, %b: index) target #tile.none {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        tile.grid (%i) to (%c1) {
          %x = )mlir" +
        op.str() + R"mlir(
          %n = arith.index_cast %x : index to i64
          %f = arith.sitofp %n : i64 to f32
          %z = tile.splat 0.0 : !tile.tile<q:1, f32>
          %v = tile.map (%z) : (!tile.tile<q:1, f32>) -> !tile.tile<q:1, f32> {
          ^bb0(%e: f32):
            tile.yield %f : f32
          }
          tile.store %v, %y[%c0] : !tile.tile<q:1, f32>, !tile.buf<q : f32>
        }
      })mlir";
    EXPECT_TRUE(
        mlir::succeeded(interpret(parse<attnc::tile::ProgramOp>(text), tensors,
                                  {}, {a, b}, Precision::Exact)));
    return tensors[1].real[0];
  }
};

constexpr llvm::StringLiteral least =
    "tile.table_min %t[%a] to [%b] : !tile.buf<n : i32>";
constexpr llvm::StringLiteral greatest =
    "tile.table_max %t[%a] to [%b] : !tile.buf<n : i32>";
constexpr llvm::StringLiteral bound =
    "tile.lower_bound %t[], %a : !tile.buf<n : i32>";

TEST_F(TablesTest, ends_of_a_range) {
  EXPECT_EQ(run(least, {5, 2, 7, 1}, {4}, 0, 2), 2);
  EXPECT_EQ(run(greatest, {5, 2, 7, 1}, {4}, 1, 3), 7);
}

TEST_F(TablesTest, places_are_clamped) {
  EXPECT_EQ(run(least, {5, 2, 7}, {3}, -4, 9), 2);
  EXPECT_EQ(run(greatest, {5, 2, 7}, {3}, 8, 9), 7);
}

TEST_F(TablesTest, a_last_place_below_the_first_does_not_count) {
  EXPECT_EQ(run(least, {5, 2, 7}, {3}, 2, 0), 7);
}

TEST_F(TablesTest, an_empty_table_has_zeros) {
  EXPECT_EQ(run(least, {}, {0}, 0, 3), 0);
  EXPECT_EQ(run(bound, {}, {0}, 3, 0), 0);
}

TEST_F(TablesTest, ends_of_a_rectangle) {
  EXPECT_EQ(
      run("tile.table_max %t[%c0, %a] to [%c1, %b] : !tile.buf<m, n : i32>",
          {1, 2, 9, 4, 5, 6}, {2, 3}, 0, 1),
      5);
}

TEST_F(TablesTest, lower_bound_is_the_first_that_is_not_less) {
  std::vector<int64_t> row = {1, 1, 4, 4, 9};
  EXPECT_EQ(run(bound, row, {5}, 0, 0), 0);
  EXPECT_EQ(run(bound, row, {5}, 4, 0), 2);
  EXPECT_EQ(run(bound, row, {5}, 5, 0), 4);
  EXPECT_EQ(run(bound, row, {5}, 10, 0), 5);
}

} // namespace
