// Grids of products of matrices: several summed letters, epilogues, order.
// RUN: attnc-opt %s --split-input-file --convert-attn-to-tile --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 64>

#heads = #attn.block<form = dot, lanes = "m", rows = "q", q = 64, k = 64, e = 96, target = #cpu>

// One number counts heads and blocks of their features; where a block is always
// whole there is no end to find.
// CHECK-LABEL: tile.program @sums_heads
// CHECK:         tile.grid (%[[B:.*]], %[[J:.*]], %[[I:.*]]) to
// CHECK:           %[[ZERO:.*]] = tile.splat 0.0
// CHECK:           tile.for (%[[N:.*]], %{{.*}}, %{{.*}}) in [(%[[C0:.*]], %[[C0]], %[[C0]], %c24)] step 1 partial_step 1 iter(%[[ACC:.*]] = %[[ZERO]])
// CHECK:             %[[H:.*]] = arith.floordivsi %[[N]], %c2
// CHECK:             %[[WHOLE:.*]] = arith.muli %[[H]], %c2
// CHECK:             %[[PART:.*]] = arith.subi %[[N]], %[[WHOLE]]
// CHECK:             %[[K0:.*]] = arith.muli %[[PART]], %c64
// CHECK:             tile.load %{{.*}}[%[[H]], %[[K0]], %{{.*}}] valid(q = %{{.*}}) {{.*}} -> <q:64, k:64, f32>
// CHECK:             tile.load %{{.*}}[%[[B]], %[[H]], %{{.*}}, %[[K0]]] valid(e = %{{.*}}) {{.*}} -> <e:96, k:64, f32>
// CHECK:             tile.dot(%{{.*}}, %{{.*}}) sum(k) acc(%[[ACC]])
func.func @sums_heads(%O: tensor<2x12x?x128xf32, #attn.dims<2, 12, rows, 128>>, %W: tensor<12x128x256xf32>) -> tensor<2x?x256xf32, #attn.dims<2, rows, 256>> {
  %0 = attn.contract "bhqe,hem->bqm" (%O, %W) {attn.block = #heads} : (tensor<2x12x?x128xf32, #attn.dims<2, 12, rows, 128>>, tensor<12x128x256xf32>) -> tensor<2x?x256xf32, #attn.dims<2, rows, 256>>
  return %0 : tensor<2x?x256xf32, #attn.dims<2, rows, 256>>
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 64>
#inner = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 96, inner = "h", target = #cpu>

// Heads come after the blocks of rows. The last step has what is left of 100.
// CHECK-LABEL: tile.program @projects_heads
// CHECK:         tile.grid (%[[B:.*]], %[[J:.*]], %[[H:.*]], %[[I:.*]]) to (%c2, %{{.*}}, %c12, %c1)
// CHECK:           tile.for {{.*}} step 64 partial_step 64
// CHECK:           tile.store %{{.*}}, %{{.*}}[%[[B]], %[[H]], %{{.*}}, %{{.*}}]
func.func @projects_heads(%X: tensor<2x?x100xf32, #attn.dims<2, rows, 100>>, %W: tensor<100x12x64xf32>) -> tensor<2x12x?x64xf32, #attn.dims<2, 12, rows, 64>> {
  %0 = attn.contract "bqm,mhe->bhqe" (%X, %W) {attn.block = #inner} : (tensor<2x?x100xf32, #attn.dims<2, rows, 100>>, tensor<100x12x64xf32>) -> tensor<2x12x?x64xf32, #attn.dims<2, 12, rows, 64>>
  return %0 : tensor<2x12x?x64xf32, #attn.dims<2, 12, rows, 64>>
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 64>
#dot = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, e = 96, target = #cpu>
#epilogue = #attn.block<form = epilogue, lanes = "n", rows = "m", q = 64, k = 64, e = 96, target = #cpu>
#second = #attn.block<form = epilogue, lanes = "e", rows = "q", q = 64, k = 64, e = 96, target = #cpu>
!x = tensor<?x32xf16, #attn.dims<rows, 32>>
!y = tensor<?x64xf16, #attn.dims<rows, 64>>
!t = tensor<64x?xf16, #attn.dims<64, rows>>

// The product is rounded as if it were stored, each map once. One grid, and no
// workspace.
// CHECK-LABEL: tile.program @adds
// CHECK-NOT:     tile.workspace
// CHECK:         tile.grid
// CHECK:           %[[P:.*]] = tile.dot
// CHECK:           %[[R:.*]] = tile.map(%[[P]]) {{.*}} -> !tile.tile<q:64, e:96, f16>
// CHECK:             arith.truncf
// CHECK:           %[[S:.*]] = tile.map(%[[R]]) at(q = %{{.*}}, e = %{{.*}}) : {{.*}} -> !tile.tile<q:64, e:96, f16>
// CHECK:           ^bb0(%[[A:.*]]: f16, %[[N:.*]]: index, %[[M:.*]]: index):
// CHECK-DAG:         %[[WIDE:.*]] = arith.extf %[[A]]
// CHECK-DAG:         %[[BIAS:.*]] = tile.read %{{.*}}[%[[N]]]
// CHECK:             arith.addf %[[WIDE]], %[[BIAS]]
// CHECK:             arith.truncf
// CHECK:           %[[T:.*]] = tile.map(%[[S]])
// CHECK:           tile.store %[[T]], %out0
// CHECK-NOT:     tile.grid
func.func @adds(%X: !x, %W: tensor<32x64xf16>, %B: tensor<64xf16>) -> !t {
  %0 = attn.contract "qd,de->qe" (%X, %W) {attn.block = #dot} : (!x, tensor<32x64xf16>) -> !y
  %1 = attn.map "n,mn->nm" (%B, %0) : (tensor<64xf16>, !y) -> !t attributes {attn.block = #epilogue} {
  ^bb0(%b: f32, %x: f32, %n: index, %m: index):
    %s = arith.addf %x, %b : f32
    attn.yield %s : f32
  }
  %2 = attn.map "eq->eq" (%1) : (!t) -> !t attributes {attn.block = #second} {
  ^bb0(%x: f32, %e: index, %q: index):
    %s = arith.mulf %x, %x : f32
    attn.yield %s : f32
  }
  return %2 : !t
}
