// A sink is the first maximum, with weight 1 in the sum, or 0 if it is -inf.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
#rows = #attn.schedule<form = rows, q = 16, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!t = tensor<2xf32, #attn.dims<2>>
!fixed = tensor<?x2x64x32xf32, #attn.dims<batch, 2, 64, 32>>

// CHECK-LABEL: tile.program @starts_the_state
// CHECK:         tile.grid (%{{.*}}, %[[H:.*]], %{{.*}}) to
// CHECK:         %[[SINK:.*]] = tile.read %{{.*}}[%[[H]]] : <a0 : f32> -> f32
// CHECK:         %[[M0:.*]] = tile.map() : () -> !tile.tile<q:64, f32> {
// CHECK-NEXT:      tile.yield %[[SINK]]
// CHECK:         %[[L0:.*]] = tile.map(%[[M0]])
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32):
// CHECK-DAG:       %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:       %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:       %[[INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK:           %[[NONE:.*]] = arith.cmpf oeq, %[[X]], %[[INF]] : f32
// CHECK-NEXT:      arith.select %[[NONE]], %[[ZERO]], %[[ONE]] : f32
// CHECK:         tile.for {{.*}} iter(%{{.*}} = %{{.*}}, %{{.*}} = %[[M0]], %{{.*}} = %[[L0]])
func.func @starts_the_state(%Q: !q, %K: !k, %V: !k, %T: !t) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  } init {
  ^bb0(%b: index, %h: index, %g: index, %i: index):
    %s = attn.read %T[%h] : !t -> f32
    attn.yield %s : f32
  }

  return %o : !q
}

// CHECK-LABEL: tile.program @counts_once_in_rows
// CHECK:         %[[M0:.*]] = tile.map()
// CHECK:         %[[L0:.*]] = tile.map(%[[M0]])
// CHECK:         tile.reduce max(%{{.*}}) over(k) init(%[[M0]])
// CHECK:         %[[A:.*]] = tile.map(%[[M0]], %{{.*}})
// CHECK:         %[[L:.*]] = tile.rescale %[[L0]] by %[[A]]
// CHECK:         tile.reduce add(%{{.*}}) over(k) init(%[[L]])
func.func @counts_once_in_rows(%Q: !q, %K: !fixed, %V: !fixed, %T: !t) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !fixed, !fixed) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #rows}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  } init {
  ^bb0(%b: index, %h: index, %g: index, %i: index):
    %s = attn.read %T[%h] : !t -> f32
    attn.yield %s : f32
  }

  return %o : !q
}
