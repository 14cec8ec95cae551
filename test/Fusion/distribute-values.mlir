// What keys contribute, of rows of the key by a formula of the pair.
// RUN: attnc-opt %s --attn-distribute-values --split-input-file | FileCheck %s

// V and -V are one row: the sign is a factor, which attn-factor-values moves.
// CHECK-LABEL: func.func @a_sign(
// CHECK-NOT:     attn.mask
// CHECK:         %[[V:.*]] = attn.map "bhke->bhqke"
// CHECK:           %[[C:.*]] = arith.cmpi sgt
// CHECK:           %[[S:.*]] = arith.select %[[C]]
// CHECK:           arith.mulf %{{.*}}, %[[S]]
// CHECK:         attn.contract "bhqk,bhqke->bhqe"(%{{.*}}, %[[V]])
!Q = tensor<1x2x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x4x5xf32>
!L = tensor<1x2x4xf32>
!T = tensor<1x2x4x5x8xf32>
func.func @a_sign(%k: !K, %s: !S) -> !Q {
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %t = attn.map "bhke->bhqke" (%k) : (!K) -> !T {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index, %e: index):
    %c = arith.cmpi sgt, %j, %i : index
    %n = arith.negf %x : f32
    %w = arith.select %c, %x, %n : f32
    attn.yield %w : f32
  }
  %o = attn.contract "bhqk,bhqke->bhqe" (%p, %t) : (!S, !T) -> !Q
  return %o : !Q
}

// -----

// Of two rows each has a product with the weights of the pairs that see it.
// CHECK-LABEL: func.func @two_rows(
// CHECK-SAME:      %[[V:.*]]: tensor<1x2x5x8xf32>, %[[W:.*]]: tensor<1x2x5x8xf32>, %{{.*}}: tensor
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize
// CHECK:         %[[A:.*]] = attn.mask "bhqk"
// CHECK:         %[[PA:.*]], %{{.*}} = attn.normalize "bhqk" over "k" #attn.norm<shift = none, weight = identity, divide = none>(%[[P]]) where(%[[A]])
// CHECK:         %[[X:.*]] = attn.contract "bhqk,bhke->bhqe"(%[[PA]], %[[V]]) where "bhqk"(%[[A]])
// CHECK:         %[[B:.*]] = attn.mask "bhqk"
// CHECK:         %[[PB:.*]], %{{.*}} = attn.normalize {{.*}}(%[[P]]) where(%[[B]])
// CHECK:         %[[Y:.*]] = attn.contract "bhqk,bhke->bhqe"(%[[PB]], %[[W]]) where "bhqk"(%[[B]])
// CHECK:         attn.map "bhqe,bhqe->bhqe"(%[[X]], %[[Y]])
// CHECK:           arith.addf
!Q = tensor<1x2x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x4x5xf32>
!L = tensor<1x2x4xf32>
!T = tensor<1x2x4x5x8xf32>
func.func @two_rows(%k: !K, %v: !K, %s: !S) -> !Q {
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %t = attn.map "bhke,bhke->bhqke" (%k, %v) : (!K, !K) -> !T {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %i: index, %j: index, %e: index):
    %c = arith.cmpi sgt, %j, %i : index
    %w = arith.select %c, %x, %y : f32
    attn.yield %w : f32
  }
  %o = attn.contract "bhqk,bhqke->bhqe" (%p, %t) : (!S, !T) -> !Q
  return %o : !Q
}

// -----

// A row that each pair sees keeps the weights as they are.
// CHECK-LABEL: func.func @a_sum(
// CHECK-NOT:     attn.mask
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize
// CHECK-NOT:     attn.normalize
// CHECK:         attn.contract "bhqk,bhke->bhqe"(%[[P]], %{{.*}})
// CHECK:         attn.contract "bhqk,bhqke->bhqe"(%[[P]], %{{.*}})
!Q = tensor<1x2x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x4x5xf32>
!L = tensor<1x2x4xf32>
!T = tensor<1x2x4x5x8xf32>
func.func @a_sum(%k: !K, %v: !K, %s: !S) -> !Q {
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %t = attn.map "bhke,bhke,bhqk->bhqke" (%k, %v, %s) : (!K, !K, !S) -> !T {
  ^bb0(%x: f32, %y: f32, %f: f32, %b: index, %h: index, %i: index, %j: index, %e: index):
    %m = arith.mulf %y, %f : f32
    %w = arith.addf %x, %m : f32
    attn.yield %w : f32
  }
  %o = attn.contract "bhqk,bhqke->bhqe" (%p, %t) : (!S, !T) -> !Q
  return %o : !Q
}

// -----

// A condition of scores joins a mask of places in a map.
// CHECK-LABEL: func.func @chosen_by_scores(
// CHECK-SAME:      %[[S:[^:]*]]: tensor<1x2x4x5xf32>
// CHECK:         %[[M:.*]] = attn.mask "bhqk"
// CHECK:         attn.map "bhqk,bhqk->bhqk"(%[[S]], %[[M]])
// CHECK:           %[[C:.*]] = arith.cmpf
// CHECK:           arith.andi
// CHECK-COUNT-2: attn.contract "bhqk,bhke->bhqe"
!Q = tensor<1x2x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x4x5xf32>
!M = tensor<1x2x4x5xi1>
!L = tensor<1x2x4xf32>
!T = tensor<1x2x4x5x8xf32>
func.func @chosen_by_scores(%s: !S, %k: !K, %v: !K) -> !Q {
  %m = attn.mask "bhqk" : !M {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (!S, !M) -> (!S, !L)
  %t = attn.map "bhqk,bhke,bhke->bhqke" (%s, %k, %v) : (!S, !K, !K) -> !T {
  ^bb0(%z: f32, %x: f32, %y: f32, %b: index, %h: index, %i: index, %j: index, %e: index):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %z, %zero : f32
    %w = arith.select %c, %x, %y : f32
    attn.yield %w : f32
  }
  %o = attn.contract "bhqk,bhqke->bhqe" (%p, %t) where "bhqk" (%m) : (!S, !T, !M) -> !Q
  return %o : !Q
}

// -----

// A number beside a row is left: 0 times a weight that is NaN is NaN.
// CHECK-LABEL: func.func @a_number(
// CHECK:         arith.select
// CHECK:         attn.contract "bhqk,bhqke->bhqe"
// CHECK-NOT:     attn.contract
!Q = tensor<1x2x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x4x5xf32>
!L = tensor<1x2x4xf32>
!T = tensor<1x2x4x5x8xf32>
func.func @a_number(%k: !K, %s: !S) -> !Q {
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  %t = attn.map "bhke->bhqke" (%k) : (!K) -> !T {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index, %e: index):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpi sgt, %j, %i : index
    %w = arith.select %c, %x, %zero : f32
    attn.yield %w : f32
  }
  %o = attn.contract "bhqk,bhqke->bhqe" (%p, %t) : (!S, !T) -> !Q
  return %o : !Q
}
