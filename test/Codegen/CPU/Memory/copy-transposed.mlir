// Grids that pack V for the matrix unit transpose blocks of 32 rows in
// registers, without scratch.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = auto, unit = matrix>

// Four rows are quarters of a register. Quarters of eight registers are
// transposed by interleaving 16, 32 and 64 bits, and each register is then a
// column. The next block is prefetched.
// CHECK-LABEL: func.func @whole.grid0.body(
// CHECK:         scf.for %[[C:.*]] = %c0 to %c64 step %c8
// CHECK-COUNT-4:   "llvm.intr.prefetch"
// CHECK-NOT:       arith.select
// CHECK-COUNT-2:   llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<8xi16>
// CHECK:           llvm.call_intrinsic "llvm.arithmetic.fence"
// CHECK-COUNT-2:   llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<8xi16>
// CHECK-COUNT-4:   vector.shuffle {{.*}} [0, 32, 1, 33, 2, 34, 3, 35, 8, 40, {{.*}}, 27, 59] : vector<32xi16>, vector<32xi16>
// CHECK-COUNT-4:   vector.shuffle {{.*}} [0, 1, 32, 33, 2, 3, 34, 35, 8, 9, {{.*}}, 58, 59] : vector<32xi16>, vector<32xi16>
// CHECK-COUNT-4:   vector.shuffle {{.*}} [0, 1, 2, 3, 32, 33, 34, 35, 8, 9, {{.*}}, 58, 59] : vector<32xi16>, vector<32xi16>
// CHECK-NOT:       vector.shuffle {{.*}} : vector<16xi32>
// CHECK-COUNT-8:   llvm.store {{.*}} : vector<32xi16>, !llvm.ptr
// CHECK-NEXT:    }
// CHECK-NEXT:  } else {
// Other strides.
// CHECK:         vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// CHECK:         return
tile.program @whole(%V: !tile.buf<q, e : bf16>, %W: !tile.buf<e, q : bf16>) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %v = tile.load %V[%c0, %c0] : !tile.buf<q, e : bf16> -> !tile.tile<q:32, e:64, bf16>
    tile.store %v, %W[%c0, %c0] : !tile.tile<q:32, e:64, bf16>, !tile.buf<e, q : bf16>
  }
}

// Where the tensor lacks rows, zeros are loaded instead.
// CHECK-LABEL: func.func @part.grid0.body(
// CHECK:         %[[WHOLE:.*]] = arith.cmpi sge, %[[ROWS:.*]], %c32
// CHECK:         scf.if %[[WHOLE]] {
// CHECK:         } else {
// CHECK:           llvm.store %{{.*}}, %[[ZEROS:.*]] {alignment = 2 : i64} : vector<8xi16>, !llvm.ptr
// CHECK:           scf.for
// CHECK-NOT:         "llvm.intr.prefetch"
// CHECK:             %[[FIRST:.*]] = arith.cmpi sgt, %[[ROWS]], %c0
// CHECK:             arith.select %[[FIRST]], %{{.*}}, %[[ZEROS]] : !llvm.ptr
// CHECK:             %[[LAST:.*]] = arith.cmpi sgt, %[[ROWS]], %c31
// CHECK:             arith.select %[[LAST]], %{{.*}}, %[[ZEROS]] : !llvm.ptr
// CHECK-COUNT-8:     llvm.store {{.*}} : vector<32xi16>, !llvm.ptr
// CHECK:         return
tile.program @part(%V: !tile.buf<q, e : bf16>, %W: !tile.buf<e, q : bf16>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %v = tile.load %V[%c0, %c0] valid(q = %n) : !tile.buf<q, e : bf16> -> !tile.tile<q:32, e:64, bf16>
    tile.store %v, %W[%c0, %c0] : !tile.tile<q:32, e:64, bf16>, !tile.buf<e, q : bf16>
  }
}

// Columns that do not fill a quarter go through scratch.
// CHECK-LABEL: func.func @columns.grid0.body(
// CHECK-NOT:     vector<8xi16>
// CHECK:         return
tile.program @columns(%V: !tile.buf<q, e : bf16>, %W: !tile.buf<e, q : bf16>) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %c20 = arith.constant 20 : index
    %v = tile.load %V[%c0, %c0] valid(e = %c20) : !tile.buf<q, e : bf16> -> !tile.tile<q:32, e:64, bf16>
    tile.store %v, %W[%c0, %c0] valid(e = %c20) : !tile.tile<q:32, e:64, bf16>, !tile.buf<e, q : bf16>
  }
}
