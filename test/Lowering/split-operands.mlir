// With bf16_terms = 2 the operands of f16 are sums of two bf16 tiles. A grid
// stores those of keys and values.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#schedule = #attn.schedule<form = online, q = 32, k = 64, rescale_threshold = 2.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [8, 2], value_granule = [8, 2], unroll = 1, tail = 16, lane_skip = false, pack = both, partial = 32, unit = matrix, bf16_terms = 2>>
!q = tensor<?x2x1x?x64xf16, #attn.dims<batch, 2, 1, query_len, 64>>
!k = tensor<?x2x?x64xf16, #attn.dims<batch, 2, kv_len, 64>>
!o = tensor<?x2x1x?x64xf16, #attn.dims<batch, 2, 1, query_len, 64>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// The first term is rounded toward zero, so that the other bits of an f16, 3 at
// most, are the second.
// CHECK-LABEL: tile.program @softmax
// CHECK:         %[[KEYS0:.*]] = tile.workspace[{{.*}}] : <b, h, k, n, q : bf16>
// CHECK:         %[[READ0:.*]] = tile.rename %[[KEYS0]] merge("d", "c" by 32)
// CHECK:         %[[KEYS1:.*]] = tile.workspace[{{.*}}] : <b, h, k, n, q : bf16>
// CHECK:         %[[READ1:.*]] = tile.rename %[[KEYS1]] merge("d", "c" by 32)
// CHECK:         tile.grid
// CHECK:           %[[COPY:.*]] = tile.load {{.*}} -> <q:32, k:64, f16>
// CHECK:           %[[TERM0:.*]] = tile.map(%[[COPY]]) : {{.*}} -> !tile.tile<q:32, k:64, bf16> {
// CHECK:             %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK:             %[[HIGH:.*]] = arith.truncf %[[X]] toward_zero : f32 to bf16
// CHECK:             tile.yield %[[HIGH]]
// CHECK:           %[[TERM1:.*]] = tile.map(%[[COPY]]) : {{.*}} -> !tile.tile<q:32, k:64, bf16> {
// CHECK:             %[[Y:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK:             %[[FIRST:.*]] = arith.truncf %[[Y]] toward_zero : f32 to bf16
// CHECK:             %[[WIDE:.*]] = arith.extf %[[FIRST]] : bf16 to f32
// CHECK:             %[[REST:.*]] = arith.subf %[[Y]], %[[WIDE]] : f32
// CHECK:             %[[LOW:.*]] = arith.truncf %[[REST]] to_nearest_away : f32 to bf16
// CHECK:             tile.yield %[[LOW]]
// CHECK:           tile.store %[[TERM0]], %[[KEYS0]][
// CHECK:           tile.store %[[TERM1]], %[[KEYS1]][
// CHECK:         tile.workspace[{{.*}}] : <b, h, n, e, q : bf16>
// CHECK:         tile.workspace[{{.*}}] : <b, h, n, e, q : bf16>
// Scores are all four products of terms; two consecutive ones share an operand.
// CHECK:         %[[Q:.*]] = tile.load {{.*}} -> <q:32, d:64, f16>
// CHECK:         %[[Q0:.*]] = tile.map(%[[Q]])
// CHECK:         %[[Q1:.*]] = tile.map(%[[Q]])
// CHECK:         tile.for
// CHECK:           %[[K0:.*]] = tile.load %[[READ0]]{{.*}} -> <k:64, d:64, bf16>
// CHECK:           %[[K1:.*]] = tile.load %[[READ1]]{{.*}} -> <k:64, d:64, bf16>
// CHECK:           %[[S0:.*]] = tile.dot(%[[Q1]], %[[K1]]) sum(d) :
// CHECK:           %[[S1:.*]] = tile.dot(%[[Q0]], %[[K1]]) sum(d) acc(%[[S0]])
// CHECK:           %[[S2:.*]] = tile.dot(%[[Q0]], %[[K0]]) sum(d) acc(%[[S1]])
// CHECK:           %[[S3:.*]] = tile.dot(%[[Q1]], %[[K0]]) sum(d) acc(%[[S2]])
// CHECK:           tile.select_masked %[[S3]]
// Weights are not rounded to f16. The product of both second terms is below the
// rounding of the weights. As results are f16, exp2 may be approximate.
// CHECK:           tile.map{{.*}} -> !tile.tile<q:32, k:64, f32>
// CHECK:             math.exp2 %{{.*}} fastmath<afn> : f32
// CHECK:           %[[O:.*]] = tile.rescale {{.*}} : !tile.tile<q:32, e:64, f32>
// CHECK:           %[[P0:.*]] = tile.map(%[[P:.*]]) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, bf16>
// CHECK:           %[[P1:.*]] = tile.map(%[[P]]) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, bf16>
// CHECK:           %[[V0:.*]] = tile.load {{.*}} -> <k:64, e:64, bf16>
// CHECK:           %[[V1:.*]] = tile.load {{.*}} -> <k:64, e:64, bf16>
// CHECK:           %[[O0:.*]] = tile.dot(%[[P0]], %[[V1]]) sum(k) acc(%[[O]])
// CHECK:           %[[O1:.*]] = tile.dot(%[[P0]], %[[V0]]) sum(k) acc(%[[O0]])
// CHECK:           %[[O2:.*]] = tile.dot(%[[P1]], %[[V0]]) sum(k) acc(%[[O1]])
// CHECK:           tile.yield %[[O2]]
func.func @softmax(%Q: !q, %K: !k, %V: !k) -> !o {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!o, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f16, schedule = #schedule}
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

// Weights that are scores may be integers: all products are computed. A block
// with a NaN, which an infinity in an operand makes, is computed again from
// operands as they are stored, without masked products.
// CHECK-LABEL: tile.program @scores
// CHECK:         %[[QUERY:.*]] = tile.load {{.*}} -> <q:32, d:64, f16>
// CHECK-COUNT-8: tile.dot
// CHECK:         tile.any_nan
// CHECK:         scf.if
// CHECK:           tile.for
// CHECK:             %[[KEY:.*]] = tile.load {{.*}} -> <k:64, d:64, f16>
// CHECK:             tile.dot(%[[QUERY]], %[[KEY]]) sum(d) :
// CHECK:             tile.dot{{.*}} where({{.*}} : (!tile.tile<q:32, k:64, {{f16|f32}}>, !tile.tile<k:64, e:64, f16>)
// CHECK-NOT:     tile.dot
func.func @scores(%Q: !q, %K: !k, %V: !k) -> !o {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!o, !l) normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f16, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %past = arith.cmpi sge, %i, %j : index
    attn.yield %past : i1
  }
  return %o : !o
}

