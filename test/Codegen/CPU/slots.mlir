// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --loop-invariant-code-motion --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// A tile that only its own nest uses has no slot: 384 bytes for what passes
// through memory, one slot of 8 + 7 rows of 64 bytes (surplus rows of the last
// granule) for the loaded tile, which the result takes over.
// CHECK-LABEL: func.func @take_over.scratch(
// CHECK-NEXT:    %[[BYTES:.*]] = arith.constant 1344 : i64
// CHECK-NEXT:    return %[[BYTES]]
tile.program @take_over(%x: !tile.buf<q, k : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:8, f32>
    %b = tile.map (%a) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, k:8, f32> {
    ^bb0(%e: f32):
      %r = math.exp2 %e : f32
      tile.yield %r : f32
    }
    %c = tile.map (%b) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, k:8, f32> {
    ^bb0(%e: f32):
      %r = math.exp2 %e : f32
      tile.yield %r : f32
    }
    tile.store %c, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// A tile that is read again later keeps its slot.
// CHECK-LABEL: func.func @keeps_what_is_read_later.scratch(
// CHECK-NEXT:    %[[BYTES:.*]] = arith.constant 2304 : i64
tile.program @keeps_what_is_read_later(%x: !tile.buf<q, k : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:8, f32>
    %b = tile.map (%a) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, k:8, f32> {
    ^bb0(%e: f32):
      %r = math.exp2 %e : f32
      tile.yield %r : f32
    }
    tile.store %b, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
    tile.store %a, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// A carried tile is replaced in place where the old value is read last; another
// one, whose old value is read later, is copied at the end of the body.
// CHECK-LABEL: func.func @carried.grid0.body(
// CHECK:         %[[A:.*]] = llvm.getelementptr %arg1[384]
// CHECK:         %[[B:.*]] = llvm.getelementptr %arg1[448]
// CHECK:         %[[NEXT:.*]] = llvm.getelementptr %arg1[512]
// CHECK:         scf.for
// CHECK:           %[[OLD:.*]] = llvm.load %[[A]]
// CHECK:           %[[NEW:.*]] = arith.addf %[[OLD]],
// CHECK:           %[[SQUARE:.*]] = arith.mulf
// CHECK:           llvm.store %[[NEW]], %[[A]]
// CHECK:           llvm.store %[[SQUARE]], %[[NEXT]]
// CHECK:           %[[LAST:.*]] = llvm.load %[[NEXT]]
// CHECK-NEXT:      llvm.store %[[LAST]], %[[B]]
tile.program @carried(%x: !tile.buf<q : f32>, %y: !tile.buf<q : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a0 = tile.splat 1.0 : !tile.tile<q:16, f32>
    %b0 = tile.splat 2.0 : !tile.tile<q:16, f32>
    %a, %b = tile.for (%k0, %nk, %partial) in [(%c0, %n, %n, %n)] step 8 partial_step 8 iter(%ai = %a0, %bi = %b0) -> (!tile.tile<q:16, f32>, !tile.tile<q:16, f32>) {
      %an = tile.map (%ai) : (!tile.tile<q:16, f32>) -> !tile.tile<q:16, f32> {
      ^bb0(%e: f32):
        %r = arith.addf %e, %e : f32
        tile.yield %r : f32
      }
      %bn = tile.map (%an) : (!tile.tile<q:16, f32>) -> !tile.tile<q:16, f32> {
      ^bb0(%e: f32):
        %r = arith.mulf %e, %e : f32
        tile.yield %r : f32
      }
      tile.store %bi, %x[%c0] : !tile.tile<q:16, f32>, !tile.buf<q : f32>
      tile.yield %an, %bn : !tile.tile<q:16, f32>, !tile.tile<q:16, f32>
    }
    tile.store %a, %x[%c0] : !tile.tile<q:16, f32>, !tile.buf<q : f32>
    tile.store %b, %y[%c0] : !tile.tile<q:16, f32>, !tile.buf<q : f32>
  }
}
