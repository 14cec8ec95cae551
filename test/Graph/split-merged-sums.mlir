// Sums over axes that a view merges.
// RUN: attnc-opt %s --attn-split-merged-sums --canonicalize | FileCheck %s

!o = tensor<2x12x?x64xf32, #attn.dims<2, 12, rows, 64>>
!m = tensor<2x?x768xf32, #attn.dims<2, rows, 768>>
!w = tensor<768x256xf32>
!y = tensor<2x?x256xf32, #attn.dims<2, rows, 256>>

// Heads are summed where they are; the weight is split instead.
// CHECK-LABEL: func.func @sums_heads
// CHECK-SAME:    %[[O:.*]]: tensor<2x12x?x64xf32, {{.*}}>, %[[W:.*]]: tensor<768x256xf32>
// CHECK-DAG:     %[[A:.*]] = attn.view "bhqe->bqhe" %[[O]]
// CHECK-DAG:     %[[B:.*]] = attn.view "(ac)m->acm" %[[W]] : tensor<768x256xf32> -> tensor<12x64x256xf32
// CHECK:         attn.contract "bqac,acm->bqm"(%[[A]], %[[B]])
func.func @sums_heads(%O: !o, %W: !w) -> !y {
  %0 = attn.view "bhqe->bq(he)" %O : !o -> !m
  %1 = attn.contract "bqn,nm->bqm" (%0, %W) : (!m, !w) -> !y
  return %1 : !y
}

// On the right, and over heads that are merged of groups first.
// CHECK-LABEL: func.func @sums_groups
// CHECK-DAG:     %[[O:.*]] = attn.view "bhgqe->bqhge" %{{.*}} -> tensor<2x?x4x3x64xf32
// CHECK-DAG:     %[[V:.*]] = attn.view "m(bdc)->mbdc" %{{.*}} : tensor<256x768xf32>
// CHECK:         attn.contract "mdec,bqdec->bqm"(%[[V]], %[[O]])
func.func @sums_groups(%O: tensor<2x4x3x?x64xf32, #attn.dims<2, 4, 3, rows, 64>>, %W: tensor<256x768xf32>) -> !y {
  %0 = attn.view "bhgqe->b(hg)qe" %O : tensor<2x4x3x?x64xf32, #attn.dims<2, 4, 3, rows, 64>> -> !o
  %1 = attn.view "bhqe->bq(he)" %0 : !o -> !m
  %2 = attn.contract "mn,bqn->bqm" (%W, %1) : (tensor<256x768xf32>, !m) -> !y
  return %2 : !y
}

// Merged axes that are not summed stay, and sums along a mask.
// CHECK-LABEL: func.func @keeps
// CHECK:         attn.contract "bqn,nm->bnqm"
// CHECK:         attn.contract "bqn,nm->bqm"
func.func @keeps(%O: !o, %W: !w) -> (tensor<2x768x?x256xf32, #attn.dims<2, 768, rows, 256>>, !y) {
  %0 = attn.view "bhqe->bq(he)" %O : !o -> !m
  %1 = attn.contract "bqn,nm->bnqm" (%0, %W) : (!m, !w) -> tensor<2x768x?x256xf32, #attn.dims<2, 768, rows, 256>>
  %c = attn.mask "nm" : tensor<768x256xi1> {
  ^bb0(%n: index, %m: index):
    %s = arith.cmpi sle, %n, %m : index
    attn.yield %s : i1
  }
  %2 = attn.contract "bqn,nm->bqm" (%0, %W) where "nm" (%c) : (!m, !w, tensor<768x256xi1>) -> !y
  return %1, %2 : tensor<2x768x?x256xf32, #attn.dims<2, 768, rows, 256>>, !y
}
