// RUN: attnc-opt %s --attn-mask-ranges --attn-select-schedule=cpu=sapphirerapids --mlir-print-op-on-diagnostic=false -o %t 2>&1 | FileCheck %s
// What --explain tells of a kernel, for each of the sizes that are expected.

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

// CHECK: remark: sapphirerapids: online softmax, 64 queries x 64 keys, features in lanes for few queries, predicted 8{{[0-9.]+}}% of the peak at kv_len = 1024, query_len = 1024; next best online softmax, {{[0-9]+}} queries x {{[0-9]+}} keys, {{.*}}: {{[0-9.]+}}%{{.*}} [kernel]
// CHECK: remark: of the 64 x 64 tiles at kv_len = 1024, query_len = 1024: 46.9% skipped, 6.2% partial, 46.9% full (no mask code); {{9[0-9.]+}}% of the visited pairs are needed [mask]
// CHECK: remark: time at kv_len = 1024, query_len = 1024: products {{.*}}%, exp and formula {{.*}}%, setup {{.*}}%, waiting for memory {{.*}}%; partial tiles take {{.*}}% of it [limit]
// CHECK: remark: sapphirerapids: online softmax, 64 queries x 64 keys, features in lanes for few queries, predicted {{[0-9.]+}}% of the peak at kv_len = 4096, query_len = 1; next best online softmax, {{[0-9]+}} queries x {{[0-9]+}} keys, {{.*}}: {{[0-9.]+}}%{{.*}} [kernel]
// CHECK: remark: #attn.schedule<form = online, q = 64, k = 64, {{.*}}> [schedule]
func.func @causal(%q: !Q, %k: !K, %v: !K) -> !Q
    attributes {attnc.expect = [{query_len = 1024 : i64, kv_len = 1024 : i64}, {query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %n = attn.size "kv_len"
    %m = attn.size "query_len"
    %off = arith.subi %n, %m : index
    %p = arith.addi %i, %off : index
    %c = arith.cmpi sle, %j, %p : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// What repeats is not met at the same place each time: every eighth block of 64
// rows begins a chunk, 4.5 of 256 tiles are visited in the mean, and 64 blocks
// are looked at.
// CHECK: remark: sapphirerapids: online softmax, 64 queries x 64 keys, predicted {{.*}} at kv_len = 16384, query_len = 16384
// CHECK: remark: of the 64 x 64 tiles at kv_len = 16384, query_len = 16384: 98.2% skipped, {{.*}} full (no mask code); {{8[89][0-9.]+}}% of the visited pairs are needed [mask]
func.func @chunks(%q: !Q, %k: !K, %v: !K) -> !Q
    attributes {attnc.schedule = "q = 64, k = 64", attnc.expect = [{query_len = 16384 : i64, kv_len = 16384 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c512 = arith.constant 512 : index
    %x = arith.floordivsi %i, %c512 : index
    %y = arith.floordivsi %j, %c512 : index
    %same = arith.cmpi eq, %x, %y : index
    %causal = arith.cmpi sle, %j, %i : index
    %c = arith.andi %same, %causal : i1
    attn.yield %c : i1
  }
  return %o : !Q
}
