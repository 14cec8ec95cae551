// Blocks of matrix products and of maps of their results on GPUs.
// RUN: attnc-opt %s --split-input-file --verify-diagnostics --attn-select-schedule=cpu=sm_80 -o %t && FileCheck %s --input-file %t

!x = tensor<?x768xbf16, #attn.dims<rows, 768>>
!y = tensor<?x2304xbf16, #attn.dims<rows, 2304>>

// Rows of thread blocks run along another axis than the last one of the result.
// The map is computed in the blocks of the product.
// CHECK-LABEL: func.func @projects
// CHECK: attn.contract {{.*}} #attn.block<form = dot, lanes = "q", rows = "e", q = 128, k = 32, e = 64, target = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 32, stages = 4, fast_exp = false>>
// CHECK: attn.map {{.*}} #attn.block<form = epilogue, lanes = "a", rows = "b", q = 128, k = 32, e = 64, target
func.func @projects(%X: !x, %W: tensor<768x2304xbf16>, %bias: tensor<2304xbf16>) -> !y {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (!x, tensor<768x2304xbf16>) -> !y
  %1 = attn.map "ab,b->ab" (%0, %bias) : (!y, tensor<2304xbf16>) -> !y {
  ^bb0(%s: f32, %t: f32, %a: index, %b: index):
    %u = arith.addf %s, %t : f32
    attn.yield %u : f32
  }
  return %1 : !y
}

// -----

// Few rows have fewer and smaller warps.
// CHECK-LABEL: func.func @projects_few
// CHECK: form = dot, lanes = "q", rows = "e", q = 32, k = 32, e = 64, target = {{.*}} warps = 2, rows = 16, stages = 4
func.func @projects_few(%X: tensor<20x768xf16>, %W: tensor<2304x768xf16>) -> tensor<20x2304xf16> {
  %0 = attn.contract "qd,ed->qe" (%X, %W) : (tensor<20x768xf16>, tensor<2304x768xf16>) -> tensor<20x2304xf16>
  return %0 : tensor<20x2304xf16>
}

// -----

// f32 and operands of two types are multiplied by fma.
// CHECK-LABEL: func.func @by_fma
// CHECK: form = dot, lanes = "q", rows = "e", q = 64, k = 16, e = 64, target = {{.*}} mapping = fragment, warps = 4, rows = 16, stages = 1
// CHECK: form = dot, lanes = "q", rows = "e", q = 64, k = 16, e = 64, target = {{.*}} stages = 1
// expected-warning@below {{f32 products use fma instructions, not the tensor cores of sm_80}}
func.func @by_fma(%X: tensor<128x768xf32>, %Y: tensor<128x768xbf16>, %W: tensor<768x2304xf32>) -> (tensor<128x2304xf32>, tensor<128x2304xf32>) {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<128x768xf32>, tensor<768x2304xf32>) -> tensor<128x2304xf32>
  %1 = attn.contract "qd,de->qe" (%Y, %W) : (tensor<128x768xbf16>, tensor<768x2304xf32>) -> tensor<128x2304xf32>
  return %0, %1 : tensor<128x2304xf32>, tensor<128x2304xf32>
}

// -----

// Rows that every regime of `expect` has few of, but not those of a batch, whose
// size is one by default.
// CHECK-LABEL: func.func @decodes
// CHECK: form = dot, lanes = "q", rows = "e", q = 16, k = 32, e = 64, target = {{.*}} warps = 1, rows = 16, stages = 4
// CHECK: form = dot, lanes = "q", rows = "e", q = 128,
func.func @decodes(%X: tensor<?x768xf16, #attn.dims<query_len, 768>>, %Y: tensor<?x768xf16, #attn.dims<batch, 768>>, %W: tensor<768x2304xf16>) -> (tensor<?x2304xf16, #attn.dims<query_len, 2304>>, tensor<?x2304xf16, #attn.dims<batch, 2304>>) attributes {attnc.expect = [{batch = 1 : i64, query_len = 1 : i64, kv_len = 4096 : i64, weight = 1.0 : f64}, {batch = 1 : i64, query_len = 9 : i64, kv_len = 4096 : i64, weight = 1.0 : f64}]} {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<?x768xf16, #attn.dims<query_len, 768>>, tensor<768x2304xf16>) -> tensor<?x2304xf16, #attn.dims<query_len, 2304>>
  %1 = attn.contract "qd,de->qe" (%Y, %W) : (tensor<?x768xf16, #attn.dims<batch, 768>>, tensor<768x2304xf16>) -> tensor<?x2304xf16, #attn.dims<batch, 2304>>
  return %0, %1 : tensor<?x2304xf16, #attn.dims<query_len, 2304>>, tensor<?x2304xf16, #attn.dims<batch, 2304>>
}

// -----

// Rows of which `expect` lists few and many have blocks for both.
// CHECK-LABEL: func.func @prompts
// CHECK: form = dot, lanes = "q", rows = "e", q = 128, {{.*}}attn.cases = [#attn.case<axis = "q", most = 16, block = <form = dot, lanes = "q", rows = "e", q = 16, k = 32, e = 64, target = {{.*}} warps = 1, rows = 16, stages = 4
func.func @prompts(%X: tensor<?x768xf16, #attn.dims<query_len, 768>>, %W: tensor<768x2304xf16>) -> tensor<?x2304xf16, #attn.dims<query_len, 2304>> attributes {attnc.expect = [{query_len = 1 : i64, kv_len = 4096 : i64, weight = 1.0 : f64}, {query_len = 512 : i64, kv_len = 512 : i64, weight = 1.0 : f64}]} {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<?x768xf16, #attn.dims<query_len, 768>>, tensor<768x2304xf16>) -> tensor<?x2304xf16, #attn.dims<query_len, 2304>>
  return %0 : tensor<?x2304xf16, #attn.dims<query_len, 2304>>
}

// -----

// With the permission of the function tensor cores multiply f32, rounded to tf32; not
// operands of two types.
// CHECK-LABEL: func.func @by_tf32
// CHECK: form = dot, lanes = "q", rows = "e", q = 128, k = 16, e = 64, target = {{.*}} warps = 4, rows = 32, stages = 4, fast_exp = false, tf32 = true>
// CHECK: form = dot, {{.*}} stages = 1, fast_exp = false>
// expected-warning@below {{f32 products use fma instructions, not the tensor cores of sm_80}}
func.func @by_tf32(%X: tensor<128x768xf32>, %Y: tensor<128x768xbf16>, %W: tensor<768x2304xf32>) -> (tensor<128x2304xf32>, tensor<128x2304xf32>) attributes {attnc.tf32} {
  %0 = attn.contract "qd,de->qe" (%X, %W) : (tensor<128x768xf32>, tensor<768x2304xf32>) -> tensor<128x2304xf32>
  %1 = attn.contract "qd,de->qe" (%Y, %W) : (tensor<128x768xbf16>, tensor<768x2304xf32>) -> tensor<128x2304xf32>
  return %0, %1 : tensor<128x2304xf32>, tensor<128x2304xf32>
}

// -----

// A vector has no second axis: its sums are of single elements.
// CHECK-LABEL: func.func @multiplies_vector
// CHECK: form = element, lanes = "q", rows = "", q = 128, k = 16, target = {{.*}} mapping = thread
func.func @multiplies_vector(%X: tensor<128x768xbf16>, %v: tensor<768xbf16>) -> tensor<128xbf16> {
  %0 = attn.contract "qd,d->q" (%X, %v) : (tensor<128x768xbf16>, tensor<768xbf16>) -> tensor<128xbf16>
  return %0 : tensor<128xbf16>
}
