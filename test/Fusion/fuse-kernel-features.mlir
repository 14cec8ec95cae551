// Operands that differ from pair to pair become regions of the kernel, rows that
// are the same for several are repeated.
// RUN: attnc-opt %s --attn-fuse-kernel --split-input-file | FileCheck %s
// RUN: attnc-opt %s --attn-fuse-kernel --split-input-file 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK

// The row of the query and that of the key are operands, the rest is read.
// REMARK: remark: one kernel: a sum over features, score, softmax, @ V; no score matrix [fused]
// CHECK-LABEL: func.func @additive(
// CHECK-SAME:      %[[A:.*]]: tensor<1x2x1x4x8xf32>, %[[C:.*]]: tensor<1x2x5x8xf32>, %[[V:.*]]: tensor<1x2x5x6xf32>, %[[W:.*]]: tensor<8xf32>
// CHECK-DAG:     %[[a:.*]] = attn.view "bhgqd->bhgqd" %[[A]] :
// CHECK-DAG:     %[[c:.*]] = attn.view "bhkd->bhkd" %[[C]] :
// CHECK-DAG:     %[[v:.*]] = attn.view "bhke->bhke" %[[V]] :
// CHECK:         attn.kernel ins(%[[a]], %[[c]], %[[v]] :
// CHECK:         } pairs {
// CHECK-NEXT:    ^bb0(%[[X:[a-z]+]]: f32, %[[Y:[a-z]+]]: f32, %[[D:[a-z]+]]: index,
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK-NEXT:      %[[T:.*]] = math.tanh %[[S]]
// CHECK-NEXT:      %[[E:.*]] = attn.read %[[W]][%[[D]]]
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[E]], %[[T]]
// CHECK-NEXT:      attn.yield %[[P]]
// CHECK-NEXT:    }
// CHECK-NOT:     attn.map
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!V = tensor<1x2x5x6xf32>
!T = tensor<1x2x1x4x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
!O = tensor<1x2x1x4x6xf32>
func.func @additive(%a: !Q, %c: !K, %v: !V, %w: tensor<8xf32>) -> !O {
  %t = attn.map "bhgqd,bhkd->bhgqkd" (%a, %c) : (!Q, !K) -> !T {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %d: index):
    %sum = arith.addf %x, %y : f32
    %tanh = math.tanh %sum : f32
    attn.yield %tanh : f32
  }
  %s = attn.contract "d,bhgqkd->bhgqk" (%w, %t) : (tensor<8xf32>, !T) -> !S
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %v) : (!S, !V) -> !O
  return %o : !O
}

// -----

// A value that depends on the pair.
// REMARK: remark: one kernel: Q @ K, score, softmax, @ a formula of V; no score matrix [fused]
// CHECK-LABEL: func.func @relative_value(
// CHECK-SAME:      %[[Q:.*]]: tensor<1x2x1x4x8xf32>, %[[K:.*]]: tensor<1x2x5x8xf32>, %[[T:.*]]: tensor<9x8xf32>
// CHECK:         %[[v:.*]] = attn.view "bhke->bhke" %[[K]] :
// CHECK:         attn.kernel ins(%{{.*}}, %{{.*}}, %[[v]] :
// CHECK:         } value {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[E:.*]]: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT:      %[[D:.*]] = arith.subi %[[J]], %[[I]]
// CHECK-NEXT:      %[[R:.*]] = attn.read %[[T]][%[[D]], %[[E]]]
// CHECK-NEXT:      %[[Y:.*]] = arith.addf %[[X]], %[[R]]
// CHECK-NEXT:      attn.yield %[[Y]]
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!T = tensor<1x2x4x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
func.func @relative_value(%q: !Q, %k: !K, %table: tensor<9x8xf32>) -> !Q {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %t = attn.map "bhkd->bhqkd" (%k) : (!K) -> !T {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index, %d: index):
    %r = arith.subi %j, %i : index
    %y = attn.read %table[%r, %d] : tensor<9x8xf32> -> f32
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %o = attn.contract "bhgqk,bhqke->bhgqe" (%p, %t) : (!S, !T) -> !Q
  return %o : !Q
}

// -----

