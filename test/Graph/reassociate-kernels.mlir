// An order that no kernel can be made of pays for scores and weights in memory.
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' | FileCheck %s
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!s = tensor<?x2x?x6xf32, #attn.dims<batch, 2, query_len, 6>>
!l = tensor<?x2x?xf32, #attn.dims<batch, 2, query_len>>
!x = tensor<?x20x24xf32, #attn.dims<batch, 20, 24>>
!v = tensor<?x6x2x8xf32, #attn.dims<batch, 6, 2, 8>>
!q = tensor<?x?x24xf32, #attn.dims<batch, query_len, 24>>

// Six keys made of twenty rows. The output's matrix could multiply each head's
// values, but then the product with the weights would sum over the heads, too.
// CHECK-LABEL: func.func @keeps_the_sum_over_heads(
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize
// CHECK:         %[[O:.*]] = attn.contract "bhqk,bkhe->bqhe"(%[[P]],
// CHECK:         attn.contract "bqhe,hem->bqm"(%[[O]],
// REMARK: remark: product of 5 at {{.*}}: (weights (arg1 (arg2 arg3))) arg4, as written, {{.*}}; left [order]
func.func @keeps_the_sum_over_heads(%S: !s, %F: tensor<6x20xf32>, %x: !x, %wv: tensor<24x2x8xf32> {attnc.resident}, %wo: tensor<2x8x24xf32> {attnc.resident}) -> !q {
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!s) -> (!s, !l)
  %xv = attn.contract "bnm,mhe->bnhe" (%x, %wv) : (!x, tensor<24x2x8xf32>) -> tensor<?x20x2x8xf32, #attn.dims<batch, 20, 2, 8>>
  %v = attn.contract "kn,bnhe->bkhe" (%F, %xv) : (tensor<6x20xf32>, tensor<?x20x2x8xf32, #attn.dims<batch, 20, 2, 8>>) -> !v
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (!s, !v) -> tensor<?x?x2x8xf32, #attn.dims<batch, query_len, 2, 8>>
  %y = attn.contract "bqhe,hem->bqm" (%o, %wo) : (tensor<?x?x2x8xf32, #attn.dims<batch, query_len, 2, 8>>, tensor<2x8x24xf32>) -> !q
  return %y : !q
}

// Four query heads of each of two KV heads: rows without heads leave the pairs
// three axes of queries, one more than a kernel has. It is worth that for one
// query, whose scores are few.
!sg = tensor<?x2x4x?x?xf32, #attn.dims<batch, 2, 4, query_len, kv_len>>
!lg = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>
!e = tensor<?x?x48xf32, #attn.dims<batch, kv_len, 48>>
!vg = tensor<?x?x2x64xf32, #attn.dims<batch, kv_len, 2, 64>>
!og = tensor<?x?x2x4x64xf32, #attn.dims<batch, query_len, 2, 4, 64>>
// CHECK-LABEL: func.func @loses_a_kernel_of_one_query(
// CHECK:         attn.contract "bhgqk,bkm->bhgqm"
func.func @loses_a_kernel_of_one_query(%S: !sg, %e: !e, %wv: tensor<48x2x64xf32> {attnc.resident}) -> !og attributes {attnc.expect = [{batch = 1 : i64, query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!sg) -> (!sg, !lg)
  %v = attn.contract "bkm,mhe->bkhe" (%e, %wv) : (!e, tensor<48x2x64xf32>) -> !vg
  %o = attn.contract "bhgqk,bkhe->bqhge" (%p, %v) : (!sg, !vg) -> !og
  return %o : !og
}

// CHECK-LABEL: func.func @keeps_a_kernel_of_queries(
// CHECK:         attn.contract "bkm,mhe->bkhe"
// CHECK:         attn.contract "bhgqk,bkhe->bqhge"
func.func @keeps_a_kernel_of_queries(%S: !sg, %e: !e, %wv: tensor<48x2x64xf32> {attnc.resident}) -> !og attributes {attnc.expect = [{batch = 1 : i64, query_len = 96 : i64, kv_len = 4096 : i64}]} {
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!sg) -> (!sg, !lg)
  %v = attn.contract "bkm,mhe->bkhe" (%e, %wv) : (!e, tensor<48x2x64xf32>) -> !vg
  %o = attn.contract "bhgqk,bkhe->bqhge" (%p, %v) : (!sg, !vg) -> !og
  return %o : !og
}
