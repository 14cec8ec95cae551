// Several ops in a function: what one makes for another lies in a workspace.
// RUN: attnc-opt %s --convert-attn-to-tile --canonicalize --cse --split-input-file | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// One tensor under the names of keys and under those of values.
// CHECK-LABEL: tile.program @one_tensor_as_keys_and_values
// CHECK-SAME:    %[[K:in1]]: !tile.buf<b, h, k, d : f32>
// CHECK:         %[[V:.*]] = tile.rename %[[K]] : <b, h, k, d : f32> -> <b, h, k, e : f32>
// CHECK:         tile.load %[[K]][
// CHECK:         tile.load %[[V]][
func.func @one_tensor_as_keys_and_values(%Q: !q, %K: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %K : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
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

// The second kernel reads what the first one wrote; each has its grid.
// CHECK-LABEL: tile.program @two_kernels
// CHECK-SAME:    %[[B:batch]]: index
// CHECK:         %[[W:.*]] = tile.workspace[%[[B]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : <b, h, g, q, e : f32>
// CHECK:         %[[R:.*]] = tile.rename %[[W]] : <b, h, g, q, e : f32> -> <b, h, g, q, d : f32>
// CHECK:         tile.grid
// CHECK:         tile.store %{{.*}}, %[[W]][
// CHECK:         tile.grid
// CHECK:         tile.load %[[R]][
func.func @two_kernels(%Q: !q, %K: !k, %V: !k) -> !q {
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
  %o2, %lse2 = attn.kernel ins(%o, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o2 : !q
}

// CHECK-LABEL: tile.program @returns_an_argument
// CHECK-SAME:    (%[[Q:in0]]: !tile.buf<b, h, g, q, d : f32>,
// CHECK-SAME:    %[[OUT:out1]]: !tile.buf<a0, a1, a2, a3, q : f32>, %batch
// CHECK:         tile.grid (%b, %h, %i)
// CHECK:         tile.grid (%[[A0:.*]], %[[A1:.*]], %[[A2:.*]], %[[A3:.*]], %[[A4:.*]]) to
// CHECK:           tile.present %[[OUT]]
// CHECK:           %[[AT:.*]] = arith.muli %[[A4]]
// CHECK:           tile.read %[[Q]][%[[A0]], %[[A1]], %[[A2]], %[[A3]], %{{.*}}]
// CHECK:           tile.store %{{.*}}, %[[OUT]][%[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[AT]]]
func.func @returns_an_argument(%Q: !q, %K: !k, %V: !k) -> (!q, !q) {
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
  return %o, %Q : !q, !q
}

// -----

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
#element = #attn.block<form = element, lanes = "d", rows = "", q = 16, k = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// A kernel for outputs that may both be left out runs for either, and fills the
// workspace for the one that needs it.
// CHECK-LABEL: tile.program @kernel_for_others
// CHECK-SAME:    %[[OWN:out1]]: !tile.buf{{[^%]*}}%[[MADE:out2]]: !tile.buf
// CHECK:         %[[W:.*]] = tile.workspace
// CHECK:         tile.grid
// CHECK-DAG:       %[[A:.*]] = tile.present %[[OWN]]
// CHECK-DAG:       %[[B:.*]] = tile.present %[[MADE]]
// CHECK:           %[[EITHER:.*]] = arith.ori
// CHECK:           scf.if %[[EITHER]] {
// CHECK:             tile.for
// CHECK:             scf.if %[[A]] {
// CHECK:               tile.store %{{.*}}, %[[OWN]]
// CHECK:             scf.if %[[B]] {
// CHECK:               tile.store %{{.*}}, %[[W]]
func.func @kernel_for_others(%Q: !q, %K: !k, %V: !k) -> (!q, !q, !q) {
  %0 = attn.map "bhgqd->bhgqd" (%Q) : (!q) -> !q attributes {attn.block = #element} {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
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
  %1 = attn.map "bhgqd->bhgqd" (%o) : (!q) -> !q attributes {attn.block = #element} {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  return %0, %o, %1 : !q, !q, !q
}
