// A score or mask costs per pair of query and key only what needs the pair.
// RUN: attnc-opt %s --convert-attn-to-tile | FileCheck %s

#schedule = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto>>
!q = tensor<?x2x1x?x32xf32, #attn.dims<batch, 2, 1, query_len, 32>>
!k = tensor<?x2x?x32xf32, #attn.dims<batch, 2, kv_len, 32>>
!l = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!t = tensor<?xf32, #attn.dims<kv_len>>
!n = tensor<?xi32, #attn.dims<batch>>

// The slope needs the head only: a scalar, once per block. With the distance of
// query and key it is computed once per diagonal: 64 + 64 - 1 of them, from that
// of the first query and the last key.
// CHECK-LABEL: tile.program @distance_part_is_a_table_of_diagonals
// CHECK-SAME:    %[[T:[^ ]*]]: !tile.buf<a0 : f32>
// CHECK:         tile.grid (%{{.*}}, %[[H:.*]], %{{.*}}) to
// CHECK:           %[[SLOPE:.*]] = tile.read %[[T]][%[[H]]]
// CHECK:           tile.for (%[[K0:.*]], %{{.*}}, %{{.*}}) in
// CHECK:             %[[D:.*]] = tile.dot
// CHECK:             %[[C63:.*]] = arith.constant 63 : index
// CHECK:             %[[LAST:.*]] = arith.addi %[[K0]], %[[C63]] : index
// CHECK:             %[[FIRST:.*]] = arith.subi %{{.*}}, %[[LAST]] : index
// CHECK:             %[[TABLE:.*]] = tile.map() at(r = %[[FIRST]]) : () -> !tile.tile<r:127, f32>
// CHECK-NEXT:        ^bb0(%[[R:.*]]: index):
// CHECK:               %[[P:.*]] = arith.subi %[[R]], %{{.*}} : index
// CHECK:               arith.mulf %[[SLOPE]], %{{.*}} : f32
// CHECK:             %[[PAIRS:.*]] = tile.skew %[[TABLE]] plus(q) minus(k) : <r:127, f32> -> <q:64, k:64, f32>
// CHECK:             tile.map(%[[D]], %[[PAIRS]]) : (
// CHECK-NEXT:        ^bb0(%[[X:.*]]: f32, %[[A:.*]]: f32):
// CHECK-NEXT:          %[[Y:.*]] = arith.subf %[[X]], %[[A]] : f32
// CHECK-NEXT:          tile.yield %[[Y]]
func.func @distance_part_is_a_table_of_diagonals(%Q: !q, %K: !k, %V: !k, %T: !t) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %s = attn.read %T[%h] : !t -> f32
    %d = arith.subi %i, %j : index
    %n = arith.index_cast %d : index to i64
    %f = arith.sitofp %n : i64 to f32
    %a = arith.mulf %s, %f : f32
    %y = arith.subf %x, %a : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }

  return %o : !q
}

// A part that needs the query only is a map before the loop.
// CHECK-LABEL: tile.program @query_part_is_a_map_before_the_loop
// CHECK:         %[[ROW:.*]] = tile.map() at(q = %{{.*}}) : () -> !tile.tile<q:64, f32>
// CHECK-NEXT:    ^bb0(%[[Q:.*]]: index):
// CHECK-NEXT:      tile.read %{{.*}}[%[[Q]]]
// CHECK:         tile.for
// CHECK:           %[[D:.*]] = tile.dot
// CHECK:           tile.map(%[[D]], %[[ROW]]) : (!tile.tile<q:64, k:64, f32>, !tile.tile<q:64, f32>)
// CHECK-NEXT:      ^bb0(%[[X:.*]]: f32, %[[R:.*]]: f32):
// CHECK-NEXT:        arith.addf %[[X]], %[[R]] : f32
func.func @query_part_is_a_map_before_the_loop(%Q: !q, %K: !k, %V: !k, %T: !t) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %r = attn.read %T[%i] : !t -> f32
    %y = arith.addf %x, %r : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }

  return %o : !q
}

