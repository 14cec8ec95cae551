// Query heads of a group become rows of one block, by the schedule, where that
// is faster over the sizes of `expect` and nothing prevents it.
// RUN: attnc-opt %s --split-input-file --attn-select-schedule='cpu=x86-64-v3' 2>/dev/null | FileCheck %s
// RUN: attnc-opt %s --split-input-file --attn-select-schedule='cpu=x86-64-v3' -o /dev/null 2>&1 | grep 'packed' | FileCheck %s --check-prefix=REMARK

!Q = tensor<?x6x?x8xf16, #attn.dims<batch, 6, query_len, 8>>
!q = tensor<?x2x3x?x8xf16, #attn.dims<batch, 2, 3, query_len, 8>>
!K = tensor<?x2x?x8xf16, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>
!T = tensor<?xf32, #attn.dims<query_len>>
// Rows of one query follow each other. Formulas are of the query; what view splits
// heads into groups becomes an index.
// CHECK-LABEL: func.func @heads_become_rows(
// CHECK:         schedule = #attn.schedule<{{.*}}row_axes = gq
// REMARK: remark: 3 query heads per KV head are packed into rows, predicted time relative to separate heads: {{[0-9.]+}}% at {{.*}} [kernel]
func.func @heads_become_rows(%Q: !Q, %K: !K, %T: !T) -> !q attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64, weight = 1.0 : f64}]} {
  %q = attn.view "b(hg)qd->bhgqd" %Q : !Q -> !q
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
// CHECK-NOT:     row_axes
// CHECK:         return
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
// CHECK-NOT:     row_axes
// CHECK:         return
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
// A slope per head is one per lane: in the score and in the sink.
// CHECK-LABEL: func.func @takes_formulas_of_the_head(
// CHECK:         schedule = #attn.schedule<{{.*}}row_axes = gq
// REMARK: remark: 3 query heads per KV head are packed into rows, predicted time relative to separate heads: {{[0-9.]+}}% at {{.*}} [kernel]
func.func @takes_formulas_of_the_head(%q: !q, %K: !K, %slope: !S) -> !q attributes {attnc.expect = [{query_len = 1 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %s = attn.read %slope[%h, %g] : !S -> f32
    %y = arith.addf %x, %s : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } init {
  ^bb0(%b: index, %h: index, %g: index, %i: index):
    %s = attn.read %slope[%h, %g] : !S -> f32
    attn.yield %s : f32
  }
  return %o : !q
}

// -----

!q = tensor<?x2x3x?x8xf32, #attn.dims<batch, 2, 3, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>
!W = tensor<2x3xi32, #attn.dims<2, 3>>
// The keys to visit would be those of the widest window.
// CHECK-LABEL: func.func @keeps_masks_of_the_head(
// CHECK-NOT:     row_axes
// CHECK:         return
// REMARK: remark: few queries are expected, but grouped heads are not packed into rows: its mask differs between heads [kernel]
func.func @keeps_masks_of_the_head(%q: !q, %K: !K, %window: !W) -> !q attributes {attnc.expect = [{query_len = 1 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %n = attn.read %window[%h, %g] : !W -> index
    %c = arith.cmpi slt, %j, %n : index
    attn.yield %c : i1
  }
  return %o : !q
}

// -----

!q = tensor<?x2x3x?x8xf32, #attn.dims<batch, 2, 3, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>
!V = tensor<2x3x8xf32, #attn.dims<2, 3, 8>>
// A weight of a feature would be gathered for each pair and feature.
// CHECK-LABEL: func.func @keeps_features_of_the_head(
// CHECK-NOT:     row_axes
// CHECK:         return
// REMARK: remark: few queries are expected, but grouped heads are not packed into rows: a per-feature formula differs between heads [kernel]
func.func @keeps_features_of_the_head(%q: !q, %K: !K, %v: !V) -> !q attributes {attnc.expect = [{query_len = 1 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } pairs {
  ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    %w = attn.read %v[%h, %g, %d] : !V -> f32
    %s = arith.addf %x, %y : f32
    %t = arith.mulf %w, %s : f32
    attn.yield %t : f32
  }
  return %o : !q
}

// -----

!q = tensor<?x2x3x?x8xf32, #attn.dims<batch, 2, 3, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>
!A = tensor<?x6x?x4xf32, #attn.dims<batch, 6, query_len, 4>>
!a = tensor<?x2x3x?x4xf32, #attn.dims<batch, 2, 3, query_len, 4>>
!C = tensor<?x2x?x4xf32, #attn.dims<batch, 2, kv_len, 4>>
// Each product has rows of its own.
// CHECK-LABEL: func.func @takes_rows_of_all_products(
// CHECK:         schedule = #attn.schedule<{{.*}}row_axes = gq
// REMARK: remark: 3 query heads per KV head are packed into rows, predicted time relative to separate heads: {{[0-9.]+}}% at {{.*}} [kernel]
func.func @takes_rows_of_all_products(%q: !q, %K: !K, %A: !A, %C: !C) -> !q attributes {attnc.expect = [{query_len = 1 : i64}]} {
  %a = attn.view "b(hg)qd->bhgqd" %A : !A -> !a
  %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) products(%a, %C : !a, !C) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %y: f32):
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
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
// Whatever is one number per row goes back as o does.
// CHECK-LABEL: func.func @takes_numbers_of_rows(
// CHECK:         schedule = #attn.schedule<{{.*}}row_axes = gq
// REMARK: remark: 3 query heads per KV head are packed into rows, predicted time relative to separate heads: {{[0-9.]+}}% at {{.*}} [kernel]
func.func @takes_numbers_of_rows(%q: !q, %K: !K) -> (!q, !L) attributes {attnc.expect = [{query_len = 1 : i64}]} {
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

// -----

!q = tensor<?x2x3x?x8xf32, #attn.dims<batch, 2, 3, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>
// A kernel of rows alone; what reads them reads them where they are.
// CHECK-LABEL: func.func @takes_rows_that_are_read(
// CHECK:         schedule = #attn.schedule<{{.*}}row_axes = gq
// REMARK: remark: 3 query heads per KV head are packed into rows, predicted time relative to separate heads: {{[0-9.]+}}% at {{.*}} [kernel]
func.func @takes_rows_that_are_read(%q: !q, %K: !K, %s: !L) -> !L attributes {attnc.expect = [{query_len = 1 : i64}]} {
  %r = attn.kernel ins(%q, %K : !q, !K) -> (!L) normalize #attn.row<simplex> attributes {scale = 0.5 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  %t = attn.map "bhgq->bhgq" (%s) : (!L) -> !L {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index):
    %y = attn.read %r[%b, %h, %g, %i] : !L -> f32
    %z = arith.subf %x, %y : f32
    attn.yield %z : f32
  }
  return %t : !L
}

// -----

!q = tensor<?x2x3x?x8xf32, #attn.dims<batch, 2, 3, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>
!N = tensor<?x2x3x?xi32, #attn.dims<batch, 2, 3, query_len>>
// CHECK-LABEL: func.func @keeps_keys_that_nothing_reads(
// CHECK-NOT:     row_axes
// CHECK:         return
// REMARK: remark: few queries are expected, but grouped heads are not packed into rows: its ranks return key indices [kernel]
func.func @keeps_keys_that_nothing_reads(%q: !q, %K: !K) -> (!L, !N) attributes {attnc.expect = [{query_len = 1 : i64}]} {
  %r, %n = attn.kernel ins(%q, %K : !q, !K) -> (!L, !N) normalize #attn.row<rank, n = 8> attributes {scale = 0.5 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %r, %n : !L, !N
}

// -----

!q = tensor<?x2x3x?x8xf32, #attn.dims<batch, 2, 3, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!S = tensor<?x2x3x?x?xf32, #attn.dims<batch, 2, 3, query_len, kv_len>>
// To move a matrix of scores would cost as much as it saves.
// CHECK-LABEL: func.func @keeps_numbers_of_pairs(
// CHECK-NOT:     row_axes
// CHECK:         return
// REMARK: remark: few queries are expected, but grouped heads are not packed into rows: it stores per-pair values [kernel]
func.func @keeps_numbers_of_pairs(%q: !q, %K: !K) -> !S attributes {attnc.expect = [{query_len = 1 : i64}]} {
  %s = attn.kernel ins(%q, %K : !q, !K) -> (!S) normalize #attn.dense<fill = 0.0> attributes {scale = 0.5 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %s : !S
}

// -----

!q = tensor<?x2x3x?x8xf32, #attn.dims<batch, 2, 3, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, query_len>>
!V = tensor<?x2x3x?x8xf32, #attn.dims<batch, 2, 3, kv_len, 8>>
// CHECK-LABEL: func.func @keeps_values_of_query_heads(
// CHECK-NOT:     row_axes
// CHECK:         return
// REMARK: remark: few queries are expected, but grouped heads are not packed into rows: its keys or values differ between heads [kernel]
func.func @keeps_values_of_query_heads(%q: !q, %K: !K, %V: !V) -> !q attributes {attnc.expect = [{query_len = 1 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %K, %V : !q, !K, !V) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !q
}
