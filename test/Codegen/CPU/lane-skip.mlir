// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 2], value_granule = [1, 2], unroll = 1, tail = 0, lane_skip = true, pack = never>
#narrow = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = true, pack = never>

// A causal mask on ranges: queries 0 .. 15 see a piece of four keys if its first
// key is at most 15. Both vectors together where both see the first and the last
// piece of a tile, else each from its first to its last piece.
// CHECK-LABEL: func.func @causal.grid0.body(
// CHECK:         scf.for %{{.*}} = {{.*}} step %c8 {
// CHECK:           %[[LOWER:.*]]:2 = scf.for {{.*}} step %c4 iter_args
// CHECK:             arith.cmpi sle, %{{.*}}, %c15
// CHECK:           %[[UPPER:.*]]:2 = scf.for {{.*}} step %c4 iter_args
// CHECK:             arith.cmpi sle, %{{.*}}, %c31
// CHECK:           scf.if
// CHECK:             iter_args(%{{.*}}, %{{.*}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK:           } else {
// CHECK:             %[[BEGIN:.*]] = arith.select %{{.*}}, %[[UPPER]]#0, %[[LOWER]]#0
// CHECK:             %[[END:.*]] = arith.select %{{.*}}, %[[UPPER]]#1, %[[LOWER]]#1
// CHECK:             arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK:             scf.for %{{.*}} = %[[BEGIN]] to {{.*}} iter_args(%{{.*}}) -> (vector<16xf32>)
tile.program @causal(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %n: index, %lo: index, %hi: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %m0 = tile.splat -inf : !tile.tile<q:32, f32>
    %s = tile.splat 1.0 : !tile.tile<q:32, k:8, f32>
    %mx = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %lo, %hi)] step 8 partial_step 4 iter(%mi = %m0) -> (!tile.tile<q:32, f32>) {
      %t = tile.select_masked %s at(q = %c0, k = %k0) valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:8, f32> {
      ^bb0(%q: index, %k: index):
        %c = arith.cmpi sle, %k, %q : index
        tile.yield %c : i1
      }
      %mn = tile.reduce max (%t) over(k) init(%mi) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, f32>
      tile.yield %mn : !tile.tile<q:32, f32>
    }
    tile.store %mx, %m[%c0] valid(q = %n) : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// What is not understood may be true anywhere: all vectors run.
// CHECK-LABEL: func.func @unknown.grid0.body(
// CHECK-NOT:     step %c4 iter_args
// CHECK:         return
tile.program @unknown(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %y: !tile.buf<n : i1>, %n: index, %lo: index, %hi: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %m0 = tile.splat -inf : !tile.tile<q:32, f32>
    %s = tile.splat 1.0 : !tile.tile<q:32, k:8, f32>
    %mx = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %lo, %hi)] step 8 partial_step 4 iter(%mi = %m0) -> (!tile.tile<q:32, f32>) {
      %t = tile.select_masked %s at(q = %c0, k = %k0) valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:8, f32> {
      ^bb0(%q: index, %k: index):
        %c = tile.read %y[%k] : !tile.buf<n : i1> -> i1
        tile.yield %c : i1
      }
      %mn = tile.reduce max (%t) over(k) init(%mi) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, f32>
      tile.yield %mn : !tile.tile<q:32, f32>
    }
    tile.store %mx, %m[%c0] valid(q = %n) : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// Register tiles narrower than the block: each group of vectors for itself.
