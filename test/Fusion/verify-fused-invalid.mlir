// Each module violates the constraint of docs/stages/3-fused.md that its comment names.
// RUN: attnc-opt %s --attn-verify-fused --split-input-file --verify-diagnostics

// stage_c1
// expected-error@below {{the module has no attribute 'attnc.interface' with a list of functions}}
module {}

// -----

// stage_c3
!Q = tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!S = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
module attributes {attnc.interface = [{
    name = "f", title = "attention", spec = "heads: 2",
    sizes = [{name = "batch"}, {name = "heads", value = "2"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]},
               {name = "K", role = "key", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "V", role = "value", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]}],
    preconditions = [], positions = []}]} {
  // expected-error@below {{'func.func' op has the type 'tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>' for 'O', the interface says 'tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>'}}
  func.func @f(%Q: !Q, %K: !K, %V: !K) -> !q {
    %q = attn.view "b(hg)qd->bhgqd" %Q : !Q -> !q
    %o, %lse = attn.kernel ins(%q, %K, %V : !q, !K, !K) -> (!q, !L)
      normalize #attn.norm<shift = max, weight = exp2, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32}
    score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
      attn.yield %x : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      %c = arith.constant true
      attn.yield %c : i1
    }
    %O = attn.view "bhgqd->b(hg)qd" %o : !q -> !Q
    return %o : !q
  }
}

// -----

// stage_c4
!Q = tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!S = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
module attributes {attnc.interface = [{
    name = "f", title = "attention", spec = "heads: 2",
    sizes = [{name = "batch"}, {name = "heads", value = "2"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]},
               {name = "K", role = "key", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "V", role = "value", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]}],
    preconditions = [], positions = []}]} {
  func.func @f(%Q: !Q, %K: !K, %V: !K) -> !Q {
    %q = attn.view "b(hg)qd->bhgqd" %Q : !Q -> !q
    %o, %lse = attn.kernel ins(%q, %K, %V : !q, !K, !K) -> (!q, !L)
      normalize #attn.norm<shift = max, weight = exp2, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32}
    score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
      attn.yield %x : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      // expected-error@below {{'attn.size' op there is no size 'seq' in the interface of 'f'; it has batch heads query_len kv_len}}
      %n = attn.size "seq"
      %c = arith.cmpi slt, %j, %n : index
      attn.yield %c : i1
    }
    %O = attn.view "bhgqd->b(hg)qd" %o : !q -> !Q
    return %O : !Q
  }
}

// -----

// stage_c5
!Q = tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!S = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, kv_len>>
module attributes {attnc.interface = [{
    name = "f", title = "attention", spec = "heads: 2",
    sizes = [{name = "batch"}, {name = "heads", value = "2"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]},
               {name = "K", role = "key", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "V", role = "value", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "ids", role = "input", dtype = "i32", axes = ["batch", "kv_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]}],
    preconditions = [], positions = []}]} {
  func.func @f(%Q: !Q, %K: !K, %V: !K, %ids: tensor<?x?xi32, #attn.dims<batch, kv_len>>) -> !Q {
    %w = attn.view "bk->kb" %ids : tensor<?x?xi32, #attn.dims<batch, kv_len>> -> tensor<?x?xi32, #attn.dims<kv_len, batch>>
    %q = attn.view "b(hg)qd->bhgqd" %Q : !Q -> !q
    %o, %lse = attn.kernel ins(%q, %K, %V : !q, !K, !K) -> (!q, !L)
      normalize #attn.norm<shift = max, weight = exp2, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32}
    score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
      attn.yield %x : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      // expected-error@below {{'attn.table_min' op must ask an argument of the function or what an op computes; a view is neither}}
      %v = attn.table_min %w[%j, %b] to [%j, %b] : tensor<?x?xi32, #attn.dims<kv_len, batch>>
      %c = arith.constant true
      attn.yield %c : i1
    }
    %O = attn.view "bhgqd->b(hg)qd" %o : !q -> !Q
    return %O : !Q
  }
}
