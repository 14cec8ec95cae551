// Tiles that are no boxes of a tensor: padding would be features of the next head.
// RUN: attnc-opt %s --convert-tile-to-nvvm=target=sm_90a --verify-diagnostics | FileCheck %s

#gpu = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 4, rows = 16, stages = 2, fast_exp = true, producers = true, loads = tma>

// CHECK-LABEL: func.func @padded$grid0(
// CHECK-NOT: attnc.maps
// CHECK-NOT: cp.async.bulk
// CHECK: cp.async.cg.shared.global.16
// CHECK-NOT: cp.async.bulk
// CHECK-NOT: padded$grid0$async
tile.program @padded(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %S: !tile.buf<q, k : f32>, %n: index) target #gpu {
  // expected-remark@below {{tiles are loaded by cp.async, not TMA: they are no boxes of a tensor [schedule]}}
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %c24 = arith.constant 24 : index
    %d = arith.muli %i, %c24 : index
    %q = tile.load %Q[%c0, %d] : !tile.buf<q, d : f16> -> !tile.tile<q:64, d:24, f16>
    %zero = tile.splat 0.0 : !tile.tile<q:64, k:32, f32>
    %s = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 32 partial_step 32 iter(%carried = %zero) -> (!tile.tile<q:64, k:32, f32>) {
      %k = tile.load %K[%k0, %d] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:32, d:24, f16>
      %next = tile.dot (%q, %k) sum(d) acc(%carried) : (!tile.tile<q:64, d:24, f16>, !tile.tile<k:32, d:24, f16>) -> !tile.tile<q:64, k:32, f32>
      tile.yield %next : !tile.tile<q:64, k:32, f32>
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:64, k:32, f32>, !tile.buf<q, k : f32>
  }
}

// Without padding, they are.
// CHECK-LABEL: func.func @whole$grid0(
// CHECK: cp.async.bulk.tensor.g2s.tile.2d
// CHECK-LABEL: func.func @whole$grid0$async(
tile.program @whole(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %S: !tile.buf<q, k : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %d = arith.muli %i, %c32 : index
    %q = tile.load %Q[%c0, %d] : !tile.buf<q, d : f16> -> !tile.tile<q:64, d:32, f16>
    %zero = tile.splat 0.0 : !tile.tile<q:64, k:32, f32>
    %s = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 32 partial_step 32 iter(%carried = %zero) -> (!tile.tile<q:64, k:32, f32>) {
      %k = tile.load %K[%k0, %d] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:32, d:32, f16>
      %next = tile.dot (%q, %k) sum(d) acc(%carried) : (!tile.tile<q:64, d:32, f16>, !tile.tile<k:32, d:32, f16>) -> !tile.tile<q:64, k:32, f32>
      tile.yield %next : !tile.tile<q:64, k:32, f32>
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:64, k:32, f32>, !tile.buf<q, k : f32>
  }
}
