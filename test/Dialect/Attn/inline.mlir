// RUN: attnc-opt %s --inline | FileCheck %s

// CHECK-LABEL: func.func @caller(
// CHECK-NOT:     call
// CHECK:         attn.map
func.func @caller(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = func.call @callee(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func private @callee(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = attn.map "a->a" (%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%s: f32, %a: index):
    %z = math.tanh %s : f32
    attn.yield %z : f32
  }
  return %y : tensor<2xf32>
}
