// RUN: attnc-opt %s --convert-tile-to-llvm --split-input-file --verify-diagnostics

// expected-error@below {{'tile.program' op has the target #tile.none, but the CPU code generator needs #tile.cpu<...>}}
tile.program @target(%n: index) target #tile.none {
  tile.grid (%i) to (%n) {
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @lanes(%n: index) target #cpu {
  // expected-error@below {{'tile.grid' op has blocks of 24 queries, which is not a multiple of the 16 lanes of the target}}
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
    // expected-error@below {{'tile.load' op has the dims of '!tile.tile<q:16, k:4, d:4, f32>', but the CPU's loops have the dim q and one other}}
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

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @no_rows(%n: index) target #cpu {
  tile.grid (%i) to (%n) {
    %a = tile.splat 1.0 : !tile.tile<q:16, d:4, f32>
    %b = tile.splat 1.0 : !tile.tile<d:4, f32>
    // expected-error@below {{'tile.dot' op needs a tile.load of two dims as the operand without the dim q}}
    %s = tile.dot (%a, %b) sum(d) : (!tile.tile<q:16, d:4, f32>, !tile.tile<d:4, f32>) -> !tile.tile<q:16, f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @no_lanes(%K: !tile.buf<k, d : f32>, %n: index) target #cpu {
  tile.grid (%i) to (%n) {
    %b = tile.load %K[%i, %i] : !tile.buf<k, d : f32> -> !tile.tile<k:16, d:4, f32>
    %a = tile.splat 1.0 : !tile.tile<d:4, f32>
    // expected-error@below {{'tile.dot' op needs the dim q in one operand, got it in none}}
    %s = tile.dot (%b, %a) sum(d) : (!tile.tile<k:16, d:4, f32>, !tile.tile<d:4, f32>) -> !tile.tile<k:16, f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @loop_in_a_loop(%n: index) target #cpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 16 partial_step 16 {
      // expected-error@below {{'tile.for' op is not allowed in a tile.for; only loads, stores and ops on tiles are}}
      tile.for (%j0, %nj, %some) in [(%c0, %c0, %n, %n)] step 16 partial_step 16 {
        tile.yield
      }
      tile.yield
    }
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @mask_of_the_result(%V: !tile.buf<k, e : f32>, %n: index) target #cpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %v = tile.load %V[%c0, %c0] : !tile.buf<k, e : f32> -> !tile.tile<k:16, e:4, f32>
    %p = tile.splat 1.0 : !tile.tile<q:16, k:16, f32>
    %m = tile.splat 1.0 : !tile.tile<q:16, e:4, i1>
    // expected-error@below {{'tile.dot' op has a mask with the dim "e"; only q and k are possible}}
    %s = tile.dot (%p, %v) sum(k) where(%m : !tile.tile<q:16, e:4, i1>) : (!tile.tile<q:16, k:16, f32>, !tile.tile<k:16, e:4, f32>) -> !tile.tile<q:16, e:4, f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @store_without_lanes(%K: !tile.buf<k, d : f32>, %n: index) target #cpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:16, d:4, f32>
    // expected-error@below {{'tile.store' op stores '!tile.tile<k:16, d:4, f32>' without the dim q}}
    tile.store %k, %K[%c0, %c0] : !tile.tile<k:16, d:4, f32>, !tile.buf<k, d : f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @branch_between_grids(%K: !tile.buf<k, d : f32>, %n: index) target #cpu {
  // expected-error@below {{'tile.read' op is not allowed between the grids of a program; only buffers and arithmetic on sizes are}}
  %x = tile.read %K[%n, %n] : !tile.buf<k, d : f32> -> f32
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @two_results(%n: index) target #cpu {
  tile.grid (%i) to (%n) {
    %a = tile.splat 1.0 : !tile.tile<q:16, index>
    %b = tile.map (%a) : (!tile.tile<q:16, index>) -> !tile.tile<q:16, index> {
    ^bb0(%x: index):
      // expected-error@below {{'arith.addui_extended' op cannot be computed in lanes; use ops with a scalar result}}
      %s, %c = arith.addui_extended %x, %x : index, i1
      tile.yield %s : index
    }
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @rows_of_three_dims(%n: index) target #cpu {
  tile.grid (%i) to (%n) {
    // expected-error@below {{'tile.splat' op has the dims of '!tile.tile<q:16, k:4, d:4, f32>', but the CPU's loops have the dim q and one other}}
    %a = tile.splat 1.0 : !tile.tile<q:16, k:4, d:4, f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @constant_distances(%n: index) target #cpu {
  tile.grid (%i) to (%n) {
    // expected-error@below {{'tile.splat' op has a tile with the dim r, which only tile.map and tile.skew may have}}
    %a = tile.splat 1.0 : !tile.tile<r:31, f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @skew_of_keys(%n: index) target #cpu {
  tile.grid (%i) to (%n) {
    %a = tile.map () at(r = %n) : () -> !tile.tile<r:31, index> {
    ^bb0(%x: index):
      tile.yield %x : index
    }
    // expected-error@below {{'tile.skew' op needs plus(q) and a tile.map over the dim r as its operand}}
    %b = tile.skew %a plus(k) minus(q) : !tile.tile<r:31, index> -> !tile.tile<q:16, k:16, index>
  }
}

// -----

tile.program @step_that_is_no_constant(%m: !tile.buf<q : f32>, %n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 2], value_granule = [1, 2], unroll = 1, tail = 0, lane_skip = false, pack = never> {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %m0 = tile.splat 0.0 : !tile.tile<q:32, f32>
    // expected-error@below {{'scf.for' op has a step that is not constant}}
    %last = scf.for %pass = %c0 to %n step %n iter_args(%before = %m0) -> (!tile.tile<q:32, f32>) {
      %next = tile.map (%before) : (!tile.tile<q:32, f32>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: f32):
        %y = arith.addf %x, %x : f32
        tile.yield %y : f32
      }
      scf.yield %next : !tile.tile<q:32, f32>
    }
    tile.store %last, %m[%c0] : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @merged_axes(%x: !tile.buf<h, k, q : f32>, %n: index) target #cpu {
  %m = tile.rename %x merge("k", "h" by 4) : !tile.buf<h, k, q : f32> -> !tile.buf<h, k, q : f32>
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    // expected-error@below {{'tile.load' op has the dim "k" along merged axes of its buffer; only q is possible}}
    %t = tile.load %m[%c0, %i, %c0] : !tile.buf<h, k, q : f32> -> !tile.tile<q:16, k:4, f32>
    tile.store %t, %x[%c0, %i, %c0] : !tile.tile<q:16, k:4, f32>, !tile.buf<h, k, q : f32>
  }
}
