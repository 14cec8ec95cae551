// Every op is printed as it is read, with letters as names.
// RUN: attnc-opt %s | attnc-opt | FileCheck %s
// RUN: attnc-opt %s -o %t.1 && attnc-opt %t.1 -o %t.2 && diff %t.1 %t.2

!Q = tensor<?x16x?x64xbf16, #attn.dims<batch, 16, query_len, 64>>
!K = tensor<?x8x?x64xbf16, #attn.dims<batch, 8, kv_len, 64>>
!Qg = tensor<?x8x2x?x64xbf16, #attn.dims<batch, 8, 2, query_len, 64>>
!S = tensor<?x8x2x?x?xf32, #attn.dims<batch, 8, 2, query_len, kv_len>>
!M = tensor<?x8x2x?x?xi1, #attn.dims<batch, 8, 2, query_len, kv_len>>
!P = tensor<?x8x2x?x?xbf16, #attn.dims<batch, 8, 2, query_len, kv_len>>
!L = tensor<?x8x2x?xf32, #attn.dims<batch, 8, 2, query_len>>

// CHECK-LABEL: func.func @graph(
// CHECK-SAME:      %[[Q:[a-zA-Z0-9]+]]: tensor<?x16x?x64xbf16, #attn.dims<batch, 16, query_len, 64>>
// CHECK-SAME:      %[[K:[a-zA-Z0-9]+]]: {{.*}}, %[[V:[a-zA-Z0-9]+]]: {{.*}}, %[[BIAS:[a-zA-Z0-9]+]]: tensor<16x?xf16>
func.func @graph(%Q: !Q, %K: !K, %V: !K, %bias: tensor<16x?xf16>) -> (!Q, !L) {
  // CHECK: %[[QG:.*]] = attn.view "b(hg)qd->bhgqd" %[[Q]] :
  %q = attn.view "b(hg)qd->bhgqd" %Q : !Q -> !Qg
  // CHECK: %[[S:.*]] = attn.contract "bhgqd,bhkd->bhgqk"(%[[QG]], %[[K]]) :
  %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %K) : (!Qg, !K) -> !S
  // CHECK: %[[T:.*]] = attn.map "bhgqk->bhgqk"(%[[S]]) :
  // CHECK-NEXT: ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
  %t = attn.map "bhgqk->bhgqk" (%s) : (!S) -> !S {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %k: index):
    // CHECK: attn.read %[[BIAS]][%h, %k] : tensor<16x?xf16> -> f32
    %y = attn.read %bias[%h, %k] : tensor<16x?xf16> -> f32
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  // CHECK: %[[M:.*]] = attn.mask "bhgqk" : tensor<
  %m = attn.mask "bhgqk" : !M {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %k: index):
    // CHECK: %query_len = attn.size "query_len"
    %n = attn.size "query_len"
    %e = arith.addi %i, %n : index
    %c = arith.cmpi sle, %k, %e : index
    attn.yield %c : i1
  }
  // CHECK: %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum>(%[[T]]) where(%[[M]]) :
  // CHECK-SAME: init {
  // CHECK-NEXT: ^bb0(%b: index, %h: index, %g: index, %q: index):
  %p, %lse = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%t) where (%m) : (!S, !M) -> (!P, !L) init {
  ^bb0(%b: index, %h: index, %g: index, %i: index):
    %sink = arith.constant 1.5 : f32
    attn.yield %sink : f32
  }
  // CHECK: attn.contract "bhgqk,bhkd->bhgqd"(%p, %[[V]]) where "bhgqk"(%[[M]]) :
  %o = attn.contract "bhgqk,bhkd->bhgqd" (%p, %V) where "bhgqk" (%m) : (!P, !K, !M) -> !Qg
  // CHECK: attn.view "bhgqd->b(hg)qd"
  %O = attn.view "bhgqd->b(hg)qd" %o : !Qg -> !Q
  return %O, %lse : !Q, !L
}

