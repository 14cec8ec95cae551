// Orders that follow from costs alone. Each derivation has a twin that is
// cheaper as written.
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' | FileCheck %s
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!s = tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>
!l = tensor<?x?xf32, #attn.dims<batch, query_len>>
!sh = tensor<?x8x?x?xf32, #attn.dims<batch, 8, query_len, kv_len>>
!lh = tensor<?x8x?xf32, #attn.dims<batch, 8, query_len>>

// Values of rank 16, V = U A: queries take the rows of U, A comes last.
// CHECK-LABEL: func.func @low_rank_values(
// CHECK-SAME:    %[[S:[a-z0-9]+]]: {{[^%]*}}%[[U:[a-z0-9]+]]: {{[^%]*}}%[[A:[a-z0-9]+]]: {{[^%]*}}
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize
// CHECK:         %[[PU:.*]] = attn.contract "bqk,bkr->bqr"(%[[P]], %[[U]])
// CHECK:         %[[O:.*]] = attn.contract "bqr,re->bqe"(%[[PU]], %[[A]])
// CHECK:         return %[[O]]
// REMARK: remark: product of 3 factors at query_len = 1024, kv_len = 1024: weights (arg1 arg2), in the order as written, takes 1.09e+09 FLOPs, 6.39e+06 bytes, 6.76e+07 cycles; (weights arg1) arg2 5.03e+07 FLOPs, 2.33e+06 bytes, 1.57e+06 cycles; reordered [order]
func.func @low_rank_values(%S: !s, %U: tensor<?x?x16xf32, #attn.dims<batch, kv_len, 16>>, %A: tensor<16x512xf32>) -> tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>> {
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!s) -> (!s, !l)
  %v = attn.contract "bkr,re->bke" (%U, %A) : (tensor<?x?x16xf32, #attn.dims<batch, kv_len, 16>>, tensor<16x512xf32>) -> tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>
  %o = attn.contract "bqk,bke->bqe" (%p, %v) : (!s, tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>) -> tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>
  return %o : tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>
}

// U is wider than V: its product with A is made once for each key.
// CHECK-LABEL: func.func @keeps_wide_factors(
// CHECK:         attn.contract "bkr,re->bke"
// CHECK:         attn.contract "bqk,bke->bqe"
// REMARK: remark: product of 3 factors at query_len = 1024, kv_len = 1024: weights (arg1 arg2), in the order as written, takes 2.01e+08 FLOPs, 3.01e+06 bytes, 6.29e+06 cycles; unchanged [order]
func.func @keeps_wide_factors(%S: !s, %U: tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>, %A: tensor<512x64xf32>) -> tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>> {
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!s) -> (!s, !l)
  %v = attn.contract "bkr,re->bke" (%U, %A) : (tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>, tensor<512x64xf32>) -> tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>
  %o = attn.contract "bqk,bke->bqe" (%p, %v) : (!s, tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>) -> tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
  return %o : tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
}

// A value matrix made of value-down (512 to 16) and value-up (16 to 512).
// CHECK-LABEL: func.func @value_down_value_up(
// CHECK-SAME:    %[[S:[a-z0-9]+]]: {{[^%]*}}%[[Y:[a-z0-9]+]]: {{[^%]*}}%[[D:[a-z0-9]+]]: {{[^%]*}}%[[U:[a-z0-9]+]]: {{[^%]*}}
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize
// CHECK:         %[[YD:.*]] = attn.contract "bkm,mr->bkr"(%[[Y]], %[[D]])
// CHECK:         %[[PYD:.*]] = attn.contract "bqk,bkr->bqr"(%[[P]], %[[YD]])
// CHECK:         attn.contract "bqr,re->bqe"(%[[PYD]], %[[U]])
func.func @value_down_value_up(%S: !s, %Y: tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>, %down: tensor<512x16xf32> {attnc.resident}, %up: tensor<16x512xf32> {attnc.resident}) -> tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>> {
  %p, %lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!s) -> (!s, !l)
  %w = attn.contract "mr,re->me" (%down, %up) : (tensor<512x16xf32>, tensor<16x512xf32>) -> tensor<512x512xf32>
  %v = attn.contract "bkm,me->bke" (%Y, %w) : (tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>, tensor<512x512xf32>) -> tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>
  %o = attn.contract "bqk,bke->bqe" (%p, %v) : (!s, tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>) -> tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>
  return %o : tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>
}

