// What is not fused stays as it is, and a remark tells why.
// RUN: attnc-opt %s --attn-fuse-kernel --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-NOT: attn.kernel
// CHECK-LABEL: func.func @weights_have_a_second_use(
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!M = tensor<2x3x4x5xi1>
!L = tensor<2x3x4xf32>
func.func @weights_have_a_second_use(%q: !Q, %k: !K) -> (!Q, !S) {
  // expected-remark@below {{attn.contract is not fused: its result has a second use}}
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !K) -> !S
  // expected-remark@below {{attn.normalize is not fused: its result has a second use}}
  // expected-note@below {{because of this op}}
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  // expected-remark@below {{attn.contract is not fused: its result has a second use}}
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !K) -> !Q
  return %o, %p : !Q, !S
}

// -----

// CHECK-LABEL: func.func @scores_have_a_second_use(
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!M = tensor<2x3x4x5xi1>
!L = tensor<2x3x4xf32>
func.func @scores_have_a_second_use(%q: !Q, %k: !K) -> (!Q, !S) {
  // expected-remark@below {{attn.contract is not fused: its result has a second use}}
  // expected-note@below {{because of this op}}
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !K) -> !S
  // expected-remark@below {{attn.normalize is not fused: its result has a second use}}
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  // expected-remark@below {{attn.contract is not fused: its result has a second use}}
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !K) -> !Q
  return %o, %s : !Q, !S
}

// -----

// CHECK-LABEL: func.func @a_product_at_two_places(
!Q = tensor<2x3x4x8xf32>
!S = tensor<2x3x4x4xf32>
!L = tensor<2x3x4xf32>
func.func @a_product_at_two_places(%q: !Q, %k: !Q) -> !Q {
  // expected-remark@below {{attn.contract is not fused: the score uses one product twice}}
  // expected-note@below {{because of this op}}
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !Q) -> !S
  %t = attn.map "bhqk,bhkq->bhqk" (%s, %s) : (!S, !S) -> !S {
  ^bb0(%x: f32, %y: f32, %b: index, %h: index, %i: index, %j: index):
    %z = arith.mulf %x, %y : f32
    attn.yield %z : f32
  }
  // expected-remark@below {{attn.normalize is not fused: the score uses one product twice}}
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!S) -> (!S, !L)
  // expected-remark@below {{attn.contract is not fused: the score uses one product twice}}
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !Q) -> !Q
  return %o : !Q
}

// -----

// CHECK-LABEL: func.func @weights_without_values(
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!M = tensor<2x3x4x5xi1>
!L = tensor<2x3x4xf32>
func.func @weights_without_values(%q: !Q, %k: !K) -> !S {
  // expected-remark@below {{attn.contract is not fused: it is not part of a softmax}}
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !K) -> !S
  // expected-remark@below {{attn.normalize is not fused: no attn.contract multiplies its weights with values}}
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, !L)
  return %p : !S
}

// -----

// CHECK-LABEL: func.func @a_product_of_its_own(
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!M = tensor<2x3x4x5xi1>
!L = tensor<2x3x4xf32>
// expected-remark@below {{1 matrix product outside kernels}}
func.func @a_product_of_its_own(%q: !Q, %k: !K) -> !S {
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !K) -> !S
  return %s : !S
}

// -----

// CHECK-LABEL: func.func @mask_of_the_weights_only(
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!M = tensor<2x3x4x5xi1>
!L = tensor<2x3x4xf32>
func.func @mask_of_the_weights_only(%q: !Q, %k: !K) -> !Q {
  // expected-remark@below {{attn.contract is not fused: only one of the weights and the product with the values has a mask}}
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !K) -> !S
  %m = attn.mask "bhqk" : !M {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  // expected-remark@below {{attn.normalize is not fused: only one of the weights and the product with the values has a mask}}
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (!S, !M) -> (!S, !L)
  // expected-remark@below {{attn.contract is not fused: only one of the weights and the product with the values has a mask}}
  // expected-note@below {{because of this op}}
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// CHECK-LABEL: func.func @another_mask(
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!M = tensor<2x3x4x5xi1>
!L = tensor<2x3x4xf32>
func.func @another_mask(%q: !Q, %k: !K, %n: !M) -> !Q {
  // expected-remark@below {{attn.contract is not fused: the weights and the product with the values have different masks}}
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !K) -> !S
  %m = attn.mask "bhqk" : !M {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  // expected-remark@below {{attn.normalize is not fused: the weights and the product with the values have different masks}}
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (!S, !M) -> (!S, !L)
  // expected-remark@below {{attn.contract is not fused: the weights and the product with the values have different masks}}
  // expected-note@below {{because of this op}}
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) where "bhqk" (%n) : (!S, !K, !M) -> !Q
  return %o : !Q
}

// -----

