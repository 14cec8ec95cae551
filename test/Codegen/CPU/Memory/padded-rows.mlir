// Rows of a workspace that are a multiple of 1 KB get one more line of cache:
// 272 floats for rows of 256, 544 halves for 512; others get none.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [6, 2], value_granule = [6, 2], unroll = 4, tail = 0, lane_skip = false, pack = never>

// The second axis has rows at the padded distance.
// CHECK-LABEL: func.func @copies.grid0.body(
// CHECK:         %[[ROW:.*]] = arith.muli %{{.*}}, %c272
// CHECK:         return

// CHECK-LABEL: func.func @copies.workspace(
// CHECK:         arith.muli %{{.*}}, %c2176
// CHECK:         arith.muli %{{.*}}, %c1088
// CHECK:         arith.muli %{{.*}}, %c1008
// CHECK:         return
tile.program @copies(%x: !tile.buf<h, k, q : f32>, %n: index) target #cpu {
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %c252 = arith.constant 252 : index
  %w = tile.workspace [%c2, %n, %c256] : !tile.buf<h, k, q : f32>
  %u = tile.workspace [%n, %c512] : !tile.buf<k, q : f16>
  %v = tile.workspace [%n, %c252] : !tile.buf<k, q : f32>
  tile.grid (%h, %i) to (%c2, %n) {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%h, %i, %c0] : !tile.buf<h, k, q : f32> -> !tile.tile<k:1, q:8, f32>
    tile.store %t, %w[%h, %i, %c0] : !tile.tile<k:1, q:8, f32>, !tile.buf<h, k, q : f32>
  }
}
