// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// The last axis of a grid varies fastest; a descending axis starts at its end.
// CHECK-LABEL: func.func @order.grid0.tasks(
// CHECK:         arith.muli
// CHECK:         return
// CHECK-LABEL: func.func @order.grid0.body(
// CHECK-SAME:    %[[TASK:[a-z0-9]+]]: i64)
// CHECK:         %[[T:.*]] = arith.index_cast %[[TASK]]
// CHECK:         %[[B:.*]] = arith.remui %[[T]], %[[NB:.*]] : index
// CHECK:         %[[A:.*]] = arith.divui %[[T]], %[[NB]] : index
// CHECK:         %[[LAST:.*]] = arith.subi %[[NB]], %c1
// CHECK:         arith.subi %[[LAST]], %[[B]]
tile.program @order(%x: !tile.buf<a, q : f32>, %na: index, %nb: index) target #cpu {
  tile.grid (%a, %b) to (%na, %nb) order(desc 1) {
    %s = tile.splat 1.0 : !tile.tile<q:16, f32>
    tile.store %s, %x[%a, %b] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
}

// Each grid has functions of its own.
// CHECK-LABEL: func.func @two.grid0.body(
// CHECK-LABEL: func.func @two.grid1.tasks(
// CHECK-LABEL: func.func @two.grid1.body(
// CHECK-COUNT-1: func.func @two.scratch(
tile.program @two(%n: index) target #cpu {
  tile.grid (%a) to (%n) {
  }
  tile.grid (%a) to (%n) {
  }
}
