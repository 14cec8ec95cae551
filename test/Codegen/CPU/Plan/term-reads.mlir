// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// A table that a term reads by query and feature is gathered once per feature
// for all keys, and read from the copy by each four of them; one that it reads
// by key is not copied.
// CHECK-LABEL: func.func @by_query.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %c5 step %c1 {
// CHECK:           llvm.intr.masked.gather
// CHECK:           llvm.store %{{.*}} {alignment = 64 : i64} : vector<16xf32>
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c4
// CHECK-NOT:       gather
// CHECK:           scf.for %[[D:.*]] = %c0 to %c5 step %c1 iter_args(
// CHECK-COUNT-2:     llvm.load %{{.*}} -> vector<16xf32>
// CHECK-NOT:         gather
// CHECK:         return
// CHECK:       func.func @by_query.scratch(
// CHECK-NEXT:    arith.constant 3200 : i64
tile.program @by_query(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %G: !tile.buf<q, d : f32>, %H: !tile.buf<k, d : f32>, %S: !tile.buf<q, k : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:5, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:8, d:5, f32>
    %s = tile.dot (%q, %k) sum(d) at(d = %c0, q = %c0, k = %c0) : (!tile.tile<q:16, d:5, f32>, !tile.tile<k:8, d:5, f32>) -> !tile.tile<q:16, k:8, f32> term {
    ^bb0(%x: f32, %y: f32, %di: index, %qi: index, %ki: index):
      %later = arith.addi %qi, %n : index
      %g = tile.read %G[%later, %di] : !tile.buf<q, d : f32> -> f32
      %h = tile.read %H[%ki, %di] : !tile.buf<k, d : f32> -> f32
      %a = arith.subf %g, %h : f32
      %b = arith.mulf %x, %a : f32
      %z = arith.mulf %b, %y : f32
      tile.yield %z : f32
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// A read whose place depends on an element or on the key is not copied, and
// queries that follow each other in memory are one vector anyway.
// CHECK-LABEL: func.func @others.scratch(
// CHECK-NEXT:    arith.constant 2880 : i64
tile.program @others(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %G: !tile.buf<q, k, d : f32>, %H: !tile.buf<d, q : f32>, %S: !tile.buf<q, k : f32>) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:5, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:8, d:5, f32>
    %s = tile.dot (%q, %k) sum(d) at(d = %c0, q = %c0, k = %c0) : (!tile.tile<q:16, d:5, f32>, !tile.tile<k:8, d:5, f32>) -> !tile.tile<q:16, k:8, f32> term {
    ^bb0(%x: f32, %y: f32, %di: index, %qi: index, %ki: index):
      %g = tile.read %G[%qi, %ki, %di] : !tile.buf<q, k, d : f32> -> f32
      %h = tile.read %H[%di, %qi] : !tile.buf<d, q : f32> -> f32
      %a = arith.subf %g, %h : f32
      %b = arith.mulf %x, %a : f32
      %z = arith.mulf %b, %y : f32
      tile.yield %z : f32
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}
