// A program's target is one of the level in attnc.target.
// RUN: attnc-opt %s --convert-tile-to-llvm --split-input-file --verify-diagnostics

module attributes {attnc.target = "x86-64-v4"} {
  tile.program @target_of_the_level(%n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 0, lane_skip = true, pack = auto> {
    tile.grid (%i) to (%n) {
    }
  }
}

// -----

module {
  tile.program @target_without_a_level(%n: index) target #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [30, 4], value_granule = [4, 4], unroll = 1, tail = 0, lane_skip = true, pack = auto> {
    tile.grid (%i) to (%n) {
    }
  }
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
  // expected-error@below {{'tile.program' op has isa = avx2, but attnc.target x86-64-v4 has avx512}}
  tile.program @other_instructions(%n: index) target #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 0, lane_skip = true, pack = auto> {
    tile.grid (%i) to (%n) {
    }
  }
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
  // expected-error@below {{'tile.program' op has lanes = 4, but x86-64-v4 has 16 of 32 bits and 8 of 64 bits}}
  tile.program @other_lanes(%n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 4, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 0, lane_skip = true, pack = auto> {
    tile.grid (%i) to (%n) {
    }
  }
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
  // expected-error@below {{'tile.program' op has score_granule = [7, 4], which needs 33 registers; x86-64-v4 has 32}}
  tile.program @score_granule(%n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [7, 4], value_granule = [4, 4], unroll = 1, tail = 0, lane_skip = true, pack = auto> {
    tile.grid (%i) to (%n) {
    }
  }
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
  // expected-error@below {{'tile.program' op has value_granule = [7, 4], which needs 33 registers; x86-64-v4 has 32}}
  tile.program @value_granule(%n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [7, 4], unroll = 1, tail = 0, lane_skip = true, pack = auto> {
    tile.grid (%i) to (%n) {
    }
  }
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
  tile.program @granule_of_a_grid(%n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 0, lane_skip = true, pack = auto> {
    // expected-error@below {{'tile.grid' op has value_granule = [30, 4], which needs 125 registers; x86-64-v4 has 32}}
    tile.grid (%i) to (%n) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [30, 4], unroll = 1, tail = 0, lane_skip = true, pack = auto> {
    }
  }
}

// -----

module attributes {attnc.target = "x86-64-v4"} {
  // expected-error@below {{'tile.program' op has unit = dot, but x86-64-v4 has no dot-product unit for bf16 or 8-bit integers}}
  tile.program @no_dot_product_unit(%n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 0, lane_skip = true, pack = auto, unit = dot> {
    tile.grid (%i) to (%n) {
    }
  }
}

// -----

module attributes {attnc.target = "zen4"} {
  // expected-error@below {{'tile.program' op has unit = matrix, but zen4 has no matrix unit for bf16 or 8-bit integers}}
  tile.program @no_matrix_unit(%n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 0, lane_skip = true, pack = auto, unit = matrix> {
    tile.grid (%i) to (%n) {
    }
  }
}
