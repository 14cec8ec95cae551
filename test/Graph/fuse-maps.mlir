// RUN: attnc-opt %s --attn-fuse-maps --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @merges_a_chain(
// CHECK-SAME:      %[[S:[a-z0-9]+]]: tensor<4x5xf32>, %[[B:[a-z0-9]+]]: tensor<5xf32>
// CHECK-NEXT:    %[[R:.*]] = attn.map "k,qk->qk"(%[[B]], %[[S]]) : (tensor<5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32> {
// CHECK-NEXT:    ^bb0(%x: f32, %x_0: f32, %q: index, %k: index):
// CHECK-NEXT:      %[[C:.*]] = arith.constant 1.250000e-01 : f32
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %x_0, %[[C]] : f32
// CHECK-NEXT:      %[[Z:.*]] = arith.addf %[[Y]], %x : f32
// CHECK-NEXT:      attn.yield %[[Z]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]
func.func @merges_a_chain(%s: tensor<4x5xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  %1 = attn.map "qk->qk" (%s) : (tensor<4x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%x: f32, %q: index, %k: index):
    %c = arith.constant 0.125 : f32
    %y = arith.mulf %x, %c : f32
    attn.yield %y : f32
  }
  %2 = attn.map "qk,k->qk" (%1, %b) : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32> {
  ^bb0(%x: f32, %z: f32, %q: index, %k: index):
    %y = arith.addf %x, %z : f32
    attn.yield %y : f32
  }
  return %2 : tensor<4x5xf32>
}

// -----

// The inner map calls its axes otherwise, and in another order.
// CHECK-LABEL: func.func @renames_axes(
// CHECK-NEXT:    %[[R:.*]] = attn.map "qk->kq"(%arg0) : (tensor<4x5xf32>) -> tensor<5x4xf32> {
// CHECK-NEXT:    ^bb0(%x: f32, %k: index, %q: index):
// CHECK-NEXT:      %[[I:.*]] = arith.index_cast %q : index to i64
func.func @renames_axes(%s: tensor<4x5xf32>) -> tensor<5x4xf32> {
  %1 = attn.map "ab->ab" (%s) : (tensor<4x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%x: f32, %a: index, %b: index):
    %i = arith.index_cast %a : index to i64
    %r = arith.sitofp %i : i64 to f32
    %y = arith.mulf %x, %r : f32
    attn.yield %y : f32
  }
  %2 = attn.map "qk->kq" (%1) : (tensor<4x5xf32>) -> tensor<5x4xf32> {
  ^bb0(%x: f32, %k: index, %q: index):
    %y = math.tanh %x : f32
    attn.yield %y : f32
  }
  return %2 : tensor<5x4xf32>
}

// -----

// Rounding to bf16 in between is part of the meaning.
// CHECK-LABEL: func.func @keeps_a_rounding(
// CHECK-COUNT-2: attn.map
func.func @keeps_a_rounding(%s: tensor<4xf32>) -> tensor<4xf32> {
  %1 = attn.map "q->q" (%s) : (tensor<4xf32>) -> tensor<4xbf16> {
  ^bb0(%x: f32, %q: index):
    %y = math.tanh %x : f32
    attn.yield %y : f32
  }
  %2 = attn.map "q->q" (%1) : (tensor<4xbf16>) -> tensor<4xf32> {
  ^bb0(%x: f32, %q: index):
    %y = arith.addf %x, %x : f32
    attn.yield %y : f32
  }
  return %2 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @keeps_a_second_use(
// CHECK-COUNT-2: attn.map
func.func @keeps_a_second_use(%s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %1 = attn.map "q->q" (%s) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: f32, %q: index):
    %y = math.tanh %x : f32
    attn.yield %y : f32
  }
  %2 = attn.map "q->q" (%1) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: f32, %q: index):
    %y = arith.addf %x, %x : f32
    attn.yield %y : f32
  }
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Only the tensor between the two tells that places are f64.
// CHECK-LABEL: func.func @keeps_a_precision_between(
// CHECK-COUNT-2: attn.map
func.func @keeps_a_precision_between(%p: tensor<4xi32>) -> tensor<4xf16> {
  %0 = attn.map "q->q" (%p) : (tensor<4xi32>) -> tensor<4xf64> {
  ^bb0(%x: index, %q: index):
    %i = arith.index_cast %x : index to i64
    %y = arith.sitofp %i : i64 to f64
    attn.yield %y : f64
  }
  %1 = attn.map "q->q" (%0) : (tensor<4xf64>) -> tensor<4xf16> {
  ^bb0(%x: f64, %q: index):
    %y = math.cos %x : f64
    attn.yield %y : f64
  }
  return %1 : tensor<4xf16>
}

// -----

// CHECK-LABEL: func.func @keeps_another_precision(
// CHECK-COUNT-2: attn.map
func.func @keeps_another_precision(%s: tensor<4xf32>) -> tensor<4xf64> {
  %1 = attn.map "q->q" (%s) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: f32, %q: index):
    %y = math.tanh %x : f32
    attn.yield %y : f32
  }
  %2 = attn.map "q->q" (%1) : (tensor<4xf32>) -> tensor<4xf64> {
  ^bb0(%x: f64, %q: index):
    %y = arith.addf %x, %x : f64
    attn.yield %y : f64
  }
  return %2 : tensor<4xf64>
}
