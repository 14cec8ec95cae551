// Products of fmas that make complete sums by tiles of rows.
// RUN: attnc-opt %s --attn-select-schedule=cpu=goldencove -o %t && FileCheck %s --input-file %t
// RUN: attnc-opt %t --attn-verify-scheduled -o /dev/null
// RUN: attnc-opt %s --attn-select-schedule=cpu=x86-64-v4 | FileCheck %s --check-prefix=SMALL
// Half of a smaller L2 does not hold enough of an operand.
// SMALL-NOT: attn.tile_rows

// The widest blocks of which there are at least six.
// CHECK-LABEL: func.func @layer(
// CHECK:         attn.contract {{.*}}q = 256, k = 768, e = 512, {{.*}}partial = 768>>{{.*}}attn.tile_rows = 24 : index
// CHECK:         attn.contract {{.*}}q = 128, k = 768, e = 512, {{.*}}attn.tile_rows = 24 : index
func.func @layer(%X: tensor<?x768xf32, #attn.dims<rows, 768>>, %W: tensor<768x2304xf32>, %U: tensor<768x768xf32>) -> (tensor<?x2304xf32, #attn.dims<rows, 2304>>, tensor<?x768xf32, #attn.dims<rows, 768>>) {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<?x768xf32, #attn.dims<rows, 768>>, tensor<768x2304xf32>) -> tensor<?x2304xf32, #attn.dims<rows, 2304>>
  %1 = attn.contract "qd,de->qe" (%X, %U) : (tensor<?x768xf32, #attn.dims<rows, 768>>, tensor<768x768xf32>) -> tensor<?x768xf32, #attn.dims<rows, 768>>
  return %0, %1 : tensor<?x2304xf32, #attn.dims<rows, 2304>>, tensor<?x768xf32, #attn.dims<rows, 768>>
}

// Half of L2 holds 64 columns of a sum of 3072.
// CHECK-LABEL: func.func @long_sum(
// CHECK:         attn.contract {{.*}}q = 64, k = 3072, e = 512, {{.*}}attn.tile_rows = 24 : index
func.func @long_sum(%X: tensor<?x3072xf32, #attn.dims<rows, 3072>>, %W: tensor<3072x768xf32>) -> tensor<?x768xf32, #attn.dims<rows, 768>> {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<?x3072xf32, #attn.dims<rows, 3072>>, tensor<3072x768xf32>) -> tensor<?x768xf32, #attn.dims<rows, 768>>
  return %0 : tensor<?x768xf32, #attn.dims<rows, 768>>
}

// Longer sums go on from step to step; short ones are one step of a block; an
// open number of columns has blocks of 64; few rows are one tile.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     attn.tile_rows
// CHECK:         return
func.func @others(%X: tensor<?x8192xf32, #attn.dims<rows, 8192>>, %W: tensor<8192x768xf32>, %S: tensor<?x128xf32, #attn.dims<rows, 128>>, %U: tensor<128x768xf32>, %C: tensor<768x?xf32, #attn.dims<768, columns>>, %F: tensor<24x768xf32>, %R: tensor<?x768xf32, #attn.dims<rows, 768>>, %V: tensor<768x2304xf32>) -> (tensor<?x768xf32, #attn.dims<rows, 768>>, tensor<?x768xf32, #attn.dims<rows, 768>>, tensor<?x?xf32, #attn.dims<rows, columns>>, tensor<24x2304xf32>) {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<?x8192xf32, #attn.dims<rows, 8192>>, tensor<8192x768xf32>) -> tensor<?x768xf32, #attn.dims<rows, 768>>
  %1 = attn.contract "qd,de->qe" (%S, %U) : (tensor<?x128xf32, #attn.dims<rows, 128>>, tensor<128x768xf32>) -> tensor<?x768xf32, #attn.dims<rows, 768>>
  %2 = attn.contract "qd,de->qe" (%R, %C) : (tensor<?x768xf32, #attn.dims<rows, 768>>, tensor<768x?xf32, #attn.dims<768, columns>>) -> tensor<?x?xf32, #attn.dims<rows, columns>>
  %3 = attn.contract "qd,de->qe" (%F, %V) : (tensor<24x768xf32>, tensor<768x2304xf32>) -> tensor<24x2304xf32>
  return %0, %1, %2, %3 : tensor<?x768xf32, #attn.dims<rows, 768>>, tensor<?x768xf32, #attn.dims<rows, 768>>, tensor<?x?xf32, #attn.dims<rows, columns>>, tensor<24x2304xf32>
}
