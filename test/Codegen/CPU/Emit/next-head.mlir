// Blocks of queries prefetch their share of the keys and values of the next
// head, beside the granules of weights.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse -o %t.mlir && FileCheck %s --input-file %t.mlir

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = auto, unit = matrix>
#packed = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = transposed, unit = matrix>

// A share is what the keys are divided by the blocks; a block knows its first
// line, and a granule compares its number with the share. Rows of the result and
// of the next queries have the numbers of the first granules.
// CHECK-LABEL: func.func @heads.grid0.body(
// CHECK:         %[[SHARE:.*]] = arith.divui
// CHECK-NOT:     llvm.intr.prefetch
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %c1
// CHECK:         llvm.x86.tdpbf16ps
// CHECK-COUNT-4: math.exp2
// CHECK:         %[[IS_FIRST:.*]] = arith.cmpi slt, %{{.*}}, %c32
// CHECK-NEXT:    %[[IS_RARE:.*]] = llvm.call_intrinsic "llvm.expect"(%[[IS_FIRST]], %false)
// CHECK-NEXT:    scf.if %[[IS_RARE]]
// CHECK-COUNT-3: "llvm.intr.prefetch"({{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// CHECK:         scf.if
// CHECK-COUNT-2: "llvm.intr.prefetch"
// CHECK:         llvm.x86.tdpbf16ps

// The last product brings the next queries into L1, two rows per step of it.
// CHECK-COUNT-8: "llvm.intr.prefetch"({{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// CHECK-NOT:     llvm.intr.prefetch
// CHECK:         llvm.x86.tdpbf16ps
// CHECK:         "llvm.intr.prefetch"({{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// CHECK:         return
tile.program @heads(%Q: !tile.buf<h, q, d : bf16>, %K: !tile.buf<h, k, d : bf16>, %V: !tile.buf<h, k, e : bf16>, %O: !tile.buf<h, q, e : f32>, %n: index) target #tiles {
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  tile.grid (%h, %i) to (%c4, %c4) order(desc 1) {
    %c0 = arith.constant 0 : index
    %first = arith.muli %i, %c32 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:32, f32>
    %q = tile.load %Q[%h, %first, %c0] : !tile.buf<h, q, d : bf16> -> !tile.tile<q:32, d:32, bf16>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 32 partial_step 32 iter(%acc = %zero) -> (!tile.tile<q:32, e:32, f32>) {
      %k = tile.load %K[%h, %k0, %c0] valid(k = %nk) : !tile.buf<h, k, d : bf16> -> !tile.tile<k:32, d:32, bf16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:32, bf16>, !tile.tile<k:32, d:32, bf16>) -> !tile.tile<q:32, k:32, f32>
      %p = tile.map(%s) : (!tile.tile<q:32, k:32, f32>) -> !tile.tile<q:32, k:32, bf16> {
      ^bb0(%x: f32):
        %w = math.exp2 %x : f32
        %r = arith.truncf %w : f32 to bf16
        tile.yield %r : bf16
      }
      %v = tile.load %V[%h, %k0, %c0] valid(k = %nk) : !tile.buf<h, k, e : bf16> -> !tile.tile<k:32, e:32, bf16>
      %next = tile.dot (%p, %v) sum(k) acc(%acc) : (!tile.tile<q:32, k:32, bf16>, !tile.tile<k:32, e:32, bf16>) -> !tile.tile<q:32, e:32, f32>
      tile.yield %next : !tile.tile<q:32, e:32, f32>
    }
    tile.store %o, %O[%h, %first, %c0] : !tile.tile<q:32, e:32, f32>, !tile.buf<h, q, e : f32>
  }
}

