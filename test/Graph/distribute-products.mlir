// RUN: attnc-opt %s --attn-distribute-products --split-input-file | FileCheck %s

// Relative keys: the queries times the table, from which the distance chooses.
// CHECK-LABEL: func.func @relative_keys(
// CHECK-SAME:      %[[Q:.*]]: tensor<1x2x1x4x8xf32>, %[[K:.*]]: tensor<1x2x5x8xf32>, %[[T:.*]]: tensor<9x8xf32>
// CHECK-DAG:     %[[A:[0-9]+]] = attn.contract "bhgqd,bhkd->bhgqk"(%[[Q]], %[[K]])
// CHECK-DAG:     %[[G:[0-9]+]] = attn.contract "bhgqd,ad->bhgqa"(%[[Q]], %[[T]])
// CHECK:         attn.map "bhgqk->bhgqk"(%[[A]])
// CHECK-NEXT:    ^bb0(%[[X:x]]: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
// CHECK-NEXT:      %[[D:[0-9]+]] = arith.subi %k, %q
// CHECK-NEXT:      %[[R:[0-9]+]] = attn.read %[[G]]{{.}}%b, %h, %g, %q, %[[D]]]
// CHECK-NEXT:      %[[S:[0-9]+]] = arith.subf %[[X]], %[[R]]
// CHECK-NEXT:      attn.yield %[[S]]
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!T = tensor<1x2x4x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
func.func @relative_keys(%q: !Q, %k: !K, %table: tensor<9x8xf32>) -> !S {
  %t = attn.map "bhkd->bhqkd" (%k) : (!K) -> !T {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index, %d: index):
    %r = arith.subi %j, %i : index
    %y = attn.read %table[%r, %d] : tensor<9x8xf32> -> f32
    %z = arith.subf %x, %y : f32
    attn.yield %z : f32
  }
  %s = attn.contract "bhgqd,bhqkd->bhgqk" (%q, %t) : (!Q, !T) -> !S
  return %s : !S
}

// -----

// A function of the sum is no sum.
// CHECK-LABEL: func.func @keeps_a_function_of_a_sum(
// CHECK:         attn.map "bhgqd,bhkd->bhgqkd"
// CHECK:         attn.contract "d,bhgqkd->bhgqk"
// CHECK-NOT:     attn.contract
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!T = tensor<1x2x1x4x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
func.func @keeps_a_function_of_a_sum(%q: !Q, %k: !K, %w: tensor<8xf32>) -> !S {
  %t = attn.map "bhgqd,bhkd->bhgqkd" (%q, %k) : (!Q, !K) -> !T {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %d: index):
    %sum = arith.addf %x, %y : f32
    %tanh = math.tanh %sum : f32
    attn.yield %tanh : f32
  }
  %s = attn.contract "d,bhgqkd->bhgqk" (%w, %t) : (tensor<8xf32>, !T) -> !S
  return %s : !S
}

// -----

// A sum of rows of the key alone is cheaper before the product.
// CHECK-LABEL: func.func @keeps_a_sum_of_keys(
// CHECK:         %[[M:[0-9]+]] = attn.map "bhkd,bhkd->bhkd"
// CHECK:         attn.contract "bhgqd,bhkd->bhgqk"(%{{.*}}, %[[M]])
// CHECK-NOT:     attn.contract
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
func.func @keeps_a_sum_of_keys(%q: !Q, %k: !K, %l: !K) -> !S {
  %t = attn.map "bhkd,bhkd->bhkd" (%k, %l) : (!K, !K) -> !K {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %j: index, %d: index):
    %sum = arith.addf %x, %y : f32
    attn.yield %sum : f32
  }
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %t) : (!Q, !K) -> !S
  return %s : !S
}

// -----

// Either operand may be the sum: here the left one is a map of queries alone.
// CHECK-LABEL: func.func @takes_the_right_operand(
// CHECK:         %[[M:[0-9]+]] = attn.map "bhgqd->bhgqd"
// CHECK:         %[[G:[0-9]+]] = attn.contract "bhgqd,had->bhgqa"(%[[M]], %{{.*}})
// CHECK:         attn.map "->bhgqk"()
// CHECK:           attn.read %[[G]]
!Q = tensor<1x2x1x4x8xf32>
!T = tensor<2x4x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
func.func @takes_the_right_operand(%q: !Q, %table: tensor<2x9x8xf32>) -> !S {
  %e = attn.map "bhgqd->bhgqd" (%q) : (!Q) -> !Q {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %d: index):
    %y = arith.addf %x, %x : f32
    attn.yield %y : f32
  }
  %t = attn.map "->hqkd" () : () -> !T {
  ^bb0(%h: index, %i: index, %j: index, %d: index):
    %r = arith.subi %j, %i : index
    %y = attn.read %table[%h, %r, %d] : tensor<2x9x8xf32> -> f32
    attn.yield %y : f32
  }
  %s = attn.contract "bhgqd,hqkd->bhgqk" (%e, %t) : (!Q, !T) -> !S
  return %s : !S
}

// -----

// Four sums that cancel are no better than one.
// CHECK-LABEL: func.func @keeps_a_distance(
// CHECK:         attn.map
// CHECK:         attn.map
// CHECK:         attn.contract "bqkd,bqkd->bqk"
!Q = tensor<2x4x8xf32>
!T = tensor<2x4x4x8xf32>
!S = tensor<2x4x4xf32>
func.func @keeps_a_distance(%q: !Q, %k: !Q, %m: !Q) -> !S {
  %t = attn.map "bqd,bkd->bqkd" (%q, %k) : (!Q, !Q) -> !T {
  ^bb0(%x: f32, %y: f32, %b: index, %i: index, %j: index, %d: index):
    %z = arith.subf %x, %y : f32
    attn.yield %z : f32
  }
  %u = attn.map "bqd,bkd->bqkd" (%q, %m) : (!Q, !Q) -> !T {
  ^bb0(%x: f32, %y: f32, %b: index, %i: index, %j: index, %d: index):
    %z = arith.subf %x, %y : f32
    attn.yield %z : f32
  }
  %s = attn.contract "bqkd,bqkd->bqk" (%t, %u) : (!T, !T) -> !S
  return %s : !S
}
