// One function per numbered constraint of TileOps.td, TileTypes.td and
// TileAttrs.td.
// RUN: attnc-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{a tile has at least one dim, such as q:64}}
func.func private @tile_c1(!tile.tile<f32>)

// -----

// expected-error@below {{dim 'q' occurs twice}}
func.func private @tile_c1_repeated(!tile.tile<q:4, q:4, f32>)

// -----

// expected-error@below {{dim 'q' must have a size of at least 1, got 0}}
func.func private @tile_c2(!tile.tile<q:0, f32>)

// -----

// expected-error@below {{a tile has at most 16777216 elements; this one has more}}
func.func private @tile_c2_too_large(!tile.tile<q:4096, k:4097, f32>)

// -----

// expected-error@below {{elements of a tile are f32, f64, f16, bf16, i1 or index, got 'i32'}}
func.func private @tile_c3(!tile.tile<q:4, i32>)

// -----

// expected-error@below {{axis 'b' occurs twice}}
func.func private @buf_c1(!tile.buf<b, b : f32>)

// -----

// expected-error@below {{elements of a buffer are f64, f32, f16, bf16, i64, i32, i8, ui8 or i1, got 'index'}}
func.func private @buf_c2(!tile.buf<b : index>)

// -----

// expected-error@below {{lanes must be a power of two from 1 to 64, got 12}}
func.func private @cpu_c1() attributes {t = #tile.cpu<isa = avx2, mapping = rows, lanes = 12, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = true, pack = auto>}

// -----

// expected-error@below {{value_granule must have two entries of 1 to 32, [rows, vectors of queries]}}
func.func private @cpu_c2() attributes {t = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [4, 4], value_granule = [4], unroll = 4, tail = 0, lane_skip = true, pack = auto>}

// -----

// expected-error@below {{unroll must be 1 to 64, got 0}}
func.func private @cpu_c3() attributes {t = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [4, 4], value_granule = [4, 4], unroll = 0, tail = 0, lane_skip = true, pack = auto>}

// -----

// expected-error@below {{tail must be 0 or a multiple of lanes (8), got 12}}
func.func private @cpu_c4() attributes {t = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 12, lane_skip = true, pack = auto>}

// -----

// expected-error@below {{partial must be at least 1, got 0}}
func.func private @cpu_c5() attributes {t = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = true, pack = auto, partial = 0>}

// -----

// expected-error@below {{feature_rows must be a power of two from 1 to 8 with mapping = features, got 3}}
func.func private @cpu_c7() attributes {t = #tile.cpu<isa = avx512, mapping = features, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 4, tail = 0, lane_skip = true, pack = auto, feature_rows = 3>}

// -----

// expected-error@below {{unit = dot requires isa = avx512 or avx2, got sse2}}
func.func private @cpu_c8() attributes {t = #tile.cpu<isa = sse2, mapping = rows, lanes = 4, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = true, pack = auto, unit = dot>}

// -----

// expected-error@below {{unit = matrix requires isa = avx512, got avx2}}
func.func private @cpu_c8_matrix() attributes {t = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = true, pack = auto, unit = matrix>}

// -----

// expected-error@below {{unit = matrix requires lanes = 16, got 8}}
func.func private @cpu_c9() attributes {t = #tile.cpu<isa = avx512, mapping = rows, lanes = 8, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = true, pack = auto, unit = matrix>}

// -----

// expected-error@below {{bf16_terms must be 1, or 2 with unit = matrix, got 2}}
func.func private @cpu_c10() attributes {t = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = true, pack = both, unit = dot, bf16_terms = 2>}

// -----

// expected-error@below {{bf16_terms must be 1, or 2 with unit = matrix, got 3}}
func.func private @cpu_c10_most() attributes {t = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = true, pack = both, unit = matrix, bf16_terms = 3>}

// -----

// expected-error@below {{feature_rows must be 0 unless mapping = features, got 1}}
func.func private @cpu_c7_rows() attributes {t = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = true, pack = auto, feature_rows = 1>}

// -----

// expected-error@below {{'tile.program' op argument 1 is '!tile.buf<b : f32>'; buffers come first, then indices}}
tile.program @program_c1(%n: index, %x: !tile.buf<b : f32>) target #tile.none {
}

// -----

func.func @grid_c1(%n: index) {
  // expected-error@below {{'tile.grid' op has 2 extents for index arguments ('index')}}
  tile.grid (%b) to (%n, %n) {
  }
  return
}

// -----

func.func @grid_c2(%n: index) {
  // expected-error@below {{'tile.grid' op order names axis 1 of 1}}
  tile.grid (%b) to (%n) order(desc 1) {
  }
  return
}

// -----

func.func @for_c1(%n: index) {
  // expected-error@below {{a segment has 4 bounds (any_lo, all_lo, all_hi, any_hi), got 2}}
  tile.for (%k0, %nk, %p) in [(%n, %n)] step 8 partial_step 4 {
    tile.yield
  }
  return
}

// -----

func.func @for_c2(%n: index) {
  // expected-error@below {{'tile.for' op expected step >= partial_step >= 1, got step 8 and partial_step 16}}
  tile.for (%k0, %nk, %p) in [(%n, %n, %n, %n)] step 8 partial_step 16 {
    tile.yield
  }
  return
}

// -----

func.func @for_c3(%n: index) {
  // expected-error@below {{a loop declares (%start, %count, %partial), got 2 names}}
  tile.for (%k0, %nk) in [(%n, %n, %n, %n)] step 8 partial_step 8 {
    tile.yield
  }
  return
}

// -----

func.func @for_c4(%n: index) {
  // expected-error@below {{'tile.for' op 0-th region iter_arg and 0-th yielded value have different type: 'index' != 'i1'}}
  %0 = tile.for (%k0, %nk, %p) in [(%n, %n, %n, %n)] step 8 partial_step 8 iter(%s = %n) -> (index) {
    tile.yield %p : i1
  }
  return
}

// -----

func.func @phase_c1() {
  // expected-error@below {{'tile.phase' op needs a name}}
  tile.phase "" {
    tile.yield
  }
  return
}

// -----

func.func @phase_c2(%n: index) {
  // expected-error@below {{'tile.phase' op yields (), expected ('index')}}
  %0 = tile.phase "score" -> (index) {
    tile.yield
  }
  return
}

// -----

func.func @load_c1(%x: !tile.buf<b, q : f32>, %i: index) {
  // expected-error@below {{'tile.load' op has 1 indices for a buffer of 2 axes}}
  %0 = tile.load %x[%i] : !tile.buf<b, q : f32> -> !tile.tile<q:4, f32>
  return
}

// -----

func.func @load_c2(%x: !tile.buf<b, q : f32>, %i: index) {
  // expected-error@below {{'tile.load' op tile has dim 'k', which is no axis of '!tile.buf<b, q : f32>'}}
  %0 = tile.load %x[%i, %i] : !tile.buf<b, q : f32> -> !tile.tile<k:4, f32>
  return
}

// -----

func.func @load_c3(%x: !tile.buf<b, q : bf16>, %i: index) {
  // expected-error@below {{'tile.load' op tile has elements 'f32', the buffer 'bf16'; convert with tile.map}}
  %0 = tile.load %x[%i, %i] : !tile.buf<b, q : bf16> -> !tile.tile<q:4, f32>
  return
}

// -----

func.func @load_c4(%x: !tile.buf<b, q : f32>, %i: index) {
  // expected-error@below {{'tile.load' op valid names dim 'b', which '!tile.tile<q:4, f32>' has not}}
  %0 = tile.load %x[%i, %i] valid(b = %i) : !tile.buf<b, q : f32> -> !tile.tile<q:4, f32>
  return
}

// -----

func.func @store_c1(%x: !tile.buf<b, q : f32>, %t: !tile.tile<q:4, f32>, %i: index) {
  // expected-error@below {{'tile.store' op has 3 indices for a buffer of 2 axes}}
  tile.store %t, %x[%i, %i, %i] : !tile.tile<q:4, f32>, !tile.buf<b, q : f32>
  return
}

// -----

func.func @load_c3_integers(%x: !tile.buf<b, k, d : i32>, %i: index) {
  // expected-error@below {{'tile.load' op tile has elements 'f32', the buffer 'i32'; convert with tile.map}}
  %0 = tile.load %x[%i, %i, %i] : !tile.buf<b, k, d : i32> -> !tile.tile<k:4, d:4, f32>
  return
}

// -----

func.func @load_c3_single(%x: !tile.buf<b, q, d : i8>, %i: index) {
  // expected-error@below {{'tile.load' op tile has elements 'f32', the buffer 'i8'; convert with tile.map}}
  %0 = tile.load %x[%i, %i, %i] : !tile.buf<b, q, d : i8> -> !tile.tile<q:4, f32>
  return
}

// -----

func.func @store_c2(%x: !tile.buf<b, k : f32>, %t: !tile.tile<q:4, f32>, %i: index) {
  // expected-error@below {{'tile.store' op tile has dim 'q', which is no axis of '!tile.buf<b, k : f32>'}}
  tile.store %t, %x[%i, %i] : !tile.tile<q:4, f32>, !tile.buf<b, k : f32>
  return
}

// -----

func.func @store_c3(%x: !tile.buf<b, q : f16>, %t: !tile.tile<q:4, f32>, %i: index) {
  // expected-error@below {{'tile.store' op tile has elements 'f32', the buffer 'f16'; convert with tile.map}}
  tile.store %t, %x[%i, %i] : !tile.tile<q:4, f32>, !tile.buf<b, q : f16>
  return
}

// -----

func.func @store_c4(%x: !tile.buf<b, q : f32>, %t: !tile.tile<q:4, f32>, %i: index) {
  // expected-error@below {{'tile.store' op valid names dim 'q' twice}}
  tile.store %t, %x[%i, %i] valid(q = %i, q = %i) : !tile.tile<q:4, f32>, !tile.buf<b, q : f32>
  return
}

// -----

func.func @read_c1(%x: !tile.buf<a0, a1 : f32>, %i: index) {
  // expected-error@below {{'tile.read' op has 1 indices for a buffer of 2 axes}}
  %0 = tile.read %x[%i] : !tile.buf<a0, a1 : f32> -> f32
  return
}

// -----

func.func @read_c2(%x: !tile.buf<a0 : i32>, %i: index) {
  // expected-error@below {{'tile.read' op yields 'f32' for elements 'i32'; integers are read as index, truth values as i1, floats as f32 or f64}}
  %0 = tile.read %x[%i] : !tile.buf<a0 : i32> -> f32
  return
}

// -----

func.func @splat_c1() {
  // expected-error@below {{'tile.splat' op constant 5.000000e-01 : f64 is no value of type 'index'}}
  %0 = tile.splat 0.5 : !tile.tile<q:4, index>
  return
}

// -----

func.func @dot_c1(%a: !tile.tile<q:4, d:8, f32>, %b: !tile.tile<k:4, d:4, f32>) {
  // expected-error@below {{'tile.dot' op sums over 'd', which must be a dim of both operands with one size and not of the result}}
  %0 = tile.dot (%a, %b) sum(d) : (!tile.tile<q:4, d:8, f32>, !tile.tile<k:4, d:4, f32>) -> !tile.tile<q:4, k:4, f32>
  return
}

// -----

func.func @dot_c2(%a: !tile.tile<q:4, d:8, f32>, %b: !tile.tile<k:4, d:8, f32>) {
  // expected-error@below {{'tile.dot' op result '!tile.tile<q:4, f32>' lacks dim k:4 of '!tile.tile<k:4, d:8, f32>'}}
  %0 = tile.dot (%a, %b) sum(d) : (!tile.tile<q:4, d:8, f32>, !tile.tile<k:4, d:8, f32>) -> !tile.tile<q:4, f32>
  return
}

// -----

func.func @dot_c2_too_many(%a: !tile.tile<q:4, d:8, f32>, %b: !tile.tile<k:4, d:8, f32>) {
  // expected-error@below {{'tile.dot' op result '!tile.tile<q:4, k:4, e:2, f32>' has a dim that no operand has}}
  %0 = tile.dot (%a, %b) sum(d) : (!tile.tile<q:4, d:8, f32>, !tile.tile<k:4, d:8, f32>) -> !tile.tile<q:4, k:4, e:2, f32>
  return
}

// -----

func.func @dot_c3(%a: !tile.tile<q:4, d:8, bf16>, %b: !tile.tile<k:4, d:8, f64>) {
  // expected-error@below {{'tile.dot' op cannot sum products of 'f64' in 'f32'}}
  %0 = tile.dot (%a, %b) sum(d) : (!tile.tile<q:4, d:8, bf16>, !tile.tile<k:4, d:8, f64>) -> !tile.tile<q:4, k:4, f32>
  return
}

// -----

func.func @dot_c3_integers(%a: !tile.tile<q:4, d:8, f32>, %b: !tile.tile<k:4, d:8, i1>) {
  // expected-error@below {{'tile.dot' op cannot sum products of 'i1' in 'f32'}}
  %0 = tile.dot (%a, %b) sum(d) : (!tile.tile<q:4, d:8, f32>, !tile.tile<k:4, d:8, i1>) -> !tile.tile<q:4, k:4, f32>
  return
}

// -----

func.func @dot_c3_accumulates(%a: !tile.tile<q:4, d:8, bf16>, %b: !tile.tile<k:4, d:8, bf16>) {
  // expected-error@below {{'tile.dot' op accumulates in 'bf16', expected f32 or f64}}
  %0 = tile.dot (%a, %b) sum(d) : (!tile.tile<q:4, d:8, bf16>, !tile.tile<k:4, d:8, bf16>) -> !tile.tile<q:4, k:4, bf16>
  return
}

// -----

func.func @dot_c5(%a: !tile.tile<q:4, d:8, f32>, %b: !tile.tile<k:4, d:8, f32>, %m: !tile.tile<e:4, i1>) {
  // expected-error@below {{'tile.dot' op mask has dim 'e', which '!tile.tile<q:4, k:4, d:8, i1>' has not}}
  %0 = tile.dot (%a, %b) sum(d) where(%m : !tile.tile<e:4, i1>) : (!tile.tile<q:4, d:8, f32>, !tile.tile<k:4, d:8, f32>) -> !tile.tile<q:4, k:4, f32>
  return
}

// -----

func.func @dot_c6(%a: !tile.tile<q:4, d:8, f32>, %b: !tile.tile<k:4, d:8, f32>) {
  // expected-error@below {{'tile.dot' op region has arguments ('f32'), expected ('f32', 'f32'): one per operand's element, then an index per 'at' dim}}
  %0 = tile.dot (%a, %b) sum(d) : (!tile.tile<q:4, d:8, f32>, !tile.tile<k:4, d:8, f32>) -> !tile.tile<q:4, k:4, f32> term {
  ^bb0(%x: f32):
    tile.yield %x : f32
  }
  return
}

// -----

func.func @dot_c6_place(%a: !tile.tile<q:4, d:8, f32>, %b: !tile.tile<k:4, d:8, f32>, %c: index) {
  // expected-error@below {{'tile.dot' op at names dim 'e', which '!tile.tile<q:4, k:4, d:8, f32>' has not}}
  %0 = tile.dot (%a, %b) sum(d) at(e = %c) : (!tile.tile<q:4, d:8, f32>, !tile.tile<k:4, d:8, f32>) -> !tile.tile<q:4, k:4, f32> term {
  ^bb0(%x: f32, %y: f32, %e: index):
    tile.yield %x : f32
  }
  return
}

// -----

func.func @dot_c6_and(%a: !tile.tile<q:4, d:8, f32>, %b: !tile.tile<k:4, d:8, f32>) {
  // expected-error@below {{'tile.dot' op has 'at' or 'and' without a term}}
  %0 = tile.dot (%a, %b) and(%a : !tile.tile<q:4, d:8, f32>) sum(d) : (!tile.tile<q:4, d:8, f32>, !tile.tile<k:4, d:8, f32>) -> !tile.tile<q:4, k:4, f32>
  return
}

// -----

func.func @dot_c7(%a: !tile.tile<q:4, d:8, f32>, %b: !tile.tile<k:4, d:8, f32>, %c: !tile.tile<k:4, f32>) {
  // expected-error@below {{'tile.dot' op takes elements of '!tile.tile<k:4, f32>', which has the dims of no operand}}
  %0 = tile.dot (%a, %b) and(%c : !tile.tile<k:4, f32>) sum(d) : (!tile.tile<q:4, d:8, f32>, !tile.tile<k:4, d:8, f32>) -> !tile.tile<q:4, k:4, f32> term {
  ^bb0(%x: f32, %y: f32, %z: f32):
    tile.yield %z : f32
  }
  return
}

// -----

func.func @dot_c6_at(%a: !tile.tile<q:4, d:8, f32>, %b: !tile.tile<k:4, d:8, f32>, %c: index) {
  // expected-error@below {{'tile.dot' op has 'at' or 'and' without a term}}
  %0 = tile.dot (%a, %b) sum(d) at(d = %c) : (!tile.tile<q:4, d:8, f32>, !tile.tile<k:4, d:8, f32>) -> !tile.tile<q:4, k:4, f32>
  return
}

// -----

func.func @map_c1(%a: !tile.tile<q:4, f32>) {
  // expected-error@below {{'tile.map' op operand has q:4, expected q:8}}
  %0 = tile.map (%a) : (!tile.tile<q:4, f32>) -> !tile.tile<q:8, f32> {
  ^bb0(%x: f32):
    tile.yield %x : f32
  }
  return
}

// -----

func.func @map_c2(%a: !tile.tile<q:4, f32>, %i: index) {
  // expected-error@below {{'tile.map' op at names dim 'k', which '!tile.tile<q:4, f32>' has not}}
  %0 = tile.map (%a) at(k = %i) : (!tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
  ^bb0(%x: f32, %k: index):
    tile.yield %x : f32
  }
  return
}

// -----

func.func @map_c3(%a: !tile.tile<q:4, f32>, %i: index) {
  // expected-error@below {{'tile.map' op region has arguments ('f32'), expected ('f32', 'index'): one per operand's element, then an index per 'at' dim}}
  %0 = tile.map (%a) at(q = %i) : (!tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
  ^bb0(%x: f32):
    tile.yield %x : f32
  }
  return
}

// -----

func.func @map_c4(%a: !tile.tile<q:4, f32>) {
  // expected-error@below {{'tile.map' op region must yield one 'i1', got ('f32')}}
  %0 = tile.map (%a) : (!tile.tile<q:4, f32>) -> !tile.tile<q:4, i1> {
  ^bb0(%x: f32):
    tile.yield %x : f32
  }
  return
}

// -----

func.func @map_c5(%a: !tile.tile<q:4, f32>, %b: !tile.buf<q : f32>, %i: index) {
  // expected-error@below {{'tile.map' op has 'tile.present' in its region; only ops of arith and math and tile.read are scalar ops}}
  %0 = tile.map (%a) : (!tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
  ^bb0(%x: f32):
    // expected-note@below {{it stands here}}
    %p = tile.present %b : !tile.buf<q : f32>
    tile.yield %x : f32
  }
  return
}

// -----

func.func @select_masked_c1(%s: !tile.tile<k:4, f32>, %a: !tile.tile<q:4, i1>, %p: i1) {
  // expected-error@below {{'tile.select_masked' op operand has dim 'q', which '!tile.tile<k:4, f32>' has not}}
  %0 = tile.select_masked %s with(%a : !tile.tile<q:4, i1>) when %p fill 0.0 : !tile.tile<k:4, f32> {
  ^bb0(%c: i1):
    tile.yield %c : i1
  }
  return
}

// -----

func.func @select_masked_c2(%s: !tile.tile<k:4, f32>, %i: index, %p: i1) {
  // expected-error@below {{'tile.select_masked' op valid names dim 'q', which '!tile.tile<k:4, f32>' has not}}
  %0 = tile.select_masked %s valid(q = %i) when %p fill 0.0 : !tile.tile<k:4, f32> {
    tile.yield %p : i1
  }
  return
}

// -----

func.func @select_masked_c3(%s: !tile.tile<k:4, f32>, %i: index, %p: i1) {
  // expected-error@below {{'tile.select_masked' op region has arguments (), expected ('index'): one per operand's element, then an index per 'at' dim}}
  %0 = tile.select_masked %s at(k = %i) when %p fill 0.0 : !tile.tile<k:4, f32> {
    tile.yield %p : i1
  }
  return
}

// -----

func.func @select_masked_c4(%s: !tile.tile<k:4, f32>, %i: index, %p: i1) {
  // expected-error@below {{'tile.select_masked' op region must yield one 'i1', got ('index')}}
  %0 = tile.select_masked %s when %p fill 0.0 : !tile.tile<k:4, f32> {
    tile.yield %i : index
  }
  return
}

// -----

func.func @select_masked_c6(%s: !tile.tile<k:4, i1>, %p: i1) {
  // expected-error@below {{'tile.select_masked' op fill 2.000000e+00 : f64 is no value of type 'i1'}}
  %0 = tile.select_masked %s when %p fill 2.0 : !tile.tile<k:4, i1> {
    tile.yield %p : i1
  }
  return
}

// -----

func.func @reduce_c1(%s: !tile.tile<q:4, f32>, %m: !tile.tile<q:4, f32>) {
  // expected-error@below {{'tile.reduce' op combines over 'k', which '!tile.tile<q:4, f32>' has not}}
  %0 = tile.reduce max (%s) over(k) init(%m) : (!tile.tile<q:4, f32>) -> !tile.tile<q:4, f32>
  return
}

// -----

func.func @reduce_c2(%s: !tile.tile<q:4, k:4, f32>, %m: !tile.tile<q:4, f64>) {
  // expected-error@below {{'tile.reduce' op result must be a float tile with the dims of '!tile.tile<q:4, k:4, f32>' but 'k', got '!tile.tile<q:4, f64>'}}
  %0 = tile.reduce add (%s) over(k) init(%m) : (!tile.tile<q:4, k:4, f32>) -> !tile.tile<q:4, f64>
  return
}

// -----

func.func @reduce_kind(%s: !tile.tile<q:4, k:4, f32>, %m: !tile.tile<q:4, f32>) {
  // expected-error@below {{expected max or add, got 'min'}}
  %0 = tile.reduce min (%s) over(k) init(%m) : (!tile.tile<q:4, k:4, f32>) -> !tile.tile<q:4, f32>
  return
}

// -----

func.func @rescale_c1(%o: !tile.tile<q:4, f32>, %a: !tile.tile<k:4, f32>) {
  // expected-error@below {{'tile.rescale' op factor has dim 'k', which '!tile.tile<q:4, f32>' has not}}
  %0 = tile.rescale %o by %a : !tile.tile<q:4, f32>, !tile.tile<k:4, f32>
  return
}

// -----

func.func @rescale_c2(%o: !tile.tile<q:4, f32>, %a: !tile.tile<q:4, f64>) {
  // expected-error@below {{'tile.rescale' op value and factor must have one float type, got '!tile.tile<q:4, f32>' and '!tile.tile<q:4, f64>'}}
  %0 = tile.rescale %o by %a : !tile.tile<q:4, f32>, !tile.tile<q:4, f64>
  return
}

// -----

func.func @skew_c1(%r: !tile.tile<r:7, f32>) {
  // expected-error@below {{'tile.skew' op result must have the dims 'q' and 'd', got '!tile.tile<q:4, k:4, f32>'}}
  %0 = tile.skew %r plus(q) minus(d) : !tile.tile<r:7, f32> -> !tile.tile<q:4, k:4, f32>
  return
}

// -----

func.func @skew_c2(%r: !tile.tile<r:8, f32>) {
  // expected-error@below {{'tile.skew' op expected a value with one other dim of 7 places, one per diagonal, got '!tile.tile<r:8, f32>'}}
  %0 = tile.skew %r plus(q) minus(k) : !tile.tile<r:8, f32> -> !tile.tile<q:4, k:4, f32>
  return
}

// -----

func.func @skew_c3(%r: !tile.tile<r:7, f32>) {
  // expected-error@below {{'tile.skew' op value and result must have one element type, got '!tile.tile<r:7, f32>' and '!tile.tile<q:4, k:4, f64>'}}
  %0 = tile.skew %r plus(q) minus(k) : !tile.tile<r:7, f32> -> !tile.tile<q:4, k:4, f64>
  return
}

// -----

func.func @any_nan_c1(%o: !tile.tile<q:4, i1>) {
  // expected-error@below {{'tile.any_nan' op looks for NaN in elements 'i1'}}
  %0 = tile.any_nan %o : !tile.tile<q:4, i1>
  return
}

// -----

func.func @any_nan_c2(%o: !tile.tile<q:4, f32>, %n: index) {
  // expected-error@below {{'tile.any_nan' op valid names dim 'k', which '!tile.tile<q:4, f32>' has not}}
  %0 = tile.any_nan %o valid(k = %n) : !tile.tile<q:4, f32>
  return
}

// -----

// A tile from outside of a scalar region (map_c5, select_masked_c5): the
// generic form, since no scalar op takes a tile.
func.func @select_masked_c5(%s: !tile.tile<k:4, f32>, %p: i1) {
  // expected-error@below {{'tile.select_masked' op has 'tile.any_nan' in its region; only ops of arith and math and tile.read are scalar ops}}
  %0 = tile.select_masked %s when %p fill 0.0 : !tile.tile<k:4, f32> {
    // expected-note@below {{it stands here}}
    %1 = tile.any_nan %s : !tile.tile<k:4, f32>
    tile.yield %1 : i1
  }
  return
}

// -----

// Types that the assembly cannot express (dot_c4, reduce_c3): the generic form.
func.func @dot_c4(%a: !tile.tile<q:4, d:8, f32>, %b: !tile.tile<k:4, d:8, f32>, %c: !tile.tile<q:4, f32>) {
  // expected-error@below {{'tile.dot' op acc is '!tile.tile<q:4, f32>', expected '!tile.tile<q:4, k:4, f32>'}}
  %0 = "tile.dot"(%a, %b, %c) <{sum = "d", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, at_dims = []}> ({}) : (!tile.tile<q:4, d:8, f32>, !tile.tile<k:4, d:8, f32>, !tile.tile<q:4, f32>) -> !tile.tile<q:4, k:4, f32>
  return
}

// -----

func.func @reduce_c3(%s: !tile.tile<q:4, k:4, f32>, %m: !tile.tile<k:4, f32>) {
  // expected-error@below {{'tile.reduce' op init is '!tile.tile<k:4, f32>', expected '!tile.tile<q:4, f32>'}}
  %0 = "tile.reduce"(%s, %m) <{kind = #tile.reduce<max>, over = "k"}> : (!tile.tile<q:4, k:4, f32>, !tile.tile<k:4, f32>) -> !tile.tile<q:4, f32>
  return
}

// -----

func.func @yield_parent() {
  // expected-error@below {{'tile.yield' op expects parent op to be one of 'tile.dot, tile.for, tile.phase, tile.map, tile.select_masked'}}
  tile.yield
}

// -----

tile.program @workspace_c1(%n: index) target #tile.none {
  // expected-error@below {{has 1 sizes for 2 axes}}
  %w = tile.workspace [%n] : !tile.buf<q, d : f32>
}

// -----

func.func @workspace_c2(%n: index) {
  // expected-error@below {{expects parent op 'tile.program'}}
  %w = tile.workspace [%n] : !tile.buf<q : f32>
  return
}

// -----

tile.program @rename_c1(%x: !tile.buf<q, d : f32>) target #tile.none {
  // expected-error@below {{gives '!tile.buf<q, d : f32>' the names of '!tile.buf<q, d : f16>', which has other elements or axes}}
  %r = tile.rename %x : !tile.buf<q, d : f32> -> !tile.buf<q, d : f16>
}

// -----

tile.program @rename_c1_axes(%x: !tile.buf<q, d : f32>) target #tile.none {
  // expected-error@below {{gives '!tile.buf<q, d : f32>' the names of '!tile.buf<q : f32>', which has other elements or axes}}
  %r = tile.rename %x : !tile.buf<q, d : f32> -> !tile.buf<q : f32>
}

// -----

tile.program @rename_c2(%x: !tile.buf<q : f32>, %n: index) target #tile.none {
  tile.grid (%i) to (%n) {
    // expected-error@below {{expects parent op 'tile.program'}}
    %r = tile.rename %x : !tile.buf<q : f32> -> !tile.buf<k : f32>
  }
}

