// RUN: attnc-opt %s --canonicalize --cse --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @whole_slice(
// CHECK-NEXT:    return %arg0
func.func @whole_slice(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %y = attn.slice "bd" %x along "d" [0, 8] : tensor<2x8xf32> -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

// CHECK-LABEL: func.func @slice_of_slice(
// CHECK-NEXT:    %[[S:.*]] = attn.slice "pq" %arg0 along "q"[3, 2] : tensor<2x8xf32> -> tensor<2x2xf32>
// CHECK-NEXT:    return %[[S]]
func.func @slice_of_slice(%x: tensor<2x8xf32>) -> tensor<2x2xf32> {
  %y = attn.slice "bd" %x along "d" [2, 5] : tensor<2x8xf32> -> tensor<2x5xf32>
  %z = attn.slice "pq" %y along "q" [1, 2] : tensor<2x5xf32> -> tensor<2x2xf32>
  return %z : tensor<2x2xf32>
}

// -----

// CHECK-LABEL: func.func @keeps_slices_of_two_axes(
// CHECK-COUNT-2: attn.slice
func.func @keeps_slices_of_two_axes(%x: tensor<2x8xf32>) -> tensor<1x5xf32> {
  %y = attn.slice "bd" %x along "d" [2, 5] : tensor<2x8xf32> -> tensor<2x5xf32>
  %z = attn.slice "bd" %y along "b" [1, 1] : tensor<2x5xf32> -> tensor<1x5xf32>
  return %z : tensor<1x5xf32>
}

// -----

// Sizes of other axes keep their names.
// CHECK-LABEL: func.func @slice_of_view(
// CHECK-NEXT:    %[[S:.*]] = attn.slice "bsd" %arg0 along "d"[4, 2] : tensor<?x3x8xf32, #attn.dims<batch, 3, 8>> -> tensor<?x3x2xf32, #attn.dims<batch, 3, 2>>
// CHECK-NEXT:    %[[V:.*]] = attn.view "bsd->dbs" %[[S]] : tensor<?x3x2xf32, #attn.dims<batch, 3, 2>> -> tensor<2x?x3xf32, #attn.dims<2, batch, 3>>
// CHECK-NEXT:    return %[[V]]
func.func @slice_of_view(%x: tensor<?x3x8xf32, #attn.dims<batch, 3, 8>>) -> tensor<2x?x3xf32, #attn.dims<2, batch, 3>> {
  %y = attn.view "bsd->dbs" %x : tensor<?x3x8xf32, #attn.dims<batch, 3, 8>> -> tensor<8x?x3xf32, #attn.dims<8, batch, 3>>
  %z = attn.slice "xyz" %y along "x" [4, 2] : tensor<8x?x3xf32, #attn.dims<8, batch, 3>> -> tensor<2x?x3xf32, #attn.dims<2, batch, 3>>
  return %z : tensor<2x?x3xf32, #attn.dims<2, batch, 3>>
}

// -----

// Keys of a merged axis [q | k | v] of two heads of four.
// CHECK-LABEL: func.func @slice_of_the_slowest_of_a_group(
// CHECK-NEXT:    %[[S:.*]] = attn.slice "bt" %arg0 along "t"[8, 8] : tensor<5x24xf32> -> tensor<5x8xf32>
// CHECK-NEXT:    %[[V:.*]] = attn.view "b(thd)->tbhd" %[[S]] : tensor<5x8xf32> -> tensor<1x5x2x4xf32>
// CHECK-NEXT:    return %[[V]]
func.func @slice_of_the_slowest_of_a_group(%x: tensor<5x24xf32>) -> tensor<1x5x2x4xf32> {
  %y = attn.view "b(thd)->tbhd" %x : tensor<5x24xf32> -> tensor<3x5x2x4xf32>
  %z = attn.slice "tbhd" %y along "t" [1, 1] : tensor<3x5x2x4xf32> -> tensor<1x5x2x4xf32>
  return %z : tensor<1x5x2x4xf32>
}

// -----

// Keys of [h, 3, d] are no piece of the merged axis.
// CHECK-LABEL: func.func @keeps_slice_of_a_faster_letter(
// CHECK-NEXT:    attn.view
// CHECK-NEXT:    attn.slice
func.func @keeps_slice_of_a_faster_letter(%x: tensor<5x24xf32>) -> tensor<1x5x2x4xf32> {
  %y = attn.view "b(htd)->tbhd" %x : tensor<5x24xf32> -> tensor<3x5x2x4xf32>
  %z = attn.slice "tbhd" %y along "t" [1, 1] : tensor<3x5x2x4xf32> -> tensor<1x5x2x4xf32>
  return %z : tensor<1x5x2x4xf32>
}

// -----

// CHECK-LABEL: func.func @slice_of_concat(
// CHECK-NEXT:    %[[S:.*]] = attn.slice "bd" %arg1 along "d"[1, 3] : tensor<2x4xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    return %[[S]]
func.func @slice_of_concat(%x: tensor<2x8xf32>, %y: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %c = attn.concat "bd,bd->bd" along "d" (%x, %y) : (tensor<2x8xf32>, tensor<2x4xf32>) -> tensor<2x12xf32>
  %z = attn.slice "bd" %c along "d" [9, 3] : tensor<2x12xf32> -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// -----

// A part with other places of its axes becomes a view.
// CHECK-LABEL: func.func @slice_of_permuted_part(
// CHECK-NEXT:    %[[V:.*]] = attn.view "db->bd" %arg1 : tensor<4x2xf32> -> tensor<2x4xf32>
// CHECK-NEXT:    return %[[V]]
func.func @slice_of_permuted_part(%x: tensor<2x8xf32>, %y: tensor<4x2xf32>) -> tensor<2x4xf32> {
  %c = attn.concat "bd,db->bd" along "d" (%x, %y) : (tensor<2x8xf32>, tensor<4x2xf32>) -> tensor<2x12xf32>
  %z = attn.slice "bd" %c along "d" [8, 4] : tensor<2x12xf32> -> tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// -----

// Only what is wanted is put together.
// CHECK-LABEL: func.func @slice_over_two_parts(
// CHECK-NEXT:    %[[S:.*]] = attn.slice "bd" %arg0 along "d"[6, 2]
// CHECK-NEXT:    %[[C:.*]] = attn.concat "bd,d->bd" along "d"(%[[S]], %arg1) : (tensor<2x2xf32>, tensor<4xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:    return %[[C]]
func.func @slice_over_two_parts(%x: tensor<2x8xf32>, %y: tensor<4xf32>, %u: tensor<2x4xf32>) -> tensor<2x6xf32> {
  %c = attn.concat "bd,d,bd->bd" along "d" (%x, %y, %u) : (tensor<2x8xf32>, tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x16xf32>
  %z = attn.slice "bd" %c along "d" [6, 6] : tensor<2x16xf32> -> tensor<2x6xf32>
  return %z : tensor<2x6xf32>
}

// -----

// CHECK-LABEL: func.func @keeps_slice_of_shared_concat(
// CHECK:         attn.concat
// CHECK:         attn.slice
func.func @keeps_slice_of_shared_concat(%x: tensor<2x8xf32>, %y: tensor<2x4xf32>) -> (tensor<2x12xf32>, tensor<2x6xf32>) {
  %c = attn.concat "bd,bd->bd" along "d" (%x, %y) : (tensor<2x8xf32>, tensor<2x4xf32>) -> tensor<2x12xf32>
  %z = attn.slice "bd" %c along "d" [6, 6] : tensor<2x12xf32> -> tensor<2x6xf32>
  return %c, %z : tensor<2x12xf32>, tensor<2x6xf32>
}

// -----

// CHECK-LABEL: func.func @keeps_slice_of_another_axis(
// CHECK:         attn.concat
// CHECK:         attn.slice
func.func @keeps_slice_of_another_axis(%x: tensor<2x8xf32>, %y: tensor<2x4xf32>) -> tensor<1x12xf32> {
  %c = attn.concat "bd,bd->bd" along "d" (%x, %y) : (tensor<2x8xf32>, tensor<2x4xf32>) -> tensor<2x12xf32>
  %z = attn.slice "bd" %c along "b" [1, 1] : tensor<2x12xf32> -> tensor<1x12xf32>
  return %z : tensor<1x12xf32>
}

// -----

// CHECK-LABEL: func.func @concat_of_one(
// CHECK-NEXT:    return %arg0
func.func @concat_of_one(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %c = attn.concat "bd->bd" along "d" (%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %c : tensor<2x8xf32>
}

// -----

// CHECK-LABEL: func.func @keeps_broadcast_of_one(
// CHECK:         attn.concat "d->bd"
func.func @keeps_broadcast_of_one(%x: tensor<8xf32>) -> tensor<2x8xf32> {
  %c = attn.concat "d->bd" along "d" (%x) : (tensor<8xf32>) -> tensor<2x8xf32>
  return %c : tensor<2x8xf32>
}

// -----

// CHECK-LABEL: func.func @concat_of_neighbours(
// CHECK-NEXT:    %[[S:.*]] = attn.slice "bd" %arg0 along "d"[1, 5] : tensor<2x8xf32> -> tensor<2x5xf32>
// CHECK-NEXT:    return %[[S]]
func.func @concat_of_neighbours(%x: tensor<2x8xf32>) -> tensor<2x5xf32> {
  %y = attn.slice "bd" %x along "d" [1, 2] : tensor<2x8xf32> -> tensor<2x2xf32>
  %z = attn.slice "bd" %x along "d" [3, 3] : tensor<2x8xf32> -> tensor<2x3xf32>
  %c = attn.concat "bd,bd->bd" along "d" (%y, %z) : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x5xf32>
  return %c : tensor<2x5xf32>
}

// -----

// What was taken apart behind a view is the tensor again.
// CHECK-LABEL: func.func @concat_of_all_pieces_of_a_view(
// CHECK-NEXT:    %[[V:.*]] = attn.view "bsd->bds" %arg0 : tensor<2x3x8xf32> -> tensor<2x8x3xf32>
// CHECK-NEXT:    return %[[V]]
func.func @concat_of_all_pieces_of_a_view(%x: tensor<2x3x8xf32>) -> tensor<2x8x3xf32> {
  %v = attn.view "bsd->bds" %x : tensor<2x3x8xf32> -> tensor<2x8x3xf32>
  %y = attn.slice "bds" %v along "d" [0, 2] : tensor<2x8x3xf32> -> tensor<2x2x3xf32>
  %z = attn.slice "bds" %v along "d" [2, 6] : tensor<2x8x3xf32> -> tensor<2x6x3xf32>
  %c = attn.concat "bds,bds->bds" along "d" (%y, %z) : (tensor<2x2x3xf32>, tensor<2x6x3xf32>) -> tensor<2x8x3xf32>
  return %c : tensor<2x8x3xf32>
}

// -----

// RoPE's halves change places.
// CHECK-LABEL: func.func @keeps_concat_in_another_order(
// CHECK:         attn.concat
func.func @keeps_concat_in_another_order(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %y = attn.slice "bd" %x along "d" [0, 4] : tensor<2x8xf32> -> tensor<2x4xf32>
  %z = attn.slice "bd" %x along "d" [4, 4] : tensor<2x8xf32> -> tensor<2x4xf32>
  %c = attn.concat "bd,bd->bd" along "d" (%z, %y) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  return %c : tensor<2x8xf32>
}

// -----

// CHECK-LABEL: func.func @keeps_concat_of_pieces_of_another_axis(
// CHECK:         attn.concat
func.func @keeps_concat_of_pieces_of_another_axis(%x: tensor<2x8xf32>) -> tensor<1x16xf32> {
  %y = attn.slice "bd" %x along "b" [0, 1] : tensor<2x8xf32> -> tensor<1x8xf32>
  %z = attn.slice "bd" %x along "b" [1, 1] : tensor<2x8xf32> -> tensor<1x8xf32>
  %c = attn.concat "bd,bd->bd" along "d" (%y, %z) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x16xf32>
  return %c : tensor<1x16xf32>
}

// -----

// What an append does to its argument is a value that is returned: it stays,
// and an equal one is the same.
// CHECK-LABEL: func.func @append_is_a_value(
// CHECK-NEXT:    %[[A:.*]] = attn.append
// CHECK-NEXT:    return %[[A]], %[[A]]
func.func @append_is_a_value(%c: tensor<2x16x8xf32>, %x: tensor<2x3x8xf32>, %at: tensor<2xi32>) -> (tensor<2x16x8xf32>, tensor<2x16x8xf32>) {
  %0 = attn.append "bsd" %c, %x along "s" at "b" (%at) : tensor<2x16x8xf32>, tensor<2x3x8xf32>, tensor<2xi32> -> tensor<2x16x8xf32>
  %1 = attn.append "bsd" %c, %x along "s" at "b" (%at) : tensor<2x16x8xf32>, tensor<2x3x8xf32>, tensor<2xi32> -> tensor<2x16x8xf32>
  return %0, %1 : tensor<2x16x8xf32>, tensor<2x16x8xf32>
}
