// What cannot be lowered, each with its reason.
// RUN: attnc-opt %s --convert-attn-to-tile --split-input-file --verify-diagnostics

!q = tensor<4x8xf32>
func.func @unscheduled_side_op(%Q: !q, %K: !q) -> tensor<4x4xf32> {
  // expected-error@below {{'attn.contract' op has no attn.block; run attn-select-schedule}}
  %s = attn.contract "qd,kd->qk" (%Q, %K) : (!q, !q) -> tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// -----

// expected-error@below {{has no body to lower}}
func.func private @declaration(tensor<4xf32>)

// -----

// expected-error@below {{has nothing to compute}}
func.func @nothing(%Q: tensor<4xf32>) -> tensor<4xf32> {
  return %Q : tensor<4xf32>
}

// -----

// expected-error@below {{takes or returns 'index', which a tile program cannot have as an argument}}
func.func @scalar_argument(%n: index) {
  return
}

// -----

// expected-error@below {{takes or returns 'tensor<4xi16>', which a tile program cannot have as an argument}}
func.func @unknown_elements(%Q: tensor<4xi16>) {
  return
}

// -----

func.func @arithmetic_on_tensors(%Q: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'arith.addf' op has no lowering to tiles}}
  %0 = arith.addf %Q, %Q : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
func.func @unscheduled(%Q: !q, %K: !k, %V: !k) -> !q {
  // expected-error@below {{'attn.kernel' op has no schedule; run attn-select-schedule}}
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }

  return %o : !q
}

// -----

#schedule = #attn.schedule<form = rows, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
func.func @rows_of_any_length(%Q: !q, %K: !k, %V: !k) -> !q {
  // expected-error@below {{'attn.kernel' op form rows needs a fixed kv_len of at most k = 64; use form = online}}
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }

  return %o : !q
}

// -----

#huge = #attn.schedule<form = online, q = 65536, k = 65536, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
func.func @huge_tiles(%Q: !q, %K: !k, %V: !k) -> !q {
  // expected-error@below {{'attn.kernel' op tiles of q = 65536, k = 65536 and 32 features are too large; the limit is 16777216 elements}}
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #huge}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }

  return %o : !q
}

// -----

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!v = tensor<?x2x?x?xf32, #attn.dims<batch, 2, kv_len, value_dim>>
!o = tensor<?x2x1x?x?xf32, #attn.dims<batch, 2, 1, query_len, value_dim>>
func.func @any_value_dim(%Q: !q, %K: !k, %V: !v) -> !o {
  // expected-error@below {{'attn.kernel' op the features of v must have a fixed size of at least 1 to be lowered to tiles}}
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !v) -> (!o, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !o
}

// -----

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!unnamed = tensor<?x2x1x?x32xf32>
!lu = tensor<?x2x1x?xf32>
func.func @unnamed_axis(%Q: !unnamed, %K: !k, %V: !k) -> !unnamed {
  // expected-error@below {{'attn.kernel' op has an axis 0 of 'tensor<?x2x1x?x32xf32>' whose size is unknown: it is dynamic and has no name in #attn.dims}}
  %o, %lse = attn.kernel ins(%Q, %K, %V : !unnamed, !k, !k) -> (!unnamed, !lu) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !unnamed
}

// -----

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!unnamed = tensor<?x?x?x?x32xf32>
!lu = tensor<?x?x?x?xf32>
!heads = tensor<?x?x?x32xf32>
func.func @unnamed_heads(%Q: !heads, %K: !k, %V: !k) -> !unnamed {
  // expected-error@below {{'attn.view' op has an axis 0 of 'tensor<?x?x?x32xf32>' whose size is unknown: it is dynamic and has no name in #attn.dims}}
  %q = attn.view "b(hg)qd->bhgqd" %Q : !heads -> !unnamed
  %o, %lse = attn.kernel ins(%q, %K, %V : !unnamed, !k, !k) -> (!unnamed, !lu) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }
  return %o : !unnamed
}

