// Queries that are held as they are loaded are transposed in quarters of
// registers.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = never>
#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = auto, unit = matrix>

// 16 loads of four features, 12 of which are joined to registers, and two rounds
// of shuffles within quarters. Four stores are four columns, or none.
// CHECK-LABEL: func.func @whole.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %c20 step %c4
// CHECK-NOT:       arith.select
// CHECK-COUNT-16:  llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
// CHECK:           %[[A:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29] : vector<16xi32>, vector<16xi32>
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [2, 18, 3, 19, {{.*}}, 15, 31] : vector<16xi32>, vector<16xi32>
// CHECK:           %[[C:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 16, 1, 17, {{.*}}, 13, 29] : vector<16xi32>, vector<16xi32>
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [2, 18, 3, 19, {{.*}}, 15, 31] : vector<16xi32>, vector<16xi32>
// CHECK:           vector.shuffle %[[A]], %[[C]] [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29] : vector<16xi32>, vector<16xi32>
// CHECK-COUNT-3:   vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// CHECK-NOT:       vector.shuffle
// CHECK-COUNT-4:   llvm.store %{{.*}}, %{{.*}} {alignment = 64 : i64} : vector<16xf32>, !llvm.ptr
// CHECK:         }
// Other strides.
// CHECK:         else
// CHECK:         scf.for
// CHECK:         scf.for
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
tile.program @whole(%Q: !tile.buf<q, d : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:20, f32>
    %k = tile.rescale %q by %q : !tile.tile<q:16, d:20, f32>, !tile.tile<q:16, d:20, f32>
  }
}

// Rows that the tensor lacks are loaded from zeros.
// CHECK-LABEL: func.func @part.grid0.body(
// CHECK:         %[[WHOLE:.*]] = arith.cmpi sge, %[[ROWS:.*]], %c16
// CHECK:         scf.if %[[WHOLE]] {
// CHECK:         } else {
// CHECK:           llvm.store %{{.*}}, %[[ZEROS:.*]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr
// CHECK:           scf.for
// CHECK:             %[[SECOND:.*]] = arith.cmpi sgt, %[[ROWS]], %c1
// CHECK:             arith.select %[[SECOND]], %{{.*}}, %[[ZEROS]] : !llvm.ptr
// CHECK:             %[[LAST:.*]] = arith.cmpi sgt, %[[ROWS]], %c15
// CHECK:             arith.select %[[LAST]], %{{.*}}, %[[ZEROS]] : !llvm.ptr
// CHECK-COUNT-4:     llvm.store {{.*}} : vector<16xf32>, !llvm.ptr
tile.program @part(%Q: !tile.buf<q, d : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] valid(q = %n) : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:16, f32>
    %k = tile.rescale %q by %q : !tile.tile<q:16, d:16, f32>, !tile.tile<q:16, d:16, f32>
  }
}

// Pairs of bf16 are elements of 32 bits: 8 features fill a quarter.
// CHECK-LABEL: func.func @pairs.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %c40 step %c8
// CHECK-COUNT-16:  llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<4xi32>
// CHECK-COUNT-4:   llvm.store %{{.*}}, %{{.*}} {alignment = 64 : i64} : vector<16xi32>, !llvm.ptr
tile.program @pairs(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:40, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:16, d:40, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:40, bf16>, !tile.tile<k:16, d:40, bf16>) -> !tile.tile<q:16, k:16, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
  }
}
