// Heads of a group are rows of one block where queries are few, and fill blocks one
// by one where they are many: a function each, if the call could choose.
// RUN: attnc-opt %s --split-input-file --pass-pipeline='builtin.module(attn-split-groups)' 2>/dev/null | FileCheck %s
// RUN: attnc-opt %s --split-input-file --pass-pipeline='builtin.module(attn-split-groups)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: attnc-opt %s --split-input-file --pass-pipeline='builtin.module(attn-split-groups,attn-select-schedule{cpu=x86-64-v3})' 2>/dev/null | FileCheck %s --check-prefix=ROWS

!q = tensor<?x8x4x?x64xf32, #attn.dims<batch, 8, 4, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x4x?xf32, #attn.dims<batch, 8, 4, query_len>>
// A copy is expected at the border of its case, too.
// CHECK-LABEL: module
// CHECK-SAME:  cases = ["query_len <= [[border:[0-9]+]]"]
// CHECK:      func.func @differs.case0(
// CHECK-SAME:   attnc.expect = [{kv_len = 4096 : i64, query_len = 1 : i64}, {kv_len = 4096 : i64, query_len = [[border]] : i64, weight = 5.000000e-01 : f64}]
// CHECK:      func.func @differs(
// CHECK-SAME:   attnc.expect = [{kv_len = 1024 : i64, query_len = 1024 : i64}]
// REMARK: remark: at kv_len = 1024, query_len = 1024: heads of a group not packed, used by calls with all other sizes, cost {{.*}} cycles instead of {{.*}} [fused]
// REMARK: remark: at kv_len = 4096, query_len = 1: heads of a group packed into rows, used by calls with query_len <= {{.*}}, cost {{.*}} [fused]
// ROWS-LABEL: func.func @differs.case0(
// ROWS:         row_axes = gq
// ROWS-LABEL: func.func @differs(
// ROWS-NOT:     row_axes
// ROWS:         return
module attributes {attnc.interface = [{name = "differs", title = "t", spec = "s", sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "8", "4", "query_len", "64"]}, {name = "K", role = "key", dtype = "f32", axes = ["batch", "8", "kv_len", "64"]}, {name = "O", role = "output", dtype = "f32", axes = ["batch", "8", "4", "query_len", "64"]}]}]} {
  func.func @differs(%q: !q, %K: !K) -> !q attributes {attnc.expect = [{query_len = 1024 : i64, kv_len = 1024 : i64}, {query_len = 1 : i64, kv_len = 4096 : i64}]} {
    %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
      attn.yield %x : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      %c = arith.constant true
      attn.yield %c : i1
    }
    return %o : !q
  }
}

// -----

!q = tensor<?x8x4x?x64xf32, #attn.dims<batch, 8, 4, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x4x?xf32, #attn.dims<batch, 8, 4, query_len>>
// One query and eight: rows of one block at both.
// CHECK-LABEL: module
// CHECK-NOT:     cases
// CHECK-NOT:     case0
// CHECK:         func.func @alike(
// ROWS-LABEL: func.func @alike(
// ROWS:         row_axes = gq
module attributes {attnc.interface = [{name = "alike", title = "t", spec = "s", sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "8", "4", "query_len", "64"]}, {name = "K", role = "key", dtype = "f32", axes = ["batch", "8", "kv_len", "64"]}, {name = "O", role = "output", dtype = "f32", axes = ["batch", "8", "4", "query_len", "64"]}]}]} {
  func.func @alike(%q: !q, %K: !K) -> !q attributes {attnc.expect = [{query_len = 8 : i64, kv_len = 4096 : i64}, {query_len = 1 : i64, kv_len = 4096 : i64}]} {
    %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
      attn.yield %x : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      %c = arith.constant true
      attn.yield %c : i1
    }
    return %o : !q
  }
}

// -----

!q = tensor<?x8x4x?x64xf32, #attn.dims<batch, 8, 4, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x4x?xf32, #attn.dims<batch, 8, 4, query_len>>
// A mask that differs from head to head: no rows, so no copies.
// CHECK-LABEL: module
// CHECK-NOT:     cases
// CHECK-NOT:     case0
// CHECK:         func.func @obstacle(
module attributes {attnc.interface = [{name = "obstacle", title = "t", spec = "s", sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "8", "4", "query_len", "64"]}, {name = "K", role = "key", dtype = "f32", axes = ["batch", "8", "kv_len", "64"]}, {name = "O", role = "output", dtype = "f32", axes = ["batch", "8", "4", "query_len", "64"]}]}]} {
  func.func @obstacle(%q: !q, %K: !K) -> !q attributes {attnc.expect = [{query_len = 1024 : i64, kv_len = 1024 : i64}, {query_len = 1 : i64, kv_len = 4096 : i64}]} {
    %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
      attn.yield %x : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      %c = arith.cmpi ult, %g, %j : index
      attn.yield %c : i1
    }
    return %o : !q
  }
}

// -----

!q = tensor<?x8x4x?x64xf32, #attn.dims<batch, 8, 4, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x4x?xf32, #attn.dims<batch, 8, 4, query_len>>
!W = tensor<8x4x64x16384xf32, #attn.dims<8, 4, 64, 16384>>
!y = tensor<?x?x16384xf32, #attn.dims<batch, query_len, 16384>>
// A product beside the kernel takes most of the time.
// CHECK-LABEL: module
// CHECK-NOT:     cases
// CHECK-NOT:     case0
// CHECK:         func.func @layer(
module attributes {attnc.interface = [{name = "layer", title = "t", spec = "s", sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "8", "4", "query_len", "64"]}, {name = "K", role = "key", dtype = "f32", axes = ["batch", "8", "kv_len", "64"]}, {name = "W", role = "input", dtype = "f32", axes = ["8", "4", "64", "16384"]}, {name = "O", role = "output", dtype = "f32", axes = ["batch", "query_len", "16384"]}]}]} {
  func.func @layer(%q: !q, %K: !K, %W: !W) -> !y attributes {attnc.expect = [{query_len = 1024 : i64, kv_len = 1024 : i64}, {query_len = 1 : i64, kv_len = 4096 : i64}]} {
    %o, %lse = attn.kernel ins(%q, %K, %K : !q, !K, !K) -> (!q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 0.5 : f64, probabilities = f32} score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
      attn.yield %x : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      %c = arith.constant true
      attn.yield %c : i1
    }
    %y = attn.contract "bhgqe,hgen->bqn" (%o, %W) : (!q, !W) -> !y
    return %y : !y
  }
}
