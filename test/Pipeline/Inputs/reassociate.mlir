module attributes {attnc.interface = [{
    name = "low_rank_values", title = "V = U A", spec = "",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "query_len", "16"]},
               {name = "K", role = "key", dtype = "f32", axes = ["batch", "kv_len", "16"]},
               {name = "U", role = "input", dtype = "f32", axes = ["batch", "kv_len", "4"]},
               {name = "A", role = "input", dtype = "f32", axes = ["4", "64"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "query_len", "64"]}],
    preconditions = [], positions = ["query_len", "kv_len"]}, {
    name = "value_down_up", title = "value-down and value-up", spec = "",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "query_len", "16"]},
               {name = "K", role = "key", dtype = "f32", axes = ["batch", "kv_len", "16"]},
               {name = "Y", role = "value", dtype = "f32", axes = ["batch", "kv_len", "64"]},
               {name = "D", role = "input", dtype = "f32", axes = ["64", "4"]},
               {name = "U", role = "input", dtype = "f32", axes = ["4", "64"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "query_len", "64"]}],
    preconditions = [], positions = ["query_len", "kv_len"]}, {
    name = "one_query", title = "circuits of a layer", spec = "",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "X", role = "query", dtype = "f32", axes = ["batch", "query_len", "32"]},
               {name = "Y", role = "key", dtype = "f32", axes = ["batch", "kv_len", "32"]},
               {name = "wq", role = "input", dtype = "f32", axes = ["32", "4", "8"]},
               {name = "wk", role = "input", dtype = "f32", axes = ["32", "4", "8"]},
               {name = "wv", role = "input", dtype = "f32", axes = ["32", "4", "8"]},
               {name = "wo", role = "input", dtype = "f32", axes = ["32", "32"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "query_len", "32"]}],
    preconditions = [], positions = ["query_len", "kv_len"]}, {
    name = "keys_times_values", title = "linear attention", spec = "",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "query_len", "8"]},
               {name = "K", role = "key", dtype = "f32", axes = ["batch", "kv_len", "8"]},
               {name = "V", role = "value", dtype = "f32", axes = ["batch", "kv_len", "16"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "query_len", "16"]}],
    preconditions = [], positions = ["query_len", "kv_len"]}, {
    name = "latent_one_query", title = "4 heads, latent 16", spec = "",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "Qn", role = "query", dtype = "f32", axes = ["batch", "query_len", "4", "8"]},
               {name = "c", role = "key", dtype = "f32", axes = ["batch", "kv_len", "16"]},
               {name = "Qr", role = "input", dtype = "f32", axes = ["batch", "query_len", "4", "4"]},
               {name = "kr", role = "input", dtype = "f32", axes = ["batch", "kv_len", "4"]},
               {name = "wuk", role = "input", dtype = "f32", axes = ["16", "4", "8"]},
               {name = "wuv", role = "input", dtype = "f32", axes = ["16", "4", "8"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "query_len", "4", "8"]}],
    preconditions = [], positions = ["query_len", "kv_len"]}, {
    name = "latent_many_queries", title = "4 heads, latent 64", spec = "",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "Qn", role = "query", dtype = "f32", axes = ["batch", "query_len", "4", "8"]},
               {name = "c", role = "key", dtype = "f32", axes = ["batch", "kv_len", "64"]},
               {name = "Qr", role = "input", dtype = "f32", axes = ["batch", "query_len", "4", "4"]},
               {name = "kr", role = "input", dtype = "f32", axes = ["batch", "kv_len", "4"]},
               {name = "wuk", role = "input", dtype = "f32", axes = ["64", "4", "8"]},
               {name = "wuv", role = "input", dtype = "f32", axes = ["64", "4", "8"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "query_len", "4", "8"]}],
    preconditions = [], positions = ["query_len", "kv_len"]}]} {
func.func @low_rank_values(%Q: tensor<?x?x16xf32, #attn.dims<batch, query_len, 16>>, %K: tensor<?x?x16xf32, #attn.dims<batch, kv_len, 16>>, %U: tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>>, %A: tensor<4x64xf32, #attn.dims<4, 64>>) -> tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>> {
  %s = attn.contract "bqd,bkd->bqk" (%Q, %K) : (tensor<?x?x16xf32, #attn.dims<batch, query_len, 16>>, tensor<?x?x16xf32, #attn.dims<batch, kv_len, 16>>) -> tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>
  %t = attn.map "bqk->bqk" (%s) : (tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>) -> tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>> {
  ^bb0(%x: f32, %ib: index, %iq: index, %ik: index):
    %cst = arith.constant 0.25 : f32
    %y = arith.mulf %x, %cst : f32
    attn.yield %y : f32
  }
  %m = attn.mask "bqk" : tensor<?x?x?xi1, #attn.dims<batch, query_len, kv_len>> {
  ^bb0(%ib: index, %iq: index, %ik: index):
    %c = arith.cmpi sle, %ik, %iq : index
    attn.yield %c : i1
  }
  %p, %p_lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) where (%m) : (tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>, tensor<?x?x?xi1, #attn.dims<batch, query_len, kv_len>>) -> (tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>, tensor<?x?xf32, #attn.dims<batch, query_len>>)
  %v = attn.contract "bkr,re->bke" (%U, %A) : (tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>>, tensor<4x64xf32, #attn.dims<4, 64>>) -> tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>
  %o = attn.contract "bqk,bke->bqe" (%p, %v) where "bqk" (%m) : (tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>, tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>, tensor<?x?x?xi1, #attn.dims<batch, query_len, kv_len>>) -> tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
  return %o : tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
}

func.func @value_down_up(%Q: tensor<?x?x16xf32, #attn.dims<batch, query_len, 16>>, %K: tensor<?x?x16xf32, #attn.dims<batch, kv_len, 16>>, %Y: tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>, %D: tensor<64x4xf32, #attn.dims<64, 4>>, %U: tensor<4x64xf32, #attn.dims<4, 64>>) -> tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>> {
  %s = attn.contract "bqd,bkd->bqk" (%Q, %K) : (tensor<?x?x16xf32, #attn.dims<batch, query_len, 16>>, tensor<?x?x16xf32, #attn.dims<batch, kv_len, 16>>) -> tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>
  %p, %p_lse = attn.normalize "bqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>) -> (tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>, tensor<?x?xf32, #attn.dims<batch, query_len>>)
  %w = attn.contract "mr,re->me" (%D, %U) : (tensor<64x4xf32, #attn.dims<64, 4>>, tensor<4x64xf32, #attn.dims<4, 64>>) -> tensor<64x64xf32, #attn.dims<64, 64>>
  %v = attn.contract "bkm,me->bke" (%Y, %w) : (tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>, tensor<64x64xf32, #attn.dims<64, 64>>) -> tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>
  %o = attn.contract "bqk,bke->bqe" (%p, %v) : (tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>, tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>) -> tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
  return %o : tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
}

func.func @one_query(%X: tensor<?x?x32xf32, #attn.dims<batch, query_len, 32>>, %Y: tensor<?x?x32xf32, #attn.dims<batch, kv_len, 32>>, %wq: tensor<32x4x8xf32, #attn.dims<32, 4, 8>>, %wk: tensor<32x4x8xf32, #attn.dims<32, 4, 8>>, %wv: tensor<32x4x8xf32, #attn.dims<32, 4, 8>>, %wo: tensor<32x32xf32, #attn.dims<32, 32>>) -> tensor<?x?x32xf32, #attn.dims<batch, query_len, 32>> attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %q = attn.contract "bqm,mhd->bqhd" (%X, %wq) : (tensor<?x?x32xf32, #attn.dims<batch, query_len, 32>>, tensor<32x4x8xf32, #attn.dims<32, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>>
  %k = attn.contract "bkm,mhd->bkhd" (%Y, %wk) : (tensor<?x?x32xf32, #attn.dims<batch, kv_len, 32>>, tensor<32x4x8xf32, #attn.dims<32, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, kv_len, 4, 8>>
  %v = attn.contract "bkm,mhe->bkhe" (%Y, %wv) : (tensor<?x?x32xf32, #attn.dims<batch, kv_len, 32>>, tensor<32x4x8xf32, #attn.dims<32, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, kv_len, 4, 8>>
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>>, tensor<?x?x4x8xf32, #attn.dims<batch, kv_len, 4, 8>>) -> tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>
  %t = attn.map "bhqk->bhqk" (%s) : (tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>) -> tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>> {
  ^bb0(%x: f32, %ib: index, %ih: index, %iq: index, %ik: index):
    %cst = arith.constant 0.353 : f32
    %y = arith.mulf %x, %cst : f32
    attn.yield %y : f32
  }
  %p, %p_lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>) -> (tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>, tensor<?x4x?xf32, #attn.dims<batch, 4, query_len>>)
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>, tensor<?x?x4x8xf32, #attn.dims<batch, kv_len, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>>
  %c = attn.view "bqhe->bq(he)" %o : tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>> -> tensor<?x?x32xf32, #attn.dims<batch, query_len, 32>>
  %y = attn.contract "bqe,em->bqm" (%c, %wo) : (tensor<?x?x32xf32, #attn.dims<batch, query_len, 32>>, tensor<32x32xf32, #attn.dims<32, 32>>) -> tensor<?x?x32xf32, #attn.dims<batch, query_len, 32>>
  return %y : tensor<?x?x32xf32, #attn.dims<batch, query_len, 32>>
}

func.func @keys_times_values(%Q: tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>, %K: tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>, %V: tensor<?x?x16xf32, #attn.dims<batch, kv_len, 16>>) -> tensor<?x?x16xf32, #attn.dims<batch, query_len, 16>> {
  %s = attn.contract "bqd,bkd->bqk" (%Q, %K) : (tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>, tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>) -> tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>
  %o = attn.contract "bqk,bke->bqe" (%s, %V) : (tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>, tensor<?x?x16xf32, #attn.dims<batch, kv_len, 16>>) -> tensor<?x?x16xf32, #attn.dims<batch, query_len, 16>>
  return %o : tensor<?x?x16xf32, #attn.dims<batch, query_len, 16>>
}

func.func @latent_one_query(%Qn: tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>>, %c: tensor<?x?x16xf32, #attn.dims<batch, kv_len, 16>>, %Qr: tensor<?x?x4x4xf32, #attn.dims<batch, query_len, 4, 4>>, %kr: tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>>, %wuk: tensor<16x4x8xf32, #attn.dims<16, 4, 8>>, %wuv: tensor<16x4x8xf32, #attn.dims<16, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>> attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %kn = attn.contract "bkc,chd->bkhd" (%c, %wuk) : (tensor<?x?x16xf32, #attn.dims<batch, kv_len, 16>>, tensor<16x4x8xf32, #attn.dims<16, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, kv_len, 4, 8>>
  %v = attn.contract "bkc,che->bkhe" (%c, %wuv) : (tensor<?x?x16xf32, #attn.dims<batch, kv_len, 16>>, tensor<16x4x8xf32, #attn.dims<16, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, kv_len, 4, 8>>
  %q = attn.concat "bqhd,bqhd->bqhd" along "d" (%Qn, %Qr) : (tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>>, tensor<?x?x4x4xf32, #attn.dims<batch, query_len, 4, 4>>) -> tensor<?x?x4x12xf32, #attn.dims<batch, query_len, 4, 12>>
  %k = attn.concat "bkhd,bkd->bkhd" along "d" (%kn, %kr) : (tensor<?x?x4x8xf32, #attn.dims<batch, kv_len, 4, 8>>, tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>>) -> tensor<?x?x4x12xf32, #attn.dims<batch, kv_len, 4, 12>>
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (tensor<?x?x4x12xf32, #attn.dims<batch, query_len, 4, 12>>, tensor<?x?x4x12xf32, #attn.dims<batch, kv_len, 4, 12>>) -> tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>
  %t = attn.map "bhqk->bhqk" (%s) : (tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>) -> tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>> {
  ^bb0(%x: f32, %ib: index, %ih: index, %iq: index, %ik: index):
    %cst = arith.constant 0.0721687824 : f32
    %y = arith.mulf %x, %cst : f32
    attn.yield %y : f32
  }
  %p, %p_lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>) -> (tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>, tensor<?x4x?xf32, #attn.dims<batch, 4, query_len>>)
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>, tensor<?x?x4x8xf32, #attn.dims<batch, kv_len, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>>
  return %o : tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>>
}

func.func @latent_many_queries(%Qn: tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>>, %c: tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>, %Qr: tensor<?x?x4x4xf32, #attn.dims<batch, query_len, 4, 4>>, %kr: tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>>, %wuk: tensor<64x4x8xf32, #attn.dims<64, 4, 8>>, %wuv: tensor<64x4x8xf32, #attn.dims<64, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>> attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %kn = attn.contract "bkc,chd->bkhd" (%c, %wuk) : (tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>, tensor<64x4x8xf32, #attn.dims<64, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, kv_len, 4, 8>>
  %v = attn.contract "bkc,che->bkhe" (%c, %wuv) : (tensor<?x?x64xf32, #attn.dims<batch, kv_len, 64>>, tensor<64x4x8xf32, #attn.dims<64, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, kv_len, 4, 8>>
  %q = attn.concat "bqhd,bqhd->bqhd" along "d" (%Qn, %Qr) : (tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>>, tensor<?x?x4x4xf32, #attn.dims<batch, query_len, 4, 4>>) -> tensor<?x?x4x12xf32, #attn.dims<batch, query_len, 4, 12>>
  %k = attn.concat "bkhd,bkd->bkhd" along "d" (%kn, %kr) : (tensor<?x?x4x8xf32, #attn.dims<batch, kv_len, 4, 8>>, tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>>) -> tensor<?x?x4x12xf32, #attn.dims<batch, kv_len, 4, 12>>
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (tensor<?x?x4x12xf32, #attn.dims<batch, query_len, 4, 12>>, tensor<?x?x4x12xf32, #attn.dims<batch, kv_len, 4, 12>>) -> tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>
  %t = attn.map "bhqk->bhqk" (%s) : (tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>) -> tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>> {
  ^bb0(%x: f32, %ib: index, %ih: index, %iq: index, %ik: index):
    %cst = arith.constant 0.0721687824 : f32
    %y = arith.mulf %x, %cst : f32
    attn.yield %y : f32
  }
  %p, %p_lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>) -> (tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>, tensor<?x4x?xf32, #attn.dims<batch, 4, query_len>>)
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (tensor<?x4x?x?xf32, #attn.dims<batch, 4, query_len, kv_len>>, tensor<?x?x4x8xf32, #attn.dims<batch, kv_len, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>>
  return %o : tensor<?x?x4x8xf32, #attn.dims<batch, query_len, 4, 8>>
}
}
