// A table whose index by distance is from 0 to 31 is copied before the loop over
// keys, and read by a permutation of two registers instead of gathered.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = never>
#avx2 = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = never>

// The magnitude of a distance is not negative. Entries past the end of the table
// are its last one.
// CHECK-LABEL: func.func @by_magnitude.grid0.body(
// CHECK:         scf.for %[[ENTRY:.*]] = %c0 to %c32 step %c1 {
// CHECK:           arith.minsi %[[ENTRY]], %{{.*}} : index
// CHECK:           %[[VALUE:.*]] = llvm.load {{.*}} -> f32
// CHECK:           llvm.store %[[VALUE]], {{.*}} : f32
// CHECK:         scf.for
// CHECK-NOT:     gather
// CHECK:           arith.maxsi {{.*}} : vector<16xi32>
// CHECK:           %[[PLACES:.*]] = arith.minsi {{.*}} : vector<16xi32>
// CHECK:           %[[LOW:.*]] = llvm.load {{.*}} {alignment = 64 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK:           %[[HIGH:.*]] = llvm.load {{.*}} {alignment = 64 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK:           "llvm.x86.avx512.vpermi2var.ps.512"(%[[LOW]], %[[PLACES]], %[[HIGH]])
tile.program @by_magnitude(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %t: !tile.buf<a0, a1 : f32>, %l: !tile.buf<q : f32>, %n: index, %h: index) target #cpu {
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
        %zero = arith.constant 0 : index
        %most = arith.constant 31 : index
        %minus = arith.subi %zero, %d : index
        %far = arith.maxsi %d, %minus : index
        %bucket = arith.minsi %far, %most : index
        %v = tile.read %t[%bucket, %h] : !tile.buf<a0, a1 : f32> -> f32
        tile.yield %v : f32
      }
      %s = tile.skew %r plus(q) minus(k) : !tile.tile<r:39, f32> -> !tile.tile<q:32, k:8, f32>
      %y = tile.map (%x, %s) : (!tile.tile<q:32, k:8, f32>, !tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, k:8, f32> {
      ^bb0(%a: f32, %b: f32):
        %sum = arith.addf %a, %b : f32
        tile.yield %sum : f32
      }
      %m = tile.select_masked %y valid(k = %nk) when %partial fill 0.0 : !tile.tile<q:32, k:8, f32> {
        %true = arith.constant true
        tile.yield %true : i1
      }
      %lj = tile.reduce add(%m) over(k) init(%li) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, f32>
      tile.yield %lj : !tile.tile<q:32, f32>
    }
    tile.store %ln, %l[%c0] : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// Two registers do not hold 33 entries.
// CHECK-LABEL: func.func @one_more.grid0.body(
// CHECK-NOT:     vpermi2var
// CHECK:         gather
tile.program @one_more(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %t: !tile.buf<a0, a1 : f32>, %l: !tile.buf<q : f32>, %n: index, %h: index) target #cpu {
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
        %zero = arith.constant 0 : index
        %most = arith.constant 32 : index
        %minus = arith.subi %zero, %d : index
        %far = arith.maxsi %d, %minus : index
        %bucket = arith.minsi %far, %most : index
        %v = tile.read %t[%bucket, %h] : !tile.buf<a0, a1 : f32> -> f32
        tile.yield %v : f32
      }
      %s = tile.skew %r plus(q) minus(k) : !tile.tile<r:39, f32> -> !tile.tile<q:32, k:8, f32>
      %y = tile.map (%x, %s) : (!tile.tile<q:32, k:8, f32>, !tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, k:8, f32> {
      ^bb0(%a: f32, %b: f32):
        %sum = arith.addf %a, %b : f32
        tile.yield %sum : f32
      }
      %m = tile.select_masked %y valid(k = %nk) when %partial fill 0.0 : !tile.tile<q:32, k:8, f32> {
        %true = arith.constant true
        tile.yield %true : i1
      }
      %lj = tile.reduce add(%m) over(k) init(%li) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, f32>
      tile.yield %lj : !tile.tile<q:32, f32>
    }
    tile.store %ln, %l[%c0] : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// A level without such permutations.
// CHECK-LABEL: func.func @narrow.grid0.body(
// CHECK-NOT:     vpermi2var
// CHECK:         return
tile.program @narrow(%l: !tile.buf<q : f32>, %t: !tile.buf<a0 : f32>, %n: index) target #avx2 {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %l0 = tile.splat 0.0 : !tile.tile<q:32, f32>
    %ln = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 8 partial_step 4 iter(%li = %l0) -> (!tile.tile<q:32, f32>) {
      %r = tile.map () at(r = %k0) : () -> !tile.tile<r:39, f32> {
      ^bb0(%d: index):
        %zero = arith.constant 0 : index
        %most = arith.constant 31 : index
        %above = arith.maxsi %d, %zero : index
        %bucket = arith.minsi %above, %most : index
        %v = tile.read %t[%bucket] : !tile.buf<a0 : f32> -> f32
        tile.yield %v : f32
      }
      %s = tile.skew %r plus(q) minus(k) : !tile.tile<r:39, f32> -> !tile.tile<q:32, k:8, f32>
      %m = tile.select_masked %s valid(k = %nk) when %partial fill 0.0 : !tile.tile<q:32, k:8, f32> {
        %true = arith.constant true
        tile.yield %true : i1
      }
      %lj = tile.reduce add(%m) over(k) init(%li) : (!tile.tile<q:32, k:8, f32>) -> !tile.tile<q:32, f32>
      tile.yield %lj : !tile.tile<q:32, f32>
    }
    tile.store %ln, %l[%c0] : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}
