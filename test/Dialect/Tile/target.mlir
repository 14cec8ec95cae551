// Which targets programs and grids accept.
// RUN: attnc-opt %s | attnc-opt | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
#double = #tile.cpu<isa = avx512, mapping = rows, lanes = 8, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 16, stages = 1, fast_exp = true>
#threads = #tile.nvptx<arch = sm_80, mapping = thread, warps = 8, rows = 32, stages = 1, fast_exp = false>

#warpgroup = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 8, rows = 16, stages = 2, fast_exp = true, shared_rows = true>

#rows = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 16, stages = 2, fast_exp = true, shared_rows = true, tf32 = true>

#producers = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 8, rows = 16, stages = 2, fast_exp = true, overlap = true, producers = true, ping_pong = true>

#tma = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 8, rows = 16, stages = 2, fast_exp = true, producers = true, loads = tma>

#few = #tile.cpu<isa = avx512, mapping = features, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never, feature_rows = 4>

// CHECK: tile.program @few({{.*}}) target #tile.cpu<isa = avx512, mapping = features, {{.*}}feature_rows = 4>
tile.program @few(%n: index) target #few {
}

#terms = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = both, unit = matrix, bf16_terms = 2>

// CHECK: tile.program @terms({{.*}}) target #tile.cpu<isa = avx512, {{.*}}unit = matrix, bf16_terms = 2>
tile.program @terms(%n: index) target #terms {
}

// CHECK: tile.program @not_compiled({{.*}}) target #tile.none
tile.program @not_compiled(%n: index) target #tile.none {
  // CHECK: tile.grid ({{.*}}) to ({{.*}}) target #tile.none
  tile.grid (%i) to (%n) target #tile.none {
  }
}

// CHECK: tile.program @other_lanes({{.*}}) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16
tile.program @other_lanes(%n: index) target #cpu {
  // CHECK: tile.grid ({{.*}}) to ({{.*}}) target #tile.cpu<isa = avx512, mapping = rows, lanes = 8
  tile.grid (%i) to (%n) target #double {
  }
}

// CHECK: tile.program @warpgroup({{.*}}) target #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 8, rows = 16, stages = 2, fast_exp = true, shared_rows = true>
tile.program @warpgroup(%n: index) target #warpgroup {
}

// CHECK: tile.program @shared_rows({{.*}}) target #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 16, stages = 2, fast_exp = true, shared_rows = true, tf32 = true>
tile.program @shared_rows(%n: index) target #rows {
}

// CHECK: tile.program @producers({{.*}}) target #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 8, rows = 16, stages = 2, fast_exp = true, overlap = true, producers = true, ping_pong = true>
tile.program @producers(%n: index) target #producers {
}

// CHECK: tile.program @tma({{.*}}) target #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 8, rows = 16, stages = 2, fast_exp = true, producers = true, loads = tma>
tile.program @tma(%n: index) target #tma {
}

// CHECK: tile.program @other_mapping({{.*}}) target #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 16, stages = 1, fast_exp = true>
tile.program @other_mapping(%n: index) target #gpu {
  // CHECK: tile.grid ({{.*}}) to ({{.*}}) target #tile.nvptx<arch = sm_80, mapping = thread, warps = 8, rows = 32, stages = 1, fast_exp = false>
  tile.grid (%i) to (%n) target #threads {
  }
}