// -----

tile.program @rename_c3_axis(%x: !tile.buf<q, d : f32>) target #tile.none {
  // expected-error@below {{merges axes, which needs one or two axes of '!tile.buf<q, d : f32>', 2 to 2147483647 heads, and a buffer without merged axes}}
  %r = tile.rename %x merge("q", "h" by 4) : !tile.buf<q, d : f32> -> !tile.buf<q, d : f32>
}

// -----

tile.program @rename_c3_same(%x: !tile.buf<q, d : f32>) target #tile.none {
  // expected-error@below {{merges axes, which needs one or two axes of '!tile.buf<q, d : f32>', 2 to 2147483647 heads, and a buffer without merged axes}}
  %r = tile.rename %x merge("q", "q" by 4) : !tile.buf<q, d : f32> -> !tile.buf<q, d : f32>
}

// -----

tile.program @rename_c3_number(%x: !tile.buf<q, d : f32>) target #tile.none {
  // expected-error@below {{merges axes, which needs one or two axes of '!tile.buf<q, d : f32>', 2 to 2147483647 heads, and a buffer without merged axes}}
  %r = tile.rename %x merge("q", "d" by 1) : !tile.buf<q, d : f32> -> !tile.buf<q, d : f32>
}

// -----

tile.program @rename_c3_twice(%x: !tile.buf<q, d : f32>) target #tile.none {
  %r = tile.rename %x merge("q", "d" by 4) : !tile.buf<q, d : f32> -> !tile.buf<q, d : f32>
  // expected-error@below {{merges axes, which needs one or two axes of '!tile.buf<q, d : f32>', 2 to 2147483647 heads, and a buffer without merged axes}}
  %s = tile.rename %r merge("q", "d" by 4) : !tile.buf<q, d : f32> -> !tile.buf<q, d : f32>
}

