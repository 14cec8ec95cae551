// Rows of 512 features go down to 8 for each of 8 heads. One query of each head
// reads the rows themselves instead, where heads are rows of one block: where
// neither keys nor values differ from head to head in the end. Else each head
// reads them anew, which takes longer than making all keys of 8 features.
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' -o /dev/null 2>&1 | FileCheck %s

!q = tensor<?x8x?x8xf32, #attn.dims<batch, 8, query_len, 8>>
!k1 = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!k8 = tensor<?x8x?x8xf32, #attn.dims<batch, 8, kv_len, 8>>
!y = tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>
!d = tensor<8x512x8xf32>
!s = tensor<?x8x?x?xf32, #attn.dims<batch, 8, query_len, kv_len>>
!l = tensor<?x8x?xf32, #attn.dims<batch, 8, query_len>>

// CHECK: :[[@LINE+5]]:{{.*}}; (weights arg2) arg3 {{.*}}; reordered [order]
func.func @values_beside_keys_of_all_heads(%q: !q, %k: !k1, %y: !y, %d: !d) -> !q attributes {attnc.expect = [{batch = 1 : i64, query_len = 1 : i64, kv_len = 1024 : i64}]} {
  %s = attn.contract "bhqd,bkd->bhqk" (%q, %k) : (!q, !k1) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  %v = attn.contract "bkm,hme->bhke" (%y, %d) : (!y, !d) -> !k8
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %v) : (!s, !k8) -> !q
  return %o : !q
}

// CHECK: :[[@LINE+5]]:{{.*}}: weights (arg2 arg3), in the order as written, {{.*}}; unchanged [order]
func.func @values_beside_keys_of_each_head(%q: !q, %k: !k8, %y: !y, %d: !d) -> !q attributes {attnc.expect = [{batch = 1 : i64, query_len = 1 : i64, kv_len = 1024 : i64}]} {
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!q, !k8) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  %v = attn.contract "bkm,hme->bhke" (%y, %d) : (!y, !d) -> !k8
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %v) : (!s, !k8) -> !q
  return %o : !q
}

// Keys of each head by a view, a constant factor and a concatenation.
// CHECK: :[[@LINE+8]]:{{.*}}: weights (arg3 arg4), in the order as written, {{.*}}; unchanged [order]
func.func @values_beside_keys_put_together(%q: !q, %k: tensor<?x?x32xf32, #attn.dims<batch, kv_len, 32>>, %r: tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>>, %y: !y, %d: !d) -> !q attributes {attnc.expect = [{batch = 1 : i64, query_len = 1 : i64, kv_len = 1024 : i64}]} {
  %kv = attn.view "bk(hc)->bhkc" %k : tensor<?x?x32xf32, #attn.dims<batch, kv_len, 32>> -> tensor<?x8x?x4xf32, #attn.dims<batch, 8, kv_len, 4>>
  %kk = attn.concat "bhkd,bkd->bhkd" along "d" (%kv, %r) : (tensor<?x8x?x4xf32, #attn.dims<batch, 8, kv_len, 4>>, tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>>) -> !k8
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %kk) : (!q, !k8) -> !s
  %t = attn.map "bhqk->bhqk" (%s) : (!s) -> !s {^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index): %u = math.tanh %x : f32 attn.yield %u : f32 }
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!s) -> (!s, !l)
  %v = attn.contract "bkm,hme->bhke" (%y, %d) : (!y, !d) -> !k8
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %v) : (!s, !k8) -> !q
  return %o : !q
}

// Keys that are made for each head of rows of all heads need not be.
// CHECK: :[[@LINE+7]]:{{.*}}; (weights arg3) arg4 {{.*}}; reordered [order]
// CHECK: :[[@LINE+3]]:{{.*}}; (arg0 arg2) arg1 {{.*}}; reordered [order]
func.func @both_made_for_each_head(%q: !q, %c: !y, %wk: !d, %y: !y, %d: !d) -> !q attributes {attnc.expect = [{batch = 1 : i64, query_len = 1 : i64, kv_len = 1024 : i64}]} {
  %k = attn.contract "bkm,hmd->bhkd" (%c, %wk) : (!y, !d) -> !k8
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!q, !k8) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  %v = attn.contract "bkm,hme->bhke" (%y, %d) : (!y, !d) -> !k8
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %v) : (!s, !k8) -> !q
  return %o : !q
}

// CHECK: :[[@LINE+3]]:{{.*}}: arg0 (arg1 arg2), in the order as written, {{.*}}; unchanged [order]
func.func @keys_beside_values_of_each_head(%q: !q, %y: !y, %d: !d, %v: !k8) -> !q attributes {attnc.expect = [{batch = 1 : i64, query_len = 1 : i64, kv_len = 1024 : i64}]} {
  %k = attn.contract "bkm,hmd->bhkd" (%y, %d) : (!y, !d) -> !k8
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!q, !k8) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %v) : (!s, !k8) -> !q
  return %o : !q
}

// CHECK: :[[@LINE+3]]:{{.*}}; (arg0 arg2) arg1 {{.*}}; reordered [order]
func.func @keys_beside_values_of_all_heads(%q: !q, %y: !y, %d: !d, %v: !k1) -> !q attributes {attnc.expect = [{batch = 1 : i64, query_len = 1 : i64, kv_len = 1024 : i64}]} {
  %k = attn.contract "bkm,hmd->bhkd" (%y, %d) : (!y, !d) -> !k8
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!q, !k8) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  %o = attn.contract "bhqk,bke->bhqe" (%p, %v) : (!s, !k1) -> !q
  return %o : !q
}
