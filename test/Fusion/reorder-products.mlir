// Linear attention without a mask: keys times values first.
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reorder-products))' | FileCheck %s
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reorder-products))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!q = tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
!k = tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>
!s = tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>
!l = tensor<?x?xf32, #attn.dims<batch, query_len>>
!m = tensor<?x?x?xi1, #attn.dims<batch, query_len, kv_len>>

// CHECK-LABEL: func.func @sums_over_keys_first(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: {{[^%]*}}%[[K:[a-z0-9]+]]: {{[^%]*}}%[[V:[a-z0-9]+]]:
// CHECK:         %[[ONES:.*]] = attn.map "->k"()
// CHECK:         %[[Z:.*]] = attn.contract "bkd,k->bd"(%[[K]], %[[ONES]]) : {{.*}} -> tensor<?x64xf64
// CHECK:         %[[KV:.*]] = attn.contract "bkd,bke->bde"(%[[K]], %[[V]]) : {{.*}} -> tensor<?x64x64xf64
// CHECK:         %[[L:.*]] = attn.contract "bqd,bd->bq"(%[[Q]], %[[Z]])
// CHECK:         %[[N:.*]] = attn.contract "bqd,bde->bqe"(%[[Q]], %[[KV]]) : {{.*}} -> tensor<?x?x64xf64
// CHECK:         %[[O:.*]] = attn.map "bqe,bq->bqe"(%[[N]], %[[L]])
// CHECK:           arith.divf
// CHECK:           arith.mulf
// CHECK:           arith.select
// CHECK-NOT:     attn.normalize
// CHECK:         return %[[O]]
// REMARK: remark: scores are products of features: multiplying keys by values first takes 8.39e+06 multiply-adds, the quadratic form 1.34e+08; reordered [kernel]
func.func @sums_over_keys_first(%Q: !q, %K: !k, %V: !k) -> !q {
  %s = attn.contract "bqd,bkd->bqk" (%Q, %K) : (!q, !k) -> !s
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = none, weight = identity, divide = sum> (%s) : (!s) -> (!s, !l)
  %o = attn.contract "bqk,bke->bqe" (%p, %V) : (!s, !k) -> !q
  return %o : !q
}

