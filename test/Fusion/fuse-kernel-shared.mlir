// Weights that several products with values read: a kernel each, which computes
// them again. Not where anything else reads them.
// RUN: attnc-opt %s --attn-fuse-kernel --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @two_values(
// CHECK-NOT:     attn.contract
// CHECK:         attn.kernel
// CHECK-NOT:     attn.contract
// CHECK:         attn.kernel
// CHECK-NOT:     attn.contract
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!L = tensor<2x3x4xf32>
func.func @two_values(%q: !Q, %k: !K, %v: !K) -> (!Q, !Q) {
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !K) -> !S
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !K) -> !Q
  %u = attn.contract "bhqk,bhke->bhqe" (%p, %v) : (!S, !K) -> !Q
  return %o, %u : !Q, !Q
}

// -----

// Through views of the scores, and where one product multiplies the weights.
// CHECK-LABEL: func.func @views_and_factors(
// CHECK-NOT:     attn.contract
// CHECK:         attn.kernel
// CHECK-NOT:     attn.contract
// CHECK:         attn.kernel
// CHECK:         gate {
// CHECK-NOT:     attn.contract
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!P = tensor<3x2x4x5xf32>
!L = tensor<3x2x4xf32>
func.func @views_and_factors(%q: !Q, %k: !K, %v: !K) -> (!Q, !Q) {
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !K) -> !S
  %t = attn.view "bhqk->hbqk" %s : !S -> !P
  %p, %lse = attn.normalize "hbqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!P) -> (!P, !L)
  %o = attn.contract "hbqk,bhke->bhqe" (%p, %k) : (!P, !K) -> !Q
  %g = attn.map "hbqk,bhqk->hbqk" (%p, %s) : (!P, !S) -> !P {
  ^bb0(%x: f32, %y: f32, %h: index, %b: index, %i: index, %j: index):
    %z = arith.mulf %x, %y : f32
    attn.yield %z : f32
  }
  %u = attn.contract "hbqk,bhke->bhqe" (%g, %v) : (!P, !K) -> !Q
  return %o, %u : !Q, !Q
}

// -----

// CHECK-LABEL: func.func @also_a_result(
// CHECK-NOT:     attn.kernel
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!L = tensor<2x3x4xf32>
func.func @also_a_result(%q: !Q, %k: !K, %v: !K) -> (!Q, !Q, !S) {
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !K) -> !S
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !K) -> !Q
  %u = attn.contract "bhqk,bhke->bhqe" (%p, %v) : (!S, !K) -> !Q
  return %o, %u, %p : !Q, !Q, !S
}
