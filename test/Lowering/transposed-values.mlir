// With pack = transposed a grid stores the values in blocks of 32 keys, and the
// kernel loads them from there; tiles of keys start at such blocks.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#schedule = #attn.schedule<form = online, q = 32, k = 64, rescale_threshold = 2.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [8, 2], value_granule = [8, 2], unroll = 1, tail = 16, lane_skip = false, pack = transposed, partial = 32, unit = matrix>>
!q = tensor<?x2x1x?x64xbf16, #attn.dims<batch, 2, 1, query_len, 64>>
!k = tensor<?x2x?x64xbf16, #attn.dims<batch, 2, kv_len, 64>>
!v = tensor<?x2x?x40xbf16, #attn.dims<batch, 2, kv_len, 40>>
!o = tensor<?x2x1x?x40xbf16, #attn.dims<batch, 2, 1, query_len, 40>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// CHECK-LABEL: tile.program @window
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %kv_len, %{{.*}} : index
// CHECK:         %[[STORED:.*]] = tile.workspace[%batch, %{{.*}}, %[[BLOCKS]], %c48, %c32{{.*}}] : <b, h, n, e, q : bf16>
// CHECK:         %[[READ:.*]] = tile.rename %[[STORED]] merge("k", "c" by 32) : <b, h, n, e, q : bf16> -> <b, h, k, e, c : bf16>
// CHECK:         tile.grid (%[[B:.*]], %[[H:.*]], %[[I:.*]], %{{.*}}) to (%batch, %{{.*}}, %[[BLOCKS]], %{{.*}})
// CHECK:           %[[COPY:.*]] = tile.load {{.*}} valid(q = %{{.*}}, e = %{{.*}}) : {{.*}} -> <q:32, e:64, bf16>
// CHECK:           tile.store %[[COPY]], %[[STORED]][%[[B]], %[[H]], %[[I]], %{{.*}}, %{{.*}}] valid(e = %{{.*}})
// CHECK:         tile.grid
// The first key is rounded down to a block, that of full tiles up.
// CHECK:           %[[LOW:.*]] = arith.floordivsi %{{.*}}, %[[C32:.*]] : index
// CHECK:           %[[FIRST:.*]] = arith.muli %[[LOW]], %[[C32]] : index
// CHECK:           %[[HIGH:.*]] = arith.ceildivsi %{{.*}}, %[[C32]] : index
// CHECK:           %[[FULL:.*]] = arith.muli %[[HIGH]], %[[C32]] : index
// CHECK:           tile.for {{.*}} in [(%[[FIRST]], %[[FULL]], %{{.*}}, %{{.*}})]
// CHECK:             tile.load %[[READ]][{{.*}}] valid(k = %{{.*}}) : <b, h, k, e, c : bf16> -> <k:64, e:40, bf16>
// The second try of a block with a NaN masks products, and reads V itself.
// CHECK:           tile.any_nan
// CHECK-NOT:       tile.load %[[READ]]
// CHECK:           tile.dot{{.*}} where(
func.func @window(%Q: !q, %K: !k, %V: !v) -> !o {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !v) -> (!o, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %d = arith.subi %i, %j : index
    %c0 = arith.constant 0 : index
    %c70 = arith.constant 70 : index
    %past = arith.cmpi sge, %d, %c0 : index
    %near = arith.cmpi slt, %d, %c70 : index
    %both = arith.andi %past, %near : i1
    attn.yield %both : i1
  } ranges {
  ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c70 = arith.constant 70 : index
    %c69 = arith.constant 69 : index
    %a = arith.subi %q0, %c69 : index
    %low = arith.maxsi %a, %c0 : index
    %f = arith.subi %q1, %c70 : index
    %full = arith.maxsi %f, %c0 : index
    %end = arith.addi %q0, %c1 : index
    attn.yield_ranges [(%low, %full, %end, %q1)]
  }
  return %o : !o
}
