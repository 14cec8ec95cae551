// Products of features that are put together: each part has its own order.
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' | FileCheck %s
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Latent attention as large as DeepSeek-V3's: 128 heads, a latent row of 512,
// features 128 + 64 and 128. K is made of the latent row, for each head, and of
// a row that all heads share.
!qn = tensor<?x?x128x128xbf16, #attn.dims<batch, query_len, 128, 128>>
!qr = tensor<?x?x128x64xbf16, #attn.dims<batch, query_len, 128, 64>>
!q = tensor<?x?x128x192xbf16, #attn.dims<batch, query_len, 128, 192>>
!c = tensor<?x?x512xbf16, #attn.dims<batch, kv_len, 512>>
!kr = tensor<?x?x64xbf16, #attn.dims<batch, kv_len, 64>>
!kn = tensor<?x?x128x128xbf16, #attn.dims<batch, kv_len, 128, 128>>
!k = tensor<?x?x128x192xbf16, #attn.dims<batch, kv_len, 128, 192>>
!w = tensor<512x128x128xbf16>
!s = tensor<?x128x?x?xf32, #attn.dims<batch, 128, query_len, kv_len>>
!p = tensor<?x128x?x?xbf16, #attn.dims<batch, 128, query_len, kv_len>>
!l = tensor<?x128x?xf32, #attn.dims<batch, 128, query_len>>

// With one query, the matrices go to the query's side: the latent row is key
// and value of all heads.
// CHECK-LABEL: func.func @one_query(
// CHECK-SAME:    %[[QN:[a-z0-9]+]]: {{[^%]*}}%[[QR:[a-z0-9]+]]: {{[^%]*}}%[[C:[a-z0-9]+]]: {{[^%]*}}%[[KR:[a-z0-9]+]]: {{[^%]*}}%[[WK:[a-z0-9]+]]: {{[^%]*}}%[[WV:[a-z0-9]+]]:
// CHECK:         %[[QC:.*]] = attn.contract "bqha,dha->bqhd"(%[[QN]], %[[WK]])
// CHECK:         %[[Q:.*]] = attn.concat "bqhd,bqhd->bqhd" along "d"(%[[QC]], %[[QR]]) : {{.*}} -> tensor<?x?x128x576xbf16
// CHECK:         %[[K:.*]] = attn.concat "bkd,bkd->bkd" along "d"(%[[C]], %[[KR]]) : {{.*}} -> tensor<?x?x576xbf16
// CHECK:         %[[S:.*]] = attn.contract "bqhd,bkd->bhqk"(%[[Q]], %[[K]])
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize {{.*}}(%[[S]])
// CHECK:         %[[PC:.*]] = attn.contract "bhqk,bkc->bhqc"(%[[P]], %[[C]])
// CHECK:         attn.contract "bhqc,che->bqhe"(%[[PC]], %[[WV]])
// REMARK: remark: product of 3 factors at kv_len = 4096, query_len = 1: weights (arg2 arg5), in the order as written, takes {{.*}}; (weights arg2) arg5 {{.*}}; reordered [order]
// REMARK: remark: sum of products at kv_len = 4096, query_len = 1: arg0 (arg2 arg4) + arg1 arg3, in the order as written, takes {{.*}}; (arg0 arg4) arg2 + arg1 arg3 {{.*}}; reordered [order]
func.func @one_query(%qn: !qn, %qr: !qr, %c: !c, %kr: !kr, %wuk: !w, %wuv: !w) -> !qn attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %kn = attn.contract "bkc,chd->bkhd" (%c, %wuk) : (!c, !w) -> !kn
  %v = attn.contract "bkc,che->bkhe" (%c, %wuv) : (!c, !w) -> !kn
  %q = attn.concat "bqhd,bqhd->bqhd" along "d" (%qn, %qr) : (!qn, !qr) -> !q
  %k = attn.concat "bkhd,bkd->bkhd" along "d" (%kn, %kr) : (!kn, !kr) -> !k
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (!q, !k) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!p, !l)
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (!p, !kn) -> !qn
  return %o : !qn
}

