// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 2], value_granule = [1, 2], unroll = 1, tail = 16, lane_skip = false, pack = never>
#without = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 2], value_granule = [1, 2], unroll = 1, tail = 0, lane_skip = false, pack = never>

// A block of 32 with 16 queries or fewer goes in pieces of 16.
// CHECK-LABEL: func.func @pieces.grid0.body(
// CHECK:         %[[FEW:.*]] = arith.cmpi sle, %[[VALID:.*]], %c16
// CHECK:         scf.if %[[FEW]] {
// CHECK:           scf.for %{{.*}} = %c0 to %[[VALID]] step %c16 {
// CHECK:             iter_args(%{{[^,]*}}) -> (vector<16xf32>)
// CHECK:         } else {
// CHECK:             iter_args(%{{.*}}, %{{.*}}) -> (vector<16xf32>, vector<16xf32>)
tile.program @pieces(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %n: index, %lo: index, %hi: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %m0 = tile.splat -inf : !tile.tile<q:32, f32>
    %s = tile.splat 1.0 : !tile.tile<q:32, k:8, f32>
    %mx = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %lo, %hi)] step 8 partial_step 4 iter(%mi = %m0) -> (!tile.tile<q:32, f32>) {
      %t = tile.select_masked %s at(q = %c0, k = %k0) valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:8, f32> {
      ^bb0(%q: index, %k: index):
        %c = arith.cmpi sle, %k, %q : index
        tile.yield %c : i1
      }
      %mn = tile.reduce max (%t) over(k) init(%mi) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, f32>
      tile.yield %mn : !tile.tile<q:32, f32>
    }
    tile.store %mx, %m[%c0] valid(q = %n) : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// CHECK-LABEL: func.func @one_copy.grid0.body(
// CHECK-NOT:     iter_args(%{{[^,]*}}) -> (vector<16xf32>)
// CHECK:         return
tile.program @one_copy(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %n: index, %lo: index, %hi: index) target #without {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %m0 = tile.splat -inf : !tile.tile<q:32, f32>
    %s = tile.splat 1.0 : !tile.tile<q:32, k:8, f32>
    %mx = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %lo, %hi)] step 8 partial_step 4 iter(%mi = %m0) -> (!tile.tile<q:32, f32>) {
      %t = tile.select_masked %s at(q = %c0, k = %k0) valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:8, f32> {
      ^bb0(%q: index, %k: index):
        %c = arith.cmpi sle, %k, %q : index
        tile.yield %c : i1
      }
      %mn = tile.reduce max (%t) over(k) init(%mi) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, f32>
      tile.yield %mn : !tile.tile<q:32, f32>
    }
    tile.store %mx, %m[%c0] valid(q = %n) : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}
