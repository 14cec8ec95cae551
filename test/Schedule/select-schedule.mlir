// RUN: attnc-opt %s --attn-mask-ranges --attn-select-schedule=cpu=x86-64 | FileCheck %s --check-prefixes=CHECK,SSE2
// RUN: attnc-opt %s --attn-mask-ranges --attn-select-schedule=cpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: attnc-opt %s --attn-mask-ranges --attn-select-schedule=cpu=sapphirerapids | FileCheck %s --check-prefixes=CHECK,AVX512
// What is chosen must be legal.
// RUN: attnc-opt %s --attn-mask-ranges --attn-select-schedule=cpu=x86-64-v4 --attn-verify-scheduled -o %t

// SSE2: attnc.target = "x86-64"
// AVX2: attnc.target = "x86-64-v3"
// AVX512: attnc.target = "sapphirerapids"

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

// The register tiles fill the registers: 16 of 4 or 8 lanes, or 32 of 16.
// CHECK-LABEL: func.func @no_mask(
// SSE2: form = online, {{.*}}isa = sse2, mapping = rows, lanes = 4, score_granule = [2, 4], value_granule = [2, 4], {{.*}}lane_skip = false
// AVX2: form = online, {{.*}}isa = avx2, mapping = rows, lanes = 8, score_granule = [6, 2], value_granule = [6, 2], {{.*}}lane_skip = false
// AVX512: #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.000000e+00, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = false, pack = auto>>
func.func @no_mask(%q: !Q, %k: !K, %v: !K) -> !Q {
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

// Rows of a block see different keys, so vectors may have nothing to do.
// CHECK-LABEL: func.func @causal(
// SSE2: tail = 4, lane_skip = true
// AVX2: tail = 8, lane_skip = true
// AVX512: q = 64, k = 64, {{.*}}tail = 16, lane_skip = true
func.func @causal(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// A fixed, small number of keys is one tile, without a running maximum; and
// 128 rows fill whole blocks, so none is short.
// CHECK-LABEL: func.func @few_keys(
// AVX512: form = rows, q = 64, k = 100, {{.*}}tail = 0, lane_skip = false
func.func @few_keys(%q: tensor<1x8x1x128x64xf32, #attn.dims<1, 8, 1, 128, 64>>, %k: tensor<1x8x100x64xf32, #attn.dims<1, 8, 100, 64>>, %v: tensor<1x8x100x64xf32, #attn.dims<1, 8, 100, 64>>) -> tensor<1x8x1x128x64xf32, #attn.dims<1, 8, 1, 128, 64>> {
  %o, %lse = attn.kernel ins(%q, %k, %v : tensor<1x8x1x128x64xf32, #attn.dims<1, 8, 1, 128, 64>>, tensor<1x8x100x64xf32, #attn.dims<1, 8, 100, 64>>, tensor<1x8x100x64xf32, #attn.dims<1, 8, 100, 64>>) -> (tensor<1x8x1x128x64xf32, #attn.dims<1, 8, 1, 128, 64>>, tensor<1x8x1x128xf32, #attn.dims<1, 8, 1, 128>>)
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
  return %o : tensor<1x8x1x128x64xf32, #attn.dims<1, 8, 1, 128, 64>>
}

// Half as many lanes of f64, and smaller tiles where L2 is small.
// CHECK-LABEL: func.func @wide_doubles(
// SSE2: lanes = 2
// AVX2: q = 12, k = 16, {{.*}}lanes = 4
// AVX512: lanes = 8
func.func @wide_doubles(%q: tensor<1x8x1x4096x256xf64, #attn.dims<1, 8, 1, 4096, 256>>, %k: tensor<1x8x4096x256xf64, #attn.dims<1, 8, 4096, 256>>, %v: tensor<1x8x4096x256xf64, #attn.dims<1, 8, 4096, 256>>) -> tensor<1x8x1x4096x256xf64, #attn.dims<1, 8, 1, 4096, 256>> {
  %o, %lse = attn.kernel ins(%q, %k, %v : tensor<1x8x1x4096x256xf64, #attn.dims<1, 8, 1, 4096, 256>>, tensor<1x8x4096x256xf64, #attn.dims<1, 8, 4096, 256>>, tensor<1x8x4096x256xf64, #attn.dims<1, 8, 4096, 256>>) -> (tensor<1x8x1x4096x256xf64, #attn.dims<1, 8, 1, 4096, 256>>, tensor<1x8x1x4096xf64, #attn.dims<1, 8, 1, 4096>>)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f64}
  score {
  ^bb0(%x: f64, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f64
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : tensor<1x8x1x4096x256xf64, #attn.dims<1, 8, 1, 4096, 256>>
}
