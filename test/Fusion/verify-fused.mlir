// RUN: attnc-opt %s --attn-verify-fused --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @f(
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
      %c = arith.constant true
      attn.yield %c : i1
    }
    %O = attn.view "bhgqd->b(hg)qd" %o : !q -> !Q
    return %O : !Q
  }
}

// -----

// expected-error@below {{the module has no attribute 'attnc.interface' with a list of functions}}
module {}

// -----

// Beside kernels stand ops on other tensors, and what fusion had to leave.
// CHECK-LABEL: func.func @beside_kernels(
!Q = tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>
!S = tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, query_len>>
!M = tensor<?x2x?x?xi1, #attn.dims<batch, 2, query_len, query_len>>
!L = tensor<?x2x?xf32, #attn.dims<batch, 2, query_len>>
module attributes {attnc.interface = [{
    name = "beside_kernels", title = "attention", spec = "heads: 2",
    sizes = [{name = "batch"}, {name = "heads", value = "2"}, {name = "query_len"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]}],
    preconditions = [], positions = []}]} {
  func.func @beside_kernels(%Q: !Q) -> !Q {
    %f = attn.map "bhqd->bhqd" (%Q) : (!Q) -> !Q {
    ^bb0(%x: f32, %b: index, %h: index, %q: index, %d: index):
      %y = math.tanh %x : f32
      attn.yield %y : f32
    }
    %s = attn.contract "bhqd,bhkd->bhqk" (%Q, %f) : (!Q, !Q) -> !S
    %m = attn.mask "bhqk" : !M {
    ^bb0(%b: index, %h: index, %q: index, %k: index):
      %c = arith.cmpi sle, %k, %q : index
      attn.yield %c : i1
    }
    %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (!S, !M) -> (!S, !L)
    %o = attn.contract "bhqk,bhke->bhqe" (%p, %Q) where "bhqk" (%m) : (!S, !Q, !M) -> !Q
    return %o : !Q
  }
}
