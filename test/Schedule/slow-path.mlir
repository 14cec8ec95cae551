// RUN: attnc-opt %s --attn-select-schedule=cpu=x86-64-v4 --verify-diagnostics=only-expected
// RUN: attnc-opt %s --attn-select-schedule=cpu=x86-64-v4 -o /dev/null 2>&1 | FileCheck %s --check-prefix=STORED

!Q = tensor<?x8x1x?x64xbf16, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xbf16, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

// Where the argument is declared.
// expected-warning@below {{'bf16' is converted to 'f32' tile by tile; processors of this level have no unit that multiplies 'bf16' [slow-path]}}
func.func @sixteen_bits(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = bf16}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

!Qf = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!Kf = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
func.func @features(%q: !Qf, %k: !Kf) -> !Qf {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Qf, !Kf, !Kf) -> (!Qf, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } pairs {
  ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    // expected-warning@below {{the score formula is evaluated per feature of each (query, key) pair; it is not a matrix product [slow-path]}}
    %s = arith.addf %x, %y : f32
    attn.yield %s : f32
  } value {
  ^bb0(%x: f32, %e: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    // expected-warning@below {{the value formula is evaluated per feature of each (query, key) pair; it is not a matrix product [slow-path]}}
    %v = arith.negf %x : f32
    attn.yield %v : f32
  }
  return %o : !Qf
}

func.func @unfused(%q: tensor<4x8xf32>, %k: tensor<5x8xf32>) -> tensor<4x5xf32> {
  // expected-warning@below {{no kernel fuses this product, so its result goes through memory: one value per query and key [slow-path]}}
  %s = attn.contract "qd,kd->qk" (%q, %k) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
  // expected-warning@below {{no kernel fuses these weights, so its result goes through memory: one value per query and key [slow-path]}}
  %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>)
  return %p : tensor<4x5xf32>
}

// Not a number for each pair.
func.func @projection(%q: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = attn.contract "qd,de->qe" (%q, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

!Q32 = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K32 = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!I = tensor<?x8x1x?xi32, #attn.dims<batch, 8, 1, query_len>>

func.func @searches(%q: !Q32, %k: !K32) -> (!L, !L) {
  // expected-warning@below {{the n-th largest score is found in 9 passes over the keys, 17 if scores are equal; each pass recomputes the scores [slow-path]}}
  %row, %key = attn.kernel ins(%q, %k : !Q32, !K32) -> (!L, !I) normalize #attn.row<rank, n = 4> attributes {scale = 1.0 : f64}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  // expected-warning@below {{the threshold of sparsemax is found in 8 passes over the keys; each pass recomputes the scores [slow-path]}}
  %t = attn.kernel ins(%q, %k : !Q32, !K32) -> (!L) normalize #attn.row<simplex> attributes {scale = 1.0 : f64}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %row, %t : !L, !L
}

!Q64 = tensor<?x8x1x?x64xf64, #attn.dims<batch, 8, 1, query_len, 64>>
!K64 = tensor<?x8x?x64xf64, #attn.dims<batch, 8, kv_len, 64>>
!L64 = tensor<?x8x1x?xf64, #attn.dims<batch, 8, 1, query_len>>

// Twice as many bits.
func.func @searches_f64(%q: !Q64, %k: !K64) -> (!L64, !I) {
  // expected-warning@below {{the n-th largest score is found in 17 passes over the keys, 25 if scores are equal; each pass recomputes the scores [slow-path]}}
  %row, %key = attn.kernel ins(%q, %k : !Q64, !K64) -> (!L64, !I) normalize #attn.row<rank, n = 4> attributes {scale = 1.0 : f64}
  score {
  ^bb0(%x: f64, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f64
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %row, %key : !L64, !I
}

// A stored number of each pair is told where it is made, a table that the key's
// place chooses from is not, nor keys times rows among which a query chooses.
// STORED-COUNT-3: warning: no kernel fuses
// STORED-NOT:     warning: no kernel fuses
!Sf = tensor<?x8x?x?xf32, #attn.dims<batch, 8, query_len, kv_len>>
!Tf = tensor<?x8x1x?x9xf32, #attn.dims<batch, 8, 1, query_len, 9>>
!Ef = tensor<?x8x9x?xf32, #attn.dims<batch, 8, 9, kv_len>>
func.func @reads_stored_pairs(%q: !Qf, %k: !Kf, %t: tensor<?x8x?x?x64xf32, #attn.dims<batch, 8, query_len, kv_len, 64>>, %g: tensor<9x64xf32>, %id: tensor<?xi32, #attn.dims<query_len>>) -> !Qf {
  // expected-warning@below {{no kernel fuses this product, so its result goes through memory: one value per query and key [slow-path]}}
  %s = attn.contract "bhqkd,bhkd->bhqk" (%t, %k) : (tensor<?x8x?x?x64xf32, #attn.dims<batch, 8, query_len, kv_len, 64>>, !Kf) -> !Sf
  %r = attn.contract "bhgqd,nd->bhgqn" (%q, %g) : (!Qf, tensor<9x64xf32>) -> !Tf
  %e = attn.contract "bhkd,nd->bhnk" (%k, %g) : (!Kf, tensor<9x64xf32>) -> !Ef
  %o, %lse = attn.kernel ins(%q, %k, %k : !Qf, !Kf, !Kf) -> (!Qf, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %z: index, %i: index, %j: index):
    %c8 = arith.constant 8 : index
    %y = attn.read %s[%b, %h, %i, %j] : !Sf -> f32
    %m = arith.minsi %j, %c8 : index
    %w = attn.read %r[%b, %h, %z, %i, %m] : !Tf -> f32
    %n = attn.read %id[%i] : tensor<?xi32, #attn.dims<query_len>> -> index
    %f = attn.read %e[%b, %h, %n, %j] : !Ef -> f32
    %p = arith.addf %w, %f : f32
    %a = arith.addf %y, %p : f32
    attn.yield %a : f32
  } mask {
  ^bb0(%b: index, %h: index, %z: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Qf
}

// A matrix whose axes views have taken apart and merged in another order.
func.func @elements(%x: tensor<?x128xf32, #attn.dims<rows, 128>>, %W: tensor<128x4x32xf32>) -> tensor<?x128xf32, #attn.dims<rows, 128>> {
  %t = attn.view "abc->bca" %W : tensor<128x4x32xf32> -> tensor<4x32x128xf32>
  %m = attn.view "bca->(bc)a" %t : tensor<4x32x128xf32> -> tensor<128x128xf32>
  // expected-warning@below {{this product of matrices is computed element by element, many times slower than in blocks, because views merge axes of an operand that are apart in memory; keep its axes as stored [slow-path]}}
  %y = attn.contract "qd,de->qe" (%x, %m) : (tensor<?x128xf32, #attn.dims<rows, 128>>, tensor<128x128xf32>) -> tensor<?x128xf32, #attn.dims<rows, 128>>
  return %y : tensor<?x128xf32, #attn.dims<rows, 128>>
}
