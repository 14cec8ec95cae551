// Keys put together of two tensors, of which one is shared by all heads. DTYPE
// and ACC are replaced.
!x = tensor<?x?x3x7xDTYPE, #attn.dims<batch, kv_len, 3, 7>>
!y = tensor<?x?x4xDTYPE, #attn.dims<batch, kv_len, 4>>
!half = tensor<?x?x3x11xDTYPE, #attn.dims<batch, kv_len, 3, 11>>
!Q = tensor<?x3x?x11xDTYPE, #attn.dims<batch, 3, query_len, 11>>
!q = tensor<?x3x1x?x11xDTYPE, #attn.dims<batch, 3, 1, query_len, 11>>
!k = tensor<?x3x?x11xDTYPE, #attn.dims<batch, 3, kv_len, 11>>
!v = tensor<?x3x?x7xDTYPE, #attn.dims<batch, 3, kv_len, 7>>
!s = tensor<?x3x1x?x?xACC, #attn.dims<batch, 3, 1, query_len, kv_len>>
!p = tensor<?x3x1x?x?xDTYPE, #attn.dims<batch, 3, 1, query_len, kv_len>>
!l = tensor<?x3x1x?xACC, #attn.dims<batch, 3, 1, query_len>>
!og = tensor<?x3x1x?x7xDTYPE, #attn.dims<batch, 3, 1, query_len, 7>>
!o = tensor<?x3x?x7xDTYPE, #attn.dims<batch, 3, query_len, 7>>
module attributes {attnc.interface = [{
    name = "shared", title = "keys of two parts", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "Q", role = "query", dtype = "DTYPE", axes = ["batch", "3", "query_len", "11"]},
               {name = "x", role = "input", dtype = "DTYPE", axes = ["batch", "kv_len", "3", "7"]},
               {name = "y", role = "input", dtype = "DTYPE", axes = ["batch", "kv_len", "4"]},
               {name = "O", role = "output", dtype = "DTYPE", axes = ["batch", "3", "query_len", "7"]}]}]} {
  func.func @shared(%Q: !Q, %x: !x, %y: !y) -> !o {
    %q = attn.view "b(hg)qd->bhgqd" %Q : !Q -> !q
    %both = attn.concat "bshd,bsd->bshd" along "d" (%x, %y) : (!x, !y) -> !half
    %k = attn.view "bkhd->bhkd" %both : !half -> !k
    %v = attn.view "bkhd->bhkd" %x : !x -> !v
    %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!q, !k) -> !s
    %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!p, !l)
    %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %v) : (!p, !v) -> !og
    %r = attn.view "bhgqe->b(hg)qe" %o : !og -> !o
    return %r : !o
  }
}
