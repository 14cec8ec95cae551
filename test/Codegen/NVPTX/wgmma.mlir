// Products of warpgroups. Keys and values are in panels of shared memory.
// RUN: attnc-opt %s --convert-tile-to-nvvm=target=sm_90a | FileCheck %s

#gpu = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 4, rows = 16, stages = 1, fast_exp = true>
#shared = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 4, rows = 16, stages = 1, fast_exp = true, shared_rows = true>

// Rows stay in registers. Copies are visible to wgmma after a fence, results
// after a wait that ties their registers. Values are transposed: the last
// operand of wgmma.
// CHECK-LABEL: func.func @chained$grid0(
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"
// CHECK: "fence.proxy.async.shared::cta;"
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK: llvm.call_intrinsic "llvm.nvvm.wgmma.fence.sync.aligned"
// CHECK: llvm.inline_asm has_side_effects {{.*}}wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {$0, {{.*}}$15}, {$16, $17, $18, $19}, db, 0, 1, 1, 0;{{.*}}m64n32k16.f32.f16.f16 {$0, {{.*}}$15}, {$20, $21, $22, $23}, db, 1, 1, 1, 0;
// CHECK: llvm.call_intrinsic "llvm.nvvm.wgmma.commit_group.sync.aligned"
// CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.wait_group.sync.aligned 0;", "=f,{{.*}},15,~{memory}"
// CHECK: arith.truncf
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, {{.*}}$7}, {$8, $9, $10, $11}, db, 0, 1, 1, 1;
// CHECK-NOT: ldmatrix
// CHECK-NOT: llvm.nvvm.mma
// CHECK: return
// CHECK: llvm.mlir.global external @attnc_shared() {addr_space = 3 : i32, alignment = 1024 : i64}
tile.program @chained(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %V: !tile.buf<k, e : f16>, %O: !tile.buf<q, e : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:64, d:32, f16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f16> -> !tile.tile<k:32, d:32, f16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:64, d:32, f16>, !tile.tile<k:32, d:32, f16>) -> !tile.tile<q:64, k:32, f32>
    %p = tile.map (%s) : (!tile.tile<q:64, k:32, f32>) -> !tile.tile<q:64, k:32, f16> {
    ^bb0(%x: f32):
      %0 = arith.truncf %x : f32 to f16
      tile.yield %0 : f16
    }
    %v = tile.load %V[%c0, %c0] : !tile.buf<k, e : f16> -> !tile.tile<k:32, e:16, f16>
    %o = tile.dot (%p, %v) sum(k) : (!tile.tile<q:64, k:32, f16>, !tile.tile<k:32, e:16, f16>) -> !tile.tile<q:64, e:16, f32>
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:64, e:16, f32>, !tile.buf<q, e : f32>
  }
}

// Rows in shared memory are stored there once; a descriptor takes the place of
// their registers.
// CHECK-LABEL: func.func @shared_rows$grid0(
// CHECK: llvm.store {{.*}} : f16, !llvm.ptr<3>
// CHECK: "fence.proxy.async.shared::cta;"
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, {{.*}}$7}, da, db, 0, 1, 1, 0, 0;
tile.program @shared_rows(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %S: !tile.buf<q, k : f32>, %n: index) target #shared {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:64, d:16, f16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f16> -> !tile.tile<k:16, d:16, f16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:64, d:16, f16>, !tile.tile<k:16, d:16, f16>) -> !tile.tile<q:64, k:16, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:64, k:16, f32>, !tile.buf<q, k : f32>
  }
}

// wgmma has at most 256 columns; more are multiplied by each warp.
// CHECK-LABEL: func.func @many_columns$grid0(
// CHECK-NOT: wgmma
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
// CHECK-NOT: wgmma
// CHECK: return
tile.program @many_columns(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %S: !tile.buf<q, k : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:64, d:16, f16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f16> -> !tile.tile<k:272, d:16, f16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:64, d:16, f16>, !tile.tile<k:272, d:16, f16>) -> !tile.tile<q:64, k:272, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:64, k:272, f32>, !tile.buf<q, k : f32>
  }
}
