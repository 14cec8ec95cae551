// Scores of several products, products of two formulas, and factors of weights.
// RUN: attnc-opt %s --attn-fuse-kernel --split-input-file | FileCheck %s
// RUN: attnc-opt %s --attn-fuse-kernel --split-input-file 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK

// The second product is one more number of the pair.
// REMARK: remark: one kernel: Q @ K and 1 other product, score, softmax, @ V; no score matrix [fused]
// CHECK-LABEL: func.func @two_products(
// CHECK-SAME:      %[[Q:.*]]: tensor<1x2x1x4x8xf32>, %[[K:.*]]: tensor<1x2x5x8xf32>, %[[A:.*]]: tensor<1x2x1x4x3xf32>, %[[C:.*]]: tensor<1x2x5x3xf32>
// CHECK-DAG:     %[[q:.*]] = attn.view "bhgqd->bhgqd" %[[Q]] :
// CHECK-DAG:     %[[a:.*]] = attn.view "bhgqf->bhgqf" %[[A]] :
// CHECK-DAG:     %[[c:.*]] = attn.view "bhkf->bhkf" %[[C]] :
// CHECK:         attn.kernel ins(%[[q]], %{{.*}}, %{{.*}}) products(%[[a]], %[[c]] :
// CHECK:         ^bb0(%[[X:[a-z]+]]: f32, %{{.*}}: index, %[[Y:[a-z]+]]: f32):
// CHECK-NEXT:      %[[Z:.*]] = arith.mulf %[[X]], %[[Y]]
// CHECK-NEXT:      attn.yield %[[Z]]
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
!A = tensor<1x2x1x4x3xf32>
!C = tensor<1x2x5x3xf32>
func.func @two_products(%q: !Q, %k: !K, %a: !A, %c: !C) -> !Q {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %r = attn.contract "bhgqd,bhkd->bhgqk" (%a, %c) : (!A, !C) -> !S
  %t = attn.map "bhgqk,bhgqk->bhgqk" (%s, %r) : (!S, !S) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.mulf %x, %y : f32
    attn.yield %z : f32
  }
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!S) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// Both operands are the same formula of a row of the query and one of the key.
// REMARK: remark: one kernel: a sum over features, score, softmax, @ V; no score matrix [fused]
// CHECK-LABEL: func.func @distance(
// CHECK:         } pair {
// CHECK-NEXT:    ^bb0(%[[X:[a-z]+]]: f32, %[[Y:[a-z]+]]: f32,
// CHECK-NEXT:      %[[D:.*]] = arith.subf %[[X]], %[[Y]]
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[D]], %[[D]]
// CHECK-NEXT:      attn.yield %[[P]]
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
!T = tensor<1x2x1x4x5x8xf32>
func.func @distance(%q: !Q, %k: !K) -> !Q {
  %t = attn.map "bhgqd,bhkd->bhgqkd" (%q, %k) : (!Q, !K) -> !T {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %d: index):
    %z = arith.subf %x, %y : f32
    attn.yield %z : f32
  }
  %s = attn.contract "bhgqkd,bhgqkd->bhgqk" (%t, %t) : (!T, !T) -> !S
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// A map that the weights are a factor of is the gate, of the product, too.
// REMARK: remark: one kernel: Q @ K, score, softmax, a factor of each pair, @ V; no score matrix [fused]
// CHECK-LABEL: func.func @gated(
// CHECK:         } gate {
// CHECK-NEXT:    ^bb0(%[[X:[a-z]+]]: f32,
// CHECK:           %[[E:.*]] = math.exp %[[X]]
// CHECK:           arith.divf %{{.*}}, %[[E]]
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
func.func @gated(%q: !Q, %k: !K) -> !Q {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %g = attn.map "bhgqk,bhgqk->bhgqk" (%p, %s) : (!S, !S) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %e = math.exp %y : f32
    %z = arith.divf %x, %e : f32
    attn.yield %z : f32
  }
  %o = attn.contract "bhgqk,bhke->bhgqe" (%g, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// Weights plus something are no weights times something.
// REMARK: remark: attn.contract stays unfused: it is not a part of a softmax [missed]
// CHECK-LABEL: func.func @added(
// CHECK-NOT:     attn.kernel
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
func.func @added(%q: !Q, %k: !K) -> !Q {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %g = attn.map "bhgqk,bhgqk->bhgqk" (%p, %s) : (!S, !S) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %o = attn.contract "bhgqk,bhke->bhgqe" (%g, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// Keys of the second product are those of a query head, keys and values of the
// first are shared by three: each has the axes that it has.
// REMARK: remark: one kernel: Q @ K and 1 other product, score, softmax, @ V; no score matrix [fused]
// CHECK-LABEL: func.func @keys_per_query_head(
// CHECK-NOT:     attn.map
// CHECK-DAG:     %[[k:.*]] = attn.view "bhkd->bhkd"
// CHECK-DAG:     %[[v:.*]] = attn.view "bhke->bhke"
// CHECK-DAG:     %[[c:.*]] = attn.view "bhgkf->bhgkf"
// CHECK:         attn.kernel ins(%{{.*}}, %[[k]], %[[v]] : {{.*}}) products(%{{.*}}, %[[c]] :
!Q = tensor<1x2x3x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x3x4x5xf32>
!L = tensor<1x2x3x4xf32>
!A = tensor<1x2x3x4x6xf32>
!C = tensor<1x2x3x5x6xf32>
func.func @keys_per_query_head(%q: !Q, %k: !K, %a: !A, %c: !C) -> !Q {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %r = attn.contract "bhgqd,bhgkd->bhgqk" (%a, %c) : (!A, !C) -> !S
  %t = attn.map "bhgqk,bhgqk->bhgqk" (%s, %r) : (!S, !S) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!S) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// Three axes that all tensors have: the last is that of the query heads.
// CHECK-LABEL: func.func @three_batch_axes(
// CHECK-DAG:     %[[k:.*]] = attn.view "bhgkd->bhgkd"
// CHECK-DAG:     %[[v:.*]] = attn.view "bhgke->bhgke"
// CHECK:         attn.kernel ins(%{{.*}}, %[[k]], %[[v]] :
!Q = tensor<2x2x3x4x8xf32>
!S = tensor<2x2x3x4x4xf32>
func.func @three_batch_axes(%q: !Q) -> !Q {
  %s = attn.contract "abhqd,abhkd->abhqk" (%q, %q) : (!Q, !Q) -> !S
  %p, %lse = attn.normalize "abhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, tensor<2x2x3x4xf32>)
  %o = attn.contract "abhqk,abhke->abhqe" (%p, %q) : (!S, !Q) -> !Q
  return %o : !Q
}
