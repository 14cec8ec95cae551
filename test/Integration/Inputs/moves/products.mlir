// Products of pieces: of rows, of both axes of a matrix, and of parts put together.
// DTYPE is replaced.
!x = tensor<?x?x45xDTYPE, #attn.dims<batch, kv_len, 45>>
!p = tensor<?x?x20xDTYPE, #attn.dims<batch, kv_len, 20>>
!y = tensor<?x?x33xDTYPE, #attn.dims<batch, kv_len, 33>>
!z = tensor<?x?x53xDTYPE, #attn.dims<batch, kv_len, 53>>
!o = tensor<?x?x19xDTYPE, #attn.dims<batch, kv_len, 19>>
module attributes {attnc.interface = [{
    name = "pieces_of_matrices", title = "products of pieces", spec = "-",
    sizes = [{name = "batch"}, {name = "kv_len"}],
    tensors = [{name = "x", role = "input", dtype = "DTYPE", axes = ["batch", "kv_len", "45"]},
               {name = "W", role = "input", dtype = "DTYPE", axes = ["41", "60"]},
               {name = "U", role = "input", dtype = "DTYPE", axes = ["53", "40"]},
               {name = "O", role = "output", dtype = "DTYPE", axes = ["batch", "kv_len", "19"]}]}]} {
  func.func @pieces_of_matrices(%x: !x, %W: tensor<41x60xDTYPE, #attn.dims<41, 60>>, %U: tensor<53x40xDTYPE, #attn.dims<53, 40>>) -> !o {
    %p = attn.slice "bsm" %x along "m" [17, 20] : !x -> !p
    %w0 = attn.slice "mn" %W along "m" [21, 20] : tensor<41x60xDTYPE, #attn.dims<41, 60>> -> tensor<20x60xDTYPE, #attn.dims<20, 60>>
    %w1 = attn.slice "mn" %w0 along "n" [13, 33] : tensor<20x60xDTYPE, #attn.dims<20, 60>> -> tensor<20x33xDTYPE, #attn.dims<20, 33>>
    %y = attn.contract "bsm,mn->bsn" (%p, %w1) : (!p, tensor<20x33xDTYPE, #attn.dims<20, 33>>) -> !y
    %z = attn.concat "bsn,bsn->bsn" along "n" (%y, %p) : (!y, !p) -> !z
    %u = attn.slice "nr" %U along "r" [3, 19] : tensor<53x40xDTYPE, #attn.dims<53, 40>> -> tensor<53x19xDTYPE, #attn.dims<53, 19>>
    %o = attn.contract "bsn,nr->bsr" (%z, %u) : (!z, tensor<53x19xDTYPE, #attn.dims<53, 19>>) -> !o
    return %o : !o
  }
}
