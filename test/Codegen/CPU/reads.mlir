// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// A table by key is one scalar per key, clamped to the table.
// CHECK-LABEL: func.func @by_key.grid0.body(
// CHECK:         scf.for %[[K:.*]] = %c0 to %c8
// CHECK:           arith.minsi %[[K]], %{{.*}} : index
// CHECK:           %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:           vector.broadcast %[[X]] : f32 to vector<16xf32>
tile.program @by_key(%x: !tile.buf<q, k : f32>, %t: !tile.buf<n : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.splat 1.0 : !tile.tile<q:16, k:8, f32>
    %b = tile.map (%a) at(k = %c0) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, k:8, f32> {
    ^bb0(%e: f32, %k: index):
      %v = tile.read %t[%k] : !tile.buf<n : f32> -> f32
      %r = arith.addf %e, %v : f32
      tile.yield %r : f32
    }
    tile.store %b, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// A table by query is a vector where it is dense and all queries are in it,
// else its elements are collected one by one. 16-bit floats are widened.
// CHECK-LABEL: func.func @by_query.grid0.body(
// CHECK:         scf.if
// CHECK:           llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<16xi16>
// CHECK:         } else {
// CHECK:           arith.minsi {{.*}} : vector<16xi64>
// CHECK:           arith.maxsi {{.*}} : vector<16xi64>
// CHECK:           scf.for %{{.*}} = %c0 to %c16 step %c1
// CHECK:             llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i16
tile.program @by_query(%x: !tile.buf<q : f32>, %t: !tile.buf<n : bf16>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.splat 1.0 : !tile.tile<q:16, f32>
    %b = tile.map (%a) at(q = %c0) : (!tile.tile<q:16, f32>) -> !tile.tile<q:16, f32> {
    ^bb0(%e: f32, %q: index):
      %v = tile.read %t[%q] : !tile.buf<n : bf16> -> f32
      %r = arith.addf %e, %v : f32
      tile.yield %r : f32
    }
    tile.store %b, %x[%c0] : !tile.tile<q:16, f32>, !tile.buf<q : f32>
  }
}

// Any other place of a float is gathered by the instruction for it.
// CHECK-LABEL: func.func @by_pair.grid0.body(
// CHECK:         arith.minsi {{.*}} : vector<16xi64>
// CHECK:         arith.maxsi {{.*}} : vector<16xi64>
// CHECK:         %[[PLACES:.*]] = llvm.getelementptr {{.*}} vector<16xi64>) -> vector<16x!llvm.ptr>, f32
// CHECK:         llvm.intr.masked.gather %[[PLACES]],
tile.program @by_pair(%x: !tile.buf<q, k : f32>, %t: !tile.buf<m, n : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.splat 1.0 : !tile.tile<q:16, k:8, f32>
    %b = tile.map (%a) at(q = %c0, k = %c0) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, k:8, f32> {
    ^bb0(%e: f32, %q: index, %k: index):
      %j = arith.addi %q, %k : index
      %v = tile.read %t[%q, %j] : !tile.buf<m, n : f32> -> f32
      %r = arith.addf %e, %v : f32
      tile.yield %r : f32
    }
    tile.store %b, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// Where an axis is empty the table is a zero in scratch without strides.
// CHECK-LABEL: func.func @empty_table.grid0.body(
// CHECK-SAME:    %{{.*}}: !llvm.ptr {llvm.noalias}, %[[SCRATCH:[a-z0-9]+]]: !llvm.ptr {llvm.noalias}, %{{.*}}: i64)
// CHECK:         %[[FILLED:.*]] = arith.cmpi sgt, %{{.*}}, %c0
// CHECK:         arith.select %[[FILLED]], %{{.*}}, %[[SCRATCH]] : !llvm.ptr
// CHECK:         arith.select %[[FILLED]], %{{.*}}, %c0 : index
tile.program @empty_table(%x: !tile.buf<q : f32>, %t: !tile.buf<n : ui8>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %v = tile.read %t[%n] : !tile.buf<n : ui8> -> index
    %a = tile.splat 1.0 : !tile.tile<q:16, f32>
    tile.store %a, %x[%v] : !tile.tile<q:16, f32>, !tile.buf<q : f32>
  }
}