// A part that needs the key only is a map over the keys of the tile.
// CHECK-LABEL: tile.program @key_part_is_a_map_in_the_loop
// CHECK:         tile.for (%[[K0:.*]], %{{.*}}, %{{.*}}) in
// CHECK:           %[[D:.*]] = tile.dot
// CHECK:           %[[COLUMN:.*]] = tile.map() at(k = %[[K0]]) : () -> !tile.tile<k:64, f32>
// CHECK-NEXT:      ^bb0(%[[K:.*]]: index):
// CHECK-NEXT:        tile.read %{{.*}}[%[[K]]]
// CHECK:           tile.map(%[[D]], %[[COLUMN]]) :
func.func @key_part_is_a_map_in_the_loop(%Q: !q, %K: !k, %V: !k, %T: !t) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    %r = attn.read %T[%j] : !t -> f32
    %y = arith.addf %x, %r : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  }

  return %o : !q
}

// Masks are split alike; their parts come in through `with`.
// CHECK-LABEL: tile.program @mask_is_split
// CHECK:         %[[ROW:.*]] = tile.map() at(q = %{{.*}}) : () -> !tile.tile<q:64, index>
// CHECK:           arith.floordivsi
// CHECK:         tile.for
// CHECK:           %[[COLUMN:.*]] = tile.map() at(k = %{{.*}}) : () -> !tile.tile<k:64, index>
// CHECK:             arith.floordivsi
// CHECK:           tile.select_masked %{{.*}} with(%[[ROW]], %[[COLUMN]] : !tile.tile<q:64, index>, !tile.tile<k:64, index>) valid(k = %{{.*}})
// CHECK-NEXT:      ^bb0(%[[R:.*]]: index, %[[C:.*]]: index):
// CHECK-NEXT:        arith.cmpi eq, %[[R]], %[[C]] : index
func.func @mask_is_split(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c8 = arith.constant 8 : index
    %r = arith.floordivsi %i, %c8 : index
    %c = arith.floordivsi %j, %c8 : index
    %e = arith.cmpi eq, %r, %c : index
    attn.yield %e : i1
  }

  return %o : !q
}

// So are conditions on the distance, as truth values.
// CHECK-LABEL: tile.program @distance_of_a_mask
// CHECK:           %[[TABLE:.*]] = tile.map() at(r = %{{.*}}) : () -> !tile.tile<r:127, i1>
// CHECK:             arith.remsi
// CHECK:           %[[PAIRS:.*]] = tile.skew %[[TABLE]] plus(q) minus(k) : <r:127, i1> -> <q:64, k:64, i1>
// CHECK:           tile.select_masked %{{.*}} with(%[[PAIRS]] : !tile.tile<q:64, k:64, i1>) valid(k = %{{.*}})
// CHECK-NEXT:      ^bb0(%[[C:.*]]: i1):
// CHECK-NEXT:        tile.yield %[[C]] : i1
func.func @distance_of_a_mask(%Q: !q, %K: !k, %V: !k) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %d = arith.subi %i, %j : index
    %m = arith.remsi %d, %c4 : index
    %e = arith.cmpi eq, %m, %c0 : index
    attn.yield %e : i1
  }

  return %o : !q
}

// Index arithmetic is cheaper than a tile of indices: it stays. The length of
// the batch is a scalar.
// CHECK-LABEL: tile.program @index_arithmetic_stays
// CHECK:         %[[N:.*]] = tile.read
// CHECK-NOT:     tile.map() at
// CHECK:         tile.select_masked %{{.*}} at(k = %{{.*}}) valid(k = %{{.*}})
// CHECK-NEXT:    ^bb0(%[[K:.*]]: index):
// CHECK-NEXT:      arith.cmpi slt, %[[K]], %[[N]] : index
func.func @index_arithmetic_stays(%Q: !q, %K: !k, %V: !k, %T: !n) -> !q {
  %o, %lse = attn.kernel ins(%Q, %K, %V : !q, !k, !k) -> (!q, !l) normalize #attn.norm<shift = max, weight = exp2, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32, schedule = #schedule}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %n = attn.read %T[%b] : !n -> index
    %c = arith.cmpi slt, %j, %n : index
    attn.yield %c : i1
  }

  return %o : !q
}
