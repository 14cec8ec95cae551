// While a tile of keys is multiplied, the lines of a table with an entry per query
// and key are prefetched into L2 for the next tile: each granule of 4 of the 32 keys
// prefetches 2 of the 16 queries, 2 lines of 16 keys each.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// CHECK-LABEL: func.func @bias.grid0.body(
// CHECK:         scf.for %[[ROW:.*]] = %c0 to %c32 step %c4
// CHECK:           scf.if
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addi %{{.*}}, %c32 : index
// CHECK-NEXT:        %[[GRANULE:.*]] = arith.shrsi %[[ROW]], %c2 : index
// CHECK-NEXT:        %[[FIRST:.*]] = arith.muli %[[GRANULE]], %c2 : index
// CHECK-NEXT:        %[[QUERY:.*]] = arith.muli %[[FIRST]], %{{.*}} : index
// CHECK-NEXT:        arith.addi %[[NEXT]], %[[QUERY]] : index
// CHECK-COUNT-4:     llvm.intr.prefetch{{.*}}hint = 2 :
// CHECK-NOT:         llvm.intr.prefetch{{.*}}hint = 2
// CHECK:             llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
tile.program @bias(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %T: !tile.buf<q, k : f32>, %O: !tile.buf<q : f32>, %n: index, %m: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:4, f32>
    %o0 = tile.splat 0.0 : !tile.tile<q:16, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 32 partial_step 8 iter(%acc = %o0) -> (!tile.tile<q:16, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f32> -> !tile.tile<k:32, d:4, f32>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, f32>, !tile.tile<k:32, d:4, f32>) -> !tile.tile<q:16, k:32, f32>
      %b = tile.map (%s) at(q = %c0, k = %k0) : (!tile.tile<q:16, k:32, f32>) -> !tile.tile<q:16, k:32, f32> {
      ^bb0(%e: f32, %row: index, %key: index):
        %v = tile.read %T[%row, %key] : !tile.buf<q, k : f32> -> f32
        %r = arith.addf %e, %v : f32
        tile.yield %r : f32
      }
      %next = tile.reduce add (%b) over(k) init(%acc) : (!tile.tile<q:16, k:32, f32>) -> !tile.tile<q:16, f32>
      tile.yield %next : !tile.tile<q:16, f32>
    }
    tile.store %o, %O[%c0] valid(q = %m) : !tile.tile<q:16, f32>, !tile.buf<q : f32>
  }
}
