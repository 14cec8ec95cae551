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
// REMARK: remark: product of 5 factors at {{.*}}: (weights (arg1 (arg2 arg3))) arg4, in the order as written, {{.*}}; unchanged [order]
func.func @keeps_the_sum_over_heads(%S: !s, %F: tensor<6x20xf32>, %x: !x, %wv: tensor<24x2x8xf32> {attnc.resident}, %wo: tensor<2x8x24xf32> {attnc.resident}) -> !q {
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!s) -> (!s, !l)
  %xv = attn.contract "bnm,mhe->bnhe" (%x, %wv) : (!x, tensor<24x2x8xf32>) -> tensor<?x20x2x8xf32, #attn.dims<batch, 20, 2, 8>>
  %v = attn.contract "kn,bnhe->bkhe" (%F, %xv) : (tensor<6x20xf32>, tensor<?x20x2x8xf32, #attn.dims<batch, 20, 2, 8>>) -> !v
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (!s, !v) -> tensor<?x?x2x8xf32, #attn.dims<batch, query_len, 2, 8>>
  %y = attn.contract "bqhe,hem->bqm" (%o, %wo) : (tensor<?x?x2x8xf32, #attn.dims<batch, query_len, 2, 8>>, tensor<2x8x24xf32>) -> !q
  return %y : !q
}

// (P V) W with a weight of each query head: in P (V W) the keys have three axes,
// which a kernel has places for.
!sg = tensor<?x2x4x?x?xf32, #attn.dims<batch, 2, 4, query_len, kv_len>>
!lg = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>
!vg = tensor<?x2x?x64xf32, #attn.dims<batch, 2, kv_len, 64>>
!wg = tensor<2x4x64x8xf32>
!og = tensor<?x2x4x?x8xf32, #attn.dims<batch, 2, 4, query_len, 8>>
// CHECK-LABEL: func.func @values_of_query_heads(
// CHECK:         attn.contract {{"bhkm,hgme|"hgme,bhkm}}
func.func @values_of_query_heads(%S: !sg, %v: !vg, %w: !wg {attnc.resident}) -> !og attributes {attnc.expect = [{batch = 1 : i64, query_len = 512 : i64, kv_len = 512 : i64}]} {
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!sg) -> (!sg, !lg)
  %c = attn.contract "bhgqk,bhkm->bhgqm" (%p, %v) : (!sg, !vg) -> tensor<?x2x4x?x64xf32, #attn.dims<batch, 2, 4, query_len, 64>>
  %o = attn.contract "bhgqm,hgme->bhgqe" (%c, %w) : (tensor<?x2x4x?x64xf32, #attn.dims<batch, 2, 4, query_len, 64>>, !wg) -> !og
  return %o : !og
}
