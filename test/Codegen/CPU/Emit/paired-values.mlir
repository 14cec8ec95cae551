// A turn adds one half of the features of the values of two tiles, so that each
// register of sums is loaded and stored for twice as many products.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse -o %t.mlir && FileCheck %s --input-file %t.mlir

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = transposed, unit = matrix>

// The half depends on the turn. Its registers are loaded once. Then there are two
// steps for the tile before the last one, unless its values have been added, and
// two for the last one. Weights have three copies.
// CHECK-LABEL: func.func @paired.grid0.body(
// CHECK:         scf.for %[[TURN:.*]] = %c0 to %[[COUNT:.*]] step %c1 iter_args({{.*}}, %[[PAIR:[a-z0-9]*]] = %false)
// CHECK:         %[[HALF:.*]] = arith.andi %[[TURN]], %c1
// CHECK:         %[[ROW:.*]] = arith.muli %[[HALF]], %c2
// CHECK:         %[[IS_USUAL:.*]] = llvm.call_intrinsic "llvm.expect"(%[[PAIR]], %true)
// CHECK:         scf.if %[[IS_USUAL]]
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%c0_i8
// CHECK:         arith.remui %{{.*}}, %c3
// CHECK-NOT:     llvm.x86.tileloadd64"(%c0_i8
// CHECK-COUNT-8: llvm.x86.tdpbf16ps
// CHECK-NOT:     llvm.x86.tdpbf16ps
// CHECK:         else
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%c0_i8
// CHECK-NOT:     llvm.x86.tdpbf16ps
// CHECK:         arith.remui %{{.*}}, %c3
// CHECK-COUNT-8: llvm.x86.tdpbf16ps
// CHECK-NOT:     llvm.x86.tdpbf16ps
// CHECK:         llvm.x86.tilezero

// Where a factor is not 1, the other half gets the values of the last tile before
// all sums are rescaled, and the next turn has one tile to add.
// CHECK:         arith.cmpf une
// CHECK:         arith.select %[[AGAIN:.*]], %false, %{{.*}} : i1
// CHECK-NEXT:    arith.select %[[AGAIN]], %false, %[[IS_OTHER:.*]] : i1
// CHECK-NEXT:    scf.if %[[AGAIN]]
// CHECK-NEXT:    scf.if %[[IS_OTHER]]
// CHECK:         llvm.x86.tilezero
// CHECK:         else
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%c0_i8
// CHECK-COUNT-8: llvm.x86.tdpbf16ps
// CHECK:         llvm.x86.tilestored64"(%c3_i8
// CHECK:         llvm.x86.tilezero
// CHECK:         scf.for %{{.*}} = %c0 to %c64 step %c1 {
// CHECK:         arith.mulf

// Behind the last turn one half misses two tiles, the other one the last tile.
// CHECK:         arith.andi %[[COUNT]], %c1
// CHECK:         scf.if
// CHECK-COUNT-8: llvm.x86.tdpbf16ps
// CHECK:         else
// CHECK-COUNT-8: llvm.x86.tdpbf16ps
// CHECK:         llvm.x86.tilestored64"(%c0_i8
// CHECK-COUNT-8: llvm.x86.tdpbf16ps
tile.program @paired(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<n, e, q : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
  %blocks = tile.rename %V merge("k", "c" by 32) : !tile.buf<n, e, q : bf16> -> !tile.buf<k, e, c : bf16>
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:64, f32>
    %least = tile.splat -inf : !tile.tile<q:32, f32>
    %none = tile.splat 0.0 : !tile.tile<q:32, f32>
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:32, d:32, bf16>
    %o:3 = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 64 partial_step 32 iter(%acc = %zero, %m = %least, %l = %none) -> (!tile.tile<q:32, e:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : bf16> -> !tile.tile<k:64, d:32, bf16>
      %sum = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:32, bf16>, !tile.tile<k:64, d:32, bf16>) -> !tile.tile<q:32, k:64, f32>
      %s = tile.select_masked %sum valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
        %true = arith.constant true
        tile.yield %true : i1
      }
      %largest = tile.reduce max(%s) over(k) init(%m) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
      %m1 = tile.map(%largest, %m) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: f32, %y: f32):
        %growth = arith.constant 2.0 : f32
        %limit = arith.addf %y, %growth : f32
        %grows = arith.cmpf ogt, %x, %limit : f32
        %next = arith.select %grows, %x, %y : f32
        tile.yield %next : f32
      }
      %p = tile.map(%s, %m1) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
      ^bb0(%x: f32, %y: f32):
        %d = arith.subf %x, %y : f32
        %w = math.exp2 %d fastmath<afn> : f32
        tile.yield %w : f32
      }
      %factor = tile.map(%m, %m1) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: f32, %y: f32):
        %d = arith.subf %x, %y : f32
        %w = math.exp2 %d fastmath<afn> : f32
        tile.yield %w : f32
      }
      %l0 = tile.rescale %l by %factor : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
      %l1 = tile.reduce add(%p) over(k) init(%l0) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
      %rounded = tile.map(%p) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, bf16> {
      ^bb0(%x: f32):
        %r = arith.truncf %x : f32 to bf16
        tile.yield %r : bf16
      }
      %acc0 = tile.rescale %acc by %factor : !tile.tile<q:32, e:64, f32>, !tile.tile<q:32, f32>
      %v = tile.load %blocks[%k0, %c0, %c0] valid(k = %nk) : !tile.buf<k, e, c : bf16> -> !tile.tile<k:64, e:64, bf16>
      %acc1 = tile.dot (%rounded, %v) sum(k) acc(%acc0) : (!tile.tile<q:32, k:64, bf16>, !tile.tile<k:64, e:64, bf16>) -> !tile.tile<q:32, e:64, f32>
      tile.yield %acc1, %m1, %l1 : !tile.tile<q:32, e:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
    }
    tile.store %o#0, %O[%c0, %c0] : !tile.tile<q:32, e:64, f32>, !tile.buf<q, e : f32>
  }
}
