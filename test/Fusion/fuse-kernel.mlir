// RUN: attnc-opt %s --attn-fuse-kernel --split-input-file | FileCheck %s

// Score, mask, sink and both products become one op; lse comes with it.
!Q = tensor<?x16x?x64xbf16, #attn.dims<batch, 16, query_len, 64>>
!K = tensor<?x8x?x64xbf16, #attn.dims<batch, 8, kv_len, 64>>
!V = tensor<?x8x?x80xbf16, #attn.dims<batch, 8, kv_len, 80>>
!q = tensor<?x8x2x?x64xbf16, #attn.dims<batch, 8, 2, query_len, 64>>
!S = tensor<?x8x2x?x?xf32, #attn.dims<batch, 8, 2, query_len, kv_len>>
!M = tensor<?x8x2x?x?xi1, #attn.dims<batch, 8, 2, query_len, kv_len>>
!P = tensor<?x8x2x?x?xbf16, #attn.dims<batch, 8, 2, query_len, kv_len>>
!L = tensor<?x8x2x?xf32, #attn.dims<batch, 8, 2, query_len>>
!o = tensor<?x8x2x?x80xbf16, #attn.dims<batch, 8, 2, query_len, 80>>
// CHECK-LABEL: func.func @grouped_heads(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^%]*}}%[[K:[a-z0-9]+]]: {{[^%]*}}%[[V:[a-z0-9]+]]: {{[^%]*}}%[[B:[a-z0-9]+]]: tensor<16xf32>
func.func @grouped_heads(%Q: !Q, %K: !K, %V: !V, %sink: tensor<16xf32>) -> (!o, !L) {
  // CHECK-NEXT: %[[q:.*]] = attn.view "b(hg)qd->bhgqd" %[[Q]]
  %q = attn.view "b(hg)qd->bhgqd" %Q : !Q -> !q
  // CHECK-NEXT: %o, %lse = attn.kernel ins(%[[q]], %[[K]], %[[V]] : {{.*}}) -> (tensor<?x8x2x?x80xbf16, #attn.dims<batch, 8, 2, query_len, 80>>, tensor<?x8x2x?xf32, #attn.dims<batch, 8, 2, query_len>>)
  // CHECK-SAME: normalize #attn.norm<shift = max, weight = exp, divide = sum>
  // CHECK-SAME: attributes {probabilities = bf16, scale = 1.000000e+00 : f64} score {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %K) : (!q, !K) -> !S
  // CHECK-NEXT: ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
  // CHECK-NEXT:   %[[Y:.*]] = math.tanh %x : f32
  // CHECK-NEXT:   attn.yield %[[Y]] : f32
  %t = attn.map "bhgqk->bhgqk" (%s) : (!S) -> !S {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %y = math.tanh %x : f32
    attn.yield %y : f32
  }
  // CHECK-NEXT: } mask {
  // CHECK-NEXT: ^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
  // CHECK-NEXT:   %[[C:.*]] = arith.cmpi sle, %k, %q : index
  // CHECK-NEXT:   attn.yield %[[C]] : i1
  %m = attn.mask "bhgqk" : !M {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  // CHECK-NEXT: } init {
  // CHECK-NEXT: ^bb0(%b: index, %h: index, %g: index, %q: index):
  // CHECK-NEXT:   %[[S:.*]] = attn.read %[[B]][%h] : tensor<16xf32> -> f32
  // CHECK-NEXT:   attn.yield %[[S]] : f32
  // CHECK-NEXT: }
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) where (%m) : (!S, !M) -> (!P, !L) init {
  ^bb0(%b: index, %h: index, %g: index, %i: index):
    %x = attn.read %sink[%h] : tensor<16xf32> -> f32
    attn.yield %x : f32
  }
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %V) where "bhgqk" (%m) : (!P, !V, !M) -> !o
  // CHECK-NEXT: return %o, %lse
  return %o, %lse : !o, !L
}

// -----

