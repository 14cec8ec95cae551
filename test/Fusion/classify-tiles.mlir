// RUN: attnc-opt %s --attn-mask-ranges --attn-classify-tiles | FileCheck %s

!Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!D = tensor<?x?xi32, #attn.dims<batch, kv_len>>

// Ids in any order: the intervals of a tile's queries and keys decide.
// CHECK-LABEL: func.func @documents_in_any_order(
// CHECK: } classify {
// CHECK-NEXT: ^bb0(%[[B:.*]]: index, %{{.*}}: index, %{{.*}}: index, %[[Q0:.*]]: index, %[[Q1:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK: %[[QLAST:.*]] = arith.addi %[[Q1]], %{{.*}} : index
// CHECK: %[[QMAX:.*]] = attn.table_max %{{.*}}[%[[B]], %[[Q0]]] to[%[[B]], %[[QLAST]]]
// CHECK: %[[KLAST:.*]] = arith.addi %[[K1]], %{{.*}} : index
// CHECK: %[[KMIN:.*]] = attn.table_min %{{.*}}[%[[B]], %[[K0]]] to[%[[B]], %[[KLAST]]]
// CHECK: %[[D0:.*]] = arith.subi %[[QMAX]], %[[KMIN]] : index
// CHECK: %[[MAY0:.*]] = arith.cmpi sge, %[[D0]], %{{.*}} : index
// CHECK: %[[MAY1:.*]] = arith.cmpi sge
// CHECK: %[[MAY:.*]] = arith.andi %[[MAY0]], %[[MAY1]] : i1
// CHECK: %[[ONE:.*]] = arith.select %[[MAY]], %{{.*}}, %{{.*}} : index
// CHECK: %[[CLASS:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ONE]] : index
// CHECK-NEXT: attn.yield %[[CLASS]] : index
func.func @documents_in_any_order(%q: !Q, %k: !K, %v: !K, %doc: !D) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %x = attn.read %doc[%b, %i] : !D -> index
    %y = attn.read %doc[%b, %j] : !D -> index
    %c = arith.cmpi eq, %x, %y : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// Segments say it all.
// CHECK-LABEL: func.func @causal_needs_no_classes(
// CHECK: } ranges {
// CHECK-NOT: classify
func.func @causal_needs_no_classes(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// Each tile has some of every fourth key.
// CHECK-LABEL: func.func @short_strides_decide_nothing(
// CHECK: } ranges {
// CHECK-NOT: classify
func.func @short_strides_decide_nothing(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %s = arith.constant 4 : index
    %zero = arith.constant 0 : index
    %d = arith.subi %i, %j : index
    %u = arith.floordivsi %d, %s : index
    %w = arith.muli %u, %s : index
    %r = arith.subi %d, %w : index
    %c = arith.cmpi eq, %r, %zero : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// The window lies before or behind the stripe: one hull, with a hole.
// CHECK-LABEL: func.func @holes_are_left_out(
// CHECK: } classify {
func.func @holes_are_left_out(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %near = arith.cmpi sle, %j, %i : index
    %c100 = arith.constant 100 : index
    %from = arith.subi %i, %c100 : index
    %late = arith.cmpi sgt, %j, %from : index
    %window = arith.andi %near, %late : i1
    %lo = arith.constant 1000 : index
    %hi = arith.constant 1100 : index
    %a = arith.cmpi sge, %j, %lo : index
    %e = arith.cmpi slt, %j, %hi : index
    %stripe = arith.andi %a, %e : i1
    %c = arith.ori %window, %stripe : i1
    attn.yield %c : i1
  }
  return %o : !Q
}
