// Printing and parsing, twice: names and labels are kept.
// RUN: attnc-opt %s | attnc-opt | FileCheck %s
// RUN: attnc-opt %s --mlir-print-op-generic | attnc-opt | FileCheck %s

!x = tensor<?x?x12xf32, #attn.dims<batch, kv_len, 12>>
!half = tensor<?x?x6xf32, #attn.dims<batch, kv_len, 6>>

// CHECK-LABEL: func.func @takes_a_piece(
// CHECK:         attn.slice "bsd" %{{.*}} along "d"[6, 6] : tensor<?x?x12xf32, #attn.dims<batch, kv_len, 12>> -> tensor<?x?x6xf32, #attn.dims<batch, kv_len, 6>>
func.func @takes_a_piece(%x: !x) -> !half {
  %y = attn.slice "bsd" %x along "d" [6, 6] : !x -> !half
  return %y : !half
}

// Integers lie somewhere, too.
// CHECK-LABEL: func.func @takes_a_piece_of_a_table(
// CHECK:         attn.slice "n" %{{.*}} along "n"[1, 2] : tensor<4xi32> -> tensor<2xi32>
func.func @takes_a_piece_of_a_table(%x: tensor<4xi32>) -> tensor<2xi32> {
  %y = attn.slice "n" %x along "n" [1, 2] : tensor<4xi32> -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// A part may lack letters, and have them in another order.
// CHECK-LABEL: func.func @puts_parts_together(
// CHECK:         attn.concat "bsd,bd,sbd->bsd" along "d"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x3x4xf16>, tensor<2x1xf16>, tensor<3x2x5xf16>) -> tensor<2x3x10xf16>
func.func @puts_parts_together(%x: tensor<2x3x4xf16>, %y: tensor<2x1xf16>, %z: tensor<3x2x5xf16>) -> tensor<2x3x10xf16> {
  %c = attn.concat "bsd,bd,sbd->bsd" along "d" (%x, %y, %z) : (tensor<2x3x4xf16>, tensor<2x1xf16>, tensor<3x2x5xf16>) -> tensor<2x3x10xf16>
  return %c : tensor<2x3x10xf16>
}

// CHECK-LABEL: func.func @adds_rows(
// CHECK:         attn.append "bsd" %{{.*}}, %{{.*}} along "s" at "b"(%{{.*}}) : tensor<2x16x4xbf16>, tensor<2x3x4xbf16>, tensor<2xi64> -> tensor<2x16x4xbf16>
func.func @adds_rows(%c: tensor<2x16x4xbf16>, %x: tensor<2x3x4xbf16>, %at: tensor<2xi64>) -> tensor<2x16x4xbf16> {
  %d = attn.append "bsd" %c, %x along "s" at "b" (%at) : tensor<2x16x4xbf16>, tensor<2x3x4xbf16>, tensor<2xi64> -> tensor<2x16x4xbf16>
  return %d : tensor<2x16x4xbf16>
}

// One number for all sequences.
// CHECK-LABEL: func.func @adds_rows_at_one_place(
// CHECK:         attn.append "bsd" %{{.*}}, %{{.*}} along "s" at ""(%{{.*}})
func.func @adds_rows_at_one_place(%c: tensor<2x16x4xf64>, %x: tensor<2x3x4xf64>, %at: tensor<i32>) -> tensor<2x16x4xf64> {
  %d = attn.append "bsd" %c, %x along "s" at "" (%at) : tensor<2x16x4xf64>, tensor<2x3x4xf64>, tensor<i32> -> tensor<2x16x4xf64>
  return %d : tensor<2x16x4xf64>
}

// The sums may be of another type than the terms.
// CHECK-LABEL: func.func @adds_up(
// CHECK:         attn.scan "bsd" %{{.*}} along "s" : tensor<2x?x4xbf16> -> tensor<2x?x4xf32>
func.func @adds_up(%x: tensor<2x?x4xbf16>) -> tensor<2x?x4xf32> {
  %y = attn.scan "bsd" %x along "s" : tensor<2x?x4xbf16> -> tensor<2x?x4xf32>
  return %y : tensor<2x?x4xf32>
}

// Along an axis whose size the call decides.
// CHECK-LABEL: func.func @puts_rows_before_rows(
// CHECK:         attn.concat "sd,bsd->bsd" along "s"(%{{.*}}, %{{.*}}) : {{.*}} -> tensor<?x?x8xf32, #attn.dims<batch, "n + 2", 8>>
func.func @puts_rows_before_rows(%m: tensor<2x8xf32>, %x: tensor<?x?x8xf32, #attn.dims<batch, n, 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, "n + 2", 8>> {
  %c = attn.concat "sd,bsd->bsd" along "s" (%m, %x) : (tensor<2x8xf32>, tensor<?x?x8xf32, #attn.dims<batch, n, 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, "n + 2", 8>>
  return %c : tensor<?x?x8xf32, #attn.dims<batch, "n + 2", 8>>
}
