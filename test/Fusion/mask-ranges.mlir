// RUN: attnc-opt %s --attn-mask-ranges | FileCheck %s

!Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

// Without a mask every key is seen by every row.
// CHECK-LABEL: func.func @no_mask(
// CHECK: } ranges {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[N:.*]] = attn.size "kv_len"
// CHECK-NEXT: attn.yield_ranges {{\[}}(%[[C0]], %[[C0]], %[[N]], %[[N]])]
func.func @no_mask(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %o : !Q
}

// The last key of the first row bounds "all", that of the last row "any".
// CHECK-LABEL: func.func @causal(
// CHECK: } ranges {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[Q0:.*]]: index, %[[Q1:.*]]: index):
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[N:.*]] = attn.size "kv_len"
// CHECK-NEXT: %[[M:.*]] = attn.size "query_len"
// CHECK-NEXT: %[[V0:.*]] = arith.subi %[[N]], %[[M]] : index
// CHECK-NEXT: %[[V2:.*]] = arith.addi %[[Q0]], %[[V0]] : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V3:.*]] = arith.addi %[[V2]], %[[C1]] : index
// CHECK-NEXT: %[[V4:.*]] = arith.addi %[[Q1]], %[[V0]] : index
// CHECK-NEXT: %[[V5:.*]] = arith.minsi %[[V4]], %[[N]] : index
// CHECK-NEXT: attn.yield_ranges {{\[}}(%[[C0]], %[[C0]], %[[V3]], %[[V5]])]
func.func @causal(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %n = attn.size "kv_len"
    %m = attn.size "query_len"
    %off = arith.subi %n, %m : index
    %p = arith.addi %i, %off : index
    %c = arith.cmpi sle, %j, %p : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// What depends on neither row nor key is copied, tables too.
// CHECK-LABEL: func.func @causal_with_past(
// CHECK: } ranges {
// CHECK-NEXT: ^bb0(%[[B:.*]]: index, %{{.*}}: index, %{{.*}}: index, %[[Q0:.*]]: index, %[[Q1:.*]]: index):
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V0:.*]] = attn.read %{{.*}}[%[[B]]] : tensor<?xi32, #attn.dims<batch>> -> index
// CHECK-NEXT: %[[V2:.*]] = arith.addi %[[Q0]], %[[V0]] : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V3:.*]] = arith.addi %[[V2]], %[[C1]] : index
// CHECK-NEXT: %[[V4:.*]] = arith.addi %[[Q1]], %[[V0]] : index
// CHECK-NEXT: %[[N:.*]] = attn.size "kv_len"
// CHECK-NEXT: %[[V5:.*]] = arith.minsi %[[V4]], %[[N]] : index
// CHECK-NEXT: attn.yield_ranges {{\[}}(%[[C0]], %[[C0]], %[[V3]], %[[V5]])]
func.func @causal_with_past(%q: !Q, %k: !K, %v: !K, %past: tensor<?xi32, #attn.dims<batch>>) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %t = attn.read %past[%b] : tensor<?xi32, #attn.dims<batch>> -> index
    %p = arith.addi %i, %t : index
    %c = arith.cmpi sle, %j, %p : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// CHECK-LABEL: func.func @window(
// CHECK: } ranges {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[Q0:.*]]: index, %[[Q1:.*]]: index):
// CHECK-NEXT: %[[N:.*]] = attn.size "kv_len"
// CHECK-NEXT: %[[M:.*]] = attn.size "query_len"
// CHECK-NEXT: %[[V0:.*]] = arith.subi %[[N]], %[[M]] : index
// CHECK-NEXT: %[[V2:.*]] = arith.addi %[[Q0]], %[[V0]] : index
// CHECK-NEXT: %[[CM127:.*]] = arith.constant -127 : index
// CHECK-NEXT: %[[V3:.*]] = arith.addi %[[V2]], %[[CM127]] : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V4:.*]] = arith.maxsi %[[V3]], %[[C0]] : index
// CHECK-NEXT: %[[V5:.*]] = arith.addi %[[Q1]], %[[V0]] : index
// CHECK-NEXT: %[[CM128:.*]] = arith.constant -128 : index
// CHECK-NEXT: %[[V6:.*]] = arith.addi %[[V5]], %[[CM128]] : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V7:.*]] = arith.addi %[[V2]], %[[C1]] : index
// CHECK-NEXT: %[[V8:.*]] = arith.minsi %[[V5]], %[[N]] : index
// CHECK-NEXT: attn.yield_ranges {{\[}}(%[[V4]], %[[V6]], %[[V7]], %[[V8]])]
func.func @window(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %n = attn.size "kv_len"
    %m = attn.size "query_len"
    %off = arith.subi %n, %m : index
    %p = arith.addi %i, %off : index
    %w = arith.constant 128 : index
    %c0 = arith.cmpi sle, %j, %p : index
    %s = arith.subi %p, %w : index
    %c1 = arith.cmpi sgt, %j, %s : index
    %c = arith.andi %c0, %c1 : i1
    attn.yield %c : i1
  }
  return %o : !Q
}

