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
