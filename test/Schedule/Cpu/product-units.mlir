// Units of matrix products of bf16 outside kernels.
// RUN: attnc-opt %s --attn-select-schedule=cpu=zen4 --attn-explain-products=cpu=zen4 -o %t.zen4 2>%t.remarks && FileCheck %s --check-prefixes=CHECK,ZEN4 --input-file %t.zen4
// RUN: FileCheck %s --check-prefix=REMARKS --input-file %t.remarks
// RUN: attnc-opt %s --attn-select-schedule=cpu=cooperlake -o %t.cpl && FileCheck %s --check-prefix=COOPER --input-file %t.cpl
// RUN: attnc-opt %s --attn-select-schedule=cpu=sapphirerapids -o %t.spr && FileCheck %s --check-prefixes=CHECK,SPR --input-file %t.spr
// RUN: attnc-opt %s --attn-select-schedule=cpu=x86-64-v4 --attn-explain-products=cpu=x86-64-v4 -o %t.v4 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=V4 --input-file %t.v4
// V4-NOT: unit =

!x = tensor<?x768xbf16, #attn.dims<rows, 768>>
!y = tensor<?x2304xbf16, #attn.dims<rows, 2304>>

// The copy of the weight counts more where a unit is faster, so blocks of the
// matrix unit have twice the rows, and twice the columns where six blocks
// remain. A bias is added in the blocks of the product.
// CHECK-LABEL: func.func @projects(
// ZEN4:        attn.contract {{.*}}form = dot, lanes = "e", rows = "q", q = 64, k = 384, e = 288, {{.*}}value_granule = [6, 4], {{.*}}unit = dot>>, attn.cases = [{{.*}}q = 768, k = 8, e = 4, {{.*}}partial = 8>>>]
// ZEN4:        attn.map {{.*}}form = epilogue, {{.*}}unit = dot
// SPR:         attn.contract {{.*}}form = dot, lanes = "e", rows = "q", q = 128, k = 768, e = 512, {{.*}}unit = matrix
// COOPER:      attn.contract {{.*}}unit = dot
// REMARKS:     product-units.mlir:[[# @LINE + 2]]:8: remark: zen4: qd,de->qe, blocks of 288 x 64 with sums over 384, bf16 dot products; bf16 converted to f32 for at most 8 rows [schedule]
func.func @projects(%X: !x, %W: tensor<768x2304xbf16>, %B: tensor<2304xbf16>) -> !y {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (!x, tensor<768x2304xbf16>) -> !y
  %1 = attn.map "qe,e->qe" (%0, %B) : (!y, tensor<2304xbf16>) -> !y {
  ^bb0(%x: f32, %b: f32, %q: index, %e: index):
    %2 = arith.addf %x, %b : f32
    attn.yield %2 : f32
  }
  return %1 : !y
}

// Five blocks of 128 columns are too few for threads.
// CHECK-LABEL: func.func @few_columns(
// SPR:         q = 64, k = 768, e = 512, {{.*}}unit = matrix
func.func @few_columns(%X: !x, %W: tensor<768x640xbf16>) -> tensor<?x640xbf16, #attn.dims<rows, 640>> {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (!x, tensor<768x640xbf16>) -> tensor<?x640xbf16, #attn.dims<rows, 640>>
  return %0 : tensor<?x640xbf16, #attn.dims<rows, 640>>
}

// Steps of the matrix unit are whole registers of the sum.
// CHECK-LABEL: func.func @steps(
// ZEN4:        k = 400, {{.*}}unit = dot
// SPR:         k = 416, {{.*}}unit = matrix
func.func @steps(%X: tensor<64x800xbf16>, %W: tensor<2304x800xbf16>) -> tensor<64x2304xbf16> {
  %0 = attn.contract "qd,ed->qe" (%X, %W) : (tensor<64x800xbf16>, tensor<2304x800xbf16>) -> tensor<64x2304xbf16>
  return %0 : tensor<64x2304xbf16>
}

// Few rows and a short sum do not fill registers of the matrix unit.
// CHECK-LABEL: func.func @short_sum(
// ZEN4:        unit = dot
// SPR-NOT:     unit =
// CHECK-LABEL: func.func @masked(
func.func @short_sum(%X: tensor<9x3xbf16>, %W: tensor<3x64xbf16>) -> tensor<9x64xbf16> {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<9x3xbf16>, tensor<3x64xbf16>) -> tensor<9x64xbf16>
  return %0 : tensor<9x64xbf16>
}

// Products of other types, masked ones, and those that are no matrix products
// stay in f32.
// CHECK-NOT:   unit =
// REMARKS-NOT: :[[# @LINE + 3]]:
// REMARKS:     remark: zen4: qd,qd->q, element by element, bf16 converted to f32 [schedule]
func.func @masked(%X: tensor<1024x64xbf16>, %W: tensor<64x64xbf16>, %F: tensor<64x64xf32>, %M: tensor<1024xi1>) -> (tensor<1024x64xbf16>, tensor<1024x64xbf16>, tensor<1024xf32>) {
  %0 = attn.contract "qd,de->qe" (%X, %W) where "q"(%M) : (tensor<1024x64xbf16>, tensor<64x64xbf16>, tensor<1024xi1>) -> tensor<1024x64xbf16>
  %1 = attn.contract "qd,de->qe" (%X, %F) : (tensor<1024x64xbf16>, tensor<64x64xf32>) -> tensor<1024x64xbf16>
  %2 = attn.contract "qd,qd->q" (%X, %X) : (tensor<1024x64xbf16>, tensor<1024x64xbf16>) -> tensor<1024xf32>
  return %0, %1, %2 : tensor<1024x64xbf16>, tensor<1024x64xbf16>, tensor<1024xf32>
}

// A register tile of a product without rows has one.
// ZEN4-LABEL: func.func @has_no_rows(
// ZEN4:        score_granule = [1, 1]
func.func @has_no_rows(%X: tensor<0x8xf32>, %W: tensor<8x4xf32>) -> tensor<0x4xf32> {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<0x8xf32>, tensor<8x4xf32>) -> tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}
