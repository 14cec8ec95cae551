// RUN: attnc-opt %s --attn-mask-ranges --attn-classify-tiles --attn-select-schedule=cpu=x86-64-v4 --mlir-print-op-on-diagnostic=false -o %t 2>&1 | FileCheck %s
// Tables that bound the keys of a query (or the queries of a key) hold what leaves
// pairs: runs, as ids of documents are, and distances of the length of one.

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>
!Row = tensor<?x?xi32, #attn.dims<batch, query_len>>
!Key = tensor<?x?xi32, #attn.dims<batch, kv_len>>
!Hidden = tensor<?x?xi1, #attn.dims<batch, kv_len>>
!One = tensor<?xi32, #attn.dims<batch>>

// First and last key of each query.
// CHECK: remark: of the {{[0-9]+}} x {{[0-9]+}} tiles at query_len = 1024, kv_len = 1024: {{[78][0-9.]+}}% skipped
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: starts of 7 runs of 146 keys; table 4: ends of 7 runs of 146 keys [mask]
func.func @keys_of_queries(%q: !Q, %k: !K, %v: !K, %s: !Row, %t: !Row) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %x = attn.read %s[%b, %i] : !Row -> index
    %y = attn.read %t[%b, %i] : !Row -> index
    %lower = arith.cmpi sle, %x, %j : index
    %upper = arith.cmpi slt, %j, %y : index
    %c = arith.andi %lower, %upper : i1
    attn.yield %c : i1
  }
  return %o : !Q
}

// The same of queries, by tables of keys.
// CHECK: remark: of the {{[0-9]+}} x {{[0-9]+}} tiles at query_len = 1024, kv_len = 1024: {{[78][0-9.]+}}% skipped
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: starts of 7 runs of 146 keys; table 4: ends of 7 runs of 146 keys [mask]
func.func @queries_of_keys(%q: !Q, %k: !K, %v: !K, %s: !Key, %t: !Key) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %x = attn.read %s[%b, %j] : !Key -> index
    %y = attn.read %t[%b, %j] : !Key -> index
    %lower = arith.cmpi sge, %i, %x : index
    %upper = arith.cmpi sgt, %y, %i : index
    %c = arith.andi %lower, %upper : i1
    attn.yield %c : i1
  }
  return %o : !Q
}

// How far a query sees back and ahead.
// CHECK: remark: of the {{[0-9]+}} x {{[0-9]+}} tiles at query_len = 1024, kv_len = 1024: {{[67][0-9.]+}}% skipped
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: 147 throughout; table 4: 147 throughout [mask]
func.func @distances(%q: !Q, %k: !K, %v: !K, %s: !Row, %t: !Row) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %x = attn.read %s[%b, %i] : !Row -> index
    %y = attn.read %t[%b, %i] : !Row -> index
    %from = arith.subi %i, %x : index
    %to = arith.addi %i, %y : index
    %lower = arith.cmpi sle, %from, %j : index
    %upper = arith.cmpi sle, %j, %to : index
    %c = arith.andi %lower, %upper : i1
    attn.yield %c : i1
  }
  return %o : !Q
}

// What is added to reach a first key before the query is negative.
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: -147 throughout; table 4: 147 throughout [mask]
func.func @signed_distances(%q: !Q, %k: !K, %v: !K, %s: !Row, %t: !Row) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %x = attn.read %s[%b, %i] : !Row -> index
    %y = attn.read %t[%b, %i] : !Row -> index
    %from = arith.addi %i, %x : index
    %to = arith.addi %i, %y : index
    %lower = arith.cmpi sle, %from, %j : index
    %upper = arith.cmpi sle, %j, %to : index
    %c = arith.andi %lower, %upper : i1
    attn.yield %c : i1
  }
  return %o : !Q
}

// One first and last key of a sequence: all its keys.
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: 0 throughout; table 4: 1024 throughout [mask]
func.func @keys_of_sequences(%q: !Q, %k: !K, %v: !K, %s: !One, %t: !One) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %x = attn.read %s[%b] : !One -> index
    %y = attn.read %t[%b] : !One -> index
    %lower = arith.cmpi sle, %x, %j : index
    %upper = arith.cmpi slt, %j, %y : index
    %c = arith.andi %lower, %upper : i1
    attn.yield %c : i1
  }
  return %o : !Q
}

// One first key of all: no axis of its table counts anything.
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: 0 throughout [mask]
func.func @first_key_of_all(%q: !Q, %k: !K, %v: !K, %s: tensor<i32>) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %x = attn.read %s[] : tensor<i32> -> index
    %lower = arith.cmpi sge, %j, %x : index
    attn.yield %lower : i1
  }
  return %o : !Q
}

// Where no guess leaves a key, a comparison with an entry may hold or not.
// CHECK: remark: of the {{[0-9]+}} x {{[0-9]+}} tiles at query_len = 1024, kv_len = 1024: 0.0% skipped, 100.0% partial, 0.0% full
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: anything; table 4: anything, since no assumption leaves a visible key [mask]
func.func @nothing_left(%q: !Q, %k: !K, %v: !K, %s: !Row, %t: !Row) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %x = attn.read %s[%b, %i] : !Row -> index
    %y = attn.read %t[%b, %i] : !Row -> index
    %c1024 = arith.constant 1024 : index
    %far = arith.addi %x, %c1024 : index
    %lower = arith.cmpi sle, %far, %j : index
    %upper = arith.cmpi slt, %j, %y : index
    %c = arith.andi %lower, %upper : i1
    attn.yield %c : i1
  }
  return %o : !Q
}

// What else the mask says still leaves out its tiles.
// CHECK: remark: of the {{[0-9]+}} x {{[0-9]+}} tiles at query_len = 1024, kv_len = 1024: 4{{[0-9.]+}}% skipped, 5{{[0-9.]+}}% partial, 0.0% full {{.*}} 9{{[0-9.]+}}% of the visited pairs are needed
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: anything, since no assumption leaves a visible key [mask]
func.func @causal_and_one_id(%q: !Q, %k: !K, %v: !K, %doc: !Key) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c3 = arith.constant 3 : index
    %x = attn.read %doc[%b, %j] : !Key -> index
    %own = arith.cmpi eq, %x, %c3 : index
    %causal = arith.cmpi sle, %j, %i : index
    %c = arith.andi %own, %causal : i1
    attn.yield %c : i1
  }
  return %o : !Q
}

// Nor is it sure that a key is seen, where a mask denies what it compares.
// CHECK: remark: of the {{[0-9]+}} x {{[0-9]+}} tiles at query_len = 1024, kv_len = 1024: 4{{[0-9.]+}}% skipped, 5{{[0-9.]+}}% partial, 0.0% full
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: anything, since no assumption leaves a visible key [mask]
func.func @causal_and_not_one_truth(%q: !Q, %k: !K, %v: !K, %hidden: !Hidden) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    %x = attn.read %hidden[%b, %j] : !Hidden -> i1
    %seen = arith.xori %x, %true : i1
    %causal = arith.cmpi sle, %j, %i : index
    %c = arith.andi %seen, %causal : i1
    attn.yield %c : i1
  }
  return %o : !Q
}