// With many, keys and values of each head are made once.
// CHECK-LABEL: func.func @many_queries(
// CHECK:         attn.contract "bkc,chd->bkhd"
// CHECK:         attn.contract "bkc,che->bkhe"
// CHECK:         attn.contract "bqhd,bkhd->bhqk"
// CHECK:         attn.contract "bhqk,bkhe->bqhe"
// REMARK: remark: product of 3 factors at kv_len = 4096, query_len = 4096: {{.*}}; unchanged [order]
// REMARK: remark: sum of products at kv_len = 4096, query_len = 4096: {{.*}}; unchanged [order]
func.func @many_queries(%qn: !qn, %qr: !qr, %c: !c, %kr: !kr, %wuk: !w, %wuv: !w) -> !qn attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %kn = attn.contract "bkc,chd->bkhd" (%c, %wuk) : (!c, !w) -> !kn
  %v = attn.contract "bkc,che->bkhe" (%c, %wuv) : (!c, !w) -> !kn
  %q = attn.concat "bqhd,bqhd->bqhd" along "d" (%qn, %qr) : (!qn, !qr) -> !q
  %k = attn.concat "bkhd,bkd->bkhd" along "d" (%kn, %kr) : (!kn, !kr) -> !k
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (!q, !k) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!p, !l)
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (!p, !kn) -> !qn
  return %o : !qn
}

// One order for both: a remark tells what the other regime loses.
// CHECK-LABEL: func.func @both(
// CHECK:         attn.contract "bqhd,bkd->bhqk"
// REMARK: remark: at kv_len = 4096, query_len = 4096 alone arg0 (arg2 arg4) + arg1 arg3 takes {{.*}} cycles instead of {{.*}}; a function that expects only these sizes would use it [order]
func.func @both(%qn: !qn, %qr: !qr, %c: !c, %kr: !kr, %wuk: !w, %wuv: !w) -> !qn attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}, {query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %kn = attn.contract "bkc,chd->bkhd" (%c, %wuk) : (!c, !w) -> !kn
  %v = attn.contract "bkc,che->bkhe" (%c, %wuv) : (!c, !w) -> !kn
  %q = attn.concat "bqhd,bqhd->bqhd" along "d" (%qn, %qr) : (!qn, !qr) -> !q
  %k = attn.concat "bkhd,bkd->bkhd" along "d" (%kn, %kr) : (!kn, !kr) -> !k
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (!q, !k) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!p, !l)
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (!p, !kn) -> !qn
  return %o : !qn
}

// Import's way: heads are split off after the features were put together.
!sg = tensor<?x128x1x?x?xf32, #attn.dims<batch, 128, 1, query_len, kv_len>>
!lg = tensor<?x128x1x?xf32, #attn.dims<batch, 128, 1, query_len>>
// CHECK-LABEL: func.func @through_views(
// CHECK-SAME:    %[[QN:[a-z0-9]+]]: {{[^%]*}}%[[QR:[a-z0-9]+]]: {{[^%]*}}%[[C:[a-z0-9]+]]: {{[^%]*}}%[[KR:[a-z0-9]+]]:
// CHECK:         %[[QNT:.*]] = attn.view "bqhd->bhqd" %[[QN]]
// CHECK:         %[[QNV:.*]] = attn.view "b(hg)qd->bhgqd" %[[QNT]]
// CHECK:         %[[QRT:.*]] = attn.view "bqhd->bhqd" %[[QR]]
// CHECK:         %[[QRV:.*]] = attn.view "b(hg)qd->bhgqd" %[[QRT]]
// CHECK:         %[[QC:.*]] = attn.contract "bhgqa,dha->bhgqd"(%[[QNV]],
// CHECK:         %[[Q:.*]] = attn.concat "bhgqd,bhgqd->bhgqd" along "d"(%[[QC]], %[[QRV]])
// CHECK:         %[[K:.*]] = attn.concat "bkd,bkd->bkd" along "d"(%[[C]],
// CHECK:         attn.contract "bhgqd,bkd->bhgqk"(%[[Q]], %[[K]])
func.func @through_views(%qn: !qn, %qr: !qr, %c: !c, %kr: !kr, %wuk: !w) -> !lg attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %kn = attn.contract "bkc,chd->bkhd" (%c, %wuk) : (!c, !w) -> !kn
  %q = attn.concat "bqhd,bqhd->bqhd" along "d" (%qn, %qr) : (!qn, !qr) -> !q
  %k = attn.concat "bkhd,bkd->bkhd" along "d" (%kn, %kr) : (!kn, !kr) -> !k
  %qt = attn.view "bqhd->bhqd" %q : !q -> tensor<?x128x?x192xbf16, #attn.dims<batch, 128, query_len, 192>>
  %qv = attn.view "b(hg)qd->bhgqd" %qt : tensor<?x128x?x192xbf16, #attn.dims<batch, 128, query_len, 192>> -> tensor<?x128x1x?x192xbf16, #attn.dims<batch, 128, 1, query_len, 192>>
  %kt = attn.view "bkhd->bhkd" %k : !k -> tensor<?x128x?x192xbf16, #attn.dims<batch, 128, kv_len, 192>>
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%qv, %kt) : (tensor<?x128x1x?x192xbf16, #attn.dims<batch, 128, 1, query_len, 192>>, tensor<?x128x?x192xbf16, #attn.dims<batch, 128, kv_len, 192>>) -> !sg
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!sg) -> (!sg, !lg)
  return %lse : !lg
}

