// What a tree of products goes through, and where it ends.
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' | FileCheck %s

!a = tensor<64x4xf32>
!b = tensor<4x64xf32>
!c = tensor<64x4xf32>
!x = tensor<64x64xf32>

// (a b) c is dear, a (b c) is cheap.
// CHECK-LABEL: func.func @plain(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{[^%]*}}%[[B:[a-z0-9]+]]: {{[^%]*}}%[[C:[a-z0-9]+]]: {{[^%]*}}
// CHECK:         %[[BC:.*]] = attn.contract "jk,kl->jl"(%[[B]], %[[C]])
// CHECK:         attn.contract "ij,jl->il"(%[[A]], %[[BC]])
func.func @plain(%a: !a, %b: !b, %c: !c) -> !a {
  %x = attn.contract "ij,jk->ik" (%a, %b) : (!a, !b) -> !x
  %y = attn.contract "ik,kl->il" (%x, %c) : (!x, !c) -> !a
  return %y : !a
}

// Through a transposition, a split axis, a factor and a conversion.
// CHECK-LABEL: func.func @goes_through_views(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{[^%]*}}%[[B:[a-z0-9]+]]: {{[^%]*}}%[[C:[a-z0-9]+]]: {{[^%]*}}
// CHECK:         %[[V:.*]] = attn.view "gkl->(gk)l" %[[C]]
// CHECK:         %[[W:.*]] = attn.view "(gk)l->gkl" %[[V]]
// CHECK:         %[[BC:.*]] = attn.contract "jgk,gkl->jl"(%[[B]], %[[W]])
// CHECK:         attn.contract "ij,jl->il"(%[[A]], %[[BC]])
func.func @goes_through_views(%a: !a, %b: tensor<4x8x8xf32>, %c: tensor<8x8x4xf32>) -> !a {
  %x = attn.contract "ij,jgk->igk" (%a, %b) : (!a, tensor<4x8x8xf32>) -> tensor<64x8x8xf32>
  %v = attn.view "igk->(gk)i" %x : tensor<64x8x8xf32> -> !x
  %w = attn.view "gkl->(gk)l" %c : tensor<8x8x4xf32> -> !c
  %y = attn.contract "ki,kl->il" (%v, %w) : (!x, !c) -> !a
  return %y : !a
}

// A merged axis of the operand beside is taken apart, and one of the result is
// put together again.
// CHECK-LABEL: func.func @splits_the_other_operand(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{[^%]*}}%[[B:[a-z0-9]+]]: {{[^%]*}}%[[C:[a-z0-9]+]]: {{[^%]*}}
// CHECK:         %[[W:.*]] = attn.view "(ka)l->kal" %[[C]]
// CHECK:         %[[BC:.*]] = attn.contract "jka,kal->jl"(%[[B]], %[[W]])
// CHECK:         %[[O:.*]] = attn.contract "ghj,jl->ghl"(%[[A]], %[[BC]]) : {{.*}} -> tensor<8x8x4xf32
// CHECK:         attn.view "ghl->(gh)l" %[[O]]
func.func @splits_the_other_operand(%a: tensor<8x8x4xf32>, %b: tensor<4x8x8xf32>, %c: !c) -> !a {
  %x = attn.contract "ghj,jkl->ghkl" (%a, %b) : (tensor<8x8x4xf32>, tensor<4x8x8xf32>) -> tensor<8x8x8x8xf32>
  %v = attn.view "ghkl->(gh)(kl)" %x : tensor<8x8x8x8xf32> -> !x
  %y = attn.contract "ik,kl->il" (%v, %c) : (!x, !c) -> !a
  return %y : !a
}

// CHECK-LABEL: func.func @goes_through_a_factor(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{[^%]*}}%[[B:[a-z0-9]+]]: {{[^%]*}}%[[C:[a-z0-9]+]]: {{[^%]*}}
// CHECK:         %[[BC:.*]] = attn.contract "jk,kl->jl"(%[[B]], %[[C]]) : {{.*}} -> tensor<4x4xf64
// CHECK:         %[[S:.*]] = attn.map "jl->jl"(%[[BC]])
// CHECK:           %[[H:.*]] = arith.constant 5.000000e-01 : f64
// CHECK:           arith.mulf %{{.*}}, %[[H]]
// CHECK:         attn.contract "ij,jl->il"(%[[A]], %[[S]])
func.func @goes_through_a_factor(%a: !a, %b: !b, %c: tensor<64x4xf64>) -> tensor<64x4xf64> {
  %x = attn.contract "ij,jk->ik" (%a, %b) : (!a, !b) -> !x
  %s = attn.map "ik->ki" (%x) : (!x) -> tensor<64x64xf64> {
  ^bb0(%e: f64, %i: index, %k: index):
    %h = arith.constant 0.5 : f64
    %z = arith.mulf %e, %h : f64
    attn.yield %z : f64
  }
  %y = attn.contract "ki,kl->il" (%s, %c) : (tensor<64x64xf64>, tensor<64x4xf64>) -> tensor<64x4xf64>
  return %y : tensor<64x4xf64>
}

