// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 2], value_granule = [1, 2], unroll = 1, tail = 0, lane_skip = true, pack = never>
#narrow = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = true, pack = never>

// A causal mask on ranges: queries 16 .. 31 see a key if the first key is at
// most 31. As many vectors run as see one.
// CHECK-LABEL: func.func @causal.grid0.body(
// CHECK:         scf.for %[[K:.*]] = {{.*}} step %c4 {
// CHECK:           %[[UPPER:.*]] = arith.cmpi sle, %[[K]], %c31
// CHECK:           %[[LOWER:.*]] = arith.cmpi sle, %[[K]], %c15
// CHECK:           scf.index_switch
// CHECK:           case 1 {
// CHECK:             iter_args(%{{.*}}) -> (vector<16xf32>)
// CHECK:           case 2 {
// CHECK:             iter_args(%{{.*}}, %{{.*}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK:           default {
// CHECK-NEXT:      }
tile.program @causal(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %n: index, %lo: index, %hi: index) target #cpu {
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

// What is not understood may be true anywhere: all vectors run.
// CHECK-LABEL: func.func @unknown.grid0.body(
// CHECK-NOT:     scf.index_switch
// CHECK:         return
tile.program @unknown(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %y: !tile.buf<n : i1>, %n: index, %lo: index, %hi: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %m0 = tile.splat -inf : !tile.tile<q:32, f32>
    %s = tile.splat 1.0 : !tile.tile<q:32, k:8, f32>
    %mx = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %lo, %hi)] step 8 partial_step 4 iter(%mi = %m0) -> (!tile.tile<q:32, f32>) {
      %t = tile.select_masked %s at(q = %c0, k = %k0) valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:8, f32> {
      ^bb0(%q: index, %k: index):
        %c = tile.read %y[%k] : !tile.buf<n : i1> -> i1
        tile.yield %c : i1
      }
      %mn = tile.reduce max (%t) over(k) init(%mi) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, f32>
      tile.yield %mn : !tile.tile<q:32, f32>
    }
    tile.store %mx, %m[%c0] valid(q = %n) : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// Register tiles narrower than the block: groups of vectors are left out.
// CHECK-LABEL: func.func @groups.grid0.body(
// CHECK:         scf.for %{{.*}} = {{.*}} step %c4 {
// CHECK-NOT:       scf.index_switch
// CHECK:           scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c16 {
tile.program @groups(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %n: index, %lo: index, %hi: index) target #narrow {
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
