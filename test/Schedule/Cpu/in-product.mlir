// Maps and products with vectors in the blocks of a product of matrices.
// RUN: attnc-opt %s --attn-select-schedule=cpu=x86-64-v4 -o %t && FileCheck %s --input-file %t
// RUN: attnc-opt %t --attn-verify-scheduled -o /dev/null
// RUN: attnc-opt %s --attn-select-schedule=cpu=sm_90a | FileCheck %s --check-prefix=GPU

!q = tensor<?x64xf32, #attn.dims<rows, 64>>
!l = tensor<?xf64, #attn.dims<rows>>
!n = tensor<?x32xf64, #attn.dims<rows, 32>>

// The lanes run along the rows of the operand that the map makes; the
// quotient is an epilogue.
// GPU-NOT:     attn.in_product
// CHECK-LABEL: func.func @divides(
// CHECK:         %[[F:.*]] = attn.map "qd->qd"(%{{.*}} attributes {attn.in_product} {
// CHECK:         %[[L:.*]] = attn.contract "qd,d->q"(%[[F]], %{{[^ ]*}}) {attn.in_product} :
// CHECK:         attn.contract "qd,de->qe"(%[[F]], %{{.*}}) {attn.block = #attn.block<form = dot, lanes = "q", rows = "e",
// CHECK:         attn.map "qe,q->qe"(%{{.*}}, %[[L]]) {{.*}}form = epilogue, lanes = "q", rows = "e"
func.func @divides(%Q: !q, %S: tensor<64x32xf64>, %Z: tensor<64xf64>) -> !n {
  %f = attn.map "qd->qd" (%Q) : (!q) -> !q {
  ^bb0(%x: f32, %q: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %l = attn.contract "qd,d->q" (%f, %Z) : (!q, tensor<64xf64>) -> !l
  %n = attn.contract "qd,de->qe" (%f, %S) : (!q, tensor<64x32xf64>) -> !n
  %o = attn.map "qe,q->qe" (%n, %l) : (!n, !l) -> !n {
  ^bb0(%x: f64, %y: f64, %q: index, %e: index):
    %z = arith.divf %x, %y : f64
    attn.yield %z : f64
  }
  return %o : !n
}

// A map with another reader is stored, and the product with the vector still
// belongs to the other one.
// CHECK-LABEL: func.func @stores_what_others_read(
// CHECK:         attn.map "qd->qd"{{.*}}form = element
// CHECK:         attn.contract "qd,d->q"{{.*}}{attn.in_product}
// CHECK:         attn.contract "qd,de->qe"{{.*}}lanes = "q", rows = "e"
func.func @stores_what_others_read(%Q: !q, %S: tensor<64x32xf64>, %Z: tensor<64xf64>) -> (!q, !l, !n) {
  %f = attn.map "qd->qd" (%Q) : (!q) -> !q {
  ^bb0(%x: f32, %q: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %l = attn.contract "qd,d->q" (%f, %Z) : (!q, tensor<64xf64>) -> !l
  %n = attn.contract "qd,de->qe" (%f, %S) : (!q, tensor<64x32xf64>) -> !n
  return %f, %l, %n : !q, !l, !n
}

// Not where a product has more rows than a block, where its companion is read
// before it, or where it has a mask.
// CHECK-LABEL: func.func @keeps_apart(
// CHECK-NOT:     attn.in_product
// CHECK:         return
func.func @keeps_apart(%Q: !q, %S: tensor<64x32xf64>, %W: tensor<64x289xf64>, %Z: tensor<64xf64>, %M: tensor<?x64xi1, #attn.dims<rows, 64>>) -> (tensor<?x289xf64, #attn.dims<rows, 289>>, !l, !l, !n, !l, !n) {
  %f = attn.map "qd->qd" (%Q) : (!q) -> !q {
  ^bb0(%x: f32, %q: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %l = attn.contract "qd,d->q" (%f, %Z) : (!q, tensor<64xf64>) -> !l
  %w = attn.contract "qd,de->qe" (%f, %W) : (!q, tensor<64x289xf64>) -> tensor<?x289xf64, #attn.dims<rows, 289>>
  %g = attn.map "qd->qd" (%Q) : (!q) -> !q {
  ^bb0(%x: f32, %q: index, %d: index):
    %y = math.sin %x : f32
    attn.yield %y : f32
  }
  %k = attn.contract "qd,d->q" (%g, %Z) : (!q, tensor<64xf64>) -> !l
  %j = attn.map "q->q" (%k) : (!l) -> !l {
  ^bb0(%x: f64, %q: index):
    %y = math.exp %x : f64
    attn.yield %y : f64
  }
  %n = attn.contract "qd,de->qe" (%g, %S) : (!q, tensor<64x32xf64>) -> !n
  %h = attn.contract "qd,d->q" (%Q, %Z) : (!q, tensor<64xf64>) -> !l
  %m = attn.contract "qd,de->qe" (%Q, %S) where "qd" (%M) : (!q, tensor<64x32xf64>, tensor<?x64xi1, #attn.dims<rows, 64>>) -> !n
  return %w, %l, %j, %n, %h, %m : tensor<?x289xf64, #attn.dims<rows, 289>>, !l, !l, !n, !l, !n
}

// Sums that may be narrow are of f32; their readers get them widened.
// CHECK-LABEL: func.func @narrows(
// CHECK:         %[[Z:.*]] = attn.contract "kd,k->d"{{.*}} {attn.compensated, attn.in_product} : {{.*}} -> tensor<64xf32>
// CHECK:         %[[S:.*]] = attn.contract "kd,ke->de"{{.*}} {attn.block = {{.*}}lanes = "d", rows = "e", q = 64, k = 128, {{.*}}, attn.compensated} : {{.*}} -> tensor<64x32xf32>
// CHECK:         attn.map "de->de"(%[[S]]) : (tensor<64x32xf32>) -> tensor<64x32xf64>
// CHECK:         attn.map "d->d"(%[[Z]]) : (tensor<64xf32>) -> tensor<64xf64>
// GPU:           attn.contract "kd,ke->de"{{.*}}attn.narrow_sums
// GPU-SAME:      tensor<64x32xf64>
func.func @narrows(%K: !q, %V: tensor<?x32xf32, #attn.dims<rows, 32>>, %one: tensor<?xf32, #attn.dims<rows>>) -> (tensor<64xf64>, tensor<64x32xf64>) {
  %f = attn.map "kd->kd" (%K) : (!q) -> !q {
  ^bb0(%x: f32, %k: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %z = attn.contract "kd,k->d" (%f, %one) {attn.narrow_sums} : (!q, tensor<?xf32, #attn.dims<rows>>) -> tensor<64xf64>
  %s = attn.contract "kd,ke->de" (%f, %V) {attn.narrow_sums} : (!q, tensor<?x32xf32, #attn.dims<rows, 32>>) -> tensor<64x32xf64>
  return %z, %s : tensor<64xf64>, tensor<64x32xf64>
}
