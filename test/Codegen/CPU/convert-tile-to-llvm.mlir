// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// One task per block; sizes come from the call.
// CHECK-LABEL: func.func @copy.grid0.tasks(
// CHECK-SAME:    %[[CALL:.*]]: !llvm.ptr) -> i64
// CHECK:         %[[SIZES:.*]] = llvm.load %[[CALL]]
// CHECK:         llvm.load %[[SIZES]]
// CHECK:         return

// Scratch belongs to the worker, so it overlaps nothing.
// CHECK-LABEL: func.func @copy.grid0.body(
// CHECK-SAME:    !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64)
// CHECK-NOT:     tile.

// CHECK-LABEL: func.func @copy.scratch(
// CHECK-LABEL: func.func @copy.workspace(
tile.program @copy(%x: !tile.buf<q, d : f32>, %y: !tile.buf<q, d : f32>, %n: index) target #cpu {
  %c16 = arith.constant 16 : index
  %blocks = arith.ceildivsi %n, %c16 : index
  tile.grid (%i) to (%blocks) {
    %c0 = arith.constant 0 : index
    %c16_0 = arith.constant 16 : index
    %q0 = arith.muli %i, %c16_0 : index
    %rest = arith.subi %n, %q0 : index
    %nr = arith.minsi %rest, %c16_0 : index
    %t = tile.load %x[%q0, %c0] valid(q = %nr) : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:4, f32>
    tile.store %t, %y[%q0, %c0] valid(q = %nr) : !tile.tile<q:16, d:4, f32>, !tile.buf<q, d : f32>
  }
}