// Keys that are made of keys alone are a tensor: their formula is not computed
// again for each block of queries.
// CHECK-LABEL: func.func @keeps_a_formula_of_keys(
// CHECK:         %[[M:.*]] = attn.map "bhkd->bhkd"
// CHECK:         %[[k:.*]] = attn.view "bhkd->bhkd" %[[M]] :
// CHECK:         attn.kernel ins(%{{.*}}, %[[k]], %{{.*}} :
// CHECK-NOT:     pair
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
func.func @keeps_a_formula_of_keys(%q: !Q, %k: !K) -> !Q {
  %e = attn.map "bhkd->bhkd" (%k) : (!K) -> !K {
  ^bb0(%x: f32, %b: index, %h: index, %j: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %e) : (!Q, !K) -> !S
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// A product that only the query has is a number per row, which the score reads.
// CHECK-LABEL: func.func @reads_a_row(
// CHECK:         %[[R:[0-9]+]] = attn.contract "bhgqd,d->bhgq"
// CHECK:         attn.kernel
// CHECK:           attn.read %[[R]]{{.}}%b, %h, %g, %q]
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
func.func @reads_a_row(%q: !Q, %k: !K, %w: tensor<8xf32>) -> !Q {
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %r = attn.contract "bhgqd,d->bhgq" (%q, %w) : (!Q, tensor<8xf32>) -> !L
  %t = attn.map "bhgqk,bhgq->bhgqk" (%s, %r) : (!S, !L) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!S) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// CHECK-LABEL: func.func @queries_without_the_batch(
// CHECK:         %[[C:[0-9]+]] = attn.map "hqd->bhgqd"
// CHECK:         attn.kernel ins(%[[C]],
!Q = tensor<2x3x4x8xf32>
!R = tensor<3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!L = tensor<2x3x4xf32>
func.func @queries_without_the_batch(%q: !R, %k: !K) -> !Q {
  %s = attn.contract "hqd,bhkd->bhqk" (%q, %k) : (!R, !K) -> !S
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// CHECK-LABEL: func.func @values_without_the_heads(
// CHECK:         %[[C:[0-9]+]] = attn.map "bke->bhke"
// CHECK:         attn.kernel ins(%{{.*}}, %{{.*}}, %[[C]] :
!Q = tensor<2x3x4x8xf32>
!W = tensor<2x5x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!L = tensor<2x3x4xf32>
func.func @values_without_the_heads(%q: !Q, %k: !K, %v: !W) -> !Q {
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !K) -> !S
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %o = attn.contract "bhqk,bke->bhqe" (%p, %v) : (!S, !W) -> !Q
  return %o : !Q
}

// -----

// Learned keys and values: the same for all of a batch.
// CHECK-LABEL: func.func @keys_without_the_batch(
// CHECK-DAG:     %[[K:[0-9]+]] = attn.map "kd->bhkd"
// CHECK-DAG:     %[[V:[0-9]+]] = attn.map "ke->bhke"
// CHECK:         attn.kernel ins(%{{[^,]*}}, %[[K]], %[[V]] : tensor<2x1x3x4x8xf32, {{[^)]*}}, tensor<2x1x5x8xf32,
!Q = tensor<2x3x4x8xf32>
!K = tensor<5x8xf32>
!S = tensor<2x3x4x5xf32>
!L = tensor<2x3x4xf32>
func.func @keys_without_the_batch(%q: !Q, %k: !K, %v: !K) -> !Q {
  %s = attn.contract "bhqd,kd->bhqk" (%q, %k) : (!Q, !K) -> !S
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %o = attn.contract "bhqk,ke->bhqe" (%p, %v) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// A sum over the features of a query is read, as in layer norms of queries.
// CHECK-LABEL: func.func @formula_of_a_sum(
// CHECK:         %[[ROW:.*]] = attn.reduce "bhgqk" over "k"
// CHECK:         attn.kernel
// CHECK:           attn.read %[[ROW]]{{.}}%b, %h, %g, %q]
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
func.func @formula_of_a_sum(%q: !Q, %k: !K) -> !Q {
  %r = attn.reduce "bhgqk" over "k" #attn.row<sum> (%q) : (!Q) -> (!L)
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!Q, !K) -> !S
  %t = attn.map "bhgqk,bhgq->bhgqk" (%s, %r) : (!S, !L) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!S) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}
