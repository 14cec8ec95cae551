// Rows of 8-bit integers: converted to the accumulate type, or for units to bf16.
// RUN: attnc-opt %s --split-input-file --convert-tile-to-llvm --canonicalize --cse -o - | FileCheck %s

#fma = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never>

// CHECK-LABEL: func.func @copied.grid0.body(
// CHECK:         %[[RAW:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<16xi8>
// CHECK:         %[[REAL:.*]] = arith.sitofp %[[RAW]] : vector<16xi8> to vector<16xf32>
// CHECK:         llvm.store %[[REAL]], %{{.*}} : vector<16xf32>, !llvm.ptr
// CHECK:         vector.fma
tile.program @copied(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : i8>, %S: !tile.buf<q, k : f32>) target #fma {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:32, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : i8> -> !tile.tile<k:2, d:32, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:32, f32>, !tile.tile<k:2, d:32, f32>) -> !tile.tile<q:16, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
  }
}

// -----

#dot = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = dot>

// The lower half of an integer's bits as f32 is 0.
// CHECK-LABEL: func.func @pairs.grid0.body(
// CHECK:         %[[REAL:.*]] = arith.sitofp %{{.*}} : vector<16xi8> to vector<16xf32>
// CHECK:         %[[BITS:.*]] = llvm.bitcast %[[REAL]] : vector<16xf32> to vector<16xi32>
// CHECK:         %[[HIGH:.*]] = arith.shrui %[[BITS]], %{{.*}} : vector<16xi32>
// CHECK:         %[[HALF:.*]] = arith.trunci %[[HIGH]] : vector<16xi32> to vector<16xi16>
// CHECK:         llvm.store %[[HALF]], %{{.*}} : vector<16xi16>, !llvm.ptr
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK-NOT:     vector.fma
// CHECK:         return
tile.program @pairs(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : i8>, %S: !tile.buf<q, k : f32>) target #dot {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:32, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : i8> -> !tile.tile<k:2, d:32, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:32, bf16>, !tile.tile<k:2, d:32, bf16>) -> !tile.tile<q:16, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
  }
}

// -----

#matrix = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = matrix>

// Rows of the matrix unit are never read in place.
// CHECK-LABEL: func.func @tiles.grid0.body(
// CHECK-NOT:     llvm.ptrtoint
// CHECK:         arith.sitofp %{{.*}} : vector<32xi8> to vector<32xf32>
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK-NOT:     vector.fma
// CHECK:         return
tile.program @tiles(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : i8>, %S: !tile.buf<q, k : f32>) target #matrix {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:32, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : i8> -> !tile.tile<k:16, d:32, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:32, bf16>, !tile.tile<k:16, d:32, bf16>) -> !tile.tile<q:16, k:16, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
  }
}

// -----

#dot = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = dot>

// Integers along the lanes are converted, too, before two rows of them share
// lanes: weights as [in, out].
// CHECK-LABEL: func.func @lanes_of_integers.grid0.body(
// CHECK:         %[[RAW:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<16xi8>
// CHECK-NEXT:    %[[REAL:.*]] = arith.sitofp %[[RAW]] : vector<16xi8> to vector<16xf32>
// CHECK-NEXT:    %[[BITS:.*]] = llvm.bitcast %[[REAL]] : vector<16xf32> to vector<16xi32>
// CHECK-NEXT:    %[[HIGH:.*]] = arith.shrui %[[BITS]], %{{.*}} : vector<16xi32>
// CHECK-NEXT:    arith.trunci %[[HIGH]] : vector<16xi32> to vector<16xi16>
// CHECK:         arith.shli
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK-NOT:     vector.fma
// CHECK:         return
tile.program @lanes_of_integers(%W: !tile.buf<k, q : i8>, %X: !tile.buf<e, k : bf16>, %S: !tile.buf<e, q : f32>) target #dot {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] : !tile.buf<k, q : i8> -> !tile.tile<q:16, k:64, bf16>
    %x = tile.load %X[%c0, %c0] : !tile.buf<e, k : bf16> -> !tile.tile<e:16, k:64, bf16>
    %s = tile.dot (%w, %x) sum(k) : (!tile.tile<q:16, k:64, bf16>, !tile.tile<e:16, k:64, bf16>) -> !tile.tile<q:16, e:16, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, e:16, f32>, !tile.buf<e, q : f32>
  }
}
