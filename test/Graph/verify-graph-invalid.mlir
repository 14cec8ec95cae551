// Each module violates the constraint of docs/stages/2-graph.md that its comment names.
// RUN: attnc-opt %s --attn-verify-graph --split-input-file --verify-diagnostics

// stage_c1
// expected-error@below {{the module has no attribute 'attnc.interface' with a list of functions}}
module {
  func.func @f() {
    return
  }
}

// -----

// stage_c2: a function that the interface does not name
// expected-error@below {{'builtin.module' op must hold the functions of its interface in order; 'f' is not in its place}}
module attributes {attnc.interface = [{
    name = "f", title = "scores", spec = "heads: 2",
    sizes = [{name = "batch"}, {name = "heads", value = "2"}, {name = "query_len"}, {name = "kv_len"}, {name = "twice", value = "kv_len * 2"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]},
               {name = "K", role = "key", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "V", role = "value", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "bias", role = "input", dtype = "f16", axes = ["twice", "batch + 1"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "heads", "query_len", "kv_len"]}],
    preconditions = [], positions = []}]} {
  func.func @other(%Q: tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, %K: tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>, %V: tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>, %bias: tensor<?x?xf16, #attn.dims<"kv_len * 2", "batch + 1">>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>> {
    %s = attn.contract "bhqd,bhkd->bhqk" (%Q, %K) : (tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
    return %s : tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
  }
}

// -----

// stage_c2: a second function
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
    return %s : tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
  }
  // expected-error@below {{'func.func' op is not in the interface of the module}}
  func.func @g() {
    return
  }
}

// -----

// stage_c3: a type
module attributes {attnc.interface = [{
    name = "f", title = "scores", spec = "heads: 2",
    sizes = [{name = "batch"}, {name = "heads", value = "2"}, {name = "query_len"}, {name = "kv_len"}, {name = "twice", value = "kv_len * 2"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]},
               {name = "K", role = "key", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "V", role = "value", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "bias", role = "input", dtype = "f16", axes = ["twice", "batch + 1"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "heads", "query_len", "kv_len"]}],
    preconditions = [], positions = []}]} {
  // expected-error@below {{'func.func' op has the type 'tensor<?x?xf32, #attn.dims<"kv_len * 2", "batch + 1">>' for 'bias', the interface says 'tensor<?x?xf16, #attn.dims<"kv_len * 2", "batch + 1">>'}}
  func.func @f(%Q: tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, %K: tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>, %V: tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>, %bias: tensor<?x?xf32, #attn.dims<"kv_len * 2", "batch + 1">>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>> {
    %s = attn.contract "bhqd,bhkd->bhqk" (%Q, %K) : (tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
    return %s : tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
  }
}

// -----

// stage_c3: the number of arguments
module attributes {attnc.interface = [{
    name = "f", title = "scores", spec = "heads: 2",
    sizes = [{name = "batch"}, {name = "heads", value = "2"}, {name = "query_len"}, {name = "kv_len"}, {name = "twice", value = "kv_len * 2"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]},
               {name = "K", role = "key", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "V", role = "value", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "bias", role = "input", dtype = "f16", axes = ["twice", "batch + 1"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "heads", "query_len", "kv_len"]}],
    preconditions = [], positions = []}]} {
  // expected-error@below {{'func.func' op has 3 arguments and 1 results, the interface has 4 and 1}}
  func.func @f(%Q: tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, %K: tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>, %V: tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>> {
    %s = attn.contract "bhqd,bhkd->bhqk" (%Q, %K) : (tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
    return %s : tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
  }
}

// -----

// stage_c4: attn.size
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
    %m = attn.mask "bhqk" : tensor<?x2x?x?xi1, #attn.dims<batch, 2, query_len, kv_len>> {
    ^bb0(%b: index, %h: index, %q: index, %k: index):
      // expected-error@below {{'attn.size' op there is no size 'seq_len' in the interface of 'f'; it has batch heads query_len kv_len twice}}
      %n = attn.size "seq_len"
      %c = arith.cmpi slt, %k, %n : index
      attn.yield %c : i1
    }
    return %s : tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
  }
}

// -----

// stage_c4: dims
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
    // expected-error@below {{'attn.mask' op there is no size 'seq_len' in the interface of 'f'; it has batch heads query_len kv_len twice}}
    %m = attn.mask "q" : tensor<?xi1, #attn.dims<seq_len>> {
    ^bb0(%q: index):
      %c = arith.constant true
      attn.yield %c : i1
    }
    return %s : tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
  }
}

// -----

// stage_c4: dims that are no expression
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
    // expected-error@below {{'attn.mask' op size 'kv_len +': expected a size, a number or '('}}
    %m = attn.mask "q" : tensor<?xi1, #attn.dims<"kv_len +">> {
    ^bb0(%q: index):
      %c = arith.constant true
      attn.yield %c : i1
    }
    return %s : tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
  }
}

// -----

