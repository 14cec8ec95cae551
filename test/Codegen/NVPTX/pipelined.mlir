// Full tiles are copied ahead: two before the loop, each other one two
// iterations before it is used, with one barrier per iteration.
// RUN: attnc-opt %s --convert-tile-to-nvvm | FileCheck %s

#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 16, stages = 3, fast_exp = true>

// Three buffers of 16 keys with 24 elements.
// CHECK-LABEL: func.func @ahead$grid0(
// CHECK-SAME: ["attnc.shared", "2304"]
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.cp.async.commit.group"
// CHECK: scf.for
// CHECK: %[[PENDING:.*]] = arith.constant 1 : i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.wait.group"(%[[PENDING]])
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.commit.group"
// CHECK-NOT: barrier
// CHECK: mma
// CHECK-NOT: barrier
// CHECK: scf.yield
tile.program @ahead(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %S: !tile.buf<q, k : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:16, d:16, f16>
    %zero = tile.splat 0.0 : !tile.tile<q:16, k:16, f32>
    %s = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 16 partial_step 16 iter(%carried = %zero) -> (!tile.tile<q:16, k:16, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:16, d:16, f16>
      %next = tile.dot (%q, %k) sum(d) acc(%carried) : (!tile.tile<q:16, d:16, f16>, !tile.tile<k:16, d:16, f16>) -> !tile.tile<q:16, k:16, f32>
      tile.yield %next : !tile.tile<q:16, k:16, f32>
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
  }
}
