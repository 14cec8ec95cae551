// Running sums: one place after the other.
// RUN: attnc-opt %s --convert-attn-to-tile --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = auto>
#along_d = #attn.block<form = element, lanes = "d", rows = "", q = 16, k = 64, target = #cpu>
!x = tensor<?x?x16xbf16, #attn.dims<batch, kv_len, 16>>
!y = tensor<?x?x16xf32, #attn.dims<batch, kv_len, 16>>

// CHECK-LABEL: tile.program @carries_the_sum
// CHECK:         tile.grid (%[[B:.*]], %{{.*}}) to
// CHECK:           %[[NONE:.*]] = tile.splat 0.0
// CHECK:           tile.for (%[[S:.*]], %{{.*}}, %{{.*}}) in [(%c0, %c0, %c0, %kv_len)] step 1 partial_step 1 iter(%[[SUM:.*]] = %[[NONE]])
// CHECK:             %[[NEXT:.*]] = tile.map(%[[SUM]]) at(q = %[[Q0:.*]]) {{.*}} -> !tile.tile<q:16, f32>
// CHECK-NEXT:        ^bb0(%[[X:.*]]: f32, %[[Q:.*]]: index)
// CHECK:               %[[TERM:.*]] = tile.read %in0[%[[B]], %[[S]], %[[Q]]] : <a0, a1, a2 : bf16> -> f32
// CHECK:               arith.addf %[[X]], %[[TERM]]
// CHECK:             tile.store %[[NEXT]], %out0[%[[B]], %[[S]], %[[Q0]]]
// CHECK:             tile.yield %[[NEXT]]
func.func @carries_the_sum(%X: !x) -> !y {
  %0 = attn.scan "bsd" %X along "s" {attn.block = #along_d} : !x -> !y
  return %0 : !y
}
