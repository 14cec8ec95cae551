// Views between the function's tensors and the kernel cost index arithmetic.
// RUN: attnc-opt %s --convert-attn-to-tile --canonicalize --cse | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!q5 = tensor<?x2x4x?x32xf32, #attn.dims<batch, 2, 4, query_len, 32>>
!l = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>
!merged = tensor<?x8x?x32xf32, #attn.dims<batch, 8, query_len, 32>>
!rows = tensor<?x?x8x32xf32, #attn.dims<batch, query_len, 8, 32>>
!flat = tensor<?x?x256xf32, #attn.dims<batch, query_len, 256>>

// Query head = KV head * group + member.
// CHECK-LABEL: tile.program @splits_and_merges_heads
// CHECK-SAME:    (%[[Q:.*]]: !tile.buf<b, h, q, d : f32>, %[[K:.*]]: !tile.buf<b, h, k, d : f32>, %{{.*}}: !tile.buf<b, h, k, e : f32>, %[[O:.*]]: !tile.buf<b, h, q, e : f32>,
// CHECK:         tile.grid (%[[B:.*]], %[[H:.*]], %[[G:.*]], %[[I:.*]]) to
// CHECK:           %[[C0:.*]] = arith.constant 0 : index
// CHECK:           %[[Q0:.*]] = arith.muli %[[I]]
// CHECK:           %[[BASE:.*]] = arith.muli %[[H]], %{{.*}} : index
// CHECK:           %[[HEAD:.*]] = arith.addi %[[BASE]], %[[G]] : index
// CHECK:           tile.load %[[Q]][%[[B]], %[[HEAD]], %[[Q0]], %[[C0]]]
// CHECK:           tile.load %[[K]][%[[B]], %[[H]],
// CHECK:           tile.store %{{.*}}, %[[O]][%[[B]], %[[HEAD]], %[[Q0]], %[[C0]]]
func.func @splits_and_merges_heads(%Q: !merged, %K: !k, %V: !k) -> !merged {
  %q = attn.view "b(hg)qd->bhgqd" %Q : !merged -> !q5
  %o, %lse = attn.kernel ins(%q, %K, %V : !q5, !k, !k) -> (!q5, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  %O = attn.view "bhgqe->b(hg)qe" %o : !q5 -> !merged
  return %O : !merged
}

// CHECK-LABEL: tile.program @permutes
// CHECK-SAME:    (%[[Q:.*]]: !tile.buf<b, q, h, d : f32>, %{{.*}}, %{{.*}}, %[[O:.*]]: !tile.buf<b, q, h, e : f32>,
// CHECK:         tile.grid (%[[B:.*]], %[[H:.*]], %[[G:.*]], %[[I:.*]]) to
// CHECK:           %[[Q0:.*]] = arith.muli %[[I]]
// CHECK:           %[[HEAD:.*]] = arith.addi %{{.*}}, %[[G]] : index
// CHECK:           tile.load %[[Q]][%[[B]], %[[Q0]], %[[HEAD]], %{{.*}}]
// CHECK:           tile.store %{{.*}}, %[[O]][%[[B]], %[[Q0]], %[[HEAD]], %{{.*}}]
func.func @permutes(%Q: !rows, %K: !k, %V: !k) -> !rows {
  %a = attn.view "bqhd->bhqd" %Q : !rows -> !merged
  %q = attn.view "b(hg)qd->bhgqd" %a : !merged -> !q5
  %o, %lse = attn.kernel ins(%q, %K, %V : !q5, !k, !k) -> (!q5, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  %O = attn.view "bhgqe->bq(hg)e" %o : !q5 -> !rows
  return %O : !rows
}

// Heads merged with features: the tile starts at head * 32 of the axis.
// CHECK-LABEL: tile.program @heads_times_features
// CHECK-SAME:    (%[[Q:.*]]: !tile.buf<b, q, d : f32>, %{{.*}}, %{{.*}}, %[[O:.*]]: !tile.buf<b, q, e : f32>,
// CHECK:           %[[HEAD:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK:           %[[START:.*]] = arith.muli %[[HEAD]], %{{.*}} : index
// CHECK:           tile.load %[[Q]][%{{.*}}, %{{.*}}, %[[START]]] valid(q = %{{.*}}) : <b, q, d : f32> -> <q:64, d:32, f32>
// CHECK:           tile.store %{{.*}}, %[[O]][%{{.*}}, %{{.*}}, %[[START]]]
func.func @heads_times_features(%Q: !flat, %K: !k, %V: !k) -> !flat {
  %q = attn.view "bq(hgd)->bhgqd" %Q : !flat -> !q5
  %o, %lse = attn.kernel ins(%q, %K, %V : !q5, !k, !k) -> (!q5, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  %O = attn.view "bhgqe->bq(hge)" %o : !q5 -> !flat
  return %O : !flat
}

// What each KV head holds: rows of its 4 query heads, its key and its value. A
// letter of a view, here 2 times 4 * 32 places, is several of the kernel.
// CHECK-LABEL: tile.program @pieces_of_each_head
// CHECK-SAME:    (%[[Q:.*]]: !tile.buf<b, q, d : f32>,
// CHECK:         tile.grid (%[[B:.*]], %[[H:.*]], %[[G:.*]], %[[I:.*]]) to
// CHECK:           %[[BASE:.*]] = arith.muli %[[H]], %c6
// CHECK:           %[[HEAD:.*]] = arith.addi %[[BASE]], %[[G]] : index
// CHECK:           %[[START:.*]] = arith.muli %[[HEAD]], %c32
// CHECK:           tile.load %[[Q]][%[[B]], %{{.*}}, %[[START]]]
!pieces = tensor<?x?x384xf32, #attn.dims<batch, query_len, 384>>
func.func @pieces_of_each_head(%Q: !pieces, %K: !k, %V: !k) -> !flat {
  %0 = attn.view "bq(yz)->bqyz" %Q : !pieces -> tensor<?x?x2x192xf32, #attn.dims<batch, query_len, 2, 192>>
  %1 = attn.slice "bqyz" %0 along "z" [0, 128] : tensor<?x?x2x192xf32, #attn.dims<batch, query_len, 2, 192>> -> tensor<?x?x2x128xf32, #attn.dims<batch, query_len, 2, 128>>
  %2 = attn.view "bqyz->bq(yz)" %1 : tensor<?x?x2x128xf32, #attn.dims<batch, query_len, 2, 128>> -> !flat
  %3 = attn.view "bq(nd)->bnqd" %2 : !flat -> !merged
  %q = attn.view "b(hg)qd->bhgqd" %3 : !merged -> !q5
  %o, %lse = attn.kernel ins(%q, %K, %V : !q5, !k, !k) -> (!q5, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  %O = attn.view "bhgqe->bq(hge)" %o : !q5 -> !flat
  return %O : !flat
}

// Axes that a graph has not are letters of size 1 anywhere in an axis.
// CHECK-LABEL: tile.program @missing_axes
// CHECK-SAME:    (%[[Q:.*]]: !tile.buf<q, d : f32>, %{{.*}}, %{{.*}}, %[[O:.*]]: !tile.buf<q, e : f32>,
// CHECK:           %[[C0:.*]] = arith.constant 0 : index
// CHECK:           %[[Q0:.*]] = arith.muli
// CHECK:           tile.load %[[Q]][%[[Q0]], %[[C0]]] valid(q = %{{.*}}) : <q, d : f32> -> <q:64, d:32, f32>
// CHECK:           tile.store %{{.*}}, %[[O]][%[[Q0]], %[[C0]]]
!q2 = tensor<?x32xf32, #attn.dims<query_len, 32>>
!k1 = tensor<1x1x?x32xf32, #attn.dims<1, 1, kv_len, 32>>
!q1 = tensor<1x1x1x?x32xf32, #attn.dims<1, 1, 1, query_len, 32>>
!l1 = tensor<1x1x1x?xf32, #attn.dims<1, 1, 1, query_len>>
func.func @missing_axes(%Q: !q2, %K: !k1, %V: !k1) -> !q2 {
  %q = attn.view "(bhqg)d->bhgqd" %Q : !q2 -> !q1
  %o, %lse = attn.kernel ins(%q, %K, %V : !q1, !k1, !k1) -> (!q1, !l1) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  %O = attn.view "bhgqe->(bhgq)e" %o : !q1 -> !q2
  return %O : !q2
}

// A size may be an expression of sizes.
// CHECK-LABEL: tile.program @derived_sizes
// CHECK-SAME:    %[[QLEN:[^ ]*]]: index, %{{.*}}: index) target
// CHECK:         %[[ROWS:.*]] = arith.muli %[[QLEN]], %{{.*}} : index
// CHECK:         arith.ceildivsi %[[ROWS]], %{{.*}} : index
!qd = tensor<?x2x4x?x32xf32, #attn.dims<batch, 2, 4, "query_len * 2", 32>>
!ld = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, "query_len * 2">>
!table = tensor<?xf32, #attn.dims<query_len>>
func.func @derived_sizes(%T: !table, %Q: !qd, %K: !k, %V: !k) -> !qd {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !qd, !k, !k) -> (!qd, !ld) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !qd
}

// Keys that are repeated for each of a batch are read where they lie.
// CHECK-LABEL: tile.program @repeated_keys
// CHECK-SAME:    %[[K:[^:]*]]: !tile.buf<k, d : f32>
// CHECK-NOT:     tile.workspace
// CHECK:         tile.load %[[K]][
// CHECK-NOT:     tile.workspace
func.func @repeated_keys(%Q: !merged, %m: tensor<?x32xf32, #attn.dims<kv_len, 32>>, %V: !k) -> !merged {
  %q = attn.view "b(hg)qd->bhgqd" %Q : !merged -> !q5
  %K = attn.map "kd->bhkd" (%m) : (tensor<?x32xf32, #attn.dims<kv_len, 32>>) -> !k {
  ^bb0(%x: f32, %b: index, %h: index, %j: index, %d: index):
    attn.yield %x : f32
  }
  %o, %lse = attn.kernel ins(%q, %K, %V : !q5, !k, !k) -> (!q5, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  %O = attn.view "bhgqe->b(hg)qe" %o : !q5 -> !merged
  return %O : !merged
}
