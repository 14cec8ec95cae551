// Slices are offsets of indices, concats grids for each part, and appends grids
// that store into an argument.
// RUN: attnc-opt %s --convert-attn-to-tile --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = auto>
#dot = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, target = #cpu>
!x = tensor<?x96xf32, #attn.dims<query_len, 96>>
!q = tensor<?x32xf32, #attn.dims<query_len, 32>>
!o = tensor<?x64xf32, #attn.dims<query_len, 64>>

// Loads begin at the offset.
// CHECK-LABEL: tile.program @loads_a_slice
// CHECK-SAME:    (%in0: !tile.buf<e, k : f32>
// CHECK:         tile.grid (%{{.*}}, %{{.*}}) to
// CHECK:           %[[AT:.*]] = arith.constant 32 : index
// CHECK:           tile.load %in0[%{{.*}}, %[[AT]]] valid(e = %{{.*}}) {{.*}} -> <e:64, k:32, f32>
func.func @loads_a_slice(%X: !x, %W: tensor<32x64xf32>) -> !o {
  %q = attn.slice "qd" %X along "d" [32, 32] : !x -> !q
  %0 = attn.contract "qd,de->qe" (%q, %W) {attn.block = #dot} : (!q, tensor<32x64xf32>) -> !o
  return %0 : !o
}

// Key features of [heads, 3, features]: the second of three pieces of each head.
#elements = #attn.block<form = element, lanes = "d", rows = "", q = 16, k = 64, target = #cpu>
// CHECK-LABEL: tile.program @reads_a_slice_of_a_split_axis
// CHECK:         tile.grid (%[[Q:.*]], %[[H:.*]], %{{.*}}) to
// CHECK:           tile.map() at(q = %{{.*}})
// CHECK-NEXT:      ^bb0(%[[D:.*]]: index)
// CHECK:             %[[H3:.*]] = arith.muli %[[H]], %c3
// CHECK:             %[[PIECE:.*]] = arith.addi %[[H3]], %c1
// CHECK:             %[[ROW:.*]] = arith.muli %[[PIECE]], %c5
// CHECK:             %[[AT:.*]] = arith.addi %[[ROW]], %[[D]]
// CHECK:             tile.read %in0[%[[Q]], %[[AT]]]
func.func @reads_a_slice_of_a_split_axis(%X: tensor<?x30xf32, #attn.dims<query_len, 30>>) -> tensor<?x2x5xf32, #attn.dims<query_len, 2, 5>> {
  %all = attn.view "q(htd)->qhtd" %X : tensor<?x30xf32, #attn.dims<query_len, 30>> -> tensor<?x2x3x5xf32, #attn.dims<query_len, 2, 3, 5>>
  %one = attn.slice "qhtd" %all along "t" [1, 1] : tensor<?x2x3x5xf32, #attn.dims<query_len, 2, 3, 5>> -> tensor<?x2x1x5xf32, #attn.dims<query_len, 2, 1, 5>>
  %k = attn.view "qhtd->q(ht)d" %one : tensor<?x2x1x5xf32, #attn.dims<query_len, 2, 1, 5>> -> tensor<?x2x5xf32, #attn.dims<query_len, 2, 5>>
  %0 = attn.map "qhd->qhd" (%k) : (tensor<?x2x5xf32, #attn.dims<query_len, 2, 5>>) -> tensor<?x2x5xf32, #attn.dims<query_len, 2, 5>> attributes {attn.block = #elements} {
  ^bb0(%x: f32, %q: index, %h: index, %d: index):
    %y = arith.negf %x : f32
    attn.yield %y : f32
  }
  return %0 : tensor<?x2x5xf32, #attn.dims<query_len, 2, 5>>
}

// Two grids, the second behind the first; the part without heads is read again
// for each.
#parts = #attn.block<form = element, lanes = "d", rows = "h", q = 16, k = 64, target = #cpu>
// CHECK-LABEL: tile.program @puts_parts_together
// CHECK-SAME:    %out0: !tile.buf<s, e, q : f32>
// CHECK:         tile.grid (%[[S:.*]], %{{.*}}) to
// CHECK:           %[[Q0:.*]] = arith.muli
// CHECK:           ^bb0(%[[Q:.*]]: index, %[[E:.*]]: index)
// CHECK:             tile.read %in0[%[[S]], %[[E]], %[[Q]]]
// CHECK:           tile.store %{{.*}}, %out0[%[[S]], %c0, %[[Q0]]] valid(
// CHECK:         tile.grid (%[[S:.*]], %{{.*}}) to
// CHECK:           %[[Q0:.*]] = arith.muli
// CHECK:           ^bb0(%[[Q:.*]]: index, %[[E:.*]]: index)
// CHECK:             tile.read %in1[%[[S]], %[[Q]]]
// CHECK:           %[[AT:.*]] = arith.addi %[[Q0]], %c8
// CHECK:           tile.store %{{.*}}, %out0[%[[S]], %c0, %[[AT]]] valid(
// CHECK-NOT:     tile.grid
func.func @puts_parts_together(%X: tensor<?x2x8xf32, #attn.dims<n, 2, 8>>, %Y: tensor<?x4xf32, #attn.dims<n, 4>>) -> tensor<?x2x12xf32, #attn.dims<n, 2, 12>> {
  %0 = attn.concat "shd,sd->shd" along "d" (%X, %Y) {attn.block = #parts} : (tensor<?x2x8xf32, #attn.dims<n, 2, 8>>, tensor<?x4xf32, #attn.dims<n, 4>>) -> tensor<?x2x12xf32, #attn.dims<n, 2, 12>>
  return %0 : tensor<?x2x12xf32, #attn.dims<n, 2, 12>>
}

!c = tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
!r = tensor<?x?x8xf32, #attn.dims<batch, query_len, 8>>
!at = tensor<?xi32, #attn.dims<batch>>
#rows = #attn.block<form = element, lanes = "d", rows = "s", q = 16, k = 64, target = #cpu>

// The new value lies where the old one lay, and is read there. It is no buffer
// of its own.
// CHECK-LABEL: tile.program @adds_rows
// CHECK-SAME:    (%in0: !tile.buf<b, e, q : f32>, %in1: {{.*}}, %in2: {{.*}}, %out0: {{.*}}, %batch: index, %kv_len: index, %query_len: index)
// CHECK:         tile.grid (%[[B:.*]], %[[J:.*]], %{{.*}}) to (%batch,
// CHECK:           %[[E0:.*]] = arith.muli %[[J]]
// CHECK:           %[[PAST:.*]] = tile.read %in2[%[[B]]]
// CHECK:             tile.read %in1
// CHECK:           %[[ROW:.*]] = arith.addi %[[E0]], %[[PAST]]
// CHECK:           tile.store %{{.*}}, %in0[%[[B]], %[[ROW]], %{{.*}}] valid(
// CHECK:         tile.grid
// CHECK:             tile.read %in0
// CHECK:           tile.store %{{.*}}, %out0
func.func @adds_rows(%C: !c, %X: !r, %past: !at) -> (!c, !c) {
  %0 = attn.append "bsd" %C, %X along "s" at "b" (%past) {attn.block = #rows} : !c, !r, !at -> !c
  %1 = attn.map "bsd->bsd" (%0) : (!c) -> !c attributes {attn.block = #rows} {
  ^bb0(%x: f32, %b: index, %s: index, %d: index):
    %y = arith.negf %x : f32
    attn.yield %y : f32
  }
  return %1, %0 : !c, !c
}

// The second part begins where the first, of a size that the call decides, ends.
// CHECK-LABEL: tile.program @puts_rows_before_rows
// CHECK:         tile.grid (%[[B:.*]], %[[J:.*]], %{{.*}}) to (%batch,
// CHECK:           tile.store %{{.*}}, %out0[%[[B]], %[[E0:.*]], %{{.*}}] valid(
// CHECK:         tile.grid (%[[B:.*]], %[[J:.*]], %{{.*}}) to (%batch,
// CHECK:           %[[E0:.*]] = arith.muli %[[J]]
// CHECK:           %[[AT:.*]] = arith.addi %[[E0]], %p
// CHECK:           tile.store %{{.*}}, %out0[%[[B]], %[[AT]], %{{.*}}] valid(
func.func @puts_rows_before_rows(%m: tensor<?x8xf32, #attn.dims<p, 8>>, %x: tensor<?x?x8xf32, #attn.dims<batch, n, 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, "p + n", 8>> {
  %c = attn.concat "sd,bsd->bsd" along "s" (%m, %x) {attn.block = #rows} : (tensor<?x8xf32, #attn.dims<p, 8>>, tensor<?x?x8xf32, #attn.dims<batch, n, 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, "p + n", 8>>
  return %c : tensor<?x?x8xf32, #attn.dims<batch, "p + n", 8>>
}

// Fixed rows behind rows of a size that the call decides are one block, all of which
// is stored: how many rows the last block of the other part has does not matter.
// CHECK-LABEL: tile.program @puts_fixed_rows_behind_rows
// CHECK:           tile.store %{{.*}}, %out0[%{{.*}}] valid(q = %{{.*}}, e = %{{.*}})
// CHECK:         tile.grid (%[[B:.*]], %{{.*}}) to (%batch,
// CHECK:           tile.store %{{.*}}, %out0[%[[B]], %p, %{{.*}}] valid(q = %{{[^,]*}}) :
func.func @puts_fixed_rows_behind_rows(%x: tensor<?x?x8xf32, #attn.dims<batch, p, 8>>, %y: tensor<?x3x8xf32, #attn.dims<batch, 3, 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, "p + 3", 8>> {
  %c = attn.concat "bsd,bsd->bsd" along "s" (%x, %y) {attn.block = #rows} : (tensor<?x?x8xf32, #attn.dims<batch, p, 8>>, tensor<?x3x8xf32, #attn.dims<batch, 3, 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, "p + 3", 8>>
  return %c : tensor<?x?x8xf32, #attn.dims<batch, "p + 3", 8>>
}
