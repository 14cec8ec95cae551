// The epilogue of a product on the matrix unit runs next to the products of the
// next block of sums.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse -o %t.mlir && FileCheck %s --input-file %t.mlir

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 2], value_granule = [6, 2], unroll = 4, tail = 0, lane_skip = false, pack = never, unit = matrix>

// Two blocks of 32 rows, nine steps. The sums of a block are stored in the first
// step of the next one. Each later step has four rows of the formula, if a block
// precedes.
// CHECK-LABEL: func.func @epilogue.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %c4 step %c2 iter_args(%[[BEFORE:.*]] = %false) -> (i1) {
// CHECK-NOT:     arith.negf
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"(%c3_i8
// CHECK-NOT:     arith.negf
// CHECK:         scf.for %{{.*}} = %c1 to %c9 step %c1 {
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK:         %[[IS_PART:.*]] = arith.andi %[[BEFORE]], %{{.*}} : i1
// CHECK:         scf.if %[[IS_PART]] {
// CHECK-COUNT-8: arith.negf
// CHECK-NOT:     arith.negf
// The rows of the last block come after it.
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"(%c3_i8
// CHECK:         scf.for %{{.*}} = %c32 to %c64 step %c4 {
// CHECK-NOT:     llvm.x86
// CHECK-COUNT-8: arith.negf
// A tile that has fewer rows is complete before its formula starts.
// CHECK-COUNT-12: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK:         arith.negf
// CHECK-NOT:     llvm.x86.tdpbf16ps
tile.program @epilogue(%W: !tile.buf<k, q : bf16>, %X: !tile.buf<e, k : bf16>, %Y: !tile.buf<e, q : bf16>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] : !tile.buf<k, q : bf16> -> !tile.tile<q:32, k:288, bf16>
    tile.for (%e0, %ne, %partial) in [(%c0, %c0, %n, %n)] step 64 partial_step 64 {
      %x = tile.load %X[%e0, %c0] valid(e = %ne) : !tile.buf<e, k : bf16> -> !tile.tile<e:64, k:288, bf16>
      %s = tile.dot (%w, %x) sum(k) : (!tile.tile<q:32, k:288, bf16>, !tile.tile<e:64, k:288, bf16>) -> !tile.tile<q:32, e:64, f32>
      %y = tile.map(%s) : (!tile.tile<q:32, e:64, f32>) -> !tile.tile<q:32, e:64, bf16> {
      ^bb0(%a: f32):
        %b = arith.negf %a : f32
        %r = arith.truncf %b : f32 to bf16
        tile.yield %r : bf16
      }
      tile.store %y, %Y[%e0, %c0] valid(e = %ne) : !tile.tile<q:32, e:64, bf16>, !tile.buf<e, q : bf16>
      tile.yield
    }
  }
}
