// Grids that need only what the grid before made for the same head run head by
// head: a function counts the heads.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// Both grids use the indices of the axes b and h in P at the same place.
// CHECK-LABEL: func.func @by_head.grid0.tasks(
// CHECK-NOT:   @by_head.grid0.units
// CHECK-LABEL: func.func @by_head.grid1.units(
// CHECK:         %[[UNITS:.*]] = arith.muli %{{.*}}, %c4 : index
// CHECK:         %[[RESULT:.*]] = arith.index_cast %[[UNITS]]
// CHECK:         return %[[RESULT]]
tile.program @by_head(%x: !tile.buf<b, h, q : f32>, %y: !tile.buf<b, h, q : f32>, %n: index) target #cpu {
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %P = tile.workspace [%n, %c4, %n] : !tile.buf<b, h, q : f32>
  tile.grid (%b, %h, %i) to (%n, %c4, %n) {
    %0 = tile.load %x[%b, %h, %i] : !tile.buf<b, h, q : f32> -> !tile.tile<q:16, f32>
    tile.store %0, %P[%b, %h, %i] : !tile.tile<q:16, f32>, !tile.buf<b, h, q : f32>
  }
  tile.grid (%b, %h, %i) to (%n, %c4, %c2) order(desc 2) {
    %0 = tile.load %P[%b, %h, %i] : !tile.buf<b, h, q : f32> -> !tile.tile<q:16, f32>
    tile.store %0, %y[%b, %h, %i] : !tile.tile<q:16, f32>, !tile.buf<b, h, q : f32>
  }
}

// One that reads other heads waits for all tasks, and one that has other heads.
// CHECK-LABEL: func.func @other_heads.grid1.tasks(
// CHECK-NOT:   @other_heads.grid1.units
// CHECK-LABEL: func.func @other_heads.grid2.tasks(
// CHECK-NOT:   @other_heads.grid2.units
// CHECK:       @other_heads.workspace
tile.program @other_heads(%x: !tile.buf<b, h, q : f32>, %y: !tile.buf<b, h, q : f32>, %n: index) target #cpu {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %P = tile.workspace [%n, %c4, %n] : !tile.buf<b, h, q : f32>
  tile.grid (%b, %h, %i) to (%n, %c4, %n) {
    %0 = tile.load %x[%b, %h, %i] : !tile.buf<b, h, q : f32> -> !tile.tile<q:16, f32>
    tile.store %0, %P[%b, %h, %i] : !tile.tile<q:16, f32>, !tile.buf<b, h, q : f32>
  }
  tile.grid (%b, %h, %i) to (%n, %c4, %n) {
    %0 = tile.load %P[%b, %c0, %i] : !tile.buf<b, h, q : f32> -> !tile.tile<q:16, f32>
    tile.store %0, %y[%b, %h, %i] : !tile.tile<q:16, f32>, !tile.buf<b, h, q : f32>
  }
  tile.grid (%b, %h, %i) to (%n, %c2, %n) {
    %0 = tile.load %P[%b, %h, %i] : !tile.buf<b, h, q : f32> -> !tile.tile<q:16, f32>
    tile.store %0, %y[%b, %h, %i] : !tile.tile<q:16, f32>, !tile.buf<b, h, q : f32>
  }
}

// A tile that reads two heads waits for all tasks, too.
// CHECK-LABEL: func.func @two_heads.grid1.tasks(
// CHECK-NOT:   @two_heads.grid1.units
// CHECK:       @two_heads.workspace
tile.program @two_heads(%x: !tile.buf<b, h, q : f32>, %y: !tile.buf<b, h, q : f32>, %n: index) target #cpu {
  %c4 = arith.constant 4 : index
  %P = tile.workspace [%n, %c4, %n] : !tile.buf<b, h, q : f32>
  tile.grid (%b, %h, %i) to (%n, %c4, %n) {
    %0 = tile.load %x[%b, %h, %i] : !tile.buf<b, h, q : f32> -> !tile.tile<q:16, f32>
    tile.store %0, %P[%b, %h, %i] : !tile.tile<q:16, f32>, !tile.buf<b, h, q : f32>
  }
  tile.grid (%b, %h, %i) to (%n, %c4, %n) {
    %0 = tile.load %P[%b, %h, %i] : !tile.buf<b, h, q : f32> -> !tile.tile<h:2, q:16, f32>
    tile.store %0, %y[%b, %h, %i] : !tile.tile<h:2, q:16, f32>, !tile.buf<b, h, q : f32>
  }
}