// The circuit of queries and keys: with one query the keys' matrix is better
// applied to it than to each of 4096 keys.
// CHECK-LABEL: func.func @few_queries(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: {{[^%]*}}%[[Y:[a-z0-9]+]]: {{[^%]*}}%[[WQ:[a-z0-9]+]]: {{[^%]*}}%[[WK:[a-z0-9]+]]: {{[^%]*}}
// CHECK:         %[[Q:.*]] = attn.contract "bqm,mha->bqha"(%[[X]], %[[WQ]])
// CHECK:         %[[QK:.*]] = attn.contract "bqha,dha->bqhd"(%[[Q]], %[[WK]])
// CHECK:         attn.contract "bqhd,bkd->bhqk"(%[[QK]], %[[Y]])
// REMARK: remark: product of 4 factors at kv_len = 4096, query_len = 1: (arg0 arg2) (arg1 arg3), in the order as written, takes 2.15e+09 FLOPs, {{.*}}; ((arg0 arg2) arg3) arg1 3.46e+07 FLOPs, {{.*}}; reordered [order]
func.func @few_queries(%X: tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>, %Y: tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>, %wq: tensor<512x8x64xf32> {attnc.resident}, %wk: tensor<512x8x64xf32> {attnc.resident}) -> !lh attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %q = attn.contract "bqm,mhd->bqhd" (%X, %wq) : (tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>, tensor<512x8x64xf32>) -> tensor<?x?x8x64xf32, #attn.dims<batch, query_len, 8, 64>>
  %k = attn.contract "bkm,mhd->bkhd" (%Y, %wk) : (tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>, tensor<512x8x64xf32>) -> tensor<?x?x8x64xf32, #attn.dims<batch, kv_len, 8, 64>>
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (tensor<?x?x8x64xf32, #attn.dims<batch, query_len, 8, 64>>, tensor<?x?x8x64xf32, #attn.dims<batch, kv_len, 8, 64>>) -> !sh
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!sh) -> (!sh, !lh)
  return %lse : !lh
}

// CHECK-LABEL: func.func @keeps_many_queries(
// CHECK:         attn.contract "bqm,mhd->bqhd"
// CHECK:         attn.contract "bkm,mhd->bkhd"
// CHECK:         attn.contract "bqhd,bkhd->bhqk"
func.func @keeps_many_queries(%X: tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>, %Y: tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>, %wq: tensor<512x8x64xf32> {attnc.resident}, %wk: tensor<512x8x64xf32> {attnc.resident}) -> !lh attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %q = attn.contract "bqm,mhd->bqhd" (%X, %wq) : (tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>, tensor<512x8x64xf32>) -> tensor<?x?x8x64xf32, #attn.dims<batch, query_len, 8, 64>>
  %k = attn.contract "bkm,mhd->bkhd" (%Y, %wk) : (tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>, tensor<512x8x64xf32>) -> tensor<?x?x8x64xf32, #attn.dims<batch, kv_len, 8, 64>>
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (tensor<?x?x8x64xf32, #attn.dims<batch, query_len, 8, 64>>, tensor<?x?x8x64xf32, #attn.dims<batch, kv_len, 8, 64>>) -> !sh
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!sh) -> (!sh, !lh)
  return %lse : !lh
}

