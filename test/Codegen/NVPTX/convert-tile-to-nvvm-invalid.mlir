// What the NVPTX code generator refuses, at the op.
// RUN: attnc-opt %s --convert-tile-to-nvvm --split-input-file --verify-diagnostics

// expected-error@below {{'tile.program' op has the target #tile.none, but the NVPTX code generator needs #tile.nvptx<...>}}
tile.program @other_target(%n: index) target #tile.none {
}

// -----

#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 16, stages = 1, fast_exp = true>
tile.program @three_dims(%n: index) target #gpu {
  tile.grid (%i) to (%n) {
    // expected-error@below {{'tile.splat' op has the tile '!tile.tile<q:16, k:8, d:8, f32>'; the NVPTX code generator supports one or two dims, and r alone}}
    %0 = tile.splat 0.0 : !tile.tile<q:16, k:8, d:8, f32>
  }
}

// -----

#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 16, stages = 1, fast_exp = true>
tile.program @more_rows(%n: index) target #gpu {
  tile.grid (%i) to (%n) {
    // expected-error@below {{'tile.splat' op has a tile of 32 rows, but a thread block has 16 (warps * rows of #tile.nvptx)}}
    %0 = tile.splat 0.0 : !tile.tile<q:32, f32>
  }
}

// -----

#gpu = #tile.nvptx<arch = sm_80, mapping = thread, warps = 1, rows = 32, stages = 1, fast_exp = true>
tile.program @many_registers(%n: index) target #gpu {
  tile.grid (%i) to (%n) {
    // expected-error@below {{'tile.splat' op has the tile '!tile.tile<q:32, k:1024, f32>', which takes 1024 registers of each thread; supported are 512}}
    %0 = tile.splat 0.0 : !tile.tile<q:32, k:1024, f32>
  }
}

// -----

#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 16, stages = 1, fast_exp = true>
tile.program @carried(%n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %0 = tile.splat 0.0 : !tile.tile<k:16, d:16, f32>
    // expected-error@below {{'tile.for' op has the result '!tile.tile<k:16, d:16, f32>', which is not in registers; supported are tiles with the dim q or with one dim}}
    %1 = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 16 partial_step 16 iter(%carried = %0) -> (!tile.tile<k:16, d:16, f32>) {
      tile.yield %carried : !tile.tile<k:16, d:16, f32>
    }
  }
}

// -----

#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 8, rows = 16, stages = 1, fast_exp = true>
tile.program @shared_memory(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %S: !tile.buf<q, k : f32>, %n: index) target #gpu {
  // expected-error@below {{'tile.grid' op needs 249856 bytes of shared memory, but sm_80 has 166912; choose smaller tiles with --schedule (q, k or warps)}}
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %0 = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:128, d:240, f32>
    %1 = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:128, d:240, f32>
    %2 = tile.dot (%0, %1) sum(d) : (!tile.tile<q:128, d:240, f32>, !tile.tile<k:128, d:240, f32>) -> !tile.tile<q:128, k:128, f32>
    tile.store %2, %S[%c0, %c0] : !tile.tile<q:128, k:128, f32>, !tile.buf<q, k : f32>
  }
}

// -----

#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 16, stages = 1, fast_exp = true>
tile.program @huge(%K: !tile.buf<k, d : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    // expected-error@below {{'tile.load' op has the tile '!tile.tile<k:4096, d:4096, f32>', which does not fit the 166912 bytes of shared memory of sm_80}}
    %0 = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:4096, d:4096, f32>
  }
}

// -----

#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 16, stages = 1, fast_exp = true>
tile.program @integers(%K: !tile.buf<k, d : i8>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    // expected-error@below {{'tile.load' op converts elements 'i8' to 'f32', which loads of GPUs do not}}
    %0 = tile.load %K[%c0, %c0] : !tile.buf<k, d : i8> -> !tile.tile<k:16, d:16, f32>
  }
}
