// Resident weights of products on the matrix unit are stored in panels, once.
// RUN: attnc-opt %s --split-input-file --attn-select-schedule=cpu=sapphirerapids --attn-pack-panels=cpu=sapphirerapids 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: attnc-opt %s --split-input-file --attn-select-schedule=cpu=sapphirerapids --attn-pack-panels=cpu=sapphirerapids 2>/dev/null | attnc-opt --split-input-file --attn-verify-scheduled -o /dev/null
// RUN: attnc-opt %s --split-input-file --attn-select-schedule=cpu=zen4 --attn-pack-panels=cpu=zen4 2>/dev/null | FileCheck %s --check-prefix=NONE
// RUN: attnc-opt %s --split-input-file --attn-select-schedule=cpu=sapphirerapids '--attn-pack-panels=cpu=sapphirerapids only-part=false' 2>&1 | FileCheck %s --check-prefix=PARTS
// NONE-NOT:  attn.panels
// PARTS-NOT: attn.panels}
// PARTS:     remark: 'W' of qd,de->qe is packed in each call, because the object has code for several processors, which read weights in different forms [packed]

// The function reads panels instead of the weights, in blocks as wide as a
// panel for all numbers of rows.
// CHECK-LABEL: module
// CHECK-SAME:    {axes = ["48", "384", "32", "2"], dtype = "bf16", name = "W_panels", packed_by = "f_pack_weights", role = "input"}
// CHECK-SAME:    name = "f_pack_weights"
// CHECK-SAME:    name = "W", resident, role = "input"
// CHECK-SAME:    name = "W_panels", role = "output"
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %{{.*}}: tensor<?x768xbf16, #attn.dims<rows, 768>>, %[[P:.*]]: tensor<48x384x32x2xbf16, #attn.dims<48, 384, 32, 2>>)
// CHECK-NEXT:    %[[W:.*]] = attn.view "nplc->(pc)(nl)" %[[P]] {attn.panels}
// CHECK-NEXT:    attn.contract "qd,de->qe"(%{{.*}}, %[[W]])
// CHECK-SAME:      q = 32, k = 768, e = 512,
// CHECK-SAME:      score_granule = [6, 2]
// CHECK-NOT:       attn.cases
// CHECK-SAME:      attn.tile_rows = 256
// CHECK-LABEL: func.func @f_pack_weights(
// CHECK-SAME:    %[[W:.*]]: tensor<768x1536xbf16>
// CHECK-NEXT:    %[[V:.*]] = attn.view "(pc)(nl)->nplc" %[[W]]
// CHECK-NEXT:    %[[M:.*]] = attn.map "nplc->nplc"(%[[V]])
// CHECK:         return %[[M]]
// REMARK: remark: 'W_panels', 2359296 bytes, is 'W' as the matrix unit reads it, stored once by f_pack_weights; its products have blocks of 32 columns for any number of rows [packed]
!x = tensor<?x768xbf16, #attn.dims<rows, 768>>
!y = tensor<?x1536xbf16, #attn.dims<rows, 1536>>
module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "rows"}], tensors = [{name = "X", role = "query", dtype = "bf16", axes = ["rows", "768"]}, {name = "W", role = "input", dtype = "bf16", axes = ["768", "1536"], resident}, {name = "O", role = "output", dtype = "bf16", axes = ["rows", "1536"]}]}]} {
  func.func @f(%x: !x, %w: tensor<768x1536xbf16>) -> !y {
    %y = attn.contract "qd,de->qe" (%x, %w) : (!x, tensor<768x1536xbf16>) -> !y
    return %y : !y
  }
}

// -----

