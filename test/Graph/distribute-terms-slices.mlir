// A bias of a product of which pieces are read, or that stands beside other
// features, is distributed like one of a whole product.
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' | FileCheck %s

!q = tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>
!y = tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>
!m = tensor<?x?x1024xf32, #attn.dims<batch, kv_len, 1024>>
!w = tensor<512x1024xf32>
!b = tensor<1024xf32>
!s = tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>
!l = tensor<?x?xf32, #attn.dims<batch, query_len>>

// Keys and values of one product: each with its piece of weights and bias.
// CHECK-LABEL: func.func @pieces(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: {{[^%]*}}%[[Y:[a-z0-9]+]]: {{[^%]*}}%[[W:[a-z0-9]+]]: {{[^%]*}}%[[BIAS:[a-z0-9]+]]:
// CHECK-DAG:     %[[BK:.*]] = attn.slice "c" %[[BIAS]] along "c"[0, 512]
// CHECK-DAG:     %[[BV:.*]] = attn.slice "c" %[[BIAS]] along "c"[512, 512]
// CHECK-DAG:     %[[WK:.*]] = attn.slice "cd" %[[W]] along "d"[0, 512]
// CHECK-DAG:     %[[WV:.*]] = attn.slice "cd" %[[W]] along "d"[512, 512]
// CHECK-DAG:     attn.contract {{.*}}(%[[Q]], %[[BK]])
// CHECK-DAG:     %[[QW:.*]] = attn.contract {{.*}}(%[[Q]], %[[WK]])
// CHECK:         attn.contract {{.*}}(%[[QW]], %[[Y]])
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize
// CHECK:         %[[PY:.*]] = attn.contract {{.*}}(%[[P]], %[[Y]])
// CHECK:         %[[O:.*]] = attn.contract {{.*}}(%[[PY]], %[[WV]])
// CHECK:         attn.map {{.*}}(%[[O]], %[[BV]], %{{.*}})
func.func @pieces(%q: !q, %y: !y, %w: !w, %bias: !b) -> !q attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %e = attn.contract "abc,cd->abd" (%y, %w) : (!y, !w) -> !m
  %m = attn.map "abc,c->abc" (%e, %bias) : (!m, !b) -> !m {
  ^bb0(%x: f32, %z: f32, %i: index, %j: index, %n: index):
    %sum = arith.addf %x, %z : f32
    attn.yield %sum : f32
  }
  %k = attn.slice "abc" %m along "c"[0, 512] : !m -> !y
  %v = attn.slice "abc" %m along "c"[512, 512] : !m -> !y
  %s = attn.contract "bqn,bkn->bqk" (%q, %k) : (!q, !y) -> !s
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  %o = attn.contract "bqk,bkn->bqn" (%p, %v) : (!s, !y) -> !q
  return %o : !q
}

// Many queries gain nothing: one product with one bias.
// CHECK-LABEL: func.func @keeps_pieces_of_many_queries(
// CHECK:         attn.contract "abc,cd->abd"(%{{.*}}, %{{.*}}) : ({{.*}}, tensor<512x1024xf32>)
// CHECK-NEXT:    attn.map "abc,c->abc"
// CHECK:         attn.slice {{.*}}[0, 512]
// CHECK:         attn.slice {{.*}}[512, 512]
// CHECK-NOT:     attn.slice
// CHECK:         return
func.func @keeps_pieces_of_many_queries(%q: !q, %y: !y, %w: !w, %bias: !b) -> !q attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %e = attn.contract "abc,cd->abd" (%y, %w) : (!y, !w) -> !m
  %m = attn.map "abc,c->abc" (%e, %bias) : (!m, !b) -> !m {
  ^bb0(%x: f32, %z: f32, %i: index, %j: index, %n: index):
    %sum = arith.addf %x, %z : f32
    attn.yield %sum : f32
  }
  %k = attn.slice "abc" %m along "c"[0, 512] : !m -> !y
  %v = attn.slice "abc" %m along "c"[512, 512] : !m -> !y
  %s = attn.contract "bqn,bkn->bqk" (%q, %k) : (!q, !y) -> !s
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  %o = attn.contract "bqk,bkn->bqn" (%p, %v) : (!s, !y) -> !q
  return %o : !q
}

