// Factors of values and weights go where they depend on least.
// RUN: attnc-opt %s --attn-factor-values --split-input-file | FileCheck %s

// V stays, the number of the pair multiplies the weights, the row the result.
// CHECK-LABEL: func.func @splits_values(
// CHECK-SAME:      %[[Q:.*]]: tensor<1x2x1x4x8xf32>, %[[K:.*]]: tensor<1x2x5x8xf32>, %[[S:.*]]: tensor<1x2x1x4x5xf32>
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize
// CHECK:         %[[G:.*]] = attn.map "bhgqk->bhgqk"(%[[P]])
// CHECK:           arith.index_cast
// CHECK:         %[[V:.*]] = attn.map "bhke->bhke"(%[[K]])
// CHECK:           arith.maximumf
// CHECK:         %[[O:.*]] = attn.contract "bhgqk,bhke->bhgqe"(%[[G]], %[[V]])
// CHECK:         attn.map "bhgqe,bhgqe->bhgqe"(%[[O]], %[[Q]])
// CHECK:           %[[N:.*]] = arith.divf
// Without a mask the number of keys tells whether a row has one.
// CHECK:           %[[KEYS:.*]] = arith.constant 5 : index
// CHECK:           %[[NONE:.*]] = arith.cmpi eq, %[[KEYS]], %{{.*}} : index
// CHECK:           arith.select %[[NONE]], %{{.*}}, %[[N]] : f32
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
!T = tensor<1x2x1x4x5x8xf32>
func.func @splits_values(%q: !Q, %k: !K, %s: !S) -> !Q {
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %t = attn.map "bhke,bhgqe->bhgqke" (%k, %q) : (!K, !Q) -> !T {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %e: index):
    %zero = arith.constant 0.0 : f32
    %relu = arith.maximumf %x, %zero : f32
    %n = arith.subi %i, %j : index
    %m = arith.index_cast %n : index to i64
    %f = arith.sitofp %m : i64 to f32
    %u = arith.mulf %relu, %f : f32
    %w = arith.divf %u, %y : f32
    attn.yield %w : f32
  }
  %o = attn.contract "bhgqk,bhgqke->bhgqe" (%p, %t) : (!S, !T) -> !Q
  return %o : !Q
}

// -----

// A sum is no factor.
// CHECK-LABEL: func.func @keeps_a_sum(
// CHECK:         attn.contract "bhgqk,bhgqke->bhgqe"
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
!T = tensor<1x2x1x4x5x8xf32>
func.func @keeps_a_sum(%q: !Q, %k: !K, %s: !S) -> !Q {
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %t = attn.map "bhke,bhgqe->bhgqke" (%k, %q) : (!K, !Q) -> !T {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %e: index):
    %w = arith.addf %x, %y : f32
    attn.yield %w : f32
  }
  %o = attn.contract "bhgqk,bhgqke->bhgqe" (%p, %t) : (!S, !T) -> !Q
  return %o : !Q
}

// -----

// A formula of keys alone is left to be computed once.
// CHECK-LABEL: func.func @keeps_a_formula_of_keys(
// CHECK:         attn.map "bhke->bhke"
// CHECK:         attn.contract "bhgqk,bhke->bhgqe"
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
func.func @keeps_a_formula_of_keys(%k: !K, %s: !S) -> !Q {
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %t = attn.map "bhke->bhke" (%k) : (!K) -> !K {
  ^bb0(%x: f32, %b: index, %h: index, %j: index, %e: index):
    %w = arith.mulf %x, %x : f32
    attn.yield %w : f32
  }
  %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %t) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// Factors of a softmax are no normaliser of their own.
