// Caches that a function changes in place. The value from before may be used
// before.
// RUN: attnc-opt %s --attn-verify-graph --split-input-file | FileCheck %s

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// CHECK-LABEL: func.func @f(
// CHECK:         attn.append
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [0, "kv_len - query_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> (!c, !c) {
    %old = attn.map "bsd->bsd" (%c) : (!c) -> !c {
    ^bb0(%e: f32, %b: index, %s: index, %d: index):
      %y = arith.negf %e : f32
      attn.yield %y : f32
    }
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    return %old, %new : !c, !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// A range of the user's own, and what the cache has room for.
// CHECK-LABEL: func.func @f(
// CHECK:         attn.append
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [1, "min(100, kv_len - query_len)"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> (!c, !c) {
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    return %new, %new : !c, !c
  }
}
