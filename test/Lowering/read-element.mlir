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
