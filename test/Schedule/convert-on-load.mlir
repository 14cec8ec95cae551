// Quantized keys and values that a kernel converts as it loads them.
// RUN: attnc-opt %s --split-input-file --attn-select-schedule=cpu=zen4 --verify-diagnostics=only-expected -o - | FileCheck %s
// RUN: attnc-opt %s --split-input-file --attn-select-schedule=cpu=x86-64-v3 -o - | FileCheck %s --check-prefix=FMA
// RUN: attnc-opt %s --split-input-file '--attn-select-schedule=cpu=x86-64-v3 backend=halide' -o - | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: attn.convert_on_load
// FMA-NOT: attn.convert_on_load

!Q = tensor<?x2x4x?x64xbf16, #attn.dims<batch, 2, 4, query_len, 64>>
!K8 = tensor<?x2x?x64xi8, #attn.dims<batch, 2, kv_len, 64>>
!K = tensor<?x2x?x64xf32, #attn.dims<batch, 2, kv_len, 64>>
!S = tensor<?x2x?xf32, #attn.dims<batch, 2, kv_len>>
!L = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>

// Scales of keys multiply the sums, those of values the weights, which are
// rounded to bf16 after that.
// CHECK-LABEL: func.func @scales_of_rows(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x4x?x64xbf16, {{.*}}>, %[[K8:[a-z0-9]+]]: tensor<?x2x?x64xi8, {{.*}}>, %[[KS:[a-z0-9]+]]: tensor<?x2x?xf32, {{.*}}>, %[[VS:[a-z0-9]+]]: tensor<?x2x?xf32
// CHECK:         %[[K:.*]] = attn.map "bhkd->bhkd"(%[[K8]]) : (tensor<?x2x?x64xi8, {{.*}}>) -> tensor<?x2x?x64xbf16, {{.*}}> attributes {attn.convert_on_load} {
// CHECK-NEXT:    ^bb0(%[[X:[a-z0-9]+]]: index,
// CHECK-NEXT:      %[[WIDE:.*]] = arith.index_cast %[[X]] : index to i64
// CHECK-NEXT:      %[[REAL:.*]] = arith.sitofp %[[WIDE]] : i64 to f32
// CHECK-NEXT:      attn.yield %[[REAL]] : f32
// CHECK:         %[[V:.*]] = attn.map "bhke->bhke"(%[[K8]]) {{.*}} attributes {attn.convert_on_load} {
// CHECK:         attn.kernel ins(%[[Q]], %[[K]], %[[V]] : {{.*}} schedule = #attn.schedule<{{.*}}weights = bf16, target = #tile.cpu<{{.*}}unit = dot>>
// CHECK-SAME:    score {
// CHECK-NEXT:    ^bb0(%[[SUM:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: index, %[[H:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[J:[a-z0-9]+]]: index):
// CHECK-NEXT:      %[[SCALE:.*]] = attn.read %[[KS]][%[[B]], %[[H]], %[[J]]]
// CHECK-NEXT:      %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[SCALE]] : f32
// CHECK-NEXT:      attn.yield %[[SCALED]] : f32
// CHECK:         gate {
// CHECK-NEXT:    ^bb0(%{{[a-z0-9]+}}: f32, %[[B:[a-z0-9]+]]: index, %[[H:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[J:[a-z0-9]+]]: index):
// CHECK-NEXT:      %[[OF:.*]] = attn.read %[[VS]][%[[B]], %[[H]], %[[J]]]
// CHECK-NEXT:      attn.yield %[[OF]] : f32
func.func @scales_of_rows(%q: !Q, %k8: !K8, %ks: !S, %vs: !S) -> !Q {
  %k = attn.map "bhkd->bhkd"(%k8) : (!K8) -> !K {
  ^bb0(%x: index, %b: index, %h: index, %j: index, %d: index):
    %w = arith.index_cast %x : index to i64
    %r = arith.sitofp %w : i64 to f32
    %s = attn.read %ks[%b, %h, %j] : !S -> f32
    %y = arith.mulf %r, %s : f32
    attn.yield %y : f32
  }
  %v = attn.map "bhkd,bhk->bhkd"(%k8, %vs) : (!K8, !S) -> !K {
  ^bb0(%x: index, %s: f32, %b: index, %h: index, %j: index, %d: index):
    %w = arith.index_cast %x : index to i64
    %r = arith.sitofp %w : i64 to f32
    %y = arith.mulf %s, %r : f32
    attn.yield %y : f32
  }
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16}
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

// -----

!Q = tensor<?x2x4x?x64xbf16, #attn.dims<batch, 2, 4, query_len, 64>>
!K8 = tensor<?x2x?x64xi8, #attn.dims<batch, 2, kv_len, 64>>
!K = tensor<?x2x?x64xf32, #attn.dims<batch, 2, kv_len, 64>>
!F = tensor<2x64xf32>
!S = tensor<?x2x?xf32, #attn.dims<batch, 2, kv_len>>
!L = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>

