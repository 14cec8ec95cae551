// A product has a grid of its own for calls with few rows.
// RUN: attnc-opt %s --split-input-file --convert-attn-to-tile --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 64>
#dot = #attn.block<form = dot, lanes = "m", rows = "q", q = 64, k = 64, e = 96, few = 8, wide = 512, target = #cpu>

// Four rows at once, past the last one that again. What lies along the lanes is read
// once for all of them; one number counts heads and features. An axis of one element
// (g) is none.
// CHECK-LABEL: tile.program @sums_heads
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %rows, %c4
// CHECK:         %[[FEW:.*]] = arith.cmpi sle, %rows, %c8
// CHECK:         %[[SOME:.*]] = arith.select %[[FEW]], %c2, %c0
// CHECK:         tile.grid (%[[B:.*]], %[[J:.*]], %[[I:.*]]) to (%[[SOME]], %[[BLOCKS]], %c2)
// CHECK:           %[[ROW:.*]] = arith.muli %[[J]], %c4
// CHECK:           %[[LAST:.*]] = arith.subi %rows, %c1
// CHECK:           %[[NEXT:.*]] = arith.addi %[[ROW]], %c1
// CHECK:           %[[ROW1:.*]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK:           tile.for {{.*}} in [(%c0, %c0, %c1536, %c1536)] step 8
// CHECK:             %[[W:.*]] = tile.map() {{.*}} -> !tile.tile<q:512, k:8, f32> {
// CHECK:               tile.read %in1[%{{.*}}, %c0, %{{.*}}, %{{.*}}]
// CHECK:             %[[P:.*]] = tile.map(%[[W]])
// CHECK:               tile.read %in0[%[[B]], %{{.*}}, %c0, %[[ROW]], %{{.*}}]
// CHECK:             tile.reduce add(%[[P]])
// CHECK:             %[[P:.*]] = tile.map(%[[W]])
// CHECK:               tile.read %in0[%[[B]], %{{.*}}, %c0, %[[ROW1]], %{{.*}}]
// CHECK:             tile.reduce add(%[[P]])
// CHECK-COUNT-2:     tile.map(%[[W]])
// CHECK:           tile.store %{{.*}}, %{{.*}}[%[[B]], %[[ROW]], %{{.*}}] valid(q = %{{.*}}) : <q:512, f32>
// CHECK:           tile.store %{{.*}}, %{{.*}}[%[[B]], %[[ROW1]], %{{.*}}]
// CHECK:         %[[MANY:.*]] = arith.cmpi sgt, %rows, %c8
// CHECK:         %[[OTHERS:.*]] = arith.select %[[MANY]], %c2, %c0
// CHECK:         tile.grid (%{{.*}}, %{{.*}}, %{{.*}}) to (%[[OTHERS]],
// CHECK:           tile.dot
func.func @sums_heads(%O: tensor<2x12x1x?x128xf32, #attn.dims<2, 12, 1, rows, 128>>, %W: tensor<12x1x128x1024xf32>) -> tensor<2x?x1024xf32, #attn.dims<2, rows, 1024>> {
  %0 = attn.contract "bhgqe,hgem->bqm" (%O, %W) {attn.block = #dot} : (tensor<2x12x1x?x128xf32, #attn.dims<2, 12, 1, rows, 128>>, tensor<12x1x128x1024xf32>) -> tensor<2x?x1024xf32, #attn.dims<2, rows, 1024>>
  return %0 : tensor<2x?x1024xf32, #attn.dims<2, rows, 1024>>
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 64>
#dot = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 96, few = 8, wide = 256, target = #cpu>
#epilogue = #attn.block<form = epilogue, lanes = "e", rows = "q", q = 64, k = 64, e = 96, target = #cpu>

// Rows that are few in every call need no other grid; what is left of a sum of
// 100 is taken out; the map is applied to each row.
// CHECK-LABEL: tile.program @adds
// CHECK:         tile.grid
// CHECK:           %[[SUM:.*]]:2 = tile.for
// CHECK-COUNT-2:     tile.select_masked
// CHECK:           tile.map(%[[SUM]]#0)
// CHECK:           tile.store
// CHECK:           tile.map(%[[SUM]]#1)
// CHECK:           tile.store
// CHECK-NOT:     tile.grid
func.func @adds(%X: tensor<2x100xf32>, %W: tensor<100x256xf32>, %bias: tensor<256xf32>) -> tensor<2x256xf32> {
  %0 = attn.contract "qd,de->qe" (%X, %W) {attn.block = #dot} : (tensor<2x100xf32>, tensor<100x256xf32>) -> tensor<2x256xf32>
  %1 = attn.map "qe,e->qe" (%0, %bias) : (tensor<2x256xf32>, tensor<256xf32>) -> tensor<2x256xf32> attributes {attn.block = #epilogue} {
  ^bb0(%x: f32, %y: f32, %q: index, %e: index):
    %s = arith.addf %x, %y : f32
    attn.yield %s : f32
  }
  return %1 : tensor<2x256xf32>
}