// CHECK-LABEL: func.func @band(
// CHECK: } ranges {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[Q0:.*]]: index, %[[Q1:.*]]: index):
// CHECK-NEXT: %[[CM3:.*]] = arith.constant -3 : index
// CHECK-NEXT: %[[V0:.*]] = arith.addi %[[Q0]], %[[CM3]] : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V2:.*]] = arith.maxsi %[[V0]], %[[C0]] : index
// CHECK-NEXT: %[[CM4:.*]] = arith.constant -4 : index
// CHECK-NEXT: %[[V3:.*]] = arith.addi %[[Q1]], %[[CM4]] : index
// CHECK-NEXT: %[[C6:.*]] = arith.constant 6 : index
// CHECK-NEXT: %[[V4:.*]] = arith.addi %[[Q0]], %[[C6]] : index
// CHECK-NEXT: %[[C5:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[V5:.*]] = arith.addi %[[Q1]], %[[C5]] : index
// CHECK-NEXT: %[[N:.*]] = attn.size "kv_len"
// CHECK-NEXT: %[[V6:.*]] = arith.minsi %[[V5]], %[[N]] : index
// CHECK-NEXT: attn.yield_ranges {{\[}}(%[[V2]], %[[V3]], %[[V4]], %[[V6]])]
func.func @band(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %l = arith.constant 3 : index
    %r = arith.constant 5 : index
    %lo = arith.subi %i, %l : index
    %hi = arith.addi %i, %r : index
    %c0 = arith.cmpi sge, %j, %lo : index
    %c1 = arith.cmpi sle, %j, %hi : index
    %c = arith.andi %c0, %c1 : i1
    attn.yield %c : i1
  }
  return %o : !Q
}

