// RUN: attnc-opt %s --attn-base-two --split-input-file | FileCheck %s

// A linear formula needs no multiplication: scale and constants take log2 e,
// what depends on the key alone is multiplied outside of the pairs. The sink is
// a score as well.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @linear(
// CHECK:         weight = exp2
// CHECK-SAME:    scale = 0.18033688011112042 : f64} score {
// CHECK-NEXT:    ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
// CHECK-NEXT:      %[[B:.*]] = attn.read %arg2[%k]
// CHECK-NEXT:      %[[L:.*]] = arith.constant 1.44269502 : f32
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[B]], %[[L]] : f32
// CHECK:           %[[Y:.*]] = arith.subf %x, %{{.*}} : f32
// CHECK-NEXT:      attn.yield %[[Y]] : f32
// CHECK:         } init {
// CHECK:           %[[S:.*]] = arith.constant 2.885390e+00 : f32
// CHECK-NEXT:      attn.yield %[[S]] : f32
func.func @linear(%q: !Q, %k: !K, %bias: tensor<4xf32>) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.125 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %0 = attn.read %bias[%j] : tensor<4xf32> -> f32
    %1 = arith.subf %x, %0 : f32
    attn.yield %1 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } init {
  ^bb0(%b: index, %h: index, %g: index, %i: index):
    %c = arith.constant 2.0 : f32
    attn.yield %c : f32
  }
  return %o : !Q
}

// -----

