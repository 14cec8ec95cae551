// The frame: arguments, grid, block of queries, segments, phases.
// RUN: attnc-opt %s --convert-attn-to-tile --tile-verify-program --canonicalize | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// Arguments: inputs, outputs, sizes. The target is the schedule's.
// CHECK-LABEL: tile.program @segments_come_from_ranges
// CHECK-SAME:    (%[[Q:.*]]: !tile.buf<b, h, g, q, d : f32>, %[[K:.*]]: !tile.buf<b, h, k, d : f32>, %[[V:.*]]: !tile.buf<b, h, k, e : f32>, %[[O:.*]]: !tile.buf<b, h, g, q, e : f32>, %[[BATCH:.*]]: index, %[[QLEN:.*]]: index, %[[KVLEN:.*]]: index)
// CHECK-SAME:    target #tile.cpu<isa = avx512
// CHECK:         %[[NQ:.*]] = arith.ceildivsi %[[QLEN]], %{{.*}} : index
// CHECK:         tile.grid (%[[B:.*]], %[[H:.*]], %[[I:.*]]) to (%[[BATCH]], %{{.*}}, %[[NQ]]) order(desc 2) {
// CHECK-DAG:       %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:       %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:       %[[C1:.*]] = arith.constant 1 : index
// CHECK:           %[[Q0:.*]] = arith.muli %[[I]], %[[C64]] : index
// CHECK:           %[[LEFT:.*]] = arith.subi %[[QLEN]], %[[Q0]] : index
// CHECK:           %[[ROWS:.*]] = arith.minsi %[[LEFT]], %[[C64]] : index
// CHECK:           %[[Q1:.*]] = arith.addi %[[Q0]], %[[ROWS]] : index
// CHECK:           tile.load %[[Q]][%[[B]], %[[H]], %[[C0]], %[[Q0]], %[[C0]]] valid(q = %[[ROWS]])
// CHECK:           %[[E:.*]] = arith.addi %[[Q0]], %[[C1]] : index
// CHECK:           %[[ALL:.*]] = arith.minsi %[[E]], %[[KVLEN]] : index
// CHECK:           %[[ANY:.*]] = arith.minsi %[[Q1]], %[[KVLEN]] : index
// CHECK:           tile.for (%[[K0:.*]], %[[NK:.*]], %[[PARTIAL:.*]]) in [(%[[C0]], %[[C0]], %[[ALL]], %[[ANY]])] step 64 partial_step 16
// CHECK:             tile.phase "score"
// CHECK:               tile.load %[[K]][%[[B]], %[[H]], %[[K0]], %[[C0]]] valid(k = %[[NK]])
// CHECK:               tile.select_masked %{{.*}} at(q = %[[Q0]], k = %[[K0]]) valid(k = %[[NK]]) when %[[PARTIAL]] fill -inf
// CHECK:             tile.phase "prob"
// CHECK:             tile.phase "value"
// CHECK:               tile.load %[[V]][%[[B]], %[[H]], %[[K0]], %[[C0]]] valid(k = %[[NK]])
// CHECK:           tile.store %{{.*}}, %[[O]][%[[B]], %[[H]], %[[C0]], %[[Q0]], %[[C0]]] valid(q = %[[ROWS]])
func.func @segments_come_from_ranges(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  } ranges {
  ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
    %n = attn.size "kv_len"
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %e = arith.addi %q0, %c1 : index
    %all = arith.minsi %e, %n : index
    %any = arith.minsi %q1, %n : index
    attn.yield_ranges [(%c0, %c0, %all, %any)]
  }

  return %o : !q
}

