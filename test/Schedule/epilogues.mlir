// Maps in the blocks of the product that they read.
// RUN: attnc-opt %s --attn-select-schedule=cpu=x86-64-v4 -o %t && FileCheck %s --input-file %t

!x = tensor<?x768xf32, #attn.dims<rows, 768>>
!w = tensor<768x256xf32>
!y = tensor<?x256xf32, #attn.dims<rows, 256>>
!t = tensor<256x?xf32, #attn.dims<256, rows>>
!b = tensor<256xf32>

// A bias and a residual, whatever the order of the axes.
// CHECK-LABEL: func.func @adds
// CHECK: attn.contract {{.*}}form = dot, lanes = "e", rows = "q"
// CHECK: attn.map {{.*}}#attn.block<form = epilogue, lanes = "n", rows = "m", q = 64, k = 384, e = 288
func.func @adds(%X: !x, %W: !w, %B: !b, %R: !y) -> !t {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (!x, !w) -> !y
  %1 = attn.map "n,mn,mn->nm" (%B, %0, %R) : (!b, !y, !y) -> !t {
  ^bb0(%b: f32, %x: f32, %r: f32, %n: index, %m: index):
    %s = arith.addf %x, %b : f32
    %y = arith.addf %s, %r : f32
    attn.yield %y : f32
  }
  return %1 : !t
}

// Of two products the one that is made last; what that gives goes on to a map
// that rounded values keep apart.
// CHECK-LABEL: func.func @gates
// CHECK: attn.contract
// CHECK: attn.contract
// CHECK: attn.map "qe,qe->qe"{{.*}}form = epilogue, lanes = "e", rows = "q"
// CHECK: attn.map "qe->qe"{{.*}}form = epilogue, lanes = "e", rows = "q"
!h = tensor<?x256xf16, #attn.dims<rows, 256>>
func.func @gates(%X: !x, %W: !w, %V: !w) -> !h {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (!x, !w) -> !y
  %1 = attn.contract "qd,de->qe" (%X, %V) : (!x, !w) -> !y
  %2 = attn.map "qe,qe->qe" (%0, %1) : (!y, !y) -> !h {
  ^bb0(%x: f32, %g: f32, %q: index, %e: index):
    %y = arith.mulf %x, %g : f32
    attn.yield %y : f32
  }
  %3 = attn.map "qe->qe" (%2) : (!h) -> !h {
  ^bb0(%x: f32, %q: index, %e: index):
    %y = arith.mulf %x, %x : f32
    attn.yield %y : f32
  }
  return %3 : !h
}

// A product that someone else reads is stored, and so is one that the map
// spreads over another axis, or computes in a wider type.
// CHECK-LABEL: func.func @keeps_apart
// CHECK-NOT: epilogue
func.func @keeps_apart(%X: !x, %W: !w, %D: tensor<?x256xf64, #attn.dims<rows, 256>>) -> (!y, !y, tensor<4x?x256xf32, #attn.dims<4, rows, 256>>, !y) {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (!x, !w) -> !y
  %1 = attn.map "qe->qe" (%0) : (!y) -> !y {
  ^bb0(%x: f32, %q: index, %e: index):
    %y = arith.mulf %x, %x : f32
    attn.yield %y : f32
  }
  %2 = attn.contract "qd,de->qe" (%X, %W) : (!x, !w) -> !y
  %3 = attn.map "qe->hqe" (%2) : (!y) -> tensor<4x?x256xf32, #attn.dims<4, rows, 256>> {
  ^bb0(%x: f32, %h: index, %q: index, %e: index):
    %y = arith.mulf %x, %x : f32
    attn.yield %y : f32
  }
  %4 = attn.contract "qd,de->qe" (%X, %W) : (!x, !w) -> !y
  %5 = attn.map "qe,qe->qe" (%4, %D) : (!y, tensor<?x256xf64, #attn.dims<rows, 256>>) -> !y {
  ^bb0(%x: f64, %d: f64, %q: index, %e: index):
    %y = arith.mulf %x, %d : f64
    attn.yield %y : f64
  }
  return %0, %1, %3, %5 : !y, !y, tensor<4x?x256xf32, #attn.dims<4, rows, 256>>, !y
}
