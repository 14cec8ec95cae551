// A product has a grid of its own for calls with few rows.
// RUN: attnc-opt %s --split-input-file --convert-attn-to-tile --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 64>
#dot = #attn.block<form = dot, lanes = "m", rows = "q", q = 64, k = 64, e = 96, few = 8, wide = 512, target = #cpu>

// Four rows at once, and of the sum eight places of a head, which an operand along the
// lanes that is read once has in as many rows of memory. An axis of one element (g) is
// none.
// CHECK-LABEL: tile.program @sums_heads
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %rows, %c4
// CHECK:         %[[FEW:.*]] = arith.cmpi sle, %rows, %c8
// CHECK:         %[[SOME:.*]] = arith.select %[[FEW]], %c2, %c0
// CHECK:         tile.grid (%[[B:.*]], %[[J:.*]], %[[I:.*]]) to (%[[SOME]], %[[BLOCKS]], %c2)
// CHECK:           %[[ROW:.*]] = arith.muli %[[J]], %c4
// CHECK:           %[[LEFT:.*]] = arith.subi %rows, %[[ROW]]
// CHECK:           %[[COUNT:.*]] = arith.minsi %[[LEFT]], %c4
// CHECK:           tile.for {{.*}} in [(%c0, %c0, %c0, %c192)] step 1
// CHECK:             %[[W:.*]] = tile.load %in1[{{.*}} -> <q:512, k:8, f32>
// CHECK:             %[[X:.*]] = tile.load %in0[{{.*}} valid(e = %[[COUNT]]) {{.*}} -> <e:4, k:8, f32>
// CHECK:             tile.dot(%[[W]], %[[X]]) sum(k)
// CHECK:           tile.store %{{.*}}, %{{.*}}[%[[B]], %[[ROW]], %{{.*}}] valid({{.*}}e = %[[COUNT]]{{.*}} : <q:512, e:4, f32>
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

// Rows that are few in every call need no other grid; the map is applied to their tile.
// CHECK-LABEL: tile.program @adds
// CHECK:         tile.grid
// CHECK:           %[[SUM:.*]] = tile.for
// CHECK:             tile.load {{.*}} -> <e:2, k:8, f32>
// CHECK:           %[[ADDED:.*]] = tile.map(%[[SUM]])
// CHECK:           tile.store %[[ADDED]]
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

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 64>
#dot = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 96, few = 8, wide = 16, target = #cpu>

// Blocks of one vector are for weights whose places of the sum are contiguous: a step
// is one square.
// CHECK-LABEL: tile.program @transposes
// CHECK:         tile.grid
// CHECK:           tile.load {{.*}} -> <q:16, k:16, f32>
// CHECK:           tile.load {{.*}} -> <e:4, k:16, f32>
// CHECK:         tile.grid
// CHECK:           tile.load {{.*}} -> <q:64, k:64, f32>
func.func @transposes(%X: tensor<?x128xf32, #attn.dims<rows, 128>>, %W: tensor<256x128xf32>) -> tensor<?x256xf32, #attn.dims<rows, 256>> {
  %0 = attn.contract "qd,ed->qe" (%X, %W) {attn.block = #dot} : (tensor<?x128xf32, #attn.dims<rows, 128>>, tensor<256x128xf32>) -> tensor<?x256xf32, #attn.dims<rows, 256>>
  return %0 : tensor<?x256xf32, #attn.dims<rows, 256>>
}
