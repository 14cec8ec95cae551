// A bias between two products becomes a product of its own where the products
// have a better order without it.
// RUN: attnc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(attn-reassociate))' | FileCheck %s
// RUN: attnc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(attn-reassociate))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!q = tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>
!y = tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>
!w = tensor<512x512xf32>
!b = tensor<512xf32>
!s = tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>
!l = tensor<?x?xf32, #attn.dims<batch, query_len>>

// q (y W + bias) is (q W) y + q bias, a number of the query; lse needs it.
// CHECK-LABEL: func.func @keys(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: {{[^%]*}}%[[Y:[a-z0-9]+]]: {{[^%]*}}%[[W:[a-z0-9]+]]: {{[^%]*}}%[[BIAS:[a-z0-9]+]]:
// CHECK:         %[[T:.*]] = attn.contract "bqn,n->bq"(%[[Q]], %[[BIAS]])
// CHECK:         %[[QW:.*]] = attn.contract "bqa,na->bqn"(%[[Q]], %[[W]])
// CHECK:         %[[P:.*]] = attn.contract "bqn,bkn->bqk"(%[[QW]], %[[Y]])
// CHECK:         %[[S:.*]] = attn.map "abc,ab->abc"(%[[P]], %[[T]])
// CHECK:           arith.addf
// CHECK:         attn.normalize {{.*}}(%[[S]])
// REMARK: remark: at kv_len = 4096, query_len = 1: products take {{[0-9.e+]+}} cycles with biases added to rows, {{[0-9.e+]+}} with separate products for biases; distributed [order]
func.func @keys(%q: !q, %y: !y, %w: !w, %bias: !b) -> !l attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %e = attn.contract "bkm,mn->bkn" (%y, %w) : (!y, !w) -> !y
  %k = attn.map "bkn,n->bkn" (%e, %bias) : (!y, !b) -> !y {
  ^bb0(%x: f32, %z: f32, %i: index, %j: index, %n: index):
    %sum = arith.addf %x, %z : f32
    attn.yield %sum : f32
  }
  %s = attn.contract "bqn,bkn->bqk" (%q, %k) : (!q, !y) -> !s
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  return %lse : !l
}

// Where nothing is gained the bias stays where it is.
// CHECK-LABEL: func.func @keeps_many_queries(
// CHECK:         attn.contract "bkm,mn->bkn"
// CHECK:         attn.map "bkn,n->bkn"
// CHECK:         attn.contract "bqn,bkn->bqk"
// CHECK-NOT:     attn.contract
// REMARK: remark: at kv_len = 4096, query_len = 4096: products take {{.*}}; unchanged [order]
func.func @keeps_many_queries(%q: !q, %y: !y, %w: !w, %bias: !b) -> !l attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %e = attn.contract "bkm,mn->bkn" (%y, %w) : (!y, !w) -> !y
  %k = attn.map "bkn,n->bkn" (%e, %bias) : (!y, !b) -> !y {
  ^bb0(%x: f32, %z: f32, %i: index, %j: index, %n: index):
    %sum = arith.addf %x, %z : f32
    attn.yield %sum : f32
  }
  %s = attn.contract "bqn,bkn->bqk" (%q, %k) : (!q, !y) -> !s
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  return %lse : !l
}

// Weights of a softmax add up to 1, or to 0 where a row has no key.
// CHECK-LABEL: func.func @values(
// CHECK-SAME:    %[[S:[a-z0-9]+]]: {{[^%]*}}%[[Y:[a-z0-9]+]]: {{[^%]*}}%[[W:[a-z0-9]+]]: {{[^%]*}}%[[BIAS:[a-z0-9]+]]:
// CHECK:         %[[P:.*]], %[[LSE:.*]] = attn.normalize
// CHECK:         %[[PY:.*]] = attn.contract "bqk,bkm->bqm"(%[[P]], %[[Y]])
// CHECK:         %[[PYW:.*]] = attn.contract "bqm,me->bqe"(%[[PY]], %[[W]])
// CHECK:         attn.map "abc,c,ab->abc"(%[[PYW]], %[[BIAS]], %[[LSE]])
// CHECK:         ^{{.*}}(%[[X:.*]]: f32, %[[Z:.*]]: f32, %[[ROW:.*]]: f32,
// CHECK:           %[[INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK:           %[[NONE:.*]] = arith.cmpf oeq, %[[ROW]], %[[INF]]
// CHECK:           %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:           %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:           %[[FACTOR:.*]] = arith.select %[[NONE]], %[[ZERO]], %[[ONE]]
// CHECK:           arith.mulf %[[Z]], %[[FACTOR]]
func.func @values(%s: !s, %y: !y, %w: !w, %bias: !b) -> !q attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  %e = attn.contract "bkm,me->bke" (%y, %w) : (!y, !w) -> !y
  %v = attn.map "bke,e->bke" (%e, %bias) : (!y, !b) -> !y {
  ^bb0(%x: f32, %z: f32, %i: index, %j: index, %n: index):
    %sum = arith.addf %x, %z : f32
    attn.yield %sum : f32
  }
  %o = attn.contract "bqk,bke->bqe" (%p, %v) : (!s, !y) -> !q
  return %o : !q
}

