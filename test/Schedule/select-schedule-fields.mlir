// RUN: attnc-opt %s "--attn-select-schedule=cpu=sapphirerapids" | FileCheck %s
// RUN: attnc-opt %s "--attn-select-schedule=cpu=sapphirerapids schedule={q = 96, score_granule = [8, 3]}" | FileCheck %s --check-prefix=OPTION

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

// The text of the spec fixes fields; the rest is chosen for them.
// The option wins over it.
// CHECK-LABEL: func.func @fixed_in_part(
// OPTION-LABEL: func.func @fixed_in_part(
// OPTION: q = 96, {{.*}}score_granule = [8, 3]
// CHECK: form = online, q = 32, k = 128, rescale_threshold = 8.000000e+00, rescale_in = value, {{.*}}score_granule = [8, 2], value_granule = [12, 2], unroll = 2, tail = 0, lane_skip = false, pack = auto, partial = 8>>
func.func @fixed_in_part(%q: !Q, %k: !K, %v: !K) -> !Q
    attributes {attnc.schedule = "q = 32, k = 128, rescale_threshold = 8, target = #tile.cpu<value_granule = [12, 2], unroll = 2, tail = 0, partial = 8>"} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// A kernel that has a schedule keeps it.
// CHECK-LABEL: func.func @has_one(
// CHECK: schedule = #attn.schedule<form = online, q = 7, k = 5, rescale_threshold = 0.000000e+00, rescale_in = prob, target = #tile.none>
func.func @has_one(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 7, k = 5, rescale_threshold = 0.0, rescale_in = prob, target = #tile.none>}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// The sizes of `expect` decide: rows of decoding share no vector.
// CHECK-LABEL: func.func @one_query(
// CHECK: #attn.schedule<form = online
func.func @one_query(%q: !Q, %k: !K, %v: !K) -> !Q
    attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64, weight = 2.0 : f64}]} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}
