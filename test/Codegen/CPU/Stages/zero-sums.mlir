// Values of the first tile of a pipeline start from zero in the registers, so
// zeros are stored only where a block has no full tile.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse -o %t.mlir && FileCheck %s --input-file %t.mlir

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 1, tail = 0, lane_skip = false, pack = auto, unit = matrix>

// CHECK-LABEL: func.func @first.grid0.body(
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK:         %[[ANY:.*]] = arith.cmpi sgt, %{{.*}}, %c0
// CHECK:         scf.if %[[ANY]] {
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.for %{{.*}} = %c0 to %c16 step %c1 {
// CHECK:             llvm.store %[[ZERO]]
// CHECK:         scf.for %[[TILE:.*]] = %c0 to %{{.*}} step %c1 iter_args
// CHECK-DAG:       %[[OTHER:.*]] = arith.cmpi sgt, %[[TILE]], %c0
// CHECK-DAG:       %[[LAST:.*]] = arith.select %[[OTHER]], %{{.*}}, %[[TILE]]
// CHECK-DAG:       %[[FIRST:.*]] = arith.cmpi eq, %[[LAST]], %c0
// CHECK:           scf.if %[[FIRST]] {
// CHECK-NEXT:        "llvm.x86.tilezero"(%c0_i8)
// CHECK-NEXT:      } else {
// CHECK:             "llvm.x86.tileloadd64"(%c0_i8
tile.program @first(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
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

// Sums that do not start from zero are stored before and loaded.
// CHECK-LABEL: func.func @other.grid0.body(
// CHECK:         %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<16xf32>
// CHECK:         scf.for %{{.*}} = %c0 to %c16 step %c1 {
// CHECK:           llvm.store %[[ONE]]
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args
// CHECK-NOT:       "llvm.x86.tilezero"
// CHECK:           "llvm.x86.tdpbf16ps"
tile.program @other(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 1.0 : !tile.tile<q:16, e:16, f32>
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
