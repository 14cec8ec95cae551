// Blocks of products that a dump may say and no choice makes.
// RUN: attnc-opt %s --split-input-file --verify-diagnostics --attn-verify-scheduled

module attributes {attnc.target = "sm_80"} {
  func.func @masked(%X: tensor<64x32xbf16>, %W: tensor<32x64xbf16>, %keep: tensor<64xi1>) -> tensor<64x64xbf16> {
    // expected-error@below {{form = dot requires a product of two matrices without a mask; use form = element}}
    %0 = attn.contract "qd,de->qe" (%X, %W) where "q" (%keep) {attn.block = #attn.block<form = dot, lanes = "q", rows = "e", q = 64, k = 32, e = 64, target = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 16, stages = 2, fast_exp = false>>} : (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64xi1>) -> tensor<64x64xbf16>
    return %0 : tensor<64x64xbf16>
  }
}

// -----

module attributes {attnc.target = "sm_80"} {
  func.func @lanes(%X: tensor<64x32xbf16>, %W: tensor<32x64xbf16>) -> tensor<64x64xbf16> {
    // expected-error@below {{form = dot is possible with lanes = 'q' and rows = 'e' only; use form = element}}
    %0 = attn.contract "qd,de->qe" (%X, %W) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 32, e = 64, target = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 16, stages = 2, fast_exp = false>>} : (tensor<64x32xbf16>, tensor<32x64xbf16>) -> tensor<64x64xbf16>
    return %0 : tensor<64x64xbf16>
  }
}

// -----

module attributes {attnc.target = "sm_80"} {
  func.func @mapping(%X: tensor<64x32xbf16>, %W: tensor<32x64xbf16>) -> tensor<64x64xbf16> {
    // expected-error@below {{form = dot requires mapping = fragment}}
    %0 = attn.contract "qd,de->qe" (%X, %W) {attn.block = #attn.block<form = dot, lanes = "q", rows = "e", q = 128, k = 32, e = 64, target = #tile.nvptx<arch = sm_80, mapping = thread, warps = 4, rows = 32, stages = 1, fast_exp = false>>} : (tensor<64x32xbf16>, tensor<32x64xbf16>) -> tensor<64x64xbf16>
    return %0 : tensor<64x64xbf16>
  }
}

// -----

module attributes {attnc.target = "sm_80"} {
  func.func @element(%X: tensor<64x32xbf16>, %W: tensor<32x64xbf16>) -> tensor<64x64xbf16> {
    // expected-error@below {{form = element requires mapping = thread and no rows}}
    %0 = attn.contract "qd,de->qe" (%X, %W) {attn.block = #attn.block<form = element, lanes = "q", rows = "", q = 64, k = 16, target = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 16, stages = 1, fast_exp = false>>} : (tensor<64x32xbf16>, tensor<32x64xbf16>) -> tensor<64x64xbf16>
    return %0 : tensor<64x64xbf16>
  }
}

// -----

module attributes {attnc.target = "sm_80"} {
  func.func @stages(%X: tensor<64x32xf32>, %W: tensor<32x64xf32>) -> tensor<64x64xf32> {
    // expected-error@below {{stages above 1 need products on tensor cores; legal is 1}}
    %0 = attn.contract "qd,de->qe" (%X, %W) {attn.block = #attn.block<form = dot, lanes = "q", rows = "e", q = 64, k = 32, e = 64, target = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 16, stages = 2, fast_exp = false>>} : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}

// -----

module attributes {attnc.target = "sm_80"} {
  func.func @step(%X: tensor<64x32xbf16>, %W: tensor<32x64xbf16>) -> tensor<64x64xbf16> {
    // expected-error@below {{k = 40 is not a multiple of 16 up to 256}}
    %0 = attn.contract "qd,de->qe" (%X, %W) {attn.block = #attn.block<form = dot, lanes = "q", rows = "e", q = 64, k = 40, e = 64, target = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 16, stages = 2, fast_exp = false>>} : (tensor<64x32xbf16>, tensor<32x64xbf16>) -> tensor<64x64xbf16>
    return %0 : tensor<64x64xbf16>
  }
}

// -----

module attributes {attnc.target = "sm_80"} {
  func.func @other_block(%arg0: tensor<?x768xbf16, #attn.dims<rows, 768>>, %arg1: tensor<768x2304xbf16>, %arg2: tensor<2304xbf16>) -> tensor<?x2304xbf16, #attn.dims<rows, 2304>> {
    %0 = attn.contract "qd,de->qe"(%arg0, %arg1) {attn.block = #attn.block<form = dot, lanes = "q", rows = "e", q = 128, k = 32, e = 64, target = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 32, stages = 4, fast_exp = false>>} : (tensor<?x768xbf16, #attn.dims<rows, 768>>, tensor<768x2304xbf16>) -> tensor<?x2304xbf16, #attn.dims<rows, 2304>>
    // expected-error@below {{form = epilogue requires the block of the product: #attn.block<form = epilogue, lanes = "a", rows = "b", q = 128,}}
    %1 = attn.map "ab,b->ab"(%0, %arg2) : (tensor<?x2304xbf16, #attn.dims<rows, 2304>>, tensor<2304xbf16>) -> tensor<?x2304xbf16, #attn.dims<rows, 2304>> attributes {attn.block = #attn.block<form = epilogue, lanes = "a", rows = "b", q = 64, k = 32, e = 64, target = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 32, stages = 4, fast_exp = false>>} {
    ^bb0(%x: f32, %x_0: f32, %a: index, %b: index):
      %2 = arith.addf %x, %x_0 : f32
      attn.yield %2 : f32
    }
    return %1 : tensor<?x2304xbf16, #attn.dims<rows, 2304>>
  }
}

// -----

module attributes {attnc.target = "sm_80"} {
  func.func @no_product(%arg0: tensor<?x768xbf16, #attn.dims<rows, 768>>, %arg1: tensor<768x2304xbf16>, %arg2: tensor<2304xbf16>, %arg3: tensor<?x2304xbf16, #attn.dims<rows, 2304>>) -> tensor<?x2304xbf16, #attn.dims<rows, 2304>> {
    // expected-error@below {{form = epilogue requires a map that is the only use of a product of form dot; use form = element}}
    %1 = attn.map "ab,b->ab"(%arg3, %arg2) : (tensor<?x2304xbf16, #attn.dims<rows, 2304>>, tensor<2304xbf16>) -> tensor<?x2304xbf16, #attn.dims<rows, 2304>> attributes {attn.block = #attn.block<form = epilogue, lanes = "a", rows = "b", q = 128, k = 32, e = 64, target = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 32, stages = 4, fast_exp = false>>} {
    ^bb0(%x: f32, %x_0: f32, %a: index, %b: index):
      %2 = arith.addf %x, %x_0 : f32
      attn.yield %2 : f32
    }
    return %1 : tensor<?x2304xbf16, #attn.dims<rows, 2304>>
  }
}
