// A product of fmas stores rows of its sums as it makes them, if all lanes of
// the block are contiguous in memory and valid; else they go through scratch.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#fmas = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 2, tail = 0, lane_skip = false, pack = never>

// CHECK-LABEL: func.func @stores.grid0.body(
// CHECK:         vector.fma
// CHECK:         scf.if %{{.*}} {
// CHECK-COUNT-4:   llvm.store %{{.*}} {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
// CHECK:         } else {
// CHECK-COUNT-4:   llvm.store %{{.*}} {alignment = 64 : i64} : vector<16xf32>, !llvm.ptr
// CHECK:         scf.if
// CHECK-NEXT:    } else {
// CHECK:           llvm.store %{{.*}} {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
tile.program @stores(%W: !tile.buf<k, q : f32>, %X: !tile.buf<e, k : f32>, %Y: !tile.buf<e, q : f32>, %n: index) target #fmas {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] valid(q = %n) : !tile.buf<k, q : f32> -> !tile.tile<q:32, k:32, f32>
    %x = tile.load %X[%c0, %c0] : !tile.buf<e, k : f32> -> !tile.tile<e:32, k:32, f32>
    %s = tile.dot (%w, %x) sum(k) : (!tile.tile<q:32, k:32, f32>, !tile.tile<e:32, k:32, f32>) -> !tile.tile<q:32, e:32, f32>
    tile.store %s, %Y[%c0, %c0] valid(q = %n) : !tile.tile<q:32, e:32, f32>, !tile.buf<e, q : f32>
  }
}

// Sums that a loop carries are stored after it.
// CHECK-LABEL: func.func @carries.grid0.body(
// CHECK:         vector.fma
// CHECK-NOT:     {alignment = 4 : i64} : vector<16xf32>
// CHECK:         scf.yield
tile.program @carries(%W: !tile.buf<k, q : f32>, %X: !tile.buf<e, k : f32>, %Y: !tile.buf<e, q : f32>) target #fmas {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %c96 = arith.constant 96 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:32, f32>
    %s = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %c96, %c96)] step 32 partial_step 32 iter(%a = %zero) -> (!tile.tile<q:32, e:32, f32>) {
      %w = tile.load %W[%k0, %c0] : !tile.buf<k, q : f32> -> !tile.tile<q:32, k:32, f32>
      %x = tile.load %X[%c0, %k0] : !tile.buf<e, k : f32> -> !tile.tile<e:32, k:32, f32>
      %d = tile.dot (%w, %x) sum(k) acc(%a) : (!tile.tile<q:32, k:32, f32>, !tile.tile<e:32, k:32, f32>) -> !tile.tile<q:32, e:32, f32>
      tile.yield %d : !tile.tile<q:32, e:32, f32>
    }
    tile.store %s, %Y[%c0, %c0] : !tile.tile<q:32, e:32, f32>, !tile.buf<e, q : f32>
  }
}
