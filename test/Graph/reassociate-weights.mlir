// Products of weights with weights need permission.
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' | FileCheck %s --check-prefixes=CHECK,KEPT
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate{weight-products=true}))' | FileCheck %s --check-prefixes=CHECK,ALLOWED

!x = tensor<?x64xf32, #attn.dims<query_len, 64>>
!h = tensor<?x512xf32, #attn.dims<query_len, 512>>

// x W1 W2 with W1 64 x 512 and W2 512 x 64.
// CHECK-LABEL: func.func @weights(
// KEPT:          attn.contract "qm,mn->qn"
// KEPT:          attn.contract "qn,nm->qm"
// ALLOWED:       attn.contract "an,nm->am"
// ALLOWED:       attn.contract "qa,am->qm"
// REMARK: remark: arg0 (arg1 arg2) multiplies weights with weights, which changes rounding; with --allow-weight-products or resident weights it takes 1.26e+07 FLOPs, 8.19e+05 bytes, 3.93e+05 cycles instead of 4.19e+06 at query_len = 1024, kv_len = 1024 [order]
func.func @weights(%x: !x, %a: tensor<64x512xf32> {attnc.resident}, %b: tensor<512x64xf32> {attnc.resident}) -> !x {
  %h = attn.contract "qm,mn->qn" (%x, %a) : (!x, tensor<64x512xf32>) -> !h
  %y = attn.contract "qn,nm->qm" (%h, %b) : (!h, tensor<512x64xf32>) -> !x
  return %y : !x
}

// What is not the same for all calls needs no permission.
// CHECK-LABEL: func.func @matrices_of_the_call(
// CHECK:         attn.contract "an,nm->am"
// CHECK:         attn.contract "qa,am->qm"
func.func @matrices_of_the_call(%x: !x, %a: tensor<64x512xf32> {attnc.resident}, %b: tensor<512x64xf32>) -> !x {
  %h = attn.contract "qm,mn->qn" (%x, %a) : (!x, tensor<64x512xf32>) -> !h
  %y = attn.contract "qn,nm->qm" (%h, %b) : (!h, tensor<512x64xf32>) -> !x
  return %y : !x
}

// As written they stay, if that is cheapest.
// CHECK-LABEL: func.func @as_written(
// CHECK:         attn.contract "mn,no->mo"
// CHECK:         attn.contract "qm,mo->qo"
func.func @as_written(%x: !x, %a: tensor<64x512xf32> {attnc.resident}, %b: tensor<512x64xf32> {attnc.resident}) -> !x {
  %w = attn.contract "mn,no->mo" (%a, %b) : (tensor<64x512xf32>, tensor<512x64xf32>) -> tensor<64x64xf32>
  %y = attn.contract "qm,mo->qo" (%x, %w) : (!x, tensor<64x64xf32>) -> !x
  return %y : !x
}