// No batch, no groups, other orders of axes, other letters, the weights on the
// right: axes are known by which tensors have them. A further input of the
// formula is read.
!Q = tensor<?x32x4xf32, #attn.dims<query_len, 32, 4>>
!K = tensor<4x?x32xf32, #attn.dims<4, kv_len, 32>>
!S = tensor<?x4x?xf32, #attn.dims<kv_len, 4, query_len>>
!P = tensor<4x?x?xf32, #attn.dims<4, kv_len, query_len>>
!B = tensor<?x4xf16, #attn.dims<kv_len, 4>>
// CHECK-LABEL: func.func @other_layouts(
// CHECK-DAG:     %[[Q:.*]] = attn.view "(qhg)db->bhgqd" %arg0 : {{.*}} -> tensor<4x1x1x?x32xf32, #attn.dims<4, 1, 1, query_len, 32>>
// CHECK-DAG:     %[[K:.*]] = attn.view "(bh)kd->bhkd" %arg1 : {{.*}} -> tensor<4x1x?x32xf32, #attn.dims<4, 1, kv_len, 32>>
// CHECK-DAG:     %[[V:.*]] = attn.view "(bh)ke->bhke" %arg2 : {{.*}} -> tensor<4x1x?x32xf32, #attn.dims<4, 1, kv_len, 32>>
// CHECK:         %o, %lse = attn.kernel ins(%[[Q]], %[[K]], %[[V]] :
// CHECK-SAME:      score {
// CHECK-NEXT:    ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
// CHECK-NEXT:      %[[Y:.*]] = attn.read %arg3[%k, %b]
// CHECK-NEXT:      %[[Z:.*]] = arith.addf %x, %[[Y]] : f32
// CHECK:         } mask {
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      attn.yield %[[TRUE]] : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[O:.*]] = attn.view "bhgqe->(ehg)bq" %o
// CHECK-NEXT:    %[[L:.*]] = attn.view "bhgq->(bhg)q" %lse
// CHECK-NEXT:    return %[[O]], %[[L]]
func.func @other_layouts(%Q: !Q, %K: !K, %V: !K, %bias: !B) -> (tensor<32x4x?xf32, #attn.dims<32, 4, query_len>>, tensor<4x?xf32, #attn.dims<4, query_len>>) {
  %s = attn.contract "asz,tza->sat" (%K, %Q) : (!K, !Q) -> !S
  %t = attn.map "sat,sa->sat" (%s, %bias) : (!S, !B) -> !S {
  ^bb0(%x: f32, %y: f32, %k: index, %h: index, %i: index):
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %u = attn.view "khq->hkq" %t : !S -> !P
  %p, %lse = attn.normalize "hkq" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%u) : (!P) -> (!P, tensor<4x?xf32, #attn.dims<4, query_len>>)
  %w = attn.view "hkq->khq" %p : !P -> !S
  %o = attn.contract "hkd,khq->dhq" (%V, %w) : (!K, !S) -> tensor<32x4x?xf32, #attn.dims<32, 4, query_len>>
  return %o, %lse : tensor<32x4x?xf32, #attn.dims<32, 4, query_len>>, tensor<4x?xf32, #attn.dims<4, query_len>>
}

// -----

// Scores stored in bf16 are rounded to bf16 in the kernel, too.
!T = tensor<2x3x8xbf16>
!S = tensor<2x3x3xbf16>
// CHECK-LABEL: func.func @keeps_roundings(
// CHECK:       score {
// CHECK-NEXT:    ^bb0(%x: f32,
// CHECK-NEXT:      %[[A:.*]] = arith.truncf %x : f32 to bf16
// CHECK-NEXT:      %[[B:.*]] = arith.extf %[[A]] : bf16 to f32
// CHECK-NEXT:      %[[C:.*]] = math.exp %[[B]] : f32
// CHECK-NEXT:      %[[D:.*]] = arith.truncf %[[C]] : f32 to bf16
// CHECK-NEXT:      %[[E:.*]] = arith.extf %[[D]] : bf16 to f32
// CHECK-NEXT:      attn.yield %[[E]] : f32
func.func @keeps_roundings(%q: !T, %k: !T) -> !T {
  %s = attn.contract "bqd,bkd->bqk" (%q, %k) : (!T, !T) -> !S
  %t = attn.map "bqk->bqk" (%s) : (!S) -> !S {
  ^bb0(%x: f32, %b: index, %i: index, %j: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!S) -> (!S, tensor<2x3xf32>)
  %o = attn.contract "bqk,bke->bqe" (%p, %k) : (!S, !T) -> !T
  return %o : !T
}

// -----

// A mask that is an argument is read; the view before it becomes arithmetic.
!q = tensor<1x4x2x3x8xf64>
!k = tensor<1x4x5x8xf64>
!S = tensor<1x4x2x3x5xf64>
!M = tensor<1x4x2x3x5xi1>
// CHECK-LABEL: func.func @mask_argument(
// CHECK:       mask {
// CHECK-NEXT:    ^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
// CHECK-NEXT:      %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT:      %[[A:.*]] = arith.muli %h, %[[C2]] : index
// CHECK-NEXT:      %[[B:.*]] = arith.addi %[[A]], %g : index
// CHECK-NEXT:      %[[C:.*]] = attn.read %arg2[%b, %[[B]], %q, %k] : tensor<1x8x3x5xi1> -> i1
// CHECK-NEXT:      attn.yield %[[C]] : i1
func.func @mask_argument(%q: !q, %k: !k, %mask: tensor<1x8x3x5xi1>) -> !q {
  %m = attn.view "b(hg)qk->bhgqk" %mask : tensor<1x8x3x5xi1> -> !M
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!q, !k) -> !S
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (!S, !M) -> (!S, tensor<1x4x2x3xf64>)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %k) where "bhgqk" (%m) : (!S, !k, !M) -> !q
  return %o : !q
}

// -----