// What a grid stores must not be what an earlier one still reads for another
// head.
// CHECK-LABEL: func.func @overwritten.grid1.tasks(
// CHECK-NOT:   @overwritten.grid1.units
// CHECK:       @overwritten.workspace
tile.program @overwritten(%x: !tile.buf<b, h, q : f32>, %y: !tile.buf<b, h, q : f32>, %n: index) target #cpu {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %P = tile.workspace [%n, %c4, %n] : !tile.buf<b, h, q : f32>
  tile.grid (%b, %h, %i) to (%n, %c4, %n) {
    %0 = tile.load %x[%b, %c0, %i] : !tile.buf<b, h, q : f32> -> !tile.tile<q:16, f32>
    tile.store %0, %P[%b, %h, %i] : !tile.tile<q:16, f32>, !tile.buf<b, h, q : f32>
  }
  tile.grid (%b, %h, %i) to (%n, %c4, %n) {
    %0 = tile.load %P[%b, %h, %i] : !tile.buf<b, h, q : f32> -> !tile.tile<q:16, f32>
    tile.store %0, %x[%b, %h, %i] : !tile.tile<q:16, f32>, !tile.buf<b, h, q : f32>
  }
}

// Grids that are joined all have the same units; the second one needs nothing
// of the first.
// CHECK-LABEL: func.func @three.grid1.units(
// CHECK:         arith.muli %{{.*}}, %c4 : index
// CHECK-NEXT:    arith.index_cast
// CHECK-LABEL: func.func @three.grid2.units(
// CHECK:         arith.muli %{{.*}}, %c4 : index
// CHECK-NEXT:    arith.index_cast
tile.program @three(%x: !tile.buf<b, h, q : f32>, %y: !tile.buf<b, h, q : f32>, %n: index) target #cpu {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %P = tile.workspace [%n, %c4, %n] : !tile.buf<b, h, q : f32>
  %R = tile.workspace [%n, %c4, %n] : !tile.buf<b, h, q : f32>
  tile.grid (%b, %h, %i) to (%n, %c4, %n) {
    %0 = tile.load %x[%b, %h, %i] : !tile.buf<b, h, q : f32> -> !tile.tile<q:16, f32>
    tile.store %0, %P[%b, %h, %i] : !tile.tile<q:16, f32>, !tile.buf<b, h, q : f32>
  }
  tile.grid (%b, %h, %i) to (%n, %c4, %n) {
    %0 = tile.load %x[%b, %h, %i] : !tile.buf<b, h, q : f32> -> !tile.tile<q:16, f32>
    tile.store %0, %R[%b, %h, %i] : !tile.tile<q:16, f32>, !tile.buf<b, h, q : f32>
  }
  tile.grid (%b, %h, %i) to (%n, %c4, %n) {
    %0 = tile.load %P[%b, %h, %c0] : !tile.buf<b, h, q : f32> -> !tile.tile<q:16, f32>
    %1 = tile.load %R[%b, %h, %c0] : !tile.buf<b, h, q : f32> -> !tile.tile<q:16, f32>
    %2 = tile.map (%0, %1) : (!tile.tile<q:16, f32>, !tile.tile<q:16, f32>) -> !tile.tile<q:16, f32> {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      tile.yield %s : f32
    }
    tile.store %2, %y[%b, %h, %i] : !tile.tile<q:16, f32>, !tile.buf<b, h, q : f32>
  }
}
