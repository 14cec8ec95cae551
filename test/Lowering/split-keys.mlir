// A schedule with `split`: a grid whose last axis is the part of the keys and
// which stores the state of each part, and a grid that merges them.
// RUN: attnc-opt %s --convert-attn-to-tile --split-input-file --verify-diagnostics | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, split = 1024, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x3x?x32xf32, #attn.dims<batch, 2, 3, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>

// CHECK-LABEL: tile.program @softmax
// CHECK:         arith.constant 1024
// CHECK-COUNT-2: tile.workspace{{.*}} : <b, h, g, s, q : f32>
// CHECK:         tile.workspace{{.*}} : <b, h, g, s, q, e : f32>
// CHECK:         tile.grid (%b, %h, %g, %i, %s)
// CHECK:           arith.maxsi
// CHECK:           arith.minsi
// CHECK:           tile.for
// CHECK-COUNT-2:   tile.store {{.*}} <q:64, f32>, <b, h, g, s, q : f32>
// CHECK:           tile.store {{.*}} <q:64, e:32, f32>, <b, h, g, s, q, e : f32>
// CHECK:         tile.grid (%b, %h, %g, %i)
// CHECK:           scf.for
// CHECK-COUNT-2:     tile.load {{.*}} <b, h, g, s, q : f32> -> <q:64, f32>
// CHECK:             tile.load {{.*}} <b, h, g, s, q, e : f32> -> <q:64, e:32, f32>
// CHECK:             arith.maxnumf
// CHECK-COUNT-2:     math.exp2
// CHECK:           arith.divf
// CHECK:           tile.store
func.func @softmax(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !q
}

// Without a maximum the sums are added.
// CHECK-LABEL: tile.program @plain_sums
// CHECK-NOT:     <b, h, g, s, q : f32>
// CHECK:         tile.workspace{{.*}} : <b, h, g, s, q, e : f32>
// CHECK:         scf.for
// CHECK-NOT:       exp
// CHECK:           arith.addf
// CHECK-NOT:       exp
func.func @plain_sums(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !q
}

// -----

// On GPUs an instance merges one row, with its features along q, in tiles of 8
// parts.
#gpu = #attn.schedule<form = online, q = 16, k = 32, split = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 16, stages = 2, fast_exp = true>>
!q = tensor<?x2x3x?x40xf32, #attn.dims<batch, 2, 3, query_len, 40>>
!k = tensor<?x2x?x40xf32, #attn.dims<batch, 2, kv_len, 40>>
!l = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>

// CHECK-LABEL: tile.program @row_by_row
// CHECK:         arith.constant 1024
// CHECK:         tile.grid (%b, %h, %g, %i, %s)
// CHECK:         tile.grid (%b, %h, %g, %i) to (%{{.*}}, %{{.*}}, %{{.*}}, %query_len) target #tile.nvptx<arch = sm_80, mapping = thread, warps = 2, rows = 32,
// CHECK:           tile.for (%{{.*}}, %[[N:.*]], %[[PARTIAL:.*]]) in [{{.*}}] step 8 partial_step 8
// CHECK:             tile.load {{.*}} valid(s = %[[N]]) {{.*}} -> <s:8, f32>
// CHECK:             tile.select_masked {{.*}} valid(s = %[[N]]) when %[[PARTIAL]] fill -inf
// CHECK:             tile.reduce max
// CHECK:             tile.load {{.*}} valid(s = %[[N]]) {{.*}} -> <q:40, s:8, f32>
// CHECK:             tile.reduce add
// CHECK-DAG:       tile.store {{.*}} : <q:40, f32>, <{{.*}} : f32>
// CHECK-DAG:       tile.store {{.*}} valid(q = %{{.*}}) : <q:40, f32>, <{{.*}}q : f32>
func.func @row_by_row(%Q: !q, %K: !k, %V: !k) -> (!q, !l) {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #gpu}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o, %lse : !q, !l
}
