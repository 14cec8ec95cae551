// Calls of linear attention with few keys get a function in quadratic form; the
// sums over features of the other one may be narrow.
// RUN: attnc-opt %s --split-input-file --pass-pipeline='builtin.module(attn-split-linear,func.func(attn-reorder-products))' 2>/dev/null | FileCheck %s

!q = tensor<?x64xf32, #attn.dims<query_len, 64>>
!k = tensor<?x64xf32, #attn.dims<kv_len, 64>>
!s = tensor<?x?xf32, #attn.dims<query_len, kv_len>>
!l = tensor<?xf32, #attn.dims<query_len>>

// Up to 64 * 64 / (64 + 64) keys the quadratic form is never more expensive.
// CHECK-LABEL: module
// CHECK-SAME:    cases = ["kv_len <= 32"], name = "split"
// CHECK-LABEL: func.func @split.case0(
// CHECK-SAME:    attnc.expect = [{border, kv_len = 32 : i64, query_len = 4096 : i64, weight = 5.000000e-01 : f64}]
// CHECK:         attn.normalize
// CHECK-LABEL: func.func @split(
// CHECK-SAME:    attnc.expect = [{kv_len = 4096 : i64, query_len = 4096 : i64}]
// CHECK:         attn.contract "qd,d->q"{{.*}} {attn.narrow_sums} : {{.*}} -> tensor<?xf64
// CHECK:         attn.contract "qd,de->qe"{{.*}} {attn.narrow_sums} : {{.*}} -> tensor<?x64xf64
module attributes {attnc.interface = [{name = "split", title = "t", spec = "s", sizes = [{name = "query_len"}, {name = "kv_len"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["query_len", "64"]}, {name = "K", role = "key", dtype = "f32", axes = ["kv_len", "64"]}, {name = "V", role = "value", dtype = "f32", axes = ["kv_len", "64"]}, {name = "O", role = "output", dtype = "f32", axes = ["query_len", "64"]}]}]} {
  func.func @split(%Q: !q, %K: !k, %V: !k) -> !q attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
    %f = attn.map "qd->qd" (%Q) : (!q) -> !q {
    ^bb0(%x: f32, %q: index, %d: index):
      %y = arith.mulf %x, %x : f32
      attn.yield %y : f32
    }
    %g = attn.map "kd->kd" (%K) : (!k) -> !k {
    ^bb0(%x: f32, %k: index, %d: index):
      %c = arith.constant 0.0 : f32
      %y = arith.maximumf %x, %c : f32
      attn.yield %y : f32
    }
    %s = attn.contract "qd,kd->qk" (%f, %g) : (!q, !k) -> !s
    %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = none, weight = identity, divide = sum> (%s) : (!s) -> (!s, !l)
    %o = attn.contract "qk,ke->qe" (%p, %V) : (!s, !k) -> !q
    return %o : !q
  }
}

// -----

!q = tensor<?x64xf32, #attn.dims<query_len, 64>>
!k = tensor<?x64xf32, #attn.dims<kv_len, 64>>
!s = tensor<?x?xf32, #attn.dims<query_len, kv_len>>
!l = tensor<?xf32, #attn.dims<query_len>>

// Features with signs keep sums of f64, for any number of keys.
// CHECK-LABEL: module
// CHECK-NOT:     cases
// CHECK-LABEL: func.func @signs(
// CHECK-NOT:     attn.narrow_sums
// CHECK:         return
module attributes {attnc.interface = [{name = "signs", title = "t", spec = "s", sizes = [{name = "query_len"}, {name = "kv_len"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["query_len", "64"]}, {name = "K", role = "key", dtype = "f32", axes = ["kv_len", "64"]}, {name = "V", role = "value", dtype = "f32", axes = ["kv_len", "64"]}, {name = "O", role = "output", dtype = "f32", axes = ["query_len", "64"]}]}]} {
  func.func @signs(%Q: !q, %K: !k, %V: !k) -> !q attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
    %s = attn.contract "qd,kd->qk" (%Q, %K) : (!q, !k) -> !s
    %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = none, weight = identity, divide = sum> (%s) : (!s) -> (!s, !l)
    %o = attn.contract "qk,ke->qe" (%p, %V) : (!s, !k) -> !q
    return %o : !q
  }
}

// -----

!q = tensor<?x64xbf16, #attn.dims<query_len, 64>>
!k = tensor<?x64xbf16, #attn.dims<kv_len, 64>>
!s = tensor<?x?xf32, #attn.dims<query_len, kv_len>>
!l = tensor<?xf32, #attn.dims<query_len>>

// A result of 16 bits hides the roundings of f32: no copy.
// CHECK-LABEL: module
// CHECK-NOT:     cases
// CHECK-LABEL: func.func @narrow(
// CHECK:         attn.contract "qd,de->qe"{{.*}} {attn.narrow_sums} :
module attributes {attnc.interface = [{name = "narrow", title = "t", spec = "s", sizes = [{name = "query_len"}, {name = "kv_len"}], tensors = [{name = "Q", role = "query", dtype = "bf16", axes = ["query_len", "64"]}, {name = "K", role = "key", dtype = "bf16", axes = ["kv_len", "64"]}, {name = "V", role = "value", dtype = "bf16", axes = ["kv_len", "64"]}, {name = "O", role = "output", dtype = "bf16", axes = ["query_len", "64"]}]}]} {
  func.func @narrow(%Q: !q, %K: !k, %V: !k) -> !q attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
    %f = attn.map "qd->qd" (%Q) : (!q) -> !q {
    ^bb0(%x: f32, %q: index, %d: index):
      %c = arith.constant 0.0 : f32
      %y = arith.maximumf %x, %c : f32
      attn.yield %y : f32
    }
    %g = attn.map "kd->kd" (%K) : (!k) -> !k {
    ^bb0(%x: f32, %k: index, %d: index):
      %c = arith.constant 0.0 : f32
      %y = arith.maximumf %x, %c : f32
      attn.yield %y : f32
    }
    %s = attn.contract "qd,kd->qk" (%f, %g) : (!q, !k) -> !s
    %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = none, weight = identity, divide = sum> (%s) : (!s) -> (!s, !l)
    %o = attn.contract "qk,ke->qe" (%p, %V) : (!s, !k) -> !q
    return %o : !q
  }
}