// A normaliser that does not divide knows the sum itself.
// CHECK-LABEL: func.func @sums_of_weights(
// CHECK:         %{{.*}}, %[[SUM:.*]] = attn.normalize
// CHECK:         attn.map "abc,c,ab->abc"(%{{.*}}, %{{.*}}, %[[SUM]])
// CHECK:         ^{{.*}}(%[[X:.*]]: f32, %[[Z:.*]]: f32, %[[ROW:.*]]: f32,
// CHECK-NOT:       arith.select
// CHECK:           arith.mulf %[[Z]], %[[ROW]]
func.func @sums_of_weights(%s: !s, %y: !y, %w: !w, %bias: !b) -> !q attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %p, %sum = attn.normalize "bqk" over "k" #attn.norm<shift = none, weight = identity, divide = none> (%s) : (!s) -> (!s, !l)
  %e = attn.contract "bkm,me->bke" (%y, %w) : (!y, !w) -> !y
  %v = attn.map "bke,e->bke" (%e, %bias) : (!y, !b) -> !y {
  ^bb0(%x: f32, %z: f32, %i: index, %j: index, %n: index):
    %biased = arith.addf %x, %z : f32
    attn.yield %biased : f32
  }
  %o = attn.contract "bqk,bke->bqe" (%p, %v) : (!s, !y) -> !q
  return %o : !q
}

// With a sink they add up to less, which the normaliser does not tell.
// CHECK-LABEL: func.func @keeps_values_beside_a_sink(
// CHECK:         attn.contract "bkm,me->bke"
// CHECK:         attn.map "bke,e->bke"
// CHECK:         attn.contract "bqk,bke->bqe"
func.func @keeps_values_beside_a_sink(%s: !s, %y: !y, %w: !w, %bias: !b) -> !q attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l) init {
  ^bb0(%i: index, %j: index):
    %sink = arith.constant 0.0 : f32
    attn.yield %sink : f32
  }
  %e = attn.contract "bkm,me->bke" (%y, %w) : (!y, !w) -> !y
  %v = attn.map "bke,e->bke" (%e, %bias) : (!y, !b) -> !y {
  ^bb0(%x: f32, %z: f32, %i: index, %j: index, %n: index):
    %sum = arith.addf %x, %z : f32
    attn.yield %sum : f32
  }
  %o = attn.contract "bqk,bke->bqe" (%p, %v) : (!s, !y) -> !q
  return %o : !q
}

// A term of each key is no bias: it has as many axes as the product.
// CHECK-LABEL: func.func @keeps_terms_of_keys(
// CHECK:         attn.contract "bkm,mn->bkn"
// CHECK:         attn.map "bkn,bkn->bkn"
// CHECK:         attn.contract "bqn,bkn->bqk"
func.func @keeps_terms_of_keys(%q: !q, %y: !y, %w: !w, %z: !y) -> !l attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %e = attn.contract "bkm,mn->bkn" (%y, %w) : (!y, !w) -> !y
  %k = attn.map "bkn,bkn->bkn" (%e, %z) : (!y, !y) -> !y {
  ^bb0(%x: f32, %t: f32, %i: index, %j: index, %n: index):
    %sum = arith.addf %x, %t : f32
    attn.yield %sum : f32
  }
  %s = attn.contract "bqn,bkn->bqk" (%q, %k) : (!q, !y) -> !s
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  return %lse : !l
}

// Nor is what is no sum: the bias is under a tanh.
// CHECK-LABEL: func.func @keeps_formulas(
// CHECK:         attn.contract "bkm,mn->bkn"
// CHECK:         attn.map "bkn,n->bkn"
// CHECK:         attn.contract "bqn,bkn->bqk"
func.func @keeps_formulas(%q: !q, %y: !y, %w: !w, %bias: !b) -> !l attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %e = attn.contract "bkm,mn->bkn" (%y, %w) : (!y, !w) -> !y
  %k = attn.map "bkn,n->bkn" (%e, %bias) : (!y, !b) -> !y {
  ^bb0(%x: f32, %z: f32, %i: index, %j: index, %n: index):
    %sum = arith.addf %x, %z : f32
    %t = math.tanh %sum : f32
    attn.yield %t : f32
  }
  %s = attn.contract "bqn,bkn->bqk" (%q, %k) : (!q, !y) -> !s
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  return %lse : !l
}