// CHECK-LABEL: func.func @kernel(
func.func @kernel(%q: !Qg, %k: !K, %v: !K) -> !Qg {
  // CHECK: %o, %lse = attn.kernel ins(%{{.*}}, %{{.*}}, %{{.*}} : {{.*}}) -> ({{.*}}) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
  // CHECK-SAME: attributes {probabilities = bf16, scale = 1.250000e-01 : f64, schedule = #attn.schedule<form = online, q = 64, k = 32, rescale_threshold = 8.000000e+00, rescale_in = value, target = #tile.none>}
  // CHECK-SAME: score {
  // CHECK-NEXT: ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
  %o, %lse = attn.kernel ins(%q, %k, %v : !Qg, !K, !K) -> (!Qg, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = bf16,
                schedule = #attn.schedule<form = online, q = 64, k = 32, rescale_threshold = 8.0, rescale_in = value, target = #tile.none>}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  // CHECK: } mask {
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  // CHECK: } init {
  } init {
  ^bb0(%b: index, %h: index, %g: index, %i: index):
    %zero = arith.constant 0.0 : f32
    attn.yield %zero : f32
  // CHECK: } ranges {
  // CHECK-NEXT: ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
  } ranges {
  ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
    %n = attn.size "kv_len"
    // CHECK: attn.yield_ranges [(%b, %b, %kv_len, %kv_len), (%q0, %q1, %q0, %q1)]
    attn.yield_ranges [(%b, %b, %n, %n), (%q0, %q1, %q0, %q1)]
  }
  return %o : !Qg
}

// CHECK-LABEL: func.func @no_segment_and_no_mask(
func.func @no_segment_and_no_mask(%q: !Qg, %k: !K, %v: !K, %s: !S) -> (!Qg, !P) {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Qg, !K, !K) -> (!Qg, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant false
    attn.yield %c : i1
  } ranges {
  ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
    // CHECK: attn.yield_ranges []
    attn.yield_ranges []
  }
  // CHECK: attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum>(%{{.*}}) : (
  %p, %l = attn.normalize "bhgqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!S) -> (!P, !L)
  return %o, %p : !Qg, !P
}

// Scalars of every kind, maps with several inputs and with none.
// CHECK-LABEL: func.func @scalars(
func.func @scalars(%x: tensor<4xf64>, %i: tensor<i32>, %u: tensor<4xui8>, %b: tensor<4xi1>) -> (tensor<4x2xf32>, tensor<4xi1>) {
  // CHECK: attn.map "a,,a,a->ac"(%{{.*}}) : (tensor<4xf64>, tensor<i32>, tensor<4xui8>, tensor<4xi1>) -> tensor<4x2xf32>
  // CHECK-NEXT: ^bb0(%x: f64, %x_0: index, %x_1: index, %x_2: i1, %a: index, %c: index):
  %r = attn.map "a,,a,a->ac" (%x, %i, %u, %b) : (tensor<4xf64>, tensor<i32>, tensor<4xui8>, tensor<4xi1>) -> tensor<4x2xf32> {
  ^bb0(%s: f64, %t: index, %w: index, %c: i1, %a: index, %d: index):
    %y = attn.read %i[] : tensor<i32> -> index
    %z = attn.read %x[%y] : tensor<4xf64> -> f64
    %v = arith.select %c, %s, %z : f64
    attn.yield %v : f64
  }
  // CHECK: attn.map "->a"() : () -> tensor<4xi1>
  %e = attn.map "->a" () : () -> tensor<4xi1> {
  ^bb0(%a: index):
    %c = attn.read %b[%a] : tensor<4xi1> -> i1
    attn.yield %c : i1
  }
  return %r, %e : tensor<4x2xf32>, tensor<4xi1>
}

