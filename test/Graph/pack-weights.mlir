// What is made of resident weights alone is made once, by another function.
// RUN: attnc-opt %s --split-input-file --pass-pipeline='builtin.module(attn-pack-weights)' 2>/dev/null | FileCheck %s --check-prefixes=CHECK,DECLARED
// RUN: attnc-opt %s --split-input-file --pass-pipeline='builtin.module(attn-pack-weights{weight-products=true})' 2>/dev/null | FileCheck %s --check-prefixes=CHECK,ALLOWED
// RUN: attnc-opt %s --split-input-file --pass-pipeline='builtin.module(attn-pack-weights)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The function takes the product in the place of its factors.
// CHECK-LABEL: module
// CHECK-SAME:    name = "f"
// CHECK-SAME:    {axes = ["query_len", "64"], dtype = "f32", name = "X", role = "query"}, {axes = ["64", "32"], dtype = "f32", name = "A_B", packed_by = "f_pack_weights", role = "input"}
// CHECK-SAME:    name = "f_pack_weights"
// CHECK-SAME:    name = "A", resident, role = "input"
// CHECK-SAME:    {axes = ["64", "32"], dtype = "f32", name = "A_B", role = "output"}
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:.*]]: tensor<?x64xf32, #attn.dims<query_len, 64>>, %[[W:.*]]: tensor<64x32xf32>)
// CHECK-NEXT:    %[[Y:.*]] = attn.contract "qm,mo->qo"(%[[X]], %[[W]])
// CHECK-NEXT:    return %[[Y]]
// CHECK-LABEL: func.func @f_pack_weights(
// CHECK-SAME:    %[[A:.*]]: tensor<64x512xf32>, %[[B:.*]]: tensor<512x32xf32>)
// CHECK-NEXT:    %[[AB:.*]] = attn.contract "mn,no->mo"(%[[A]], %[[B]])
// CHECK-NEXT:    return %[[AB]]
// REMARK: remark: 'A_B', 8192 bytes, is computed once, by f_pack_weights; f reads it at each call [packed]
!x = tensor<?x64xf32, #attn.dims<query_len, 64>>
!y = tensor<?x32xf32, #attn.dims<query_len, 32>>
module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "query_len"}], tensors = [{name = "X", role = "query", dtype = "f32", axes = ["query_len", "64"]}, {name = "A", role = "input", dtype = "f32", axes = ["64", "512"], resident}, {name = "B", role = "input", dtype = "f32", axes = ["512", "32"], resident}, {name = "O", role = "output", dtype = "f32", axes = ["query_len", "32"]}]}]} {
  func.func @f(%x: !x, %a: tensor<64x512xf32>, %b: tensor<512x32xf32>) -> !y {
    %w = attn.contract "mn,no->mo" (%a, %b) : (tensor<64x512xf32>, tensor<512x32xf32>) -> tensor<64x32xf32>
    %y = attn.contract "qm,mo->qo" (%x, %w) : (!x, tensor<64x32xf32>) -> !y
    return %y : !y
  }
}

// -----

