module attributes {attnc.interface = [{kernels = ["x86-64-v4: online softmax, 64 queries x 64 keys"], name = "f32_64_causal", positions = ["query_len", "kv_len", "kv_len - query_len"], sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}, {name = "heads", value = "8"}, {name = "kv_heads", value = "8"}, {name = "group", value = "1"}, {name = "head_dim", value = "64"}, {name = "key_dim", value = "64"}, {name = "value_dim", value = "64"}], spec = "attnc: 1\0Aname: f32_64_causal\0Aheads: 8\0Akv_heads: 8\0Ahead_dim: 64\0Avalue_dim: 64\0Abatch: any\0Aquery_len: any\0Akv_len: any\0Adtype: f32\0Ascore: Q @ K / 8.0\0Amask: k <= q\0Aattention: softmax(score)\0Aoffset: kv_len - query_len\0Aexpect:\0A  - {batch: 1, query_len: 1024, kv_len: 1024}\0A", tensors = [{axes = ["batch", "heads", "query_len", "head_dim"], dtype = "f32", name = "Q", role = "query"}, {axes = ["batch", "kv_heads", "kv_len", "key_dim"], dtype = "f32", name = "K", role = "key"}, {axes = ["batch", "kv_heads", "kv_len", "value_dim"], dtype = "f32", name = "V", role = "value"}, {axes = ["batch", "heads", "query_len", "head_dim"], dtype = "f32", may_be = "Q", name = "O", role = "output"}], title = "8 heads of 64, f32, mask k <= q"}], attnc.target = "x86-64-v4"} {
  func.func @f32_64_causal(%arg0: tensor<?x8x?x64xf32, #attn.dims<batch, 8, query_len, 64>>, %arg1: tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>, %arg2: tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>) -> tensor<?x8x?x64xf32, #attn.dims<batch, 8, query_len, 64>> {
    %0 = attn.view "b(hg)qd->bhgqd" %arg0 : tensor<?x8x?x64xf32, #attn.dims<batch, 8, query_len, 64>> -> tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
    %o, %lse = attn.kernel ins(%0, %arg1, %arg2 : tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>, tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>, tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>) -> (tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>, tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>) normalize #attn.norm<shift = max, weight = exp2, divide = sum> attributes {probabilities = f32, scale = 0.18033688011112042 : f64, schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.000000e+00, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = true, pack = auto>>} score {
    ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
      attn.yield %x : f32
    } mask {
    ^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
      %kv_len = attn.size "kv_len"
      %query_len = attn.size "query_len"
      %2 = arith.subi %kv_len, %query_len : index
      %3 = arith.addi %q, %2 : index
      %4 = arith.cmpi sle, %k, %3 : index
      attn.yield %4 : i1
    } ranges {
    ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %kv_len = attn.size "kv_len"
      %query_len = attn.size "query_len"
      %2 = arith.subi %kv_len, %query_len : index
      %3 = arith.addi %q0, %2 : index
      %4 = arith.addi %3, %c1 : index
      %5 = arith.addi %q1, %2 : index
      %6 = arith.minsi %5, %kv_len : index
      attn.yield_ranges [(%c0, %c0, %4, %6)]
    }
    %1 = attn.view "bhgqe->b(hg)qe" %o : tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>> -> tensor<?x8x?x64xf32, #attn.dims<batch, 8, query_len, 64>>
    return %1 : tensor<?x8x?x64xf32, #attn.dims<batch, 8, query_len, 64>>
  }
}

