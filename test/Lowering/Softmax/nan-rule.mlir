// A masked weight is 0, but 0 * NaN is NaN: a NaN in a masked row of V is
// found in O, and the block is done again without the masked products.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// CHECK-LABEL: tile.program @does_the_block_again
// CHECK:         %[[ROWS:.*]] = arith.minsi
// CHECK:         %[[FAST:.*]]:3 = tile.for {{.*}} in [(%[[A:.*]], %[[B:.*]], %[[C:.*]], %[[D:.*]])]
// CHECK:         %[[BAD:.*]] = tile.any_nan %[[FAST]]#0 valid(q = %[[ROWS]])
// CHECK:         %[[O:.*]] = scf.if %[[BAD]]
// The maximum is known by now: nothing is rescaled.
// CHECK:           %[[SHIFT:.*]] = tile.map(%[[FAST]]#1)
// CHECK:           %[[SLOW:.*]] = tile.for (%[[K0:.*]], %[[NK:.*]], %[[PARTIAL:.*]]) in [(%[[A]], %[[B]], %[[C]], %[[D]])] {{.*}} iter(%[[ACC:.*]] = %{{.*}})
// CHECK-NOT:         tile.reduce
// CHECK:             %[[ALL:.*]] = tile.splat 1.000000e+00 : <q:64, k:64, i1>
// CHECK:             %[[WHERE:.*]] = tile.select_masked %[[ALL]] {{.*}} valid(k = %[[NK]]) when %[[PARTIAL]] fill 0.000000e+00
// CHECK:             tile.dot(%{{.*}}, %{{.*}}) sum(k) acc(%[[ACC]]) where(%[[WHERE]] :
// CHECK:           scf.yield %[[SLOW]]
// CHECK:         } else {
// CHECK:           scf.yield %[[FAST]]#0
func.func @does_the_block_again(%Q: !q, %K: !k, %V: !k) -> !q {
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

// Keys past the last one are loaded as 0, so without a mask no product is
// masked.
// CHECK-LABEL: tile.program @no_mask_no_rule
// CHECK-NOT:     tile.any_nan
func.func @no_mask_no_rule(%Q: !q, %K: !k, %V: !k) -> !q {
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