// CHECK-LABEL: func.func @first(
// CHECK: } ranges {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[SIZE:.*]] = attn.size "prefix"
// CHECK-NEXT: %[[N:.*]] = attn.size "kv_len"
// CHECK-NEXT: %[[V0:.*]] = arith.minsi %[[SIZE]], %[[N]] : index
// CHECK-NEXT: attn.yield_ranges {{\[}}(%[[C0]], %[[C0]], %[[SIZE]], %[[V0]])]
func.func @first(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %n = attn.size "prefix"
    %c = arith.cmpi slt, %j, %n : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// CHECK-LABEL: func.func @chunk(
// CHECK: } ranges {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[Q0:.*]]: index, %[[Q1:.*]]: index):
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[V0:.*]] = arith.floordivsi %[[Q0]], %[[C8]] : index
// CHECK-NEXT: %[[V2:.*]] = arith.muli %[[V0]], %[[C8]] : index
// CHECK-NEXT: %[[C7:.*]] = arith.constant 7 : index
// CHECK-NEXT: %[[V3:.*]] = arith.addi %[[Q1]], %[[C7]] : index
// CHECK-NEXT: %[[V4:.*]] = arith.floordivsi %[[V3]], %[[C8]] : index
// CHECK-NEXT: %[[V5:.*]] = arith.muli %[[V4]], %[[C8]] : index
// CHECK-NEXT: %[[CM8:.*]] = arith.constant -8 : index
// CHECK-NEXT: %[[V6:.*]] = arith.addi %[[V5]], %[[CM8]] : index
// CHECK-NEXT: %[[V7:.*]] = arith.addi %[[V2]], %[[C8]] : index
// CHECK-NEXT: %[[N:.*]] = attn.size "kv_len"
// CHECK-NEXT: %[[V8:.*]] = arith.minsi %[[V5]], %[[N]] : index
// CHECK-NEXT: attn.yield_ranges {{\[}}(%[[V2]], %[[V6]], %[[V7]], %[[V8]])]
func.func @chunk(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %s = arith.constant 8 : index
    %a = arith.floordivsi %i, %s : index
    %d = arith.floordivsi %j, %s : index
    %c = arith.cmpi eq, %a, %d : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// The window starts where the sinks end, at the earliest.
// CHECK-LABEL: func.func @sinks_and_window(
// CHECK: } ranges {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[Q0:.*]]: index, %[[Q1:.*]]: index):
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[N:.*]] = attn.size "kv_len"
// CHECK-NEXT: %[[M:.*]] = attn.size "query_len"
// CHECK-NEXT: %[[V0:.*]] = arith.subi %[[N]], %[[M]] : index
// CHECK-NEXT: %[[V2:.*]] = arith.addi %[[Q0]], %[[V0]] : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V3:.*]] = arith.addi %[[V2]], %[[C1]] : index
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[V4:.*]] = arith.minsi %[[V3]], %[[C4]] : index
// CHECK-NEXT: %[[V5:.*]] = arith.addi %[[Q1]], %[[V0]] : index
// CHECK-NEXT: %[[V6:.*]] = arith.minsi %[[V5]], %[[C4]] : index
// CHECK-NEXT: %[[V7:.*]] = arith.minsi %[[V6]], %[[N]] : index
// CHECK-NEXT: %[[CM127:.*]] = arith.constant -127 : index
// CHECK-NEXT: %[[V8:.*]] = arith.addi %[[V2]], %[[CM127]] : index
// CHECK-NEXT: %[[V9:.*]] = arith.maxsi %[[V8]], %[[C0]] : index
// CHECK-NEXT: %[[V10:.*]] = arith.maxsi %[[V9]], %[[V7]] : index
// CHECK-NEXT: %[[CM128:.*]] = arith.constant -128 : index
// CHECK-NEXT: %[[V11:.*]] = arith.addi %[[V5]], %[[CM128]] : index
// CHECK-NEXT: %[[V12:.*]] = arith.minsi %[[V5]], %[[N]] : index
// CHECK-NEXT: attn.yield_ranges {{\[}}(%[[C0]], %[[C0]], %[[V4]], %[[V7]]), (%[[V10]], %[[V11]], %[[V3]], %[[V12]])]
func.func @sinks_and_window(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %n = attn.size "kv_len"
    %m = attn.size "query_len"
    %off = arith.subi %n, %m : index
    %p = arith.addi %i, %off : index
    %w = arith.constant 128 : index
    %c0 = arith.cmpi sle, %j, %p : index
    %s = arith.subi %p, %w : index
    %c1 = arith.cmpi sgt, %j, %s : index
    %four = arith.constant 4 : index
    %c2 = arith.cmpi slt, %j, %four : index
    %c3 = arith.ori %c1, %c2 : i1
    %c = arith.andi %c0, %c3 : i1
    attn.yield %c : i1
  }
  return %o : !Q
}