// One axis of tasks has no next head, but a next block.
// CHECK-LABEL: func.func @blocks.grid0.body(
// CHECK-NOT:     arith.divui
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %c1
// CHECK:         llvm.x86.tdpbf16ps
// CHECK-COUNT-4: math.exp2
// CHECK-COUNT-3: "llvm.intr.prefetch"
// CHECK-NOT:     llvm.intr.prefetch
// CHECK:         llvm.x86.tdpbf16ps
// CHECK:         return
tile.program @blocks(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  tile.grid (%i) to (%c4) {
    %c0 = arith.constant 0 : index
    %first = arith.muli %i, %c32 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:32, f32>
    %q = tile.load %Q[%first, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:32, d:32, bf16>
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
    tile.store %o, %O[%first, %c0] : !tile.tile<q:32, e:32, f32>, !tile.buf<q, e : f32>
  }
}

// Values that the grid before packs head by head: the lines that it reads and
// those that it stores, next to the keys.
// CHECK-LABEL: func.func @packed.grid1.body(
// CHECK-COUNT-3: arith.divui
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %c1
// CHECK:         llvm.x86.tdpbf16ps
// CHECK-COUNT-4: math.exp2
// CHECK:         scf.if
// CHECK-COUNT-3: "llvm.intr.prefetch"
// CHECK:         scf.if
// CHECK-COUNT-3: "llvm.intr.prefetch"
// CHECK-NOT:     llvm.intr.prefetch
// CHECK:         llvm.x86.tdpbf16ps
// CHECK:         return
tile.program @packed(%Q: !tile.buf<b, h, q, d : bf16>, %K: !tile.buf<b, h, k, d : bf16>, %V: !tile.buf<b, h, k, e : bf16>, %O: !tile.buf<b, h, q, e : f32>, %n: index) target #packed {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %values = tile.rename %V : !tile.buf<b, h, k, e : bf16> -> !tile.buf<b, h, q, e : bf16>
  %blocks = arith.ceildivsi %n, %c32 : index
  %P = tile.workspace [%c4, %c4, %blocks, %c32, %c32] : !tile.buf<b, h, n, e, q : bf16>
  %merged = tile.rename %P merge("k", "c" by 32) : !tile.buf<b, h, n, e, q : bf16> -> !tile.buf<b, h, k, e, c : bf16>
  tile.grid (%b, %h, %j) to (%c4, %c4, %blocks) {
    %c0 = arith.constant 0 : index
    %first = arith.muli %j, %c32 : index
    %left = arith.subi %n, %first : index
    %v = tile.load %values[%b, %h, %first, %c0] valid(q = %left) : !tile.buf<b, h, q, e : bf16> -> !tile.tile<q:32, e:32, bf16>
    tile.store %v, %P[%b, %h, %j, %c0, %c0] : !tile.tile<q:32, e:32, bf16>, !tile.buf<b, h, n, e, q : bf16>
  }
  tile.grid (%b, %h, %i) to (%c4, %c4, %c4) order(desc 2) {
    %c0 = arith.constant 0 : index
    %first = arith.muli %i, %c32 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:32, f32>
    %q = tile.load %Q[%b, %h, %first, %c0] : !tile.buf<b, h, q, d : bf16> -> !tile.tile<q:32, d:32, bf16>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 32 partial_step 32 iter(%acc = %zero) -> (!tile.tile<q:32, e:32, f32>) {
      %k = tile.load %K[%b, %h, %k0, %c0] valid(k = %nk) : !tile.buf<b, h, k, d : bf16> -> !tile.tile<k:32, d:32, bf16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:32, bf16>, !tile.tile<k:32, d:32, bf16>) -> !tile.tile<q:32, k:32, f32>
      %p = tile.map(%s) : (!tile.tile<q:32, k:32, f32>) -> !tile.tile<q:32, k:32, bf16> {
      ^bb0(%x: f32):
        %w = math.exp2 %x : f32
        %r = arith.truncf %w : f32 to bf16
        tile.yield %r : bf16
      }
      %v = tile.load %merged[%b, %h, %k0, %c0, %c0] valid(k = %nk) : !tile.buf<b, h, k, e, c : bf16> -> !tile.tile<k:32, e:32, bf16>
      %next = tile.dot (%p, %v) sum(k) acc(%acc) : (!tile.tile<q:32, k:32, bf16>, !tile.tile<k:32, e:32, bf16>) -> !tile.tile<q:32, e:32, f32>
      tile.yield %next : !tile.tile<q:32, e:32, f32>
    }
    tile.store %o, %O[%b, %h, %first, %c0] : !tile.tile<q:32, e:32, f32>, !tile.buf<b, h, q, e : f32>
  }
}