// -----

tile.program @rename_c4(%x: !tile.buf<q, d : f32>, %n: index) target #tile.none {
  // expected-error@below {{has merged axes, which only tile.load, without a table of pages, tile.store and tile.rename can access}}
  %r = tile.rename %x merge("q", "d" by 4) : !tile.buf<q, d : f32> -> !tile.buf<q, d : f32>
  tile.grid (%i) to (%n) {
    %e = tile.read %r[%i, %i] : !tile.buf<q, d : f32> -> f32
  }
}

// -----

tile.program @rename_c4_twice(%x: !tile.buf<q, d : f32>, %n: index) target #tile.none {
  %r = tile.rename %x merge("q", "d" by 4) : !tile.buf<q, d : f32> -> !tile.buf<q, d : f32>
  // expected-error@below {{has merged axes, which only tile.load, without a table of pages, tile.store and tile.rename can access}}
  %s = tile.rename %r : !tile.buf<q, d : f32> -> !tile.buf<k, d : f32>
  tile.grid (%i) to (%n) {
    %e = tile.read %s[%i, %i] : !tile.buf<k, d : f32> -> f32
  }
}

// -----

func.func @table_min_c1(%x: !tile.buf<a0, a1 : i32>, %i: index) {
  // expected-error@below {{'tile.table_min' op has 1 first places for a buffer of 2 axes}}
  %0 = tile.table_min %x[%i] to [%i] : !tile.buf<a0, a1 : i32>
  return
}

