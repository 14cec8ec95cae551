// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#unrolled = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never>

// The summed dim is unrolled; what is left over follows the loop.
// CHECK-LABEL: func.func @unrolled.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %c4 step %c2 iter_args
// CHECK-COUNT-4:   vector.fma
// CHECK:           scf.yield
// CHECK-COUNT-2: vector.fma
// CHECK-NOT:     vector.fma
// CHECK:         return
tile.program @unrolled(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %S: !tile.buf<q, k : f32>, %n: index) target #unrolled {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:5, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:2, d:5, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:5, f32>, !tile.tile<k:2, d:5, f32>) -> !tile.tile<q:16, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
  }
}

// A run-time number of keys: rows of K in all granules are clamped to the last
// one, so that one loop has the code of whole granules and of the rest; sums
// over keys stop at the last one. With the scores of keys their rows of V are
// prefetched.
// CHECK-LABEL: func.func @ragged_keys.grid0.body(
// CHECK:         %[[NK:.*]] = arith.minsi %{{.*}}, %c8 : index
// CHECK:         scf.for %[[KEY:.*]] = %c0 to %[[NK]] step %c2 {
// CHECK-COUNT-2:   llvm.intr.prefetch
// CHECK:           %[[LAST:.*]] = arith.subi %[[NK]], %c1 : index
// CHECK:           arith.minsi %[[KEY]], %[[LAST]] : index
// CHECK:           arith.minsi %{{.*}}, %[[LAST]] : index
// CHECK:           scf.for
// CHECK-COUNT-4:     vector.fma
// CHECK:         scf.for %{{.*}} = %c0 to %[[NK]] step %c1 iter_args
// CHECK-COUNT-2:   vector.fma
// CHECK-NOT:     vector.fma
tile.program @ragged_keys(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %V: !tile.buf<k, e : f32>, %O: !tile.buf<q, e : f32>, %nk: index) target #unrolled {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:4, f32>
    %k = tile.load %K[%c0, %c0] valid(k = %nk) : !tile.buf<k, d : f32> -> !tile.tile<k:8, d:4, f32>
    %v = tile.load %V[%c0, %c0] valid(k = %nk) : !tile.buf<k, e : f32> -> !tile.tile<k:8, e:2, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, f32>, !tile.tile<k:8, d:4, f32>) -> !tile.tile<q:16, k:8, f32>
    %o = tile.dot (%s, %v) sum(k) : (!tile.tile<q:16, k:8, f32>, !tile.tile<k:8, e:2, f32>) -> !tile.tile<q:16, e:2, f32>
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:16, e:2, f32>, !tile.buf<q, e : f32>
  }
}

// Products at masked places are left out, not multiplied by 0.
// CHECK-LABEL: func.func @where.grid0.body(
// CHECK:         %[[PRODUCT:.*]] = vector.fma %{{.*}}, %{{.*}}, %[[ACC:.*]] :
// CHECK:         arith.select %{{.*}}, %[[PRODUCT]], %[[ACC]] : vector<16xi1>, vector<16xf32>
tile.program @where(%P: !tile.buf<q, k : f32>, %M: !tile.buf<q, k : i1>, %V: !tile.buf<k, e : f32>, %O: !tile.buf<q, e : f32>, %n: index) target #unrolled {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %p = tile.load %P[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:8, f32>
    %m = tile.load %M[%c0, %c0] : !tile.buf<q, k : i1> -> !tile.tile<q:16, k:8, i1>
    %v = tile.load %V[%c0, %c0] : !tile.buf<k, e : f32> -> !tile.tile<k:8, e:2, f32>
    %o = tile.dot (%p, %v) sum(k) where(%m : !tile.tile<q:16, k:8, i1>) : (!tile.tile<q:16, k:8, f32>, !tile.tile<k:8, e:2, f32>) -> !tile.tile<q:16, e:2, f32>
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:16, e:2, f32>, !tile.buf<q, e : f32>
  }
}

// Terms: a vector of queries at a time, each row of the granule by its formula.
// CHECK-LABEL: func.func @terms.grid0.body(
// CHECK:         scf.for %[[D:.*]] = %c0 to %c5 step %c1 iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK-COUNT-2:   arith.addf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK-DAG:       arith.addf %[[A]], %{{.*}} : vector<16xf32>
// CHECK-DAG:       arith.addf %[[B]], %{{.*}} : vector<16xf32>
// CHECK:           scf.yield
// CHECK-NOT:     vector.fma
// CHECK:         return
tile.program @terms(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %S: !tile.buf<q, k : f32>, %n: index) target #unrolled {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:5, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:2, d:5, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:5, f32>, !tile.tile<k:2, d:5, f32>) -> !tile.tile<q:16, k:2, f32> term {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tile.yield %z : f32
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
  }
}

// A term of more tiles: another vector of queries, another scalar per row.
// CHECK-LABEL: func.func @terms_of_more.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %c5 step %c1 iter_args(
// CHECK-COUNT-2:   llvm.load {{.*}} -> vector<16xf32>
// CHECK-COUNT-2:   arith.subf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:           arith.mulf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:           scf.yield
tile.program @terms_of_more(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %A: !tile.buf<q, d : f32>, %B: !tile.buf<k, d : f32>, %S: !tile.buf<q, k : f32>, %n: index) target #unrolled {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:5, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:1, d:5, f32>
    %a = tile.load %A[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:5, f32>
    %b = tile.load %B[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:1, d:5, f32>
    %s = tile.dot (%q, %k) and (%a, %b : !tile.tile<q:16, d:5, f32>, !tile.tile<k:1, d:5, f32>) sum(d) : (!tile.tile<q:16, d:5, f32>, !tile.tile<k:1, d:5, f32>) -> !tile.tile<q:16, k:1, f32> term {
    ^bb0(%x: f32, %y: f32, %z: f32, %w: f32):
      %first = arith.subf %x, %y : f32
      %second = arith.subf %z, %w : f32
      %term = arith.mulf %first, %second : f32
      tile.yield %term : f32
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:1, f32>, !tile.buf<q, k : f32>
  }
}