// CHECK-LABEL: func.func @softmax_over_the_queries(
!Q = tensor<2x3x4x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
!M = tensor<2x3x4x5xi1>
!L = tensor<2x3x4xf32>
func.func @softmax_over_the_queries(%q: !Q, %k: !K) -> !Q {
  // expected-remark@below {{attn.contract is not fused: it is not part of a softmax}}
  %s = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !K) -> !S
  // expected-remark@below {{attn.normalize is not fused: the product with the values does not sum over the normalized axis}}
  %p, %lse = attn.normalize "bhqk" over "q" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, tensor<2x3x5xf32>)
  // expected-remark@below {{attn.contract is not fused: the product with the values does not sum over the normalized axis}}
  // expected-note@below {{because of this op}}
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// CHECK-LABEL: func.func @four_batch_axes(
!Q = tensor<2x2x2x3x4x8xf32>
!S = tensor<2x2x2x3x4x4xf32>
func.func @four_batch_axes(%q: !Q) -> !Q {
  // expected-remark@below {{attn.contract is not fused: there are more than three axes that queries, keys and values share}}
  // expected-note@below {{because of this op}}
  %s = attn.contract "abchqd,abchkd->abchqk" (%q, %q) : (!Q, !Q) -> !S
  // expected-remark@below {{attn.normalize is not fused: there are more than three axes that queries, keys and values share}}
  %p, %lse = attn.normalize "abchqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, tensor<2x2x2x3x4xf32>)
  // expected-remark@below {{attn.contract is not fused: there are more than three axes that queries, keys and values share}}
  %o = attn.contract "abchqk,abchke->abchqe" (%p, %q) : (!S, !Q) -> !Q
  return %o : !Q
}

// -----

// CHECK-LABEL: func.func @axis_without_a_name(
!Q = tensor<?x8xf32>
!S = tensor<?x?xf32>
func.func @axis_without_a_name(%q: !Q) -> !Q {
  // expected-remark@below {{attn.contract is not fused: an axis has no name in #attn.dims}}
  // expected-note@below {{because of this op}}
  %s = attn.contract "qd,kd->qk" (%q, %q) : (!Q, !Q) -> !S
  // expected-remark@below {{attn.normalize is not fused: an axis has no name in #attn.dims}}
  %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, tensor<?xf32>)
  // expected-remark@below {{attn.contract is not fused: an axis has no name in #attn.dims}}
  %o = attn.contract "qk,ke->qe" (%p, %q) : (!S, !Q) -> !Q
  return %o : !Q
}

// -----

// CHECK-LABEL: func.func @formula_in_another_type(
!Q = tensor<4x8xf64>
!S = tensor<4x4xf64>
!F = tensor<4x4xf32>
func.func @formula_in_another_type(%q: !Q, %b: !F) -> !Q {
  // expected-remark@below {{attn.contract is not fused: it computes in another type than the kernel}}
  %s = attn.contract "qd,kd->qk" (%q, %q) : (!Q, !Q) -> !S
  // expected-note@below {{because of this op}}
  %f = attn.map "qk->qk" (%b) : (!F) -> !F {
  ^bb0(%x: f32, %i: index, %j: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %t = attn.map "qk,qk->qk" (%s, %f) : (!S, !F) -> !S {
  ^bb0(%x: f64, %y: f64, %i: index, %j: index):
    %z = arith.addf %x, %y : f64
    attn.yield %z : f64
  }
  // expected-remark@below {{attn.normalize is not fused: it computes in another type than the kernel}}
  %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) : (!S) -> (!S, tensor<4xf64>)
  // expected-remark@below {{attn.contract is not fused: it computes in another type than the kernel}}
  %o = attn.contract "qk,ke->qe" (%p, %q) : (!S, !Q) -> !Q
  return %o : !Q
}

// -----

// Rows that a caller has for each pair, beside a product of rows.
// CHECK-LABEL: func.func @rows_of_pairs(
// CHECK:         %[[S:.*]] = attn.contract "bhqkd,bhkd->bhqk"
// CHECK:         attn.kernel
// CHECK:           attn.read %[[S]][%b, %h, %q, %k]
!Q = tensor<2x3x4x8xf32>
!T = tensor<2x3x4x5x8xf32>
!K = tensor<2x3x5x8xf32>
!S = tensor<2x3x4x5xf32>
func.func @rows_of_pairs(%q: !Q, %t: !T, %k: !K) -> !Q {
  // expected-remark@below {{attn.contract is not fused: no operand of the product is a row of the query or a formula of one [missed]}}
  %s = attn.contract "bhqkd,bhkd->bhqk" (%t, %k) : (!T, !K) -> !S
  // expected-remark@below {{one kernel: Q @ K, score, softmax, @ V; a product is read from memory [fused]}}
  %x = attn.contract "bhqd,bhkd->bhqk" (%q, %k) : (!Q, !K) -> !S
  %y = attn.map "bhqk,bhqk->bhqk" (%x, %s) : (!S, !S) -> !S {
  ^bb0(%a: f32, %c: f32, %b: index, %h: index, %i: index, %j: index):
    %z = arith.addf %a, %c : f32
    attn.yield %z : f32
  }
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%y) : (!S) -> (!S, tensor<2x3x4xf32>)
  %o = attn.contract "bhqk,bhke->bhqe" (%p, %k) : (!S, !K) -> !Q
  return %o : !Q
}

// -----

// CHECK-LABEL: func.func @product_in_another_type(
!Q = tensor<4x8xf32>
!S = tensor<4x4xf32>
func.func @product_in_another_type(%q: !Q, %v: tensor<4x8xf64>) -> tensor<4x8xf64> {
  // expected-remark@below {{attn.contract is not fused: it accumulates in another type than the kernel [missed]}}
  // expected-note@below {{because of this op}}
  %s = attn.contract "qd,kd->qk" (%q, %q) : (!Q, !Q) -> !S
  // expected-remark@below {{attn.normalize is not fused: it accumulates in another type than the kernel [missed]}}
  %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!S, tensor<4xf32>)
  // expected-remark@below {{attn.contract is not fused: it accumulates in another type than the kernel [missed]}}
  %o = attn.contract "qk,ke->qe" (%p, %v) : (!S, tensor<4x8xf64>) -> tensor<4x8xf64>
  return %o : tensor<4x8xf64>
}
