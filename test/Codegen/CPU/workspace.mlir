// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
#wide = #tile.cpu<isa = avx512, mapping = rows, lanes = 8, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// A workspace lies in the block of the call, dense; the second one starts on
// the next line of cache. A grid may have a target of its own.
// CHECK-LABEL: func.func @two.grid0.body(
// CHECK-SAME:    %[[CALL:[a-z0-9]+]]: !llvm.ptr
// CHECK:         %[[AT:.*]] = llvm.getelementptr %[[CALL]][3]
// CHECK:         llvm.load %[[AT]]
// CHECK:         llvm.store %{{.*}} : vector<16xf32>
// CHECK-LABEL: func.func @two.grid1.body(
// CHECK:         arith.muli %{{.*}}, %c64
// CHECK:         llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK:         llvm.store %{{.*}} : vector<8xf32>
// Bytes come from the sizes alone; what exceeds 61 bits is -1, which the entry
// refuses.
// CHECK-LABEL: func.func @two.workspace(
// CHECK-NOT:     getelementptr
// CHECK:         arith.divui %c2305843009213693952
// CHECK-NOT:     getelementptr
// CHECK:         arith.select %{{.*}}, %{{.*}}, %c-1
// CHECK:         return
tile.program @two(%x: !tile.buf<q : f32>, %n: index) target #cpu {
  %a = tile.workspace [%n, %n] : !tile.buf<h, q : f32>
  %b = tile.workspace [%n] : !tile.buf<q : f32>
  %r = tile.rename %b : !tile.buf<q : f32> -> !tile.buf<a : f32>
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.splat 1.0 : !tile.tile<q:16, f32>
    tile.store %s, %a[%i, %c0] valid(q = %n) : !tile.tile<q:16, f32>, !tile.buf<h, q : f32>
  }
  tile.grid (%i) to (%n) target #wide {
    %y = tile.read %r[%i] : !tile.buf<a : f32> -> f32
    %c0 = arith.constant 0 : index
    %s = tile.map () : () -> !tile.tile<q:8, f32> {
      tile.yield %y : f32
    }
    tile.store %s, %b[%c0] valid(q = %n) : !tile.tile<q:8, f32>, !tile.buf<q : f32>
  }
}
