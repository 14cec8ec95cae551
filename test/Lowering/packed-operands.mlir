// Grids that pack operands once per call, from where the kernel loads them.
//
// With pack = transposed a grid stores the values in blocks of 32 keys; tiles of
// keys start at such blocks.
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
// CHECK:         tile.grid (%[[B:.*]], %[[H:.*]], %{{.*}}, %[[I:.*]]) to (%batch, %{{.*}}, %{{.*}}, %[[BLOCKS]])
// CHECK:           %[[COPY:.*]] = tile.load {{.*}} valid(q = %{{.*}}, e = %{{.*}}) : {{.*}} -> <q:32, e:64, bf16>
// CHECK:           tile.store %[[COPY]], %[[STORED]][%[[B]], %[[H]], %[[I]], %{{.*}}, %{{.*}}] valid(e = %{{.*}})
// CHECK:         tile.grid
// The first key is rounded down to a block, that of full tiles up.
// CHECK:           %[[LOW:.*]] = arith.floordivsi %{{.*}}, %[[C32:.*]] : index
// CHECK:           %[[FIRST:.*]] = arith.muli %[[LOW]], %[[C32]] : index
// CHECK:           %[[HIGH:.*]] = arith.ceildivsi %{{.*}}, %[[C32]] : index
// CHECK:           %[[FULL:.*]] = arith.muli %[[HIGH]], %[[C32]] : index
// CHECK:           tile.for {{.*}} in [(%[[FIRST]], %[[FULL]], %{{.*}}, %{{.*}})] within (%{{.*}}, %kv_len) step
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

// Keys of an earlier segment in the block of 32 where the next segment starts
// are visited with that one. Around a segment, tiles may have the keys that no
// other segment visits.
// CHECK-LABEL: tile.program @segments
// CHECK:         tile.grid
// CHECK:         tile.grid
// CHECK:           %[[SOME:.*]] = arith.cmpi slt, %{{.*}}, %[[SINKS:.*]] : index
// CHECK:           %[[END1:.*]] = arith.select %[[SOME]], %[[SINKS]], %[[LOW1:.*]] : index
// CHECK:           %[[NEAR:.*]] = arith.cmpi slt, %[[A:.*]], %[[END:.*]] : index
// CHECK:           %[[LOW:.*]] = arith.floordivsi %[[A]], %{{.*}} : index
// CHECK:           %[[FIRST:.*]] = arith.muli %[[LOW]], %{{.*}} : index
// CHECK:           %[[END2:.*]] = arith.select %[[NEAR]], %[[END]], %[[FIRST]] : index
// CHECK:           %[[CUT:.*]] = arith.minsi %[[END1]], %[[FIRST]] : index
// CHECK:           %[[LAST:.*]] = arith.select %[[NEAR]], %[[CUT]], %[[END1]] : index
// CHECK:           %[[HASONE:.*]] = arith.cmpi slt, %[[LOW1]], %[[LAST]]
// CHECK:           %[[FROM:.*]] = arith.select %[[HASONE]], %[[LAST]], %[[ZERO:.*]] : index
// CHECK:           %[[HASTWO:.*]] = arith.cmpi slt, %[[FIRST]], %[[END2]]
// CHECK:           %[[TO:.*]] = arith.select %[[HASTWO]], %[[FIRST]], %kv_len
// CHECK:           tile.for {{.*}} in [(%[[LOW1]], %[[LOW1]], %{{.*}}, %[[LAST]]), (%[[FIRST]], %{{.*}}, %{{.*}}, %[[END2]])] within (%[[ZERO]], %[[TO]], %[[FROM]], %kv_len) step
func.func @segments(%Q: !q, %K: !k, %V: !v) -> !o {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !v) -> (!o, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c4 = arith.constant 4 : index
    %c70 = arith.constant 70 : index
    %d = arith.subi %i, %j : index
    %sink = arith.cmpi slt, %j, %c4 : index
    %near = arith.cmpi slt, %d, %c70 : index
    %both = arith.ori %sink, %near : i1
    attn.yield %both : i1
  } ranges {
  ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c69 = arith.constant 69 : index
    %n = attn.size "kv_len"
    %sinks = arith.minsi %c4, %n : index
    %a = arith.subi %q0, %c69 : index
    %low = arith.maxsi %a, %sinks : index
    %f = arith.subi %q1, %c69 : index
    %full = arith.maxsi %f, %sinks : index
    attn.yield_ranges [(%c0, %c0, %sinks, %sinks), (%low, %full, %n, %n)]
  }
  return %o : !o
}

