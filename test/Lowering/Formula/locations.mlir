// Ops know the place in the spec that they come from: what the kernel's own
// steps are, the attention; what a formula is, the formula.
// RUN: attnc-opt %s --convert-attn-to-tile --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// CHECK-LABEL: tile.program @steps_and_formulas
// CHECK:         tile.dot{{.*}} loc("spec.yaml":4:1)
// CHECK:         tile.map{{.*}} at(r
// CHECK:           arith.subi {{.*}} loc("spec.yaml":5:16)
// CHECK:         tile.select_masked
// CHECK:           arith.cmpi {{.*}} loc("spec.yaml":6:7)
func.func @steps_and_formulas(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %d = arith.subi %i, %j : index loc("spec.yaml":5:16)
    %n = arith.index_cast %d : index to i64
    %f = arith.sitofp %n : i64 to f32
    %y = arith.addf %x, %f : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index loc("spec.yaml":6:7)
    attn.yield %c : i1
  } loc("spec.yaml":4:1)

  return %o : !q
}