// Features that are not negative, a square and elu(x) + 1 of keys: sums over keys
// may be narrow, those over features not. Of features that may be negative, or
// are exponentials, none.
// CHECK-LABEL: func.func @allows_narrow_sums(
// CHECK:         attn.contract "bkd,k->bd"{{.*}} {attn.narrow_sums} :
// CHECK:         attn.contract "bkd,bke->bde"{{.*}} {attn.narrow_sums} :
// CHECK:         attn.contract "bqd,bd->bq"(%{{[^{]*}}) :
// CHECK:         attn.contract "bqd,bde->bqe"(%{{[^{]*}}) :
// CHECK-NOT:     attn.narrow_sums
func.func @allows_narrow_sums(%Q: !q, %K: !k, %V: !k) -> (!q, !q, !q) {
  %f = attn.map "bqd->bqd" (%Q) : (!q) -> !q {
  ^bb0(%x: f32, %b: index, %q: index, %d: index):
    %y = arith.mulf %x, %x : f32
    attn.yield %y : f32
  }
  %g = attn.map "bkd->bkd" (%K) : (!k) -> !k {
  ^bb0(%x: f32, %b: index, %k: index, %d: index):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %c = arith.cmpf ogt, %x, %zero : f32
    %e = math.expm1 %x : f32
    %s = arith.select %c, %x, %e : f32
    %y = arith.addf %s, %one : f32
    attn.yield %y : f32
  }
  %s = attn.contract "bqd,bkd->bqk" (%f, %g) : (!q, !k) -> !s
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = none, weight = identity, divide = sum> (%s) : (!s) -> (!s, !l)
  %o = attn.contract "bqk,bke->bqe" (%p, %V) : (!s, !k) -> !q
  %h = attn.map "bkd->bkd" (%g) : (!k) -> !k {
  ^bb0(%x: f32, %b: index, %k: index, %d: index):
    %y = arith.negf %x : f32
    attn.yield %y : f32
  }
  %s1 = attn.contract "bqd,bkd->bqk" (%f, %h) : (!q, !k) -> !s
  %p1, %lse1 = attn.normalize "bqk" over "k" #attn.norm<shift = none, weight = identity, divide = sum> (%s1) : (!s) -> (!s, !l)
  %o1 = attn.contract "bqk,bke->bqe" (%p1, %V) : (!s, !k) -> !q
  %e = attn.map "bkd->bkd" (%K) : (!k) -> !k {
  ^bb0(%x: f32, %b: index, %k: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %s2 = attn.contract "bqd,bkd->bqk" (%f, %e) : (!q, !k) -> !s
  %p2, %lse2 = attn.normalize "bqk" over "k" #attn.norm<shift = none, weight = identity, divide = sum> (%s2) : (!s) -> (!s, !l)
  %o2 = attn.contract "bqk,bke->bqe" (%p2, %V) : (!s, !k) -> !q
  return %o, %o1, %o2 : !q, !q, !q
}

// What multiplies the score belongs to the query or to the key.
// CHECK-LABEL: func.func @takes_factors_along(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: {{[^%]*}}%[[K:[a-z0-9]+]]:
// CHECK:         %[[FQ:.*]] = attn.map "bqd->bqd"(%[[Q]])
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %{{.*}}: index, %[[I:.*]]: index, %{{.*}}: index):
// CHECK:           attn.read %{{.*}}[%[[I]]]
// CHECK:           arith.divf %[[X]]
// CHECK:         %[[FK:.*]] = attn.map "bkd->bkd"(%[[K]])
// CHECK:           arith.mulf
// CHECK:         attn.contract "bkd,bke->bde"(%[[FK]],
// CHECK:         attn.contract "bqd,bde->bqe"(%[[FQ]],
func.func @takes_factors_along(%Q: !q, %K: !k, %V: !k, %a: tensor<?xf32, #attn.dims<query_len>>, %c: tensor<?xf32, #attn.dims<kv_len>>) -> !q {
  %s = attn.contract "bqd,bkd->bqk" (%Q, %K) : (!q, !k) -> !s
  %t = attn.map "bqk->bqk" (%s) : (!s) -> !s {
  ^bb0(%x: f32, %b: index, %q: index, %k: index):
    %y = attn.read %a[%q] : tensor<?xf32, #attn.dims<query_len>> -> f32
    %z = attn.read %c[%k] : tensor<?xf32, #attn.dims<kv_len>> -> f32
    %0 = arith.mulf %z, %x : f32
    %1 = arith.divf %0, %y : f32
    attn.yield %1 : f32
  }
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = none, weight = identity, divide = none> (%t) : (!s) -> (!s, !l)
  %o = attn.contract "bqk,bke->bqe" (%p, %V) : (!s, !k) -> !q
  return %o : !q
}

// CHECK-LABEL: func.func @keeps_a_mask(
// CHECK:         attn.normalize
func.func @keeps_a_mask(%Q: !q, %K: !k, %V: !k) -> !q {
  %s = attn.contract "bqd,bkd->bqk" (%Q, %K) : (!q, !k) -> !s
  %m = attn.mask "bqk" : !m {
  ^bb0(%b: index, %q: index, %k: index):
    %c = arith.cmpi sle, %k, %q : index
    attn.yield %c : i1
  }
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = none, weight = identity, divide = sum> (%s) where (%m) : (!s, !m) -> (!s, !l)
  %o = attn.contract "bqk,bke->bqe" (%p, %V) where "bqk" (%m) : (!s, !k, !m) -> !q
  return %o : !q
}

// CHECK-LABEL: func.func @keeps_softmax(
// CHECK:         attn.normalize
func.func @keeps_softmax(%Q: !q, %K: !k, %V: !k) -> !q {
  %s = attn.contract "bqd,bkd->bqk" (%Q, %K) : (!q, !k) -> !s
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  %o = attn.contract "bqk,bke->bqe" (%p, %V) : (!s, !k) -> !q
  return %o : !q
}

// A factor of both, and a function of the product.
// CHECK-LABEL: func.func @keeps_what_is_no_product(
// CHECK:         attn.normalize
// CHECK:         attn.normalize
func.func @keeps_what_is_no_product(%Q: !q, %K: !k, %V: !k) -> (!q, !q) {
  %s = attn.contract "bqd,bkd->bqk" (%Q, %K) : (!q, !k) -> !s
  %t = attn.map "bqk->bqk" (%s) : (!s) -> !s {
  ^bb0(%x: f32, %b: index, %q: index, %k: index):
    %d = arith.subi %q, %k : index
    %i = arith.index_cast %d : index to i64
    %f = arith.sitofp %i : i64 to f32
    %y = arith.mulf %x, %f : f32
    attn.yield %y : f32
  }
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = none, weight = identity, divide = sum> (%t) : (!s) -> (!s, !l)
  %o = attn.contract "bqk,bke->bqe" (%p, %V) : (!s, !k) -> !q
  %u = attn.map "bqk->bqk" (%s) : (!s) -> !s {
  ^bb0(%x: f32, %b: index, %q: index, %k: index):
    %y = math.tanh %x : f32
    attn.yield %y : f32
  }
  %p2, %lse2 = attn.normalize "bqk" over "k" #attn.norm<shift = none, weight = identity, divide = sum> (%u) : (!s) -> (!s, !l)
  %o2 = attn.contract "bqk,bke->bqe" (%p2, %V) : (!s, !k) -> !q
  return %o, %o2 : !q, !q
}

// CHECK-LABEL: func.func @keeps_short_sequences(
// CHECK:         attn.normalize
// REMARK: remark: {{.*}} multiplying keys by values first takes 6.55e+04 multiply-adds, the quadratic form 8.19e+03; unchanged [kernel]
func.func @keeps_short_sequences(%Q: !q, %K: !k, %V: !k) -> !q attributes {attnc.expect = [{batch = 1 : i64, query_len = 8 : i64, kv_len = 8 : i64}]} {
  %s = attn.contract "bqd,bkd->bqk" (%Q, %K) : (!q, !k) -> !s
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = none, weight = identity, divide = sum> (%s) : (!s) -> (!s, !l)
  %o = attn.contract "bqk,bke->bqe" (%p, %V) : (!s, !k) -> !q
  return %o : !q
}

// In f64 sums have no wider type: values are measured from their mean.
!dq = tensor<?x?x64xf64, #attn.dims<batch, query_len, 64>>
!dk = tensor<?x?x64xf64, #attn.dims<batch, kv_len, 64>>
!ds = tensor<?x?x?xf64, #attn.dims<batch, query_len, kv_len>>
!dl = tensor<?x?xf64, #attn.dims<batch, query_len>>

// CHECK-LABEL: func.func @measures_values_from_their_mean(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: {{[^%]*}}%[[K:[a-z0-9]+]]: {{[^%]*}}%[[V:[a-z0-9]+]]:
// CHECK:         %[[SUM:.*]] = attn.contract "bke,k->be"(%[[V]],
// CHECK:         %[[COUNT:.*]] = attn.contract "k,k->"
// CHECK:         %[[MEAN:.*]] = attn.map "be,->be"(%[[SUM]], %[[COUNT]]) : {{.*}} -> tensor<?x64xbf16
// CHECK:         %[[W:.*]] = attn.map "bke,be->bke"(%[[V]], %[[MEAN]])
// CHECK:           arith.subf
// CHECK:         %[[KV:.*]] = attn.contract "bkd,bke->bde"(%[[K]], %[[W]])
// CHECK:         %[[N:.*]] = attn.contract "bqd,bde->bqe"(%[[Q]], %[[KV]])
// CHECK:         attn.map "bqe,bq,be->bqe"(%[[N]], %{{.*}}, %[[MEAN]])
// CHECK:           arith.divf
// CHECK:           arith.addf
func.func @measures_values_from_their_mean(%Q: !dq, %K: !dk, %V: !dk) -> !dq {
  %s = attn.contract "bqd,bkd->bqk" (%Q, %K) : (!dq, !dk) -> !ds
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = none, weight = identity, divide = sum> (%s) : (!ds) -> (!ds, !dl)
  %o = attn.contract "bqk,bke->bqe" (%p, %V) : (!ds, !dk) -> !dq
  return %o : !dq
}

// Weights that are not divided by their sum do not add up to 1.
// CHECK-LABEL: func.func @measures_other_values_from_0(
// CHECK-NOT:     bf16
// CHECK:         return
func.func @measures_other_values_from_0(%Q: !dq, %K: !dk, %V: !dk) -> !dq {
  %s = attn.contract "bqd,bkd->bqk" (%Q, %K) : (!dq, !dk) -> !ds
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = none, weight = identity, divide = none> (%s) : (!ds) -> (!ds, !dl)
  %o = attn.contract "bqk,bke->bqe" (%p, %V) : (!ds, !dk) -> !dq
  return %o : !dq
}
