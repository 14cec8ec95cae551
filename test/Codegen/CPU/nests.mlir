// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = never>

// The dot, what follows it element by element, and the maximum of the result
// are one nest: granules of 2 keys and 2 vectors, maxima carried in registers.
// CHECK-LABEL: func.func @dot_with_epilogue.grid0.body(
// CHECK:         %[[MAX:.*]]:2 = scf.for %{{.*}} = %c0 to %c8 step %c2 iter_args(%{{.*}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK:           %[[DOT:.*]]:4 = scf.for
// CHECK-COUNT-4:     vector.fma
// CHECK:           arith.mulf %[[DOT]]#0,
// CHECK:           arith.cmpf ogt
// CHECK:           scf.yield
// CHECK-NOT:     scf.for
// CHECK:         llvm.store %[[MAX]]#0
tile.program @dot_with_epilogue(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %m: !tile.buf<q : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:32, d:4, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:8, d:4, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:8, d:4, f32>) -> !tile.tile<q:32, k:8, f32>
    %t = tile.map (%s) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, k:8, f32> {
    ^bb0(%x: f32):
      %half = arith.constant 0.5 : f32
      %y = arith.mulf %x, %half : f32
      tile.yield %y : f32
    }
    %m0 = tile.splat -inf : !tile.tile<q:32, f32>
    %mx = tile.reduce max (%t) over(k) init(%m0) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, f32>
    tile.store %mx, %m[%c0] : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// A scaled accumulator is scaled where the dot loads it, also when the weights
// are made later than the factor.
// CHECK-LABEL: func.func @rescale_in_the_accumulator.grid0.body(
// CHECK:         math.exp2
// CHECK:         scf.for %{{.*}} = %c0 to %c4 step %c2 {
// CHECK:           arith.mulf
// CHECK:           scf.for
// CHECK-COUNT-4:     vector.fma
tile.program @rescale_in_the_accumulator(%P: !tile.buf<q, k : f32>, %V: !tile.buf<k, e : f32>, %O: !tile.buf<q, e : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %v = tile.load %V[%c0, %c0] : !tile.buf<k, e : f32> -> !tile.tile<k:8, e:4, f32>
    %o = tile.load %O[%c0, %c0] : !tile.buf<q, e : f32> -> !tile.tile<q:32, e:4, f32>
    %s = tile.load %P[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:32, k:8, f32>
    %f = tile.splat 0.5 : !tile.tile<q:32, f32>
    %a = tile.rescale %o by %f : !tile.tile<q:32, e:4, f32>, !tile.tile<q:32, f32>
    %p = tile.map (%s) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, k:8, f32> {
    ^bb0(%x: f32):
      %y = math.exp2 %x : f32
      tile.yield %y : f32
    }
    %r = tile.dot (%p, %v) sum(k) acc(%a) : (!tile.tile<q:32, k:8, f32>, !tile.tile<k:8, e:4, f32>) -> !tile.tile<q:32, e:4, f32>
    tile.store %r, %O[%c0, %c0] : !tile.tile<q:32, e:4, f32>, !tile.buf<q, e : f32>
  }
}

// A static extent that the granule does not divide ends with a smaller one.
// CHECK-LABEL: func.func @last_granule.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %c6 step %c2 {
// CHECK:           scf.for
// CHECK-COUNT-4:     vector.fma
// CHECK:         scf.for
// CHECK-COUNT-2:   vector.fma
// CHECK-NOT:     vector.fma
// CHECK:         return
tile.program @last_granule(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %S: !tile.buf<q, k : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:32, d:4, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:7, d:4, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:7, d:4, f32>) -> !tile.tile<q:32, k:7, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:32, k:7, f32>, !tile.buf<q, k : f32>
  }
}
