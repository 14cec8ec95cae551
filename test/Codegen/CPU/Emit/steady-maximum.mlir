// Weights are made with the maximum of the tiles before, and again with that of
// their tile if their sum is too large. These have a rounding mode, so they are
// f32 until then (others: Stages/fixed-point-weights.mlir).
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse -o %t.mlir && FileCheck %s --input-file %t.mlir

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 1, tail = 0, lane_skip = false, pack = auto, unit = matrix>

// Before the first tile stands the maximum of 16 of its keys. A tile looks for
// its own maximum only behind the weights, the products beside them, and a
// comparison of the sums with 2^29 or of the maximum with -inf. Then it computes
// its scores again, and those of the next tile, which have been written over
// them.
// CHECK-LABEL: func.func @steady.grid0.body(
// CHECK-NOT:     math.exp2
// Each block of sums of the first tile is stored while the next one starts. The
// last ones, which the first 16 keys do not have, are pending in the first turn.
// CHECK:         scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"(%c0_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c0_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"(%c2_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c2_i8
// CHECK-NOT:     llvm.x86.tilestored64
// CHECK-NOT:     math.exp2
// CHECK:         scf.for %{{.*}} = %c0 to %c16 step %c2 iter_args
// CHECK-NOT:     math.exp2
// CHECK:         arith.cmpf ogt
// CHECK-NOT:     math.exp2
// CHECK-NOT:     llvm.x86.tilestored64
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args({{.*}} = %true, %{{.*}} = %true)
// CHECK-NOT:     arith.maximumf
// CHECK:         llvm.x86.tdpbf16ps
// CHECK-COUNT-2: math.exp2 %{{.*}} fastmath<afn>
// CHECK:         llvm.x86.tilestored64
// CHECK:         %[[LARGE:.*]] = arith.cmpf uge, %{{.*}}, %[[LIMIT:.*]] : vector<16xf32>
// CHECK:         %[[EMPTY:.*]] = arith.cmpf oeq
// CHECK:         arith.ori %[[LARGE]], %[[EMPTY]]
// CHECK:         scf.if
// CHECK:         llvm.x86.tdpbf16ps
// CHECK:         arith.cmpf ogt
// CHECK:         math.exp2
// CHECK:         llvm.x86.tdpbf16ps
// CHECK:         else
tile.program @steady(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:16, e:16, f32>
    %least = tile.splat -inf : !tile.tile<q:16, f32>
    %none = tile.splat 0.0 : !tile.tile<q:16, f32>
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:32, bf16>
    %o:3 = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 64 partial_step 32 iter(%acc = %zero, %m = %least, %l = %none) -> (!tile.tile<q:16, e:16, f32>, !tile.tile<q:16, f32>, !tile.tile<q:16, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : bf16> -> !tile.tile<k:64, d:32, bf16>
      %sum = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:32, bf16>, !tile.tile<k:64, d:32, bf16>) -> !tile.tile<q:16, k:64, f32>
      %s = tile.select_masked %sum valid(k = %nk) when %partial fill -inf : !tile.tile<q:16, k:64, f32> {
        %true = arith.constant true
        tile.yield %true : i1
      }
      %largest = tile.reduce max(%s) over(k) init(%m) : (!tile.tile<q:16, k:64, f32>) -> !tile.tile<q:16, f32>
      %m1 = tile.map(%largest, %m) : (!tile.tile<q:16, f32>, !tile.tile<q:16, f32>) -> !tile.tile<q:16, f32> {
      ^bb0(%x: f32, %y: f32):
        %growth = arith.constant 2.0 : f32
        %limit = arith.addf %y, %growth : f32
        %grows = arith.cmpf ogt, %x, %limit : f32
        %next = arith.select %grows, %x, %y : f32
        tile.yield %next : f32
      }
      %p = tile.map(%s, %m1) : (!tile.tile<q:16, k:64, f32>, !tile.tile<q:16, f32>) -> !tile.tile<q:16, k:64, f32> {
      ^bb0(%x: f32, %y: f32):
        %d = arith.subf %x, %y : f32
        %w = math.exp2 %d fastmath<afn> : f32
        tile.yield %w : f32
      }
      %factor = tile.map(%m, %m1) : (!tile.tile<q:16, f32>, !tile.tile<q:16, f32>) -> !tile.tile<q:16, f32> {
      ^bb0(%x: f32, %y: f32):
        %d = arith.subf %x, %y : f32
        %w = math.exp2 %d fastmath<afn> : f32
        tile.yield %w : f32
      }
      %l0 = tile.rescale %l by %factor : !tile.tile<q:16, f32>, !tile.tile<q:16, f32>
      %l1 = tile.reduce add(%p) over(k) init(%l0) : (!tile.tile<q:16, k:64, f32>) -> !tile.tile<q:16, f32>
      %rounded = tile.map(%p) : (!tile.tile<q:16, k:64, f32>) -> !tile.tile<q:16, k:64, bf16> {
      ^bb0(%x: f32):
        %r = arith.truncf %x to_nearest_away : f32 to bf16
        tile.yield %r : bf16
      }
      %acc0 = tile.rescale %acc by %factor : !tile.tile<q:16, e:16, f32>, !tile.tile<q:16, f32>
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : bf16> -> !tile.tile<k:64, e:16, bf16>
      %acc1 = tile.dot (%rounded, %v) sum(k) acc(%acc0) : (!tile.tile<q:16, k:64, bf16>, !tile.tile<k:64, e:16, bf16>) -> !tile.tile<q:16, e:16, f32>
      tile.yield %acc1, %m1, %l1 : !tile.tile<q:16, e:16, f32>, !tile.tile<q:16, f32>, !tile.tile<q:16, f32>
    }
    tile.store %o#0, %O[%c0, %c0] : !tile.tile<q:16, e:16, f32>, !tile.buf<q, e : f32>
  }
}

