// Sums of few queries. The scores of several keys share the additions of one
// vector. Sums of values of at most `feature_rows` queries: only their lanes are
// transposed, and the sums stay in registers.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#few = #tile.cpu<isa = avx2, mapping = features, lanes = 8, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = auto, feature_rows = 2>

// CHECK-LABEL: func.func @attend.grid0.body(
// Scores: those of four keys and two queries.
// CHECK:         vector.shuffle %{{.*}}, %{{.*}} [4, 5, 6, 7, 12, 13, 14, 15]
// CHECK-NEXT:    %[[S:.*]] = arith.addf {{.*}} : vector<8xf32>
// CHECK-NEXT:    vector.shuffle %[[S]], %[[S]] [0, 1, 0, 1, 0, 1, 0, 1]
// CHECK:         vector.shuffle %[[S]], %[[S]] [2, 3, 2, 3, 2, 3, 2, 3]
// CHECK:         vector.shuffle %[[S]], %[[S]] [4, 5, 4, 5, 4, 5, 4, 5]
// CHECK:         vector.shuffle %[[S]], %[[S]] [6, 7, 6, 7, 6, 7, 6, 7]
// CHECK:         arith.cmpi sle, %{{.*}}, %c2
// CHECK:         scf.if
// Before: the first two lanes of eight features are joined in two vectors.
// CHECK:           %[[A:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 1, 8, 9, -1, -1, -1, -1]
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11]
// CHECK:           vector.shuffle %[[X:.*]], %[[Y:.*]] [0, 8, 2, 10, 4, 12, 6, 14]
// CHECK:           vector.shuffle %[[X]], %[[Y]] [1, 9, 3, 11, 5, 13, 7, 15]
// CHECK:           scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}) -> (vector<8xf32>, vector<8xf32>)
// CHECK:             vector.fma
// After: back in two shuffles, and each feature gets its lanes.
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [0, 8, 2, 10, 4, 12, 6, 14]
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [1, 9, 3, 11, 5, 13, 7, 15]
// CHECK:           vector.shuffle %{{.*}} [2, 3, 2, 3, 2, 3, 2, 3]
// CHECK:         } else {
// More queries: whole squares, through scratch.
// CHECK:           vector.shuffle {{.*}} [0, 8, 1, 9, 2, 10, 3, 11]
tile.program @attend(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %V: !tile.buf<k, e : f32>, %O: !tile.buf<q, e : f32>, %n: index, %keys: index) target #few {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] valid(q = %n) : !tile.buf<q, d : f32> -> !tile.tile<q:8, d:8, f32>
    %zero = tile.splat 0.0 : !tile.tile<q:8, e:8, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %keys, %keys)] step 8 partial_step 8 iter(%acc = %zero) -> (!tile.tile<q:8, e:8, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f32> -> !tile.tile<k:8, d:8, f32>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:8, d:8, f32>, !tile.tile<k:8, d:8, f32>) -> !tile.tile<q:8, k:8, f32>
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f32> -> !tile.tile<k:8, e:8, f32>
      %next = tile.dot (%s, %v) sum(k) acc(%acc) : (!tile.tile<q:8, k:8, f32>, !tile.tile<k:8, e:8, f32>) -> !tile.tile<q:8, e:8, f32>
      tile.yield %next : !tile.tile<q:8, e:8, f32>
    }
    tile.store %o, %O[%c0, %c0] valid(q = %n) : !tile.tile<q:8, e:8, f32>, !tile.buf<q, e : f32>
  }
}
