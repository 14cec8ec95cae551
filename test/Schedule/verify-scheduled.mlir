// RUN: attnc-opt %s --attn-verify-scheduled --split-input-file --verify-diagnostics

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_legal(%q: !Q, %k: !K, %v: !K) -> !Q {
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

// -----

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

// expected-error-re@below {{stage scheduled needs the module attribute attnc.target, one of x86-64, x86-64-v3, alderlake, x86-64-v4, cascadelake, cooperlake, zen4, goldencove, sapphirerapids, opencl, cuda{{.*}}; got 'i386'}}
module attributes {attnc.target = "i386"} {
func.func @verify_scheduled_c1(%q: !Q, %k: !K, %v: !K) -> !Q {
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

// -----

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c2(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has no schedule; run attn-select-schedule}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
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
func.func @verify_scheduled_c2_target(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has a schedule for #tile.none, expected #tile.cpu<...>}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>}
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

module attributes {attnc.target = "x86-64-v3"} {
func.func @verify_scheduled_c3(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op is scheduled for isa = avx512, but x86-64-v3 has avx2}}
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

// -----

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c3_lanes(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op is scheduled for lanes = 8, but x86-64-v4 has 16 of 32 bits}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 8, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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
  // expected-error@below {{'attn.kernel' op has an illegal schedule: q = 40 is not a multiple of the 16 lanes of x86-64-v4; legal values: 16, 32, ..., 1024}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 40, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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
func.func @verify_scheduled_c4_granule(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has an illegal schedule: score_granule has 3 vectors of queries, which do not divide the 4 of a block}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 3], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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
func.func @verify_scheduled_c5(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has an illegal schedule: value_granule = [8, 4] needs 37 registers, x86-64-v4 has 32; with 4 vectors at most 6 rows fit}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [8, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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
func.func @verify_scheduled_c6(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has an illegal schedule: partial = 65 is not within the 64 keys of a tile}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto, partial = 65>>}
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
func.func @verify_scheduled_c6_tail(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has an illegal schedule: tail = 80 is not a multiple of the 16 lanes up to q = 64; 0 disables it}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 80, lane_skip = false, pack = auto>>}
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
func.func @verify_scheduled_c7(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has an illegal schedule: form = rows has all keys in one tile, so kv_len must be fixed in the spec; use form = online}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = rows, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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
func.func @verify_scheduled_c8(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has an illegal schedule: tiles of q = 512 and k = 256 take 896 KiB, the limit is 512 KiB (half of the L2 of x86-64-v4); reduce either}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 512, k = 256, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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
func.func @verify_scheduled_c10(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{has an illegal schedule: form = chunked does not apply, because weights are not the scores themselves; use form = online}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = chunked, q = 64, k = 64, chunk = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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
func.func @verify_scheduled_c12(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has an illegal schedule: rescale_threshold = 33.00 is above 32; the weights of a row, up to e ** threshold, would overflow}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 33.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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

!Q = tensor<?x8x1x?x64xbf16, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xbf16, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c14(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has an illegal schedule: weights = bf16 cannot hold the weights of this kernel, which are f32; legal: f32}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, weights = bf16, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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

!Q = tensor<?x8x1x?x64xbf16, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xbf16, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c14_as_wide(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has an illegal schedule: weights = f16 cannot hold the weights of this kernel, which are bf16; legal: bf16 or f32}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = bf16, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, weights = f16, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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

!Q = tensor<?x8x1x?x64xbf16, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xbf16, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c14_too_wide(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has an illegal schedule: weights = f64 cannot hold the weights of this kernel, which are bf16; legal: bf16 or f32}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = bf16, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, weights = f64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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

!Q = tensor<?x8x1x?x64xbf16, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xbf16, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

// Weights that are divided later are not rounded before.
module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c14_quotients(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has an illegal schedule: weights = bf16 cannot hold the weights of this kernel, which are f32; legal: f32}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = none, weight = identity, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = bf16, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, weights = bf16, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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

!Q = tensor<?x8x1x?x64xbf16, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xbf16, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c14_legal(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = bf16, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, weights = f32, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
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

!Q = tensor<?x2x4x?x64xf32, #attn.dims<batch, 2, 4, query_len, 64>>
!K = tensor<?x2x?x64xf32, #attn.dims<batch, 2, kv_len, 64>>
!L = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c18(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has an illegal schedule: row_axes = gq does not apply, because its mask differs between heads}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 64, k = 64, row_axes = gq, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %g : index
    attn.yield %c : i1
  }
  return %o : !Q
}
}

// -----

!Q = tensor<?x2x4x?x64xf32, #attn.dims<batch, 2, 4, query_len, 64>>
!K = tensor<?x2x?x64xf32, #attn.dims<batch, 2, kv_len, 64>>
!L = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>

module attributes {attnc.target = "opencl"} {
func.func @verify_scheduled_c18_backend(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-error@below {{'attn.kernel' op has row_axes = gq, which backend 'halide' does not support}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 16, k = 32, row_axes = gq, rescale_threshold = 0.0, rescale_in = value, target = #halide.gpu_schedule<group = [16, 8], keys = 4, features = 4, shared = [weights]>>}
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

module attributes {attnc.target = "zen4"} {
func.func @verify_scheduled_c17_block_type(%x: tensor<64x64xbf16>, %w: tensor<64x64xf32>) -> tensor<64x64xbf16> {
  // expected-error@below {{unit = dot requires form = dot, two operands of bf16 or of 8-bit integers, no mask, and such a unit of zen4; use unit = fma}}
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 64, unit = dot>>} : (tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}
}

// -----

module attributes {attnc.target = "zen4"} {
func.func @verify_scheduled_c17_block_unit(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error@below {{unit = matrix requires form = dot, two operands of bf16 or of 8-bit integers, no mask, and such a unit of zen4; use unit = fma}}
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 64, unit = matrix>>} : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}
}

// -----

!Q = tensor<?x2x4x?x64xf32, #attn.dims<batch, 2, 4, query_len, 64>>
!K8 = tensor<?x2x?x64xi8, #attn.dims<batch, 2, kv_len, 64>>
!K = tensor<?x2x?x64xf32, #attn.dims<batch, 2, kv_len, 64>>
!L = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c19(%k8: !K8) -> !K {
  // expected-error@below {{'attn.map' op has attn.convert_on_load, but is no conversion of 8-bit integers to floats that only kernels and products read}}
  %k = attn.map "bhkd->bhkd"(%k8) : (!K8) -> !K attributes {attn.convert_on_load} {
  ^bb0(%x: index, %b: index, %h: index, %j: index, %d: index):
    %w = arith.index_cast %x : index to i64
    %r = arith.sitofp %w : i64 to f32
    attn.yield %r : f32
  }
  return %k : !K
}
}

// -----

!Q = tensor<?x2x4x?x64xf32, #attn.dims<batch, 2, 4, query_len, 64>>
!K8 = tensor<?x2x?x64xi8, #attn.dims<batch, 2, kv_len, 64>>
!K = tensor<?x2x?x64xf32, #attn.dims<batch, 2, kv_len, 64>>
!L = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c19_backend(%q: !Q, %k8: !K8, %v: !K) -> !Q {
  // expected-error@below {{'attn.map' op has attn.convert_on_load, which backend 'halide' does not support}}
  %k = attn.map "bhkd->bhkd"(%k8) : (!K8) -> !K attributes {attn.convert_on_load} {
  ^bb0(%x: index, %b: index, %h: index, %j: index, %d: index):
    %w = arith.index_cast %x : index to i64
    %r = arith.sitofp %w : i64 to f32
    attn.yield %r : f32
  }
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32, schedule = #attn.schedule<form = online, q = 16, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #halide.schedule<lanes = 16, score_tile = [4, 1], value_tile = [4, 1]>>}
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

!Q = tensor<?x64xf32, #attn.dims<query_len, 64>>

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c20(%q: !Q) -> !Q {
  // expected-error@below {{'attn.map' op has attn.in_product, but no product of matrices computes it in its blocks; remove the attribute}}
  %f = attn.map "qd->qd"(%q) : (!Q) -> !Q attributes {attn.in_product} {
  ^bb0(%x: f32, %i: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  return %f : !Q
}
}