// Nothing in front of the arrow: no input, or one without axes.
// CHECK-LABEL: func.func @map_of_a_number(
func.func @map_of_a_number(%x: tensor<f32>) -> tensor<4xf32> {
  // CHECK: attn.map "->a"(%arg0) : (tensor<f32>) -> tensor<4xf32> {
  // CHECK-NEXT: ^bb0(%x: f32, %a: index):
  %r = attn.map "->a" (%x) : (tensor<f32>) -> tensor<4xf32> {
  ^bb0(%y: f32, %a: index):
    attn.yield %y : f32
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @kernel_of_features(
func.func @kernel_of_features(%q: !Qg, %k: !K, %v: !K) -> !Qg {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Qg, !K, !K) -> (!Qg, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  // CHECK: } pairs {
  // CHECK-NEXT: ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %q: index, %k: index):
  } pairs {
  ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    %sum = arith.addf %x, %y : f32
    %tanh = math.tanh %sum : f32
    attn.yield %tanh : f32
  // CHECK: } value {
  // CHECK-NEXT: ^bb0(%x: f32, %e: index, %b: index, %h: index, %g: index, %q: index, %k: index):
  } value {
  ^bb0(%x: f32, %e: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    %twice = arith.addf %x, %x : f32
    attn.yield %twice : f32
  }
  return %o : !Qg
}

// CHECK-LABEL: func.func @kernels_of_rows_and_pairs(
func.func @kernels_of_rows_and_pairs(%q: !Qg, %k: !K) -> tensor<?x8x2x?x?xf32, #attn.dims<batch, 8, 2, query_len, kv_len>> {
  // CHECK: %row, %key = attn.kernel ins(%{{.*}}, %{{.*}} : {{.*}}) -> ({{.*}}xf32{{.*}}, {{.*}}xi32{{.*}}) normalize #attn.row<rank, n = 8> attributes {scale = 1.000000e+00 : f64} score {
  %row, %key = attn.kernel ins(%q, %k : !Qg, !K) -> (!L, tensor<?x8x2x?xi32, #attn.dims<batch, 8, 2, query_len>>) normalize #attn.row<rank, n = 8> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  // CHECK: %lse = attn.kernel ins(%{{.*}}, %{{.*}} : {{.*}}) -> ({{.*}}) normalize #attn.norm<shift = none, weight = identity, divide = none>
  %lse = attn.kernel ins(%q, %k : !Qg, !K) -> (!L) normalize #attn.norm<shift = none, weight = identity, divide = none> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  // CHECK: %{{.*}}, %{{.*}} = attn.kernel ins(%{{.*}}, %{{.*}} : {{.*}}) -> ({{.*}}, {{.*}}) normalize #attn.norm<shift = max, weight = exp, divide = sum>
  %sum, %max = attn.kernel ins(%q, %k : !Qg, !K) -> (!L, !L) normalize #attn.norm<shift = max, weight = exp, divide = sum> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  // CHECK: %dense = attn.kernel ins(%{{.*}}, %{{.*}} : {{.*}}) -> ({{.*}}) normalize #attn.dense<fill = -inf>
  %dense = attn.kernel ins(%q, %k : !Qg, !K) -> (tensor<?x8x2x?x?xf32, #attn.dims<batch, 8, 2, query_len, kv_len>>) normalize #attn.dense<fill = -inf> attributes {scale = 1.0 : f64} score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %t = attn.read %row[%b, %h, %g, %i] : !L -> f32
    %s = arith.subf %x, %t : f32
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %dense : tensor<?x8x2x?x?xf32, #attn.dims<batch, 8, 2, query_len, kv_len>>
}

// CHECK-LABEL: func.func @kernel_of_products(
func.func @kernel_of_products(%q: !Qg, %k: !K, %v: !K) -> !Qg {
  // CHECK: attn.kernel ins({{.*}}) products(%{{.*}}, %{{.*}} : {{.*}}) ->
  %o, %lse = attn.kernel ins(%q, %k, %v : !Qg, !K, !K) products(%q, %v : !Qg, !K) -> (!Qg, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16}
  // CHECK: score {
  // CHECK-NEXT: ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index, %y: f32):
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %y: f32):
    %s = arith.mulf %x, %y : f32
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  // CHECK: } gate {
  // CHECK-NEXT: ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index, %y: f32):
  } gate {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %y: f32):
    attn.yield %y : f32
  // CHECK: } select {
  // CHECK-NEXT: ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index, %y: f32):
  } select {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %y: f32):
    %c = arith.cmpf ogt, %x, %y : f32
    attn.yield %c : i1
  }
  return %o : !Qg
}

// Two sums of formulas: the first of two rows of queries and of keys.
// CHECK-LABEL: func.func @kernel_of_sums(
func.func @kernel_of_sums(%q: !Qg, %k: !K, %v: !K) -> !Qg {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Qg, !K, !K) products(%q, %v, %q, %k : !Qg, !K, !Qg, !K) -> (!Qg, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = bf16}
  // CHECK: score {
  // CHECK-NEXT: ^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index, %y: f32):
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index, %y: f32):
    %s = arith.mulf %x, %y : f32
    attn.yield %s : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  // CHECK: } pairs {
  // CHECK-NEXT: ^bb0(%x: f32, %y: f32, %x_0: f32, %y_1: f32, %d: index, %b: index, %h: index, %g: index, %q: index, %k: index):
  } pairs {
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    %first = arith.subf %x, %y : f32
    %second = arith.subf %z, %w : f32
    %product = arith.mulf %first, %second : f32
    attn.yield %product : f32
  // CHECK: }, {
  // CHECK-NEXT: ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %q: index, %k: index):
  }, {
  ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    %sum = arith.addf %x, %y : f32
    %tanh = math.tanh %sum : f32
    attn.yield %tanh : f32
  }
  return %o : !Qg
}
