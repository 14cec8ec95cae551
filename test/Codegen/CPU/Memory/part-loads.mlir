// Copies of bf16 for the matrix unit, of which the last lanes or columns are
// loaded in part.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = auto, unit = matrix>

// Of a row with fewer features than lanes the lanes are loaded in part.
// CHECK-LABEL: func.func @keys.grid0.body(
// CHECK-NOT:     f32
// CHECK:         scf.if
// CHECK:         } else {
// CHECK:           scf.if
// CHECK-COUNT-4:     llvm.intr.masked.load {{.*}} : (!llvm.ptr, vector<16xi1>, vector<16xi16>) -> vector<16xi16>
// CHECK:           } else {
// CHECK:         return
tile.program @keys(%K: !tile.buf<k, q : bf16>, %W: !tile.buf<k, q : bf16>, %n: index, %m: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %k = tile.load %K[%c0, %c0] valid(q = %n, k = %m) : !tile.buf<k, q : bf16> -> !tile.tile<q:32, k:64, bf16>
    tile.store %k, %W[%c0, %c0] valid(k = %m) : !tile.tile<q:32, k:64, bf16>, !tile.buf<k, q : bf16>
  }
}

// The last features of values that do not fill a square are loaded in part. Both
// ends of what a later block of keys has there are prefetched.
// CHECK-LABEL: func.func @values.grid0.body(
// CHECK-NOT:     f32
// CHECK:         scf.for
// CHECK-COUNT-2:   "llvm.intr.prefetch"
// CHECK:           llvm.load {{.*}} : !llvm.ptr -> vector<16xi32>
// CHECK:         scf.if
// CHECK-COUNT-16:  llvm.intr.masked.load {{.*}} : (!llvm.ptr, vector<32xi1>, vector<32xi16>) -> vector<32xi16>
// CHECK:         return
tile.program @values(%V: !tile.buf<q, e : bf16>, %W: !tile.buf<e, q : bf16>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %v = tile.load %V[%c0, %c0] valid(e = %n) : !tile.buf<q, e : bf16> -> !tile.tile<q:16, e:64, bf16>
    tile.store %v, %W[%c0, %c0] valid(e = %n) : !tile.tile<q:16, e:64, bf16>, !tile.buf<e, q : bf16>
  }
}