// Without the word, and without the option, nothing moves.
// CHECK-LABEL: module
// DECLARED-NOT:  undeclared_pack_weights
// ALLOWED-SAME:  name = "undeclared_pack_weights"
// CHECK-LABEL: func.func @undeclared(
// DECLARED:      attn.contract "mn,no->mo"
// ALLOWED-NOT:   attn.contract "mn,no->mo"
// ALLOWED:       func.func @undeclared_pack_weights(
!x = tensor<?x64xf32, #attn.dims<query_len, 64>>
module attributes {attnc.interface = [{name = "undeclared", title = "t", spec = "s", sizes = [{name = "query_len"}], tensors = [{name = "X", role = "query", dtype = "f32", axes = ["query_len", "64"]}, {name = "A", role = "input", dtype = "f32", axes = ["64", "64"], resident}, {name = "B", role = "input", dtype = "f32", axes = ["64", "64"]}, {name = "O", role = "output", dtype = "f32", axes = ["query_len", "64"]}]}]} {
  func.func @undeclared(%x: !x, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> !x {
    %w = attn.contract "mn,no->mo" (%a, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %y = attn.contract "qm,mo->qo" (%x, %w) : (!x, tensor<64x64xf32>) -> !x
    return %y : !x
  }
}

// -----

// A formula goes with its product; a weight that the call reads, too, stays an
// argument; a view stays with its reader.
// CHECK-LABEL: module
// CHECK-LABEL: func.func @low_rank(
// CHECK-SAME:    %{{.*}}: tensor<?x64xf32, #attn.dims<query_len, 64>>, %[[W0:.*]]: tensor<64x64xf32>, %[[SUM:.*]]: tensor<64x64xf32>)
// CHECK-NEXT:    attn.view "mo->om" %[[SUM]]
// CHECK-NEXT:    attn.contract "qm,om->qo"
// CHECK-NEXT:    attn.contract "qm,mo->qo"(%{{.*}}, %[[W0]])
// CHECK-LABEL: func.func @low_rank_pack_weights(
// CHECK:         attn.contract "mr,ro->mo"
// CHECK-NEXT:    attn.map "mo,mo->mo"
!x = tensor<?x64xf32, #attn.dims<query_len, 64>>
!w = tensor<64x64xf32>
module attributes {attnc.interface = [{name = "low_rank", title = "t", spec = "s", sizes = [{name = "query_len"}], tensors = [{name = "X", role = "query", dtype = "f32", axes = ["query_len", "64"]}, {name = "W0", role = "input", dtype = "f32", axes = ["64", "64"], resident}, {name = "A", role = "input", dtype = "f32", axes = ["64", "4"], resident}, {name = "B", role = "input", dtype = "f32", axes = ["4", "64"], resident}, {name = "O", role = "output", dtype = "f32", axes = ["query_len", "64"]}]}]} {
  func.func @low_rank(%x: !x, %w0: !w, %a: tensor<64x4xf32>, %b: tensor<4x64xf32>) -> !x {
    %d = attn.contract "mr,ro->mo" (%a, %b) : (tensor<64x4xf32>, tensor<4x64xf32>) -> !w
    %w = attn.map "mo,mo->mo" (%w0, %d) : (!w, !w) -> !w {
    ^bb0(%p: f32, %q: f32, %m: index, %o: index):
      %s = arith.addf %p, %q : f32
      attn.yield %s : f32
    }
    %t = attn.view "mo->om" %w : !w -> !w
    %y = attn.contract "qm,om->qo" (%x, %t) : (!x, !w) -> !x
    %z = attn.contract "qm,mo->qo" (%y, %w0) : (!x, !w) -> !x
    return %z : !x
  }
}

// -----

// A formula without a product is no smaller than what it is made of.
// CHECK-LABEL: module
// CHECK-NOT:     scaled_pack_weights
// CHECK-LABEL: func.func @scaled(
// CHECK:         attn.map "mo->mo"
!x = tensor<?x64xf32, #attn.dims<query_len, 64>>
!w = tensor<64x64xf32>
module attributes {attnc.interface = [{name = "scaled", title = "t", spec = "s", sizes = [{name = "query_len"}], tensors = [{name = "X", role = "query", dtype = "f32", axes = ["query_len", "64"]}, {name = "A", role = "input", dtype = "f32", axes = ["64", "64"], resident}, {name = "O", role = "output", dtype = "f32", axes = ["query_len", "64"]}]}]} {
  func.func @scaled(%x: !x, %a: !w) -> !x {
    %w = attn.map "mo->mo" (%a) : (!w) -> !w {
    ^bb0(%p: f32, %m: index, %o: index):
      %s = math.exp %p : f32
      attn.yield %s : f32
    }
    %y = attn.contract "qm,mo->qo" (%x, %w) : (!x, !w) -> !x
    return %y : !x
  }
}

// -----

// Cases share what they both need.
// CHECK-LABEL: module
// CHECK-LABEL: func.func @both.case0(
// CHECK-SAME:    %{{.*}}: tensor<?x64xf32, #attn.dims<query_len, 64>>, %[[W:.*]]: tensor<64x64xf32>)
// CHECK:         attn.contract "qm,mo->qo"(%{{.*}}, %[[W]])
// CHECK-LABEL: func.func @both(
// CHECK-SAME:    %{{.*}}: tensor<?x64xf32, #attn.dims<query_len, 64>>, %[[W:.*]]: tensor<64x64xf32>)
// CHECK:         attn.contract "qm,mo->qo"(%{{.*}}, %[[W]])
// CHECK-LABEL: func.func @both_pack_weights(
// CHECK-NEXT:    %[[AB:.*]] = attn.contract
// CHECK-NEXT:    return %[[AB]] : tensor<64x64xf32>
!x = tensor<?x64xf32, #attn.dims<query_len, 64>>
!w = tensor<64x64xf32>
module attributes {attnc.interface = [{name = "both", title = "t", spec = "s", sizes = [{name = "query_len"}], cases = ["query_len <= 9"], tensors = [{name = "X", role = "query", dtype = "f32", axes = ["query_len", "64"]}, {name = "A", role = "input", dtype = "f32", axes = ["64", "64"], resident}, {name = "B", role = "input", dtype = "f32", axes = ["64", "64"], resident}, {name = "O", role = "output", dtype = "f32", axes = ["query_len", "64"]}]}]} {
  func.func @both.case0(%x: !x, %a: !w, %b: !w) -> !x {
    %w = attn.contract "mn,no->mo" (%a, %b) : (!w, !w) -> !w
    %y = attn.contract "qm,mo->qo" (%x, %w) : (!x, !w) -> !x
    return %y : !x
  }
  func.func @both(%x: !x, %a: !w, %b: !w) -> !x {
    %w = attn.contract "mn,no->mo" (%a, %b) : (!w, !w) -> !w
    %y = attn.contract "qm,mo->qo" (%x, %w) : (!x, !w) -> !x
    return %y : !x
  }
}

// -----

// What is returned as it is has no call to wait for.
// REMARK: remark: no product of weights is packed: none consists of resident weights only [packed]
// CHECK-LABEL: module
// CHECK-NOT:     returned_pack_weights
// CHECK-LABEL: func.func @returned(
// CHECK:         attn.contract "mn,no->mo"
!w = tensor<64x64xf32>
module attributes {attnc.interface = [{name = "returned", title = "t", spec = "s", sizes = [], tensors = [{name = "A", role = "input", dtype = "f32", axes = ["64", "64"], resident}, {name = "B", role = "input", dtype = "f32", axes = ["64", "64"], resident}, {name = "O", role = "output", dtype = "f32", axes = ["64", "64"]}]}]} {
  func.func @returned(%a: !w, %b: !w) -> !w {
    %w = attn.contract "mn,no->mo" (%a, %b) : (!w, !w) -> !w
    return %w : !w
  }
}

// -----

// REMARK: remark: weights are not packed: 'taken_pack_weights' is another function [packed]
// CHECK-LABEL: func.func @taken(
// CHECK:         attn.contract "mn,no->mo"
!x = tensor<?x64xf32, #attn.dims<query_len, 64>>
!w = tensor<64x64xf32>
module attributes {attnc.interface = [{name = "taken", title = "t", spec = "s", sizes = [{name = "query_len"}], tensors = [{name = "X", role = "query", dtype = "f32", axes = ["query_len", "64"]}, {name = "A", role = "input", dtype = "f32", axes = ["64", "64"], resident}, {name = "B", role = "input", dtype = "f32", axes = ["64", "64"], resident}, {name = "O", role = "output", dtype = "f32", axes = ["query_len", "64"]}]}]} {
  func.func private @taken_pack_weights()
  func.func @taken(%x: !x, %a: !w, %b: !w) -> !x {
    %w = attn.contract "mn,no->mo" (%a, %b) : (!w, !w) -> !w
    %y = attn.contract "qm,mo->qo" (%x, %w) : (!x, !w) -> !x
    return %y : !x
  }
}
