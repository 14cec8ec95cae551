// Each case of an op is a grid of its own, which is empty in the calls of the others.
// RUN: attnc-opt %s --split-input-file --convert-attn-to-tile --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 64>
#streams = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 8>
#dot = #attn.block<form = dot, lanes = "m", rows = "q", q = 64, k = 64, e = 96, target = #cpu>
#one = #attn.case<axis = "q", most = 2, block = <form = dot, lanes = "m", rows = "q", q = 1024, k = 8, e = 2, target = #streams>>
#some = #attn.case<axis = "q", most = 8, block = <form = dot, lanes = "m", rows = "q", q = 512, k = 8, e = 4, target = #streams>>

// At most 2 rows; more than 2 and at most 8; more than both.
// CHECK-LABEL: tile.program @sums_heads
// CHECK-DAG:     %[[IS2:.*]] = arith.cmpi sle, %rows, %c2
// CHECK-DAG:     %[[ABOVE2:.*]] = arith.cmpi sgt, %rows, %c2
// CHECK-DAG:     %[[MOST8:.*]] = arith.cmpi sle, %rows, %c8
// CHECK-DAG:     %[[IS8:.*]] = arith.andi %[[ABOVE2]], %[[MOST8]]
// CHECK-DAG:     %[[ABOVE8:.*]] = arith.cmpi sgt, %rows, %c8
// CHECK-DAG:     %[[IS_MANY:.*]] = arith.andi %[[ABOVE2]], %[[ABOVE8]]
// CHECK:         %[[B0:.*]] = arith.select %[[IS2]], %c2, %c0
// CHECK:         tile.grid {{.*}} to (%[[B0]], %{{.*}}, %c1)
// CHECK-SAME:      target {{.*}}value_granule = [4, 4]
// CHECK:           tile.load {{.*}} -> <q:1024, k:8, f32>
// CHECK:           tile.load {{.*}} -> <e:2, k:8, f32>
// CHECK:           tile.dot
// CHECK:           tile.store {{.*}} <q:1024, e:2, f32>
// CHECK:         %[[B1:.*]] = arith.select %[[IS8]], %c2, %c0
// CHECK:         tile.grid {{.*}} to (%[[B1]], %{{.*}}, %c2)
// CHECK:           tile.load {{.*}} -> <q:512, k:8, f32>
// CHECK:           tile.load {{.*}} -> <e:4, k:8, f32>
// CHECK:         %[[B2:.*]] = arith.select %[[IS_MANY]], %c2, %c0
// CHECK:         tile.grid {{.*}} to (%[[B2]], %{{.*}}, %c16)
// CHECK-NOT:       target
// CHECK:           tile.load {{.*}} -> <q:64, k:64, f32>
// CHECK-NOT:     tile.grid
func.func @sums_heads(%O: tensor<2x12x1x?x128xf32, #attn.dims<2, 12, 1, rows, 128>>, %W: tensor<12x1x128x1024xf32>) -> tensor<2x?x1024xf32, #attn.dims<2, rows, 1024>> {
  %0 = attn.contract "bhgqe,hgem->bqm" (%O, %W) {attn.block = #dot, attn.cases = [#one, #some]} : (tensor<2x12x1x?x128xf32, #attn.dims<2, 12, 1, rows, 128>>, tensor<12x1x128x1024xf32>) -> tensor<2x?x1024xf32, #attn.dims<2, rows, 1024>>
  return %0 : tensor<2x?x1024xf32, #attn.dims<2, rows, 1024>>
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 64>
#streams = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 8>
#dot = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 96, target = #cpu>
#case = #attn.case<axis = "q", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 256, k = 8, e = 4, target = #streams>>
#epilogue = #attn.block<form = epilogue, lanes = "e", rows = "q", q = 64, k = 64, e = 96, target = #cpu>

!x = tensor<?x100xf32, #attn.dims<rows, 100>>
!y = tensor<?x256xf32, #attn.dims<rows, 256>>

// A map in the product's blocks is computed in those of each case.
// CHECK-LABEL: tile.program @adds
// CHECK:         tile.grid
// CHECK:           %[[SUM:.*]] = tile.for
// CHECK:           %[[ADDED:.*]] = tile.map(%[[SUM]]) {{.*}} -> !tile.tile<q:256, e:4, f32>
// CHECK:           tile.store %[[ADDED]]
// CHECK:         tile.grid
// CHECK:           %[[SUM:.*]] = tile.for
// CHECK:           %[[ADDED:.*]] = tile.map(%[[SUM]]) {{.*}} -> !tile.tile<q:64, e:96, f32>
// CHECK:           tile.store %[[ADDED]]
func.func @adds(%X: !x, %W: tensor<100x256xf32>, %bias: tensor<256xf32>) -> !y {
  %0 = attn.contract "qd,de->qe" (%X, %W) {attn.block = #dot, attn.cases = [#case]} : (!x, tensor<100x256xf32>) -> !y
  %1 = attn.map "qe,e->qe" (%0, %bias) : (!y, tensor<256xf32>) -> !y attributes {attn.block = #epilogue} {
  ^bb0(%x: f32, %y: f32, %q: index, %e: index):
    %s = arith.addf %x, %y : f32
    attn.yield %s : f32
  }
  return %1 : !y
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 64>
#element = #attn.block<form = element, lanes = "d", rows = "s", q = 64, k = 64, target = #cpu>
#short = #attn.case<axis = "s", most = 4, block = <form = element, lanes = "d", rows = "s", q = 256, k = 1, target = #cpu>>

!a = tensor<?x256xf32, #attn.dims<n, 256>>
!b = tensor<?x256xf32, #attn.dims<m, 256>>
!c = tensor<?x256xf32, #attn.dims<"n + m", 256>>

// Any op has cases. That of a concatenation is decided by the whole length, once for the
// grids of all parts.
// CHECK-LABEL: tile.program @concatenates
// CHECK:         %[[ALL:.*]] = arith.addi %n, %m
// CHECK-DAG:     %[[SHORT:.*]] = arith.cmpi sle, %[[ALL]], %c4
// CHECK-DAG:     %[[LONG:.*]] = arith.cmpi sgt, %[[ALL]], %c4
// CHECK:         arith.select %[[SHORT]], %n, %c0
// CHECK:         tile.grid
// CHECK:           tile.map() {{.*}} -> !tile.tile<q:256, e:1, f32>
// CHECK:         arith.select %[[SHORT]], %m, %c0
// CHECK:         tile.grid
// CHECK:           tile.map() {{.*}} -> !tile.tile<q:256, e:1, f32>
// CHECK:         arith.select %[[LONG]],
// CHECK:         tile.grid
// CHECK:           tile.map() {{.*}} -> !tile.tile<q:64, e:64, f32>
// CHECK:         arith.select %[[LONG]],
// CHECK:         tile.grid
// CHECK:           tile.map() {{.*}} -> !tile.tile<q:64, e:64, f32>
func.func @concatenates(%x: !a, %y: !b) -> !c {
  %0 = attn.concat "sd,sd->sd" along "s" (%x, %y) {attn.block = #element, attn.cases = [#short]} : (!a, !b) -> !c
  return %0 : !c
}
