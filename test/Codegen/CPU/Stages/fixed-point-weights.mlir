// Weights of a pipelined tile that only their sum and a product of bf16 read are
// powers of two in fixed point.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse -o %t.mlir && FileCheck %s --input-file %t.mlir

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 1, tail = 0, lane_skip = false, pack = auto, unit = matrix>

// Scores times 256 * 0.25, the start of a row from -64 times its maximum. One
// instruction gathers the bits of both keys of a pair; none is an exponential.
// A number above 0x4B00FFFF, or a maximum of 2^14 / 0.25 or more, makes the
// tile be done again, in f32.
// CHECK-LABEL: func.func @scaled.grid0.body(
// CHECK-DAG:     %[[FAR:.*]] = arith.constant dense<6.553600e+04> : vector<16xf32>
// CHECK-DAG:     %[[MOST:.*]] = arith.constant dense<1258356735> : vector<16xi32>
// CHECK-DAG:     %[[TABLE:.*]] = arith.constant dense<[0, 1, 2, 4, 4, 6, {{.*}}]> : vector<64xi8>
// CHECK-DAG:     %[[UNITS:.*]] = arith.constant dense<6.400000e+01> : vector<16xf32>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<8.421120e+06> : vector<16xf32>
// CHECK-DAG:     %[[MINUS:.*]] = arith.constant dense<-6.400000e+01> : vector<16xf32>
// CHECK:         %[[START:.*]] = math.fma %{{.*}}, %[[MINUS]], %[[ZERO]]
// CHECK-NOT:     math.exp2
// CHECK:         math.fma %{{.*}}, %[[UNITS]], %[[START]]
// CHECK:         math.fma %{{.*}}, %[[UNITS]], %[[START]]
// CHECK:         "llvm.x86.avx512.pternlog.d.512"({{.*}}, %c254_i32)
// CHECK:         "llvm.x86.avx512.pternlog.d.512"({{.*}}, %c248_i32)
// CHECK:         "llvm.x86.avx512.pmultishift.qb.512"
// CHECK:         "llvm.x86.avx512.permvar.qi.512"(%[[TABLE]],
// CHECK:         arith.subi {{.*}} : vector<32xi16>
// CHECK:         arith.shrui {{.*}} : vector<32xi16>
// CHECK:         "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK:         llvm.store {{.*}} : vector<16xi32>
// CHECK-NOT:     math.exp2
// CHECK:         arith.cmpi ugt, %{{.*}}, %[[MOST]] : vector<16xi32>
// CHECK:         math.absf
// CHECK:         arith.cmpf uge, %{{.*}}, %[[FAR]] : vector<16xf32>
// CHECK:         scf.if
// CHECK:         math.exp2
tile.program @scaled(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
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
        %c = arith.constant 0.25 : f32
        %d = arith.subf %x, %y : f32
        %e = arith.mulf %d, %c : f32
        %w = math.exp2 %e fastmath<afn> : f32
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

// Without a factor a score has 256 units.
// CHECK-LABEL: func.func @unscaled.grid0.body(
// CHECK:         arith.constant dense<2.560000e+02> : vector<16xf32>
// CHECK:         llvm.x86.avx512.permvar.qi.512
// CHECK:         return
tile.program @unscaled(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
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

// Exponents that fall with the score would need the largest ones first.
// CHECK-LABEL: func.func @falling.grid0.body(
// CHECK-NOT:     llvm.x86.avx512.permvar.qi.512
// CHECK:         return
tile.program @falling(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
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
        %c = arith.constant -0.25 : f32
        %d = arith.subf %x, %y : f32
        %e = arith.mulf %d, %c : f32
        %w = math.exp2 %e fastmath<afn> : f32
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

// A rounding mode is honored, so these are rounded f32.
// CHECK-LABEL: func.func @rounded.grid0.body(
// CHECK-NOT:     llvm.x86.avx512.permvar.qi.512
// CHECK:         return
tile.program @rounded(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
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
        %c = arith.constant 0.25 : f32
        %d = arith.subf %x, %y : f32
        %e = arith.mulf %d, %c : f32
        %w = math.exp2 %e fastmath<afn> : f32
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
        %r = arith.truncf %x toward_zero : f32 to bf16
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
