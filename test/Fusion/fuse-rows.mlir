// Numbers of rows and of pairs become kernels that compute the scores again.
// RUN: attnc-opt %s --attn-fuse-rows --split-input-file | FileCheck %s

!Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!S = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
!M = tensor<?x2x1x?x?xi1, #attn.dims<batch, 2, 1, query_len, kv_len>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!I = tensor<?x2x1x?xi32, #attn.dims<batch, 2, 1, query_len>>

// CHECK-LABEL: func.func @reduce(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^%]*}}%[[K:[a-z0-9]+]]:
// CHECK-NOT:     attn.contract
// CHECK:         %[[ROW:.*]], %{{.*}} = attn.kernel ins(%[[Q]], %[[K]] : {{.*}}) -> ({{.*}}) normalize #attn.row<rank, n = 3> attributes {scale = 1.000000e+00 : f64} score {
// CHECK-NEXT:    ^bb0(%x: f32,
// CHECK-NEXT:      %[[T:.*]] = math.tanh %x : f32
// CHECK-NEXT:      attn.yield %[[T]] : f32
// CHECK-NEXT:    } mask {
// CHECK:           %[[C:.*]] = arith.cmpi sle, %k, %q : index
// CHECK-NEXT:      attn.yield %[[C]] : i1
// CHECK:         return %[[ROW]]
func.func @reduce(%q: !Q, %k: !K) -> !L {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %t = attn.map "bhgqk->bhgqk" (%s) : (!S) -> !S {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %y = math.tanh %x : f32
    attn.yield %y : f32
  }
  %m = attn.mask "bhgqk" : !M {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  %row, %key = attn.reduce "bhgqk" over "k" #attn.row<rank, n = 3> (%t) where (%m) : (!S, !M) -> (!L, !I)
  return %row : !L
}

// -----

!Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!S = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
!M = tensor<?x2x1x?x?xi1, #attn.dims<batch, 2, 1, query_len, kv_len>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// A sum that a sum reads, and that the weights of a kernel read.
// CHECK-LABEL: func.func @rows_read_rows(
// CHECK:         attn.contract "bhgqd,bhkd->bhgqk"
// CHECK:         %[[A:.*]] = attn.kernel {{.*}} normalize #attn.row<sum>
// CHECK:         %[[B:.*]] = attn.kernel {{.*}} normalize #attn.row<sum>
// CHECK:           attn.read %[[A]][%b, %h, %g, %q]
// CHECK:         attn.map "bhgqk,bhgq->bhgqk"(%{{.*}}, %[[B]])
// CHECK:         attn.normalize
func.func @rows_read_rows(%q: !Q, %k: !K, %v: !K) -> !Q {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %a = attn.reduce "bhgqk" over "k" #attn.row<sum> (%s) : (!S) -> (!L)
  %t = attn.map "bhgqk,bhgq->bhgqk" (%s, %a) : (!S, !L) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.subf %x, %y : f32
    attn.yield %z : f32
  }
  %c = attn.reduce "bhgqk" over "k" #attn.row<sum> (%t) : (!S) -> (!L)
  %w = attn.map "bhgqk,bhgq->bhgqk" (%s, %c) : (!S, !L) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.divf %x, %y : f32
    attn.yield %z : f32
  }
  %p, %sum = attn.normalize "bhgqk" over "k" #attn.norm<shift = none, weight = identity, divide = none> (%w) : (!S) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %v) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

!Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!S = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
!M = tensor<?x2x1x?x?xi1, #attn.dims<batch, 2, 1, query_len, kv_len>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// A softmax inside a formula is its maximum and its denominator, which stay apart;
// its sink goes with them.
// CHECK-LABEL: func.func @inner_softmax(
// CHECK:         %[[SUM:.*]], %[[MAX:.*]] = attn.kernel {{.*}} normalize #attn.norm<shift = max, weight = exp, divide = sum>
// CHECK:         } init {
// CHECK:         %[[P:.*]] = attn.map "bhgqk,bhgq,bhgq,bhgqk->bhgqk"(%{{.*}}, %[[MAX]], %[[SUM]], %{{.*}})
// CHECK-NEXT:    ^bb0(%x: f32, %[[M:.*]]: f32, %[[L:.*]]: f32, %[[A:.*]]: i1,
// CHECK:           %[[D:.*]] = arith.subf %x, %[[M]] : f32
// CHECK:           %[[E:.*]] = math.exp %[[D]] : f32
// CHECK:           %[[NONE:.*]] = arith.cmpf oeq, %[[L]], %[[ZERO:.*]] : f32
// CHECK:           %[[W:.*]] = arith.divf %[[E]], %[[L]] : f32
// CHECK:           %[[S:.*]] = arith.select %[[NONE]], %[[ZERO]], %[[W]] : f32
// CHECK:           arith.select %[[A]], %[[S]], %[[ZERO]] : f32
// CHECK-NOT:     attn.normalize {{.*}}shift = max
// CHECK:         attn.normalize {{.*}}shift = none
func.func @inner_softmax(%q: !Q, %k: !K, %v: !K) -> !Q {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %m = attn.mask "bhgqk" : !M {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (!S, !M) -> (!S, !L) init {
  ^bb0(%b: index, %h: index, %g: index, %i: index):
    %c = arith.constant 1.0 : f32
    attn.yield %c : f32
  }
  %t = attn.map "bhgqk->bhgqk" (%p) : (!S) -> !S {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %y = arith.mulf %x, %x : f32
    attn.yield %y : f32
  }
  %w, %sum = attn.normalize "bhgqk" over "k" #attn.norm<shift = none, weight = identity, divide = none> (%t) where (%m) : (!S, !M) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%w, %v) where "bhgqk" (%m) : (!S, !K, !M) -> !Q
  return %o : !Q
}

// -----

!Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!S = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
!O = tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// Results with a number per pair; the product with the values keeps its weights.
// CHECK-LABEL: func.func @pairs(
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize
// CHECK:         %{{.*}}, %[[W:.*]] = attn.kernel {{.*}} normalize #attn.norm<shift = max, weight = exp, divide = sum>
// CHECK:         %[[S:.*]] = attn.kernel {{.*}} normalize #attn.dense<fill = -inf>
// CHECK:         attn.contract "bhgqk,bhke->bhgqe"(%[[P]]
// CHECK:         attn.view "bhgqk->b(hg)qk" %[[W]]
// CHECK:         attn.view "bhgqk->b(hg)qk" %[[S]]
func.func @pairs(%q: !Q, %k: !K, %v: !K) -> (!Q, !O, !O) {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %t = attn.map "bhgqk->bhgqk" (%s) : (!S) -> !S {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %y = arith.mulf %x, %x : f32
    attn.yield %y : f32
  }
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %v) : (!S, !K) -> !Q
  %w = attn.view "bhgqk->b(hg)qk" %p : !S -> !O
  %z = attn.view "bhgqk->b(hg)qk" %t : !S -> !O
  return %o, %w, %z : !Q, !O, !O
}

// -----

!Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!S = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
!M = tensor<?x2x1x?x?xi1, #attn.dims<batch, 2, 1, query_len, kv_len>>