// -----

func.func @table_max_c2(%x: !tile.buf<a0 : f32>, %i: index) {
  // expected-error@below {{'tile.table_max' op asks about elements 'f32'; only integers and truth values are ordered here}}
  %0 = tile.table_max %x[%i] to [%i] : !tile.buf<a0 : f32>
  return
}

// -----

func.func @lower_bound_c1(%x: !tile.buf<a0 : i32>, %i: index) {
  // expected-error@below {{'tile.lower_bound' op has 1 indices of a row for a buffer of 1 axes}}
  %0 = tile.lower_bound %x[%i], %i : !tile.buf<a0 : i32>
  return
}

// -----

func.func @for_c6(%n: index) {
  // expected-error@below {{'within' has two bounds per segment, and only a loop without 'classify' has it}}
  tile.for (%k0, %nk, %p) in [(%n, %n, %n, %n), (%n, %n, %n, %n)] within (%n, %n) step 8 partial_step 4 {
    tile.yield
  }
  return
}

// -----

func.func @for_c5_names(%n: index) {
  tile.for (%k0, %nk, %p) in [(%n, %n, %n, %n)] step 8 partial_step 8 {
    tile.yield
  // expected-error@below {{classify declares (%first, %end), got 1 names}}
  } classify (%a) {
    tile.yield %a : index
  }
  return
}

