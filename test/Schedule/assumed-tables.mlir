// RUN: attnc-opt %s --attn-mask-ranges --attn-classify-tiles --attn-select-schedule=cpu=x86-64-v4 --mlir-print-op-on-diagnostic=false -o %t 2>&1 | FileCheck %s
// What tables hold is known at the call only; the cost model takes something,
// by how a mask uses them, and says what. Names are those of the interface,
// which these functions lack.

!Q = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_len, 64>>
!K = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_len, 64>>
!L = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_len>>
!Ids = tensor<?x?xi32, #attn.dims<batch, kv_len>>
!RowIds = tensor<?x?xi32, #attn.dims<batch, query_len>>
!Flags = tensor<?x?xi1, #attn.dims<batch, kv_len>>
!Lengths = tensor<?xi32, #attn.dims<batch>>
!Starts = tensor<?xi32, #attn.dims<"batch + 1">>
!RaggedQ = tensor<?x8x64xf32, #attn.dims<query_tokens, 8, 64>>
!RaggedK = tensor<?x8x64xf32, #attn.dims<kv_tokens, 8, 64>>
!UnpackedQ = tensor<?x?x8x64xf32, #attn.dims<batch, query_tokens, 8, 64>>
!UnpackedK = tensor<?x?x8x64xf32, #attn.dims<batch, kv_tokens, 8, 64>>
!SequenceQ = tensor<?x8x1x?x64xf32, #attn.dims<batch, 8, 1, query_tokens, 64>>
!SequenceK = tensor<?x8x?x64xf32, #attn.dims<batch, 8, kv_tokens, 64>>
!SequenceL = tensor<?x8x1x?xf32, #attn.dims<batch, 8, 1, query_tokens>>

// Without a table nothing is assumed.
// CHECK: 46.9% skipped, 6.2% partial, 46.9% full
// CHECK-NOT: tables are assumed
func.func @causal(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// One table read for the row and for the key: ids. Tiles of two documents are
// empty, and those inside of one are full, although no segment says so.
// CHECK: remark: of the {{[0-9]+}} x {{[0-9]+}} tiles at query_len = 1024, kv_len = 1024: {{[78][0-9.]+}}% skipped, {{1[0-9.]+}}% partial, {{[1-9][0-9.]*}}% full (no mask code); {{[6-9][0-9.]+}}% of the visited pairs are needed [mask]
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: 7 ids in order, 146 entries each [mask]
func.func @documents(%q: !Q, %k: !K, %v: !K, %doc: !Ids) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %x = attn.read %doc[%b, %i] : !Ids -> index
    %y = attn.read %doc[%b, %j] : !Ids -> index
    %c = arith.cmpi eq, %x, %y : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// Two tables that are compared are ids of the same documents.
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: 7 ids in order, 146 entries each; table 4: 7 ids in order, 146 entries each [mask]
func.func @documents_of_two_sides(%q: !Q, %k: !K, %v: !K, %row: !RowIds, %key: !Ids) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %x = attn.read %row[%b, %i] : !RowIds -> index
    %y = attn.read %key[%b, %j] : !Ids -> index
    %c = arith.cmpi eq, %x, %y : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// A table that the ranges search holds ids, too: a block sees little more than
// the 146 keys of a document.
// CHECK: remark: of the {{[0-9]+}} x {{[0-9]+}} tiles at query_len = 1024, kv_len = 1024: 8{{[0-9.]+}}% skipped, {{.*}} [mask]
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: 7 ids in order, 146 entries each [mask]
func.func @searched(%q: !Q, %k: !K, %v: !K, %doc: !Ids) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %x = attn.read %doc[%b, %i] : !Ids -> index
    %y = attn.read %doc[%b, %j] : !Ids -> index
    %c = arith.cmpi eq, %x, %y : index
    attn.yield %c : i1
  } ranges {
  ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
    %c1 = arith.constant 1 : index
    %last = arith.subi %q1, %c1 : index
    %x = attn.read %doc[%b, %q0] : !Ids -> index
    %y = attn.read %doc[%b, %last] : !Ids -> index
    %xnext = arith.addi %x, %c1 : index
    %ynext = arith.addi %y, %c1 : index
    %a = attn.lower_bound %doc[%b], %x : !Ids
    %c = attn.lower_bound %doc[%b], %y : !Ids
    %d = attn.lower_bound %doc[%b], %xnext : !Ids
    %e = attn.lower_bound %doc[%b], %ynext : !Ids
    attn.yield_ranges [(%a, %c, %d, %e)]
  }
  return %o : !Q
}

