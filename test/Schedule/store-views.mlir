// RUN: attnc-opt %s --attn-store-views | FileCheck %s

!q = tensor<2x4x1x?x8xf32, #attn.dims<2, 4, 1, query_len, 8>>
!k = tensor<2x4x?x8xf32, #attn.dims<2, 4, kv_len, 8>>
!l = tensor<2x4x1x?xf32, #attn.dims<2, 4, 1, query_len>>
!flat = tensor<2x?x32xf32, #attn.dims<2, query_len, 32>>
!eight = tensor<2x8x?x4xf32, #attn.dims<2, 8, query_len, 4>>

// Four heads of eight features are no rows of eight heads of four.
// CHECK-LABEL: func.func @stores_heads_cut_otherwise(
// CHECK:         %[[Q:.*]] = attn.view "bq(hgd)->bhgqd"
// CHECK-NEXT:    %[[STORED:.*]] = attn.map "bhgqd->bhgqd"(%[[Q]]) :
// CHECK-NEXT:    ^bb0(%[[X:[^:]*]]: f32,
// CHECK-NEXT:      attn.yield %[[X]] : f32
// CHECK:         attn.kernel ins(%[[STORED]], %{{.*}}, %{{.*}} :
func.func @stores_heads_cut_otherwise(%x: !eight, %K: !k, %V: !k) -> !q {
  %m = attn.view "bnqc->bq(nc)" %x : !eight -> !flat
  %q = attn.view "bq(hgd)->bhgqd" %m : !flat -> !q
  %o, %lse = attn.kernel ins(%q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%s: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !q
}

// Heads vary faster than keys along the axis, so blocks of keys have gaps.
// CHECK-LABEL: func.func @stores_rows_that_share_an_axis(
// CHECK:         %[[STORED:.*]] = attn.map "bhkd->bhkd"
// CHECK:         attn.kernel ins(%{{.*}}, %[[STORED]], %{{.*}} :
!rows = tensor<2x?x8xf32, #attn.dims<2, "4 * kv_len", 8>>
func.func @stores_rows_that_share_an_axis(%Q: !q, %x: !rows, %V: !k) -> !q {
  %k = attn.view "b(kh)d->bhkd" %x : !rows -> !k
  %o, %lse = attn.kernel ins(%Q, %k, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%s: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !q
}

// CHECK-LABEL: func.func @leaves_heads_in_rows(
// CHECK-NOT:     attn.map
func.func @leaves_heads_in_rows(%x: !flat, %K: !k, %V: !k) -> !q {
  %q = attn.view "bq(hgd)->bhgqd" %x : !flat -> !q
  %o, %lse = attn.kernel ins(%q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%s: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !q
}

// A kernel finds pages of keys by their table; pages of queries are stored.
// CHECK-LABEL: func.func @stores_queries_in_pages(
// CHECK:         %[[Q:.*]] = attn.view "bq(hg)d->bhgqd"
// CHECK:         %[[K:.*]] = attn.view "bkhd->bhkd"
// CHECK:         %[[STORED:.*]] = attn.map "bhgqd->bhgqd"(%[[Q]])
// CHECK:         attn.kernel ins(%[[STORED]], %[[K]], %[[K]] :
!pages = tensor<?x16x4x8xf32, #attn.dims<pages, 16, 4, 8>>
!t = tensor<2x?xi32, #attn.dims<2, width>>
func.func @stores_queries_in_pages(%x: !pages, %t: !t) -> !q {
  %qs = attn.pages %x by %t : !pages, !t -> tensor<2x?x4x8xf32, #attn.dims<2, query_len, 4, 8>>
  %q = attn.view "bq(hg)d->bhgqd" %qs : tensor<2x?x4x8xf32, #attn.dims<2, query_len, 4, 8>> -> !q
  %ks = attn.pages %x by %t : !pages, !t -> tensor<2x?x4x8xf32, #attn.dims<2, kv_len, 4, 8>>
  %k = attn.view "bkhd->bhkd" %ks : tensor<2x?x4x8xf32, #attn.dims<2, kv_len, 4, 8>> -> !k
  %o, %lse = attn.kernel ins(%q, %k, %k : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%s: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !q
}
