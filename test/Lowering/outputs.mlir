// Division, rounding, and what the caller may leave out.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!w = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
!qh = tensor<?x2x1x?x32xbf16, #attn.dims<batch, 2, 1, query_len, 32>>
!kh = tensor<?x2x?x32xbf16, #attn.dims<batch, 2, kv_len, 32>>

// CHECK-LABEL: tile.program @empty_rows_give_zero
// CHECK:         %[[STATE:.*]]:3 = tile.for
// CHECK:         %[[INVERSE:.*]] = tile.map(%[[STATE]]#2)
// CHECK-NEXT:    ^bb0(%[[L:.*]]: f32):
// CHECK:           %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:           %[[D:.*]] = arith.divf %{{.*}}, %[[L]] : f32
// CHECK:           %[[EMPTY:.*]] = arith.cmpf oeq, %[[L]], %{{.*}} : f32
// CHECK:           arith.select %[[EMPTY]], %[[ZERO]], %[[D]] : f32
// CHECK:         %[[O:.*]] = tile.map(%[[STATE]]#0, %[[INVERSE]])
// CHECK:         tile.store %[[O]]
func.func @empty_rows_give_zero(%Q: !q, %K: !k, %V: !k) -> !q {
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

// CHECK-LABEL: tile.program @rounds_once
// CHECK:         tile.map(%{{.*}}) : (!tile.tile<q:64, e:32, f32>, !tile.tile<q:64, f32>) -> !tile.tile<q:64, e:32, bf16>
// CHECK:           %[[X:.*]] = arith.mulf %{{.*}} : f32
// CHECK-NEXT:      arith.truncf %[[X]] : f32 to bf16
// CHECK:         tile.store %{{.*}} : <q:64, e:32, bf16>, <b, h, g, q, e : bf16>
func.func @rounds_once(%Q: !qh, %K: !kh, %V: !kh) -> !qh {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !qh, !kh, !kh) -> (!qh, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !qh
}

// lse is (m + log2 l) ln 2, computed only for a caller who wants it.
// CHECK-LABEL: tile.program @lse_if_present
// CHECK-SAME:    %[[LSE:[^ ]*]]: !tile.buf<b, h, g, q : f32>
// CHECK:         %[[STATE:.*]]:3 = tile.for
// CHECK-NOT:     math.log2
// CHECK:         %[[GIVEN:.*]] = tile.present %[[LSE]]
// CHECK:         scf.if %[[GIVEN]] {
// CHECK-NEXT:      %[[X:.*]] = tile.map(%[[STATE]]#1, %[[STATE]]#2)
// CHECK:             %[[LOG:.*]] = math.log2 %{{.*}} : f32
// CHECK:             %[[SUM:.*]] = arith.addf %{{.*}}, %[[LOG]] : f32
// CHECK:             %[[LN2:.*]] = arith.constant 0.693147182 : f32
// CHECK:             arith.mulf %[[SUM]], %[[LN2]] : f32
// CHECK:           tile.store %[[X]], %[[LSE]]
func.func @lse_if_present(%Q: !q, %K: !k, %V: !k) -> (!q, !l) {
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
  return %o, %lse : !q, !l
}

// Weights of pairs that nobody wants are not computed once more, but for the
// sum; of two outputs the one that is wanted is stored.
// CHECK-LABEL: tile.program @pairs_if_present
// CHECK-SAME:    %[[W:[^ ]*]]: !tile.buf<b, h, g, q, k : f32>, %[[A:[^ ]*]]: !tile.buf<b, h, g, q, k : f32>
// CHECK:         tile.for
// CHECK-NOT:     tile.for
// CHECK:         %[[FIRST:.*]] = tile.present %[[W]]
// CHECK:         %[[SECOND:.*]] = tile.present %[[A]]
// CHECK:         %[[ANY:.*]] = arith.ori %[[FIRST]], %[[SECOND]]
// CHECK:         scf.if %[[ANY]] {
// CHECK:           tile.for
// CHECK:             %[[GIVEN:.*]] = tile.present %[[W]]
// CHECK:             scf.if %[[GIVEN]] {
// CHECK:               tile.store %{{.*}}, %[[W]]
// CHECK:             %[[ALSO:.*]] = tile.present %[[A]]
// CHECK:             scf.if %[[ALSO]] {
// CHECK:               tile.store %{{.*}}, %[[A]]
func.func @pairs_if_present(%Q: !q, %K: !k) -> (!l, !w, !w) {
  %lse, %dense = attn.kernel ins(%Q, %K : !q, !k) -> (!l, !w) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %lse, %dense, %dense : !l, !w, !w
}

// A natural exponential has a natural logarithm.
// CHECK-LABEL: tile.program @natural_lse
// CHECK:         math.log %
// CHECK-NOT:     0.693147182
func.func @natural_lse(%Q: !q, %K: !k, %V: !k) -> (!q, !l) {
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
  return %o, %lse : !q, !l
}
