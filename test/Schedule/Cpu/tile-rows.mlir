// Products on the matrix unit whose blocks are computed by tiles of rows.
// RUN: attnc-opt %s --attn-select-schedule=cpu=sapphirerapids -o %t && FileCheck %s --input-file %t
// RUN: attnc-opt %t --attn-verify-scheduled -o /dev/null
// RUN: sed 's/k = 768, e = 512/k = 384, e = 512/' %t > %t.invalid
// RUN: not attnc-opt %t.invalid --attn-verify-scheduled -o /dev/null 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: attn.tile_rows: the sum must run over one axis, whose fixed size is at most k
// RUN: sed 's/tile_rows = 128/tile_rows = 100000/' %t > %t.tall
// RUN: not attnc-opt %t.tall --attn-verify-scheduled -o /dev/null 2>&1 | FileCheck %s --check-prefix=TALL
// TALL: attn.tile_rows: tiles have at most as many rows as the block, e
// RUN: attnc-opt %s --attn-select-schedule=cpu=zen4 | FileCheck %s --check-prefix=ZEN4
// ZEN4-NOT: attn.tile_rows

!y = tensor<?x2304xbf16, #attn.dims<rows, 2304>>

// The step is the whole sum, and half of L2 holds the rows of a block.
// CHECK-LABEL: func.func @whole_sum(
// CHECK:         attn.contract {{.*}}k = 768, e = 512, {{.*}}unit = matrix>>{{.*}}attn.tile_rows = 128 : index
func.func @whole_sum(%X: tensor<?x768xbf16, #attn.dims<rows, 768>>, %W: tensor<768x2304xbf16>) -> !y {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<?x768xbf16, #attn.dims<rows, 768>>, tensor<768x2304xbf16>) -> !y
  return %0 : !y
}

// Longer rows do not stay in L2, so blocks are wide: a step's rows are read once
// for all columns. Heads are summed step by step, so that blocks have few sums.
// CHECK-LABEL: func.func @steps(
// CHECK-NOT:     attn.tile_rows
// CHECK:         attn.contract "qd,de->qe"{{.*}}q = 256, k = 512, e = 288, {{.*}}unit = matrix
// CHECK:         attn.contract "hqd,hde->qe"{{.*}}q = 64, k = 64, e = 192, {{.*}}unit = matrix
// CHECK-NOT:     attn.tile_rows
// CHECK:         return
func.func @steps(%X: tensor<?x3072xbf16, #attn.dims<rows, 3072>>, %W: tensor<3072x2304xbf16>, %H: tensor<12x?x64xbf16, #attn.dims<12, rows, 64>>, %U: tensor<12x64x2304xbf16>) -> (!y, !y) {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<?x3072xbf16, #attn.dims<rows, 3072>>, tensor<3072x2304xbf16>) -> !y
  %1 = attn.contract "hqd,hde->qe" (%H, %U) : (tensor<12x?x64xbf16, #attn.dims<12, rows, 64>>, tensor<12x64x2304xbf16>) -> !y
  return %0, %1 : !y, !y
}
