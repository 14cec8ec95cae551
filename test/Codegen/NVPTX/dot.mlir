// Products on tensor cores, and all others by fma.
// RUN: attnc-opt %s --convert-tile-to-nvvm | FileCheck %s

#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 16, stages = 1, fast_exp = true>

// Rows stay in registers. Keys are read along the sum, values across it.
// CHECK-LABEL: func.func @chained$grid0(
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"
// CHECK: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
// CHECK: arith.truncf
// CHECK: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
// CHECK-NOT: llvm.intr.fma
// CHECK: return
tile.program @chained(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %V: !tile.buf<k, e : f16>, %O: !tile.buf<q, e : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:16, d:16, f16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f16> -> !tile.tile<k:16, d:16, f16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:16, f16>, !tile.tile<k:16, d:16, f16>) -> !tile.tile<q:16, k:16, f32>
    %p = tile.map (%s) : (!tile.tile<q:16, k:16, f32>) -> !tile.tile<q:16, k:16, f16> {
    ^bb0(%x: f32):
      %0 = arith.truncf %x : f32 to f16
      tile.yield %0 : f16
    }
    %v = tile.load %V[%c0, %c0] : !tile.buf<k, e : f16> -> !tile.tile<k:16, e:16, f16>
    %o = tile.dot (%p, %v) sum(k) : (!tile.tile<q:16, k:16, f16>, !tile.tile<k:16, e:16, f16>) -> !tile.tile<q:16, e:16, f32>
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:16, e:16, f32>, !tile.buf<q, e : f32>
  }
}

// Of f32 both operands are in shared memory.
// CHECK-LABEL: func.func @wide$grid0(
// CHECK-NOT: mma
// CHECK: scf.for
// CHECK-COUNT-8: llvm.intr.fma
// CHECK-NOT: llvm.intr.fma
// CHECK: scf.yield
tile.program @wide(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %S: !tile.buf<q, k : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:8, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:16, d:8, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:8, f32>, !tile.tile<k:16, d:8, f32>) -> !tile.tile<q:16, k:16, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
  }
}