// A choice by the mask that has the last word is the kernel's mask: it skips keys.
// CHECK-LABEL: func.func @masked_pairs(
// CHECK:         attn.kernel {{.*}} normalize #attn.dense<fill = -2.500000e+00> attributes {scale = 1.000000e+00 : f64} score {
// CHECK-NEXT:    ^bb0(%x: f32,
// CHECK-NOT:       arith.select
// CHECK:           attn.yield %x : f32
// CHECK:         } mask {
// CHECK:           %[[C:.*]] = arith.cmpi sle, %k, %q : index
// CHECK-NEXT:      attn.yield %[[C]] : i1
func.func @masked_pairs(%q: !Q, %k: !K) -> !S {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %m = attn.mask "bhgqk" : !M {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  %t = attn.map "bhgqk,bhgqk->bhgqk" (%s, %m) : (!S, !M) -> !S {
  ^bb0(%x: f32, %allowed: i1, %b: index, %h: index, %g: index, %i: index, %j: index):
    %none = arith.constant -2.5 : f32
    %y = arith.select %allowed, %x, %none : f32
    attn.yield %y : f32
  }
  return %t : !S
}

// -----

!Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!S = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
!M = tensor<?x2x1x?x?xi1, #attn.dims<batch, 2, 1, query_len, kv_len>>

// What a kernel cannot fill in stays a part of the formula.
// CHECK-LABEL: func.func @masked_as_infinity(
// CHECK:         attn.kernel {{.*}} normalize #attn.dense<fill = -inf>
// CHECK:           arith.select
// CHECK:         } mask {
// CHECK:           %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      attn.yield %[[TRUE]] : i1
func.func @masked_as_infinity(%q: !Q, %k: !K) -> !S {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %m = attn.mask "bhgqk" : !M {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  %t = attn.map "bhgqk,bhgqk->bhgqk" (%s, %m) : (!S, !M) -> !S {
  ^bb0(%x: f32, %allowed: i1, %b: index, %h: index, %g: index, %i: index, %j: index):
    %none = arith.constant 0x7F800000 : f32
    %y = arith.select %allowed, %x, %none : f32
    attn.yield %y : f32
  }
  return %t : !S
}

// -----

!S = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// Scores that are no product of queries and keys have rows of one feature.
// CHECK-LABEL: func.func @no_product(
// CHECK-SAME:      %[[T:.*]]: tensor
// CHECK:         %[[Q:.*]] = attn.map "->bhgqd"() : () -> tensor<?x2x1x?x1xf32,
// CHECK:         %[[K:.*]] = attn.map "->bhkd"() : () -> tensor<?x2x?x1xf32,
// CHECK:         attn.kernel ins(%[[Q]], %[[K]] : {{.*}} normalize #attn.row<sum>
// CHECK:           attn.read %[[T]][%b, %h, %g, %q, %k]
func.func @no_product(%t: !S) -> !L {
  %s = attn.map "bhgqk->bhgqk" (%t) : (!S) -> !S {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %y = arith.mulf %x, %x : f32
    attn.yield %y : f32
  }
  %a = attn.reduce "bhgqk" over "k" #attn.row<sum> (%s) : (!S) -> (!L)
  return %a : !L
}

// -----

!Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!S = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// Of two normalisers that are multiplied one keeps its weights, for the kernel;
// of the other the largest score and the sum are rows that the formula reads.
// CHECK-LABEL: func.func @two_normalisers(
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize
// CHECK-NOT:     attn.normalize
// CHECK:         %[[L:.*]], %[[M:.*]] = attn.kernel {{.*}} normalize #attn.norm<shift = max, weight = exp, divide = sum>
// CHECK:         %[[W:.*]] = attn.map "bhgqk,bhgq,bhgq->bhgqk"(%{{.*}}, %[[M]], %[[L]])
// CHECK:         %[[G:.*]] = attn.map "bhgqk,bhgqk->bhgqk"(%[[P]], %[[W]])
// CHECK:         attn.contract "bhgqk,bhke->bhgqe"(%[[G]]
func.func @two_normalisers(%q: !Q, %k: !K, %v: !K) -> !Q {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %t = attn.map "bhgqk->bhgqk" (%s) : (!S) -> !S {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %y = arith.negf %x : f32
    attn.yield %y : f32
  }
  %r, %lse2 = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!S) -> (!S, !L)
  %w = attn.map "bhgqk,bhgqk->bhgqk" (%p, %r) : (!S, !S) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.mulf %x, %y : f32
    attn.yield %z : f32
  }
  %o = attn.contract "bhgqk,bhke->bhgqe" (%w, %v) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

!Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!S = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// The lse of a softmax that is a part of a formula is made of the same two rows.
// CHECK-LABEL: func.func @inner_lse(
// CHECK:         %[[SUM:.*]], %[[MAX:.*]] = attn.kernel
// CHECK:         %[[LSE:.*]] = attn.map "bhgq,bhgq->bhgq"(%[[MAX]], %[[SUM]])
// CHECK-NEXT:    ^bb0(%[[M:.*]]: f32, %[[L:.*]]: f32,
// CHECK:           %[[LOG:.*]] = math.log %[[L]] : f32
// CHECK:           arith.addf %[[M]], %[[LOG]] : f32
// CHECK:         return %{{.*}}, %[[LSE]]
func.func @inner_lse(%q: !Q, %k: !K, %v: !K) -> (!Q, !L) {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %w, %sum = attn.normalize "bhgqk" over "k" #attn.norm<shift = none, weight = identity, divide = none> (%p) : (!S) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%w, %v) : (!S, !K) -> !Q
  return %o, %lse : !Q, !L
}
