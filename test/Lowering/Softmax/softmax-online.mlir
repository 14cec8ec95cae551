// The phases of form online, and their guards.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
#wide = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, weights = f32, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
#prob = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = prob, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// CHECK-LABEL: tile.program @phases
// CHECK:         %[[O0:.*]] = tile.splat 0.000000e+00 : <q:64, e:32, f32>
// CHECK:         %[[M0:.*]] = tile.splat -inf : <q:64, f32>
// CHECK:         %[[L0:.*]] = tile.splat 0.000000e+00 : <q:64, f32>
// CHECK:         %{{.*}}:3 = tile.for {{.*}} iter(%[[O:.*]] = %[[O0]], %[[M:.*]] = %[[M0]], %[[L:.*]] = %[[L0]])
// CHECK:           %[[SCORE:.*]]:2 = tile.phase "score"
// CHECK:             %[[S:.*]] = tile.select_masked
// CHECK:             %[[MAX:.*]] = tile.reduce max(%[[S]]) over(k) init(%[[M]])
// CHECK:             tile.yield %[[S]], %[[MAX]]
// CHECK:           %[[PROB:.*]]:3 = tile.phase "prob"
// A row that has seen nothing subtracts 0, so -inf - -inf never happens.
// CHECK:             %[[SHIFT:.*]] = tile.map(%[[SCORE]]#1)
// CHECK-NEXT:        ^bb0(%[[X:.*]]: f32):
// CHECK:               %[[NONE:.*]] = arith.cmpf oeq, %[[X]], %{{.*}} : f32
// CHECK:               arith.select %[[NONE]], %{{.*}}, %[[X]] : f32
// CHECK:             %[[P:.*]] = tile.map(%[[SCORE]]#0, %[[SHIFT]])
// CHECK:               arith.subf
// CHECK:               math.exp2
// CHECK:             %[[A:.*]] = tile.map(%[[M]], %[[SHIFT]])
// CHECK:             %[[KEPT:.*]] = tile.rescale %[[L]] by %[[A]]
// CHECK:             %[[SUM:.*]] = tile.reduce add(%[[P]]) over(k) init(%[[KEPT]])
// CHECK:             tile.yield %[[P]], %[[A]], %[[SUM]]
// CHECK:           %[[VALUE:.*]] = tile.phase "value"
// CHECK:             %[[ACC:.*]] = tile.rescale %[[O]] by %[[PROB]]#1
// CHECK:             tile.dot(%[[PROB]]#0, %{{.*}}) sum(k) acc(%[[ACC]])
// CHECK:           tile.yield %[[VALUE]], %[[SCORE]]#1, %[[PROB]]#2
func.func @phases(%Q: !q, %K: !k, %V: !k) -> !q {
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

// CHECK-LABEL: tile.program @rescales_in_prob
// CHECK:         %[[PROB:.*]]:3 = tile.phase "prob"
// CHECK:           %[[ACC:.*]] = tile.rescale %{{.*}} : !tile.tile<q:64, e:32, f32>
// CHECK:           tile.yield %{{.*}}, %[[ACC]], %{{.*}}
// CHECK:         tile.phase "value"
// CHECK-NOT:       tile.rescale
// CHECK:           tile.dot(%[[PROB]]#0, %{{.*}}) sum(k) acc(%[[PROB]]#1)
func.func @rescales_in_prob(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #prob}
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

// Weights are rounded where they multiply V; their sum is not.
// CHECK-LABEL: tile.program @rounds_probabilities_for_the_product
// CHECK:         %[[P:.*]] = tile.map(%{{.*}}, %{{.*}}) : (!tile.tile<q:64, k:64, f32>, !tile.tile<q:64, f32>) -> !tile.tile<q:64, k:64, f32>
// CHECK:         tile.reduce add(%[[P]])
// CHECK:         %[[R:.*]] = tile.map(%[[P]]) : (!tile.tile<q:64, k:64, f32>) -> !tile.tile<q:64, k:64, bf16>
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
// CHECK:         tile.yield %[[R]]
func.func @rounds_probabilities_for_the_product(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #schedule}
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

// The factor log2 e comes after the difference, which may be exact.
// CHECK-LABEL: tile.program @natural_exponential
// CHECK:         tile.phase "prob"
// CHECK:           %[[D:.*]] = arith.subf
// CHECK-NEXT:      %[[C:.*]] = arith.constant 1.44269502 : f32
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[D]], %[[C]] : f32
// CHECK-NEXT:      math.exp2 %[[Y]]
func.func @natural_exponential(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp, divide = sum>
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

// Weights have the type to which they are rounded, or the wider one that the
// schedule names.
// CHECK-LABEL: tile.program @rounded_weights
// CHECK:         %[[R:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT:    tile.yield %[[R]] : bf16
// CHECK:         sum(k) acc(%{{.*}}) : (!tile.tile<q:64, k:64, bf16>, !tile.tile<k:64, e:32, bf16>) -> !tile.tile<q:64, e:32, f32>
!qb = tensor<?x2x1x?x32xbf16, #attn.dims<batch, 2, 1, query_len, 32>>
!kb = tensor<?x2x?x32xbf16, #attn.dims<batch, 2, kv_len, 32>>
func.func @rounded_weights(%Q: !qb, %K: !kb, %V: !kb) -> !qb {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !qb, !kb, !kb) -> (!qb, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !qb
}

// CHECK-LABEL: tile.program @wide_weights
// CHECK:         %[[R:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT:    %[[E:.*]] = arith.extf %[[R]] : bf16 to f32
// CHECK-NEXT:    tile.yield %[[E]] : f32
// CHECK:         sum(k) acc(%{{.*}}) : (!tile.tile<q:64, k:64, f32>, !tile.tile<k:64, e:32, bf16>) -> !tile.tile<q:64, e:32, f32>
func.func @wide_weights(%Q: !qb, %K: !kb, %V: !kb) -> !qb {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !qb, !kb, !kb) -> (!qb, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #wide}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !qb
}
