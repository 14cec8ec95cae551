// Blocks of a product load a panel of the weight each: axes of pairs along the
// sum are merged, and the place along the lanes is the number of the panel.
// RUN: attnc-opt %s --split-input-file --verify-diagnostics --convert-attn-to-tile | FileCheck %s

#spr = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 2], value_granule = [6, 2], unroll = 4, tail = 0, lane_skip = false, pack = never, unit = matrix>

// CHECK-LABEL: tile.program @panels(
// CHECK-SAME:    %in1: !tile.buf<{{.*}} : bf16>
// CHECK:         %[[P:.*]] = tile.rename %in1 merge("k", "c" by 2) : {{.*}} -> <n, k, q, c : bf16>
// CHECK:         tile.grid (%[[H:.*]], %[[J:.*]], %[[I:.*]]) to
// CHECK:           %[[Q0:.*]] = arith.muli %[[I]], %c32{{.*}} : index
// CHECK:           %[[N:.*]] = arith.floordivsi %{{.*}}, %c32{{.*}} : index
// CHECK:           tile.load %[[P]][%[[N]], %{{.*}}, %{{.*}}, %{{.*}}] : <n, k, q, c : bf16> -> <q:32, k:96, bf16>
func.func @panels(%X: tensor<?x96xbf16, #attn.dims<rows, 96>>, %W: tensor<12x48x32x2xbf16>) -> tensor<6x?x64xbf16, #attn.dims<6, rows, 64>> {
  %w = attn.view "nplc->(pc)(nl)" %W {attn.panels} : tensor<12x48x32x2xbf16> -> tensor<96x384xbf16>
  %h = attn.view "d(he)->dhe" %w : tensor<96x384xbf16> -> tensor<96x6x64xbf16>
  %0 = attn.contract "qd,dhe->hqe" (%X, %h) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 32, k = 96, e = 128, target = #spr>, attn.tile_rows = 64 : index} : (tensor<?x96xbf16, #attn.dims<rows, 96>>, tensor<96x6x64xbf16>) -> tensor<6x?x64xbf16, #attn.dims<6, rows, 64>>
  return %0 : tensor<6x?x64xbf16, #attn.dims<6, rows, 64>>
}

// -----

#spr = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, unit = matrix>

func.func @width(%X: tensor<?x96xbf16, #attn.dims<rows, 96>>, %W: tensor<12x48x32x2xbf16>) -> tensor<?x384xbf16, #attn.dims<rows, 384>> {
  // expected-error@+1 {{has attn.panels, but only products of form dot without cases, whose blocks have as many lanes as a panel, can read it}}
  %w = attn.view "nplc->(pc)(nl)" %W {attn.panels} : tensor<12x48x32x2xbf16> -> tensor<96x384xbf16>
  %0 = attn.contract "qd,de->qe" (%X, %w) {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 96, e = 128, target = #spr>, attn.tile_rows = 64 : index} : (tensor<?x96xbf16, #attn.dims<rows, 96>>, tensor<96x384xbf16>) -> tensor<?x384xbf16, #attn.dims<rows, 384>>
  return %0 : tensor<?x384xbf16, #attn.dims<rows, 384>>
}
