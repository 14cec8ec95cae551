// RUN: attnc-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @identity_view(
// CHECK-NEXT:    return %arg0
func.func @identity_view(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = attn.view "ab->ab" %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @view_of_view(
// CHECK-NEXT:    %[[V:.*]] = attn.view "(ab)c->cab" %arg0 : tensor<6x4xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT:    return %[[V]]
func.func @view_of_view(%x: tensor<6x4xf32>) -> tensor<4x2x3xf32> {
  %y = attn.view "(ab)c->abc" %x : tensor<6x4xf32> -> tensor<2x3x4xf32>
  %z = attn.view "hgq->qhg" %y : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  return %z : tensor<4x2x3xf32>
}

// -----

// Views that meet in a merged axis stay: their split need not be the same.
// What the inner view merges stays together.
// CHECK-LABEL: func.func @view_of_merged_view(
// CHECK-NEXT:    %[[V:.*]] = attn.view "abc->c(ab)" %arg0 : tensor<2x3x4xf32> -> tensor<4x6xf32>
// CHECK-NEXT:    return %[[V]]
func.func @view_of_merged_view(%x: tensor<2x3x4xf32>) -> tensor<4x6xf32> {
  %y = attn.view "abc->(ab)c" %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %z = attn.view "hq->qh" %y : tensor<6x4xf32> -> tensor<4x6xf32>
  return %z : tensor<4x6xf32>
}

// -----

// What is merged and cut again at the same places is not merged at all.
// CHECK-LABEL: func.func @view_that_cuts_again(
// CHECK-NEXT:    %[[V:.*]] = attn.view "bqyz->byqz" %arg0
// CHECK-NEXT:    return %[[V]]
func.func @view_that_cuts_again(%x: tensor<2x?x3x4xf32, #attn.dims<2, kv_len, 3, 4>>) -> tensor<2x3x?x4xf32, #attn.dims<2, 3, kv_len, 4>> {
  %y = attn.view "bqyz->bq(yz)" %x : tensor<2x?x3x4xf32, #attn.dims<2, kv_len, 3, 4>> -> tensor<2x?x12xf32, #attn.dims<2, kv_len, 12>>
  %z = attn.view "bq(hd)->bhqd" %y : tensor<2x?x12xf32, #attn.dims<2, kv_len, 12>> -> tensor<2x3x?x4xf32, #attn.dims<2, 3, kv_len, 4>>
  return %z : tensor<2x3x?x4xf32, #attn.dims<2, 3, kv_len, 4>>
}

// -----

// A letter of the inner view is cut by the outer one: heads in groups.
// CHECK-LABEL: func.func @view_that_cuts_a_letter(
// CHECK-NEXT:    %[[V:.*]] = attn.view "(abd)->abd" %arg0
// CHECK-NEXT:    return %[[V]]
func.func @view_that_cuts_a_letter(%x: tensor<24xf32>) -> tensor<2x3x4xf32> {
  %y = attn.view "(hd)->hd" %x : tensor<24xf32> -> tensor<6x4xf32>
  %z = attn.view "(hg)d->hgd" %y : tensor<6x4xf32> -> tensor<2x3x4xf32>
  return %z : tensor<2x3x4xf32>
}

// -----

// 2 x 12 and 6 x 4: the heads of 2 groups of 3.
// CHECK-LABEL: func.func @view_that_cuts_inside_a_letter(
// CHECK-NEXT:    %[[V:.*]] = attn.view "abc->(ab)c" %arg0
// CHECK-NEXT:    return %[[V]]
func.func @view_that_cuts_inside_a_letter(%x: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %w = attn.view "abc->a(bc)" %x : tensor<2x3x4xf32> -> tensor<2x12xf32>
  %y = attn.view "ab->(ab)" %w : tensor<2x12xf32> -> tensor<24xf32>
  %z = attn.view "(ab)->ab" %y : tensor<24xf32> -> tensor<6x4xf32>
  return %z : tensor<6x4xf32>
}

// -----

// CHECK-LABEL: func.func @keeps_views_that_meet_merged(
// CHECK-COUNT-2: attn.view
func.func @keeps_views_that_meet_merged(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %y = attn.view "ab->(ab)" %x : tensor<2x6xf32> -> tensor<12xf32>
  %z = attn.view "(ab)->ab" %y : tensor<12xf32> -> tensor<4x3xf32>
  return %z : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: func.func @identity_map(
// CHECK-NEXT:    return %arg0
func.func @identity_map(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = attn.map "ab->ab" (%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%s: f32, %a: index, %b: index):
    attn.yield %s : f32
  }
  return %y : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @keeps_map_that_rounds(
// CHECK:         attn.map
func.func @keeps_map_that_rounds(%x: tensor<2x3xf32>) -> tensor<2x3xbf16> {
  %y = attn.map "ab->ab" (%x) : (tensor<2x3xf32>) -> tensor<2x3xbf16> {
  ^bb0(%s: f32, %a: index, %b: index):
    attn.yield %s : f32
  }
  return %y : tensor<2x3xbf16>
}

// -----

// CHECK-LABEL: func.func @keeps_map_that_permutes(
// CHECK:         attn.map
func.func @keeps_map_that_permutes(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %y = attn.map "ab->ba" (%x) : (tensor<3x3xf32>) -> tensor<3x3xf32> {
  ^bb0(%s: f32, %a: index, %b: index):
    attn.yield %s : f32
  }
  return %y : tensor<3x3xf32>
}

// -----

// A mask that allows everything is no mask.
// CHECK-LABEL: func.func @mask_true(
// CHECK-NOT:     where
// CHECK-NOT:     attn.mask
func.func @mask_true(%s: tensor<4x5xf32>, %v: tensor<5x8xf32>) -> tensor<4x8xf32> {
  %m = attn.mask "qk" : tensor<4x5xi1> {
  ^bb0(%q: index, %k: index):
    %c = arith.cmpi eq, %q, %q : index
    attn.yield %c : i1
  }
  // CHECK: attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum>(%arg0) : (tensor<4x5xf32>) ->
  %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (tensor<4x5xf32>, tensor<4x5xi1>) -> (tensor<4x5xf32>, tensor<4xf32>)
  // CHECK: attn.contract "qk,ke->qe"(%p, %arg1) : (tensor<4x5xf32>, tensor<5x8xf32>) ->
  %o = attn.contract "qk,ke->qe" (%p, %v) where "qk" (%m) : (tensor<4x5xf32>, tensor<5x8xf32>, tensor<4x5xi1>) -> tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @keeps_mask_false(
// CHECK:         where "qk"
func.func @keeps_mask_false(%p: tensor<4x5xf32>, %v: tensor<5x8xf32>) -> tensor<4x8xf32> {
  %m = attn.mask "qk" : tensor<4x5xi1> {
  ^bb0(%q: index, %k: index):
    %c = arith.constant false
    attn.yield %c : i1
  }
  %o = attn.contract "qk,ke->qe" (%p, %v) where "qk" (%m) : (tensor<4x5xf32>, tensor<5x8xf32>, tensor<4x5xi1>) -> tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}

// -----

// Sizes that the interface fixes are constants; others stay.
module attributes {attnc.interface = [{name = "sizes", sizes = [{name = "heads", value = "12"}, {name = "kv_len"}, {name = "twice", value = "kv_len * 2"}]}]} {
  // CHECK-LABEL: func.func @sizes(
  func.func @sizes() -> (index, index, index) {
    %a = attn.size "heads"
    // CHECK-DAG: %[[A:.*]] = arith.constant 12 : index
    // CHECK-DAG: %[[B:.*]] = attn.size "kv_len"
    %b = attn.size "kv_len"
    // CHECK-DAG: %[[C:.*]] = attn.size "twice"
    %c = attn.size "twice"
    // CHECK: return %[[A]], %[[B]], %[[C]]
    return %a, %b, %c : index, index, index
  }
}

// -----

// CHECK-LABEL: func.func @read_clamps_constants(
func.func @read_clamps_constants(%t: tensor<4x?xf32>) -> f32 {
  // CHECK-DAG: %[[LAST:.*]] = arith.constant 3 : index
  // CHECK-DAG: %[[FAR:.*]] = arith.constant 9 : index
  // CHECK: attn.read %arg0[%[[LAST]], %[[FAR]]]
  %i = arith.constant 9 : index
  %x = attn.read %t[%i, %i] : tensor<4x?xf32> -> f32
  return %x : f32
}

// -----

// CHECK-LABEL: func.func @read_of_an_empty_tensor(
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT:    return %[[ZERO]]
func.func @read_of_an_empty_tensor(%t: tensor<?x0xi32>, %i: index) -> index {
  %x = attn.read %t[%i, %i] : tensor<?x0xi32> -> index
  return %x : index
}

// -----

// A formula is complete by itself: constants stay in its region.
// CHECK-LABEL: func.func @constants_stay_inside(
// CHECK-NEXT:    attn.map
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.constant 3.000000e+00
func.func @constants_stay_inside(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = attn.map "a->a" (%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%s: f32, %a: index):
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %three = arith.addf %one, %two : f32
    %z = arith.mulf %s, %three : f32
    attn.yield %z : f32
  }
  return %y : tensor<2xf32>
}

// -----

// A gate of 1 and a product that no formula reads are no part of a kernel.
// CHECK-LABEL: func.func @kernel_without_waste(
// CHECK:         attn.kernel ins(%arg0, %arg1, %arg1 : {{.*}}) products(%arg0, %arg2 :
// CHECK:         score {
// CHECK-NEXT:    ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index, %y: f32):
// CHECK-NEXT:      arith.mulf %x, %y
// CHECK-NOT:     gate
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_without_waste(%q: !Q, %k: !K, %k2: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) products(%q, %k, %q, %k2 : !Q, !K, !Q, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %y: f32, %z: f32):
    %s = arith.mulf %x, %z : f32
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } gate {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %y: f32, %z: f32):
    %one = arith.constant 1.0 : f32
    attn.yield %one : f32
  }
  return %o : !Q
}

// -----

// What the gate reads stays.
// CHECK-LABEL: func.func @kernel_with_gate(
// CHECK:         attn.kernel ins({{.*}}) products(%arg0, %arg1 :
// CHECK:         } gate {
// CHECK:           attn.yield %y
!Q = tensor<1x2x1x4x8xf32>
!K = tensor<1x2x5x8xf32>
!L = tensor<1x2x1x4xf32>
func.func @kernel_with_gate(%q: !Q, %k: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %k : !Q, !K, !K) products(%q, %k : !Q, !K) -> (!Q, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64, probabilities = f32} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %y: f32):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  } gate {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %y: f32):
    attn.yield %y : f32
  }
  return %o : !Q
}