// A mask belongs to the tensor that has its axes, and stays with it.
// CHECK-LABEL: func.func @takes_a_mask_along(
// CHECK-SAME:    %[[P:[a-z0-9]+]]: {{[^%]*}}%[[M:[a-z0-9]+]]: {{[^%]*}}%[[B:[a-z0-9]+]]: {{[^%]*}}%[[C:[a-z0-9]+]]: {{[^%]*}}
// CHECK:         %[[PB:.*]] = attn.contract "qi,ij->qj"(%[[P]], %[[B]]) where "qi"(%[[M]])
// CHECK:         attn.contract "qj,jk->qk"(%[[PB]], %[[C]])
func.func @takes_a_mask_along(%p: !x, %m: tensor<64x64xi1>, %b: tensor<64x4xf32>, %c: tensor<4x64xf32>) -> !x {
  %x = attn.contract "ij,jk->ik" (%b, %c) : (tensor<64x4xf32>, tensor<4x64xf32>) -> !x
  %y = attn.contract "qi,ik->qk" (%p, %x) where "qi" (%m) : (!x, !x, tensor<64x64xi1>) -> !x
  return %y : !x
}

// CHECK-LABEL: func.func @keeps_a_second_use(
// CHECK:         attn.contract "ij,jk->ik"
func.func @keeps_a_second_use(%a: !a, %b: !b, %c: !c) -> (!a, !x) {
  %x = attn.contract "ij,jk->ik" (%a, %b) : (!a, !b) -> !x
  %y = attn.contract "ik,kl->il" (%x, %c) : (!x, !c) -> !a
  return %y, %x : !a, !x
}

// CHECK-LABEL: func.func @keeps_a_function_of_the_product(
// CHECK:         attn.contract "ij,jk->ik"
func.func @keeps_a_function_of_the_product(%a: !a, %b: !b, %c: !c) -> !a {
  %x = attn.contract "ij,jk->ik" (%a, %b) : (!a, !b) -> !x
  %t = attn.map "ik->ik" (%x) : (!x) -> !x {
  ^bb0(%e: f32, %i: index, %k: index):
    %z = math.tanh %e : f32
    attn.yield %z : f32
  }
  %y = attn.contract "ik,kl->il" (%t, %c) : (!x, !c) -> !a
  return %y : !a
}

// CHECK-LABEL: func.func @keeps_a_rounding(
// CHECK:         attn.contract "ij,jk->ik"
func.func @keeps_a_rounding(%a: !a, %b: !b, %c: !c) -> !a {
  %x = attn.contract "ij,jk->ik" (%a, %b) : (!a, !b) -> tensor<64x64xbf16>
  %y = attn.contract "ik,kl->il" (%x, %c) : (tensor<64x64xbf16>, !c) -> !a
  return %y : !a
}

// The mask has an axis of each operand.
// CHECK-LABEL: func.func @keeps_a_mask_of_both(
// CHECK:         attn.contract "ij,jk->ik"
func.func @keeps_a_mask_of_both(%a: !a, %b: !b, %c: !c, %m: tensor<64x64xi1>) -> !a {
  %x = attn.contract "ij,jk->ik" (%a, %b) where "ik" (%m) : (!a, !b, tensor<64x64xi1>) -> !x
  %y = attn.contract "ik,kl->il" (%x, %c) : (!x, !c) -> !a
  return %y : !a
}

// What was stored in bf16 stays so; f16 becomes f32, whose range is wider.
// CHECK-LABEL: func.func @types_of_bf16(
// CHECK:         attn.contract "jk,kl->jl"{{.*}} -> tensor<4x4xbf16
func.func @types_of_bf16(%a: tensor<64x4xbf16>, %b: tensor<4x64xbf16>, %c: tensor<64x4xbf16>) -> tensor<64x4xbf16> {
  %x = attn.contract "ij,jk->ik" (%a, %b) : (tensor<64x4xbf16>, tensor<4x64xbf16>) -> tensor<64x64xbf16>
  %y = attn.contract "ik,kl->il" (%x, %c) : (tensor<64x64xbf16>, tensor<64x4xbf16>) -> tensor<64x4xbf16>
  return %y : tensor<64x4xbf16>
}

// CHECK-LABEL: func.func @types_of_f16(
// CHECK:         attn.contract "jk,kl->jl"{{.*}} -> tensor<4x4xf32
func.func @types_of_f16(%a: tensor<64x4xf16>, %b: tensor<4x64xf16>, %c: tensor<64x4xf16>) -> tensor<64x4xf16> {
  %x = attn.contract "ij,jk->ik" (%a, %b) : (tensor<64x4xf16>, tensor<4x64xf16>) -> tensor<64x64xf16>
  %y = attn.contract "ik,kl->il" (%x, %c) : (tensor<64x64xf16>, tensor<64x4xf16>) -> tensor<64x4xf16>
  return %y : tensor<64x4xf16>
}

// What was wider in between stays wider.
// CHECK-LABEL: func.func @types_of_f32_between(
// CHECK:         attn.contract "jk,kl->jl"{{.*}} -> tensor<4x4xf32
func.func @types_of_f32_between(%a: tensor<64x4xbf16>, %b: tensor<4x64xbf16>, %c: tensor<64x4xbf16>) -> tensor<64x4xbf16> {
  %x = attn.contract "ij,jk->ik" (%a, %b) : (tensor<64x4xbf16>, tensor<4x64xbf16>) -> !x
  %y = attn.contract "ik,kl->il" (%x, %c) : (!x, tensor<64x4xbf16>) -> tensor<64x4xbf16>
  return %y : tensor<64x4xbf16>
}
