// Blocks of ops beside the kernels: one rule, no search.
// RUN: attnc-opt %s --attn-select-schedule=cpu=x86-64-v4 -o %t && FileCheck %s --input-file %t

// A product of two matrices that lie in memory: vectors along the last axis of
// the result, rows along the other one.
// CHECK-LABEL: func.func @projects_rows
// CHECK: attn.contract {{.*}}#attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 32, e = 288, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 32>>
func.func @projects_rows(%Q: tensor<?x32xf32, #attn.dims<query_len, 32>>, %W: tensor<32x64xf32>) -> tensor<?x64xf32, #attn.dims<query_len, 64>> {
  %0 = attn.contract "qd,de->qe" (%Q, %W) : (tensor<?x32xf32, #attn.dims<query_len, 32>>, tensor<32x64xf32>) -> tensor<?x64xf32, #attn.dims<query_len, 64>>
  return %0 : tensor<?x64xf32, #attn.dims<query_len, 64>>
}

// An axis of 4 fills no vector. It is few rows in each call.
// CHECK-LABEL: func.func @takes_the_axis_that_fills_vectors
// CHECK: attn.contract {{.*}}#attn.block<form = dot, lanes = "q", rows = "e", q = 16, k = 16, e = 4, {{.*}}tail = 0
func.func @takes_the_axis_that_fills_vectors(%Q: tensor<?x32xf32, #attn.dims<query_len, 32>>, %W: tensor<32x4xf32>) -> tensor<?x4xf32, #attn.dims<query_len, 4>> {
  %0 = attn.contract "qd,de->qe" (%Q, %W) : (tensor<?x32xf32, #attn.dims<query_len, 32>>, tensor<32x4xf32>) -> tensor<?x4xf32, #attn.dims<query_len, 4>>
  return %0 : tensor<?x4xf32, #attn.dims<query_len, 4>>
}

// Lanes of a masked product are an axis of the mask.
// CHECK-LABEL: func.func @masks_with_rows
// CHECK: attn.contract {{.*}}#attn.block<form = dot, lanes = "q", rows = "e"
func.func @masks_with_rows(%P: tensor<64x64xf32>, %V: tensor<64x64xf32>, %M: tensor<64x64xi1>) -> tensor<64x64xf32> {
  %0 = attn.contract "qk,ke->qe" (%P, %V) where "qk" (%M) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xi1>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// A summed axis that shares one with the result, and two that no result has:
// element by element.
// CHECK-LABEL: func.func @reads_elements
// CHECK: attn.contract {{.*}}#attn.block<form = element, lanes = "e", rows = "", q = 16
// CHECK: attn.contract {{.*}}#attn.block<form = element, lanes = "", rows = "", q = 16
func.func @reads_elements(%a: tensor<8x4x4xf32>, %w: tensor<4x64xf32>) -> (tensor<8x16xf32>, tensor<f32>) {
  %b = attn.view "c(de)->cde" %w : tensor<4x64xf32> -> tensor<4x4x16xf32>
  %0 = attn.contract "qcd,cde->qe" (%a, %b) : (tensor<8x4x4xf32>, tensor<4x4x16xf32>) -> tensor<8x16xf32>
  %1 = attn.contract "qcd,qcd->" (%a, %a) : (tensor<8x4x4xf32>, tensor<8x4x4xf32>) -> tensor<f32>
  return %0, %1 : tensor<8x16xf32>, tensor<f32>
}

// A summed axis that a view merges does not lie in memory.
// CHECK-LABEL: func.func @reads_merged_axes
// CHECK: attn.contract {{.*}}#attn.block<form = element
func.func @reads_merged_axes(%a: tensor<64x4x8xf32>, %b: tensor<64x32xf32>) -> tensor<64x64xf32> {
  %m = attn.view "qcd->q(cd)" %a : tensor<64x4x8xf32> -> tensor<64x32xf32>
  %0 = attn.contract "qd,kd->qk" (%m, %b) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Formulas go along the last axis, in blocks of another one; the weights of a
// row along the rows. Half as many f64 fit a vector.
// CHECK-LABEL: func.func @formulas
// CHECK: attn.map {{.*}}#attn.block<form = element, lanes = "d", rows = "k", q = 32, k = 64, {{.*}}lanes = 8
// CHECK: attn.normalize {{.*}}#attn.block<form = element, lanes = "k", rows = ""
func.func @formulas(%K: tensor<?x40xf64, #attn.dims<kv_len, 40>>) -> tensor<?x40xf64, #attn.dims<kv_len, 40>> {
  %0 = attn.map "kd->kd" (%K) : (tensor<?x40xf64, #attn.dims<kv_len, 40>>) -> tensor<?x40xf64, #attn.dims<kv_len, 40>> {
  ^bb0(%x: f64, %k: index, %d: index):
    %y = math.exp %x : f64
    attn.yield %y : f64
  }
  %p, %lse = attn.normalize "kd" over "d" #attn.norm<shift = max, weight = exp, divide = sum> (%0) : (tensor<?x40xf64, #attn.dims<kv_len, 40>>) -> (tensor<?x40xf64, #attn.dims<kv_len, 40>>, tensor<?xf64, #attn.dims<kv_len>>)
  return %p : tensor<?x40xf64, #attn.dims<kv_len, 40>>
}

// CHECK-LABEL: func.func @keeps_a_block
// CHECK: attn.contract {{.*}}#attn.block<form = element, lanes = "q", rows = "", q = 16, k = 8, target = #tile.none>
func.func @keeps_a_block(%Q: tensor<8x32xf32>, %W: tensor<32x64xf32>) -> tensor<8x64xf32> {
  %0 = attn.contract "qd,de->qe" (%Q, %W) {attn.block = #attn.block<form = element, lanes = "q", rows = "", q = 16, k = 8, target = #tile.none>} : (tensor<8x32xf32>, tensor<32x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// Rows behind a table do not follow each other.
// CHECK-LABEL: func.func @reads_ragged_rows
// CHECK: attn.contract {{.*}}#attn.block<form = element, lanes = "e"
func.func @reads_ragged_rows(%Q: tensor<?x32xf32, #attn.dims<tokens, 32>>, %start: tensor<?xi32, #attn.dims<"batch + 1">>, %W: tensor<32x64xf32>) -> tensor<?x?x64xf32, #attn.dims<batch, tokens, 64>> {
  %q = attn.unpack %Q by %start : tensor<?x32xf32, #attn.dims<tokens, 32>>, tensor<?xi32, #attn.dims<"batch + 1">> -> tensor<?x?x32xf32, #attn.dims<batch, tokens, 32>>
  %0 = attn.contract "bqd,de->bqe" (%q, %W) : (tensor<?x?x32xf32, #attn.dims<batch, tokens, 32>>, tensor<32x64xf32>) -> tensor<?x?x64xf32, #attn.dims<batch, tokens, 64>>
  return %0 : tensor<?x?x64xf32, #attn.dims<batch, tokens, 64>>
}

// A piece of an axis lies in memory as the axis does.
// CHECK-LABEL: func.func @projects_a_slice
// CHECK: attn.contract {{.*}}#attn.block<form = dot, lanes = "e", rows = "q"
func.func @projects_a_slice(%X: tensor<?x96xf32, #attn.dims<query_len, 96>>, %W: tensor<32x64xf32>) -> tensor<?x64xf32, #attn.dims<query_len, 64>> {
  %q = attn.slice "qd" %X along "d" [64, 32] : tensor<?x96xf32, #attn.dims<query_len, 96>> -> tensor<?x32xf32, #attn.dims<query_len, 32>>
  %0 = attn.contract "qd,de->qe" (%q, %W) : (tensor<?x32xf32, #attn.dims<query_len, 32>>, tensor<32x64xf32>) -> tensor<?x64xf32, #attn.dims<query_len, 64>>
  return %0 : tensor<?x64xf32, #attn.dims<query_len, 64>>
}

// Parts are stored like the result of a formula.
// CHECK-LABEL: func.func @puts_parts_together
// CHECK: attn.concat {{.*}}#attn.block<form = element, lanes = "d", rows = "s"
func.func @puts_parts_together(%X: tensor<?x48xf32, #attn.dims<n, 48>>) -> tensor<?x96xf32, #attn.dims<n, 96>> {
  %0 = attn.concat "sd,sd->sd" along "d" (%X, %X) : (tensor<?x48xf32, #attn.dims<n, 48>>, tensor<?x48xf32, #attn.dims<n, 48>>) -> tensor<?x96xf32, #attn.dims<n, 96>>
  return %0 : tensor<?x96xf32, #attn.dims<n, 96>>
}

// Few features fill a quarter of a vector, which loads them side by side; fewer
// do not pay.
// CHECK-LABEL: func.func @few_features
// CHECK: attn.map {{.*}}#attn.block<form = element, lanes = "d", rows = "s", q = 16
// CHECK: attn.map {{.*}}#attn.block<form = element, lanes = "s", rows = "d"
func.func @few_features(%X: tensor<?x4xf32, #attn.dims<n, 4>>, %Y: tensor<?x3xf32, #attn.dims<n, 3>>) -> (tensor<?x4xf32, #attn.dims<n, 4>>, tensor<?x3xf32, #attn.dims<n, 3>>) {
  %0 = attn.map "sd->sd" (%X) : (tensor<?x4xf32, #attn.dims<n, 4>>) -> tensor<?x4xf32, #attn.dims<n, 4>> {
  ^bb0(%x: f32, %s: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %1 = attn.map "sd->sd" (%Y) : (tensor<?x3xf32, #attn.dims<n, 3>>) -> tensor<?x3xf32, #attn.dims<n, 3>> {
  ^bb0(%x: f32, %s: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  return %0, %1 : tensor<?x4xf32, #attn.dims<n, 4>>, tensor<?x3xf32, #attn.dims<n, 3>>
}

// New rows follow each other in one sequence only: no block goes along b.
// CHECK-LABEL: func.func @adds_rows
// CHECK: attn.append {{.*}}#attn.block<form = element, lanes = "d", rows = "s"
func.func @adds_rows(%C: tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>>, %X: tensor<?x?x4xf32, #attn.dims<batch, query_len, 4>>, %past: tensor<?xi32, #attn.dims<batch>>) -> tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>> {
  %0 = attn.append "bsd" %C, %X along "s" at "b" (%past) : tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>>, tensor<?x?x4xf32, #attn.dims<batch, query_len, 4>>, tensor<?xi32, #attn.dims<batch>> -> tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>>
  return %0 : tensor<?x?x4xf32, #attn.dims<batch, kv_len, 4>>
}

// Of a running sum vectors lie along another axis than the sum's.
// CHECK-LABEL: func.func @adds_up_along_rows
// CHECK: attn.scan {{.*}}#attn.block<form = element, lanes = "h", rows = "", q = 32
func.func @adds_up_along_rows(%g: tensor<?x32x8xf32, #attn.dims<kv_len, 32, 8>>) -> tensor<?x32x8xf32, #attn.dims<kv_len, 32, 8>> {
  %0 = attn.scan "shd" %g along "s" : tensor<?x32x8xf32, #attn.dims<kv_len, 32, 8>> -> tensor<?x32x8xf32, #attn.dims<kv_len, 32, 8>>
  return %0 : tensor<?x32x8xf32, #attn.dims<kv_len, 32, 8>>
}

// Sums of rows: neighbours along the lanes are rows apart, and so many rows as one
// vector has are read side by side without driving each other out of the cache.
// CHECK-LABEL: func.func @sums_rows
// CHECK: #attn.block<form = element, lanes = "q", rows = "", q = 16,
func.func @sums_rows(%X: tensor<?x4096xf32, #attn.dims<n, 4096>>) -> tensor<?xf32, #attn.dims<n>> {
  %0 = attn.contract "qd,qd->q" (%X, %X) : (tensor<?x4096xf32, #attn.dims<n, 4096>>, tensor<?x4096xf32, #attn.dims<n, 4096>>) -> tensor<?xf32, #attn.dims<n>>
  return %0 : tensor<?xf32, #attn.dims<n>>
}

// CHECK-LABEL: func.func @sums_columns
// CHECK: #attn.block<form = element, lanes = "d", rows = "", q = 64,
func.func @sums_columns(%X: tensor<?x4096xf32, #attn.dims<n, 4096>>) -> tensor<4096xf32> {
  %0 = attn.contract "qd,qd->d" (%X, %X) : (tensor<?x4096xf32, #attn.dims<n, 4096>>, tensor<?x4096xf32, #attn.dims<n, 4096>>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
