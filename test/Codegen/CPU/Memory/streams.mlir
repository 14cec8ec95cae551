// An operand along the lanes that a product reads once is not copied where its lanes
// are contiguous.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 2], value_granule = [4, 2], unroll = 2, tail = 0, lane_skip = false, pack = never>

// Four rows are one register tile. The copy and the product from it are for lanes that
// are a stride apart or end before the block; else each vector of bf16 is loaded once
// and used for all rows.
// CHECK-LABEL: func.func @streams.grid0.body(
// CHECK:         %[[END:.*]] = arith.select %{{.*}}, %{{.*}}, %c0 : index
// CHECK:         scf.if %{{.*}} {
// CHECK-NEXT:    } else {
// CHECK:         %[[INPLACE:.*]] = arith.cmpi sge, %[[END]], %c32 : index
// CHECK:         scf.if %[[INPLACE]] -> (vector<16xf32>,
// CHECK:           scf.for
// CHECK:             llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<16xi16>
// CHECK:             llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<16xi16>
// CHECK-COUNT-8:     vector.fma
// CHECK:           scf.yield
// CHECK:         } else {
// CHECK:           scf.for
// CHECK-NOT:         vector<16xi16>
// CHECK:             vector.fma
tile.program @streams(%W: !tile.buf<k, q : bf16>, %X: !tile.buf<e, k : f32>, %Y: !tile.buf<e, q : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] valid(q = %n) : !tile.buf<k, q : bf16> -> !tile.tile<q:32, k:8, bf16>
    %x = tile.load %X[%c0, %c0] : !tile.buf<e, k : f32> -> !tile.tile<e:4, k:8, f32>
    %y = tile.dot (%w, %x) sum(k) : (!tile.tile<q:32, k:8, bf16>, !tile.tile<e:4, k:8, f32>) -> !tile.tile<q:32, e:4, f32>
    tile.store %y, %Y[%c0, %c0] valid(q = %n) : !tile.tile<q:32, e:4, f32>, !tile.buf<e, q : f32>
  }
}

// So are integers that the product needs as floats.
// CHECK-LABEL: func.func @integers.grid0.body(
// CHECK:         %[[END:.*]] = arith.select %{{.*}}, %{{.*}}, %c0 : index
// CHECK:         scf.if %{{.*}} {
// CHECK-NEXT:    } else {
// CHECK:         %[[INPLACE:.*]] = arith.cmpi sge, %[[END]], %c32 : index
// CHECK:         scf.if %[[INPLACE]] -> (vector<16xf32>,
// CHECK:           scf.for
// CHECK:             %[[RAW:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<16xi8>
// CHECK:             arith.sitofp %[[RAW]] : vector<16xi8> to vector<16xf32>
// CHECK:             vector.fma
tile.program @integers(%W: !tile.buf<k, q : i8>, %X: !tile.buf<e, k : f32>, %Y: !tile.buf<e, q : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] valid(q = %n) : !tile.buf<k, q : i8> -> !tile.tile<q:32, k:8, f32>
    %x = tile.load %X[%c0, %c0] : !tile.buf<e, k : f32> -> !tile.tile<e:4, k:8, f32>
    %y = tile.dot (%w, %x) sum(k) : (!tile.tile<q:32, k:8, f32>, !tile.tile<e:4, k:8, f32>) -> !tile.tile<q:32, e:4, f32>
    tile.store %y, %Y[%c0, %c0] valid(q = %n) : !tile.tile<q:32, e:4, f32>, !tile.buf<e, q : f32>
  }
}

// Of more rows each vector is read several times, from the copy.
// CHECK-LABEL: func.func @copies.grid0.body(
// CHECK-NOT:     scf.if %{{.*}} -> (vector<16xf32>
// CHECK:         return
tile.program @copies(%W: !tile.buf<k, q : bf16>, %X: !tile.buf<e, k : f32>, %Y: !tile.buf<e, q : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] valid(q = %n) : !tile.buf<k, q : bf16> -> !tile.tile<q:32, k:8, bf16>
    %x = tile.load %X[%c0, %c0] : !tile.buf<e, k : f32> -> !tile.tile<e:5, k:8, f32>
    %y = tile.dot (%w, %x) sum(k) : (!tile.tile<q:32, k:8, bf16>, !tile.tile<e:5, k:8, f32>) -> !tile.tile<q:32, e:5, f32>
    tile.store %y, %Y[%c0, %c0] valid(q = %n) : !tile.tile<q:32, e:5, f32>, !tile.buf<e, q : f32>
  }
}

// Lanes whose axis is not the last one are not contiguous.
// CHECK-LABEL: func.func @transposes.grid0.body(
// CHECK-NOT:     scf.if %{{.*}} -> (vector<16xf32>
// CHECK:         return
tile.program @transposes(%W: !tile.buf<q, k : f32>, %X: !tile.buf<e, k : f32>, %Y: !tile.buf<e, q : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] valid(q = %n) : !tile.buf<q, k : f32> -> !tile.tile<q:32, k:16, f32>
    %x = tile.load %X[%c0, %c0] : !tile.buf<e, k : f32> -> !tile.tile<e:4, k:16, f32>
    %y = tile.dot (%w, %x) sum(k) : (!tile.tile<q:32, k:16, f32>, !tile.tile<e:4, k:16, f32>) -> !tile.tile<q:32, e:4, f32>
    tile.store %y, %Y[%c0, %c0] valid(q = %n) : !tile.tile<q:32, e:4, f32>, !tile.buf<e, q : f32>
  }
}
