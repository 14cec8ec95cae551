// The sizes that a function is expected to have decide, and no others.
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' | FileCheck %s
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!x = tensor<?x64xf32, #attn.dims<query_len, 64>>
!k = tensor<?x64xf32, #attn.dims<kv_len, 64>>
!s = tensor<?x?xf32, #attn.dims<query_len, kv_len>>

// Long sequences: keys times values first.
// CHECK-LABEL: func.func @long(
// CHECK:         attn.contract "kd,ke->de"
func.func @long(%q: !x, %k: !k, %v: !k) -> !x attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %s = attn.contract "qd,kd->qk" (%q, %k) : (!x, !k) -> !s
  %o = attn.contract "qk,ke->qe" (%s, %v) : (!s, !k) -> !x
  return %o : !x
}

// CHECK-LABEL: func.func @short(
// CHECK:         attn.contract "qd,kd->qk"
func.func @short(%q: !x, %k: !k, %v: !k) -> !x attributes {attnc.expect = [{query_len = 16 : i64, kv_len = 16 : i64}]} {
  %s = attn.contract "qd,kd->qk" (%q, %k) : (!x, !k) -> !s
  %o = attn.contract "qk,ke->qe" (%s, %v) : (!s, !k) -> !x
  return %o : !x
}

// Both, and weights say what counts: short ones are 64/17 slower the other way,
// long ones 64 times.
// CHECK-LABEL: func.func @both(
// REMARK: remark: at kv_len = 16, query_len = 16 alone (arg0 arg1) arg2 takes 2.05e+03 cycles instead of 8.19e+03; a function that expects only these sizes would use it [order]
// CHECK:         attn.contract "kd,ke->de"
func.func @both(%q: !x, %k: !k, %v: !k) -> !x attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}, {query_len = 16 : i64, kv_len = 16 : i64}]} {
  %s = attn.contract "qd,kd->qk" (%q, %k) : (!x, !k) -> !s
  %o = attn.contract "qk,ke->qe" (%s, %v) : (!s, !k) -> !x
  return %o : !x
}

// CHECK-LABEL: func.func @mostly_short(
// CHECK:         attn.contract "qd,kd->qk"
func.func @mostly_short(%q: !x, %k: !k, %v: !k) -> !x attributes {attnc.expect = [{query_len = 128 : i64, kv_len = 128 : i64, weight = 0.001 : f64}, {query_len = 16 : i64, kv_len = 16 : i64, weight = 1.0 : f64}]} {
  %s = attn.contract "qd,kd->qk" (%q, %k) : (!x, !k) -> !s
  %o = attn.contract "qk,ke->qe" (%s, %v) : (!s, !k) -> !x
  return %o : !x
}

// The number of rows of a table is not expected to be anything.
!t = tensor<?x64xf32, #attn.dims<rows, 64>>
!u = tensor<?x?xf32, #attn.dims<query_len, rows>>
// CHECK-LABEL: func.func @does_not_guess(
// CHECK:         attn.contract "qd,kd->qk"
func.func @does_not_guess(%q: !x, %k: !t, %v: !t) -> !x attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %s = attn.contract "qd,kd->qk" (%q, %k) : (!x, !t) -> !u
  %o = attn.contract "qk,ke->qe" (%s, %v) : (!u, !t) -> !x
  return %o : !x
}

// Cheaper with one row of the table, dearer with many.
// CHECK-LABEL: func.func @does_not_guess_one(
// CHECK:         attn.contract "kd,ke->de"
// REMARK: remark: (arg0 arg1) arg2 would be cheaper at expect, but not at every rows, which expect does not list; unchanged [order]
func.func @does_not_guess_one(%q: !x, %k: !t, %v: !t) -> !x attributes {attnc.expect = [{query_len = 64 : i64, kv_len = 4096 : i64}]} {
  %s = attn.contract "kd,ke->de" (%k, %v) : (!t, !t) -> tensor<64x64xf32>
  %o = attn.contract "qd,de->qe" (%q, %s) : (!x, tensor<64x64xf32>) -> !x
  return %o : !x
}

// But here no number of rows matters.
// CHECK-LABEL: func.func @need_not_guess(
// CHECK:         attn.contract "qd,de->qe"
// CHECK:         attn.contract "qe,ke->qk"
func.func @need_not_guess(%q: !x, %k: tensor<64x64xf32>, %v: !t) -> !u attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %s = attn.contract "de,ke->kd" (%k, %v) : (tensor<64x64xf32>, !t) -> !t
  %o = attn.contract "qd,kd->qk" (%q, %s) : (!x, !t) -> !u
  return %o : !u
}