// -----

func.func @for_c5_yield(%n: index, %t: i1) {
  // expected-error@below {{'tile.for' op yields ('i1'), expected ('index')}}
  tile.for (%k0, %nk, %p) in [(%n, %n, %n, %n)] step 8 partial_step 8 {
    tile.yield
  } classify (%a, %b) {
    tile.yield %t : i1
  }
  return
}

// -----

func.func @load_c5(%K: !tile.buf<h, k, d : f32>, %t: !tile.buf<a0, a1 : i32>, %n: index) {
  // expected-error@below {{reads keys through a table of pages; that needs axes p and k of the buffer, a dim k of the tile, a step of at least 1, and a table of integers with one index less than axes}}
  %0 = tile.load %K[%n, %n, %n] through(%t[%n] step 16 : !tile.buf<a0, a1 : i32>) : !tile.buf<h, k, d : f32> -> !tile.tile<k:8, d:4, f32>
  return
}

// -----

func.func @load_c5_indices(%K: !tile.buf<p, k, d : f32>, %t: !tile.buf<a0, a1 : i32>, %n: index) {
  // expected-error@below {{reads keys through a table of pages}}
  %0 = tile.load %K[%n, %n, %n] through(%t[%n, %n] step 16 : !tile.buf<a0, a1 : i32>) : !tile.buf<p, k, d : f32> -> !tile.tile<k:8, d:4, f32>
  return
}

// -----

func.func @load_c5_step(%K: !tile.buf<p, k, d : f32>, %t: !tile.buf<a0, a1 : i32>, %n: index) {
  // expected-error@below {{reads keys through a table of pages}}
  %0 = tile.load %K[%n, %n, %n] through(%t[%n] step 0 : !tile.buf<a0, a1 : i32>) : !tile.buf<p, k, d : f32> -> !tile.tile<k:8, d:4, f32>
  return
}

// -----

func.func @locate_c1(%start: !tile.buf<a0 : f32>, %j: index) {
  // expected-error@below {{needs starts of i32 or i64 along one axis, got '!tile.buf<a0 : f32>'}}
  %b, %i = tile.locate %j in %start step 8 : !tile.buf<a0 : f32>
  return
}

// -----

func.func @locate_c2(%start: !tile.buf<a0 : i32>, %j: index) {
  // expected-error@below {{has the step 0, expected at least 1}}
  %b, %i = tile.locate %j in %start step 0 : !tile.buf<a0 : i32>
  return
}