// Starts of the rows of sequences: all sequences have the same number of rows,
// half of 2048 where two are expected.
// CHECK: remark: of the 64 x 64 tiles at batch = 2, kv_tokens = 2048, query_tokens = 2048: 46.9% skipped, 6.2% partial, 46.9% full
// CHECK: remark: assumed table contents at batch = 2, kv_tokens = 2048, query_tokens = 2048: table 3: sequences of 1024 rows [mask]
func.func @ragged(%q: !RaggedQ, %k: !RaggedK, %v: !RaggedK, %start: !Starts) -> !SequenceQ
    attributes {attnc.expect = [{batch = 2 : i64, query_tokens = 2048 : i64, kv_tokens = 2048 : i64}]} {
  %uq = attn.unpack %q by %start : !RaggedQ, !Starts -> !UnpackedQ
  %uk = attn.unpack %k by %start : !RaggedK, !Starts -> !UnpackedK
  %uv = attn.unpack %v by %start : !RaggedK, !Starts -> !UnpackedK
  %vq = attn.view "b(gq)hd->bhgqd" %uq : !UnpackedQ -> !SequenceQ
  %vk = attn.view "bkhd->bhkd" %uk : !UnpackedK -> !SequenceK
  %vv = attn.view "bkhd->bhkd" %uv : !UnpackedK -> !SequenceK
  %o, %lse = attn.kernel ins(%vq, %vk, %vv : !SequenceQ, !SequenceK, !SequenceK) -> (!SequenceQ, !SequenceL)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c1 = arith.constant 1 : index
    %next = arith.addi %b, %c1 : index
    %x = attn.read %start[%next] : !Starts -> index
    %y = attn.read %start[%b] : !Starts -> index
    %n = arith.subi %x, %y : index
    %inside = arith.cmpi slt, %j, %n : index
    %c = arith.cmpi sle, %j, %i : index
    %both = arith.andi %inside, %c : i1
    attn.yield %both : i1
  }
  return %o : !SequenceQ
}

// A number per sequence is the past of a cache ...
// CHECK: remark: assumed table contents at kv_len = 4096, query_len = 1024: table 3: 3072 throughout [mask]
func.func @past(%q: !Q, %k: !K, %v: !K, %past: !Lengths) -> !Q
    attributes {attnc.expect = [{query_len = 1024 : i64, kv_len = 4096 : i64}]} {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %n = attn.read %past[%b] : !Lengths -> index
    %p = arith.addi %i, %n : index
    %c = arith.cmpi sle, %j, %p : index
    attn.yield %c : i1
  }
  return %o : !Q
}

// ... or a length, where that leaves keys and the other does not. Truth values
// are true.
// CHECK: remark: assumed table contents at query_len = 1024, kv_len = 1024: table 3: 1024 throughout; table 4: all true [mask]
func.func @padding(%q: !Q, %k: !K, %v: !K, %len: !Lengths, %keep: !Flags) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 0.125 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %n = attn.read %len[%b] : !Lengths -> index
    %x = arith.cmpi slt, %j, %n : index
    %y = attn.read %keep[%b, %j] : !Flags -> i1
    %c = arith.andi %x, %y : i1
    attn.yield %c : i1
  }
  return %o : !Q
}
