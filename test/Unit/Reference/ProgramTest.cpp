//===- ProgramTest.cpp - Meaning of the tile ops --------------------------===//

#include "Fixture.h"

#include <cmath>

using namespace attnc::reference;

namespace {

class ProgramTest : public InterpreterTest {
protected:
  /// Runs a program over f32 buffers; they hold the outcome.
  bool runProgram(llvm::StringRef text, std::vector<Tensor> &tensors,
                  llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<bool> present = {}) {
    return mlir::succeeded(interpret(parse<attnc::tile::ProgramOp>(text),
                                     tensors, present, sizes,
                                     Precision::Exact));
  }
};

TEST_F(ProgramTest, load_fills_and_store_leaves_what_is_not_valid) {
  std::vector<Tensor> tensors = {f32({1, 2, 3}, {3}), f32({9, 9, 9}, {3})};
  ASSERT_TRUE(runProgram(R"mlir(
    tile.program @f(%x: !tile.buf<q : f32>, %y: !tile.buf<q : f32>, %n: index) target #tile.none {
      tile.grid (%i) to (%n) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %t = tile.load %x[%c1] valid(q = %c2) : !tile.buf<q : f32> -> !tile.tile<q:4, f32>
        tile.store %t, %y[%c0] valid(q = %c2) : !tile.tile<q:4, f32>, !tile.buf<q : f32>
      }
    })mlir",
                         tensors, {1}));
  EXPECT_EQ(tensors[1].real, (std::vector<double>{2, 3, 9}));
}

TEST_F(ProgramTest, a_load_goes_through_a_table_of_pages) {
  // Three pages of two rows; keys 1 to 5 of pages 2, 0, 7 (which is not there).
  std::vector<Tensor> tensors = {f32({1, 2, 3, 4, 5, 6}, {3, 2, 1}),
                                 i32({2, 0, 7}, {3}),
                                 f32({9, 9, 9, 9, 9, 9}, {6, 1})};
  ASSERT_TRUE(runProgram(R"mlir(
    tile.program @f(%x: !tile.buf<p, k, d : f32>, %t: !tile.buf<a0 : i32>, %y: !tile.buf<k, d : f32>, %n: index) target #tile.none {
      tile.grid (%i) to (%n) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c5 = arith.constant 5 : index
        %0 = tile.load %x[%c0, %c1, %c0] valid(k = %c5) through(%t[] step 2 : !tile.buf<a0 : i32>) : !tile.buf<p, k, d : f32> -> !tile.tile<k:6, d:1, f32>
        tile.store %0, %y[%c0, %c0] : !tile.tile<k:6, d:1, f32>, !tile.buf<k, d : f32>
      }
    })mlir",
                         tensors, {1}));
  EXPECT_EQ(tensors[2].real, (std::vector<double>{6, 1, 2, 0, 0, 0}));
}

