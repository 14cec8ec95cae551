// Blocks of matrix products outside kernels.
// RUN: attnc-opt %s --attn-select-schedule=cpu=x86-64-v4 -o %t && FileCheck %s --input-file %t
// RUN: attnc-opt %s --attn-select-schedule=cpu=x86-64-v3 -o %t.v3 && FileCheck %s --check-prefix V3 --input-file %t.v3

!x = tensor<?x768xf32, #attn.dims<rows, 768>>
!y = tensor<?x2304xf32, #attn.dims<rows, 2304>>

// Rows that make copying the other operand cheap; a sum of 768 in two steps,
// with nothing left over. Calls with a few rows have blocks of as many rows as a register
// tile, which read it once and in place, and are the longest that divide it.
// CHECK-LABEL: func.func @projects
// CHECK: #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 384, e = 288, target = #tile.cpu<{{.*}}value_granule = [6, 4], {{.*}}tail = 0, {{.*}}pack = never, partial = 384>>, attn.cases = [#attn.case<axis = "q", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 768, k = 8, e = 4, target = #tile.cpu<{{.*}}value_granule = [4, 4], {{.*}}partial = 8>>>]
// A step of AVX2 is shorter: half a vector, and a quarter of the cache.
// V3-LABEL: func.func @projects
// V3: #attn.block<form = dot, lanes = "e", rows = "q", q = 32, k = 256, e = 288, target = #tile.cpu<{{.*}}value_granule = [6, 2], {{.*}}attn.cases = [{{.*}}q = 768, k = 8, e = 4, {{.*}}value_granule = [4, 2]
func.func @projects(%X: !x, %W: tensor<768x2304xf32>) -> !y {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (!x, tensor<768x2304xf32>) -> !y
  return %0 : !y
}

// Fixed rows are cut evenly, into whole register tiles; an axis of 80 is one
// block of five vectors.
// CHECK-LABEL: func.func @cuts_rows
// CHECK: #attn.block<form = dot, lanes = "e", rows = "q", q = 80, k = 197, e = 250, target = {{.*}}value_granule = [5, 5], {{.*}}tail = 0
func.func @cuts_rows(%X: tensor<1000x197xf32>, %W: tensor<197x80xf32>) -> tensor<1000x80xf32> {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<1000x197xf32>, tensor<197x80xf32>) -> tensor<1000x80xf32>
  return %0 : tensor<1000x80xf32>
}

// Weights as (out, in): the sum lies along rows of both, and vectors of them are
// made by copying. Few rows read them in blocks of one vector, square by square.
// CHECK-LABEL: func.func @projects_transposed
// CHECK: form = dot, lanes = "e", rows = "q", q = 64, k = 384, e = 288, target {{.*}}attn.cases = [{{.*}}q = 16, k = 16, e = 4, {{.*}}value_granule = [4, 1]
// V3-LABEL: func.func @projects_transposed
// V3: form = dot, lanes = "e", rows = "q", q = 32, k = 256, e = 288, target {{.*}}attn.cases = [{{.*}}q = 8, k = 8, e = 4, {{.*}}value_granule = [4, 1]
func.func @projects_transposed(%X: !x, %W: tensor<2304x768xf32>) -> !y {
  %0 = attn.contract "qd,ed->qe" (%X, %W) : (!x, tensor<2304x768xf32>) -> !y
  return %0 : !y
}

// Of bf16 pairs are turned and widened in place, where 16 lanes make up for it.
// CHECK-LABEL: func.func @turns_narrow_rows
// CHECK: form = dot, lanes = "e", rows = "q", q = 64, k = 384, e = 288, target {{.*}}attn.cases = [{{.*}}q = 16, k = 16, e = 4
// V3-LABEL: func.func @turns_narrow_rows
// V3: form = dot, lanes = "e", rows = "q", q = 32, k = 256, e = 288, target
// V3-NOT: attn.cases
// V3: return
func.func @turns_narrow_rows(%X: !x, %W: tensor<2304x768xbf16>) -> !y {
  %0 = attn.contract "qd,ed->qe" (%X, %W) : (!x, tensor<2304x768xbf16>) -> !y
  return %0 : !y
}

// f16 costs more to turn than to copy.
// CHECK-LABEL: func.func @copies_narrow_rows
// CHECK: form = dot, lanes = "e", rows = "q", q = 64, k = 384, e = 288, target
// CHECK-NOT: attn.cases
// CHECK: return
func.func @copies_narrow_rows(%X: !x, %W: tensor<2304x768xf16>) -> !y {
  %0 = attn.contract "qd,ed->qe" (%X, %W) : (!x, tensor<2304x768xf16>) -> !y
  return %0 : !y
}

// Rows that are few in every call need no case.
// CHECK-LABEL: func.func @has_few_rows
// CHECK: attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 768, k = 8, e = 3, {{.*}}value_granule = [3, 4]
// CHECK-NOT: attn.cases
// CHECK: return
func.func @has_few_rows(%X: tensor<3x768xf32>, %W: tensor<768x2304xf32>) -> tensor<3x2304xf32> {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<3x768xf32>, tensor<768x2304xf32>) -> tensor<3x2304xf32>
  return %0 : tensor<3x2304xf32>
}

