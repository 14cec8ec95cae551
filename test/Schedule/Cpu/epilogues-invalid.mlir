// Blocks of maps in the blocks of products that a dump may say and no choice makes.
// RUN: attnc-opt %s --split-input-file --verify-diagnostics --attn-verify-scheduled

module attributes {attnc.target = "x86-64-v3"} {
  func.func @other_block(%arg0: tensor<?x768xf32, #attn.dims<rows, 768>>, %arg1: tensor<768x2304xf32>, %arg2: tensor<2304xf32>) -> tensor<?x2304xf32, #attn.dims<rows, 2304>> {
    %0 = attn.contract "qd,de->qe"(%arg0, %arg1) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 32, k = 256, e = 288, target = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [6, 2], value_granule = [6, 2], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 256>>} : (tensor<?x768xf32, #attn.dims<rows, 768>>, tensor<768x2304xf32>) -> tensor<?x2304xf32, #attn.dims<rows, 2304>>
    // expected-error@below {{form = epilogue requires the block of the product: #attn.block<form = epilogue, lanes = "b", rows = "a", q = 32,}}
    %1 = attn.map "ab,b->ab"(%0, %arg2) : (tensor<?x2304xf32, #attn.dims<rows, 2304>>, tensor<2304xf32>) -> tensor<?x2304xf32, #attn.dims<rows, 2304>> attributes {attn.block = #attn.block<form = epilogue, lanes = "b", rows = "a", q = 64, k = 256, e = 288, target = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [6, 2], value_granule = [6, 2], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 256>>} {
    ^bb0(%x: f32, %x_0: f32, %a: index, %b: index):
      %2 = arith.addf %x, %x_0 : f32
      attn.yield %2 : f32
    }
    return %1 : tensor<?x2304xf32, #attn.dims<rows, 2304>>
  }
}

// -----

module attributes {attnc.target = "x86-64-v3"} {
  func.func @no_product(%arg0: tensor<?x768xf32, #attn.dims<rows, 768>>, %arg1: tensor<768x2304xf32>, %arg2: tensor<2304xf32>, %arg3: tensor<?x2304xf32, #attn.dims<rows, 2304>>) -> tensor<?x2304xf32, #attn.dims<rows, 2304>> {
    // expected-error@below {{form = epilogue requires a map that is the only use of a product of form dot; use form = element}}
    %1 = attn.map "ab,b->ab"(%arg3, %arg2) : (tensor<?x2304xf32, #attn.dims<rows, 2304>>, tensor<2304xf32>) -> tensor<?x2304xf32, #attn.dims<rows, 2304>> attributes {attn.block = #attn.block<form = epilogue, lanes = "b", rows = "a", q = 32, k = 256, e = 288, target = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [6, 2], value_granule = [6, 2], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 256>>} {
    ^bb0(%x: f32, %x_0: f32, %a: index, %b: index):
      %2 = arith.addf %x, %x_0 : f32
      attn.yield %2 : f32
    }
    return %1 : tensor<?x2304xf32, #attn.dims<rows, 2304>>
  }
}
