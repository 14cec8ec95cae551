// Products of one vector of queries with the features of K and V in their lanes.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#few = #tile.cpu<isa = avx2, mapping = features, lanes = 8, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = auto, feature_rows = 4>

// Q is copied as rows before the loop. Rows of K and V stay bf16 in memory: vectors
// are converted as they are loaded. Each product prefetches half of the next tile's
// rows of both, which are rows 8 to 15: each pair of keys one of rows 8 to 11, the
// values those from row 12 on.
// CHECK-LABEL: func.func @attend.grid0.body(
// CHECK-COUNT-24: vector.shuffle {{.*}} : vector<8xf32>, vector<8xf32>
// Scores: a pass of four queries by two keys, a vector of eight features per step.
// CHECK:         scf.for %{{.*}} step %c4 iter_args(%{{.*}}, %{{.*}}) -> (vector<8xf32>, vector<8xf32>)
// CHECK:           arith.muli %[[K_STRIDE:.*]], %c8 : index
// CHECK:           llvm.intr.prefetch{{.*}} hint = 2 :
// CHECK:           arith.muli %[[V_STRIDE:.*]], %c8 : index
// CHECK:           llvm.intr.prefetch{{.*}} hint = 2 :
// CHECK-NOT:       llvm.intr.prefetch
// CHECK:           llvm.load {{.*}} -> vector<8xi16>
// CHECK:           vector.fma {{.*}} : vector<8xf32>
// The sums of the lanes are those of the queries of the pass.
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [0, 2, 8, 10, 4, 6, 12, 14]
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [1, 3, 9, 11, 5, 7, 13, 15]
// CHECK:           arith.select %{{.*}} : vector<8xi1>, vector<8xf32>
// The last pair of keys.
// CHECK:           arith.muli %[[K_STRIDE]], %c11 : index
// CHECK:           llvm.intr.prefetch
// CHECK:           arith.muli %[[V_STRIDE]], %c11 : index
// CHECK:           llvm.intr.prefetch
// Weights of at most four queries: those of two keys share a vector.
// CHECK:         arith.cmpi sle, %{{.*}}, %c4
// CHECK:         scf.if
// CHECK-COUNT-4:   math.exp2 {{.*}} : vector<8xf32>
// CHECK-NOT:       math.exp2
// CHECK:         } else {
// CHECK-COUNT-8:   math.exp2 {{.*}} : vector<8xf32>
// Values: four queries by two vectors, for all keys of the tile. Both vectors of
// a row are loaded as one of pairs.
// CHECK:         scf.for %{{.*}} = %c0 to %c32 step %c16 {
// CHECK:           scf.for %{{.*}} step %c4
// CHECK:             scf.for %{{.*}} = %c0 to %c8 step %c4 iter_args
// CHECK:               llvm.load {{.*}} -> vector<8xi32>
// CHECK:               arith.shli {{.*}} : vector<8xi32>
// CHECK:               arith.andi {{.*}} : vector<8xi32>
// CHECK:               vector.broadcast %{{.*}} : f32 to vector<8xf32>
// CHECK-COUNT-8:       vector.fma
// CHECK:               %[[ROW:.*]] = arith.addi %{{.*}}, %c12 : index
// CHECK:               arith.muli %[[ROW]], %[[K_STRIDE]] : index
// CHECK:               llvm.intr.prefetch{{.*}} hint = 2 :
// CHECK:               arith.muli %[[ROW]], %[[V_STRIDE]] : index
// CHECK:               llvm.intr.prefetch{{.*}} hint = 2 :
tile.program @attend(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index, %keys: index) target #few {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] valid(q = %n) : !tile.buf<q, d : f32> -> !tile.tile<q:8, d:8, f32>
    %zero = tile.splat 0.0 : !tile.tile<q:8, e:32, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %keys, %keys)] step 8 partial_step 8 iter(%acc = %zero) -> (!tile.tile<q:8, e:32, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : bf16> -> !tile.tile<k:8, d:8, bf16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:8, d:8, f32>, !tile.tile<k:8, d:8, bf16>) -> !tile.tile<q:8, k:8, f32>
      %none = tile.splat 0.0 : !tile.tile<q:8, f32>
      %m = tile.reduce max (%s) over(k) init(%none) : (!tile.tile<q:8, k:8, f32>) -> !tile.tile<q:8, f32>
      %w = tile.map (%s, %m) : (!tile.tile<q:8, k:8, f32>, !tile.tile<q:8, f32>) -> !tile.tile<q:8, k:8, f32> {
      ^bb0(%x: f32, %largest: f32):
        %below = arith.subf %x, %largest : f32
        %y = math.exp2 %below : f32
        tile.yield %y : f32
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : bf16> -> !tile.tile<k:8, e:32, bf16>
      %next = tile.dot (%w, %v) sum(k) acc(%acc) : (!tile.tile<q:8, k:8, f32>, !tile.tile<k:8, e:32, bf16>) -> !tile.tile<q:8, e:32, f32>
      tile.yield %next : !tile.tile<q:8, e:32, f32>
    }
    tile.store %o, %O[%c0, %c0] valid(q = %n) : !tile.tile<q:8, e:32, f32>, !tile.buf<q, e : f32>
  }
}
