// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// While a product in no loop is computed, the rows that its block stores and
// the queries of the next block are prefetched, some between any two rows of it.
// CHECK-LABEL: func.func @product.grid0.body(
// CHECK:         %[[NEXT:.*]] = arith.addi %{{.*}}, %c1 : index
// CHECK:         scf.for %[[ROW:.*]] = %c0 to %c8 step %c2
// CHECK-NEXT:      %[[GRANULE:.*]] = arith.shrsi %[[ROW]], %c1 : index
// CHECK-NEXT:      %[[FIRST:.*]] = arith.muli %[[GRANULE]], %c4 : index
// CHECK-NEXT:      %[[AFTER:.*]] = arith.addi %[[FIRST]], %c4 : index
// CHECK-NEXT:      %[[END:.*]] = arith.minsi %[[AFTER]], %c16 : index
// CHECK-NEXT:      scf.for %{{.*}} = %[[FIRST]] to %[[END]] step %c1
// CHECK-COUNT-2:     "llvm.intr.prefetch"{{.*}} hint = 2 :
// CHECK:           vector.fma
// CHECK:         return
tile.program @product(%Q: !tile.buf<q, d : f32>, %W: !tile.buf<e, d : f32>, %O: !tile.buf<q, e : f32>, %blocks: index) target #cpu {
  tile.grid (%i) to (%blocks) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %q0 = arith.muli %i, %c16 : index
    %q = tile.load %Q[%q0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:16, f32>
    %w = tile.load %W[%c0, %c0] : !tile.buf<e, d : f32> -> !tile.tile<e:8, d:16, f32>
    %o = tile.dot (%q, %w) sum(d) : (!tile.tile<q:16, d:16, f32>, !tile.tile<e:8, d:16, f32>) -> !tile.tile<q:16, e:8, f32>
    tile.store %o, %O[%q0, %c0] : !tile.tile<q:16, e:8, f32>, !tile.buf<q, e : f32>
  }
}