// CHECK-LABEL: func.func @takes_a_normaliser(
// CHECK-SAME:      %[[K:[^:]*]]: tensor<1x2x5x8xf32>
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize "bhgqk" over "k" #attn.norm<shift = max
// CHECK-NOT:     attn.normalize
// CHECK:         %[[G:.*]] = attn.map "bhgqk,bhgqk->bhgqk"(%[[P]], %{{.*}})
// CHECK:         attn.contract "bhgqk,bhke->bhgqe"(%[[G]], %[[K]])
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
func.func @takes_a_normaliser(%k: !K, %s: !S, %w: !S) -> !Q {
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %t = attn.map "bhgqk,bhgqk->bhgqk" (%p, %w) : (!S, !S) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.mulf %x, %y : f32
    attn.yield %z : f32
  }
  %r, %sum = attn.normalize "bhgqk" over "k" #attn.norm<shift = none, weight = identity, divide = none> (%t) : (!S) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%r, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// Its sum is needed.
// CHECK-LABEL: func.func @keeps_a_normaliser_with_a_sum(
// CHECK-COUNT-2: attn.normalize
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
func.func @keeps_a_normaliser_with_a_sum(%k: !K, %s: !S, %w: !S) -> (!Q, !L) {
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %t = attn.map "bhgqk,bhgqk->bhgqk" (%p, %w) : (!S, !S) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.mulf %x, %y : f32
    attn.yield %z : f32
  }
  %r, %sum = attn.normalize "bhgqk" over "k" #attn.norm<shift = none, weight = identity, divide = none> (%t) : (!S) -> (!S, !L)
  %o = attn.contract "bhgqk,bhke->bhgqe" (%r, %k) : (!S, !K) -> !Q
  return %o, %sum : !Q, !L
}

// -----

// A factor of the row may be NaN or infinite: the count of the keys that the mask
// allows tells which rows it multiplies, not the sum, which may be 0.
// CHECK-LABEL: func.func @counts_keys(
// CHECK-SAME:      %[[K:[^:]*]]: tensor<1x2x5x8xf32>, %{{[^:]*}}: tensor<1x2x1x4x5xf32>, %[[F:[^:]*]]: tensor<1x2x1x4xf32>
// CHECK:         %[[M:.*]] = attn.mask "bhgqk"
// CHECK:         %[[O:.*]] = attn.contract "bhgqk,bhke->bhgqe"(%{{.*}}, %[[K]]) where "bhgqk"(%[[M]])
// CHECK:         %[[ONES:.*]] = attn.map "->bhgqk"()
// CHECK:           arith.constant 1.000000e+00 : f32
// CHECK:         %[[COUNT:.*]] = attn.reduce "bhgqk" over "k" #attn.row<sum>(%[[ONES]]) where(%[[M]])
// CHECK:         attn.map "bhgqe,bhgq,bhgq->bhgqe"(%[[O]], %[[COUNT]], %[[F]])
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[C:.*]]: f32, %[[Y:.*]]: f32,
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %[[IS:.*]] = arith.cmpf oeq, %[[C]], %[[ZERO]] : f32
// CHECK-NEXT:      arith.select %[[IS]], %[[ZERO]], %[[P]] : f32
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
func.func @counts_keys(%k: !K, %s: !S, %f: !L) -> !Q {
  %m = attn.mask "bhgqk" : tensor<1x2x1x4x5xi1> {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (!S, tensor<1x2x1x4x5xi1>) -> (!S, !L)
  %t = attn.map "bhgqk,bhgq->bhgqk" (%p, %f) : (!S, !L) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.mulf %x, %y : f32
    attn.yield %z : f32
  }
  %o = attn.contract "bhgqk,bhke->bhgqe" (%t, %k) where "bhgqk" (%m) : (!S, !K, tensor<1x2x1x4x5xi1>) -> !Q
  return %o : !Q
}

// -----

// What is left of the weights beside a factor of the row are the weights.
// CHECK-LABEL: func.func @weights_alone_are_left(
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize
// CHECK-NEXT:    attn.contract "bhgqk,bhke->bhgqe"(%[[P]], %arg0)
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
!L = tensor<1x2x1x4xf32>
func.func @weights_alone_are_left(%k: !K, %s: !S, %f: !L) -> !Q {
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %w = attn.map "bhgqk,bhgq->bhgqk" (%p, %f) : (!S, !L) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %z = arith.mulf %y, %x : f32
    attn.yield %z : f32
  }
  %o = attn.contract "bhgqk,bhke->bhgqe" (%w, %k) : (!S, !K) -> !Q
  return %o : !Q
}
