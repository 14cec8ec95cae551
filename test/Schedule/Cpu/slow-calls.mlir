// A warning about a copy for some sizes names the calls that run it.
// RUN: attnc-opt %s --attn-select-schedule=cpu=x86-64-v4 -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning
// CHECK: warning: in calls with query_len <= 16, 'f16' is converted to 'f32' tile by tile
// CHECK: warning: 'f16' is converted to 'f32' tile by tile

!Q = tensor<?x8x1x?x64xf16, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf16, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.interface = [{name = "f", title = "t", spec = "",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    cases = ["query_len <= 16"],
    tensors = [
      {name = "Q", role = "query", dtype = "f16", axes = ["batch", "8", "1", "query_len", "64"]},
      {name = "K", role = "key", dtype = "f16", axes = ["batch", "8", "kv_len", "64"]},
      {name = "V", role = "value", dtype = "f16", axes = ["batch", "8", "kv_len", "64"]},
      {name = "O", role = "output", dtype = "f16", axes = ["batch", "8", "1", "query_len", "64"]}]}]} {
  func.func @f.case0(%q: !Q, %k: !K, %v: !K) -> !Q {
    %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
      normalize #attn.norm<shift = max, weight = exp2, divide = sum>
      attributes {scale = 0.125 : f64, probabilities = f16}
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
  func.func @f(%q: !Q, %k: !K, %v: !K) -> !Q {
    %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
      normalize #attn.norm<shift = max, weight = exp2, divide = sum>
      attributes {scale = 0.125 : f64, probabilities = f16}
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
