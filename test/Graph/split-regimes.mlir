// A function of which no order of products is good at all sizes is copied.
// RUN: attnc-opt %s --split-input-file --pass-pipeline='builtin.module(attn-split-regimes)' 2>/dev/null | FileCheck %s
// RUN: attnc-opt %s --split-input-file --pass-pipeline='builtin.module(attn-split-regimes)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: attnc-opt %s --split-input-file --pass-pipeline='builtin.module(attn-split-regimes,func.func(attn-reassociate))' 2>/dev/null | FileCheck %s --check-prefix=ORDER

!x = tensor<?x64xf32, #attn.dims<query_len, 64>>
!k = tensor<?x64xf32, #attn.dims<kv_len, 64>>
!s = tensor<?x?xf32, #attn.dims<query_len, kv_len>>

// CHECK-LABEL: module
// CHECK-SAME:  cases = ["kv_len <= 33"], name = "few_or_many"
// CHECK:      func.func @few_or_many.case0(
// CHECK-SAME:   attnc.expect = [{kv_len = 16 : i64, query_len = 1024 : i64}, {border, kv_len = 33 : i64, query_len = 1024 : i64, weight = 5.000000e-01 : f64}]
// CHECK:      func.func @few_or_many(
// CHECK-SAME:   attnc.expect = [{kv_len = 4096 : i64, query_len = 1024 : i64}]
// REMARK: remark: at kv_len = 16, query_len = 1024: products take 1.31e+05 cycles in a separate order, used by calls with kv_len <= 33, instead of {{.*}} in a single order for all sizes [order]
// REMARK: remark: at kv_len = 4096, query_len = 1024: products take {{.*}} in a separate order, used by calls with all other sizes, instead of
// ORDER-LABEL: func.func @few_or_many.case0(
// ORDER:         attn.contract "qd,kd->qk"
// ORDER-LABEL: func.func @few_or_many(
// ORDER:         attn.contract "kd,ke->de"
module attributes {attnc.interface = [{name = "few_or_many", title = "t", spec = "s", sizes = [{name = "query_len"}, {name = "kv_len"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["query_len", "64"]}, {name = "K", role = "key", dtype = "f32", axes = ["kv_len", "64"]}, {name = "V", role = "value", dtype = "f32", axes = ["kv_len", "64"]}, {name = "O", role = "output", dtype = "f32", axes = ["query_len", "64"]}]}]} {
  func.func @few_or_many(%q: !x, %k: !k, %v: !k) -> !x attributes {attnc.expect = [{query_len = 1024 : i64, kv_len = 16 : i64}, {query_len = 1024 : i64, kv_len = 4096 : i64}]} {
    %s = attn.contract "qd,kd->qk" (%q, %k) : (!x, !k) -> !s
    %o = attn.contract "qk,ke->qe" (%s, %v) : (!s, !k) -> !x
    return %o : !x
  }
}

// -----

!x = tensor<?x64xf32, #attn.dims<query_len, 64>>
!k = tensor<?x64xf32, #attn.dims<kv_len, 64>>
!s = tensor<?x?xf32, #attn.dims<query_len, kv_len>>

// One order loses less than a tenth at each of these sizes.
// CHECK-LABEL: module
// CHECK-NOT:     cases
// CHECK-NOT:     func.func @near.case0
// CHECK:         func.func @near(
// CHECK-SAME:      attnc.expect = [{kv_len = 32 : i64, query_len = 1024 : i64}, {kv_len = 36 : i64, query_len = 1024 : i64}]
module attributes {attnc.interface = [{name = "near", title = "t", spec = "s", sizes = [{name = "query_len"}, {name = "kv_len"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["query_len", "64"]}, {name = "K", role = "key", dtype = "f32", axes = ["kv_len", "64"]}, {name = "V", role = "value", dtype = "f32", axes = ["kv_len", "64"]}, {name = "O", role = "output", dtype = "f32", axes = ["query_len", "64"]}]}]} {
  func.func @near(%q: !x, %k: !k, %v: !k) -> !x attributes {attnc.expect = [{query_len = 1024 : i64, kv_len = 32 : i64}, {query_len = 1024 : i64, kv_len = 36 : i64}]} {
    %s = attn.contract "qd,kd->qk" (%q, %k) : (!x, !k) -> !s
    %o = attn.contract "qk,ke->qe" (%s, %v) : (!s, !k) -> !x
    return %o : !x
  }
}

// -----

!x = tensor<?x64xf32, #attn.dims<query_len, 64>>
!k = tensor<?x64xf32, #attn.dims<kv_len, 64>>
!s = tensor<?x?xf32, #attn.dims<query_len, kv_len>>

// Nobody could choose at the call.
// CHECK-LABEL: module
// CHECK-NOT:     func.func @alone.case0
// CHECK:         func.func @alone(
func.func @alone(%q: !x, %k: !k, %v: !k) -> !x attributes {attnc.expect = [{query_len = 1024 : i64, kv_len = 16 : i64}, {query_len = 1024 : i64, kv_len = 4096 : i64}]} {
  %s = attn.contract "qd,kd->qk" (%q, %k) : (!x, !k) -> !s
  %o = attn.contract "qk,ke->qe" (%s, %v) : (!s, !k) -> !x
  return %o : !x
}