// -----

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!flat = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, "query_len * 32">>
func.func @rows_and_features_merged(%Q: !flat, %K: !k, %V: !k) -> !q {
  %q = attn.view "bhg(qd)->bhgqd" %Q : !flat -> !q
  // expected-error@below {{an axis with 'q' in front of 'd' cannot be read in blocks yet; pass the tensor with separate axes}}
  %o, %lse = attn.kernel ins(%q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }

  return %o : !q
}

// -----

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!split = tensor<?x2x1x?x4x8xf32, #attn.dims<batch, 2, 1, query_len, 4, 8>>
func.func @features_joined_by_a_view(%Q: !split, %K: !k, %V: !k) -> !q {
  // expected-error@below {{'attn.view' op joins axes 'dc' that are iterated as one; this cannot be lowered to block loads and stores yet}}
  %q = attn.view "bhgqdc->bhgq(dc)" %Q : !split -> !q
  %o, %lse = attn.kernel ins(%q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }

  return %o : !q
}

// -----

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "batch"}, {name = "query_len"}, {name = "kv_len"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["batch", "query_len", "kv_len"]}, {name = "O", role = "output", dtype = "f32", axes = ["batch", "query_len"]}], preconditions = [], positions = []}]} {
  // expected-error@below {{has 3 arguments and 1 results, but its interface names 1 inputs and 1 outputs}}
  func.func @f(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }

  return %o : !q
}
}

// -----

#block = #attn.block<form = element, lanes = "", rows = "", q = 16, k = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 4, tail = 0, lane_skip = false, pack = auto>>
func.func @one_row_of_scores(%S: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.normalize' op has no axis besides the normalized one; a single row cannot be lowered yet}}
  %p, %lse = attn.normalize "k" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) attributes {attn.block = #block}
  return %p : tensor<4xf32>
}

// -----

#block = #attn.block<form = element, lanes = "k", rows = "", q = 16, k = 64, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 4, tail = 0, lane_skip = false, pack = auto>>
func.func @number(%S: tensor<4xf32>) -> tensor<f32> {
  %t = attn.contract "k,k->" (%S, %S) {attn.block = #block} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  // expected-error@below {{'func.return' op result 0 has no axes, which cannot be returned}}
  return %t : tensor<f32>
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>
#block = #attn.block<form = dot, lanes = "h", rows = "q", q = 64, k = 64, target = #cpu>

// Three heads of four from place 1 of 13 on.
func.func @a_piece_that_cuts_a_head(%X: tensor<8x13xf32>, %W: tensor<3x4x16xf32>) -> tensor<8x16xf32> {
  // expected-error@below {{'attn.slice' op slices an axis of 13 that is iterated as several axes, which do not divide it; this cannot be lowered to block loads and stores yet}}
  %0 = attn.slice "qx" %X along "x" [1, 12] : tensor<8x13xf32> -> tensor<8x12xf32>
  %q = attn.view "q(hd)->qhd" %0 : tensor<8x12xf32> -> tensor<8x3x4xf32>
  %1 = attn.contract "qgd,gdh->qh" (%q, %W) {attn.block = #block} : (tensor<8x3x4xf32>, tensor<3x4x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>
#block = #attn.block<form = element, lanes = "d", rows = "s", q = 16, k = 64, target = #cpu>

func.func @rows_in_the_place_of_a_view(%c: tensor<2x8x9xf32>, %x: tensor<2x3x8xf32>, %at: tensor<2xi32>) -> tensor<2x9x8xf32> {
  %v = attn.view "bds->bsd" %c : tensor<2x8x9xf32> -> tensor<2x9x8xf32>
  // expected-error@below {{'attn.append' op writes to a view, which cannot be lowered; the cache must be an argument}}
  %0 = attn.append "bsd" %v, %x along "s" at "b" (%at) {attn.block = #block} : tensor<2x9x8xf32>, tensor<2x3x8xf32>, tensor<2xi32> -> tensor<2x9x8xf32>
  return %0 : tensor<2x9x8xf32>
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = auto>
#alone = #attn.block<form = element, lanes = "", rows = "", q = 16, k = 64, target = #cpu>
func.func @one_sum_alone(%x: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error @below {{'attn.scan' op has no axis besides the scanned one; a single sum cannot be lowered yet}}
  %0 = attn.scan "s" %x along "s" {attn.block = #alone} : tensor<9xf32> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