// The circuit of values and outputs, and heads that are summed: the output
// matrix multiplies the row of all heads, or each head's and they are added.
// CHECK-LABEL: func.func @heads_are_summed(
// CHECK-SAME:    %[[S:[a-z0-9]+]]: {{[^%]*}}%[[Y:[a-z0-9]+]]: {{[^%]*}}%[[WV:[a-z0-9]+]]: {{[^%]*}}%[[WO:[a-z0-9]+]]: {{[^%]*}}
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize
// CHECK:         %[[W:.*]] = attn.view "(he)m->hem" %[[WO]]
// CHECK:         %[[PY:.*]] = attn.contract "bhqk,bka->bhqa"(%[[P]], %[[Y]])
// CHECK:         %[[O:.*]] = attn.contract "bhqa,ahe->bhqe"(%[[PY]], %[[WV]])
// CHECK:         attn.contract "bhqe,hem->bqm"(%[[O]], %[[W]])
func.func @heads_are_summed(%S: !sh, %Y: tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>, %wv: tensor<512x8x64xf32> {attnc.resident}, %wo: tensor<512x512xf32> {attnc.resident}) -> tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>> attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!sh) -> (!sh, !lh)
  %v = attn.contract "bkm,mhe->bkhe" (%Y, %wv) : (tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>, tensor<512x8x64xf32>) -> tensor<?x?x8x64xf32, #attn.dims<batch, kv_len, 8, 64>>
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (!sh, tensor<?x?x8x64xf32, #attn.dims<batch, kv_len, 8, 64>>) -> tensor<?x?x8x64xf32, #attn.dims<batch, query_len, 8, 64>>
  %c = attn.view "bqhe->bq(he)" %o : tensor<?x?x8x64xf32, #attn.dims<batch, query_len, 8, 64>> -> tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>
  %y = attn.contract "bqe,em->bqm" (%c, %wo) : (tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>, tensor<512x512xf32>) -> tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>
  return %y : tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>
}

// CHECK-LABEL: func.func @keeps_heads_of_many_queries(
// CHECK:         attn.contract "bkm,mhe->bkhe"
// CHECK:         attn.contract "bhqk,bkhe->bqhe"
// CHECK:         attn.contract "bqhe,hem->bqm"
func.func @keeps_heads_of_many_queries(%S: !sh, %Y: tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>, %wv: tensor<512x8x64xf32> {attnc.resident}, %wo: tensor<8x64x512xf32> {attnc.resident}) -> tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>> attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!sh) -> (!sh, !lh)
  %v = attn.contract "bkm,mhe->bkhe" (%Y, %wv) : (tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>, tensor<512x8x64xf32>) -> tensor<?x?x8x64xf32, #attn.dims<batch, kv_len, 8, 64>>
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (!sh, tensor<?x?x8x64xf32, #attn.dims<batch, kv_len, 8, 64>>) -> tensor<?x?x8x64xf32, #attn.dims<batch, query_len, 8, 64>>
  %y = attn.contract "bqhe,hem->bqm" (%o, %wo) : (tensor<?x?x8x64xf32, #attn.dims<batch, query_len, 8, 64>>, tensor<8x64x512xf32>) -> tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>
  return %y : tensor<?x?x512xf32, #attn.dims<batch, query_len, 512>>
}

// Weights that are scores, and scores that are products of features.
// CHECK-LABEL: func.func @keys_times_values(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: {{[^%]*}}%[[K:[a-z0-9]+]]: {{[^%]*}}%[[V:[a-z0-9]+]]: {{[^%]*}}
// CHECK:         %[[KV:.*]] = attn.contract "bkd,bke->bde"(%[[K]], %[[V]])
// CHECK:         attn.contract "bqd,bde->bqe"(%[[Q]], %[[KV]])
func.func @keys_times_values(%fq: tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>, %fk: tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>, %v: tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>) -> tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>> {
  %s = attn.contract "bqd,bkd->bqk" (%fq, %fk) : (tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>, tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>) -> !s
  %o = attn.contract "bqk,bke->bqe" (%s, %v) : (!s, tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>) -> tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
  return %o : tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
}

// CHECK-LABEL: func.func @keeps_pairs_of_short_sequences(
// CHECK:         attn.contract "bqd,bkd->bqk"
// CHECK:         attn.contract "bqk,bke->bqe"
func.func @keeps_pairs_of_short_sequences(%fq: tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>, %fk: tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>, %v: tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>) -> tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>> attributes {attnc.expect = [{query_len = 8 : i64, kv_len = 8 : i64}]} {
  %s = attn.contract "bqd,bkd->bqk" (%fq, %fk) : (tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>, tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>) -> !s
  %o = attn.contract "bqk,bke->bqe" (%s, %v) : (!s, tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>) -> tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
  return %o : tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
}
