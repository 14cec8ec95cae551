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

// -----

// A choice by a place of rows is a choice of products; of a row that is there
// twice there is one.
// CHECK-LABEL: func.func @takes_a_choice(
// CHECK:         %[[P:[0-9]+]] = attn.contract "bhkd,bhgqd->bhkgq"(%{{.*}}, %{{.*}})
// CHECK-NOT:     attn.contract
// CHECK:         attn.map "bhkgq->bhgqk"(%[[P]])
// CHECK-NEXT:    ^bb0(%[[X:x]]: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
// CHECK-DAG:       %[[C:[0-9]+]] = arith.cmpi sgt, %k, %q
// CHECK-DAG:       %[[N:[0-9]+]] = arith.negf %[[X]]
// CHECK:           %[[S:[0-9]+]] = arith.select %[[C]], %[[X]], %[[N]]
// CHECK-NEXT:      attn.yield %[[S]]
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!T = tensor<1x2x1x4x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
func.func @takes_a_choice(%q: !Q, %k: !K) -> !S {
  %t = attn.map "bhgqd->bhgqkd" (%q) : (!Q) -> !T {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %d: index):
    %c = arith.cmpi sgt, %j, %i : index
    %n = arith.negf %x : f32
    %y = arith.select %c, %x, %n : f32
    attn.yield %y : f32
  }
  %s = attn.contract "bhgqkd,bhkd->bhgqk" (%t, %k) : (!T, !K) -> !S
  return %s : !S
}

// -----

// A number of the pair multiplies products, and alone a product with ones; the
// condition may be an input.
// CHECK-LABEL: func.func @takes_numbers(
// CHECK-SAME:      %[[Q:.*]]: tensor<1x2x1x4x8xf32>, %[[K:.*]]: tensor<1x2x5x8xf32>, %[[F:.*]]: tensor<4x5xf32>, %[[M:.*]]: tensor<1x5xi1>
// CHECK-DAG:     %[[A:[0-9]+]] = attn.contract "bhgqd,bhkd->bhgqk"(%[[Q]], %[[K]])
// CHECK-DAG:     %[[ones:[0-9]+]] = attn.map "->d"()
// CHECK-DAG:     %[[B:[0-9]+]] = attn.contract "bhgqd,d->bhgq"(%[[Q]], %[[ones]])
// CHECK:         attn.map "qk,bk,bhgqk,bhgq->bhgqk"(%[[F]], %[[M]], %[[A]], %[[B]])
// CHECK-NEXT:    ^bb0(%[[f:[a-z0-9_]+]]: f32, %[[m:[a-z0-9_]+]]: i1, %[[a:[a-z0-9_]+]]: f32, %[[b:[a-z0-9_]+]]: f32, %b: index,
// CHECK-DAG:       %[[t:[0-9]+]] = arith.mulf %[[a]], %[[f]]
// CHECK-DAG:       %[[o:[0-9]+]] = arith.mulf %[[b]], %cst
// CHECK:           arith.select %[[m]], %[[t]], %[[o]]
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!T = tensor<1x2x4x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
func.func @takes_numbers(%q: !Q, %k: !K, %f: tensor<4x5xf32>, %m: tensor<1x5xi1>) -> !S {
  %t = attn.map "bhkd,qk,bk->bhqkd" (%k, %f, %m) : (!K, tensor<4x5xf32>, tensor<1x5xi1>) -> !T {
  ^bb0(%x: f32, %n: f32, %c: i1, %b: index, %h: index, %i: index, %j: index, %d: index):
    %two = arith.constant 2.0 : f32
    %y = arith.mulf %x, %n : f32
    %z = arith.select %c, %y, %two : f32
    attn.yield %z : f32
  }
  %s = attn.contract "bhgqd,bhqkd->bhgqk" (%q, %t) : (!Q, !T) -> !S
  return %s : !S
}

// -----

