// A table with an entry per query and key has its keys behind each other, but
// queries are the lanes: it is read in pieces of four keys per query, which are
// turned in registers, where that is possible at run time.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
#eight = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [8, 1], value_granule = [8, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
#six = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [6, 1], value_granule = [6, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// 16 pieces become 4 vectors: 3 * 4 shuffles that put pieces behind each other,
// 8 that turn them. The head is the same everywhere, so it is clamped only.
// CHECK-LABEL: func.func @by_query_and_key.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c4
// CHECK:           %[[DIRECT:.*]] = arith.andi
// CHECK:           %[[READ:.*]]:4 = scf.if %{{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK-COUNT-16:    llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:             vector.shuffle %{{.*}}, %{{.*}} [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29] : vector<16xf32>, vector<16xf32>
// CHECK:             vector.shuffle %{{.*}}, %{{.*}} [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31] : vector<16xf32>, vector<16xf32>
// CHECK:             scf.yield
// CHECK:           } else {
// CHECK:               llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK:               llvm.intr.masked.gather
// CHECK:           arith.addf %{{.*}}, %[[READ]]#0 : vector<16xf32>
tile.program @by_query_and_key(%x: !tile.buf<q, k : f32>, %t: !tile.buf<a0, a1, a2 : f32>, %h: index, %off: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:8, f32>
    %b = tile.map (%a) at(q = %c0, k = %c0) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, k:8, f32> {
    ^bb0(%e: f32, %q: index, %k: index):
      %p = arith.addi %q, %off : index
      %j = arith.addi %off, %k : index
      %v = tile.read %t[%h, %p, %j] : !tile.buf<a0, a1, a2 : f32> -> f32
      %r = arith.addf %e, %v : f32
      tile.yield %r : f32
    }
    tile.store %b, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// Eight keys of 16 bits are one piece, of which two and two are turned as one.
// CHECK-LABEL: func.func @pairs_of_keys.grid0.body(
// CHECK:           scf.if %{{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK-COUNT-16:    llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<4xi32>
// CHECK-NOT:         llvm.load
// CHECK-COUNT-4:     arith.shrui %{{.*}} : vector<16xi32>
// CHECK:           } else {
tile.program @pairs_of_keys(%x: !tile.buf<q, k : f32>, %t: !tile.buf<a0, a1 : bf16>) target #eight {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:8, f32>
    %b = tile.map (%a) at(q = %c0, k = %c0) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, k:8, f32> {
    ^bb0(%e: f32, %row: index, %key: index):
      %v = tile.read %t[%row, %key] : !tile.buf<a0, a1 : bf16> -> f32
      %r = arith.addf %e, %v : f32
      tile.yield %r : f32
    }
    tile.store %b, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// Six keys are two pieces that overlap; 16-bit floats are turned, then widened.
// CHECK-LABEL: func.func @pieces_overlap.grid0.body(
// CHECK:           scf.if %{{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
// CHECK-COUNT-16:    llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<4xi16>
// CHECK-NOT:         llvm.load
// CHECK:           } else {
tile.program @pieces_overlap(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %m: !tile.buf<q : f32>, %t: !tile.buf<a0, a1 : bf16>, %n: index) target #six {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:8, d:4, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:6, d:4, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:8, d:4, f32>, !tile.tile<k:6, d:4, f32>) -> !tile.tile<q:8, k:6, f32>
    %b = tile.map (%s) at(q = %c0, k = %c0) : (!tile.tile<q:8, k:6, f32>) -> !tile.tile<q:8, k:6, f32> {
    ^bb0(%e: f32, %row: index, %key: index):
      %v = tile.read %t[%row, %key] : !tile.buf<a0, a1 : bf16> -> f32
      %r = arith.addf %e, %v : f32
      tile.yield %r : f32
    }
    %m0 = tile.splat -inf : !tile.tile<q:8, f32>
    %mx = tile.reduce max (%b) over(k) init(%m0) : (!tile.tile<q:8, k:6, f32>) -> !tile.tile<q:8, f32>
    tile.store %mx, %m[%c0] : !tile.tile<q:8, f32>, !tile.buf<q : f32>
  }
}

// Where the key is not alone in its axis there are no pieces.
// CHECK-LABEL: func.func @by_sum.grid0.body(
// CHECK-NOT:       vector<4xf32>
// CHECK:         func.func @by_sum.scratch
tile.program @by_sum(%m: !tile.buf<q : f32>, %t: !tile.buf<a0, a1 : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.splat 1.0 : !tile.tile<q:16, k:8, f32>
    %b = tile.map (%a) at(q = %c0, k = %c0) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, k:8, f32> {
    ^bb0(%e: f32, %row: index, %key: index):
      %j = arith.addi %row, %key : index
      %v = tile.read %t[%row, %j] : !tile.buf<a0, a1 : f32> -> f32
      %r = arith.addf %e, %v : f32
      tile.yield %r : f32
    }
    %m0 = tile.splat -inf : !tile.tile<q:16, f32>
    %mx = tile.reduce max (%b) over(k) init(%m0) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, f32>
    tile.store %mx, %m[%c0] : !tile.tile<q:16, f32>, !tile.buf<q : f32>
  }
}