// With pack = both keys are stored, too: their rows, in blocks of 32 features,
// of which 72 fill two and a quarter. The 15 rows after the last key may be read
// as part of a register.
#both = #attn.schedule<form = online, q = 32, k = 64, rescale_threshold = 2.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [8, 2], value_granule = [8, 2], unroll = 1, tail = 16, lane_skip = false, pack = both, partial = 32, unit = matrix>>
#keys = #attn.schedule<form = online, q = 32, k = 64, rescale_threshold = 2.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [8, 2], value_granule = [8, 2], unroll = 1, tail = 16, lane_skip = false, pack = keys, partial = 32, unit = matrix>>
!q72 = tensor<?x2x1x?x72xbf16, #attn.dims<batch, 2, 1, query_len, 72>>
!k72 = tensor<?x2x?x72xbf16, #attn.dims<batch, 2, kv_len, 72>>

// CHECK-LABEL: tile.program @both
// CHECK:         %[[ROWS:.*]] = arith.addi %kv_len, %c15
// CHECK:         %[[STORED:.*]] = tile.workspace[%batch, %{{.*}}, %[[ROWS]], %c3, %c32{{.*}}] : <b, h, k, n, q : bf16>
// CHECK:         %[[READ:.*]] = tile.rename %[[STORED]] merge("d", "c" by 32) : <b, h, k, n, q : bf16> -> <b, h, k, d, c : bf16>
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %kv_len, %{{.*}} : index
// CHECK:         tile.grid (%[[B:.*]], %[[H:.*]], %[[J:.*]], %[[I:.*]]) to (%batch, %{{.*}}, %c3{{.*}}, %[[BLOCKS]])
// CHECK:           %[[D0:.*]] = arith.muli %[[J]], %{{.*}} : index
// CHECK:           %[[K0:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK:           %[[COPY:.*]] = tile.load {{.*}} valid(q = %{{.*}}, k = %{{.*}}) : <b, h, k, q : bf16> -> <q:32, k:64, bf16>
// CHECK:           tile.store %[[COPY]], %[[STORED]][%[[B]], %[[H]], %[[K0]], %[[J]], %{{.*}}] valid(k = %{{.*}})
// CHECK:         tile.workspace{{.*}} : <b, h, n, e, q : bf16>
// CHECK:         tile.for
// CHECK:           tile.load %[[READ]][{{.*}}] valid(k = %{{.*}}) : <b, h, k, d, c : bf16> -> <k:64, d:72, bf16>
func.func @both(%Q: !q72, %K: !k72, %V: !v) -> !o {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q72, !k72, !v) -> (!o, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #both}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !o
}

// Packed keys alone are read from any key on: a segment starts where its mask
// does.
// CHECK-LABEL: tile.program @keys
// CHECK:         tile.workspace{{.*}} : <b, h, k, n, q : bf16>
// CHECK-NOT:     tile.workspace
// CHECK:         tile.for {{.*}} in [(%c5, %c5,
// CHECK:           tile.load %{{.*}} : <b, h, k, d, c : bf16> -> <k:64, d:72, bf16>
func.func @keys(%Q: !q72, %K: !k72, %V: !v) -> !o {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q72, !k72, !v) -> (!o, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16, schedule = #keys}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c5 = arith.constant 5 : index
    %seen = arith.cmpi sge, %j, %c5 : index
    attn.yield %seen : i1
  } ranges {
  ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
    %c5 = arith.constant 5 : index
    %n = attn.size "kv_len"
    attn.yield_ranges [(%c5, %c5, %n, %n)]
  }
  return %o : !o
}
