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
// CHECK:         } pairs {
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

// Each sum of a formula is a region of its own.
// REMARK: remark: one kernel: 2 sums over features, score, softmax, @ V; no score matrix [fused]
// CHECK-LABEL: func.func @two_sums_of_formulas(
// CHECK:         attn.kernel ins({{.*}}) products(%{{.*}}, %{{.*}} :
// CHECK:         score {
// CHECK-NEXT:    ^bb0(%[[X:[a-z]+]]: f32, {{.*}}, %[[Y:[a-z]+]]: f32):
// CHECK-NEXT:      arith.mulf %[[X]], %[[Y]]
// CHECK:         } pairs {
// CHECK-NEXT:    ^bb0(%[[X:[a-z]+]]: f32, %[[Y:[a-z]+]]: f32, %d: index,
// CHECK-NEXT:      %[[Z:.*]] = arith.mulf %[[X]], %[[Y]]
// CHECK-NEXT:      %[[E:.*]] = math.exp %[[Z]]
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[X]], %[[E]]
// CHECK-NEXT:      attn.yield %[[P]]
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%[[X:[a-z]+]]: f32, %[[Y:[a-z]+]]: f32, %d: index,
// CHECK-NEXT:      %[[Z:.*]] = arith.mulf %[[X]], %[[Y]]
// CHECK-NEXT:      %[[E:.*]] = math.exp %[[Z]]
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[E]], %[[E]]
// CHECK-NEXT:      attn.yield %[[P]]
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!T = tensor<2x3x4x5x8xf32>
!S = tensor<2x3x4x5xf32>
!L = tensor<2x3x4xf32>
func.func @two_sums_of_formulas(%q: !Q, %k: !K) -> !Q {
  %u = attn.map "bhqd,bhkd->bhqkd" (%q, %k) : (!Q, !K) -> !T {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %i: index, %j: index, %d: index):
    %z = arith.mulf %x, %y : f32
    %e = math.exp %z : f32
    attn.yield %e : f32
  }
  %s = attn.contract "bhqd,bhqkd->bhqk" (%q, %u) : (!Q, !T) -> !S
  %s2 = attn.contract "bhqkd,bhqkd->bhqk" (%u, %u) : (!T, !T) -> !S
  %t = attn.map "bhqk,bhqk->bhqk" (%s, %s2) : (!S, !S) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %i: index, %j: index):
    %z = arith.mulf %x, %y : f32
    attn.yield %z : f32
  }
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!S) -> (!S, !L)
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// A formula of two rows of the query and two of the key takes all four; a vector
// of the head is read.
// CHECK-LABEL: func.func @rows_of_two_pairs(
// CHECK-SAME:      %[[Q:.*]]: tensor<2x3x4x8xf32>, %[[K:.*]]: tensor<2x3x5x8xf32>, %[[Q2:.*]]: tensor<2x3x4x8xf32>, %[[K2:.*]]: tensor<2x3x5x8xf32>, %[[W:.*]]: tensor<3x8xf32>
// CHECK-DAG:     %[[q2:.*]] = attn.view "(bg)hqd->bhgqd" %[[Q2]]
// CHECK-DAG:     %[[k2:.*]] = attn.view "bhkd->bhkd" %[[K2]]
// CHECK:         attn.kernel ins({{.*}}) products(%[[q2]], %[[k2]] :
// CHECK:         } pairs {
// CHECK-NEXT:    ^bb0(%[[X:[a-z]+]]: f32, %[[Y:[a-z]+]]: f32, %[[Z:[a-z0-9_]+]]: f32, %[[A:[a-z0-9_]+]]: f32, %[[D:[a-z]+]]: index,
// CHECK-DAG:       arith.subf %[[X]], %[[Y]]
// CHECK-DAG:       arith.subf %[[Z]], %[[A]]
// CHECK-DAG:       attn.read %[[W]][%h, %[[D]]]
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!T = tensor<2x3x4x5x8xf32>
!S = tensor<2x3x4x5xf32>
!L = tensor<2x3x4xf32>
func.func @rows_of_two_pairs(%q: !Q, %k: !K, %q2: !Q, %k2: !K, %w: tensor<3x8xf32>) -> !Q {
  %u = attn.map "bhqd,bhkd->bhqkd" (%q, %k) : (!Q, !K) -> !T {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %i: index, %j: index, %d: index):
    %z = arith.subf %x, %y : f32
    attn.yield %z : f32
  }
  %r = attn.map "bhqd,bhkd,hd->bhqkd" (%q2, %k2, %w) : (!Q, !K, tensor<3x8xf32>) -> !T {
  ^bb0(%x: f32, %y: f32, %v: f32, %b: index, %h: index, %i: index, %j: index, %d: index):
    %z = arith.subf %x, %y : f32
    %z2 = arith.mulf %z, %v : f32
    attn.yield %z2 : f32
  }
  %s = attn.contract "bhqkd,bhqkd->bhqk" (%u, %r) : (!T, !T) -> !S
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// Scores that need no product have rows of one feature that nothing reads.
// REMARK: remark: one kernel: no product, score, softmax, @ V; no score matrix [fused]
// CHECK-LABEL: func.func @scores_without_a_product(
// CHECK-SAME:      %[[S:.*]]: tensor<2x3x4x5xf32>,
// CHECK:         %[[Q:.*]] = attn.map "->bhgqd"() : () -> tensor<2x3x1x4x1xf32,
// CHECK:         %[[K:.*]] = attn.map "->bhkd"() : () -> tensor<2x3x5x1xf32,
// CHECK:         attn.kernel ins(%[[Q]], %[[K]], %{{.*}} :
// CHECK:           attn.read %[[S]][%b, %h, %q, %k]
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!L = tensor<2x3x4xf32>
func.func @scores_without_a_product(%s: !S, %k: !K) -> !Q {
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// A number for each query head and key, but no query, is computed once and read.
// REMARK: remark: one kernel: Q @ K, score, softmax, @ V; no score matrix [fused]
// CHECK-LABEL: func.func @keys_of_heads(
// CHECK-SAME:      %[[Q:.*]]: tensor<2x3x2x4x8xf32>, %[[K:.*]]: tensor<2x3x5x8xf32>, %[[A:.*]]: tensor<3x2x8xf32>
// CHECK:         %[[R:.*]] = attn.contract "hgd,bhkd->bhgk"(%[[A]], %[[K]])
// CHECK-NOT:     products
// CHECK:           attn.read %[[R]][%b, %h, %g, %k]
!Q = tensor<2x3x2x4x8xf32>
!K = tensor<2x3x5x8xf32>
!A = tensor<3x2x8xf32>
!R = tensor<2x3x2x5xf32>
!S = tensor<2x3x2x4x5xf32>
!L = tensor<2x3x2x4xf32>
func.func @keys_of_heads(%q: !Q, %k: !K, %a: !A) -> !Q {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %r = attn.contract "hgd,bhkd->bhgk" (%a, %k) : (!A, !K) -> !R
  %t = attn.map "bhgqk,bhgk->bhgqk" (%s, %r) : (!S, !R) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!S) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// A map that the weights are a factor of is the gate, of the product, too.
// REMARK: remark: one kernel: Q @ K, score, softmax, a per-pair factor, @ V; no score matrix [fused]
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
// REMARK: remark: attn.contract is not fused: it is not part of a softmax [missed]
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

// -----

// A formula of a query and the key's place, which has the key's axis but reads
// no row of it.
// CHECK-LABEL: func.func @formula_of_a_place(
// CHECK-SAME:      %[[Q:.*]]: tensor<2x3x4x8xf32>, %[[K:.*]]: tensor<2x3x5x8xf32>
// CHECK-DAG:     %[[q:.*]] = attn.view "(bg)hqd->bhgqd" %[[Q]]
// CHECK-DAG:     %[[k:.*]] = attn.view "bhkd->bhkd" %[[K]]
// CHECK:         attn.kernel ins(%[[q]], %[[k]], %{{[0-9]+}} :
// CHECK-NOT:     products
// CHECK:         } pairs {
// CHECK-NEXT:    ^bb0(%[[X:[a-z]+]]: f32, %[[Y:[a-z]+]]: f32, %d: index, %b: index, %h: index, %g: index, %q: index, %k: index):
// CHECK:           %[[N:.*]] = arith.index_cast %k
// CHECK:           %[[Z:.*]] = math.tanh
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[Y]], %[[Z]]
// CHECK-NEXT:      attn.yield %[[P]]
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!T = tensor<2x3x4x5x8xf32>
!S = tensor<2x3x4x5xf32>
!L = tensor<2x3x4xf32>
func.func @formula_of_a_place(%q: !Q, %k: !K) -> !Q {
  %u = attn.map "bhqd->bhqkd" (%q) : (!Q) -> !T {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index, %d: index):
    %n = arith.index_cast %j : index to i64
    %y = arith.sitofp %n : i64 to f32
    %z = arith.mulf %x, %y : f32
    %t = math.tanh %z : f32
    attn.yield %t : f32
  }
  %s = attn.contract "bhqkd,bhkd->bhqk" (%u, %k) : (!T, !K) -> !S
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}