// CHECK-LABEL: func.func @groups.grid0.body(
// CHECK:         scf.for %{{.*}} = {{.*}} step %c8 {
// CHECK:           scf.for %{{.*}} = %c0 to %c32 step %c16 {
// CHECK:             %[[KEYS:.*]]:2 = scf.for {{.*}} step %c4 iter_args
// CHECK:             scf.for %{{.*}} = %[[KEYS]]#0 to
tile.program @groups(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %n: index, %lo: index, %hi: index) target #narrow {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %m0 = tile.splat -inf : !tile.tile<q:32, f32>
    %s = tile.splat 1.0 : !tile.tile<q:32, k:8, f32>
    %mx = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %lo, %hi)] step 8 partial_step 4 iter(%mi = %m0) -> (!tile.tile<q:32, f32>) {
      %t = tile.select_masked %s at(q = %c0, k = %k0) valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:8, f32> {
      ^bb0(%q: index, %k: index):
        %c = arith.cmpi sle, %k, %q : index
        tile.yield %c : i1
      }
      %mn = tile.reduce max (%t) over(k) init(%mi) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, f32>
      tile.yield %mn : !tile.tile<q:32, f32>
    }
    tile.store %mx, %m[%c0] valid(q = %n) : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// Integers of tables, such as document ids, lie between the least and the
// greatest of a vector and of a piece. Pieces have at most 8 keys, as many as the
// smallest register tile of one vector.
// CHECK-LABEL: func.func @documents.grid0.body(
// CHECK:         scf.for {{.*}} step %c8 iter_args
// CHECK:           %[[QUERIES:.*]] = llvm.load %{{.*}} -> vector<16xi64>
// CHECK-NEXT:      vector.reduction <minsi>, %[[QUERIES]]
// CHECK:           vector.reduction <maxsi>, %[[QUERIES]]
// CHECK:           %[[PIECE:.*]] = arith.minsi %{{.*}}, %c8 : index
// CHECK:           %[[LOADED:.*]] = llvm.load %[[AT:.*]] {{{.*}}} : !llvm.ptr -> vector<8xi64>
// Behind the tile's keys stands what earlier tiles left there.
// CHECK:           %[[IS_KEY:.*]] = arith.cmpi sgt, %{{.*}} : vector<8xi64>
// CHECK:           %[[FIRST:.*]] = llvm.load %[[AT]] {{.*}} -> i64
// CHECK:           %[[ALL:.*]] = vector.broadcast %[[FIRST]]
// CHECK:           %[[KEYS:.*]] = arith.select %[[IS_KEY]], %[[LOADED]], %[[ALL]]
// CHECK:           vector.reduction <minsi>, %[[KEYS]]
// CHECK:           vector.reduction <maxsi>, %[[KEYS]]
// CHECK:           arith.cmpi sle
// CHECK:           arith.cmpi sle
// CHECK:           arith.andi
tile.program @documents(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %doc: !tile.buf<n : i32>, %n: index, %lo: index, %hi: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %m0 = tile.splat -inf : !tile.tile<q:32, f32>
    %s = tile.splat 1.0 : !tile.tile<q:32, k:16, f32>
    %own = tile.map () at(q = %c0) : () -> !tile.tile<q:32, index> {
    ^bb0(%q: index):
      %d = tile.read %doc[%q] : !tile.buf<n : i32> -> index
      tile.yield %d : index
    }
    %mx = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %lo, %hi)] step 16 partial_step 16 iter(%mi = %m0) -> (!tile.tile<q:32, f32>) {
      %docs = tile.map () at(k = %k0) : () -> !tile.tile<k:16, index> {
      ^bb0(%k: index):
        %d = tile.read %doc[%k] : !tile.buf<n : i32> -> index
        tile.yield %d : index
      }
      %t = tile.select_masked %s with(%own, %docs : !tile.tile<q:32, index>, !tile.tile<k:16, index>) at(q = %c0, k = %k0) valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:16, f32> {
      ^bb0(%a: index, %b: index, %q: index, %k: index):
        %c = arith.cmpi eq, %a, %b : index
        tile.yield %c : i1
      }
      %mn = tile.reduce max (%t) over(k) init(%mi) : (!tile.tile<q:32, k:16, f32>) -> !tile.tile<q:32, f32>
      tile.yield %mn : !tile.tile<q:32, f32>
    }
    tile.store %mx, %m[%c0] valid(q = %n) : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}
