// Operands that a grid has packed for the matrix unit.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = keys, unit = matrix>

// Rows of K in blocks of 32 features are read in place: nothing asks for their
// alignment, and nothing completes the 72 features of a row, or the keys of a
// register.
// CHECK-LABEL: func.func @padded.grid0.body(
// CHECK-NOT:     llvm.ptrtoint
// CHECK:         llvm.x86.tilezero
// CHECK-COUNT-6: llvm.call_intrinsic "llvm.x86.tileloaddt164"(
// CHECK-NOT:     llvm.x86.tileloaddt164
// CHECK:         return
tile.program @padded(%Q: !tile.buf<q, d : bf16>, %W: !tile.buf<k, n, q : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  %K = tile.rename %W merge("d", "c" by 32) : !tile.buf<k, n, q : bf16> -> !tile.buf<k, d, c : bf16>
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:32, d:72, bf16>
    %k = tile.load %K[%c0, %c0, %c0] : !tile.buf<k, d, c : bf16> -> !tile.tile<k:32, d:72, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:72, bf16>, !tile.tile<k:32, d:72, bf16>) -> !tile.tile<q:32, k:32, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:32, k:32, f32>, !tile.buf<q, k : f32>
  }
}
