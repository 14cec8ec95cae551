// Kernels read slices where they lie: queries, keys and values of one argument,
// as columns or as pieces of each head, without a workspace.
// RUN: attnc -mcpu=x86-64-v3 -x graph %s --emit=tile -o - | FileCheck %s

// CHECK-LABEL: tile.program @columns(
// CHECK-NOT:     tile.workspace
// CHECK:         tile.grid (%[[B:.*]], %[[H:.*]], %{{.*}}) to
// CHECK-DAG:       %[[COLUMN:.*]] = arith.muli %[[H]], %c5
// CHECK-DAG:       %[[K:.*]] = arith.addi %[[COLUMN]], %c15
// CHECK-DAG:       %[[V:.*]] = arith.addi %[[COLUMN]], %c30
// CHECK-DAG:       tile.load %{{.*}}[%[[B]], %{{.*}}, %[[COLUMN]]]
// CHECK-DAG:       tile.load %{{.*}}[%[[B]], %{{.*}}, %[[K]]]
// CHECK-DAG:       tile.load %{{.*}}[%[[B]], %{{.*}}, %[[V]]]
// CHECK-NOT:     tile.grid
// CHECK-LABEL: tile.program @heads(
// CHECK-NOT:     tile.workspace
// CHECK:         tile.grid
// CHECK-NOT:     tile.grid

!x = tensor<?x?x45xf32, #attn.dims<batch, query_len, 45>>
!part = tensor<?x?x15xf32, #attn.dims<batch, query_len, 15>>
!all = tensor<?x?x3x3x5xf32, #attn.dims<batch, query_len, 3, 3, 5>>
!one = tensor<?x?x3x1x5xf32, #attn.dims<batch, query_len, 3, 1, 5>>
!q = tensor<?x3x1x?x5xf32, #attn.dims<batch, 3, 1, query_len, 5>>
!k = tensor<?x3x?x5xf32, #attn.dims<batch, 3, query_len, 5>>
!s = tensor<?x3x1x?x?xf32, #attn.dims<batch, 3, 1, query_len, query_len>>
!m = tensor<?x3x1x?x?xi1, #attn.dims<batch, 3, 1, query_len, query_len>>
!p = tensor<?x3x1x?x?xf32, #attn.dims<batch, 3, 1, query_len, query_len>>
!l = tensor<?x3x1x?xf32, #attn.dims<batch, 3, 1, query_len>>
!o = tensor<?x3x?x5xf32, #attn.dims<batch, 3, query_len, 5>>
module attributes {attnc.interface = [{
    name = "columns", title = "pieces of columns", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "45"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "3", "query_len", "5"]}]}, {
    name = "heads", title = "pieces of heads", spec = "-",
    sizes = [{name = "batch"}, {name = "query_len"}],
    tensors = [{name = "x", role = "input", dtype = "f32", axes = ["batch", "query_len", "45"]},
               {name = "O", role = "output", dtype = "f32", axes = ["batch", "3", "query_len", "5"]}]}]} {
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
