// Elements that are only moved, and so arrive exactly: parts put together, and
// rows put into a cache, which is looked at before and after. DTYPE is replaced.
!x = tensor<?x?x3x7xDTYPE, #attn.dims<batch, kv_len, 3, 7>>
!y = tensor<?x?x4xDTYPE, #attn.dims<batch, kv_len, 4>>
!z = tensor<?x?x3x22xDTYPE, #attn.dims<batch, kv_len, 3, 22>>
!rows = tensor<?x?x3x22xDTYPE, #attn.dims<batch, query_len, 3, 22>>
!piece = tensor<?x?x3x9xDTYPE, #attn.dims<batch, kv_len, 3, 9>>
!past = tensor<?xi64, #attn.dims<batch>>
module attributes {attnc.interface = [{
    name = "together", title = "parts as a result", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "DTYPE", axes = ["batch", "kv_len", "3", "7"]},
               {name = "y", role = "input", dtype = "DTYPE", axes = ["batch", "kv_len", "4"]},
               {name = "unused", role = "input", dtype = "DTYPE", axes = ["query_len"]},
               {name = "Z", role = "output", dtype = "DTYPE", axes = ["batch", "kv_len", "3", "22"]}]}, {
    name = "stored", title = "a cache before and after", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "DTYPE", axes = ["batch", "query_len", "3", "22"]},
               {name = "c", role = "input", dtype = "DTYPE", axes = ["batch", "kv_len", "3", "22"], inout},
               {name = "past", role = "input", dtype = "i64", axes = ["batch"], range = [0, "kv_len - query_len"]},
               {name = "after", role = "output", dtype = "DTYPE", axes = ["batch", "kv_len", "3", "9"]},
               {name = "before", role = "extra", dtype = "DTYPE", axes = ["batch", "kv_len", "3", "22"]}]}]} {
  func.func @together(%x: !x, %y: !y, %unused: tensor<?xDTYPE, #attn.dims<query_len>>) -> !z {
    %z = attn.concat "bshd,bsd,bshd,bsd->bshd" along "d" (%x, %y, %x, %y) : (!x, !y, !x, !y) -> !z
    return %z : !z
  }
  func.func @stored(%x: !rows, %c: !z, %past: !past) -> (!piece, !z, !z) {
    %before = attn.map "bshd->bshd" (%c) : (!z) -> !z {
    ^bb0(%e: ACC, %b: index, %s: index, %h: index, %d: index):
      %y = arith.negf %e : ACC
      attn.yield %y : ACC
    }
    %new = attn.append "bshd" %c, %x along "s" at "b" (%past) : !z, !rows, !past -> !z
    %after = attn.slice "bshd" %new along "d" [5, 9] : !z -> !piece
    return %after, %before, %new : !piece, !z, !z
  }
}
