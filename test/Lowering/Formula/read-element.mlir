// Formulas read elements of any earlier tensor, through views.
// RUN: attnc-opt %s --convert-attn-to-tile --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = auto>
#block = #attn.block<form = element, lanes = "q", rows = "", q = 16, k = 64, target = #cpu>

// A merged axis is h * 4 + g.
// CHECK-LABEL: tile.program @reads_split_heads
// CHECK:         tile.grid (%[[H:.*]], %[[G:.*]], %{{.*}}) to
// CHECK:           tile.map() at(q = %{{.*}})
// CHECK:             %[[BASE:.*]] = arith.muli %[[H]], %c4
// CHECK:             %[[HEAD:.*]] = arith.addi %[[BASE]], %[[G]]
// CHECK:             tile.read %in0[%[[HEAD]], %{{.*}}]
func.func @reads_split_heads(%a: tensor<8x20xf32>) -> tensor<2x4x20xf32> {
  %v = attn.view "(hg)q->hgq" %a : tensor<8x20xf32> -> tensor<2x4x20xf32>
  %0 = attn.map "hgq->hgq" (%v) : (tensor<2x4x20xf32>) -> tensor<2x4x20xf32> attributes {attn.block = #block} {
  ^bb0(%x: f32, %h: index, %g: index, %q: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  return %0 : tensor<2x4x20xf32>
}

// A region may read through a view, too: the next place of head n, of 8.
// CHECK-LABEL: tile.program @region_reads_split_heads
// CHECK:         tile.grid (%[[N:.*]], %{{.*}}) to
// CHECK:             %[[NEXT:.*]] = arith.addi %{{.*}}, %c1
// CHECK:             %[[BASE:.*]] = arith.muli %[[N]], %c20
// CHECK:             %[[PLACE:.*]] = arith.addi %[[BASE]], %[[NEXT]]
// CHECK:             tile.read %in0[%[[PLACE]]]
func.func @region_reads_split_heads(%a: tensor<160xf32>) -> tensor<8x20xf32> {
  %v = attn.view "(nq)->nq" %a : tensor<160xf32> -> tensor<8x20xf32>
  %0 = attn.map "->nq" () : () -> tensor<8x20xf32> attributes {attn.block = #block} {
  ^bb0(%n: index, %q: index):
    %one = arith.constant 1 : index
    %next = arith.addi %q, %one : index
    %x = attn.read %v[%n, %next] : tensor<8x20xf32> -> f32
    attn.yield %x : f32
  }
  return %0 : tensor<8x20xf32>
}

// A split axis is n / 4 and n % 4.
// CHECK-LABEL: tile.program @reads_merged_heads
// CHECK:         tile.grid (%[[N:.*]], %{{.*}}) to
// CHECK:             %[[H:.*]] = arith.floordivsi %[[N]], %c4
// CHECK:             %[[WHOLE:.*]] = arith.muli %[[H]], %c4
// CHECK:             %[[G:.*]] = arith.subi %[[N]], %[[WHOLE]]
// CHECK:             tile.read %in0[%{{.*}}, %[[G]], %{{.*}}]
func.func @reads_merged_heads(%a: tensor<2x4x20xf32>) -> tensor<8x20xf32> {
  %v = attn.view "hgq->(hg)q" %a : tensor<2x4x20xf32> -> tensor<8x20xf32>
  %0 = attn.map "nq->nq" (%v) : (tensor<8x20xf32>) -> tensor<8x20xf32> attributes {attn.block = #block} {
  ^bb0(%x: f32, %n: index, %q: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  return %0 : tensor<8x20xf32>
}

// CHECK-LABEL: tile.program @reads_what_an_op_made
// CHECK:         %[[W:.*]] = tile.workspace[%c20]
// CHECK:         tile.store %{{.*}}, %[[W]]
// CHECK:         tile.grid
// CHECK:           tile.read %[[W]][
func.func @reads_what_an_op_made(%a: tensor<20xf32>) -> tensor<20xf32> {
  %0 = attn.map "q->q" (%a) : (tensor<20xf32>) -> tensor<20xf32> attributes {attn.block = #block} {
  ^bb0(%x: f32, %q: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %1 = attn.map "->q" () : () -> tensor<20xf32> attributes {attn.block = #block} {
  ^bb0(%q: index):
    %c1 = arith.constant 1 : index
    %n = arith.addi %q, %c1 : index
    %y = attn.read %0[%n] : tensor<20xf32> -> f32
    attn.yield %y : f32
  }
  return %1 : tensor<20xf32>
}

// Row i of sequence b is row start[b] + i of all, 0 behind the sequence's last.
// CHECK-LABEL: tile.program @reads_ragged_rows
// CHECK:             %[[BEGIN:.*]] = tile.read %in1[%[[B:.*]]]
// CHECK:             %[[END:.*]] = tile.read %in1[%{{.*}}]
// CHECK:             %[[LENGTH:.*]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK:             %[[ROW:.*]] = arith.addi %[[BEGIN]], %[[I:.*]] :
// CHECK:             %[[X:.*]] = tile.read %in0[%[[ROW]], %{{.*}}]
// CHECK:             arith.cmpi slt, %[[I]], %[[LENGTH]]
// CHECK:             arith.select %{{.*}}, %[[X]], %cst
func.func @reads_ragged_rows(%a: tensor<?x8xf32, #attn.dims<tokens, 8>>, %start: tensor<?xi32, #attn.dims<"batch + 1">>) -> tensor<?x?x8xf32, #attn.dims<batch, tokens, 8>> {
  %v = attn.unpack %a by %start : tensor<?x8xf32, #attn.dims<tokens, 8>>, tensor<?xi32, #attn.dims<"batch + 1">> -> tensor<?x?x8xf32, #attn.dims<batch, tokens, 8>>
  %0 = attn.map "biq->biq" (%v) : (tensor<?x?x8xf32, #attn.dims<batch, tokens, 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, tokens, 8>> attributes {attn.block = #block} {
  ^bb0(%x: f32, %b: index, %i: index, %q: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  return %0 : tensor<?x?x8xf32, #attn.dims<batch, tokens, 8>>
}

// Row k in pages of 16 is row k % 16 of page table[b, k / 16].
// CHECK-LABEL: tile.program @reads_pages
// CHECK:             %[[NUMBER:.*]] = arith.floordivsi %[[K:.*]], %c16
// CHECK:             %[[PAGE:.*]] = tile.read %in1[%{{.*}}, %[[NUMBER]]]
// CHECK:             %[[WHOLE:.*]] = arith.muli %[[NUMBER]], %c16
// CHECK:             %[[ROW:.*]] = arith.subi %[[K]], %[[WHOLE]]
// CHECK:             tile.read %in0[%[[PAGE]], %[[ROW]], %{{.*}}]
func.func @reads_pages(%a: tensor<?x16x8xf32, #attn.dims<pages, 16, 8>>, %table: tensor<?x?xi32, #attn.dims<batch, width>>) -> tensor<?x?x8xf32, #attn.dims<batch, "width * 16", 8>> {
  %v = attn.pages %a by %table : tensor<?x16x8xf32, #attn.dims<pages, 16, 8>>, tensor<?x?xi32, #attn.dims<batch, width>> -> tensor<?x?x8xf32, #attn.dims<batch, "width * 16", 8>>
  %0 = attn.map "bkq->bkq" (%v) : (tensor<?x?x8xf32, #attn.dims<batch, "width * 16", 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, "width * 16", 8>> attributes {attn.block = #block} {
  ^bb0(%x: f32, %b: index, %k: index, %q: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  return %0 : tensor<?x?x8xf32, #attn.dims<batch, "width * 16", 8>>
}

// Key t of all is key t - start[b] of sequence b, if it has that one.
// CHECK-LABEL: tile.program @reads_placed_keys
// CHECK:         %[[W:.*]] = tile.workspace[%batch, %tokens]
// CHECK:             %[[BEGIN:.*]] = tile.read %in1[%[[B:.*]]]
// CHECK:             %[[END:.*]] = tile.read %in1[%{{.*}}]
// CHECK:             %[[LENGTH:.*]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK:             %[[KEY:.*]] = arith.subi %{{.*}}, %[[BEGIN]]
// CHECK:             %[[X:.*]] = tile.read %[[W]][%[[B]], %[[KEY]]]
// CHECK:             arith.cmpi sge, %[[KEY]], %c0
// CHECK:             arith.cmpi slt, %[[KEY]], %[[LENGTH]]
// CHECK:             arith.select %{{.*}}, %[[X]], %cst
func.func @reads_placed_keys(%a: tensor<?x?xf32, #attn.dims<batch, tokens>>, %start: tensor<?xi32, #attn.dims<"batch + 1">>) -> tensor<?x?xf32, #attn.dims<batch, tokens>> {
  %0 = attn.map "bq->bq" (%a) : (tensor<?x?xf32, #attn.dims<batch, tokens>>) -> tensor<?x?xf32, #attn.dims<batch, tokens>> attributes {attn.block = #block} {
  ^bb0(%x: f32, %b: index, %q: index):
    %y = math.exp %x : f32
    attn.yield %y : f32
  }
  %1 = attn.place %0 by %start fill -1.0 : tensor<?x?xf32, #attn.dims<batch, tokens>>, tensor<?xi32, #attn.dims<"batch + 1">>
  return %1 : tensor<?x?xf32, #attn.dims<batch, tokens>>
}
