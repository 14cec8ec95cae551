// RUN: attnc-opt %s --attn-fold-scale --split-input-file | FileCheck %s

!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @chain_of_factors(
// CHECK:         scale = -2.500000e-03 : f64} score {
// CHECK-NEXT:    ^bb0(%x: f32,
// CHECK-NEXT:      %[[Y:.*]] = math.tanh %x : f32
// CHECK-NEXT:      attn.yield %[[Y]] : f32
func.func @chain_of_factors(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c8 = arith.constant 8.0 : f32
    %c50 = arith.constant 50.0 : f32
    %c2 = arith.constant 2.0 : f32
    %0 = arith.divf %x, %c8 : f32
    %1 = arith.divf %0, %c50 : f32
    %2 = arith.mulf %c2, %1 : f32
    %3 = arith.negf %2 : f32
    %4 = math.tanh %3 : f32
    attn.yield %4 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// Two uses of a score divide twice, by the same number.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @same_factor_in_all_uses(
// CHECK:         scale = 1.250000e-01 : f64} score {
// CHECK-NOT:       arith.divf
// CHECK:           %[[T:.*]] = math.tanh %x : f32
// CHECK-NEXT:      %[[Y:.*]] = arith.addf %x, %[[T]] : f32
// CHECK-NEXT:      attn.yield %[[Y]] : f32
func.func @same_factor_in_all_uses(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 8.0 : f32
    %0 = arith.divf %x, %c : f32
    %1 = arith.divf %x, %c : f32
    %2 = math.tanh %1 : f32
    %3 = arith.addf %0, %2 : f32
    attn.yield %3 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// A factor behind a sum scales the sum.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @keeps_factor_behind_a_sum(
// CHECK:         scale = 1.000000e+00 : f64} score {
// CHECK:           arith.addf
// CHECK:           arith.mulf
func.func @keeps_factor_behind_a_sum(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c8 = arith.constant 8.0 : f32
    %0 = arith.addf %x, %c8 : f32
    %1 = arith.mulf %0, %c8 : f32
    attn.yield %1 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// The product has a second use, which wants it unscaled.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @keeps_factor_of_one_use(
// CHECK:         scale = 1.000000e+00 : f64} score {
// CHECK:           arith.mulf
func.func @keeps_factor_of_one_use(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c8 = arith.constant 8.0 : f32
    %0 = arith.mulf %x, %c8 : f32
    %1 = arith.addf %x, %0 : f32
    attn.yield %1 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// A zero or infinite factor is no scale; neither is one that is not normal.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @keeps_extreme_factors(
// CHECK:         scale = 1.000000e-30 : f64} score {
// CHECK:           arith.divf
func.func @keeps_extreme_factors(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0e-30 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 1.0e+20 : f32
    %0 = arith.divf %x, %c : f32
    attn.yield %0 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// The greatest score must be one of the scores that it is compared with.
// CHECK-LABEL: func.func @keeps_scores_alike(
// CHECK:         attn.row<max> attributes {{{.*}}scale = 1.000000e+00 : f64}
// CHECK:         attn.norm{{.*}} scale = 1.000000e+00 : f64}
func.func @keeps_scores_alike(%q: !Q, %k: !K) -> !Q {
  %row = attn.kernel ins(%q, %k : !Q, !K) -> (!L) normalize #attn.row<max> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 3.0 : f32
    %0 = arith.mulf %x, %c : f32
    attn.yield %0 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = none, weight = identity, divide = none> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 7.0 : f32
    %0 = arith.mulf %x, %c : f32
    %m = attn.read %row[%b, %h, %g, %i] : !L -> f32
    %1 = arith.subf %0, %m : f32
    %2 = math.exp %1 : f32
    attn.yield %2 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// A factor that all of them have goes.
// CHECK-LABEL: func.func @folds_in_all(
// CHECK:         attn.row<max> attributes {{{.*}}scale = 3.000000e+00 : f64}
// CHECK:         attn.norm{{.*}} scale = 3.000000e+00 : f64}
func.func @folds_in_all(%q: !Q, %k: !K) -> !Q {
  %row = attn.kernel ins(%q, %k : !Q, !K) -> (!L) normalize #attn.row<max> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 3.0 : f32
    %0 = arith.mulf %x, %c : f32
    attn.yield %0 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = none, weight = identity, divide = none> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 3.0 : f32
    %0 = arith.mulf %x, %c : f32
    %m = attn.read %row[%b, %h, %g, %i] : !L -> f32
    %1 = arith.subf %0, %m : f32
    %2 = math.exp %1 : f32
    attn.yield %2 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// A factor of the product in score and gate is folded for both, or not at all.
// CHECK-LABEL: func.func @folds_in_score_and_gate(
// CHECK:         scale = 1.250000e-01
// CHECK:         } gate {
// CHECK-NOT:       arith.mulf
// CHECK-LABEL: func.func @keeps_what_only_the_score_has(
// CHECK:         scale = 1.000000e+00
// CHECK-LABEL: func.func @keeps_what_selects(
// CHECK:         scale = 1.000000e+00
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @folds_in_score_and_gate(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 0.125 : f32
    %s = arith.mulf %x, %c : f32
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } gate {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 0.125 : f32
    %s = arith.mulf %x, %c : f32
    %e = math.exp %s : f32
    attn.yield %e : f32
  }
  return %o : !Q
}
func.func @keeps_what_only_the_score_has(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 0.125 : f32
    %s = arith.mulf %x, %c : f32
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } gate {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %e = math.exp %x : f32
    attn.yield %e : f32
  }
  return %o : !Q
}
func.func @keeps_what_selects(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 0.125 : f32
    %s = arith.mulf %x, %c : f32
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } select {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 1.0 : f32
    %s = arith.cmpf ogt, %x, %c : f32
    attn.yield %s : i1
  }
  return %o : !Q
}
