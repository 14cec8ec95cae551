// A score that is a sum over features of a formula, and a formula of v, are dots
// of terms; further products are dots of their own.
// RUN: attnc-opt %s --convert-attn-to-tile --canonicalize | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!t = tensor<9x32xf32>

// The scale is applied to the difference to the maximum, once.
// CHECK-LABEL: tile.program @features
// CHECK:         %[[Q:.*]] = tile.load {{.*}} -> <q:64, d:32, f32>
// CHECK-NOT:     tile.map(%[[Q]])
// CHECK:         tile.for (%[[K0:[a-z0-9]+]],
// CHECK:           %[[K:.*]] = tile.load {{.*}} -> <k:64, d:32, f32>
// CHECK:           %[[S:[0-9]+]] = tile.dot(%[[Q]], %[[K]]) sum(d) at(d = %{{.*}}, q = %{{.*}}, k = %[[K0]]) : {{.*}} term {
// CHECK-NEXT:      ^bb0(%[[X:[a-z0-9_]+]]: f32, %[[Y:[a-z0-9_]+]]: f32, %[[D:[a-z0-9_]+]]: index,
// CHECK:             %[[W:[0-9]+]] = tile.read %{{.*}}[%{{.*}}, %[[D]]]
// CHECK:             arith.mulf %{{.*}}, %[[W]]
// CHECK:           tile.reduce max(%{{.*}})
// CHECK:             arith.subf
// CHECK-NEXT:        arith.mulf %{{.*}}, %{{.*}}
// CHECK-NEXT:        math.exp2
// CHECK:           %[[V:.*]] = tile.load {{.*}} -> <k:64, e:32, f32>
// CHECK:           tile.dot(%[[P:.*]], %[[V]]) sum(k) acc(%{{.*}}) at(e = %{{.*}}, q = %{{.*}}, k = %[[K0]]) : {{.*}} term {
// CHECK-NEXT:      ^bb0(%[[PE:[a-z0-9_]+]]: f32, %[[VE:[a-z0-9_]+]]: f32,
// CHECK:             %[[C:[0-9]+]] = math.exp %[[VE]]
// CHECK-NEXT:        arith.mulf %[[PE]], %[[C]]
func.func @features(%Q: !q, %K: !k, %V: !k, %T: !t) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.5 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } pairs {
  ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    %r = arith.subi %j, %i : index
    %w = attn.read %T[%r, %d] : !t -> f32
    %s = arith.addf %x, %y : f32
    %z = arith.mulf %s, %w : f32
    attn.yield %z : f32
  } value {
  ^bb0(%x: f32, %e: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = math.exp %x : f32
    attn.yield %c : f32
  }
  return %o : !q
}

// The second product is computed beside the first, score and gate are maps of
// both; the gate is 0 where the mask is false, and multiplies weights once they
// are summed.
// CHECK-LABEL: tile.program @products
// CHECK:         %[[Q:.*]] = tile.load {{.*}} -> <q:64, f:16, f32>
// CHECK:         tile.for
// CHECK:           %[[S:[0-9]+]] = tile.dot({{.*}}) sum(d)
// CHECK:           %[[K:.*]] = tile.load {{.*}} -> <k:64, f:16, f32>
// CHECK:           %[[Y:[0-9]+]] = tile.dot(%[[Q]], %[[K]]) sum(f)
// CHECK:           %[[G:[0-9]+]] = tile.map(%[[S]], %[[Y]])
// CHECK:           %[[M:[0-9]+]] = tile.select_masked %[[G]] {{.*}} fill 0.0
// CHECK:           %[[X:[0-9]+]] = tile.map(%[[S]], %[[Y]])
// CHECK:           tile.select_masked %[[X]] {{.*}} fill -inf
// CHECK:           tile.phase "prob"
// CHECK:           %[[W:[0-9]+]] = tile.map({{.*}}) : {{.*}} -> !tile.tile<q:64, k:64, f32>
// CHECK:             math.exp2
// CHECK:           tile.reduce add(%[[W]])
// CHECK:           %[[P:[0-9]+]] = tile.map(%[[W]], %{{.*}})
// CHECK:             arith.mulf
// CHECK:           tile.dot({{.*}}) sum(k)
!a = tensor<?x2x1x?x16xf32, #attn.dims<batch, 2, 1, query_len, 16>>
!c = tensor<?x2x?x16xf32, #attn.dims<batch, 2, kv_len, 16>>
func.func @products(%Q: !q, %K: !k, %V: !k, %A: !a, %C: !c) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) products(%A, %C : !a, !c) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %y: f32):
    %z = arith.mulf %x, %y : f32
    attn.yield %z : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  } gate {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %y: f32):
    %z = arith.subf %x, %y : f32
    attn.yield %z : f32
  }
  return %o : !q
}

// A second sum of two rows of the query and one of the key: what no formula reads is
// not loaded. Sums that no formula needs are not computed.
// CHECK-LABEL: tile.program @sums
// CHECK-DAG:     %[[Q:.*]] = tile.load {{.*}} -> <q:64, d:32, f32>
// CHECK-DAG:     %[[R:.*]] = tile.load {{.*}} -> <q:64, f:32, f32>
// CHECK-DAG:     %[[R2:.*]] = tile.load {{.*}} -> <q:64, f:32, f32>
// CHECK:         tile.for
// CHECK:           tile.dot(%{{.*}}, %{{.*}}) sum(d) {{.*}} term {
// CHECK:           %[[C:.*]] = tile.load {{.*}} -> <k:64, f:32, f32>
// CHECK-NOT:       tile.load {{.*}} -> <k:64, f:32, f32>
// CHECK:           tile.dot(%{{.*}}, %[[C]]) and(%{{.*}} : !tile.tile<q:64, f:32, f32>) sum(f) {{.*}} term {
// CHECK-LABEL: tile.program @no_sum
// CHECK-NOT:     tile.dot
// CHECK:         tile.store
func.func @sums(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) products(%Q, %V, %Q, %K : !q, !k, !q, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.5 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %y: f32):
    %s = arith.addf %x, %y : f32
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } pairs {
  ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    %s = arith.addf %x, %y : f32
    attn.yield %s : f32
  }, {
  ^bb0(%x: f32, %y: f32, %x2: f32, %y2: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    %s = arith.subf %x, %y : f32
    %z = arith.mulf %s, %x2 : f32
    attn.yield %z : f32
  }
  return %o : !q
}
func.func @no_sum(%Q: !q, %K: !k) -> !l {
  %row = attn.kernel ins(%Q, %K : !q, !k) -> (!l) normalize #attn.row<sum> attributes {scale = 1.0 : f64, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    attn.yield %one : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %row : !l
}

// What `select` says no to is -inf like what the mask does.
// CHECK-LABEL: tile.program @selected
// CHECK:         tile.for
// CHECK:           %[[S:[0-9]+]] = tile.dot({{.*}}) sum(d)
// CHECK:           %[[C:[0-9]+]] = tile.map(%[[S]]) {{.*}} -> !tile.tile<q:64, k:64, i1>
// CHECK:             arith.cmpf ogt
// CHECK:           %[[X:[0-9]+]] = tile.map(%[[S]], %[[C]])
// CHECK:             arith.select
// CHECK:           tile.select_masked %[[X]] {{.*}} fill -inf
func.func @selected(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  } select {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 1.0 : f32
    %s = arith.cmpf ogt, %x, %c : f32
    attn.yield %s : i1
  }
  return %o : !q
}
