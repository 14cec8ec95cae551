// RUN: attnc-opt %s --attn-merge-groups --split-input-file -verify-diagnostics | FileCheck %s

!Q = tensor<?x6x?x8xf16, #attn.dims<batch, 6, query_len, 8>>
!q = tensor<?x2x3x?x8xf16, #attn.dims<batch, 2, 3, query_len, 8>>
!K = tensor<?x2x?x8xf16, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>
!T = tensor<?xf32, #attn.dims<query_len>>
// Rows of one query follow each other. Formulas are of the query; what view splits
// heads into groups becomes an index.
// CHECK-LABEL: func.func @heads_become_rows(
// CHECK-SAME:      %[[Q:.*]]: tensor<?x6x?x8xf16, {{[^,]*}}, {{[^)]*}}%[[T:[a-z0-9]*]]: tensor<?xf32
// CHECK:         %[[rows:.*]] = attn.map "->bhzqd"() : () -> tensor<?x2x1x?x8xf16, #attn.dims<batch, 2, 1, "query_len * 3", 8>> {
// CHECK-NEXT:    ^bb0(%b: index, %h: index, %z: index, %q: index, %d: index):
// CHECK:           %[[i:.*]] = arith.floordivsi %q, %c3
// CHECK:           %[[first:.*]] = arith.muli %[[i]], %c3
// CHECK:           %[[g:.*]] = arith.subi %q, %[[first]]
// CHECK:           %[[h3:.*]] = arith.muli %h, %{{.*}}
// CHECK:           %[[head:.*]] = arith.addi %[[h3]], %[[g]]
// CHECK:           %[[x:.*]] = attn.read %[[Q]][%b, %[[head]], %[[i]], %d]
// CHECK:           attn.yield %[[x]] : f32
// CHECK:         %o, %lse = attn.kernel ins(%[[rows]], %{{.*}}, %{{.*}}) -> (tensor<?x2x1x?x8xf16, #attn.dims<batch, 2, 1, "query_len * 3", 8>>, tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, "query_len * 3">>)
// CHECK:         score {
// CHECK-NEXT:    ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
// CHECK:           %[[at:.*]] = arith.floordivsi %q, %c3
// CHECK:           attn.read %[[T]][%[[at]]]
// CHECK:         mask {
// CHECK-NEXT:    ^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
// CHECK:           %[[at:.*]] = arith.floordivsi %q, %c3
// CHECK:           arith.cmpi sle, %k, %[[at]]
// CHECK:         %[[heads:.*]] = attn.map "->bhgqe"() : () -> tensor<?x2x3x?x8xf16, #attn.dims<batch, 2, 3, query_len, 8>> {
// CHECK-NEXT:    ^bb0(%b: index, %h: index, %g: index, %q: index, %e: index):
// CHECK:           %[[first:.*]] = arith.muli %q, %c3
// CHECK:           %[[row:.*]] = arith.addi %[[first]], %g
// CHECK:           attn.read %o[%b, %h, %c0, %[[row]], %e]
// CHECK:         return %[[heads]]
func.func @heads_become_rows(%Q: !Q, %K: !K, %T: !T) -> !q attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64, weight = 1.0 : f64}]} {
  %q = attn.view "b(hg)qd->bhgqd" %Q : !Q -> !q
  // expected-remark @below {{3 query heads of a KV head are rows of one block, since few queries are expected [fused]}}
  %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %t = attn.read %T[%i] : !T -> f32
    %y = arith.mulf %x, %t : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %o : !q
}

// -----

!q = tensor<?x2x3x?x8xf32, #attn.dims<batch, 2, 3, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>
// Many queries fill the lanes.
// CHECK-LABEL: func.func @keeps_many_queries(
// CHECK-NOT:     attn.map
func.func @keeps_many_queries(%q: !q, %K: !K) -> !q {
  %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !q
}

// -----

!q = tensor<?x6x1x?x8xf32, #attn.dims<batch, 6, 1, query_len, 8>>
!K = tensor<?x6x?x8xf32, #attn.dims<batch, 6, kv_len, 8>>
!L = tensor<?x6x1x?xf32, #attn.dims<batch, 6, 1, query_len>>
// CHECK-LABEL: func.func @keeps_heads_with_keys_of_their_own(
// CHECK-NOT:     attn.map
func.func @keeps_heads_with_keys_of_their_own(%q: !q, %K: !K) -> !q attributes {attnc.expect = [{query_len = 1 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !q
}

// -----

!q = tensor<?x2x3x?x8xf32, #attn.dims<batch, 2, 3, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>
!S = tensor<2x3xf32, #attn.dims<2, 3>>
// A slope per head would be one per lane.
// CHECK-LABEL: func.func @keeps_formulas_of_the_head(
// CHECK-NOT:     attn.map
func.func @keeps_formulas_of_the_head(%q: !q, %K: !K, %slope: !S) -> !q attributes {attnc.expect = [{query_len = 1 : i64}]} {
  // expected-remark @below {{few queries are expected, but heads of a group are no rows of one block: its formulas differ from head to head [fused]}}
  %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %s = attn.read %slope[%h, %g] : !S -> f32
    %y = arith.addf %x, %s : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !q
}

// -----

!q = tensor<?x2x3x?x8xf32, #attn.dims<batch, 2, 3, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>
// CHECK-LABEL: func.func @keeps_numbers_of_rows(
// CHECK-NOT:     attn.map
func.func @keeps_numbers_of_rows(%q: !q, %K: !K) -> (!q, !L) attributes {attnc.expect = [{query_len = 1 : i64}]} {
  // expected-remark @below {{few queries are expected, but heads of a group are no rows of one block: another result than o is used [fused]}}
  %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o, %lse : !q, !L
}
