// Form chunked: a grid that walks over chunks and stores the state before each,
// and one whose blocks start from a state.
// RUN: attnc-opt %s --convert-attn-to-tile --split-input-file --verify-diagnostics | FileCheck %s

#schedule = #attn.schedule<form = chunked, q = 64, k = 64, chunk = 128, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x3x?x32xf32, #attn.dims<batch, 2, 3, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>

// The heads of a group share the states, which are features by values and a
// vector for the sum.
// CHECK-LABEL: tile.program @shares_states
// CHECK:         tile.workspace[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : <b, h, n, e, d : f32>
// CHECK:         tile.workspace[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : <b, h, n, d : f32>
// CHECK:         tile.grid (%b, %h, %j)
// CHECK:           tile.for {{.*}} step 128 partial_step 128 iter({{.*}}) -> (!tile.tile<q:32, e:32, f32>, !tile.tile<q:32, e:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>)
// CHECK:             tile.store {{.*}} : <q:32, e:32, f32>, <b, h, n, e, q : f32>
// CHECK:             tile.load {{.*}} : <b, h, k, q : f32> -> <q:32, k:128, f32>
// CHECK:             tile.dot({{.*}}) sum(k) : (!tile.tile<q:32, k:128, f32>, !tile.tile<k:128, e:32, f32>)
// CHECK:         tile.grid (%b, %h, %g, %i)
// CHECK:           scf.if
// CHECK:             %[[S:.*]] = tile.load {{.*}} : <b, h, n, e, d : f32> -> <e:32, d:32, f32>
// CHECK:             tile.dot(%{{.*}}, %[[S]]) sum(d)
// CHECK:           tile.any_nan
// CHECK:           tile.for
// CHECK:             tile.phase "score"
func.func @shares_states(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = none, weight = identity, divide = sum>
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

// A decay of the query head makes a state for each. It is measured by exponents.
// CHECK-LABEL: tile.program @states_of_heads
// CHECK:         tile.workspace{{.*}} : <b, h, g, n, e, d : f32>
// CHECK:         tile.grid (%b, %h, %g, %j)
// CHECK:           tile.for
// CHECK:             arith.subf
// CHECK:             arith.subf
// CHECK:             %[[E:.*]] = arith.subf
// CHECK-NEXT:        math.exp2 %[[E]]
// CHECK:             tile.map() at(k = %k0)
// CHECK:               math.exp2
// CHECK:         tile.grid (%b, %h, %g, %i)
func.func @states_of_heads(%Q: !q, %K: !k, %V: !k, %c: tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, kv_len>>) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %u = attn.read %c[%b, %h, %g, %i] : tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, kv_len>> -> f32
    %w = attn.read %c[%b, %h, %g, %j] : tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, kv_len>> -> f32
    %d = arith.subf %u, %w : f32
    %e = math.exp2 %d : f32
    %y = arith.mulf %x, %e : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c0 = arith.cmpi sle, %j, %i : index
    attn.yield %c0 : i1
  }
  return %o : !q
}

// Masked keys are left out of the product, not multiplied by 0: their values may
// be NaN.
// CHECK-LABEL: tile.program @masked_keys
// CHECK:             %[[HELD:.*]] = tile.map() at(k = %k0) : () -> !tile.tile<k:128, i1>
// CHECK:             tile.dot({{.*}}) sum(k) where(%[[HELD]]
func.func @masked_keys(%Q: !q, %K: !k, %V: !k, %n: tensor<?xi32, #attn.dims<batch>>) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %length = attn.read %n[%b] : tensor<?xi32, #attn.dims<batch>> -> index
    %p = arith.cmpi slt, %j, %length : index
    %c = arith.cmpi sle, %j, %i : index
    %m = arith.andi %p, %c : i1
    attn.yield %m : i1
  }
  return %o : !q
}

// Decays of features are measured feature by feature; the state's rows have a
// quotient each. Elements of queries and keys are read where they are measured.
// CHECK-LABEL: tile.program @decays_of_features
// CHECK:         tile.workspace{{.*}} : <b, h, g, n, e, d : f32>
// CHECK:         tile.grid (%b, %h, %g, %j)
// CHECK:           tile.for
// CHECK:             %[[RATIO:.*]] = tile.map() at(q = %{{.*}}) : () -> !tile.tile<q:32, f32>
// CHECK:               tile.read %{{.*}} : <b, h, g, q, d : f32> -> f32
// CHECK:               tile.read %{{.*}} : <b, h, k, d : f32> -> f32
// CHECK:               math.exp
// CHECK:             %[[FEATURES:.*]] = tile.map() at(q = %{{.*}}, k = %k0) : () -> !tile.tile<q:32, k:128, f32>
// CHECK:             %[[KEYS:.*]] = tile.map(%[[FEATURES]], %{{.*}})
// CHECK:             tile.dot(%[[KEYS]], %{{.*}}) sum(k)
// CHECK:             tile.map(%{{.*}}, %{{.*}}, %[[RATIO]])
// CHECK:         tile.grid (%b, %h, %g, %i)
// CHECK:           scf.if
// CHECK:             %[[Q:.*]] = tile.map(%{{.*}}) at(q = %{{.*}}, d = %c0{{.*}}) : (!tile.tile<q:64, f32>) -> !tile.tile<q:64, d:32, f32>
// CHECK:             tile.dot(%[[Q]], %{{.*}}) sum(d)
func.func @decays_of_features(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  } pairs {
  ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    %s = arith.subf %x, %y : f32
    %e = math.exp %s : f32
    %z = arith.mulf %e, %y : f32
    attn.yield %z : f32
  }
  return %o : !q
}

// -----

#schedule = #attn.schedule<form = chunked, q = 64, k = 64, chunk = 128, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

func.func @without_order(%Q: !q, %K: !k, %V: !k) -> !q {
  // expected-error@below {{'attn.kernel' op has form chunked, which does not apply, because the mask is not 'k <= q' combined with conditions of the query or the key alone}}
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = none, weight = identity, divide = none>
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
