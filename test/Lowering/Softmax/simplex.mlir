// The threshold of sparsemax: the largest score, six passes that narrow the
// interval, and one that sums what lies above.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// CHECK-LABEL: tile.program @threshold
// CHECK:         %[[M:.*]] = tile.for
// CHECK:           tile.select_masked {{.*}} fill -inf
// CHECK:           tile.reduce max
// CHECK:         %[[LO:.*]] = tile.splat -1.000000e+00
// CHECK:         %[[PASSES:.*]] = arith.constant 6 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[PASSES]] step
// CHECK:         :15 = tile.for
// CHECK-NOT:     :15 = tile.for
// CHECK:         scf.yield
// CHECK:         :2 = tile.for
// CHECK:         %[[T:.*]] = tile.map(%[[M]],
// CHECK:           arith.divf
// CHECK:         tile.store %[[T]]
// CHECK-NOT:     tile.for
func.func @threshold(%Q: !q, %K: !k) -> !l {
  %row = attn.kernel ins(%Q, %K : !q, !k) -> (!l) normalize #attn.row<simplex> attributes {scale = 1.0 : f64, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %row : !l
}