// A condition of elements differs from feature to feature.
// CHECK-LABEL: func.func @keeps_a_choice_by_elements(
// CHECK:         attn.map "bhgqd,bhkd->bhgqkd"
// CHECK:         attn.contract "bhgqkd,bhkd->bhgqk"
// CHECK-NOT:     attn.contract
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!T = tensor<1x2x1x4x5x8xf32>
!S = tensor<1x2x1x4x5xf32>
func.func @keeps_a_choice_by_elements(%q: !Q, %k: !K) -> !S {
  %t = attn.map "bhgqd,bhkd->bhgqkd" (%q, %k) : (!Q, !K) -> !T {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %d: index):
    %c = arith.cmpf ogt, %x, %y : f32
    %z = arith.select %c, %x, %y : f32
    attn.yield %z : f32
  }
  %s = attn.contract "bhgqkd,bhkd->bhgqk" (%t, %k) : (!T, !K) -> !S
  return %s : !S
}

// -----

// Where each pair has rows of its own anyway, a table would be multiplied with
// each of them.
// CHECK-LABEL: func.func @keeps_a_table_of_pairs(
// CHECK:         attn.map "bhkd->bhqkd"
// CHECK:         attn.map "bhgqd,bhkd->bhgqkd"
// CHECK:         attn.contract "bhqkd,bhgqkd->bhgqk"
// CHECK-NOT:     attn.contract
!Q = tensor<1x2x3x4x8xf32>
!K = tensor<1x2x5x8xf32>
!T = tensor<1x2x4x5x8xf32>
!P = tensor<1x2x3x4x5x8xf32>
!S = tensor<1x2x3x4x5xf32>
func.func @keeps_a_table_of_pairs(%q: !Q, %k: !K, %table: tensor<9x8xf32>) -> !S {
  %t = attn.map "bhkd->bhqkd" (%k) : (!K) -> !T {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index, %d: index):
    %r = arith.subi %j, %i : index
    %y = attn.read %table[%r, %d] : tensor<9x8xf32> -> f32
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %u = attn.map "bhgqd,bhkd->bhgqkd" (%q, %k) : (!Q, !K) -> !P {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %d: index):
    %z = arith.subf %x, %y : f32
    attn.yield %z : f32
  }
  %s = attn.contract "bhqkd,bhgqkd->bhgqk" (%t, %u) : (!T, !P) -> !S
  return %s : !S
}

// -----

// One number that a map repeats.
// CHECK-LABEL: func.func @repeats_a_number(
// CHECK:         %[[P:[0-9]+]] = attn.contract "d,d->"
// CHECK:         attn.map "->h"(%[[P]]) : ({{.*}}) -> tensor<2xf32>
func.func @repeats_a_number(%u: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2xf32> {
  %t = attn.map "d->hd" (%u) : (tensor<8xf32>) -> tensor<2x8xf32> {
  ^bb0(%x: f32, %h: index, %d: index):
    attn.yield %x : f32
  }
  %s = attn.contract "hd,d->h" (%t, %v) : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}

// -----

// The row that all pairs have of a table is a row, whatever else is in it.
// CHECK-LABEL: func.func @takes_one_row(
// CHECK-SAME:      %[[Q:.*]]: tensor<2x4x8xf32>, %[[K:.*]]: tensor<2x5x8xf32>, %[[T:.*]]: tensor<9x8xf32>
// CHECK:         %[[R:[0-9]+]] = attn.map "->d"(){{.*}} {
// CHECK-NEXT:    ^bb0(%[[D:[a-z]+]]: index):
// CHECK-NEXT:      %[[C:.*]] = arith.constant 3 : index
// CHECK-NEXT:      attn.read %[[T]]{{.}}%[[C]], %[[D]]]
// CHECK:         attn.contract "hkd,d->hk"(%[[K]], %[[R]])
// CHECK:         arith.select
!Q = tensor<2x4x8xf32>
!K = tensor<2x5x8xf32>
!T = tensor<2x4x5x8xf32>
!S = tensor<2x4x5xf32>
func.func @takes_one_row(%q: !Q, %k: !K, %table: tensor<9x8xf32>) -> !S {
  %t = attn.map "hqd->hqkd" (%q) : (!Q) -> !T {
  ^bb0(%x: f32, %h: index, %i: index, %j: index, %d: index):
    %c3 = arith.constant 3 : index
    %y = attn.read %table[%c3, %d] : tensor<9x8xf32> -> f32
    %later = arith.cmpi sgt, %j, %i : index
    %z = arith.select %later, %x, %y : f32
    attn.yield %z : f32
  }
  %s = attn.contract "hqkd,hkd->hqk" (%t, %k) : (!T, !K) -> !S
  return %s : !S
}
