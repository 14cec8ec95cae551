// What `classify` asks about the queries of a block is computed before the loop,
// the rest for each tile.
// RUN: attnc-opt %s --convert-attn-to-tile --canonicalize --cse | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!t = tensor<?x?xi32, #attn.dims<batch, kv_len>>

// CHECK-LABEL: tile.program @classes
// CHECK-DAG:     %[[OLDEST:.*]] = tile.table_min %[[T:.*]][%[[B:.*]], %[[Q0:.*]]] to[%[[B]], %{{.*}}] : <a0, a1 : i32>
// CHECK-DAG:     %[[START:.*]] = tile.lower_bound %[[T]][%[[B]]], %{{.*}} : <a0, a1 : i32>
// CHECK:         tile.for {{.*}} in [(%[[START]], %{{.*}}, %{{.*}}, %{{.*}})]
// CHECK:         } classify (%[[K0:.*]], %[[K1:.*]]) {
// CHECK-NEXT:      %[[NEWEST:.*]] = tile.table_max %[[T]][%[[B]], %[[K0]]] to[%[[B]], %[[K1]]] : <a0, a1 : i32>
// CHECK-NEXT:      %[[MAY:.*]] = arith.cmpi sge, %[[NEWEST]], %[[OLDEST]] : index
// CHECK-NEXT:      %[[CLASS:.*]] = arith.select %[[MAY]], %{{.*}}, %{{.*}} : index
// CHECK-NEXT:      tile.yield %[[CLASS]] : index
// CHECK-NEXT:    }
func.func @classes(%Q: !q, %K: !k, %V: !k, %t: !t) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } ranges {
  ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
    %x = attn.read %t[%b, %q0] : !t -> index
    %lo = attn.lower_bound %t[%b], %x : !t
    %n = attn.size "kv_len"
    attn.yield_ranges [(%lo, %n, %lo, %n)]
  } classify {
  ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index, %k0: index, %k1: index):
    %a = attn.table_min %t[%b, %q0] to [%b, %q1] : !t
    %z = attn.table_max %t[%b, %k0] to [%b, %k1] : !t
    %may = arith.cmpi sge, %z, %a : index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %class = arith.select %may, %one, %zero : index
    attn.yield %class : index
  }
  return %o : !q
}