// Nor is there a piece where the whole is read, too.
// CHECK-LABEL: func.func @keeps_what_is_read_whole(
// CHECK:         attn.map "abc,c->abc"
// CHECK:         %[[K:.*]] = attn.slice "abc"
// CHECK:         attn.contract "bqn,bkn->bqk"(%{{.*}}, %[[K]])
func.func @keeps_what_is_read_whole(%q: !q, %y: !y, %w: !w, %bias: !b) -> (!l, !m) attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %e = attn.contract "abc,cd->abd" (%y, %w) : (!y, !w) -> !m
  %m = attn.map "abc,c->abc" (%e, %bias) : (!m, !b) -> !m {
  ^bb0(%x: f32, %z: f32, %i: index, %j: index, %n: index):
    %sum = arith.addf %x, %z : f32
    attn.yield %sum : f32
  }
  %k = attn.slice "abc" %m along "c"[0, 512] : !m -> !y
  %s = attn.contract "bqn,bkn->bqk" (%q, %k) : (!q, !y) -> !s
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  return %lse, %m : !l, !m
}

!r = tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>
!t = tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
!qt = tensor<?x?x576xf32, #attn.dims<batch, query_len, 576>>
!yr = tensor<?x?x576xf32, #attn.dims<batch, kv_len, 576>>

// Beside features that have no bias there are zeros in its place.
// CHECK-LABEL: func.func @beside_features(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: {{[^%]*}}%[[T:[a-z0-9]+]]: {{[^%]*}}%[[Y:[a-z0-9]+]]: {{[^%]*}}%[[R:[a-z0-9]+]]: {{[^%]*}}%[[W:[a-z0-9]+]]: {{[^%]*}}%[[BIAS:[a-z0-9]+]]:
// CHECK:         %[[ZEROS:.*]] = attn.map "->d"() : () -> tensor<64xf32, #attn.dims<64>>
// CHECK:         %[[TERMS:.*]] = attn.concat "d,d->d" along "d"(%[[BIAS]], %[[ZEROS]])
// CHECK:         attn.contract {{.*}}(%{{.*}}, %[[TERMS]])
// CHECK:         %[[QW:.*]] = attn.contract {{.*}}(%[[Q]], %[[W]])
// CHECK-DAG:     %[[ROWS:.*]] = attn.concat {{.*}}(%[[QW]], %[[T]])
// CHECK-DAG:     %[[KEYS:.*]] = attn.concat {{.*}}(%[[Y]], %[[R]])
// CHECK:         attn.contract {{.*}}(%[[ROWS]], %[[KEYS]])
func.func @beside_features(%q: !q, %t: !t, %y: !y, %r: !r, %w: tensor<512x512xf32>, %bias: tensor<512xf32>) -> !l attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %e = attn.contract "bkm,mn->bkn" (%y, %w) : (!y, tensor<512x512xf32>) -> !y
  %m = attn.map "bkn,n->bkn" (%e, %bias) : (!y, tensor<512xf32>) -> !y {
  ^bb0(%x: f32, %z: f32, %i: index, %j: index, %n: index):
    %sum = arith.addf %x, %z : f32
    attn.yield %sum : f32
  }
  %k = attn.concat "bkd,bkd->bkd" along "d" (%m, %r) : (!y, !r) -> !yr
  %qt = attn.concat "bqd,bqd->bqd" along "d" (%q, %t) : (!q, !t) -> !qt
  %s = attn.contract "bqn,bkn->bqk" (%qt, %k) : (!qt, !yr) -> !s
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  return %lse : !l
}
