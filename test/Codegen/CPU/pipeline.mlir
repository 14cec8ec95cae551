// RUN: attnc-opt %s --tile-to-llvm='target=x86-64-v4' | FileCheck %s --check-prefixes=CHECK,V4
// RUN: attnc-opt %s --tile-to-llvm='target=x86-64' | FileCheck %s --check-prefixes=CHECK,SSE2

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// Nothing but the LLVM dialect is left, and no function of libm: V4 has the
// instruction that scales by a power of two, SSE2 does it by integers.
// CHECK-NOT:   {{(arith|math|scf|vector|func|cf)\.}}
// CHECK-LABEL: llvm.func @exp2.grid0.body(
// CHECK-NOT:   {{(arith|math|scf|vector|func|cf|tile)\.}}
// V4:          scalef
// SSE2-NOT:    llvm.call_intrinsic
// CHECK-LABEL: llvm.func @exp2.scratch(
tile.program @exp2(%x: !tile.buf<q : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0] : !tile.buf<q : f32> -> !tile.tile<q:16, f32>
    %b = tile.map (%a) : (!tile.tile<q:16, f32>) -> !tile.tile<q:16, f32> {
    ^bb0(%e: f32):
      %r = math.exp2 %e : f32
      tile.yield %r : f32
    }
    tile.store %b, %x[%c0] : !tile.tile<q:16, f32>, !tile.buf<q : f32>
  }
}
