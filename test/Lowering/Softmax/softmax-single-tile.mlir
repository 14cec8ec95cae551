// Form rows: all keys in one tile, no loop, no running maximum.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#schedule = #attn.schedule<form = rows, q = 16, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!k = tensor<?x2x64x32xf32, #attn.dims<batch, 2, 64, 32>>
!short = tensor<?x2x50x32xf32, #attn.dims<batch, 2, 50, 32>>

// CHECK-LABEL: tile.program @full_tile_needs_no_mask
// CHECK-NOT:     tile.for
// CHECK:         %[[NK:.*]] = arith.constant 64 : index
// CHECK:         %[[PARTIAL:.*]] = arith.constant false
// CHECK:         %[[SCORE:.*]]:2 = tile.phase "score"
// CHECK:           tile.load %{{.*}} valid(k = %[[NK]])
// CHECK:           tile.select_masked %{{.*}} when %[[PARTIAL]]
// CHECK:           tile.reduce max
// CHECK:         %[[PROB:.*]]:2 = tile.phase "prob"
// CHECK-NOT:       tile.rescale
// CHECK:           tile.reduce add
// CHECK:         tile.phase "value"
// CHECK-NEXT:      tile.load
// CHECK-NEXT:      tile.dot(%[[PROB]]#0, %{{.*}}) sum(k) : (
// CHECK-NOT:     tile.any_nan
func.func @full_tile_needs_no_mask(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }

  return %o : !q
}

// CHECK-LABEL: tile.program @keys_past_the_last_are_masked
// CHECK:         %[[NK:.*]] = arith.constant 50 : index
// CHECK:         %[[PARTIAL:.*]] = arith.constant true
// CHECK:         tile.select_masked %{{.*}} valid(k = %[[NK]]) when %[[PARTIAL]]
func.func @keys_past_the_last_are_masked(%Q: !q, %K: !short, %V: !short) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !short, !short) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }

  return %o : !q
}

// The weights are still there: only the product is done again.
// CHECK-LABEL: tile.program @nan_rule_reuses_the_weights
// CHECK:         %[[PROB:.*]]:2 = tile.phase "prob"
// CHECK:         %[[O:.*]] = tile.phase "value"
// CHECK:         %[[BAD:.*]] = tile.any_nan %[[O]]
// CHECK:         scf.if %[[BAD]]
// CHECK:           %[[WHERE:.*]] = tile.select_masked {{.*}} fill 0.000000e+00 : !tile.tile<q:16, k:64, i1>
// CHECK:           tile.dot(%[[PROB]]#0, %{{.*}}) sum(k) where(%[[WHERE]]
func.func @nan_rule_reuses_the_weights(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }

  return %o : !q
}
