// Functions of a score may be approximate where weights are rounded to bf16, as
// far as their errors stay a small part of the rounding.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xbf16, #attn.dims<batch, 2, 1, query_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!k = tensor<?x2x?x32xbf16, #attn.dims<batch, 2, kv_len, 32>>

// CHECK-LABEL: tile.program @capped
// CHECK:         math.tanh %{{.*}} fastmath<afn> : f32
func.func @capped(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %cap = arith.constant 50.0 : f32
    %t = math.tanh %x : f32
    %s = arith.mulf %t, %cap : f32
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !q
}

// The error of a score would be more than a fifth of the rounding.
// CHECK-LABEL: tile.program @capped_far_out
// CHECK:         math.tanh %{{[^ ]+}} : f32
func.func @capped_far_out(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %cap = arith.constant 100.0 : f32
    %t = math.tanh %x : f32
    %s = arith.mulf %t, %cap : f32
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !q
}

// CHECK-LABEL: tile.program @not_rounded
// CHECK:         math.tanh %{{[^ ]+}} : f32
func.func @not_rounded(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %cap = arith.constant 50.0 : f32
    %t = math.tanh %x : f32
    %s = arith.mulf %t, %cap : f32
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !q
}

// Errors add up: the second function has no share left.
// CHECK-LABEL: tile.program @of_two_products
// CHECK:         math.tanh %{{.*}} fastmath<afn> : f32
// CHECK:         math.tanh %{{[^ ]+}} : f32
func.func @of_two_products(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %cap = arith.constant 40.0 : f32
    %two = arith.constant 2.0 : f32
    %t = math.tanh %x : f32
    %s = arith.mulf %t, %cap : f32
    %y = arith.mulf %x, %two : f32
    %u = math.tanh %y : f32
    %v = arith.mulf %u, %cap : f32
    %sum = arith.addf %s, %v : f32
    attn.yield %sum : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !q
}

// The error of a product of two values is not followed.
// CHECK-LABEL: tile.program @squared
// CHECK:         math.tanh %{{[^ ]+}} : f32
func.func @squared(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %t = math.tanh %x : f32
    %s = arith.mulf %t, %t : f32
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !q
}

// A weight may have a relative error.
// CHECK-LABEL: tile.program @sigmoid
// CHECK:         math.exp2 %{{.*}} fastmath<afn> : f32
// CHECK:         arith.divf %{{.*}} fastmath<afn> : f32
func.func @sigmoid(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    %e = math.exp2 %x : f32
    %d = arith.addf %e, %one : f32
    %w = arith.divf %one, %d : f32
    attn.yield %w : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !q
}

// Small differences have large relative errors.
// CHECK-LABEL: tile.program @pole
// CHECK:         math.exp2 %{{[^ ]+}} : f32
// CHECK:         arith.divf %{{.*}} fastmath<afn> : f32
func.func @pole(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    %e = math.exp2 %x : f32
    %d = arith.subf %e, %one : f32
    %w = arith.divf %one, %d : f32
    attn.yield %w : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !q
}
