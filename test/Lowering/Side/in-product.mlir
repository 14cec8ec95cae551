// Maps and products with vectors in the blocks of a product of matrices.
// RUN: attnc-opt %s --convert-attn-to-tile --canonicalize --cse | FileCheck %s

#wide = #tile.cpu<isa = avx512, mapping = rows, lanes = 8, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 8, lane_skip = false, pack = never, partial = 64>
#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, partial = 128>
!q = tensor<?x64xf32, #attn.dims<rows, 64>>
!l = tensor<?xf64, #attn.dims<rows>>
!n = tensor<?x32xf64, #attn.dims<rows, 32>>

// One grid: the map is applied to the operand's tile, which both products
// read; the sum with the vector goes into the quotient.
// CHECK-LABEL: tile.program @divides(
// CHECK-SAME:    %[[Q:in0]]: {{.*}}, %[[S:in1]]: {{.*}}, %[[Z:in2]]: {{.*}}, %[[O:out0]]:
// CHECK-NOT:     tile.workspace
// CHECK:         tile.grid
// CHECK:           %[[LOADED:.*]] = tile.load %[[Q]]{{.*}} -> <q:32, k:64, f32>
// CHECK:           %[[F:.*]] = tile.map(%[[LOADED]]) {{.*}} -> !tile.tile<q:32, k:64, f64>
// CHECK-NEXT:      ^bb0(%[[X:[a-z0-9_]*]]: f32,
// CHECK:             %[[Y:.*]] = math.exp %[[X]] : f32
// CHECK:             arith.extf %[[Y]] : f32 to f64
// CHECK:           %[[N:.*]] = tile.dot(%[[F]], %{{.*}}) sum(k)
// CHECK:           %[[TERMS:.*]] = tile.map(%[[F]])
// CHECK:             tile.read %[[Z]]
// CHECK:           %[[L:.*]] = tile.reduce add(%[[TERMS]]) over(k)
// CHECK:           %[[R:.*]] = tile.map(%[[N]], %[[L]])
// CHECK:             arith.divf
// CHECK:           tile.store %[[R]], %[[O]]
// CHECK-NOT:     tile.grid
func.func @divides(%Q: !q, %S: tensor<64x32xf64>, %Z: tensor<64xf64>) -> !n {
  %f = attn.map "qd->qd" (%Q) : (!q) -> !q attributes {attn.in_product} {
  ^bb0(%x: f32, %q: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %l = attn.contract "qd,d->q" (%f, %Z) {attn.in_product} : (!q, tensor<64xf64>) -> !l
  %n = attn.contract "qd,de->qe" (%f, %S) {attn.block = #attn.block<form = dot, lanes = "q", rows = "e", q = 32, k = 64, e = 32, target = #wide>} : (!q, tensor<64x32xf64>) -> !n
  %o = attn.map "qe,q->qe" (%n, %l) : (!n, !l) -> !n attributes {attn.block = #attn.block<form = epilogue, lanes = "q", rows = "e", q = 32, k = 64, e = 32, target = #wide>} {
  ^bb0(%x: f64, %y: f64, %q: index, %e: index):
    %z = arith.divf %x, %y : f64
    attn.yield %z : f64
  }
  return %o : !n
}

// Blocks of keys are added up with compensation; keys past the last one are 0
// after the map. Both sums are stored.
// CHECK-LABEL: tile.program @compensates(
// CHECK:         tile.grid
// CHECK:           %[[SUMS:.*]]:4 = tile.for (%{{.*}}, %[[NK:.*]], %{{.*}}) in {{.*}} step 128 partial_step 128 iter(%[[S:.*]] = %{{.*}}, %[[Z:.*]] = %{{.*}}, %[[SLOST:.*]] = %{{.*}}, %[[ZLOST:.*]] = %{{[^)]*}})
// CHECK:             math.exp
// CHECK:             %[[F:.*]] = tile.select_masked %{{.*}} valid(k = %[[NK]])
// CHECK:             %[[P:.*]] = tile.dot(%[[F]], %{{.*}}) sum(k) :
// CHECK:             %[[SUM:.*]] = tile.map(%[[S]], %[[P]])
// CHECK:               arith.addf
// CHECK:             %[[REST:.*]] = tile.map(%[[S]], %[[P]], %[[SUM]], %[[SLOST]])
// CHECK:             tile.yield %[[SUM]], %{{.*}}, %[[REST]], %{{.*}} :
// CHECK:           tile.map(%[[SUMS]]#0, %[[SUMS]]#2)
// CHECK:             %[[UNKNOWN:.*]] = arith.cmpf uno
// CHECK:             arith.select %[[UNKNOWN]]
// CHECK:           tile.map(%[[SUMS]]#1, %[[SUMS]]#3)
// CHECK:           tile.store
// CHECK:           tile.store
// CHECK-NOT:     tile.grid
func.func @compensates(%K: !q, %V: tensor<?x32xf32, #attn.dims<rows, 32>>, %one: tensor<?xf32, #attn.dims<rows>>) -> (tensor<64xf32>, tensor<64x32xf32>) {
  %f = attn.map "kd->kd" (%K) : (!q) -> !q attributes {attn.in_product} {
  ^bb0(%x: f32, %k: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %z = attn.contract "kd,k->d" (%f, %one) {attn.compensated, attn.in_product} : (!q, tensor<?xf32, #attn.dims<rows>>) -> tensor<64xf32>
  %s = attn.contract "kd,ke->de" (%f, %V) {attn.compensated, attn.block = #attn.block<form = dot, lanes = "d", rows = "e", q = 64, k = 128, e = 32, target = #cpu>} : (!q, tensor<?x32xf32, #attn.dims<rows, 32>>) -> tensor<64x32xf32>
  return %z, %s : tensor<64xf32>, tensor<64x32xf32>
}