// Weights that must be exact wait for their maximum: the largest one is then 1.
// CHECK-LABEL: func.func @exact.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args
// CHECK-NOT:     arith.cmpf uge
// CHECK:         return
tile.program @exact(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:16, e:16, f32>
    %least = tile.splat -inf : !tile.tile<q:16, f32>
    %none = tile.splat 0.0 : !tile.tile<q:16, f32>
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:32, bf16>
    %o:3 = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 64 partial_step 32 iter(%acc = %zero, %m = %least, %l = %none) -> (!tile.tile<q:16, e:16, f32>, !tile.tile<q:16, f32>, !tile.tile<q:16, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : bf16> -> !tile.tile<k:64, d:32, bf16>
      %sum = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:32, bf16>, !tile.tile<k:64, d:32, bf16>) -> !tile.tile<q:16, k:64, f32>
      %s = tile.select_masked %sum valid(k = %nk) when %partial fill -inf : !tile.tile<q:16, k:64, f32> {
        %true = arith.constant true
        tile.yield %true : i1
      }
      %largest = tile.reduce max(%s) over(k) init(%m) : (!tile.tile<q:16, k:64, f32>) -> !tile.tile<q:16, f32>
      %m1 = tile.map(%largest, %m) : (!tile.tile<q:16, f32>, !tile.tile<q:16, f32>) -> !tile.tile<q:16, f32> {
      ^bb0(%x: f32, %y: f32):
        %growth = arith.constant 2.0 : f32
        %limit = arith.addf %y, %growth : f32
        %grows = arith.cmpf ogt, %x, %limit : f32
        %next = arith.select %grows, %x, %y : f32
        tile.yield %next : f32
      }
      %p = tile.map(%s, %m1) : (!tile.tile<q:16, k:64, f32>, !tile.tile<q:16, f32>) -> !tile.tile<q:16, k:64, f32> {
      ^bb0(%x: f32, %y: f32):
        %d = arith.subf %x, %y : f32
        %w = math.exp2 %d : f32
        tile.yield %w : f32
      }
      %factor = tile.map(%m, %m1) : (!tile.tile<q:16, f32>, !tile.tile<q:16, f32>) -> !tile.tile<q:16, f32> {
      ^bb0(%x: f32, %y: f32):
        %d = arith.subf %x, %y : f32
        %w = math.exp2 %d : f32
        tile.yield %w : f32
      }
      %l0 = tile.rescale %l by %factor : !tile.tile<q:16, f32>, !tile.tile<q:16, f32>
      %l1 = tile.reduce add(%p) over(k) init(%l0) : (!tile.tile<q:16, k:64, f32>) -> !tile.tile<q:16, f32>
      %rounded = tile.map(%p) : (!tile.tile<q:16, k:64, f32>) -> !tile.tile<q:16, k:64, bf16> {
      ^bb0(%x: f32):
        %r = arith.truncf %x : f32 to bf16
        tile.yield %r : bf16
      }
      %acc0 = tile.rescale %acc by %factor : !tile.tile<q:16, e:16, f32>, !tile.tile<q:16, f32>
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : bf16> -> !tile.tile<k:64, e:16, bf16>
      %acc1 = tile.dot (%rounded, %v) sum(k) acc(%acc0) : (!tile.tile<q:16, k:64, bf16>, !tile.tile<k:64, e:16, bf16>) -> !tile.tile<q:16, e:16, f32>
      tile.yield %acc1, %m1, %l1 : !tile.tile<q:16, e:16, f32>, !tile.tile<q:16, f32>, !tile.tile<q:16, f32>
    }
    tile.store %o#0, %O[%c0, %c0] : !tile.tile<q:16, e:16, f32>, !tile.buf<q, e : f32>
  }
}
