// Attributes that are no targets, and targets that do not fit what holds them.
// RUN: attnc-opt %s --split-input-file --verify-diagnostics

// program_c2
// expected-error@below {{expected the target of a backend, such as #tile.cpu<...>, got 1 : i64}}
tile.program @program_c2(%n: index) target 1 : i64 {
}

// -----

// program_c2, in the generic form
// expected-error@below {{Invalid attribute `target` in property conversion: "avx2"}}
"tile.program"() <{sym_name = "program_c2", target = "avx2"}> ({
^bb0(%n: index):
}) : () -> ()

// -----

tile.program @grid_c3(%n: index) target #tile.none {
  // expected-error@below {{expected the target of a backend, such as #tile.cpu<...>, got "avx2"}}
  tile.grid (%i) to (%n) target "avx2" {
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @grid_c3_backend(%n: index) target #cpu {
  // expected-error@below {{'tile.grid' op has a target of backend 'none' in a program of backend 'llvm'}}
  tile.grid (%i) to (%n) target #tile.none {
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
#old = #tile.cpu<isa = sse2, mapping = rows, lanes = 4, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @cpu_c6(%n: index) target #cpu {
  // expected-error@below {{'tile.grid' op has isa = sse2 in a program for avx512}}
  tile.grid (%i) to (%n) target #old {
  }
}

// -----

// expected-error@below {{warps must be 1 to 32, got 0}}
func.func private @nvptx_c1() attributes {t = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 0, rows = 16, stages = 1, fast_exp = true>}

// -----

// expected-error@below {{rows must be a multiple of 16 up to 128 with mapping = fragment, got 24}}
func.func private @nvptx_c2() attributes {t = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 24, stages = 1, fast_exp = true>}

// -----

// expected-error@below {{rows must be 32 with mapping = thread, got 16}}
func.func private @nvptx_c2_thread() attributes {t = #tile.nvptx<arch = sm_80, mapping = thread, warps = 4, rows = 16, stages = 1, fast_exp = true>}

// -----

// expected-error@below {{warps must be a multiple of 4 up to 32 with mapping = warpgroup, got 6}}
func.func private @nvptx_c1_warpgroup() attributes {t = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 6, rows = 16, stages = 1, fast_exp = true>}

// -----

// expected-error@below {{rows must be 16 with mapping = warpgroup, got 32}}
func.func private @nvptx_c2_warpgroup() attributes {t = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 4, rows = 32, stages = 1, fast_exp = true>}

// -----

// expected-error@below {{mapping = warpgroup needs arch = sm_90a, got sm_80}}
func.func private @nvptx_c5() attributes {t = #tile.nvptx<arch = sm_80, mapping = warpgroup, warps = 4, rows = 16, stages = 1, fast_exp = true>}

// -----

// expected-error@below {{shared_rows needs mapping = fragment or warpgroup, got mapping = thread}}
func.func private @nvptx_c6() attributes {t = #tile.nvptx<arch = sm_80, mapping = thread, warps = 4, rows = 32, stages = 1, fast_exp = true, shared_rows = true>}

// -----

// expected-error@below {{overlap needs mapping = warpgroup, got mapping = fragment}}
func.func private @nvptx_c6_overlap() attributes {t = #tile.nvptx<arch = sm_90a, mapping = fragment, warps = 4, rows = 16, stages = 2, fast_exp = true, overlap = true>}

// -----

// expected-error@below {{overlap needs stages of 2 or more, got 1}}
func.func private @nvptx_c7() attributes {t = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 4, rows = 16, stages = 1, fast_exp = true, overlap = true>}

// -----

// expected-error@below {{producers needs mapping = warpgroup, got mapping = fragment}}
func.func private @nvptx_c8() attributes {t = #tile.nvptx<arch = sm_90a, mapping = fragment, warps = 4, rows = 16, stages = 2, fast_exp = true, producers = true>}

// -----

// expected-error@below {{producers needs stages of 2 or more and at most 28 warps besides them, got stages = 1 and warps = 4}}
func.func private @nvptx_c8_stages() attributes {t = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 4, rows = 16, stages = 1, fast_exp = true, producers = true>}

// -----

// expected-error@below {{producers needs stages of 2 or more and at most 28 warps besides them, got stages = 2 and warps = 32}}
func.func private @nvptx_c8_warps() attributes {t = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 32, rows = 16, stages = 2, fast_exp = true, producers = true>}

// -----

// expected-error@below {{ping_pong needs producers, overlap and at least 8 warps, got producers = false, overlap = true and warps = 8}}
func.func private @nvptx_c9() attributes {t = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 8, rows = 16, stages = 2, fast_exp = true, overlap = true, ping_pong = true>}

// -----

// expected-error@below {{ping_pong needs producers, overlap and at least 8 warps, got producers = true, overlap = true and warps = 4}}
func.func private @nvptx_c9_warps() attributes {t = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 4, rows = 16, stages = 2, fast_exp = true, overlap = true, producers = true, ping_pong = true>}

// -----

// expected-error@below {{loads = tma needs producers, got producers = false}}
func.func private @nvptx_c10() attributes {t = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 8, rows = 16, stages = 2, fast_exp = true, loads = tma>}

// -----

// expected-error@below {{tf32 needs mapping = fragment, got mapping = warpgroup}}
func.func private @nvptx_c11() attributes {t = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 8, rows = 16, stages = 2, fast_exp = true, tf32 = true>}

// -----

// expected-error@below {{stages must be 1 to 8, got 9}}
func.func private @nvptx_c3() attributes {t = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 16, stages = 9, fast_exp = true>}
