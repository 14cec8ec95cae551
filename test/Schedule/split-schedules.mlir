// A function is copied where no schedule is good at all sizes of `expect`.
// RUN: attnc-opt %s --attn-split-schedules=cpu=sapphirerapids 2>&1 | FileCheck %s --implicit-check-not=case
// Without the matrix unit nothing is packed, and one schedule is good enough.
// RUN: attnc-opt %s --attn-split-schedules=cpu=x86-64-v3 | FileCheck %s --check-prefix=ONE --implicit-check-not=case
// ONE: func.func @causal(
// A fixed schedule is that of all calls.
// RUN: attnc-opt %s --attn-split-schedules='cpu=sapphirerapids schedule={k = 64}' | FileCheck %s --check-prefix=ONE --implicit-check-not=case
// The copies differ in what they pack.
// RUN: attnc-opt %s --attn-split-schedules=cpu=sapphirerapids --attn-select-schedule=cpu=sapphirerapids | FileCheck %s --check-prefix=SCHEDULES
// SCHEDULES: @causal.case0(
// SCHEDULES: pack = auto
// SCHEDULES: @causal(
// SCHEDULES: pack = transposed
// RUN: not attnc-opt %s --attn-split-schedules=cpu=sapphire 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: unknown CPU 'sapphire'

// CHECK: remark: calls with query_len <= [[LAST:[0-9]+]] run a copy with a schedule of its own, predicted {{[0-9.]+}} M cycles instead of {{[0-9.]+}} M at batch = 1, kv_len = 1024, query_len = 1024, {{[0-9.]+}} M cycles instead of {{[0-9.]+}} M at batch = 1, kv_len = 4096, query_len = 1 [kernel]

// CHECK: cases = ["query_len <= [[LAST]]"]
// The border of a case joins its regimes.
// CHECK: func.func @causal.case0(
// CHECK-SAME: attnc.expect = [{batch = 1 : i64, kv_len = 4096 : i64, query_len = 1 : i64}, {batch = 1 : i64, border, kv_len = 4096 : i64, query_len = [[LAST]] : i64, weight = 5.000000e-01 : f64}]
// CHECK: func.func @causal(
// CHECK-SAME: attnc.expect = [{batch = 1 : i64, kv_len = 1024 : i64, query_len = 1024 : i64}]

!Q = tensor<?x8x1x?x64xbf16, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xbf16, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

module attributes {attnc.interface = [{name = "causal", title = "t", spec = "",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [
      {name = "Q", role = "query", dtype = "bf16", axes = ["batch", "8", "1", "query_len", "64"]},
      {name = "K", role = "key", dtype = "bf16", axes = ["batch", "8", "kv_len", "64"]},
      {name = "V", role = "value", dtype = "bf16", axes = ["batch", "8", "kv_len", "64"]},
      {name = "O", role = "output", dtype = "bf16", axes = ["batch", "8", "1", "query_len", "64"]}]}]} {
  func.func @causal(%q: !Q, %k: !K, %v: !K) -> !Q attributes {attnc.expect = [
      {batch = 1 : i64, kv_len = 1024 : i64, query_len = 1024 : i64},
      {batch = 1 : i64, kv_len = 4096 : i64, query_len = 1 : i64}]} {
    %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
      normalize #attn.norm<shift = max, weight = exp2, divide = sum>
      attributes {scale = 0.125 : f64, probabilities = bf16}
    score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
      attn.yield %x : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      %queries = attn.size "query_len"
      %keys = attn.size "kv_len"
      %offset = arith.subi %keys, %queries : index
      %last = arith.addi %i, %offset : index
      %c = arith.cmpi sle, %j, %last : index
      attn.yield %c : i1
    } ranges {
    ^bb0(%b: index, %h: index, %g: index, %i0: index, %i1: index):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %queries = attn.size "query_len"
      %keys = attn.size "kv_len"
      %offset = arith.subi %keys, %queries : index
      %0 = arith.addi %i0, %offset : index
      %first = arith.addi %0, %c1 : index
      %last = arith.addi %i1, %offset : index
      attn.yield_ranges [(%c0, %c0, %first, %last)]
    }
    return %o : !Q
  }
}
