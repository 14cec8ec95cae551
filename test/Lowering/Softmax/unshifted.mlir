// Weights without a shift: no maximum, no rescaling, a sum only to divide by; and
// kernels that store rows and pairs.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!qh = tensor<?x2x1x?x32xf16, #attn.dims<batch, 2, 1, query_len, 32>>
!kh = tensor<?x2x?x32xf16, #attn.dims<batch, 2, kv_len, 32>>
!s = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>

// CHECK-LABEL: tile.program @weights
// CHECK:         %[[O0:.*]] = tile.splat 0.000000e+00 : <q:64, e:32, f32>
// CHECK:         %[[O:.*]] = tile.for {{.*}} iter(%{{.*}} = %[[O0]])
// CHECK:           tile.phase "score"
// CHECK:             tile.select_masked {{.*}} fill 0.0
// CHECK-NOT:         tile.reduce
// CHECK:           tile.phase "prob"
// CHECK-NOT:         tile.reduce
// CHECK:           tile.phase "value"
// CHECK-NOT:         tile.rescale
// CHECK:         tile.any_nan %[[O]]
// CHECK:         tile.store
func.func @weights(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = none, weight = identity, divide = none>
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

// CHECK-LABEL: tile.program @quotients
// CHECK:         %{{.*}}:2 = tile.for
// CHECK:           tile.phase "prob"
// CHECK:             tile.reduce add
// CHECK:         arith.divf
func.func @quotients(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = none, weight = identity, divide = sum>
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

// CHECK-LABEL: tile.program @sums
// CHECK:         %[[L:.*]] = tile.for
// CHECK:           tile.select_masked {{.*}} fill 0.0
// CHECK:           tile.reduce add
// CHECK-NOT:       tile.phase "value"
// CHECK:         tile.store %[[L]]
func.func @sums(%Q: !q, %K: !k) -> !l {
  %row = attn.kernel ins(%Q, %K : !q, !k) -> (!l) normalize #attn.row<sum> attributes {scale = 1.0 : f64, schedule = #schedule}
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

// Weights of all pairs once m and l are known; masked ones are stored, too.
// CHECK-LABEL: tile.program @pairs
// CHECK:         %[[ML:.*]]:2 = tile.for
// CHECK:         tile.for {{.*}} in [(%[[ZERO:.*]], %[[ZERO]], %[[ZERO]], %kv_len)]
// CHECK:           arith.divf
// CHECK:           tile.store {{.*}} valid(q = %{{.*}}, k = %{{.*}})
func.func @pairs(%Q: !q, %K: !k) -> !s {
  %lse, %p = attn.kernel ins(%Q, %K : !q, !k) -> (!l, !s) normalize #attn.norm<shift = max, weight = exp2, divide = sum> attributes {scale = 1.0 : f64, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %p : !s
}

// The two parts of a softmax.
// CHECK-LABEL: tile.program @parts
// CHECK-SAME:    %[[SUM:[^ ]*]]: !tile.buf<b, h, g, q : f32>, %[[MAX:[^ ]*]]: !tile.buf<b, h, g, q : f32>
// CHECK:         %[[STATE:.*]]:2 = tile.for
// CHECK-NOT:     math.log
// CHECK:         tile.store %[[STATE]]#1, %[[SUM]]
// CHECK:         tile.store %[[STATE]]#0, %[[MAX]]
func.func @parts(%Q: !q, %K: !k) -> (!l, !l) {
  %sum, %max = attn.kernel ins(%Q, %K : !q, !k) -> (!l, !l) normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %sum, %max : !l, !l
}

// 100000 / 200000 is no number of f16 before the division: no rounding.
// CHECK-LABEL: tile.program @large_weights
// CHECK-NOT:     arith.truncf
// CHECK:         tile.phase "value"
// CHECK:         tile.dot(%{{.*}}) sum(k) acc(%{{.*}}) : (!tile.tile<q:64, k:64, f32>,
// CHECK:         arith.divf
// CHECK:         arith.truncf %{{.*}} : f32 to f16
func.func @large_weights(%Q: !qh, %K: !kh, %V: !kh) -> !qh {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !qh, !kh, !kh) -> (!qh, !l) normalize #attn.norm<shift = none, weight = identity, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f16, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !qh
}