// softcap: the constant behind tanh takes it.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @trailing_factor(
// CHECK:         scale = 2.000000e-02 : f64} score {
// CHECK:           %[[C:.*]] = arith.constant 72.1347503 : f32
// CHECK:           %[[T:.*]] = math.tanh %x : f32
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[T]], %[[C]] : f32
// CHECK-NEXT:      attn.yield %[[Y]] : f32
func.func @trailing_factor(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.02 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c50 = arith.constant 50.0 : f32
    %0 = math.tanh %x : f32
    %1 = arith.mulf %0, %c50 : f32
    attn.yield %1 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// A division by a constant becomes the one multiplication; -inf and both sides
// of a choice take the factor each.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @division_and_choice(
// CHECK:         score {
// CHECK-DAG:       %[[H:.*]] = arith.constant 0.72134751 : f32
// CHECK-DAG:       %[[INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG:       %[[T:.*]] = math.tanh %x : f32
// CHECK:           %[[D:.*]] = arith.mulf %[[T]], %[[H]] : f32
// CHECK:           %[[Y:.*]] = arith.select %{{.*}}, %[[D]], %[[INF]] : f32
// CHECK-NEXT:      attn.yield %[[Y]] : f32
func.func @division_and_choice(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c2 = arith.constant 2.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %0 = math.tanh %x : f32
    %1 = arith.divf %0, %c2 : f32
    %2 = arith.cmpi slt, %i, %j : index
    %3 = arith.select %2, %1, %inf : f32
    attn.yield %3 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// Two pairwise terms: one multiplication behind their sum, not two before it.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @one_multiplication(
// CHECK:         scale = 1.000000e+00 : f64} score {
// CHECK:           %[[S:.*]] = arith.addf
// CHECK:           arith.mulf %[[S]],
// CHECK-NOT:       arith.mulf
// CHECK:           attn.yield
func.func @one_multiplication(%q: !Q, %k: !K, %bias: tensor<4x4xf32>) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %0 = attn.read %bias[%i, %j] : tensor<4x4xf32> -> f32
    %1 = math.sin %x : f32
    %2 = arith.addf %0, %1 : f32
    attn.yield %2 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// A product that is used twice cannot be scaled for one of the uses.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @product_used_twice(
// CHECK:         scale = 1.000000e+00 : f64} score {
// CHECK:           %[[A:.*]] = arith.mulf %x, %{{.*}} : f32
// CHECK:           %[[Y:.*]] = arith.mulf %x, %[[A]] : f32
// CHECK:           attn.yield %[[Y]] : f32
func.func @product_used_twice(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %0 = arith.mulf %x, %x : f32
    attn.yield %0 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// Scores that are in base two already stay.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @keeps_base_two(
// CHECK:         scale = 1.000000e+00 : f64} score {
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      attn.yield %x : f32
func.func @keeps_base_two(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp2, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// The least number of a type stays finite, as a constant and from a table: a row
// of such scores has weights, a row of -inf has none. Infinities stay, too.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @least_number(
// CHECK:           %[[T:.*]] = attn.read %arg2[%k]
// CHECK:           %[[P:.*]] = arith.mulf %[[T]], %{{.*}} : f32
// CHECK-DAG:       %[[LOW:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK-DAG:       %[[HIGH:.*]] = arith.constant 3.40282347E+38 : f32
// CHECK-DAG:       %[[INF:.*]] = arith.constant 0x7F800000 : f32
// CHECK:           %[[C1:.*]] = arith.cmpf olt, %[[P]], %[[LOW]] : f32
// CHECK:           %[[S1:.*]] = arith.select %[[C1]], %[[LOW]], %[[P]] : f32
// CHECK:           %[[C2:.*]] = arith.cmpf ogt, %[[S1]], %[[HIGH]] : f32
// CHECK:           %[[S2:.*]] = arith.select %[[C2]], %[[HIGH]], %[[S1]] : f32
// CHECK:           %[[A:.*]] = math.absf %[[T]] : f32
// CHECK:           %[[C3:.*]] = arith.cmpf oeq, %[[A]], %[[INF]] : f32
// CHECK:           %[[S3:.*]] = arith.select %[[C3]], %[[P]], %[[S2]] : f32
// CHECK:           %[[SUM:.*]] = arith.addf %x, %[[S3]] : f32
// CHECK:           %[[NONE:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK:           arith.select %{{.*}}, %[[SUM]], %[[NONE]] : f32
func.func @least_number(%q: !Q, %k: !K, %bias: tensor<4xf32>) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.125 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %0 = attn.read %bias[%j] : tensor<4xf32> -> f32
    %1 = arith.addf %x, %0 : f32
    %least = arith.constant -3.40282347E+38 : f32
    %c = arith.cmpi sle, %j, %i : index
    %2 = arith.select %c, %1, %least : f32
    attn.yield %2 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// An exp inside of the score is exp2 where its argument takes the factor for
// nothing, and its sign with it; the weights need no exponential here.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @sigmoid(
// CHECK:         weight = identity
// CHECK-SAME:    scale = -0.18033688011112042 : f64} score {
// CHECK-NOT:       math.exp %
// CHECK-NOT:       negf
// CHECK:           %[[T:.*]] = attn.read %arg2[%q]
// CHECK:           %[[C:.*]] = arith.mulf %[[T]],
// CHECK:           %[[Y:.*]] = arith.addf %x, %{{.*}} : f32
// CHECK:           math.exp2 %[[Y]] : f32
func.func @sigmoid(%q: !Q, %k: !K, %bias: tensor<4xf32>) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = none, weight = identity, divide = none> attributes {scale = 0.125 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    %0 = attn.read %bias[%i] : tensor<4xf32> -> f32
    %1 = arith.addf %x, %0 : f32
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

// Not where that would cost a multiplication per pair: the product is used
// twice.
!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// CHECK-LABEL: func.func @silu(
// CHECK:         scale = 1.250000e-01 : f64} score {
// CHECK:           %[[N:.*]] = arith.negf %x : f32
// CHECK:           math.exp %[[N]] : f32
func.func @silu(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = none, weight = identity, divide = none> attributes {scale = 0.125 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    %2 = arith.negf %x : f32
    %3 = math.exp %2 : f32
    %4 = arith.addf %3, %one : f32
    %5 = arith.divf %x, %4 : f32
    attn.yield %5 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// Formulas subtract this maximum from scores: the kernel keeps exp.
// CHECK-LABEL: func.func @keeps_an_lse_alone(
// CHECK:         normalize #attn.norm<shift = max, weight = exp, divide = sum>
func.func @keeps_an_lse_alone(%q: tensor<1x1x1x4x8xf32>, %k: tensor<1x1x4x8xf32>) -> tensor<1x1x1x4xf32> {
  %lse = attn.kernel ins(%q, %k : tensor<1x1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x1x4xf32>) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %lse : tensor<1x1x1x4xf32>
}

// -----

!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// 10000 + k / 4 is exact, its product by log2 e is not.
// CHECK-LABEL: func.func @keeps_exact_scores(
// CHECK:         weight = exp,
// CHECK:           %[[S:.*]] = arith.constant 1.000000e+04 : f32
// CHECK-NEXT:      %[[D:.*]] = arith.constant 2.500000e-01 : f32
// CHECK:           %[[M:.*]] = arith.mulf %{{.*}}, %[[D]] : f32
// CHECK-NEXT:      %[[Y:.*]] = arith.addf %[[S]], %[[M]] : f32
// CHECK-NEXT:      attn.yield %[[Y]] : f32
func.func @keeps_exact_scores(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant 10000.0 : f32
    %d = arith.constant 0.25 : f32
    %0 = arith.index_cast %j : index to i64
    %1 = arith.sitofp %0 : i64 to f32
    %2 = arith.mulf %1, %d : f32
    %3 = arith.addf %c, %2 : f32
    attn.yield %3 : f32
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
// One side of the choice is read from a table, and may be exact.
// CHECK-LABEL: func.func @keeps_an_exact_choice(
// CHECK:         weight = exp,
// CHECK-NOT:       1.44269502
func.func @keeps_an_exact_choice(%q: !Q, %k: !K, %bias: tensor<4xf32>) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %0 = arith.cmpi sle, %i, %j : index
    %1 = attn.read %bias[%j] : tensor<4xf32> -> f32
    %2 = arith.select %0, %1, %x : f32
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
// x - m is exact where m is one of the scores: that exp stays.
// CHECK-LABEL: func.func @keeps_a_difference_to_a_row(
// CHECK:         attn.kernel {{.*}} normalize #attn.row<max>
// CHECK:         attn.kernel {{.*}} attributes {{{.*}}scale = 1.000000e+00 : f64}
// CHECK:           %[[M:.*]] = attn.read %{{.*}}[%b, %h, %g, %q]
// CHECK:           %[[D:.*]] = arith.subf %x, %[[M]] : f32
// CHECK:           math.exp %[[D]] : f32
func.func @keeps_a_difference_to_a_row(%q: !Q, %k: !K) -> !Q {
  %row = attn.kernel ins(%q, %k : !Q, !K) -> (!L) normalize #attn.row<max> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = none, weight = identity, divide = none> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %0 = attn.read %row[%b, %h, %g, %i] : !L -> f32
    %1 = arith.subf %x, %0 : f32
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
// Weights that are stored for each pair are bound by memory: exp costs nothing.
// CHECK-LABEL: func.func @keeps_stored_weights(
// CHECK:         attn.kernel {{.*}} normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {{{.*}}scale = 1.000000e+00 : f64}
func.func @keeps_stored_weights(%q: !Q, %k: !K) -> tensor<1x1x1x4x4xf32> {
  %lse, %dense = attn.kernel ins(%q, %k : !Q, !K) -> (!L, tensor<1x1x1x4x4xf32>) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %dense : tensor<1x1x1x4x4xf32>
}

// -----

!Q = tensor<1x1x1x4x8xf32>
!K = tensor<1x1x4x8xf32>
!L = tensor<1x1x1x4xf32>
// relu(x) + bias is the bias alone where x is negative.
// CHECK-LABEL: func.func @keeps_what_shows_at_an_end(
// CHECK:         attn.kernel {{.*}} normalize #attn.norm<shift = max, weight = exp, divide = sum>
func.func @keeps_what_shows_at_an_end(%q: !Q, %k: !K, %t: tensor<4xf32>) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %zero = arith.constant 0.0 : f32
    %relu = arith.maximumf %x, %zero : f32
    %bias = attn.read %t[%j] : tensor<4xf32> -> f32
    %0 = arith.addf %relu, %bias : f32
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
// relu(x) and softcap(x) are at their ends for other keys alike.
// CHECK-LABEL: func.func @has_equal_ends(
// CHECK:         attn.kernel {{.*}} normalize #attn.norm<shift = max, weight = exp2, divide = sum>
func.func @has_equal_ends(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %zero = arith.constant 0.0 : f32
    %relu = arith.maximumf %x, %zero : f32
    attn.yield %relu : f32
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
// The difference of two constants is exact.
// CHECK-LABEL: func.func @keeps_two_large_ends(
// CHECK:         attn.kernel {{.*}} normalize #attn.norm<shift = max, weight = exp, divide = sum>
func.func @keeps_two_large_ends(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %low = arith.constant 100000.0 : f32
    %high = arith.constant 100001.0 : f32
    %0 = arith.maximumf %x, %low : f32
    %1 = arith.minimumf %0, %high : f32
    attn.yield %1 : f32
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
// So is that of a choice between them.
// CHECK-LABEL: func.func @keeps_a_choice_of_constants(
// CHECK:         attn.kernel {{.*}} normalize #attn.norm<shift = max, weight = exp, divide = sum>
func.func @keeps_a_choice_of_constants(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 100000.0 : f32
    %high = arith.constant 100000.25 : f32
    %0 = arith.cmpf ogt, %x, %zero : f32
    %1 = arith.select %0, %high, %low : f32
    attn.yield %1 : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

// A product that the gate reads, too, keeps its scale.
// CHECK-LABEL: func.func @keeps_the_scale_of_a_gate(
// CHECK:         scale = 1.000000e+00
// CHECK:         arith.mulf %x, %{{.*}}
// CHECK:         } gate {
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @keeps_the_scale_of_a_gate(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } gate {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  }
  return %o : !Q
}
