// Linear attention is computed by chunks where that is cheaper; a remark tells
// why it is not where it cannot be.
// RUN: attnc-opt %s --attn-mask-ranges --attn-select-schedule=cpu=x86-64-v4 --mlir-print-op-on-diagnostic=false 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>

// A state instead of thousands of keys.
// CHECK-LABEL: func.func @long(
// CHECK: #attn.schedule<form = chunked, q = {{[0-9]+}}, k = {{[0-9]+}}, chunk = {{[0-9]+}},
// REMARK: remark: x86-64-v4: chunked scan, {{[0-9]+}} queries x {{[0-9]+}} keys in chunks of {{[0-9]+}}, predicted
// REMARK: remark: time at {{.*}}, states {{[0-9.]+}}%
func.func @long(%q: !Q, %k: !K, %v: !K) -> !Q
    attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %m = arith.cmpi sle, %j, %i : index
    attn.yield %m : i1
  }
  return %o : !Q
}

// Few keys are visited sooner than a state is made.
// CHECK-LABEL: func.func @short(
// CHECK: #attn.schedule<form = online,
// REMARK: remark: x86-64-v4: tile by tile
// REMARK-NOT: is quadratic, not chunked
func.func @short(%q: !Q, %k: !K, %v: !K) -> !Q
    attributes {attnc.expect = [{query_len = 64 : i64, kv_len = 64 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %m = arith.cmpi sle, %j, %i : index
    attn.yield %m : i1
  }
  return %o : !Q
}

// An exponential of a difference is a factor of two sides.
// CHECK-LABEL: func.func @decays(
// CHECK: #attn.schedule<form = chunked,
func.func @decays(%q: !Q, %k: !K, %v: !K) -> !Q
    attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %d = arith.subi %i, %j : index
    %n = arith.index_cast %d : index to i64
    %t = arith.sitofp %n : i64 to f32
    %c = arith.constant -0.125 : f32
    %u = arith.mulf %t, %c : f32
    %e = math.exp %u : f32
    %y = arith.mulf %x, %e : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %m = arith.cmpi sle, %j, %i : index
    attn.yield %m : i1
  }
  return %o : !Q
}

// A cosine of one is not, to this analysis; it is a formula of pairs.
// CHECK-LABEL: func.func @waves(
// CHECK: #attn.schedule<form = online,
func.func @waves(%q: !Q, %k: !K, %v: !K) -> !Q
    attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %d = arith.subi %i, %j : index
    %n = arith.index_cast %d : index to i64
    %t = arith.sitofp %n : i64 to f32
    %c = arith.constant -0.125 : f32
    %u = arith.mulf %t, %c : f32
    %e = math.cos %u : f32
    %y = arith.mulf %x, %e : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %m = arith.cmpi sle, %j, %i : index
    attn.yield %m : i1
  }
  return %o : !Q
}

// A window takes keys away again.
// CHECK-LABEL: func.func @window(
// CHECK: #attn.schedule<form = online,
// REMARK: remark: linear attention is quadratic, not chunked, because the mask is not 'k <= q' combined with conditions of the query or the key alone [kernel]
func.func @window(%q: !Q, %k: !K, %v: !K) -> !Q
    attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %m = arith.cmpi sle, %j, %i : index
    %c = arith.constant 100 : index
    %d = arith.subi %i, %j : index
    %w = arith.cmpi slt, %d, %c : index
    %both = arith.andi %m, %w : i1
    attn.yield %both : i1
  }
  return %o : !Q
}

// A decay of each feature is one of a row of the state.
// CHECK-LABEL: func.func @features(
// CHECK: #attn.schedule<form = chunked, q = {{[0-9]+}}, k = {{[0-9]+}}, chunk = 32,
func.func @features(%q: !Q, %k: !K, %v: !K) -> !Q
    attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %m = arith.cmpi sle, %j, %i : index
    attn.yield %m : i1
  } pairs {
  ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    %s = arith.subf %x, %y : f32
    %e = math.exp %s : f32
    attn.yield %e : f32
  }
  return %o : !Q
}

// A sum of two sides is no product of them.
// CHECK-LABEL: func.func @distances(
// CHECK: #attn.schedule<form = online,
func.func @distances(%q: !Q, %k: !K, %v: !K) -> !Q
    attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %m = arith.cmpi sle, %j, %i : index
    attn.yield %m : i1
  } pairs {
  ^bb0(%x: f32, %y: f32, %d: index, %b: index, %h: index, %g: index, %i: index, %j: index):
    %s = arith.subf %x, %y : f32
    %a = math.absf %s : f32
    attn.yield %a : f32
  }
  return %o : !Q
}

// Factors alone, without the sum over features, make no state.
// CHECK-LABEL: func.func @without_sum(
// CHECK: #attn.schedule<form = online,
func.func @without_sum(%q: !Q, %k: !K, %v: !K) -> !Q
    attributes {attnc.expect = [{query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = none, weight = identity, divide = none>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %n = arith.index_cast %j : index to i64
    %t = arith.sitofp %n : i64 to f32
    attn.yield %t : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %m = arith.cmpi sle, %j, %i : index
    attn.yield %m : i1
  }
  return %o : !Q
}
