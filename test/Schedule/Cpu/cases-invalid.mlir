// Cases of an op that no schedule has, but a dump may.
// RUN: attnc-opt %s --attn-verify-scheduled --split-input-file --verify-diagnostics

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c21_list(%x: tensor<?x64xf32, #attn.dims<rows, 64>>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>> {
  // expected-error@below {{has illegal attn.cases: they must be a list of at least one #attn.case}}
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>, attn.cases = [8]} : (tensor<?x64xf32, #attn.dims<rows, 64>>, tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>>
  return %0 : tensor<?x64xf32, #attn.dims<rows, 64>>
}
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c21_empty(%x: tensor<?x64xf32, #attn.dims<rows, 64>>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>> {
  // expected-error@below {{has illegal attn.cases: they must be a list of at least one #attn.case}}
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>, attn.cases = []} : (tensor<?x64xf32, #attn.dims<rows, 64>>, tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>>
  return %0 : tensor<?x64xf32, #attn.dims<rows, 64>>
}
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c21_form(%x: tensor<?x64xf32, #attn.dims<rows, 64>>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>> {
  // expected-error@below {{has illegal attn.cases: the block of case 0 must have the form, lanes, rows, inner and visited of attn.block}}
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = element, lanes = "e", rows = "", q = 64, k = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>, attn.cases = [#attn.case<axis = "q", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 64, k = 8, e = 4, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>>]} : (tensor<?x64xf32, #attn.dims<rows, 64>>, tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>>
  return %0 : tensor<?x64xf32, #attn.dims<rows, 64>>
}
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c21_letters(%x: tensor<?x64xf32, #attn.dims<rows, 64>>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>> {
  // expected-error@below {{has illegal attn.cases: the block of case 0 must have the form, lanes, rows, inner and visited of attn.block}}
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>, attn.cases = [#attn.case<axis = "q", most = 8, block = <form = dot, lanes = "q", rows = "e", q = 64, k = 8, e = 4, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>>]} : (tensor<?x64xf32, #attn.dims<rows, 64>>, tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>>
  return %0 : tensor<?x64xf32, #attn.dims<rows, 64>>
}
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c21_order(%x: tensor<?x64xf32, #attn.dims<rows, 64>>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>> {
  // expected-error@below {{has illegal attn.cases: case 1 holds in no call, because a case before it is for at most 8 elements along 'q'}}
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>, attn.cases = [#attn.case<axis = "q", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 64, k = 8, e = 4, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>>, #attn.case<axis = "q", most = 4, block = <form = dot, lanes = "e", rows = "q", q = 64, k = 8, e = 4, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>>]} : (tensor<?x64xf32, #attn.dims<rows, 64>>, tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>>
  return %0 : tensor<?x64xf32, #attn.dims<rows, 64>>
}
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c21_axis(%x: tensor<?x64xf32, #attn.dims<rows, 64>>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>> {
  // expected-error@below {{has illegal attn.cases: case 0: 'd' is not an axis of the result 'qe'}}
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>, attn.cases = [#attn.case<axis = "d", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 64, k = 8, e = 4, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>>]} : (tensor<?x64xf32, #attn.dims<rows, 64>>, tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>>
  return %0 : tensor<?x64xf32, #attn.dims<rows, 64>>
}
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c21_fixed(%x: tensor<?x64xf32, #attn.dims<rows, 64>>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>> {
  // expected-error@below {{has illegal attn.cases: case 0: 'e' has 64 elements in each call}}
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>, attn.cases = [#attn.case<axis = "e", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 64, k = 8, e = 4, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>>]} : (tensor<?x64xf32, #attn.dims<rows, 64>>, tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>>
  return %0 : tensor<?x64xf32, #attn.dims<rows, 64>>
}
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c21_size(%x: tensor<?x64xf32, #attn.dims<rows, 64>>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>> {
  // expected-error@below {{has illegal attn.cases: case 0: q = 24 is not a multiple of the 16 lanes}}
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>, attn.cases = [#attn.case<axis = "q", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 24, k = 8, e = 4, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>>]} : (tensor<?x64xf32, #attn.dims<rows, 64>>, tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>>
  return %0 : tensor<?x64xf32, #attn.dims<rows, 64>>
}
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c21_backend(%x: tensor<?x64xf32, #attn.dims<rows, 64>>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>> {
  // expected-error@below {{has illegal attn.cases: case 0: its target is not of the backend of attn.block}}
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>, attn.cases = [#attn.case<axis = "q", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 64, k = 8, e = 4, target = #halide.schedule<lanes = 16, score_tile = [1, 1], value_tile = [1, 1]>>>]} : (tensor<?x64xf32, #attn.dims<rows, 64>>, tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>>
  return %0 : tensor<?x64xf32, #attn.dims<rows, 64>>
}
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c21_legal(%x: tensor<?x64xf32, #attn.dims<rows, 64>>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>> {
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>, attn.cases = [#attn.case<axis = "q", most = 2, block = <form = dot, lanes = "e", rows = "q", q = 64, k = 8, e = 2, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>>, #attn.case<axis = "q", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 64, k = 8, e = 4, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>>]} : (tensor<?x64xf32, #attn.dims<rows, 64>>, tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>>
  return %0 : tensor<?x64xf32, #attn.dims<rows, 64>>
}
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c21_halide(%x: tensor<?x64xf32, #attn.dims<rows, 64>>) -> tensor<?x64xf32, #attn.dims<rows, 64>> {
  // expected-error@below {{has illegal attn.cases: backend 'halide' does not support them; remove them}}
  %0 = attn.map "qe->qe"(%x) : (tensor<?x64xf32, #attn.dims<rows, 64>>) -> tensor<?x64xf32, #attn.dims<rows, 64>> attributes {attn.block = #attn.block<form = element, lanes = "", rows = "", q = 16, k = 1, target = #halide.schedule<lanes = 16, score_tile = [1, 1], value_tile = [1, 1]>>, attn.cases = [#attn.case<axis = "q", most = 8, block = <form = element, lanes = "", rows = "", q = 16, k = 2, target = #halide.schedule<lanes = 16, score_tile = [1, 1], value_tile = [1, 1]>>>]} {
  ^bb0(%a: f32, %q: index, %e: index):
    attn.yield %a : f32
  }
  return %0 : tensor<?x64xf32, #attn.dims<rows, 64>>
}
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
func.func @verify_scheduled_c21_epilogue(%x: tensor<?x64xf32, #attn.dims<rows, 64>>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>> {
  %0 = attn.contract "qd,de->qe"(%x, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>} : (tensor<?x64xf32, #attn.dims<rows, 64>>, tensor<64x64xf32>) -> tensor<?x64xf32, #attn.dims<rows, 64>>
  // expected-error@below {{has illegal attn.cases: they need an attn.block of form dot or element; remove them}}
  %1 = attn.map "qe->qe"(%0) : (tensor<?x64xf32, #attn.dims<rows, 64>>) -> tensor<?x64xf32, #attn.dims<rows, 64>> attributes {attn.block = #attn.block<form = epilogue, lanes = "e", rows = "q", q = 64, k = 64, e = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>, attn.cases = [#attn.case<axis = "q", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 64, k = 8, e = 4, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never>>>]} {
  ^bb0(%a: f32, %q: index, %e: index):
    attn.yield %a : f32
  }
  return %1 : tensor<?x64xf32, #attn.dims<rows, 64>>
}
}
