// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 2], value_granule = [1, 2], unroll = 1, tail = 0, lane_skip = false, pack = never>

// Full tiles run without mask code, what is left in partial tiles of at most
// partial_step keys. No head: the segment starts with full tiles.
// CHECK-LABEL: func.func @full_and_tail.grid0.body(
// CHECK:         %[[FULL:.*]] = arith.maxsi %{{.*}}, %c0
// CHECK:         scf.for %{{.*}} = %c0 to %[[FULL]] step %c1 {
// CHECK-NOT:       vector<16xi32>
// CHECK:         scf.for %[[K:.*]] = %[[START:.*]] to %[[END:.*]] step %c4 {
// CHECK:           %[[LEFT:.*]] = arith.subi %[[END]], %[[K]]
// CHECK:           arith.minsi %[[LEFT]], %c4
// CHECK:           vector<16xi32>
tile.program @full_and_tail(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %n: index, %lo: index, %hi: index) target #cpu {
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

// A head is the first of two turns, so there is still one body of each kind.
// CHECK-LABEL: func.func @head.grid0.body(
// CHECK:         scf.for %[[PART:.*]] = %c0 to %c2 step %c1 {
// CHECK:           arith.cmpi eq, %[[PART]], %c0
// CHECK:           scf.for
// CHECK:           scf.for {{.*}} step %c4
// CHECK-NOT:       step %c4
// CHECK:         return
tile.program @head(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %n: index, %lo: index, %hi: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %m0 = tile.splat -inf : !tile.tile<q:32, f32>
    %s = tile.splat 1.0 : !tile.tile<q:32, k:8, f32>
    %mx = tile.for (%k0, %nk, %partial) in [(%c0, %lo, %hi, %n)] step 8 partial_step 4 iter(%mi = %m0) -> (!tile.tile<q:32, f32>) {
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

// Segments are turns of one loop.
// CHECK-LABEL: func.func @segments.grid0.body(
// CHECK:         scf.for %[[SEGMENT:.*]] = %c0 to %c2 step %c1 {
// CHECK:           %[[SECOND:.*]] = arith.cmpi eq, %[[SEGMENT]], %c1
// CHECK:           arith.select %[[SECOND]], %{{.*}}, %{{.*}} : index
// CHECK:           scf.for {{.*}} step %c4
// CHECK-NOT:       step %c4
// CHECK:         return
tile.program @segments(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %n: index, %lo: index, %hi: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %m0 = tile.splat -inf : !tile.tile<q:32, f32>
    %s = tile.splat 1.0 : !tile.tile<q:32, k:8, f32>
    %mx = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %lo, %lo), (%hi, %hi, %n, %n)] step 8 partial_step 4 iter(%mi = %m0) -> (!tile.tile<q:32, f32>) {
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

// Where nothing can be full there is no body for full tiles.
// CHECK-LABEL: func.func @all_partial.grid0.body(
// CHECK-NOT:     step %c1 {
// CHECK:         scf.for %{{.*}} step %c4 {
// CHECK:           vector<16xi32>
tile.program @all_partial(%x: !tile.buf<q, k : f32>, %m: !tile.buf<q : f32>, %n: index, %lo: index, %hi: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %m0 = tile.splat -inf : !tile.tile<q:32, f32>
    %s = tile.splat 1.0 : !tile.tile<q:32, k:8, f32>
    %mx = tile.for (%k0, %nk, %partial) in [(%c0, %hi, %hi, %n)] step 8 partial_step 4 iter(%mi = %m0) -> (!tile.tile<q:32, f32>) {
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

// Passes over the keys that depend on each other: the code of a pass is there once.
// CHECK-LABEL: func.func @passes.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK:           arith.maxsi %{{.*}}, %c0
// CHECK:           scf.for {{.*}} step %c4
// CHECK-NOT:       step %c4
tile.program @passes(%m: !tile.buf<q : f32>, %n: index, %lo: index, %hi: index) target #cpu {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %m0 = tile.splat -inf : !tile.tile<q:32, f32>
    %last = scf.for %pass = %c0 to %c8 step %c1 iter_args(%before = %m0) -> (!tile.tile<q:32, f32>) {
      %mx = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %lo, %hi)] step 8 partial_step 4 iter(%mi = %before) -> (!tile.tile<q:32, f32>) {
        %s = tile.splat 1.0 : !tile.tile<q:32, k:8, f32>
        %t = tile.select_masked %s at(q = %c0, k = %k0) valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:8, f32> {
        ^bb0(%q: index, %k: index):
          %c = arith.cmpi sle, %k, %q : index
          tile.yield %c : i1
        }
        %mn = tile.reduce max (%t) over(k) init(%mi) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, f32>
        tile.yield %mn : !tile.tile<q:32, f32>
      }
      scf.yield %mx : !tile.tile<q:32, f32>
    }
    tile.store %last, %m[%c0] valid(q = %n) : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// The second try of a block with a NaN has the code of partial tiles only.
// CHECK-LABEL: func.func @second_try.grid0.body(
// CHECK:         arith.cmpi ne
// CHECK-NEXT:    scf.if
// CHECK:         scf.for %{{.*}} = %c0 to %c32 step %c16 {
// CHECK-NOT:       to %{{[0-9]+}} step %c1 {
// CHECK:           scf.for %{{.*}} = %c0 to %{{.*}} step %c4 {
// CHECK:         } else {
tile.program @second_try(%P: !tile.buf<q, k : f32>, %M: !tile.buf<q, k : i1>, %V: !tile.buf<k, e : f32>, %O: !tile.buf<q, e : f32>, %n: index, %hi: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %o = tile.splat 0.0 : !tile.tile<q:32, e:2, f32>
    %nan = tile.any_nan %o valid(q = %n) : <q:32, e:2, f32>
    %result = scf.if %nan -> (!tile.tile<q:32, e:2, f32>) {
      %sum = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %hi, %hi)] step 8 partial_step 4 iter(%acc = %o) -> (!tile.tile<q:32, e:2, f32>) {
        %p = tile.load %P[%c0, %k0] valid(k = %nk) : !tile.buf<q, k : f32> -> !tile.tile<q:32, k:8, f32>
        %m = tile.load %M[%c0, %k0] valid(k = %nk) : !tile.buf<q, k : i1> -> !tile.tile<q:32, k:8, i1>
        %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f32> -> !tile.tile<k:8, e:2, f32>
        %next = tile.dot (%p, %v) sum(k) acc(%acc) where(%m : !tile.tile<q:32, k:8, i1>) : (!tile.tile<q:32, k:8, f32>, !tile.tile<k:8, e:2, f32>) -> !tile.tile<q:32, e:2, f32>
        tile.yield %next : !tile.tile<q:32, e:2, f32>
      }
      scf.yield %sum : !tile.tile<q:32, e:2, f32>
    } else {
      scf.yield %o : !tile.tile<q:32, e:2, f32>
    }
    tile.store %result, %O[%c0, %c0] valid(q = %n) : !tile.tile<q:32, e:2, f32>, !tile.buf<q, e : f32>
  }
}