TEST_F(ProgramTest, dot_adds_exact_products_of_stored_elements) {
  // (1 + 2^-7)^2 has 15 bits, more than bf16 has.
  double x = 1.0078125;
  for (Precision precision : {Precision::Exact, Precision::Rounded}) {
    std::vector<Tensor> tensors = {f32({x, x}, {1, 2}), f32({x, 2}, {1, 2}),
                                   f32({0}, {1, 1})};
    ASSERT_TRUE(mlir::succeeded(interpret(parse<attnc::tile::ProgramOp>(R"mlir(
    tile.program @f(%x: !tile.buf<q, d : f32>, %y: !tile.buf<k, d : f32>, %s: !tile.buf<q, k : f32>, %n: index) target #tile.none {
      tile.grid (%i) to (%n) {
        %c0 = arith.constant 0 : index
        %0 = tile.load %x[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:1, d:2, f32>
        %1 = tile.map(%0) : (!tile.tile<q:1, d:2, f32>) -> !tile.tile<q:1, d:2, bf16> {
        ^bb0(%e: f32):
          %4 = arith.truncf %e : f32 to bf16
          tile.yield %4 : bf16
        }
        %2 = tile.load %y[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:1, d:2, f32>
        %5 = tile.map(%2) : (!tile.tile<k:1, d:2, f32>) -> !tile.tile<k:1, d:2, bf16> {
        ^bb0(%e: f32):
          %4 = arith.truncf %e : f32 to bf16
          tile.yield %4 : bf16
        }
        %3 = tile.dot (%1, %5) sum(d) : (!tile.tile<q:1, d:2, bf16>, !tile.tile<k:1, d:2, bf16>) -> !tile.tile<q:1, k:1, f32>
        tile.store %3, %s[%c0, %c0] : !tile.tile<q:1, k:1, f32>, !tile.buf<q, k : f32>
      }
    })mlir"),
                                          tensors, {}, {1}, precision)));
    EXPECT_EQ(tensors[2].real, (std::vector<double>{x * x + 2 * x}));
  }
}

TEST_F(ProgramTest, locate_numbers_the_blocks_of_all_sequences) {
  // Lengths 3, 0, 5 from row 4 on, in blocks of 2: numbers 0 1 | 2 | 3 4 5 | 6.
  std::vector<Tensor> tensors = {i32({4, 7, 7, 12}, {4}),
                                 f32({9, 9, 9, 9, 9, 9, 9}, {7})};
  ASSERT_TRUE(runProgram(R"mlir(
    tile.program @f(%start: !tile.buf<a0 : i32>, %y: !tile.buf<q : f32>, %n: index) target #tile.none {
      tile.grid (%j) to (%n) {
        %b, %i = tile.locate %j in %start step 2 : !tile.buf<a0 : i32>
        %c10 = arith.constant 10 : index
        %tens = arith.muli %b, %c10 : index
        %both = arith.addi %tens, %i : index
        %0 = tile.map () at(q = %both) : () -> !tile.tile<q:1, f32> {
        ^bb0(%q: index):
          %1 = arith.index_cast %q : index to i64
          %2 = arith.sitofp %1 : i64 to f32
          tile.yield %2 : f32
        }
        tile.store %0, %y[%j] : !tile.tile<q:1, f32>, !tile.buf<q : f32>
      }
    })mlir",
                         tensors, {7}));
  EXPECT_EQ(tensors[1].real, (std::vector<double>{0, 1, 10, 20, 21, 22, 23}));
}

TEST_F(ProgramTest, loads_outside_of_a_buffer_are_an_error) {
  std::vector<Tensor> tensors = {f32({1, 2, 3}, {3})};
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  EXPECT_FALSE(runProgram(R"mlir(
    tile.program @f(%x: !tile.buf<q : f32>) target #tile.none {
      %c1 = arith.constant 1 : index
      tile.grid (%i) to (%c1) {
        %t = tile.load %x[%c1] : !tile.buf<q : f32> -> !tile.tile<q:3, f32>
      }
    })mlir",
                          tensors, {}));
}

TEST_F(ProgramTest, a_workspace_carries_values_from_grid_to_grid) {
  std::vector<Tensor> tensors = {f32({1, 2, 3, 4}, {2, 2}),
                                 f32({0, 0, 0, 0}, {2, 2})};
  ASSERT_TRUE(runProgram(R"mlir(
    tile.program @f(%x: !tile.buf<q, d : f32>, %y: !tile.buf<q, d : f32>, %n: index) target #tile.none {
      %w = tile.workspace [%n, %n] : !tile.buf<q, d : f32>
      %t = tile.rename %w : !tile.buf<q, d : f32> -> !tile.buf<d, q : f32>
      %c0 = arith.constant 0 : index
      tile.grid (%i) to (%n) {
        %0 = tile.load %x[%i, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:1, d:2, f32>
        tile.store %0, %w[%i, %c0] : !tile.tile<q:1, d:2, f32>, !tile.buf<q, d : f32>
      }
      tile.grid (%i) to (%n) {
        %0 = tile.load %t[%c0, %i] : !tile.buf<d, q : f32> -> !tile.tile<q:1, d:2, f32>
        tile.store %0, %y[%i, %c0] : !tile.tile<q:1, d:2, f32>, !tile.buf<q, d : f32>
      }
    })mlir",
                         tensors, {2}));
  EXPECT_EQ(tensors[1].real, (std::vector<double>{1, 3, 2, 4}));
}

