// RUN: attnc-opt %s --attn-base-two --split-input-file | FileCheck %s

// The exp of a sigmoid is exp2 with one multiplication, which takes the sign as
// well. It stands behind the sum, whose terms may be exact and cancel.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @sigmoid(
// CHECK:         scale = 1.250000e-01 : f64} score {
// CHECK-NEXT:    ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      %[[T:.*]] = attn.read %arg2[%k]
// CHECK-NEXT:      %[[Y:.*]] = arith.subf %x, %[[T]] : f32
// CHECK-NEXT:      %[[L:.*]] = arith.constant -1.44269502 : f32
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[Y]], %[[L]] : f32
// CHECK-NEXT:      %[[E:.*]] = math.exp2 %[[M]] : f32
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[E]], %[[ONE]] : f32
// CHECK-NEXT:      %[[W:.*]] = arith.divf %[[ONE]], %[[S]] : f32
// CHECK-NEXT:      attn.yield %[[W]] : f32
func.func @sigmoid(%q: !Q, %k: !K, %bias: tensor<4xf32>) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = none, weight = identity, divide = none> attributes {scale = 0.125 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    %0 = attn.read %bias[%j] : tensor<4xf32> -> f32
    %1 = arith.subf %x, %0 : f32
    %2 = arith.negf %1 : f32
    %3 = math.exp %2 : f32
    %4 = arith.addf %3, %one : f32
    %5 = arith.divf %one, %4 : f32
    attn.yield %5 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// Constant factors join it, in a gate, too; a product with a second use stays.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @constant_factors(
// CHECK:         scale = 1.000000e+00 : f64} score {
// CHECK:           %[[T:.*]] = math.tanh %x : f32
// CHECK-NEXT:      %[[C:.*]] = arith.constant -2.16404247 : f32
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[T]], %[[C]] : f32
// CHECK-NEXT:      math.exp2 %[[M]] : f32
// CHECK:         } gate {
// CHECK:           %[[N:.*]] = arith.mulf %x, %{{.*}} : f32
// CHECK:           %[[P:.*]] = arith.mulf %[[N]], %{{.*}} : f32
// CHECK-NEXT:      math.exp2 %[[P]] : f32
func.func @constant_factors(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = none, weight = identity, divide = none> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    %three = arith.constant 3.0 : f32
    %two = arith.constant 2.0 : f32
    %0 = math.tanh %x : f32
    %1 = arith.mulf %three, %0 : f32
    %2 = arith.divf %1, %two : f32
    %3 = arith.negf %2 : f32
    %4 = math.exp %3 : f32
    %5 = arith.addf %one, %4 : f32
    %6 = arith.divf %x, %5 : f32
    attn.yield %6 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } gate {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    %three = arith.constant 3.0 : f32
    %0 = arith.mulf %x, %three : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %0, %2 : f32
    attn.yield %3 : f32
  }
  return %o : !Q
}

// -----

// Alone, exp of a large argument would lose digits; so it would beside less
// than 1, and where the sum is what counts.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @keeps_exp(
// CHECK:           math.exp %x : f32
// CHECK:           math.exp %
// CHECK:           math.exp %
// CHECK-NOT:       exp2
func.func @keeps_exp(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = none, weight = identity, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %small = arith.constant 1.0e-30 : f32
    %0 = math.exp %x : f32
    %1 = arith.negf %x : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %small : f32
    %4 = arith.mulf %0, %3 : f32
    %one = arith.constant 1.0 : f32
    %5 = math.exp %4 : f32
    %6 = arith.addf %5, %one : f32
    attn.yield %6 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// A softmax keeps its scores: lowering multiplies their differences to the
// maximum. An infinite factor stays where it is.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @keeps_scores(
// CHECK:         weight = exp, divide = sum> attributes {{.*}}scale = 1.250000e-01 : f64} score {
// CHECK:           %[[D:.*]] = arith.divf %x, %{{.*}} : f32
// CHECK-NEXT:      %[[C:.*]] = arith.constant 1.44269502 : f32
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[D]], %[[C]] : f32
// CHECK-NEXT:      math.exp2 %[[M]] : f32
func.func @keeps_scores(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.125 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %0 = arith.divf %x, %zero : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = math.log %2 : f32
    attn.yield %3 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}