// One comparison looks for a NaN in two rows of a tile.
// CHECK-LABEL: func.func @look_for_nan.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c4
// CHECK:           %[[A:.*]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK:           %[[B:.*]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK:           arith.cmpf uno, %[[A]], %[[B]]
// CHECK:           %[[C:.*]] = llvm.load
// CHECK:           %[[D:.*]] = llvm.load
// CHECK:           arith.cmpf uno, %[[C]], %[[D]]
tile.program @look_for_nan(%P: !tile.buf<q, k : f32>, %O: !tile.buf<q, k : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %p = tile.load %P[%c0, %c0] valid(q = %n) : !tile.buf<q, k : f32> -> !tile.tile<q:32, k:8, f32>
    %nan = tile.any_nan %p valid(q = %n) : <q:32, k:8, f32>
    %result = scf.if %nan -> (!tile.tile<q:32, k:8, f32>) {
      %zero = tile.splat 0.0 : !tile.tile<q:32, k:8, f32>
      scf.yield %zero : !tile.tile<q:32, k:8, f32>
    } else {
      scf.yield %p : !tile.tile<q:32, k:8, f32>
    }
    tile.store %result, %O[%c0, %c0] valid(q = %n) : !tile.tile<q:32, k:8, f32>, !tile.buf<q, k : f32>
  }
}
