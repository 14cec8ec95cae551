// Keys and values of new rows go into caches, then queries see all rows up to
// their own. DTYPE and ACC are replaced.
!Q = tensor<?x4x?x6xDTYPE, #attn.dims<batch, 4, query_len, 6>>
!x = tensor<?x?x2x11xDTYPE, #attn.dims<batch, query_len, 2, 11>>
!xk = tensor<?x?x2x6xDTYPE, #attn.dims<batch, query_len, 2, 6>>
!xv = tensor<?x?x2x5xDTYPE, #attn.dims<batch, query_len, 2, 5>>
!nk = tensor<?x2x?x6xDTYPE, #attn.dims<batch, 2, query_len, 6>>
!nv = tensor<?x2x?x5xDTYPE, #attn.dims<batch, 2, query_len, 5>>
!k = tensor<?x2x?x6xDTYPE, #attn.dims<batch, 2, kv_len, 6>>
!v = tensor<?x2x?x5xDTYPE, #attn.dims<batch, 2, kv_len, 5>>
!past = tensor<?xi32, #attn.dims<batch>>
!q = tensor<?x2x2x?x6xDTYPE, #attn.dims<batch, 2, 2, query_len, 6>>
!s = tensor<?x2x2x?x?xACC, #attn.dims<batch, 2, 2, query_len, kv_len>>
!m = tensor<?x2x2x?x?xi1, #attn.dims<batch, 2, 2, query_len, kv_len>>
!p = tensor<?x2x2x?x?xDTYPE, #attn.dims<batch, 2, 2, query_len, kv_len>>
!l = tensor<?x2x2x?xACC, #attn.dims<batch, 2, 2, query_len>>
!og = tensor<?x2x2x?x5xDTYPE, #attn.dims<batch, 2, 2, query_len, 5>>
!o = tensor<?x4x?x5xDTYPE, #attn.dims<batch, 4, query_len, 5>>
module attributes {attnc.interface = [{
    name = "layer", title = "a cache of keys and values", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "Q", role = "query", dtype = "DTYPE", axes = ["batch", "4", "query_len", "6"]},
               {name = "x", role = "input", dtype = "DTYPE", axes = ["batch", "query_len", "2", "11"]},
               {name = "k_cache", role = "input", dtype = "DTYPE", axes = ["batch", "2", "kv_len", "6"], inout},
               {name = "v_cache", role = "input", dtype = "DTYPE", axes = ["batch", "2", "kv_len", "5"], inout},
               {name = "past", role = "input", dtype = "i32", axes = ["batch"], range = [0, "kv_len - query_len"]},
               {name = "O", role = "output", dtype = "DTYPE", axes = ["batch", "4", "query_len", "5"]}]}]} {
  func.func @layer(%Q: !Q, %x: !x, %kc: !k, %vc: !v, %past: !past) -> (!o, !k, !v) {
    %q = attn.view "b(hg)qd->bhgqd" %Q : !Q -> !q
    %xk = attn.slice "bshd" %x along "d" [0, 6] : !x -> !xk
    %xv = attn.slice "bshd" %x along "d" [6, 5] : !x -> !xv
    %nk = attn.view "bshd->bhsd" %xk : !xk -> !nk
    %nv = attn.view "bshd->bhsd" %xv : !xv -> !nv
    %k = attn.append "bhsd" %kc, %nk along "s" at "b" (%past) : !k, !nk, !past -> !k
    %v = attn.append "bhsd" %vc, %nv along "s" at "b" (%past) : !v, !nv, !past -> !v
    %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %k) : (!q, !k) -> !s
    %m = attn.mask "bhgqk" : !m {
    ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
      %n = attn.read %past[%b] : !past -> index
      %last = arith.addi %n, %i : index
      %c = arith.cmpi sle, %j, %last : index
      attn.yield %c : i1
    }
    %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (!s, !m) -> (!p, !l)
    %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %v) where "bhgqk" (%m) : (!p, !v, !m) -> !og
    %y = attn.view "bhgqe->b(hg)qe" %o : !og -> !o
    return %y, %k, %v : !o, !k, !v
  }
}
