// With a threshold the maximum is replaced only when it grows by more.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 8.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
#always = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// CHECK-LABEL: tile.program @keeps_a_close_maximum
// CHECK:         tile.for {{.*}} iter(%{{.*}} = %{{.*}}, %[[M:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK:         %[[LARGEST:.*]] = tile.reduce max(%{{.*}}) over(k) init(%[[M]])
// CHECK:         %[[NEXT:.*]] = tile.map(%[[LARGEST]], %[[M]])
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK-NEXT:      %[[T:.*]] = arith.constant 8.000000e+00 : f32
// CHECK-NEXT:      %[[LIMIT:.*]] = arith.addf %[[OLD]], %[[T]] : f32
// CHECK-NEXT:      %[[GROWS:.*]] = arith.cmpf ogt, %[[X]], %[[LIMIT]] : f32
// CHECK-NEXT:      arith.select %[[GROWS]], %[[X]], %[[OLD]] : f32
// CHECK:         tile.yield %{{.*}}, %[[NEXT]]
func.func @keeps_a_close_maximum(%Q: !q, %K: !k, %V: !k) -> !q {
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

// CHECK-LABEL: tile.program @threshold_of_zero_always_rescales
// CHECK:         %[[LARGEST:.*]] = tile.reduce max
// CHECK-NEXT:    tile.yield %{{.*}}, %[[LARGEST]]
func.func @threshold_of_zero_always_rescales(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #always}
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