// The features of the two sides are put together at other places.
// CHECK-LABEL: func.func @keeps_other_parts(
// CHECK:         attn.contract "bkc,chd->bkhd"
// CHECK:         attn.contract "bqhd,bkhd->bhqk"
func.func @keeps_other_parts(%qn: !qn, %qr: !qr, %c: !c, %kr: !kr, %wuk: !w) -> !l attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %kn = attn.contract "bkc,chd->bkhd" (%c, %wuk) : (!c, !w) -> !kn
  %q = attn.concat "bqhd,bqhd->bqhd" along "d" (%qr, %qn) : (!qr, !qn) -> !q
  %k = attn.concat "bkhd,bkd->bkhd" along "d" (%kn, %kr) : (!kn, !kr) -> !k
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (!q, !k) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  return %lse : !l
}

// The keys of all heads are needed elsewhere.
// CHECK-LABEL: func.func @keeps_a_second_use(
// CHECK:         attn.contract "bkc,chd->bkhd"
// CHECK:         attn.contract "bqhd,bkhd->bhqk"
func.func @keeps_a_second_use(%qn: !qn, %qr: !qr, %c: !c, %kr: !kr, %wuk: !w) -> (!l, !k) attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %kn = attn.contract "bkc,chd->bkhd" (%c, %wuk) : (!c, !w) -> !kn
  %q = attn.concat "bqhd,bqhd->bqhd" along "d" (%qn, %qr) : (!qn, !qr) -> !q
  %k = attn.concat "bkhd,bkd->bkhd" along "d" (%kn, %kr) : (!kn, !kr) -> !k
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (!q, !k) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  return %lse, %k : !l, !k
}

// Queries that are whole are taken in pieces, at the places of the keys' parts.
// CHECK-LABEL: func.func @whole_queries(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: {{[^%]*}}%[[C:[a-z0-9]+]]: {{[^%]*}}%[[KR:[a-z0-9]+]]: {{[^%]*}}%[[WK:[a-z0-9]+]]:
// CHECK-DAG:     %[[QN:.*]] = attn.slice "bqhd" %[[Q]] along "d"[0, 128]
// CHECK-DAG:     %[[QR:.*]] = attn.slice "bqhd" %[[Q]] along "d"[128, 64]
// CHECK:         %[[QC:.*]] = attn.contract "bqhd,chd->bqhc"(%[[QN]], %[[WK]])
// CHECK:         attn.concat "bqhd,bqhd->bqhd" along "d"(%[[QC]], %[[QR]])
// CHECK:         attn.concat "bkd,bkd->bkd" along "d"(%[[C]], %[[KR]])
// REMARK: remark: sum of products at kv_len = 4096, query_len = 1: arg0 (arg1 arg3) + arg0 arg2, in the order as written, takes {{.*}}; (arg0 arg3) arg1 + arg0 arg2 {{.*}}; reordered [order]
func.func @whole_queries(%q: !q, %c: !c, %kr: !kr, %wuk: !w) -> !p attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %kn = attn.contract "bkc,chd->bkhd" (%c, %wuk) : (!c, !w) -> !kn
  %k = attn.concat "bkhd,bkd->bkhd" along "d" (%kn, %kr) : (!kn, !kr) -> !k
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (!q, !k) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!p, !l)
  return %p : !p
}

// Keys whose parts are no products have one order.
// CHECK-LABEL: func.func @parts_without_products(
// CHECK-NOT:     attn.slice
// CHECK:         return
// REMARK-NOT: remark
func.func @parts_without_products(%q: !q, %kn: !kn, %kr: !kr) -> !p attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %k = attn.concat "bkhd,bkd->bkhd" along "d" (%kn, %kr) : (!kn, !kr) -> !k
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (!q, !k) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!p, !l)
  return %p : !p
}
