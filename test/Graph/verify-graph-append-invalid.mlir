// Each module violates the constraint of docs/stages/2-graph.md that its comment names.
// RUN: attnc-opt %s --attn-verify-graph --split-input-file --verify-diagnostics

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c3: the new value of an inout input is no result
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [0, "kv_len - query_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  // expected-error@below {{'func.func' op has 3 arguments and 1 results, the interface has 3 and 2}}
  func.func @f(%x: !x, %c: !c, %past: !at) -> !c {
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    return %new : !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c7: an argument that no call may change
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"]},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [0, "kv_len - query_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> !c {
    // expected-error @below {{'attn.append' op writes in the place of its cache, which must be an argument that the interface declares inout; 'c' is not}}
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    return %new : !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c7: a cache that is no argument
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
      attn.yield %e : f32
    }
    // expected-error @below {{'attn.append' op writes in the place of its cache, which must be an argument that the interface declares inout}}
    %new = attn.append "bsd" %old, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    return %new, %new : !c, !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c7: what is returned is something else
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [0, "kv_len - query_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> (!c, !c) {
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    %old = attn.map "bsd->bsd" (%new) : (!c) -> !c {
    ^bb0(%e: f32, %b: index, %s: index, %d: index):
      attn.yield %e : f32
    }
    // expected-error @below {{'func.return' op operand 1 must be the value of 'c', which is inout: the argument, or what attn.append has made of it}}
    return %new, %old : !c, !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c8: the old value is read afterwards
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [0, "kv_len - query_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> (!c, !c) {
    // expected-note @below {{the rows are written here}}
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    // expected-error @below {{'attn.map' op uses the value of a cache from before attn.append, which writes new rows in its place; use what attn.append yields, or move the op in front of it}}
    %old = attn.map "bsd->bsd" (%c) : (!c) -> !c {
    ^bb0(%e: f32, %b: index, %s: index, %d: index):
      attn.yield %e : f32
    }
    return %old, %new : !c, !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c8: through a view from before
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [0, "kv_len - query_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> (!c, !c) {
    %v = attn.slice "bsd" %c along "d" [0, 8] : !c -> !c
    // expected-note @below {{the rows are written here}}
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    // expected-error @below {{'attn.map' op uses the value of a cache from before attn.append, which writes new rows in its place; use what attn.append yields, or move the op in front of it}}
    %old = attn.map "bsd->bsd" (%v) : (!c) -> !c {
    ^bb0(%e: f32, %b: index, %s: index, %d: index):
      attn.yield %e : f32
    }
    return %old, %new : !c, !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c8: by a formula that is computed where it is used
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [0, "kv_len - query_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> (!c, !c) {
    %m = attn.mask "bsd" : tensor<?x?x8xi1, #attn.dims<batch, kv_len, 8>> {
    ^bb0(%b: index, %s: index, %d: index):
      %e = attn.read %c[%b, %s, %d] : !c -> f32
      %zero = arith.constant 0.0 : f32
      %y = arith.cmpf ogt, %e, %zero : f32
      attn.yield %y : i1
    }
    // expected-note @below {{the rows are written here}}
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    // expected-error @below {{'attn.map' op uses the value of a cache from before attn.append, which writes new rows in its place; use what attn.append yields, or move the op in front of it}}
    %old = attn.map "bsd->bsd" (%m) : (tensor<?x?x8xi1, #attn.dims<batch, kv_len, 8>>) -> !c {
    ^bb0(%t: i1, %b: index, %s: index, %d: index):
      %one = arith.constant 1.0 : f32
      %zero = arith.constant 0.0 : f32
      %y = arith.select %t, %one, %zero : f32
      attn.yield %y : f32
    }
    return %old, %new : !c, !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c8: the old value is returned
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [0, "kv_len - query_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> (!c, !c) {
    // expected-note @below {{the rows are written here}}
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    // expected-error @below {{'func.return' op uses the value of a cache from before attn.append, which writes new rows in its place; use what attn.append yields, or move the op in front of it}}
    return %c, %new : !c, !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c8: the new value of an inout input is not its last one
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [0, "kv_len - query_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> (!c, !c) {
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    // expected-note @below {{the rows are written here}}
    %more = attn.append "bsd" %new, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    // expected-error @below {{'func.return' op uses the value of a cache from before attn.append, which writes new rows in its place; use what attn.append yields, or move the op in front of it}}
    return %more, %new : !c, !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c8: rows of the cache itself
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [0, "kv_len - query_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> (!c, !c) {
    // expected-error @below {{'attn.append' op adds rows of the cache itself, which it overwrites meanwhile}}
    // expected-note @below {{the rows are written here}}
    %new = attn.append "bsd" %c, %c along "s" at "b" (%past) : !c, !c, !at -> !c
    return %new, %new : !c, !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c9: no range
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> (!c, !c) {
    // expected-error @below {{'attn.append' op needs values of 'past' in 0 .. kv_len - query_len, so that a call without room for the rows is refused; the interface gives no range}}
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    return %new, %new : !c, !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c9: a range that lets rows lie outside
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [0, "kv_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> (!c, !c) {
    // expected-error @below {{'attn.append' op needs values of 'past' in 0 .. kv_len - query_len, so that a call without room for the rows is refused; the interface has 0 .. kv_len}}
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    return %new, %new : !c, !c
  }
}

// -----

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!x = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>

// stage_c9: rows before the first
module attributes {attnc.interface = [{
    name = "f", title = "cache", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "c", role = "input", dtype = "f32", axes = ["batch", "kv_len", "8"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [-1, "kv_len - query_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}]} {
  func.func @f(%x: !x, %c: !c, %past: !at) -> (!c, !c) {
    // expected-error @below {{'attn.append' op needs values of 'past' in 0 .. kv_len - query_len, so that a call without room for the rows is refused; the interface has -1 .. kv_len - query_len}}
    %new = attn.append "bsd" %c, %x along "s" at "b" (%past) : !c, !x, !at -> !c
    return %new, %new : !c, !c
  }
}
