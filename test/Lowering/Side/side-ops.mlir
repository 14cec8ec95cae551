// Ops beside the kernels, each a grid of its own.
// RUN: attnc-opt %s --convert-attn-to-tile --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = auto>
#along_e = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 64, target = #cpu>
!q = tensor<?x32xf32, #attn.dims<query_len, 32>>
!o = tensor<?x64xf32, #attn.dims<query_len, 64>>

// A short sum at once: one load of each operand, one product.
// CHECK-LABEL: tile.program @projects
// CHECK-SAME:    (%[[Q:in0]]: !tile.buf<e, k : f32>, %[[W:in1]]: !tile.buf<k, q : f32>, %[[O:out0]]: !tile.buf<e, q : f32>
// CHECK:         tile.grid (%[[J:.*]], %[[I:.*]]) to
// CHECK:           %[[E0:.*]] = arith.muli %[[J]]
// CHECK:           %[[NE:.*]] = arith.minsi
// CHECK:           %[[A:.*]] = tile.load %[[W]][%{{.*}}, %[[Q0:.*]]] valid(q = %[[NQ:.*]]) {{.*}} -> <q:64, k:32, f32>
// CHECK:           %[[B:.*]] = tile.load %[[Q]][%[[E0]], %{{.*}}] valid(e = %[[NE]]) {{.*}} -> <e:64, k:32, f32>
// CHECK:           %[[P:.*]] = tile.dot(%[[A]], %[[B]]) sum(k)
// CHECK:           tile.store %[[P]], %[[O]][%[[E0]], %[[Q0]]] valid(q = %[[NQ]], e = %[[NE]])
func.func @projects(%Q: !q, %W: tensor<32x64xf32>) -> !o {
  %0 = attn.contract "qd,de->qe" (%Q, %W) {attn.block = #along_e} : (!q, tensor<32x64xf32>) -> !o
  return %0 : !o
}

#along_d = #attn.block<form = dot, lanes = "e", rows = "d", q = 64, k = 64, target = #cpu>
!k = tensor<?x32xf16, #attn.dims<kv_len, 32>>

// A sum over all keys goes in steps. The result is rounded once.
// CHECK-LABEL: tile.program @sums_over_keys
// CHECK:         tile.grid (%{{.*}}) to
// CHECK:           %[[ZERO:.*]] = tile.splat 0.0
// CHECK:           %[[SUM:.*]] = tile.for (%[[K0:.*]], %[[NK:.*]], %{{.*}}) in [(%[[C0:.*]], %[[C0]], %kv_len, %kv_len)] step 64 partial_step 16 iter(%[[ACC:.*]] = %[[ZERO]])
// CHECK:             %[[A:.*]] = tile.load %{{.*}}[%[[K0]], %{{.*}}] valid({{.*}}k = %[[NK]]) {{.*}} -> <q:64, k:64, f16>
// CHECK:             %[[B:.*]] = tile.load %{{.*}}[%[[K0]], %{{.*}}] valid(k = %[[NK]]) {{.*}} -> <e:32, k:64, f16>
// CHECK:             tile.dot(%[[A]], %[[B]]) sum(k) acc(%[[ACC]])
// CHECK:           %[[R:.*]] = tile.map(%[[SUM]]) {{.*}} -> !tile.tile<q:64, e:32, f16>
// CHECK:           tile.store %[[R]]
func.func @sums_over_keys(%K: !k, %V: !k) -> tensor<32x32xf16> {
  %0 = attn.contract "kd,ke->de" (%K, %V) {attn.block = #along_d} : (!k, !k) -> tensor<32x32xf16>
  return %0 : tensor<32x32xf16>
}

#elements = #attn.block<form = element, lanes = "q", rows = "", q = 16, k = 64, target = #cpu>

// All summed letters are one dim; a mask is a formula of its user.
// CHECK-LABEL: tile.program @sums_elements
// CHECK:         %[[LAST:.*]] = tile.for (%[[K0:.*]], %[[NK:.*]], %{{.*}}) in
// CHECK:           %[[P:.*]] = tile.map() at(q = %{{.*}}, k = %[[K0]])
// CHECK:             %[[C:.*]] = arith.floordivsi %[[K:.*]], %c8
// CHECK:             %[[WHOLE:.*]] = arith.muli %[[C]], %c8
// CHECK:             %[[D:.*]] = arith.subi %[[K]], %[[WHOLE]]
// CHECK:             %[[X:.*]] = tile.read %{{.*}}[%[[Q:.*]], %[[C]], %[[D]]]
// CHECK:             %[[Y:.*]] = tile.read %{{.*}}[%[[C]], %[[D]]]
// CHECK:             arith.mulf %[[X]], %[[Y]]
// CHECK:           %[[S:.*]] = tile.select_masked %[[P]] {{.*}} valid(k = %[[NK]]) when %true fill 0.0
// CHECK:             arith.cmpi sle
// CHECK:           tile.reduce add(%[[S]]) over(k)
func.func @sums_elements(%a: tensor<20x4x8xf32>, %b: tensor<4x8xf32>) -> tensor<20xf32> {
  %m = attn.mask "qd" : tensor<20x8xi1> {
  ^bb0(%q: index, %d: index):
    %c = arith.cmpi sle, %d, %q : index
    attn.yield %c : i1
  }
  %0 = attn.contract "qcd,cd->q" (%a, %b) where "qd" (%m) {attn.block = #elements} : (tensor<20x4x8xf32>, tensor<4x8xf32>, tensor<20x8xi1>) -> tensor<20xf32>
  return %0 : tensor<20xf32>
}

// A product that sums nothing visits one place.
// CHECK-LABEL: tile.program @sums_nothing
// CHECK:         tile.grid (%[[C:.*]], %{{.*}}) to (%c4, %c2)
// CHECK:           tile.for (%{{.*}}) in [(%c0, %c0, %c1, %c1)] step 1
// CHECK:             tile.map() at(q = %{{.*}}, k = %{{.*}}) : () -> !tile.tile<q:16, k:1, f32> {
// CHECK-NEXT:        ^bb0(%[[Q:.*]]: index, %{{.*}}: index):
// CHECK-NEXT:          %[[X:.*]] = tile.read %in0[%[[Q]], %[[C]]]
// CHECK-NEXT:          %[[Y:.*]] = tile.read %in1[%[[C]]]
// CHECK-NEXT:          arith.mulf %[[X]], %[[Y]]
func.func @sums_nothing(%a: tensor<20x4xf32>, %b: tensor<4xf32>) -> tensor<20x4xf32> {
  %0 = attn.contract "qc,c->qc" (%a, %b) {attn.block = #elements} : (tensor<20x4xf32>, tensor<4xf32>) -> tensor<20x4xf32>
  return %0 : tensor<20x4xf32>
}

#map = #attn.block<form = element, lanes = "d", rows = "k", q = 32, k = 64, target = #cpu>
!h = tensor<?x2x32xf32, #attn.dims<kv_len, 2, 32>>
!h64 = tensor<?x2x32xf64, #attn.dims<kv_len, 2, 32>>
!h16 = tensor<?x2x32xf16, #attn.dims<kv_len, 2, 32>>

// CHECK-LABEL: tile.program @maps
// CHECK:         tile.grid (%[[H:.*]], %{{.*}}, %{{.*}}) to (%c2, %{{.*}}, %{{.*}})
// CHECK:           %[[T:.*]] = tile.map() at(q = %{{.*}}, e = %{{.*}}) : () -> !tile.tile<q:32, e:64, f32> {
// CHECK-NEXT:      ^bb0(%[[D:.*]]: index, %[[K:.*]]: index):
// CHECK:             tile.read %{{.*}}[%[[K]], %[[H]], %[[D]]]
// CHECK:             math.exp
// CHECK:           tile.store %[[T]]
func.func @maps(%K: !h) -> !h {
  %0 = attn.map "khd->khd" (%K) : (!h) -> !h attributes {attn.block = #map} {
  ^bb0(%x: f32, %k: index, %h: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  return %0 : !h
}

// A formula in f64 has tiles of f64, and is rounded as they are stored.
// CHECK-LABEL: tile.program @rounds_f64
// CHECK:         %[[T:.*]] = tile.map() at({{.*}}) : () -> !tile.tile<q:32, e:64, f64> {
// CHECK:           math.exp %{{.*}} : f64
// CHECK:         %[[R:.*]] = tile.map(%[[T]]) : {{.*}} -> !tile.tile<q:32, e:64, f16> {
// CHECK:           arith.truncf %{{.*}} : f64 to f16
// CHECK:         tile.store %[[R]]
func.func @rounds_f64(%K: !h64) -> !h16 {
  %0 = attn.map "khd->khd" (%K) : (!h64) -> !h16 attributes {attn.block = #map} {
  ^bb0(%x: f64, %k: index, %h: index, %d: index):
    %y = math.exp %x : f64
    attn.yield %y : f64
  }
  return %0 : !h16
}

#rows = #attn.block<form = element, lanes = "q", rows = "", q = 16, k = 64, target = #cpu>
!s = tensor<?x?xf32, #attn.dims<query_len, kv_len>>
!l = tensor<?xf32, #attn.dims<query_len>>

// Three passes over the scores; without a shift there is no maximum, without a
// division the sum is only returned.
// CHECK-LABEL: tile.program @softmax
// CHECK:         tile.reduce max
// CHECK:         tile.reduce add
// CHECK:         tile.for
// CHECK:           tile.store %{{.*}} valid(q = %{{.*}}, k = %{{.*}})
// CHECK-LABEL: tile.program @weights
// CHECK-NOT:     tile.reduce max
// CHECK:         %[[L:.*]] = tile.for
// CHECK:           tile.reduce add
// CHECK:         tile.for
// CHECK-NOT:       arith.divf
// CHECK:           tile.store
// CHECK:         tile.store %[[L]]
func.func @softmax(%S: !s) -> !s {
  %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!s) -> (!s, !l) attributes {attn.block = #rows}
  return %p : !s
}
func.func @weights(%S: !s) -> (!s, !l) {
  %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = none, weight = identity, divide = none> (%S) : (!s) -> (!s, !l) attributes {attn.block = #rows}
  return %p, %lse : !s, !l
}

// CHECK-LABEL: tile.program @adds_rows
// CHECK:         %[[ZERO:.*]] = tile.splat 0.0
// CHECK:         %[[SUM:.*]] = tile.for {{.*}} = %[[ZERO]])
// CHECK:           tile.select_masked %{{.*}} fill 0.0
// CHECK:           tile.reduce add
// CHECK:         tile.store %[[SUM]]
func.func @adds_rows(%S: !s) -> !l {
  %row = attn.reduce "qk" over "k" #attn.row<sum> (%S) : (!s) -> (!l) {attn.block = #rows}
  return %row : !l
}

// Rows of sequences go to their places among all, one by one; an instance
// behind the last row of its sequence stores nothing.
// CHECK-LABEL: tile.program @packs_rows
// CHECK:         %[[W:.*]] = tile.workspace[%batch, %tokens, %c8]
// CHECK:         %[[ROWS:.*]] = arith.addi %tokens, %batch
// CHECK:         %[[BLOCKS:.*]] = arith.muli %{{.*}}, %[[ROWS]]
// CHECK:         tile.grid (%[[N:.*]], %{{.*}}) to (%[[BLOCKS]], %c1)
// CHECK:           %[[S:.*]], %[[I:.*]] = tile.locate %[[N]] in %in1 step 1
// CHECK:           %[[BEGIN:.*]] = tile.read %in1[%[[S]]]
// CHECK:           %[[LENGTH:.*]] = arith.subi %{{.*}}, %[[BEGIN]]
// CHECK:           %[[INSIDE:.*]] = arith.cmpi slt, %[[I]], %[[LENGTH]]
// CHECK:           scf.if %[[INSIDE]] {
// CHECK:             %[[TO:.*]] = arith.addi %[[BEGIN]], %[[I]]
// CHECK:             tile.read %[[W]][%[[S]], %[[I]], %{{.*}}]
// CHECK:             tile.store %{{.*}}, %out0[%[[TO]], %{{.*}}]
func.func @packs_rows(%a: tensor<?x?x8xf32, #attn.dims<batch, tokens, 8>>, %start: tensor<?xi32, #attn.dims<"batch + 1">>) -> tensor<?x8xf32, #attn.dims<tokens, 8>> {
  %0 = attn.map "biq->biq" (%a) : (tensor<?x?x8xf32, #attn.dims<batch, tokens, 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, tokens, 8>> attributes {attn.block = #elements} {
  ^bb0(%x: f32, %b: index, %i: index, %q: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %1 = attn.pack %0 by %start : tensor<?x?x8xf32, #attn.dims<batch, tokens, 8>>, tensor<?xi32, #attn.dims<"batch + 1">> -> tensor<?x8xf32, #attn.dims<tokens, 8>>
  return %1 : tensor<?x8xf32, #attn.dims<tokens, 8>>
}

// The same where another op reads the rows: a copy to a workspace, whose rows of no
// sequence are filled.
// CHECK-LABEL: tile.program @packs_rows_for_others
// CHECK:         %[[MADE:.*]] = tile.workspace
// CHECK:         %[[ROWS:.*]] = tile.workspace
// CHECK:         %[[STORED:.*]] = tile.rename %[[ROWS]]
// CHECK:         tile.store %{{.*}}, %[[ROWS]]
// CHECK:         tile.locate
// CHECK:         tile.read %[[MADE]]
// CHECK:         tile.store %{{.*}}, %[[STORED]]
// CHECK:         tile.read %[[ROWS]]
// CHECK:         tile.store %{{.*}}, %out0
func.func @packs_rows_for_others(%a: tensor<?x?x4x8xf32, #attn.dims<batch, tokens, 4, 8>>, %start: tensor<?xi32, #attn.dims<"batch + 1">>) -> tensor<?x4x8xf32, #attn.dims<tokens, 4, 8>> {
  %0 = attn.map "bihq->bihq" (%a) : (tensor<?x?x4x8xf32, #attn.dims<batch, tokens, 4, 8>>) -> tensor<?x?x4x8xf32, #attn.dims<batch, tokens, 4, 8>> attributes {attn.block = #elements} {
  ^bb0(%x: f32, %b: index, %i: index, %h: index, %q: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %1 = attn.pack %0 by %start fill 0.0 : tensor<?x?x4x8xf32, #attn.dims<batch, tokens, 4, 8>>, tensor<?xi32, #attn.dims<"batch + 1">> -> tensor<?x4x8xf32, #attn.dims<tokens, 4, 8>>
  %2 = attn.map "ihq->ihq" (%1) : (tensor<?x4x8xf32, #attn.dims<tokens, 4, 8>>) -> tensor<?x4x8xf32, #attn.dims<tokens, 4, 8>> attributes {attn.block = #elements} {
  ^bb0(%x: f32, %i: index, %h: index, %q: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  return %2 : tensor<?x4x8xf32, #attn.dims<tokens, 4, 8>>
}

// What only outputs need that the caller may leave out, those behind the first,
// is not computed without them; what others need is.
// CHECK-LABEL: tile.program @leaves_out
// CHECK-SAME:    %[[OUT:out1]]: !tile.buf
// CHECK:         %[[W:.*]] = tile.workspace
// CHECK:         tile.grid
// CHECK:           %[[GIVEN:.*]] = tile.present %[[OUT]]
// CHECK-NEXT:      scf.if %[[GIVEN]] {
// CHECK:             tile.store %{{.*}}, %[[W]]
// CHECK:         tile.grid
// CHECK:           %[[AGAIN:.*]] = tile.present %[[OUT]]
// CHECK-NEXT:      scf.if %[[AGAIN]] {
// CHECK:             tile.read %[[W]]
// CHECK:         tile.grid
// CHECK-NOT:       tile.present
// CHECK:           tile.store %{{.*}}, %out0
func.func @leaves_out(%K: !h) -> (!h, !h) {
  %0 = attn.map "khd->khd" (%K) : (!h) -> !h attributes {attn.block = #map} {
  ^bb0(%x: f32, %k: index, %h: index, %d: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %1 = attn.map "khd->khd" (%K) : (!h) -> !h attributes {attn.block = #map} {
  ^bb0(%x: f32, %k: index, %h: index, %d: index):
    %y = attn.read %0[%k, %h, %d] : !h -> f32
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %2 = attn.map "khd->khd" (%K) : (!h) -> !h attributes {attn.block = #map} {
  ^bb0(%x: f32, %k: index, %h: index, %d: index):
    %y = math.tanh %x : f32
    attn.yield %y : f32
  }
  return %2, %1 : !h, !h
}
