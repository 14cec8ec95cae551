// RUN: attnc-opt %s --convert-tile-to-llvm --split-input-file --verify-diagnostics

// expected-error@below {{'tile.program' op has the target 1 : i64, but the code generator of the CPU needs #tile.cpu<...>}}
tile.program @target(%n: index) target 1 : i64 {
  tile.grid (%i) to (%n) {
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @lanes(%n: index) target #cpu {
  // expected-error@below {{'tile.grid' op has blocks of 24 queries, which is no multiple of the 16 lanes of the target}}
  tile.grid (%i) to (%n) {
    %a = tile.splat 1.0 : !tile.tile<q:24, f32>
    %b = tile.rescale %a by %a : !tile.tile<q:24, f32>, !tile.tile<q:24, f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @two_block_sizes(%n: index) target #cpu {
  tile.grid (%i) to (%n) {
    %a = tile.splat 1.0 : !tile.tile<q:16, f32>
    // expected-error@below {{'tile.splat' op has 32 queries, but another tile of the grid has 16; the CPU's blocks have one size}}
    %b = tile.splat 1.0 : !tile.tile<q:32, f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @three_dims(%x: !tile.buf<q, k, d : f32>, %n: index) target #cpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    // expected-error@below {{'tile.load' op loads '!tile.tile<q:16, k:4, d:4, f32>', but the CPU's tiles have at most two dims}}
    %t = tile.load %x[%i, %c0, %c0] : !tile.buf<q, k, d : f32> -> !tile.tile<q:16, k:4, d:4, f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @rows_in_a_map(%x: !tile.buf<k, d : f32>, %n: index) target #cpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:16, d:4, f32>
    // expected-error@below {{'tile.rescale' op has the dims of '!tile.tile<k:16, d:4, f32>', but the CPU's loops have the dim q and one other}}
    %u = tile.rescale %t by %t : !tile.tile<k:16, d:4, f32>, !tile.tile<k:16, d:4, f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @carried_scalar(%n: index) target #cpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    // expected-error@below {{'tile.for' op carries 'index', but the CPU's loops carry tiles only}}
    %s = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 16 partial_step 16 iter(%acc = %c0) -> (index) {
      %next = arith.addi %acc, %nk : index
      tile.yield %next : index
    }
  }
}
