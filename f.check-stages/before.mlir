module attributes {attnc.interface = [{kernels = ["x86-64-v3: tile by tile, 32 queries x 64 keys", "x86-64-v3: online softmax, 32 queries x 64 keys"], name = "f", positions = ["query_len", "kv_len", "kv_len - query_len"], sizes = [{name = "batch"}, {name = "query_len", value = "kv_len"}, {name = "kv_len"}, {name = "heads", value = "1"}, {name = "kv_heads", value = "1"}, {name = "group", value = "1"}, {name = "head_dim", value = "4"}, {name = "key_dim", value = "4"}, {name = "value_dim", value = "1"}], spec = "attnc: 1\0Aname: f\0Aheads: 1\0Akv_heads: 1\0Ahead_dim: 4\0Avalue_dim: 1\0Abatch: any\0Aquery_len: kv_len\0Akv_len: any\0Adtype: f32\0Ascore: silu(sigmoid(Q @ K * 40.0))\0Amask: true\0Aattention: softmax(top_k(score, 3))\0Aoffset: kv_len - query_len\0A# expect:\0A#   - {batch: 1, kv_len: 512}\0A", tensors = [{axes = ["batch", "heads", "query_len", "head_dim"], dtype = "f32", name = "Q", role = "query"}, {axes = ["batch", "heads", "kv_len", "head_dim"], dtype = "f32", name = "K", role = "key"}, {axes = ["batch", "heads", "kv_len", "value_dim"], dtype = "f32", name = "V", role = "value"}, {axes = ["batch", "heads", "query_len", "value_dim"], dtype = "f32", name = "O", role = "output"}], title = "1 head of 4, f32"}], attnc.target = "x86-64-v3"} {
  func.func @f(%arg0: tensor<?x1x?x4xf32, #attn.dims<batch, 1, kv_len, 4>>, %arg1: tensor<?x1x?x4xf32, #attn.dims<batch, 1, kv_len, 4>>, %arg2: tensor<?x1x?x1xf32, #attn.dims<batch, 1, kv_len, 1>>) -> tensor<?x1x?x1xf32, #attn.dims<batch, 1, kv_len, 1>> {
    %0 = attn.view "b(hg)qd->bhgqd" %arg0 : tensor<?x1x?x4xf32, #attn.dims<batch, 1, kv_len, 4>> -> tensor<?x1x1x?x4xf32, #attn.dims<batch, 1, 1, kv_len, 4>>
    %row, %key = attn.kernel ins(%0, %arg1 : tensor<?x1x1x?x4xf32, #attn.dims<batch, 1, 1, kv_len, 4>>, tensor<?x1x?x4xf32, #attn.dims<batch, 1, kv_len, 4>>) -> (tensor<?x1x1x?xf32, #attn.dims<batch, 1, 1, kv_len>>, tensor<?x1x1x?xi32, #attn.dims<batch, 1, 1, kv_len>>) normalize #attn.row<rank, n = 3> attributes {scale = -57.707801635558539 : f64, schedule = #attn.schedule<form = online, q = 32, k = 64, rescale_threshold = 0.000000e+00, rescale_in = value, target = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [6, 2], value_granule = [12, 1], unroll = 1, tail = 8, lane_skip = false, pack = auto>>} score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
      %cst = arith.constant 1.000000e+00 : f32
      %2 = math.exp2 %x : f32
      %3 = arith.addf %2, %cst : f32
      %4 = arith.divf %cst, %3 : f32
      %5 = arith.negf %4 : f32
      %6 = math.exp %5 : f32
      %7 = arith.addf %6, %cst : f32
      %8 = arith.divf %4, %7 : f32
      attn.yield %8 : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
      %true = arith.constant true
      attn.yield %true : i1
    } ranges {
    ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
      %c0 = arith.constant 0 : index
      %kv_len = attn.size "kv_len"
      attn.yield_ranges [(%c0, %c0, %kv_len, %kv_len)]
    }
    %o, %lse = attn.kernel ins(%0, %arg1, %arg2 : tensor<?x1x1x?x4xf32, #attn.dims<batch, 1, 1, kv_len, 4>>, tensor<?x1x?x4xf32, #attn.dims<batch, 1, kv_len, 4>>, tensor<?x1x?x1xf32, #attn.dims<batch, 1, kv_len, 1>>) -> (tensor<?x1x1x?x1xf32, #attn.dims<batch, 1, 1, kv_len, 1>>, tensor<?x1x1x?xf32, #attn.dims<batch, 1, 1, kv_len>>) normalize #attn.norm<shift = max, weight = exp2, divide = sum> attributes {probabilities = f32, scale = -57.707801635558539 : f64, schedule = #attn.schedule<form = online, q = 32, k = 64, rescale_threshold = 0.000000e+00, rescale_in = value, target = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [6, 2], value_granule = [1, 4], unroll = 1, tail = 8, lane_skip = false, pack = auto>>} score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
      %cst = arith.constant 0xFF800000 : f32
      %cst_0 = arith.constant 1.44269502 : f32
      %cst_1 = arith.constant 1.000000e+00 : f32
      %2 = math.exp2 %x : f32
      %3 = arith.addf %2, %cst_1 : f32
      %4 = arith.divf %cst_1, %3 : f32
      %5 = arith.negf %4 : f32
      %6 = math.exp %5 : f32
      %7 = arith.addf %6, %cst_1 : f32
      %8 = arith.divf %4, %7 : f32
      %9 = arith.mulf %8, %cst_0 : f32
      %10 = attn.read %row[%b, %h, %g, %q] : tensor<?x1x1x?xf32, #attn.dims<batch, 1, 1, kv_len>> -> f32
      %11 = attn.read %key[%b, %h, %g, %q] : tensor<?x1x1x?xi32, #attn.dims<batch, 1, 1, kv_len>> -> index
      %12 = arith.cmpf ugt, %8, %10 : f32
      %13 = arith.cmpf oeq, %8, %10 : f32
      %14 = arith.cmpi sle, %k, %11 : index
      %15 = arith.andi %13, %14 : i1
      %16 = arith.ori %12, %15 : i1
      %17 = arith.select %16, %9, %cst : f32
      attn.yield %17 : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
      %true = arith.constant true
      attn.yield %true : i1
    } ranges {
    ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
      %c0 = arith.constant 0 : index
      %kv_len = attn.size "kv_len"
      attn.yield_ranges [(%c0, %c0, %kv_len, %kv_len)]
    }
    %1 = attn.view "bhgqe->b(hg)qe" %o : tensor<?x1x1x?x1xf32, #attn.dims<batch, 1, 1, kv_len, 1>> -> tensor<?x1x?x1xf32, #attn.dims<batch, 1, kv_len, 1>>
    return %1 : tensor<?x1x?x1xf32, #attn.dims<batch, 1, kv_len, 1>>
  }
}

