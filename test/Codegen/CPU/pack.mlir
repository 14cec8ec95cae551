// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#auto = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = auto>
#always = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = always>
#never = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// Rows of K are read in place if their elements follow each other and the row
// stride is no multiple of 512 floats; else the tile is copied. The loop sees a
// pointer and a stride.
// CHECK-LABEL: func.func @by_strides.grid0.body(
// CHECK:         %[[LOW:.*]] = arith.andi %{{.*}}, %c511 : index
// CHECK:         %[[BAD:.*]] = arith.cmpi eq, %[[LOW]], %c0 : index
// CHECK:         %[[COPY:.*]] = arith.ori %{{.*}}, %[[BAD]] : i1
// CHECK:         scf.if %[[COPY]] {
// CHECK:           scf.if %{{.*}} {
// CHECK:             vector<16xf32>
// CHECK:           } else {
// CHECK:             llvm.load {{.*}} -> f32
// CHECK:         arith.select %[[COPY]], {{.*}} : !llvm.ptr
// CHECK:         arith.select %[[COPY]], %c16, %{{.*}} : index
tile.program @by_strides(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %S: !tile.buf<q, k : f32>, %n: index) target #auto {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:16, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:8, d:16, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:16, f32>, !tile.tile<k:8, d:16, f32>) -> !tile.tile<q:16, k:8, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// CHECK-LABEL: func.func @always.grid0.body(
// CHECK-NOT:     arith.select {{.*}} : !llvm.ptr
// CHECK:         return
tile.program @always(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %S: !tile.buf<q, k : f32>, %n: index) target #always {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:16, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:8, d:16, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:16, f32>, !tile.tile<k:8, d:16, f32>) -> !tile.tile<q:16, k:8, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// `never` still copies what cannot be read in place: here bf16.
// CHECK-LABEL: func.func @converts_bf16.grid0.body(
// CHECK-NOT:     arith.select {{.*}} : !llvm.ptr
// CHECK:         %[[BITS:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<16xi16>
// CHECK:         %[[WIDE:.*]] = arith.extui %[[BITS]] : vector<16xi16> to vector<16xi32>
// CHECK:         arith.shli %[[WIDE]],
// CHECK:         vector.fma
tile.program @converts_bf16(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #never {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:16, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:8, d:16, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:16, f32>, !tile.tile<k:8, d:16, bf16>) -> !tile.tile<q:16, k:8, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// Queries that are converted are transposed into lanes in squares of registers
// where the features of a query follow each other, else element by element; rows
// past the valid ones are 0. Others: Memory/quarters.mlir.
// CHECK-LABEL: func.func @queries_into_lanes.grid0.body(
// CHECK:         scf.if
// CHECK:           arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK-COUNT-64:  vector.shuffle
// CHECK-NOT:       vector.shuffle
// CHECK:         scf.for
// CHECK:           scf.if %{{.*}} -> (f32)
tile.program @queries_into_lanes(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : f32>, %S: !tile.buf<q, k : f32>, %n: index) target #never {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] valid(q = %n) : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:16, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:8, d:16, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:16, bf16>, !tile.tile<k:8, d:16, f32>) -> !tile.tile<q:16, k:8, f32>
    tile.store %s, %S[%c0, %c0] valid(q = %n) : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}
