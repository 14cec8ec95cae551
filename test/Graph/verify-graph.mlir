// RUN: attnc-opt %s --attn-verify-graph --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @f(
module attributes {attnc.interface = [{
    name = "f", title = "scores", spec = "heads: 2",
    sizes = [{name = "batch"}, {name = "heads", value = "2"}, {name = "query_len"}, {name = "kv_len"}, {name = "twice", value = "kv_len * 2"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]},
               {name = "K", role = "key", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "V", role = "value", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "bias", role = "input", dtype = "f16", axes = ["twice", "batch + 1"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "heads", "query_len", "kv_len"]}],
    preconditions = [], positions = []}]} {
  func.func @f(%Q: tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, %K: tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>, %V: tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>, %bias: tensor<?x?xf16, #attn.dims<"kv_len * 2", "batch + 1">>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>> {
    %s = attn.contract "bhqd,bhkd->bhqk" (%Q, %K) : (tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
    %t = attn.map "bhqk->bhqk" (%s) : (tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>> {
    ^bb0(%x: f32, %b: index, %h: index, %q: index, %k: index):
      %n = attn.size "twice"
      %y = attn.read %bias[%n, %b] : tensor<?x?xf16, #attn.dims<"kv_len * 2", "batch + 1">> -> f32
      %z = arith.addf %x, %y : f32
      attn.yield %z : f32
    }
    return %t : tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
  }
}

// -----

// expected-error@below {{the module has no attribute 'attnc.interface' with a list of functions}}
module {}
