// Products that sum over heads and features in the layout of one axis.
// RUN: attnc-opt %s --attn-select-schedule='cpu=x86-64-v4 schedule={row_axes = q}' -o %t && FileCheck %s --input-file %t
// RUN: attnc-opt %t --attn-verify-scheduled -o /dev/null
// RUN: attnc-opt %s --attn-select-schedule='cpu=x86-64-v4 schedule={row_axes = gq}' | FileCheck %s --check-prefix=ROWS
// RUN: attnc-opt %s --attn-select-schedule='cpu=sm_80 schedule={row_axes = q}' | FileCheck %s --check-prefix=GPU
// ROWS: row_axes = gq
// ROWS-NOT: attn.stored
// GPU-NOT: attn.stored
// RUN: sed 's/"bhgqe->bqhge" %\([a-z0-9_]*\) :/"bhgqe->bqhge" %\1 {attn.stored} :/' %t > %t.invalid
// RUN: not attnc-opt %t.invalid --attn-verify-scheduled -o /dev/null 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: has attn.stored, but its source must be the values of a kernel, through views, and have no other use

!q = tensor<1x2x4x?x64xf32, #attn.dims<1, 2, 4, rows, 64>>
!k = tensor<1x2x?x64xf32, #attn.dims<1, 2, rows, 64>>
!o = tensor<1x?x2x4x64xf32, #attn.dims<1, rows, 2, 4, 64>>
!w = tensor<512x256xf32>
!u = tensor<2x4x64x256xf32>
!y = tensor<1x?x256xf32, #attn.dims<1, rows, 256>>

// The kernel stores its values in the layout of the merged view, which the
// product reads as rows of a matrix.
// CHECK-LABEL: func.func @heads_and_features(
// CHECK-SAME:    %[[W:[a-z0-9]*]]: tensor<512x256xf32>
// CHECK:         %[[O:.*]], %{{.*}} = attn.kernel
// CHECK:         %[[V:.*]] = attn.view "bhgqe->bqhge" %[[O]] :
// CHECK:         %[[M:.*]] = attn.view "bqhge->bq(hge)" %[[V]] {attn.stored} : {{.*}} -> tensor<1x?x512xf32,
// CHECK:         attn.contract "bqh,hm->bqm"(%[[M]], %[[W]])
func.func @heads_and_features(%Q: !q, %K: !k, %V: !k, %W: !w) -> !y {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, tensor<1x2x4x?xf32, #attn.dims<1, 2, 4, rows>>) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {probabilities = f32, scale = 1.250000e-01 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
    %all = arith.constant true
    attn.yield %all : i1
  }
  %v = attn.view "bhgqe->bqhge" %o : !q -> !o
  %w = attn.view "(hge)m->hgem" %W : !w -> !u
  %y = attn.contract "bqhge,hgem->bqm" (%v, %w) : (!o, !u) -> !y
  return %y : !y
}

// A weight stored as [out, in] is transposed, without its views of heads.
// CHECK-LABEL: func.func @out_in(
// CHECK-SAME:    %[[W:[a-z0-9]*]]: tensor<256x512xf32>
// CHECK:         %[[M:.*]] = attn.view "bqhge->bq(hge)" %{{.*}} {attn.stored} :
// CHECK:         %[[T:.*]] = attn.view "mh->hm" %[[W]] : tensor<256x512xf32> -> tensor<512x256xf32,
// CHECK:         attn.contract "bqh,hm->bqm"(%[[M]], %[[T]]) {{.*}}form = dot
func.func @out_in(%Q: !q, %K: !k, %V: !k, %W: tensor<256x512xf32>) -> !y {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, tensor<1x2x4x?xf32, #attn.dims<1, 2, 4, rows>>) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {probabilities = f32, scale = 1.250000e-01 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
    %all = arith.constant true
    attn.yield %all : i1
  }
  %v = attn.view "bhgqe->bqhge" %o : !q -> !o
  %w = attn.view "m(hge)->hgem" %W : tensor<256x512xf32> -> !u
  %y = attn.contract "bqhge,hgem->bqm" (%v, %w) : (!o, !u) -> !y
  return %y : !y
}

// Another reader of the values needs their own layout.
// CHECK-LABEL: func.func @other_use(
// CHECK-NOT:     attn.stored
// CHECK:         attn.contract "bqhge,hgem->bqm"
// CHECK:         return
func.func @other_use(%Q: !q, %K: !k, %V: !k, %W: !w) -> (!y, !q) {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, tensor<1x2x4x?xf32, #attn.dims<1, 2, 4, rows>>) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {probabilities = f32, scale = 1.250000e-01 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
    %all = arith.constant true
    attn.yield %all : i1
  }
  %v = attn.view "bhgqe->bqhge" %o : !q -> !o
  %w = attn.view "(hge)m->hgem" %W : !w -> !u
  %y = attn.contract "bqhge,hgem->bqm" (%v, %w) : (!o, !u) -> !y
  return %y, %o : !y, !q
}

// Strides of the axes of this weight are known at run time only.
// CHECK-LABEL: func.func @weight_of_heads(
// CHECK-NOT:     attn.stored
// CHECK:         attn.contract "bqhge,hgem->bqm"
// CHECK:         return
func.func @weight_of_heads(%Q: !q, %K: !k, %V: !k, %U: !u) -> !y {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, tensor<1x2x4x?xf32, #attn.dims<1, 2, 4, rows>>) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {probabilities = f32, scale = 1.250000e-01 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
    %all = arith.constant true
    attn.yield %all : i1
  }
  %v = attn.view "bhgqe->bqhge" %o : !q -> !o
  %y = attn.contract "bqhge,hgem->bqm" (%v, %U) : (!o, !u) -> !y
  return %y : !y
}