TEST_F(ProgramTest, what_nobody_wrote_to_a_workspace_is_nan) {
  std::vector<Tensor> tensors = {f32({0, 0}, {2})};
  ASSERT_TRUE(runProgram(R"mlir(
    tile.program @f(%y: !tile.buf<q : f32>, %n: index) target #tile.none {
      %w = tile.workspace [%n] : !tile.buf<q : f32>
      tile.grid (%i) to (%n) {
        %0 = tile.load %w[%i] : !tile.buf<q : f32> -> !tile.tile<q:1, f32>
        tile.store %0, %y[%i] : !tile.tile<q:1, f32>, !tile.buf<q : f32>
      }
    })mlir",
                         tensors, {2}));
  EXPECT_TRUE(std::isnan(tensors[0].real[0]));
  EXPECT_TRUE(std::isnan(tensors[0].real[1]));
}

/// Writes for each key the number of its tile's keys, negative when partial.
constexpr llvm::StringLiteral segments = R"mlir(
  tile.program @f(%y: !tile.buf<q : f32>, %a: index, %b: index, %c: index, %d: index) target #tile.none {
    %c1 = arith.constant 1 : index
    tile.grid (%i) to (%c1) {
      tile.for (%k0, %nk, %partial) in [(%a, %b, %c, %d)] step 4 partial_step 2 {
        %n = arith.index_cast %nk : index to i64
        %f = arith.sitofp %n : i64 to f32
        %m = arith.negf %f : f32
        %s = arith.select %partial, %m, %f : f32
        %z = tile.splat 0.0 : !tile.tile<q:4, f32>
        %t = tile.map (%z) : (!tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
        ^bb0(%x: f32):
          tile.yield %s : f32
        }
        tile.store %t, %y[%k0] valid(q = %nk) : !tile.tile<q:4, f32>, !tile.buf<q : f32>
        tile.yield
      }
    }
  })mlir";

TEST_F(ProgramTest, for_visits_head_full_and_tail_tiles) {
  std::vector<Tensor> tensors = {f32(std::vector<double>(12, 0), {12})};
  ASSERT_TRUE(runProgram(segments, tensors, {1, 4, 9, 12}));
  EXPECT_EQ(tensors[0].real,
            (std::vector<double>{0, -2, -2, -1, 4, 4, 4, 4, -2, -2, -2, -2}));
}

TEST_F(ProgramTest, for_without_a_full_tile_is_one_partial_run) {
  std::vector<Tensor> tensors = {f32(std::vector<double>(6, 0), {6})};
  ASSERT_TRUE(runProgram(segments, tensors, {0, 3, 5, 5}));
  EXPECT_EQ(tensors[0].real, (std::vector<double>{-2, -2, -2, -2, -1, 0}));
}

TEST_F(ProgramTest, for_visits_nothing_of_an_empty_segment) {
  std::vector<Tensor> tensors = {f32({7}, {1})};
  ASSERT_TRUE(runProgram(segments, tensors, {1, 0, 1, 0}));
  EXPECT_EQ(tensors[0].real[0], 7);
}

TEST_F(ProgramTest, a_store_to_an_absent_output_is_an_error) {
  std::vector<Tensor> tensors = {f32({7}, {1})};
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  EXPECT_FALSE(runProgram(segments, tensors, {0, 0, 1, 1}, {false}));
}

