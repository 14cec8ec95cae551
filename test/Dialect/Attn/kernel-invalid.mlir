// Each function violates the constraint of attn.kernel that it is named after.
// RUN: attnc-opt %s --split-input-file --verify-diagnostics

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c1(%q: !Q, %k: !K) -> !K {
  // expected-error@below {{'attn.kernel' op o has 4 axes, its labels 'bhgqe' name 5}}
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!K, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !K
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!V = tensor<1x2x6x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c2(%q: !Q, %k: !K, %v: !V) -> !Q {
  // expected-error@below {{'attn.kernel' op axis 'k' is 6 in v, but 5 before}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !V) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
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

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c3(%q: !Q, %k: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op probabilities must be f64, f32, f16 or bf16, got 'i32'}}
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = i32} score {
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

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c4(%q: !Q, %k: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op scale must be finite, got 0x7FF0000000000000 : f64}}
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0x7FF0000000000000 : f64, probabilities = f32} score {
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

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c5(%q: !Q, %k: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op 'mask' has block arguments ('index', 'index', 'index', 'index'), expected ('index', 'index', 'index', 'index', 'index')}}
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c6(%q: !Q, %k: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op 'ranges' must end with attn.yield_ranges}}
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } ranges {
  ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
    attn.yield %q0 : index
  }
  return %o : !Q
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c6_score(%q: !Q, %k: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op 'score' must end with attn.yield of 'f32'}}
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield_ranges []
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c7(%q: !Q, %k: !K, %f: f32) -> !Q {
  // expected-error@below {{'attn.kernel' op 'score' uses a scalar from outside; compute it in the region, or read it with attn.read}}
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    // expected-note@below {{used here}}
    attn.yield %f : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// -----

!Q = tensor<1x2x1x4x8xf64>
!K = tensor<1x2x5x8xf64>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c3_row(%q: !Q, %k: !K) -> !L {
  // expected-error@below {{'attn.kernel' op row must have the element type 'f64', got 'f32'}}
  %row = attn.kernel ins(%q, %k : !Q, !K) -> (!L) normalize #attn.row<sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f64, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f64
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %row : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c8_v(%q: !Q, %k: !K) -> !L {
  // expected-error@below {{'attn.kernel' op has a v, but no result o}}
  %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %lse : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c8_parts(%q: !Q, %k: !K) -> !L {
  // expected-error@below {{'attn.kernel' op has other results than #attn.norm<shift = none, weight = exp, divide = sum> gives}}
  %sum, %max = attn.kernel ins(%q, %k : !Q, !K) -> (!L, !L) normalize #attn.norm<shift = none, weight = exp, divide = sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %sum : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c8_o(%q: !Q, %k: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has a result o, but no v}}
  %o, %lse = attn.kernel ins(%q, %k : !Q, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64} score {
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

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c8_probabilities(%q: !Q, %k: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op needs 'probabilities': the type of weights that multiply v}}
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64} score {
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

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c8_no_probabilities(%q: !Q, %k: !K) -> !L {
  // expected-error@below {{'attn.kernel' op has 'probabilities', but no v}}
  %row = attn.kernel ins(%q, %k : !Q, !K) -> (!L) normalize #attn.row<max> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %row : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c8_key(%q: !Q, %k: !K) -> !L {
  // expected-error@below {{'attn.kernel' op has other results than #attn.row<rank, n = 2> gives}}
  %row = attn.kernel ins(%q, %k : !Q, !K) -> (!L) normalize #attn.row<rank, n = 2> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %row : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c8_dense(%q: !Q, %k: !K) -> !L {
  // expected-error@below {{#attn.dense<fill = 0.000000e+00> does not give 2 results}}
  %a, %b = attn.kernel ins(%q, %k : !Q, !K) -> (!L, !L) normalize #attn.dense<fill = 0.0> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %a : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c9(%q: !Q, %k: !K) -> !L {
  // expected-error@below {{'attn.kernel' op 'init' is a part of the sum, but #attn.row<sum> does not divide by it}}
  %row = attn.kernel ins(%q, %k : !Q, !K) -> (!L) normalize #attn.row<sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } init {
  ^bb0(%b: index, %h: index, %g: index, %i: index):
    %c = arith.constant 1.0 : f32
    attn.yield %c : f32
  }
  return %row : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @yield_ranges_c1(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } ranges {
  ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
    // expected-error@below {{a segment is (any_lo, all_lo, all_hi, any_hi), got 2 values}}
    attn.yield_ranges [(%q0, %q1)]
  }
  return %o : !Q
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c10(%q: !Q, %k: !K) -> !L {
  // expected-error@below {{'attn.kernel' op 'value' is what keys contribute, but there is no v}}
  %row = attn.kernel ins(%q, %k : !Q, !K) -> (!L) normalize #attn.row<sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } value {
  ^bb0(%x: f32, %e: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  }
  return %row : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c5_pair(%q: !Q, %k: !K) -> !L {
  // expected-error@below {{'attn.kernel' op 'pairs' has block arguments ('f32', 'f32', 'index'), expected ('f32', 'f32', 'index', 'index', 'index', 'index', 'index', 'index')}}
  %row = attn.kernel ins(%q, %k : !Q, !K) -> (!L) normalize #attn.row<sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } pairs {
  ^bb0(%x: f32, %y: f32, %d: index):
    attn.yield %x : f32
  }
  return %row : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c6_select(%q: !Q, %k: !K) -> !L {
  // expected-error@below {{'attn.kernel' op 'select' yields 'f32', expected 'i1'}}
  %row = attn.kernel ins(%q, %k : !Q, !K) -> (!L) normalize #attn.row<sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } select {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  }
  return %row : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
!F = tensor<1x2x5x3xf32>
func.func @kernel_c10_gate(%q: !Q, %k: !K, %f: !F) -> !L {
  // expected-error@below {{'attn.kernel' op 'gate' is a factor of what keys contribute, but there is no v}}
  %row = attn.kernel ins(%q, %k : !Q, !K) -> (!L) normalize #attn.row<sum> attributes {scale = 1.0 : f64} score {
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
  return %row : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
!F = tensor<1x2x5x3xf32>
func.func @kernel_c11(%q: !Q, %k: !K, %f: !F) -> !L {
  // expected-error@below {{'attn.kernel' op has 1 tensors in 'products', expected two for each}}
  %row = attn.kernel ins(%q, %k : !Q, !K) products(%q : !Q) -> (!L) normalize #attn.row<sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %row : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
!F = tensor<1x2x5x3xf32>
func.func @kernel_c11_features(%q: !Q, %k: !K, %f: !F) -> !L {
  // expected-error@below {{'attn.kernel' op axis 'f' is 3 in a key of 'products', but 8 before}}
  %row = attn.kernel ins(%q, %k : !Q, !K) products(%q, %f : !Q, !F) -> (!L) normalize #attn.row<sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %row : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
!F = tensor<1x2x5x3xf32>
func.func @kernel_c5_products(%q: !Q, %k: !K, %f: !F) -> !L {
  // expected-error@below {{'attn.kernel' op 'score' has block arguments}}
  %row = attn.kernel ins(%q, %k : !Q, !K) products(%q, %k : !Q, !K) -> (!L) normalize #attn.row<sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %row : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
!G = tensor<1x2x1x4x3xf32>
!F = tensor<1x2x5x3xf32>
// All that one region takes has one number of features.
func.func @kernel_c11_pairs(%q: !Q, %k: !K, %g: !G, %f: !F) -> !L {
  // expected-error@below {{'attn.kernel' op axis 'd' is 3 in a row of 'products', but 8 before}}
  %row = attn.kernel ins(%q, %k : !Q, !K) products(%g, %f : !G, !F) -> (!L) normalize #attn.row<sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g0: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g0: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } pairs {
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32, %d: index, %b: index, %h: index, %g0: index, %i: index, %j: index):
    attn.yield %z : f32
  }
  return %row : !L
}

// -----

!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_c12(%q: !Q, %k: !K) -> !L {
  // expected-error@below {{'attn.kernel' op has 1 rows of queries, but 'pairs' take 2}}
  %row = attn.kernel ins(%q, %k : !Q, !K) -> (!L) normalize #attn.row<sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } pairs {
  ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  }, {
  ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  }
  return %row : !L
}