// Without ranges every key may be masked: one segment, all of it partial.
// CHECK-LABEL: tile.program @one_partial_segment_without_ranges
// CHECK-SAME:    %[[KVLEN:[^ ]*]]: index) target
// CHECK:         tile.grid (%{{.*}}, %{{.*}}, %{{.*}}) to (%{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK:           %[[C0:.*]] = arith.constant 0 : index
// CHECK:           tile.for (%{{.*}}, %{{.*}}, %{{.*}}) in [(%[[C0]], %[[C0]], %[[C0]], %[[KVLEN]])]
func.func @one_partial_segment_without_ranges(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
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

// The scale is applied to Q once per block if Q is stored in the accumulate
// type.
// CHECK-LABEL: tile.program @scales_q_before_the_loop
// CHECK:         %[[Q:.*]] = tile.load %{{.*}} -> <q:64, d:32, f32>
// CHECK:         %[[S:.*]] = tile.map(%[[Q]])
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT:      %[[C:.*]] = arith.constant 2.500000e-01 : f32
// CHECK-NEXT:      arith.mulf %[[X]], %[[C]] : f32
// CHECK:         tile.for
// CHECK:           %[[SUM:.*]] = tile.dot(%[[S]], %{{.*}}) sum(d)
// CHECK:           tile.select_masked %[[SUM]]
func.func @scales_q_before_the_loop(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.25 : f64, probabilities = f32, schedule = #schedule}
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

// bf16 is multiplied as it is stored, also with a scale that is a power of two.
// CHECK-LABEL: tile.program @multiplies_stored_elements
// CHECK:         %[[Q:.*]] = tile.load %{{.*}} -> <q:64, d:32, bf16>
// CHECK-NOT:     tile.map(%[[Q]])
// CHECK:         tile.for
// CHECK:           %[[SUM:.*]] = tile.dot(%[[Q]], %{{.*}}) sum(d) : (!tile.tile<q:64, d:32, bf16>, !tile.tile<k:64, d:32, bf16>) -> !tile.tile<q:64, k:64, f32>
// CHECK-NEXT:      tile.select_masked %[[SUM]]
// CHECK:           %[[D:.*]] = arith.subf
// CHECK-NEXT:      %[[C:.*]] = arith.mulf %[[D]]
// CHECK-NEXT:      math.exp2 %[[C]] fastmath<afn> : f32
// CHECK:           tile.dot(%{{.*}}, %{{.*}}) sum(k) acc(%{{.*}}) : (!tile.tile<q:64, k:64, bf16>, !tile.tile<k:64, e:32, bf16>) -> !tile.tile<q:64, e:32, f32>
!qh = tensor<?x2x1x?x32xbf16, #attn.dims<batch, 2, 1, query_len, 32>>
!kh = tensor<?x2x?x32xbf16, #attn.dims<batch, 2, kv_len, 32>>
func.func @multiplies_stored_elements(%Q: !qh, %K: !kh, %V: !kh) -> !qh {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !qh, !kh, !kh) -> (!qh, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.25 : f64, probabilities = bf16, schedule = #schedule}
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

// Products of bf16 are exact in f32; those of a row times 0.3 were not.
// CHECK-LABEL: tile.program @scales_the_sums_of_exact_products
// CHECK:         %[[Q:.*]] = tile.load %{{.*}} -> <q:64, d:32, bf16>
// CHECK:           %[[SUM:.*]] = tile.dot(%[[Q]], %{{.*}}) sum(d)
// CHECK:           tile.map(%[[SUM]])
// CHECK-NEXT:      ^bb0(%[[Y:.*]]: f32):
// CHECK:             arith.mulf %[[Y]], %{{.*}} : f32
func.func @scales_the_sums_of_exact_products(%Q: !qh, %K: !kh, %V: !kh) -> !qh {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !qh, !kh, !kh) -> (!qh, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.3 : f64, probabilities = bf16, schedule = #schedule}
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

// Other tensors are tables: axes a0, a1, read inside regions.
// CHECK-LABEL: tile.program @tables_are_read_in_regions
// CHECK-SAME:    %[[T:[^ ]*]]: !tile.buf<a0, a1 : i32>, %{{[^ ]*}}: !tile.buf<b, h, g, q, e : f32>
// CHECK:         tile.select_masked
// CHECK-NEXT:    ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT:      %[[X:.*]] = tile.read %[[T]][%[[I]], %[[J]]] : <a0, a1 : i32> -> index
// CHECK-NEXT:      arith.cmpi sgt, %[[X]], %{{.*}} : index
!t = tensor<?x?xi32, #attn.dims<query_len, kv_len>>
func.func @tables_are_read_in_regions(%Q: !q, %K: !k, %V: !k, %T: !t) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %t = attn.read %T[%i, %j] : !t -> index
    %c = arith.cmpi sgt, %t, %b : index
    attn.yield %c : i1
  }

  return %o : !q
}
