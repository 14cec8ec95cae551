// What canonicalization, CSE and LICM do to tile programs, and what they leave.
// RUN: attnc-opt %s --canonicalize | FileCheck %s
// RUN: attnc-opt %s --cse | FileCheck %s --check-prefix=CSE
// RUN: attnc-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefix=LICM

// CHECK-LABEL: func.func @folds_an_identity_map
// CHECK-SAME:    %[[X:.*]]: !tile.tile
// CHECK-NEXT:  return %[[X]]
func.func @folds_an_identity_map(%x: !tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
  %0 = tile.map (%x) : (!tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return %0 : !tile.tile<q:4, f32>
}

// CHECK-LABEL: func.func @keeps_a_broadcasting_map
// CHECK:       tile.map(
func.func @keeps_a_broadcasting_map(%x: !tile.tile<q:4, f32>) -> !tile.tile<q:4, k:2, f32> {
  %0 = tile.map (%x) : (!tile.tile<q:4, f32>) -> !tile.tile<q:4, k:2, f32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return %0 : !tile.tile<q:4, k:2, f32>
}

// CHECK-LABEL: func.func @folds_a_mask_of_full_tiles
// CHECK-SAME:    %[[X:.*]]: !tile.tile
// CHECK-NEXT:  return %[[X]]
func.func @folds_a_mask_of_full_tiles(%x: !tile.tile<k:4, f32>, %n: index) -> !tile.tile<k:4, f32> {
  %false = arith.constant false
  %0 = tile.select_masked %x valid(k = %n) when %false fill -inf : !tile.tile<k:4, f32> {
    %c = arith.constant true
    tile.yield %c : i1
  }
  return %0 : !tile.tile<k:4, f32>
}

// CHECK-LABEL: func.func @keeps_a_mask_of_partial_tiles
// CHECK:       tile.select_masked
func.func @keeps_a_mask_of_partial_tiles(%x: !tile.tile<k:4, f32>, %n: index) -> !tile.tile<k:4, f32> {
  %true = arith.constant true
  %0 = tile.select_masked %x valid(k = %n) when %true fill -inf : !tile.tile<k:4, f32> {
    %c = arith.constant true
    tile.yield %c : i1
  }
  return %0 : !tile.tile<k:4, f32>
}

// CHECK-LABEL: func.func @folds_a_rescale_by_one
// CHECK-SAME:    %[[X:.*]]: !tile.tile
// CHECK-NEXT:  return %[[X]]
func.func @folds_a_rescale_by_one(%x: !tile.tile<q:4, e:2, f32>) -> !tile.tile<q:4, e:2, f32> {
  %one = tile.splat 1.0 : !tile.tile<q:4, f32>
  %0 = tile.rescale %x by %one : !tile.tile<q:4, e:2, f32>, !tile.tile<q:4, f32>
  return %0 : !tile.tile<q:4, e:2, f32>
}

// CHECK-LABEL: func.func @drops_an_unused_operand
// CHECK-SAME:    %[[X:.*]]: !tile.tile<q:4, f32>, %{{.*}}: !tile.tile
// CHECK:       tile.map(%[[X]]) :
func.func @drops_an_unused_operand(%x: !tile.tile<q:4, f32>, %y: !tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
  %0 = tile.map (%y, %x) : (!tile.tile<q:4, f32>, !tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.negf %b : f32
    tile.yield %c : f32
  }
  return %0 : !tile.tile<q:4, f32>
}

// CHECK-LABEL: func.func @merges_equal_operands
// CHECK-SAME:    %[[X:.*]]: !tile.tile
// CHECK:       tile.map(%[[X]]) :
// CHECK-NEXT:  ^bb0(%[[A:.*]]: f32):
// CHECK-NEXT:    arith.mulf %[[A]], %[[A]] : f32
func.func @merges_equal_operands(%x: !tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
  %0 = tile.map (%x, %x) : (!tile.tile<q:4, f32>, !tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    tile.yield %c : f32
  }
  return %0 : !tile.tile<q:4, f32>
}

// A constant operand becomes a constant inside the region, and stays there.
// CHECK-LABEL: func.func @inlines_a_constant_operand
// CHECK-SAME:    %[[X:.*]]: !tile.tile
// CHECK-NEXT:  tile.map(%[[X]]) :
// CHECK-NEXT:  ^bb0(%[[A:.*]]: f32):
// CHECK-NEXT:    %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:    arith.mulf %[[A]], %[[C]] : f32
func.func @inlines_a_constant_operand(%x: !tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
  %two = tile.splat 2.0 : !tile.tile<q:4, f32>
  %0 = tile.map (%x, %two) : (!tile.tile<q:4, f32>, !tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    tile.yield %c : f32
  }
  return %0 : !tile.tile<q:4, f32>
}

// CHECK-LABEL: func.func @drops_empty_segments
// CHECK-SAME:    %[[N:.*]]: index
// CHECK:       in [(%{{.*}}, %{{.*}}, %[[N]], %[[N]])] step
func.func @drops_empty_segments(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = tile.for (%k0, %nk, %p) in [(%c4, %c4, %c0, %c0), (%c0, %c0, %n, %n), (%n, %c0, %c0, %n)] step 8 partial_step 4 iter(%s = %c0) -> (index) {
    %1 = arith.addi %s, %nk : index
    tile.yield %1 : index
  }
  return %0 : index
}

// Other keys are visited beside those of a segment only.
// CHECK-LABEL: func.func @drops_a_segment_and_what_lies_around
// CHECK-NOT:     tile.for
func.func @drops_a_segment_and_what_lies_around(%n: index) -> index {
  %0 = tile.for (%k0, %nk, %p) in [(%n, %n, %n, %n)] within (%n, %n) step 8 partial_step 4 iter(%s = %n) -> (index) {
    tile.yield %nk : index
  }
  return %0 : index
}

// CHECK-LABEL: func.func @keeps_what_lies_around_other_segments
// CHECK-SAME:    %[[N:.*]]: index, %[[M:.*]]: index
// CHECK:       in [(%{{.*}}, %{{.*}}, %[[N]], %[[N]])] within (%{{.*}}, %[[M]]) step
func.func @keeps_what_lies_around_other_segments(%n: index, %m: index) -> index {
  %c0 = arith.constant 0 : index
  %0 = tile.for (%k0, %nk, %p) in [(%n, %n, %n, %n), (%c0, %c0, %n, %n)] within (%n, %n, %c0, %m) step 8 partial_step 4 iter(%s = %n) -> (index) {
    tile.yield %nk : index
  }
  return %0 : index
}

// CHECK-LABEL: func.func @drops_a_loop_over_nothing
// CHECK-SAME:    %[[N:.*]]: index
// CHECK-NEXT:  return %[[N]]
func.func @drops_a_loop_over_nothing(%n: index) -> index {
  %0 = tile.for (%k0, %nk, %p) in [] step 8 partial_step 4 iter(%s = %n) -> (index) {
    tile.yield %nk : index
  }
  return %0 : index
}

// Loads of one block are one load; a store in between keeps both.
// CSE-LABEL: func.func @merges_loads
// CSE:       tile.load
// CSE-NOT:   tile.load
// CSE:       tile.store
// CSE:       tile.load
func.func @merges_loads(%x: !tile.buf<q : f32>, %i: index) -> !tile.tile<q:4, f32> {
  %0 = tile.load %x[%i] : !tile.buf<q : f32> -> !tile.tile<q:4, f32>
  %1 = tile.load %x[%i] : !tile.buf<q : f32> -> !tile.tile<q:4, f32>
  %2 = tile.rescale %0 by %1 : !tile.tile<q:4, f32>, !tile.tile<q:4, f32>
  tile.store %2, %x[%i] : !tile.tile<q:4, f32>, !tile.buf<q : f32>
  %3 = tile.load %x[%i] : !tile.buf<q : f32> -> !tile.tile<q:4, f32>
  return %3 : !tile.tile<q:4, f32>
}

// What does not depend on the keys leaves the loop; a load, which might not be
// executed at all, stays.
// LICM-LABEL: func.func @hoists_values_not_loads
// LICM:       tile.rescale
// LICM:       tile.for
// LICM:       tile.load
func.func @hoists_values_not_loads(%x: !tile.buf<q : f32>, %t: !tile.tile<q:4, f32>, %n: index) -> !tile.tile<q:4, f32> {
  %c0 = arith.constant 0 : index
  %0 = tile.for (%k0, %nk, %p) in [(%c0, %c0, %n, %n)] step 8 partial_step 4 iter(%s = %t) -> (!tile.tile<q:4, f32>) {
    %1 = tile.rescale %t by %t : !tile.tile<q:4, f32>, !tile.tile<q:4, f32>
    %2 = tile.load %x[%c0] : !tile.buf<q : f32> -> !tile.tile<q:4, f32>
    %3 = tile.rescale %1 by %2 : !tile.tile<q:4, f32>, !tile.tile<q:4, f32>
    tile.yield %3 : !tile.tile<q:4, f32>
  }
  return %0 : !tile.tile<q:4, f32>
}

// Two workspaces are two memories; names that stay are no renaming.
// CHECK-LABEL: tile.program @keeps_workspaces_apart
tile.program @keeps_workspaces_apart(%x: !tile.buf<q : f32>, %n: index) target #tile.none {
  // CHECK: %[[A:.*]] = tile.workspace
  // CHECK: %[[B:.*]] = tile.workspace
  // CHECK-NOT: tile.workspace
  // CHECK-NOT: tile.rename
  %a = tile.workspace [%n] : !tile.buf<q : f32>
  %b = tile.workspace [%n] : !tile.buf<q : f32>
  %unused = tile.workspace [%n] : !tile.buf<q : f32>
  %r = tile.rename %x : !tile.buf<q : f32> -> !tile.buf<q : f32>
  tile.grid (%i) to (%n) {
    %0 = tile.load %r[%i] : !tile.buf<q : f32> -> !tile.tile<q:1, f32>
    tile.store %0, %a[%i] : !tile.tile<q:1, f32>, !tile.buf<q : f32>
    tile.store %0, %b[%i] : !tile.tile<q:1, f32>, !tile.buf<q : f32>
  }
}
