// The copy of an operand of products of fmas has a part for each group of
// vectors, whose rows follow each other.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#fmas = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 2, tail = 0, lane_skip = false, pack = never>

// Rows of a group have 32 elements; 32 rows, and 6 more that may be read past
// the end, are 1216.
// CHECK-LABEL: func.func @products.grid0.body(
// CHECK:         scf.for %[[FIRST:.*]] = %c0 to %c64 step %c32
// CHECK:           scf.for %[[K:.*]] = %c0 to %c32 step %c1
// CHECK:             %[[GROUP:.*]] = arith.shrsi %[[FIRST]], %c5
// CHECK-NEXT:        arith.muli %[[GROUP]], %c1216
// CHECK:             arith.muli %[[K]], %c32
// CHECK:             llvm.store %{{.*}} {alignment = 64 : i64} : vector<16xf32>, !llvm.ptr
tile.program @products(%W: !tile.buf<k, q : f32>, %X: !tile.buf<e, k : f32>, %Y: !tile.buf<e, q : f32>) target #fmas {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] : !tile.buf<k, q : f32> -> !tile.tile<q:64, k:32, f32>
    %x = tile.load %X[%c0, %c0] : !tile.buf<e, k : f32> -> !tile.tile<e:32, k:32, f32>
    %s = tile.dot (%w, %x) sum(k) : (!tile.tile<q:64, k:32, f32>, !tile.tile<e:32, k:32, f32>) -> !tile.tile<q:64, e:32, f32>
    tile.store %s, %Y[%c0, %c0] : !tile.tile<q:64, e:32, f32>, !tile.buf<e, q : f32>
  }
}

// A load in a loop holds one group.
// CHECK-LABEL: func.func @steps.grid0.body(
// CHECK-NOT:     arith.constant 1216
// CHECK:         return
tile.program @steps(%W: !tile.buf<k, q : f32>, %X: !tile.buf<e, k : f32>, %Y: !tile.buf<e, q : f32>) target #fmas {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %c96 = arith.constant 96 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:32, f32>
    %s = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %c96, %c96)] step 32 partial_step 32 iter(%a = %zero) -> (!tile.tile<q:32, e:32, f32>) {
      %w = tile.load %W[%k0, %c0] : !tile.buf<k, q : f32> -> !tile.tile<q:32, k:32, f32>
      %x = tile.load %X[%c0, %k0] : !tile.buf<e, k : f32> -> !tile.tile<e:32, k:32, f32>
      %d = tile.dot (%w, %x) sum(k) acc(%a) : (!tile.tile<q:32, k:32, f32>, !tile.tile<e:32, k:32, f32>) -> !tile.tile<q:32, e:32, f32>
      tile.yield %d : !tile.tile<q:32, e:32, f32>
    }
    tile.store %s, %Y[%c0, %c0] : !tile.tile<q:32, e:32, f32>, !tile.buf<e, q : f32>
  }
}
