// A block of a product by tiles of rows: its part of the operand along the
// lanes is loaded once, and each tile is stored when its sums are complete.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#spr = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, unit = matrix>

// CHECK-LABEL: tile.program @tiles(
// CHECK:         tile.grid (%[[J:.*]], %[[I:.*]]) to
// CHECK:           %[[ROWS:.*]] = arith.minsi %{{.*}}, %c576{{.*}} : index
// CHECK:           %[[W:.*]] = tile.load %in1[%{{.*}}, %{{.*}}] {{.*}} -> <q:64, k:96, bf16>
// CHECK:           tile.for (%[[AT:.*]], %[[LEFT:.*]], %{{.*}}) in [(%c0, %c0, %[[ROWS]], %[[ROWS]])] step 64 partial_step 64
// CHECK:             %[[E:.*]] = arith.addi %{{.*}}, %[[AT]] : index
// CHECK:             %[[X:.*]] = tile.load %in0[%[[E]], %{{.*}}] valid(e = %[[LEFT]]) : {{.*}} -> <e:64, k:96, bf16>
// CHECK:             %[[S:.*]] = tile.dot(%[[W]], %[[X]]) sum(k) : {{.*}} -> !tile.tile<q:64, e:64, f32>
// CHECK:             tile.store %{{.*}}, %out0[%[[E]], %{{.*}}] valid(q = %{{.*}}, e = %[[LEFT]])
func.func @tiles(%X: tensor<?x96xbf16, #attn.dims<rows, 96>>, %W: tensor<96x200xbf16>) -> tensor<?x200xbf16, #attn.dims<rows, 200>> {
  %0 = attn.contract "qd,de->qe" (%X, %W) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 96, e = 576, target = #spr>, attn.tile_rows = 64 : index} : (tensor<?x96xbf16, #attn.dims<rows, 96>>, tensor<96x200xbf16>) -> tensor<?x200xbf16, #attn.dims<rows, 200>>
  return %0 : tensor<?x200xbf16, #attn.dims<rows, 200>>
}