// stage_c5
module attributes {attnc.interface = [{
    name = "f", title = "scores", spec = "heads: 2",
    sizes = [{name = "batch"}, {name = "heads", value = "2"}, {name = "query_len"}, {name = "kv_len"}, {name = "twice", value = "kv_len * 2"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]},
               {name = "K", role = "key", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "V", role = "value", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "ids", role = "input", dtype = "i32", axes = ["batch", "kv_len"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "heads", "query_len", "kv_len"]}],
    preconditions = [], positions = []}]} {
  func.func @f(%Q: tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, %K: tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>, %V: tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>, %ids: tensor<?x?xi32, #attn.dims<batch, kv_len>>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>> {
    %w = attn.view "bk->kb" %ids : tensor<?x?xi32, #attn.dims<batch, kv_len>> -> tensor<?x?xi32, #attn.dims<kv_len, batch>>
    %s = attn.contract "bhqd,bhkd->bhqk" (%Q, %K) : (tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
    %t = attn.map "bhqk->bhqk" (%s) : (tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>> {
    ^bb0(%x: f32, %b: index, %h: index, %q: index, %k: index):
      // expected-error@below {{'attn.table_min' op must ask an argument of the function or what an op computes; a view is neither}}
      %least = attn.table_min %w[%k, %b] to [%k, %b] : tensor<?x?xi32, #attn.dims<kv_len, batch>>
      %wide = arith.index_cast %least : index to i64
      %y = arith.sitofp %wide : i64 to f32
      attn.yield %y : f32
    }
    return %t : tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
  }
}

// -----

// stage_c6: a body of several blocks
module attributes {attnc.interface = [{
    name = "f", title = "scores", spec = "heads: 2",
    sizes = [{name = "batch"}, {name = "heads", value = "2"}, {name = "query_len"}, {name = "kv_len"}, {name = "twice", value = "kv_len * 2"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "heads", "query_len", "8"]},
               {name = "K", role = "key", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "V", role = "value", dtype = "f32", axes = ["batch", "heads", "kv_len", "8"]},
               {name = "bias", role = "input", dtype = "f16", axes = ["twice", "batch + 1"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "heads", "query_len", "kv_len"]}],
    preconditions = [], positions = []}]} {
  // expected-error@below {{'func.func' op must have a body of one block}}
  func.func @f(%Q: tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, %K: tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>, %V: tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>, %bias: tensor<?x?xf16, #attn.dims<"kv_len * 2", "batch + 1">>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>> {
    cf.br ^bb1
  ^bb1:
    %s = attn.contract "bhqd,bhkd->bhqk" (%Q, %K) : (tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
    return %s : tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
  }
}

// -----

// graph_c1: kernels come with Fusion
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
    %q = attn.view "b(hg)qd->bhgqd" %Q : tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>> -> tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
    // expected-error@below {{'attn.kernel' op cannot stand here; this stage has attn.view, attn.slice, attn.concat, attn.append, ops of storage, attn.contract, attn.map, attn.mask, attn.normalize, attn.reduce and attn.scan}}
    %o, %lse = attn.kernel ins(%q, %K, %V : tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>, tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>, tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>) -> (tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>, tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>)
      normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32}
    score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
      attn.yield %x : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      %c = arith.constant true
      attn.yield %c : i1
    }
    %s = attn.contract "bhqd,bhkd->bhqk" (%Q, %K) : (tensor<?x2x?x8xf32, #attn.dims<batch, 2, query_len, 8>>, tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>) -> tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
    return %s : tensor<?x2x?x?xf32, #attn.dims<batch, 2, query_len, kv_len>>
  }
}

// -----

// stage_c10
module attributes {attnc.interface = [{
    name = "f", title = "rows", spec = "heads: 2",
    sizes = [{name = "n"}, {name = "m"}, {name = "all", value = "m + n"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["n", "8"]},
               {name = "y", role = "input", dtype = "f32", axes = ["m", "8"]},
               {name = "Y", role = "output", dtype = "f32", axes = ["all", "8"]},
               {name = "Z", role = "extra", dtype = "f32", axes = ["m + m", "8"]}],
    preconditions = [], positions = []}]} {
  func.func @f(%x: tensor<?x8xf32, #attn.dims<n, 8>>, %y: tensor<?x8xf32, #attn.dims<m, 8>>) -> (tensor<?x8xf32, #attn.dims<"m + n", 8>>, tensor<?x8xf32, #attn.dims<"m + m", 8>>) {
    %0 = attn.concat "sd,sd->sd" along "s" (%x, %y) : (tensor<?x8xf32, #attn.dims<n, 8>>, tensor<?x8xf32, #attn.dims<m, 8>>) -> tensor<?x8xf32, #attn.dims<"m + n", 8>>
    // expected-error@below {{'attn.concat' op axis 's' of the result has size m + m, the parts have n + m together}}
    %1 = attn.concat "sd,sd->sd" along "s" (%x, %y) : (tensor<?x8xf32, #attn.dims<n, 8>>, tensor<?x8xf32, #attn.dims<m, 8>>) -> tensor<?x8xf32, #attn.dims<"m + m", 8>>
    return %0, %1 : tensor<?x8xf32, #attn.dims<"m + n", 8>>, tensor<?x8xf32, #attn.dims<"m + m", 8>>
  }
}
