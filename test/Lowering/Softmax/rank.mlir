// The third greatest score: eight passes over its bits, one that counts, and,
// where scores are equal, eight over the keys. Passes of a kind are one loop.
// RUN: attnc-opt %s --convert-attn-to-tile --split-input-file | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!i = tensor<?x2x1x?xi32, #attn.dims<batch, 2, 1, query_len>>

// CHECK-LABEL: tile.program @third
// CHECK-DAG:     %[[PASSES:.*]] = arith.constant 8 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[PASSES]] step
// CHECK:         arith.bitcast
// CHECK:         :15 = tile.for
// CHECK-NOT:     :15 = tile.for
// CHECK:         scf.yield
// CHECK:         :3 = tile.for
// CHECK:         %[[ANY:.*]] = tile.any_nan
// CHECK:         %[[KEY:.*]] = scf.if %[[ANY]]
// CHECK:         scf.for
// CHECK:         :15 = tile.for
// CHECK-NOT:     :15 = tile.for
// CHECK:         } else {
// CHECK-NOT:     tile.for
// CHECK:         tile.store %{{.*}} : <q:64, f32>, <b, h, g, q : f32>
// CHECK:         tile.store %[[KEY]], {{.*}} : <q:64, index>, <b, h, g, q : i32>
func.func @third(%Q: !q, %K: !k) -> (!l, !i) {
  %row, %key = attn.kernel ins(%Q, %K : !q, !k) -> (!l, !i) normalize #attn.row<rank, n = 3> attributes {scale = 1.0 : f64, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %row, %key : !l, !i
}

// -----

// Sixteen passes over the bits of f64.
#schedule64 = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 8, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q64 = tensor<?x2x1x?x32xf64, #attn.dims<batch, 2, 1, query_len, 32>>
!k64 = tensor<?x2x?x32xf64, #attn.dims<batch, 2, kv_len, 32>>
!l64 = tensor<?x2x1x?xf64, #attn.dims<batch, 2, 1, query_len>>
!i = tensor<?x2x1x?xi32, #attn.dims<batch, 2, 1, query_len>>

// CHECK-LABEL: tile.program @third_f64
// CHECK:         %[[PASSES:.*]] = arith.constant 16 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[PASSES]] step
// CHECK:         arith.bitcast %{{.*}} : i64 to f64
func.func @third_f64(%Q: !q64, %K: !k64) -> (!l64, !i) {
  %row, %key = attn.kernel ins(%Q, %K : !q64, !k64) -> (!l64, !i) normalize #attn.row<rank, n = 3> attributes {scale = 1.0 : f64, schedule = #schedule64}
  score {
  ^bb0(%x: f64, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f64
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %row, %key : !l64, !i
}