// A scale per feature would have to multiply Q, which would be rounded; a zero
// point is no factor.
// CHECK-LABEL: func.func @other_formulas(
// CHECK-NOT:     attn.convert_on_load
// CHECK:         return
func.func @other_formulas(%q: !Q, %k8: !K8, %ks: !F, %z: !S) -> !Q {
  %k = attn.map "bhkd->bhkd"(%k8) : (!K8) -> !K {
  ^bb0(%x: index, %b: index, %h: index, %j: index, %d: index):
    %w = arith.index_cast %x : index to i64
    %r = arith.sitofp %w : i64 to f32
    %s = attn.read %ks[%h, %d] : !F -> f32
    %y = arith.mulf %r, %s : f32
    attn.yield %y : f32
  }
  %v = attn.map "bhkd->bhkd"(%k8) : (!K8) -> !K {
  ^bb0(%x: index, %b: index, %h: index, %j: index, %d: index):
    %w = arith.index_cast %x : index to i64
    %r = arith.sitofp %w : i64 to f32
    %s = attn.read %z[%b, %h, %j] : !S -> f32
    %y = arith.subf %r, %s : f32
    attn.yield %y : f32
  }
  // expected-remark@below {{quantized keys are dequantized before the kernel, because the formula is not an 8-bit integer times a scale per row (no scale may depend on an axis that is summed over, and a zero point is none) [kernel]}}
  // expected-remark@below {{quantized values are dequantized before the kernel, because the formula is not an 8-bit integer times a scale per row (no scale may depend on an axis that is summed over, and a zero point is none) [kernel]}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16}
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

// -----

!Q = tensor<?x2x4x?x64xbf16, #attn.dims<batch, 2, 4, query_len, 64>>
!T8 = tensor<2x?x64xi8, #attn.dims<2, kv_tokens, 64>>
!T = tensor<2x?x64xf32, #attn.dims<2, kv_tokens, 64>>
!S = tensor<2x?xf32, #attn.dims<2, kv_tokens>>
!R = tensor<?x2x64xf32, #attn.dims<kv_tokens, 2, 64>>
!B = tensor<?xi32, #attn.dims<"batch + 1">>
!U = tensor<?x?x2x64xf32, #attn.dims<batch, kv_tokens, 2, 64>>
!K = tensor<?x2x?x64xf32, #attn.dims<batch, 2, kv_tokens, 64>>
!L = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>

// The scale of key k of sequence b is that of row start[b] + k.
// CHECK-LABEL: func.func @ragged_rows(
// CHECK-SAME:    %[[T8:[a-z0-9]+]]: tensor<2x?x64xi8, {{.*}}>, %[[S:[a-z0-9]+]]: tensor<2x?xf32, {{.*}}>, %[[START:[a-z0-9]+]]: tensor<?xi32
// CHECK:         %[[R:.*]] = attn.view "abd->bad" %[[T8]]
// CHECK-NEXT:    %[[U:.*]] = attn.unpack %[[R]] by %[[START]]
// CHECK-NEXT:    %[[V:.*]] = attn.view "bkhd->bhkd" %[[U]]
// CHECK-NEXT:    %[[K:.*]] = attn.map "bhkd->bhkd"(%[[V]]) {{.*}} attributes {attn.convert_on_load} {
// CHECK:         attn.kernel ins(%{{.*}}, %[[K]], %{{.*}} :
// CHECK-SAME:    score {
// CHECK-NEXT:    ^bb0(%[[SUM:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: index, %[[H:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[J:[a-z0-9]+]]: index):
// CHECK-NEXT:      %[[FIRST:.*]] = attn.read %[[START]][%[[B]]]
// CHECK-NEXT:      %[[ROW:.*]] = arith.addi %[[FIRST]], %[[J]] : index
// CHECK-NEXT:      attn.read %[[S]][%[[H]], %[[ROW]]]
func.func @ragged_rows(%q: !Q, %k8: !T8, %ks: !S, %start: !B, %v: !K) -> !Q {
  %t = attn.map "hkd,hk->hkd"(%k8, %ks) : (!T8, !S) -> !T {
  ^bb0(%x: index, %s: f32, %h: index, %j: index, %d: index):
    %w = arith.index_cast %x : index to i64
    %r = arith.sitofp %w : i64 to f32
    %y = arith.mulf %r, %s : f32
    attn.yield %y : f32
  }
  %rows = attn.view "abd->bad" %t : !T -> !R
  %u = attn.unpack %rows by %start : !R, !B -> !U
  %k = attn.view "bkhd->bhkd" %u : !U -> !K
  // expected-remark@below {{quantized keys are converted to floats tile by tile, as they are loaded [kernel]}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16}
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

// -----

!Q = tensor<?x2x4x?x64xbf16, #attn.dims<batch, 2, 4, query_len, 64>>
!B8 = tensor<?x2x?x16x64xi8, #attn.dims<batch, 2, blocks, 16, 64>>
!B = tensor<?x2x?x16x64xf32, #attn.dims<batch, 2, blocks, 16, 64>>
!K = tensor<?x2x?x64xf32, #attn.dims<batch, 2, "blocks * 16", 64>>
!L = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>

// CHECK-LABEL: func.func @keys_of_two_axes(
// CHECK-NOT:     attn.convert_on_load
// CHECK:         return
func.func @keys_of_two_axes(%q: !Q, %k8: !B8, %v: !K) -> !Q {
  %t = attn.map "bhkrd->bhkrd"(%k8) : (!B8) -> !B {
  ^bb0(%x: index, %b: index, %h: index, %j: index, %n: index, %d: index):
    %w = arith.index_cast %x : index to i64
    %r = arith.sitofp %w : i64 to f32
    attn.yield %r : f32
  }
  %k = attn.view "bhkrd->bh(kr)d" %t : !B -> !K
  // expected-remark@below {{quantized keys are dequantized before the kernel, because they are viewed otherwise than the integers are stored (an axis is split) [kernel]}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16}
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

// -----

!Q = tensor<?x2x4x?x64xbf16, #attn.dims<batch, 2, 4, query_len, 64>>
!K8 = tensor<?x2x?x64xi8, #attn.dims<batch, 2, kv_len, 64>>
!K = tensor<?x2x?x64xbf16, #attn.dims<batch, 2, kv_len, 64>>
!S = tensor<?x2x?xbf16, #attn.dims<batch, 2, kv_len>>
!L = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>

// Elements that the formula rounds to bf16 are exact.
// CHECK-LABEL: func.func @rounded_rows(
// CHECK:         attn.map "bhkd->bhkd"(%arg1) {{.*}} attributes {attn.convert_on_load}
// CHECK:         attn.kernel
func.func @rounded_rows(%q: !Q, %k8: !K8, %ks: !S, %v: !K) -> !Q {
  %k = attn.map "bhkd,bhk->bhkd"(%k8, %ks) : (!K8, !S) -> !K {
  ^bb0(%x: index, %s: f32, %b: index, %h: index, %j: index, %d: index):
    %w = arith.index_cast %x : index to i64
    %r = arith.sitofp %w : i64 to f32
    %y = arith.mulf %r, %s : f32
    attn.yield %y : f32
  }
  // expected-remark@below {{quantized keys are converted to floats tile by tile, as they are loaded [kernel]}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16}
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

// -----

!Q = tensor<?x2x4x?x64xbf16, #attn.dims<batch, 2, 4, query_len, 64>>
!K8 = tensor<2x?x?x64xi8, #attn.dims<2, batch, kv_len, 64>>
!K = tensor<?x2x?x64xf32, #attn.dims<batch, 2, kv_len, 64>>
!L = tensor<?x2x4x?xf32, #attn.dims<batch, 2, 4, query_len>>

// CHECK-LABEL: func.func @permuted_axes(
// CHECK-NOT:     attn.convert_on_load
// CHECK:         return
func.func @permuted_axes(%q: !Q, %k8: !K8, %v: !K) -> !Q {
  %k = attn.map "hbkd->bhkd"(%k8) : (!K8) -> !K {
  ^bb0(%x: index, %b: index, %h: index, %j: index, %d: index):
    %w = arith.index_cast %x : index to i64
    %r = arith.sitofp %w : i64 to f32
    attn.yield %r : f32
  }
  // expected-remark@below {{quantized keys are dequantized before the kernel, because the formula permutes or repeats axes of the integers [kernel]}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16}
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

// -----

!Q = tensor<?x2x4x?x64xf64, #attn.dims<batch, 2, 4, query_len, 64>>
!K8 = tensor<?x2x?x64xi8, #attn.dims<batch, 2, kv_len, 64>>
!K = tensor<?x2x?x64xf32, #attn.dims<batch, 2, kv_len, 64>>
!V = tensor<?x2x?x64xf64, #attn.dims<batch, 2, kv_len, 64>>
!L = tensor<?x2x4x?xf64, #attn.dims<batch, 2, 4, query_len>>

// CHECK-LABEL: func.func @rounded_to_f32(
// CHECK-NOT:     attn.convert_on_load
// CHECK:         return
func.func @rounded_to_f32(%q: !Q, %k8: !K8, %v: !V) -> !Q attributes {attnc.expect = [{batch = 1 : i64, query_len = 1 : i64, kv_len = 4096 : i64, weight = 1.0 : f64}]} {
  %k = attn.map "bhkd->bhkd"(%k8) : (!K8) -> !K {
  ^bb0(%x: index, %b: index, %h: index, %j: index, %d: index):
    %w = arith.index_cast %x : index to i64
    %r = arith.sitofp %w : i64 to f32
    attn.yield %r : f32
  }
  // expected-remark@below {{quantized keys are dequantized before the kernel, because the formula rounds to a narrower type than that of the sums [kernel]}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !V) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f64}
  score {
  ^bb0(%x: f64, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f64
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}