TEST_F(ProgramTest, reduce_max_passes_by_nan) {
  std::vector<Tensor> tensors = {f32({NAN, 2, 1}, {3}), f32({0}, {1})};
  ASSERT_TRUE(runProgram(R"mlir(
    tile.program @f(%x: !tile.buf<k : f32>, %y: !tile.buf<q : f32>) target #tile.none {
      %c1 = arith.constant 1 : index
      tile.grid (%i) to (%c1) {
        %c0 = arith.constant 0 : index
        %t = tile.load %x[%c0] : !tile.buf<k : f32> -> !tile.tile<k:3, f32>
        %u = tile.map (%t) : (!tile.tile<k:3, f32>) -> !tile.tile<q:1, k:3, f32> {
        ^bb0(%v: f32):
          tile.yield %v : f32
        }
        %m = tile.splat -inf : !tile.tile<q:1, f32>
        %r = tile.reduce max (%u) over(k) init(%m) : (!tile.tile<q:1, k:3, f32>) -> !tile.tile<q:1, f32>
        tile.store %r, %y[%c0] : !tile.tile<q:1, f32>, !tile.buf<q : f32>
      }
    })mlir",
                         tensors, {}));
  EXPECT_EQ(tensors[1].real[0], 2);
}

TEST_F(ProgramTest, select_masked_keeps_a_full_tile_as_it_is) {
  for (bool partial : {false, true}) {
    std::vector<Tensor> tensors = {f32({1, 2, 3}, {3}), f32({0, 0, 0}, {3})};
    ASSERT_TRUE(runProgram(R"mlir(
      tile.program @f(%x: !tile.buf<k : f32>, %y: !tile.buf<k : f32>, %n: index) target #tile.none {
        %c1 = arith.constant 1 : index
        tile.grid (%i) to (%c1) {
          %c0 = arith.constant 0 : index
          %c2 = arith.constant 2 : index
          %p = arith.cmpi ne, %n, %c0 : index
          %t = tile.load %x[%c0] : !tile.buf<k : f32> -> !tile.tile<k:3, f32>
          %s = tile.select_masked %t at(k = %c0) valid(k = %c2) when %p fill -5.0 : !tile.tile<k:3, f32> {
          ^bb0(%k: index):
            %c = arith.cmpi ne, %k, %c0 : index
            tile.yield %c : i1
          }
          tile.store %s, %y[%c0] : !tile.tile<k:3, f32>, !tile.buf<k : f32>
        }
      })mlir",
                           tensors, {partial}));
    EXPECT_EQ(tensors[1].real, partial ? (std::vector<double>{-5, 2, -5})
                                       : (std::vector<double>{1, 2, 3}));
  }
}

TEST_F(ProgramTest, skew_gives_pairs_the_value_of_their_diagonal) {
  std::vector<Tensor> tensors = {f32({0, 0, 0, 0, 0, 0}, {2, 3})};
  ASSERT_TRUE(runProgram(R"mlir(
    tile.program @f(%y: !tile.buf<q, k : f32>) target #tile.none {
      %c1 = arith.constant 1 : index
      tile.grid (%i) to (%c1) {
        %c0 = arith.constant 0 : index
        %first = arith.constant 5 : index
        %r = tile.map () at(r = %first) : () -> !tile.tile<r:4, f32> {
        ^bb0(%d: index):
          %n = arith.index_cast %d : index to i64
          %f = arith.sitofp %n : i64 to f32
          tile.yield %f : f32
        }
        %s = tile.skew %r plus(q) minus(k) : !tile.tile<r:4, f32> -> !tile.tile<q:2, k:3, f32>
        tile.store %s, %y[%c0, %c0] : !tile.tile<q:2, k:3, f32>, !tile.buf<q, k : f32>
      }
    })mlir",
                         tensors, {}));
  // The last key's diagonal is the first one.
  EXPECT_EQ(tensors[0].real, (std::vector<double>{7, 6, 5, 8, 7, 6}));
}

} // namespace
