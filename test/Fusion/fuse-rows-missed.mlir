// A reduction that is no kernel of a row is told, but for sums over features.
// RUN: attnc-opt %s --attn-fuse-rows --split-input-file --verify-diagnostics -o /dev/null

!S = tensor<?x?x?xf32, #attn.dims<batch, query_len, kv_len>>
func.func @keys_of_other_names(%s: !S) -> tensor<?x?xf32, #attn.dims<batch, query_len>> {
  // expected-remark@below {{attn.reduce is not fused: it does not reduce over the keys of (query, key) pairs}}
  %row = attn.reduce "bqk" over "k" #attn.row<sum> (%s) : (!S) -> (tensor<?x?xf32, #attn.dims<batch, query_len>>)
  return %row : tensor<?x?xf32, #attn.dims<batch, query_len>>
}

// -----

!X = tensor<?x?x64xf32, #attn.dims<batch, query_len, 64>>
func.func @features(%x: !X) -> tensor<?x?xf32, #attn.dims<batch, query_len>> {
  %row = attn.reduce "bqd" over "d" #attn.row<sum> (%x) : (!X) -> (tensor<?x?xf32, #attn.dims<batch, query_len>>)
  return %row : tensor<?x?xf32, #attn.dims<batch, query_len>>
}
