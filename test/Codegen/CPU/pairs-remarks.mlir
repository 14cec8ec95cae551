// Products of bf16 that stay in f32 although the target has unit = dot.
// RUN: attnc-opt %s --convert-tile-to-llvm --verify-diagnostics -o %t.mlir && FileCheck %s --input-file %t.mlir

#pairs = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = dot>

// A product that another op's use of Q excludes excludes those that share Q.
// CHECK-LABEL: func.func @shared_queries.grid0.body(
// CHECK-NOT:     dpbf16ps
tile.program @shared_queries(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %O: !tile.buf<q, d : bf16>, %n: index) target #pairs {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:4, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:2, d:4, bf16>
    // expected-remark@below {{computes a product of bf16 in f32, because other ops use its operand [kernel]}}
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, bf16>, !tile.tile<k:2, d:4, bf16>) -> !tile.tile<q:16, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
    tile.store %q, %O[%c0, %c0] : !tile.tile<q:16, d:4, bf16>, !tile.buf<q, d : bf16>
  }
}

// CHECK-LABEL: func.func @two_types.grid0.body(
// CHECK-NOT:     dpbf16ps
tile.program @two_types(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #pairs {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:4, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:2, d:4, bf16>
    // expected-remark@below {{computes a product of bf16 in f32, because its operands have different types [kernel]}}
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, f32>, !tile.tile<k:2, d:4, bf16>) -> !tile.tile<q:16, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
  }
}

// CHECK-LABEL: func.func @open_features.grid0.body(
// CHECK-NOT:     dpbf16ps
tile.program @open_features(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #pairs {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:4, bf16>
    %k = tile.load %K[%c0, %c0] valid(d = %n) : !tile.buf<k, d : bf16> -> !tile.tile<k:2, d:4, bf16>
    // expected-remark@below {{computes a product of bf16 in f32, because its number of features is known at run time only [kernel]}}
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, bf16>, !tile.tile<k:2, d:4, bf16>) -> !tile.tile<q:16, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
  }
}
