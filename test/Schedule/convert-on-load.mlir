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
  // expected-remark@below {{quantized keys are dequantized before the kernel, because the formula is not an 8-bit integer times a scale per row (a scale may not depend on the feature, and a zero point is none) [kernel]}}
  // expected-remark@below {{quantized values are dequantized before the kernel, because the formula is not an 8-bit integer times a scale per row (a scale may not depend on the feature, and a zero point is none) [kernel]}}
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