// Heads are summed place by place, and their features are no run of memory.
// CHECK-LABEL: func.func @copies_rows_of_heads
// CHECK: form = dot, lanes = "m", rows = "q", q = 64, k = 64, e = 288, target
func.func @copies_rows_of_heads(%O: tensor<2x12x?x64xf32, #attn.dims<2, 12, rows, 64>>, %W: tensor<768x12x64xf32>) -> tensor<2x?x768xf32, #attn.dims<2, rows, 768>> {
  %0 = attn.contract "bhqe,mhe->bqm" (%O, %W) : (tensor<2x12x?x64xf32, #attn.dims<2, 12, rows, 64>>, tensor<768x12x64xf32>) -> tensor<2x?x768xf32, #attn.dims<2, rows, 768>>
  return %0 : tensor<2x?x768xf32, #attn.dims<2, rows, 768>>
}

!o = tensor<?x12x?x64xf32, #attn.dims<batch, 12, rows, 64>>
!z = tensor<?x?x768xf32, #attn.dims<batch, rows, 768>>

// Heads are summed with their features, of which a step has all.
// CHECK-LABEL: func.func @sums_heads
// CHECK: form = dot, lanes = "m", rows = "q", q = 64, k = 64, e = 288
func.func @sums_heads(%O: !o, %W: tensor<12x64x768xf32>) -> !z {
  %0 = attn.contract "bhqe,hem->bqm" (%O, %W) : (!o, tensor<12x64x768xf32>) -> !z
  return %0 : !z
}

// The heads of the weight follow each other for one block of rows, which stays
// in the cache.
// CHECK-LABEL: func.func @projects_heads
// CHECK: form = dot, lanes = "e", rows = "q", q = 64, k = 384, e = 288, inner = "h"
func.func @projects_heads(%X: !z, %W: tensor<768x12x64xf32>) -> !o {
  %0 = attn.contract "bqm,mhe->bhqe" (%X, %W) : (!z, tensor<768x12x64xf32>) -> !o
  return %0 : !o
}

// An axis that a view splits lies in memory where its parts do: the last one as
// a block, those before it place by place.
// CHECK-LABEL: func.func @projects_split_heads
// CHECK: form = dot, lanes = "e", rows = "q", q = 64, k = 384, e = 288, inner = "h"
func.func @projects_split_heads(%X: !z, %W: tensor<768x768xf32>) -> !o {
  %w = attn.view "m(he)->mhe" %W : tensor<768x768xf32> -> tensor<768x12x64xf32>
  %0 = attn.contract "bqm,mhe->bhqe" (%X, %w) : (!z, tensor<768x12x64xf32>) -> !o
  return %0 : !o
}

// Blocks cannot go along an axis in front of another one.
// CHECK-LABEL: func.func @sums_in_front
// CHECK: form = element
func.func @sums_in_front(%X: tensor<64x768xf32>, %W: tensor<12x64xf32>) -> tensor<64x64x64xf32> {
  %x = attn.view "q(hd)->qhd" %X : tensor<64x768xf32> -> tensor<64x12x64xf32>
  %0 = attn.contract "qhd,he->qde" (%x, %W) : (tensor<64x12x64xf32>, tensor<12x64xf32>) -> tensor<64x64x64xf32>
  return %0 : tensor<64x64x64xf32>
}

// Heads that a kernel made, without a group: a view joins their axis with one of
// one place. The heads of several groups are no one axis of memory.
!p = tensor<?x12x?x32xf32, #attn.dims<batch, 12, rows, 32>>
!o1 = tensor<?x12x1x?x64xf32, #attn.dims<batch, 12, 1, rows, 64>>
// CHECK-LABEL: func.func @multiplies_heads_without_a_group
// CHECK: form = dot, lanes = "e", rows = "q"
func.func @multiplies_heads_without_a_group(%O: !o1, %W: tensor<12x64x32xf32>) -> !p {
  %o = attn.view "bhgqd->b(hg)qd" %O : !o1 -> !o
  %0 = attn.contract "bhqd,hde->bhqe" (%o, %W) : (!o, tensor<12x64x32xf32>) -> !p
  return %0 : !p
}

!o4 = tensor<?x3x4x?x64xf32, #attn.dims<batch, 3, 4, rows, 64>>
// CHECK-LABEL: func.func @multiplies_heads_of_groups
// CHECK: form = element
func.func @multiplies_heads_of_groups(%O: !o4, %W: tensor<12x64x32xf32>) -> !p {
  %o = attn.view "bhgqd->b(hg)qd" %O : !o4 -> !o
  %0 = attn.contract "bhqd,hde->bhqe" (%o, %W) : (!o, tensor<12x64x32xf32>) -> !p
  return %0 : !p
}