// Two attentions that share a formula and a mask.
!Q = tensor<4x8xf32>
!S = tensor<4x4xf32>
!M = tensor<4x4xi1>
// CHECK-LABEL: func.func @shared_formula(
// CHECK-COUNT-2: attn.kernel
// CHECK-NOT:   attn.map
// CHECK-NOT:   attn.mask
func.func @shared_formula(%q: !Q, %r: !Q, %b: !S) -> (!Q, !Q) {
  %f = attn.map "qk->qk" (%b) : (!S) -> !S {
  ^bb0(%x: f32, %i: index, %j: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %m = attn.mask "qk" : !M {
  ^bb0(%i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  %s = attn.contract "qd,kd->qk" (%q, %q) : (!Q, !Q) -> !S
  %t = attn.map "qk,qk->qk" (%s, %f) : (!S, !S) -> !S {
  ^bb0(%x: f32, %y: f32, %i: index, %j: index):
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) where (%m) : (!S, !M) -> (!S, tensor<4xf32>)
  %o = attn.contract "qk,ke->qe" (%p, %q) where "qk" (%m) : (!S, !Q, !M) -> !Q
  %s2 = attn.contract "qd,kd->qk" (%r, %r) : (!Q, !Q) -> !S
  %t2 = attn.map "qk,qk->qk" (%s2, %f) : (!S, !S) -> !S {
  ^bb0(%x: f32, %y: f32, %i: index, %j: index):
    %z = arith.mulf %x, %y : f32
    attn.yield %z : f32
  }
  %p2, %lse2 = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t2) where (%m) : (!S, !M) -> (!S, tensor<4xf32>)
  %o2 = attn.contract "qk,ke->qe" (%p2, %r) where "qk" (%m) : (!S, !Q, !M) -> !Q
  return %o, %o2 : !Q, !Q
}

// -----

// A formula may use the product twice: both uses are in the kernel.
!Q = tensor<4x8xf32>
!S = tensor<4x4xf32>
// CHECK-LABEL: func.func @product_used_twice(
// CHECK-NOT:     attn.contract
// CHECK:         attn.kernel
// CHECK:           %[[E:.*]] = math.exp %x : f32
// CHECK:           arith.addf %x, %[[E]] : f32
// CHECK-NOT:     attn.contract
func.func @product_used_twice(%q: !Q) -> !Q {
  %s = attn.contract "qd,kd->qk" (%q, %q) : (!Q, !Q) -> !S
  %f = attn.map "qk->qk" (%s) : (!S) -> !S {
  ^bb0(%x: f32, %i: index, %j: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %t = attn.map "qk,qk->qk" (%s, %f) : (!S, !S) -> !S {
  ^bb0(%x: f32, %y: f32, %i: index, %j: index):
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!S) -> (!S, tensor<4xf32>)
  %o = attn.contract "qk,ke->qe" (%p, %q) : (!S, !Q) -> !Q
  return %o : !Q
}

// -----

// All heads share their keys, and each is a group of one: heads become the
// group, the axis of size 1 that of the keys' heads.
!Q = tensor<2x3x1x4x8xf32>
!K = tensor<2x5x8xf32>
!S = tensor<2x3x1x4x5xf32>
// CHECK-LABEL: func.func @heads_that_share_keys(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^%]*}}%[[K:[a-z0-9]+]]:
// CHECK-DAG:     %[[QV:.*]] = attn.view "bghqd->bhgqd" %[[Q]]
// CHECK-DAG:     %[[KV:.*]] = attn.view "(bh)kd->bhkd" %[[K]] : tensor<2x5x8xf32> -> tensor<2x1x5x8xf32
// CHECK:         attn.kernel ins(%[[QV]], %[[KV]], %{{.*}})
// CHECK-NOT:     attn.contract
func.func @heads_that_share_keys(%q: !Q, %k: !K) -> !Q {
  %s = attn.contract "bhgqd,bkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, tensor<2x3x1x4xf32>)
  %o = attn.contract "bhgqk,bke->bhgqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// What uses lse in front of the product with the values follows the kernel.
!Q = tensor<4x8xf32>
!S = tensor<4x4xf32>
!L = tensor<4xf32>
// CHECK-LABEL: func.func @lse_used_early(
// CHECK:         %[[O:.*]], %[[L:.*]] = attn.kernel
// CHECK:         attn.map "q->q"
// CHECK:         attn.map "q->q"
func.func @lse_used_early(%q: !Q, %k: !Q) -> (!Q, !L) {
  %s = attn.contract "qd,kd->qk" (%q, %k) : (!Q, !Q) -> !S
  %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %a = attn.map "q->q" (%lse) : (!L) -> !L {
  ^bb0(%x: f32, %i: index):
    %y = math.absf %x : f32
    attn.yield %y : f32
  }
  %b = attn.map "q->q" (%a) : (!L) -> !L {
  ^bb0(%x: f32, %i: index):
    %y = math.sqrt %x : f32
    attn.yield %y : f32
  }
  %o = attn.contract "qk,ke->qe" (%p, %k) : (!S, !Q) -> !Q
  return %o, %b : !Q, !L
}