// With form chunked weights, states and what multiplies them are computed in f32
// and split. States have two workspaces, and no sum of what rounding loses.
// CHECK-LABEL: tile.program @states
// CHECK:         %[[SPACE0:.*]] = tile.workspace[{{.*}}] : <b, h, n, e, d : bf16>
// CHECK:         %[[STORE0:.*]] = tile.rename %[[SPACE0]] : {{.*}} -> <b, h, n, e, q : bf16>
// CHECK:         %[[SPACE1:.*]] = tile.workspace[{{.*}}] : <b, h, n, e, d : bf16>
// CHECK:         %[[STORE1:.*]] = tile.rename %[[SPACE1]] : {{.*}} -> <b, h, n, e, q : bf16>
// CHECK:         tile.for {{.*}} iter(%[[STATE:.*]] = %{{.*}}) -> (!tile.tile<q:64, e:64, f32>)
// CHECK:           %[[S0:.*]] = tile.map(%[[STATE]]) : {{.*}} -> !tile.tile<q:64, e:64, bf16>
// CHECK:           %[[S1:.*]] = tile.map(%[[STATE]]) : {{.*}} -> !tile.tile<q:64, e:64, bf16>
// CHECK:           tile.store %[[S0]], %[[STORE0]][
// CHECK:           tile.store %[[S1]], %[[STORE1]][
// CHECK:           %[[W0:.*]] = tile.map(%[[W:.*]]) : {{.*}}f32>) -> !tile.tile<q:64, k:64, bf16>
// CHECK:           %[[W1:.*]] = tile.map(%[[W]]) : {{.*}}f32>) -> !tile.tile<q:64, k:64, bf16>
// CHECK:           %[[N0:.*]] = tile.dot(%{{.*}}, %{{.*}}) sum(k) acc(%[[STATE]])
// CHECK:           %[[N1:.*]] = tile.dot(%{{.*}}, %{{.*}}) sum(k) acc(%[[N0]])
// CHECK:           tile.yield %[[N1]]
// Queries that multiply states are loaded again: a tile of pairs has no other
// users.
// CHECK:         tile.load %in0{{.*}} -> <q:64, d:64, bf16>
// CHECK:         scf.if
// CHECK:           tile.load %in0{{.*}} -> <q:64, d:64, bf16>
// CHECK:           tile.load %[[SPACE0]]{{.*}} -> <e:64, d:64, bf16>
// CHECK:           tile.load %[[SPACE1]]{{.*}} -> <e:64, d:64, bf16>
// CHECK-COUNT-3:   tile.dot({{.*}}) sum(d)
// CHECK-NOT:       tile.dot({{.*}}) sum(d)
// CHECK:         } else {
// CHECK:         tile.phase "value"
// CHECK:           tile.dot({{.*}}) sum(k) acc({{.*}}) : (!tile.tile<q:64, k:64, bf16>, !tile.tile<k:64, e:64, bf16>)
// CHECK:           tile.dot({{.*}}) sum(k) acc({{.*}}) : (!tile.tile<q:64, k:64, bf16>, !tile.tile<k:64, e:64, bf16>)
// A block with a NaN is computed again with weights of f32.
// CHECK:         tile.any_nan
// CHECK:         tile.dot({{.*}}) sum(k) acc({{.*}}) where({{.*}}) : (!tile.tile<q:64, k:64, f32>, !tile.tile<k:64, e:64, bf16>)
#chunks = #attn.schedule<form = chunked, q = 64, k = 64, chunk = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [8, 2], value_granule = [8, 2], unroll = 1, tail = 0, lane_skip = false, pack = auto, partial = 32, unit = matrix, bf16_terms = 2>>
!bq = tensor<?x2x1x?x64xbf16, #attn.dims<batch, 2, 1, query_len, 64>>
!bk = tensor<?x2x?x64xbf16, #attn.dims<batch, 2, kv_len, 64>>
func.func @states(%Q: !bq, %K: !bk, %V: !bk) -> !bq {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !bq, !bk, !bk) -> (!bq, !l) normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #chunks}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %o : !bq
}
