// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// A loop that stores a state in each turn: while it multiplies two rows, it
// fetches these rows of the place where the next turn stores.
// CHECK-LABEL: func.func @states.grid0.body(
// CHECK:         scf.for %[[ROW:.*]] = %c0 to %c8 step %c2
// CHECK:           %[[NEXT:.*]] = arith.addi %{{.*}}, %c16 : index
// CHECK:           %[[CHUNK:.*]] = arith.floordivsi %[[NEXT]], %c16 : index
// CHECK-NEXT:      arith.muli %[[CHUNK]], %{{.*}} : index
// CHECK:           arith.muli %[[ROW]], %{{.*}} : index
// CHECK:           "llvm.intr.prefetch"{{.*}} hint = 3 :
// CHECK-NEXT:      arith.addi %[[ROW]], %c1 : index
// CHECK:           "llvm.intr.prefetch"{{.*}} hint = 3 :
// CHECK-NOT:       hint = 3 :
// CHECK:           vector.fma
// CHECK:         return
tile.program @states(%P: !tile.buf<k, q : f32>, %V: !tile.buf<k, e : f32>, %S: !tile.buf<n, e, q : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %o0 = tile.splat 0.0 : !tile.tile<q:16, e:8, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 16 partial_step 16 iter(%state = %o0) -> (!tile.tile<q:16, e:8, f32>) {
      %chunk = arith.floordivsi %k0, %c16 : index
      tile.store %state, %S[%chunk, %c0, %c0] : !tile.tile<q:16, e:8, f32>, !tile.buf<n, e, q : f32>
      %p = tile.load %P[%k0, %c0] : !tile.buf<k, q : f32> -> !tile.tile<q:16, k:16, f32>
      %v = tile.load %V[%k0, %c0] : !tile.buf<k, e : f32> -> !tile.tile<k:16, e:8, f32>
      %next = tile.dot (%p, %v) sum(k) acc(%state) : (!tile.tile<q:16, k:16, f32>, !tile.tile<k:16, e:8, f32>) -> !tile.tile<q:16, e:8, f32>
      tile.yield %next : !tile.tile<q:16, e:8, f32>
    }
  }
}