// A divisor that might be zero or negative is checked: else all keys, all
// partial.
// CHECK-LABEL: func.func @chunk_of_a_size(
// CHECK: } ranges {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[Q0:.*]]: index, %[[Q1:.*]]: index):
// CHECK-NEXT: %[[SIZE:.*]] = attn.size "chunk"
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V0:.*]] = arith.cmpi sge, %[[SIZE]], %[[C1]] : index
// CHECK-NEXT: %[[V2:.*]] = arith.maxsi %[[SIZE]], %[[C1]] : index
// CHECK-NEXT: %[[V3:.*]] = arith.floordivsi %[[Q0]], %[[V2]] : index
// CHECK-NEXT: %[[V4:.*]] = arith.muli %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V5:.*]] = arith.maxsi %[[V4]], %[[C0]] : index
// CHECK-NEXT: %[[V6:.*]] = arith.select %[[V0]], %[[V5]], %[[C0]] : index
// CHECK-NEXT: %[[CM1:.*]] = arith.constant -1 : index
// CHECK-NEXT: %[[V7:.*]] = arith.addi %[[Q1]], %[[CM1]] : index
// CHECK-NEXT: %[[V8:.*]] = arith.floordivsi %[[V7]], %[[V2]] : index
// CHECK-NEXT: %[[V9:.*]] = arith.muli %[[V2]], %[[V8]] : index
// CHECK-NEXT: %[[V10:.*]] = arith.select %[[V0]], %[[V9]], %[[C0]] : index
// CHECK-NEXT: %[[V11:.*]] = arith.addi %[[V4]], %[[V2]] : index
// CHECK-NEXT: %[[V12:.*]] = arith.select %[[V0]], %[[V11]], %[[C0]] : index
// CHECK-NEXT: %[[V13:.*]] = arith.addi %[[V9]], %[[V2]] : index
// CHECK-NEXT: %[[N:.*]] = attn.size "kv_len"
// CHECK-NEXT: %[[V14:.*]] = arith.minsi %[[V13]], %[[N]] : index
// CHECK-NEXT: %[[V15:.*]] = arith.select %[[V0]], %[[V14]], %[[N]] : index
// CHECK-NEXT: attn.yield_ranges {{\[}}(%[[V6]], %[[V10]], %[[V12]], %[[V15]])]
func.func @chunk_of_a_size(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %s = attn.size "chunk"
    %a = arith.floordivsi %i, %s : index
    %d = arith.floordivsi %j, %s : index
    %c = arith.cmpi eq, %a, %d : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// What is not understood keeps its part of the mask: causal still bounds "any",
// and no tile is free of mask code.
// CHECK-LABEL: func.func @causal_and_table(
// CHECK: } ranges {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[Q1:.*]]: index):
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[N:.*]] = attn.size "kv_len"
// CHECK-NEXT: %[[ANY:.*]] = arith.minsi %[[Q1]], %[[N]] : index
// CHECK-NEXT: attn.yield_ranges {{\[}}(%[[C0]], %[[C0]], %[[C0]], %[[ANY]])]
func.func @causal_and_table(%q: !Q, %k: !K, %v: !K, %seen: tensor<?xi1, #attn.dims<kv_len>>) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %t = attn.read %seen[%j] : tensor<?xi1, #attn.dims<kv_len>> -> i1
    %d = arith.cmpi sle, %j, %i : index
    %c = arith.andi %t, %d : i1
    attn.yield %c : i1
  }
  return %o : !Q
}

// Ranges that are there stay, so that a dump may be edited.
// CHECK-LABEL: func.func @keeps_ranges(
// CHECK: } ranges {
// CHECK: %[[C7:.*]] = arith.constant 7 : index
// CHECK-NEXT: attn.yield_ranges {{\[}}(%[[C7]], %[[C7]], %[[C7]], %[[C7]])]
// CHECK-NOT: ranges
func.func @keeps_ranges(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
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
    %c7 = arith.constant 7 : index
    attn.yield_ranges [(%c7, %c7, %c7, %c7)]
  }
  return %o : !Q
}
