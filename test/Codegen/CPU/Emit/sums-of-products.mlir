// Products on the matrix unit that add to the same sums are one item: sums stay
// in the registers.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse -o %t.mlir && FileCheck %s --input-file %t.mlir

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = never, unit = matrix>

// Operand B, which both products share, is loaded once.
// CHECK-LABEL: func.func @shared.grid0.body(
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloaddt164"(%c4_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%c6_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%c7_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloaddt164"(%c5_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c3_i8
// CHECK-NOT:     llvm.x86.tilestored64
// CHECK-NOT:     llvm.x86.tileloadd64
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloaddt164"(%c4_i8
// CHECK-NOT:     llvm.x86.tileloadd64
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK-NOT:     llvm.x86.tdpbf16ps
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK-NOT:     llvm.x86.tilestored64
tile.program @shared(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %L: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:32, d:32, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:32, d:32, bf16>
    %l = tile.load %L[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:32, d:32, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:32, bf16>, !tile.tile<k:32, d:32, bf16>) -> !tile.tile<q:32, k:32, f32>
    %t = tile.dot (%q, %l) sum(d) acc(%s) : (!tile.tile<q:32, d:32, bf16>, !tile.tile<k:32, d:32, bf16>) -> !tile.tile<q:32, k:32, f32>
    tile.store %t, %S[%c0, %c0] : !tile.tile<q:32, k:32, f32>, !tile.buf<q, k : f32>
  }
}

// Sums that something else reads are stored before the second product.
// CHECK-LABEL: func.func @read.grid0.body(
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
tile.program @read(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %L: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %T: !tile.buf<q, k : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:32, d:32, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:32, d:32, bf16>
    %l = tile.load %L[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:32, d:32, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:32, bf16>, !tile.tile<k:32, d:32, bf16>) -> !tile.tile<q:32, k:32, f32>
    %t = tile.dot (%q, %l) sum(d) acc(%s) : (!tile.tile<q:32, d:32, bf16>, !tile.tile<k:32, d:32, bf16>) -> !tile.tile<q:32, k:32, f32>
    tile.store %s, %T[%c0, %c0] : !tile.tile<q:32, k:32, f32>, !tile.buf<q, k : f32>
    tile.store %t, %S[%c0, %c0] : !tile.tile<q:32, k:32, f32>, !tile.buf<q, k : f32>
  }
}
