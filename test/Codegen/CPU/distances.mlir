// What depends on the distance of query and key is computed in lanes of
// distances, once per tile, and read in lanes of queries, which follow each
// other in memory: no element is computed twice, and nothing is gathered.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --loop-invariant-code-motion --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = never>

// 39 distances are three vectors: 48 places behind 16 that rows past the last
// key may look at. Reads start anywhere, so their alignment is an element's.
// CHECK-LABEL: func.func @table_of_a_tile.grid0.body(
// CHECK:         scf.for %[[R:.*]] = %c0 to %c48 step %c16 {
// CHECK:           arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK:           llvm.store %{{.*}} {alignment = 64 : i64} : vector<16xf32>
// CHECK:         scf.for %[[K:.*]] = %c0 to %c8 step %c2 {
// CHECK-NOT:       sitofp
// CHECK-COUNT-4:   llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
tile.program @table_of_a_tile(%x: !tile.buf<q, k : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %r = tile.map () at(r = %c0) : () -> !tile.tile<r:39, f32> {
    ^bb0(%d: index):
      %d64 = arith.index_cast %d : index to i64
      %f = arith.sitofp %d64 : i64 to f32
      tile.yield %f : f32
    }
    %s = tile.skew %r plus(q) minus(k) : !tile.tile<r:39, f32> -> !tile.tile<q:32, k:8, f32>
    tile.store %s, %x[%c0, %c0] : !tile.tile<q:32, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// In a loop the table is made once for all vectors of queries, and a partial
// tile makes what its keys need only: the first distances belong to keys that
// it lacks.
// CHECK-LABEL: func.func @fewer_in_partial_tiles.grid0.body(
// CHECK:           scf.for %{{.*}} = %c0 to %c48 step %c16 {
// CHECK:             arith.sitofp
// CHECK:           vector.fma
// CHECK:           %[[COUNT:.*]] = arith.minsi %{{.*}}, %c4 : index
// CHECK:           %[[KEYS:.*]] = arith.minsi %[[COUNT]], %c8 : index
// CHECK:           %[[UNUSED:.*]] = arith.subi %c1, %[[KEYS]] : index
// CHECK:           %[[ABOVE:.*]] = arith.maxsi %[[UNUSED]], %c0 : index
// CHECK:           %[[VECTOR:.*]] = arith.shrsi %[[ABOVE]], %c4 : index
// CHECK:           %[[LOW:.*]] = arith.muli %[[VECTOR]], %c16 : index
// CHECK:           scf.for %{{.*}} = %[[LOW]] to %c48 step %c16 {
// CHECK:             arith.sitofp
tile.program @fewer_in_partial_tiles(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %l: !tile.buf<q : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:32, d:4, f32>
    %l0 = tile.splat 0.0 : !tile.tile<q:32, f32>
    %ln = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 8 partial_step 4 iter(%li = %l0) -> (!tile.tile<q:32, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f32> -> !tile.tile<k:8, d:4, f32>
      %x = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:8, d:4, f32>) -> !tile.tile<q:32, k:8, f32>
      %r = tile.map () at(r = %k0) : () -> !tile.tile<r:39, f32> {
      ^bb0(%d: index):
        %d64 = arith.index_cast %d : index to i64
        %f = arith.sitofp %d64 : i64 to f32
        tile.yield %f : f32
      }
      %s = tile.skew %r plus(q) minus(k) : !tile.tile<r:39, f32> -> !tile.tile<q:32, k:8, f32>
      %y = tile.map (%x, %s) : (!tile.tile<q:32, k:8, f32>, !tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, k:8, f32> {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tile.yield %c : f32
      }
      %t = tile.select_masked %y valid(k = %nk) when %partial fill 0.0 : !tile.tile<q:32, k:8, f32> {
        %true = arith.constant true
        tile.yield %true : i1
      }
      %sum = tile.reduce add (%t) over(k) init(%li) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, f32>
      tile.yield %sum : !tile.tile<q:32, f32>
    }
    tile.store %ln, %l[%c0] valid(q = %n) : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// Sums of a distance and other integers have 32 bits if all of them are near 0,
// which the code checks for each tile, and else 64.
// CHECK-LABEL: func.func @near.grid0.body(
// CHECK:         %[[NEAR:.*]] = arith.cmpi ult, %{{.*}}, %c268435456 : index
// CHECK:         scf.if %[[NEAR]] {
// CHECK:           arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK:         } else {
// CHECK:           arith.sitofp %{{.*}} : vector<16xi64> to vector<16xf32>
tile.program @near(%x: !tile.buf<q, k : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %r = tile.map () at(r = %n) : () -> !tile.tile<r:39, f32> {
    ^bb0(%d: index):
      %two = arith.constant 2 : index
      %twice = arith.muli %d, %two : index
      %sum = arith.addi %twice, %n : index
      %s64 = arith.index_cast %sum : index to i64
      %f = arith.sitofp %s64 : i64 to f32
      tile.yield %f : f32
    }
    %s = tile.skew %r plus(q) minus(k) : !tile.tile<r:39, f32> -> !tile.tile<q:32, k:8, f32>
    tile.store %s, %x[%c0, %c0] : !tile.tile<q:32, k:8, f32>, !tile.buf<q, k : f32>
  }
}
