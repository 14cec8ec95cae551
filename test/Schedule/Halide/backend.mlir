// The backend is an option of the pass.
// RUN: attnc-opt %s --attn-select-schedule="cpu=x86-64-v4 backend=halide" --attn-verify-scheduled | FileCheck %s
// RUN: not attnc-opt %s --attn-select-schedule="backend=none" 2>&1 | FileCheck %s --check-prefix=NONE

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

// CHECK-LABEL: func.func @any(
// CHECK: target = #halide.schedule<lanes = 16, score_tile = [8, 2], value_tile = [8, 2]>>
// NONE: error: backend 'none' has no schedules for x86-64-v3
func.func @any(%q: !Q, %k: !K, %v: !K) -> !Q {
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
