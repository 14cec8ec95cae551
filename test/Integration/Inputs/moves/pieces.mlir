// Causal attention on pieces of one tensor: rows hold [q | k | v] of three heads
// of five, or q, k and v of each head (htd). DTYPE and ACC are replaced.
!x = tensor<?x?x45xDTYPE, #attn.dims<batch, query_len, 45>>
!part = tensor<?x?x15xDTYPE, #attn.dims<batch, query_len, 15>>
!all = tensor<?x?x3x3x5xDTYPE, #attn.dims<batch, query_len, 3, 3, 5>>
!one = tensor<?x?x3x1x5xDTYPE, #attn.dims<batch, query_len, 3, 1, 5>>
!q = tensor<?x3x1x?x5xDTYPE, #attn.dims<batch, 3, 1, query_len, 5>>
!k = tensor<?x3x?x5xDTYPE, #attn.dims<batch, 3, query_len, 5>>
!s = tensor<?x3x1x?x?xACC, #attn.dims<batch, 3, 1, query_len, query_len>>
!m = tensor<?x3x1x?x?xi1, #attn.dims<batch, 3, 1, query_len, query_len>>
!p = tensor<?x3x1x?x?xDTYPE, #attn.dims<batch, 3, 1, query_len, query_len>>
!l = tensor<?x3x1x?xACC, #attn.dims<batch, 3, 1, query_len>>
!o = tensor<?x3x?x5xDTYPE, #attn.dims<batch, 3, query_len, 5>>
module attributes {attnc.interface = [{
    name = "columns", title = "pieces of columns", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}],
    tensors = [{name = "x", role = "input", dtype = "DTYPE", axes = ["batch", "query_len", "45"]},
               {name = "O", role = "output", dtype = "DTYPE", axes = ["batch", "3", "query_len", "5"]}]}, {
    name = "heads", title = "pieces of heads", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}],
    tensors = [{name = "x", role = "input", dtype = "DTYPE", axes = ["batch", "query_len", "45"]},
               {name = "O", role = "output", dtype = "DTYPE", axes = ["batch", "3", "query_len", "5"]}]}]} {
  func.func @columns(%x: !x) -> !o {
    %xq = attn.slice "bsm" %x along "m" [0, 15] : !x -> !part
    %xk = attn.slice "bsm" %x along "m" [15, 15] : !x -> !part
    %xv = attn.slice "bsm" %x along "m" [30, 15] : !x -> !part
    %q = attn.view "bq(hgd)->bhgqd" %xq : !part -> !q
    %k = attn.view "bk(hd)->bhkd" %xk : !part -> !k
    %v = attn.view "bk(hd)->bhkd" %xv : !part -> !k
    %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!q, !k) -> !s
    %m = attn.mask "bhgqk" : !m {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      %c = arith.cmpi sle, %j, %i : index
      attn.yield %c : i1
    }
    %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (!s, !m) -> (!p, !l)
    %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %v) where "bhgqk" (%m) : (!p, !k, !m) -> !q
    %y = attn.view "bhgqe->b(hg)qe" %o : !q -> !o
    return %y : !o
  }
  func.func @heads(%x: !x) -> !o {
    %all = attn.view "bs(htd)->bshtd" %x : !x -> !all
    %xq = attn.slice "bshtd" %all along "t" [0, 1] : !all -> !one
    %xk = attn.slice "bshtd" %all along "t" [1, 1] : !all -> !one
    %xv = attn.slice "bshtd" %all along "t" [2, 1] : !all -> !one
    %q = attn.view "bqhgd->bhgqd" %xq : !one -> !q
    %k = attn.view "bkhtd->bh(tk)d" %xk : !one -> !k
    %v = attn.view "bkhtd->bh(tk)d" %xv : !one -> !k
    %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!q, !k) -> !s
    %m = attn.mask "bhgqk" : !m {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      %c = arith.cmpi sle, %j, %i : index
      attn.yield %c : i1
    }
    %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (!s, !m) -> (!p, !l)
    %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %v) where "bhgqk" (%m) : (!p, !k, !m) -> !q
    %y = attn.view "bhgqe->b(hg)qe" %o : !q -> !o
    return %y : !o
  }
}