// A weight as [out, in], and one that is read by heads of 48 columns, through a
// view. Weights that the caller may change stay.
// CHECK-LABEL: module
// CHECK-SAME:    {axes = ["24", "384", "32", "2"], dtype = "bf16", name = "A_panels"
// CHECK-SAME:    {axes = ["36", "384", "16", "2"], dtype = "bf16", name = "B_panels"
// CHECK-LABEL: func.func @views(
// CHECK:         %[[A:.*]] = attn.view "nplc->(nl)(pc)" %{{.*}} {attn.panels} : tensor<24x384x32x2xbf16, #attn.dims<24, 384, 32, 2>> -> tensor<768x768xbf16>
// CHECK-NEXT:    attn.contract "qd,ed->qe"(%{{.*}}, %[[A]])
// CHECK:         %[[B:.*]] = attn.view "nplc->(pc)(nl)" %{{.*}} {attn.panels} : tensor<36x384x16x2xbf16, #attn.dims<36, 384, 16, 2>> -> tensor<768x576xbf16>
// CHECK-NEXT:    %[[H:.*]] = attn.view "d(he)->dhe" %[[B]]
// CHECK-NEXT:    attn.contract "qd,dhe->hqe"(%{{.*}}, %[[H]])
// CHECK:         attn.contract "qd,de->qe"(%{{.*}}, %arg1)
!x = tensor<?x768xbf16, #attn.dims<rows, 768>>
!h = tensor<12x?x48xbf16, #attn.dims<12, rows, 48>>
module attributes {attnc.interface = [{name = "views", title = "t", spec = "s", sizes = [{name = "rows"}], tensors = [{name = "X", role = "query", dtype = "bf16", axes = ["rows", "768"]}, {name = "A", role = "input", dtype = "bf16", axes = ["768", "768"], resident}, {name = "B", role = "input", dtype = "bf16", axes = ["768", "576"], resident}, {name = "C", role = "input", dtype = "bf16", axes = ["768", "768"]}, {name = "O", role = "output", dtype = "bf16", axes = ["rows", "768"]}, {name = "P", role = "extra", dtype = "bf16", axes = ["12", "rows", "48"]}, {name = "R", role = "extra", dtype = "bf16", axes = ["rows", "768"]}]}]} {
  func.func @views(%x: !x, %a: tensor<768x768xbf16>, %b: tensor<768x576xbf16>, %c: tensor<768x768xbf16>) -> (!x, !h, !x) {
    %0 = attn.contract "qd,ed->qe" (%x, %a) : (!x, tensor<768x768xbf16>) -> !x
    %v = attn.view "d(he)->dhe" %b : tensor<768x576xbf16> -> tensor<768x12x48xbf16>
    %1 = attn.contract "qd,dhe->hqe" (%x, %v) : (!x, tensor<768x12x48xbf16>) -> !h
    %2 = attn.contract "qd,de->qe" (%x, %c) : (!x, tensor<768x768xbf16>) -> !x
    return %0, %1, %2 : !x, !h, !x
  }
}

// -----

// REMARK: remark: 'A' of qd,de->qe is packed in each call, because blocks of 16 of its columns do not divide those that its product reads [packed]
// REMARK: remark: 'B' of qd,de->qe is packed in each call, because its product sums over 72 elements, which is no multiple of 32 [packed]
// CHECK-LABEL: func.func @odd(
// CHECK-NOT:     attn.panels
!x = tensor<?x768xbf16, #attn.dims<rows, 768>>
!y = tensor<?x72xbf16, #attn.dims<rows, 72>>
module attributes {attnc.interface = [{name = "odd", title = "t", spec = "s", sizes = [{name = "rows"}], tensors = [{name = "X", role = "query", dtype = "bf16", axes = ["rows", "768"]}, {name = "A", role = "input", dtype = "bf16", axes = ["768", "72"], resident}, {name = "B", role = "input", dtype = "bf16", axes = ["72", "768"], resident}, {name = "O", role = "output", dtype = "bf16", axes = ["rows", "768"]}]}]} {
  func.func @odd(%x: !x, %a: tensor<768x72xbf16>, %b: tensor<72x768xbf16>) -> !x {
    %0 = attn.contract "qd,de->qe" (%x, %a) : (!x, tensor<768x72xbf16>) -> !y
    %1 = attn.contract "qd,de->qe" (%0, %b) : (!y, tensor<72x768xbf16>) -> !x
    return %1 : !x
  }
}

// -----

// A block has 512 rows in tiles of 256, each of which reads the panel; of a long
// sum as many rows as half of L2 holds.
// CHECK-LABEL: func.func @longer(
// CHECK:         attn.contract "qd,de->qe"{{.*}}rows = "q", q = 32, k = 768, e = 512,{{.*}}attn.tile_rows = 256
// CHECK:         attn.contract "qd,de->qe"{{.*}}rows = "q", q = 32, k = 2304, e = 128,{{.*}}attn.tile_rows = 128
!x = tensor<?x768xbf16, #attn.dims<rows, 768>>
!y = tensor<?x2304xbf16, #attn.dims<rows, 2304>>
module attributes {attnc.interface = [{name = "longer", title = "t", spec = "s", sizes = [{name = "rows"}], tensors = [{name = "X", role = "query", dtype = "bf16", axes = ["rows", "768"]}, {name = "A", role = "input", dtype = "bf16", axes = ["768", "2304"], resident}, {name = "B", role = "input", dtype = "bf16", axes = ["2304", "768"], resident}, {name = "O", role = "output", dtype = "bf16", axes = ["rows", "768"]}]}]} {
  func.func @longer(%x: !x, %a: tensor<768x2304xbf16>, %b: tensor<2304x768xbf16>) -> !x {
    %0 = attn.contract "qd,de->qe" (%x, %a) : (!x, tensor<768x2304xbf16>) -> !y
    %1 = attn.contract "qd,de->qe" (%0, %b) : (!y, tensor<2304x768xbf16>) -> !x
    return %1 : !x
  }
}
