// Tiles of pairs of bf16 are stored without f32 in between.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = auto, unit = matrix>
#dot = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 1, tail = 0, lane_skip = false, pack = auto, unit = dot>

// A transposed copy: squares of 32-bit pairs are transposed, and the halves of
// two vectors are a column of 32 rows.
// CHECK-LABEL: func.func @transposed.grid0.body(
// CHECK-NOT:     f32
// CHECK-COUNT-4: vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// CHECK:         vector.shuffle {{.*}} [0, 2, 4, 6, 8, {{.*}}, 60, 62] : vector<32xi16>, vector<32xi16>
// CHECK:         llvm.store {{.*}} : vector<32xi16>, !llvm.ptr
// CHECK:         vector.shuffle {{.*}} [1, 3, 5, 7, 9, {{.*}}, 61, 63] : vector<32xi16>, vector<32xi16>
// CHECK:         return
tile.program @transposed(%V: !tile.buf<q, e : bf16>, %W: !tile.buf<e, q : bf16>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %v = tile.load %V[%c0, %c0] valid(q = %n) : !tile.buf<q, e : bf16> -> !tile.tile<q:32, e:32, bf16>
    tile.store %v, %W[%c0, %c0] : !tile.tile<q:32, e:32, bf16>, !tile.buf<e, q : bf16>
  }
}

// A result is rounded to pairs of columns, and 32 columns of a row are stored at
// once; what is left of 40 are parts of vectors.
// CHECK-LABEL: func.func @rounded.grid0.body(
// CHECK:         llvm.x86.tdpbf16ps
// CHECK:         llvm.x86.avx512bf16.cvtne2ps2bf16.512
// CHECK:         vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// CHECK:         llvm.store {{.*}} : vector<16xi32>, !llvm.ptr
// CHECK:         llvm.store {{.*}} : vector<4xi32>, !llvm.ptr
// CHECK:         return
tile.program @rounded(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %O: !tile.buf<q, k : bf16>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:32, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:40, d:32, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:32, bf16>, !tile.tile<k:40, d:32, bf16>) -> !tile.tile<q:16, k:40, f32>
    %o = tile.map(%s) : (!tile.tile<q:16, k:40, f32>) -> !tile.tile<q:16, k:40, bf16> {
    ^bb0(%x: f32):
      %half = arith.constant 0.5 : f32
      %y = arith.mulf %x, %half : f32
      %r = arith.truncf %y : f32 to bf16
      tile.yield %r : bf16
    }
    tile.store %o, %O[%c0, %c0] valid(q = %n) : !tile.tile<q:16, k:40, bf16>, !tile.buf<q, k : bf16>
  }
}

// The same for a product of the dot-product unit.
// CHECK-LABEL: func.func @rounded_dot.grid0.body(
// CHECK:         llvm.x86.avx512bf16.dpbf16ps.512
// CHECK:         llvm.x86.avx512bf16.cvtne2ps2bf16.512
// CHECK:         vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// CHECK:         llvm.store {{.*}} : vector<16xi32>, !llvm.ptr
// CHECK-NOT:     vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK:         return
tile.program @rounded_dot(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %O: !tile.buf<q, k : bf16>, %n: index) target #dot {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:32, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:32, d:32, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:32, bf16>, !tile.tile<k:32, d:32, bf16>) -> !tile.tile<q:16, k:32, f32>
    %o = tile.map(%s) : (!tile.tile<q:16, k:32, f32>) -> !tile.tile<q:16, k:32, bf16> {
    ^bb0(%x: f32):
      %half = arith.constant 0.5 : f32
      %y = arith.mulf %x, %half : f32
      %r = arith.truncf %y : f32 to bf16
      tile.yield %r : bf16
    }
    tile.store %o, %O[%c0, %c0] valid(q = %n) : !tile.tile<q:16, k:32, bf16>, !tile.buf<q, k : bf16>
  }
}
