// RUN: attnc-opt %s --attn-verify-scheduled --split-input-file --verify-diagnostics

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @legal(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = rows, q = 32, k = 512, rescale_threshold = 0.0, rescale_in = value, target = #halide.schedule<lanes = 16, score_tile = [8, 2], value_tile = [8, 2]>>}
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
}

// -----

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c3(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{is scheduled for lanes = 8, but x86-64-v4 has 16 of 32 bits}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = rows, q = 32, k = 512, rescale_threshold = 0.0, rescale_in = value, target = #halide.schedule<lanes = 8, score_tile = [8, 2], value_tile = [8, 2]>>}
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
}

// -----

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c4(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{has an illegal schedule: q = 24 is not a multiple of the 16 lanes of x86-64-v4; legal values: 16, 32, ..., 256}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = rows, q = 24, k = 512, rescale_threshold = 0.0, rescale_in = value, target = #halide.schedule<lanes = 16, score_tile = [8, 2], value_tile = [8, 2]>>}
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
}

// -----

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c2(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = rows, q = 32, k = 512, rescale_threshold = 0.0, rescale_in = value, target = #halide.schedule<lanes = 16, score_tile = [8, 2], value_tile = [8, 2]>>}
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
func.func @other_backend(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{is scheduled for backend 'llvm', other ops for 'halide'}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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
}
