// Full tiles on the matrix unit are a pipeline: beside the weights of a tile run
// the scores of the next one and the values of the last one.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse -o %t.mlir && FileCheck %s --input-file %t.mlir

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = auto, unit = matrix>

// Scores of the first tile precede all weights.
// CHECK-LABEL: func.func @pipelined.grid0.body(
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK-NOT:     math.exp2

// In the loop rows of weights stand between two instructions of the unit: first
// values, which add to what is in memory, unless this is the first tile; then
// scores, unless it is the last one. The values are stored when the scores use
// their registers.
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %c1 {
// CHECK-NOT:     math.exp2
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%c0_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c0_i8, %c4_i8, %c6_i8)
// CHECK-COUNT-8: math.exp2
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%c1_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c3_i8, %c5_i8, %c7_i8)
// CHECK-COUNT-8: math.exp2
// CHECK:         else
// CHECK-NOT:     llvm.x86
// CHECK-COUNT-4: math.exp2
// CHECK:         scf.if
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"(%c0_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.tilezero"(%c0_i8)
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c0_i8, %c4_i8, %c6_i8)
// CHECK-COUNT-8: math.exp2
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"(%c1_i8
tile.program @pipelined(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:32, f32>
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:32, d:32, bf16>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 32 partial_step 32 iter(%acc = %zero) -> (!tile.tile<q:32, e:32, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : bf16> -> !tile.tile<k:32, d:32, bf16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:32, bf16>, !tile.tile<k:32, d:32, bf16>) -> !tile.tile<q:32, k:32, f32>
      %p = tile.map(%s) : (!tile.tile<q:32, k:32, f32>) -> !tile.tile<q:32, k:32, bf16> {
      ^bb0(%x: f32):
        %w = math.exp2 %x : f32
        %r = arith.truncf %w : f32 to bf16
        tile.yield %r : bf16
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : bf16> -> !tile.tile<k:32, e:32, bf16>
      %next = tile.dot (%p, %v) sum(k) acc(%acc) : (!tile.tile<q:32, k:32, bf16>, !tile.tile<k:32, e:32, bf16>) -> !tile.tile<q:32, e:32, f32>
      tile.yield %next : !tile.tile<q:32, e:32, f32>
    }
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:32, e:32, f32>, !tile.buf<q, e : f32>
  }
}

// A block of two groups of vectors is not pipelined: products follow each other.
// CHECK-LABEL: func.func @groups.grid0.body(
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c0_i8, %c4_i8, %c6_i8)
// CHECK-NOT:     math.exp2
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c3_i8, %c5_i8, %c7_i8)
// CHECK:         math.exp2
tile.program @groups(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:64, e:32, f32>
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:64, d:32, bf16>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 32 partial_step 32 iter(%acc = %zero) -> (!tile.tile<q:64, e:32, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : bf16> -> !tile.tile<k:32, d:32, bf16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:64, d:32, bf16>, !tile.tile<k:32, d:32, bf16>) -> !tile.tile<q:64, k:32, f32>
      %p = tile.map(%s) : (!tile.tile<q:64, k:32, f32>) -> !tile.tile<q:64, k:32, bf16> {
      ^bb0(%x: f32):
        %w = math.exp2 %x : f32
        %r = arith.truncf %w : f32 to bf16
        tile.yield %r : bf16
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : bf16> -> !tile.tile<k:32, e:32, bf16>
      %next = tile.dot (%p, %v) sum(k) acc(%acc) : (!tile.tile<q:64, k:32, bf16>, !tile.tile<k:32, e:32, bf16>) -> !tile.tile<q:64, e:32, f32>
      tile.yield %next : !tile.tile<q:64, e:32, f32>
    }
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:64, e:32, f32>, !tile.buf<q, e : f32>
  }
}

// Scores have one copy, since the next ones are stored behind the reader; two
// where the blocks of registers differ: 48 keys are one of 32 and one of 16.
// CHECK-LABEL: func.func @even.scratch(
// CHECK-NEXT:    arith.constant 65728 : i64
tile.program @even(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:32, f32>
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:32, d:32, bf16>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 64 partial_step 64 iter(%acc = %zero) -> (!tile.tile<q:32, e:32, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : bf16> -> !tile.tile<k:64, d:32, bf16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:32, bf16>, !tile.tile<k:64, d:32, bf16>) -> !tile.tile<q:32, k:64, f32>
      %p = tile.map(%s) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, bf16> {
      ^bb0(%x: f32):
        %w = math.exp2 %x : f32
        %r = arith.truncf %w : f32 to bf16
        tile.yield %r : bf16
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : bf16> -> !tile.tile<k:64, e:32, bf16>
      %next = tile.dot (%p, %v) sum(k) acc(%acc) : (!tile.tile<q:32, k:64, bf16>, !tile.tile<k:64, e:32, bf16>) -> !tile.tile<q:32, e:32, f32>
      tile.yield %next : !tile.tile<q:32, e:32, f32>
    }
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:32, e:32, f32>, !tile.buf<q, e : f32>
  }
}

// CHECK-LABEL: func.func @odd.scratch(
// CHECK-NEXT:    arith.constant 62784 : i64
tile.program @odd(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:32, f32>
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:32, d:32, bf16>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 48 partial_step 48 iter(%acc = %zero) -> (!tile.tile<q:32, e:32, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : bf16> -> !tile.tile<k:48, d:32, bf16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:32, bf16>, !tile.tile<k:48, d:32, bf16>) -> !tile.tile<q:32, k:48, f32>
      %p = tile.map(%s) : (!tile.tile<q:32, k:48, f32>) -> !tile.tile<q:32, k:48, bf16> {
      ^bb0(%x: f32):
        %w = math.exp2 %x : f32
        %r = arith.truncf %w : f32 to bf16
        tile.yield %r : bf16
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : bf16> -> !tile.tile<k:48, e:32, bf16>
      %next = tile.dot (%p, %v) sum(k) acc(%acc) : (!tile.tile<q:32, k:48, bf16>, !tile.tile<k:48, e:32, bf16>) -> !tile.tile<q:32, e:32, f32>
      tile.yield %next : !tile.tile<q:32, e:32, f32>
    }
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:32, e:32, f32>, !tile.buf<q, e : f32>
  }
}
