// Products whose rows a loop loads: both operands are copied ahead to shared
// memory, and read from there by ldmatrix.
// RUN: attnc-opt %s --convert-tile-to-nvvm | FileCheck %s

#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 2, rows = 16, stages = 2, fast_exp = false>

// The last step of a sum of run-time length has less than 16 places: of a piece
// as many bytes are copied as are valid.
// CHECK-LABEL: func.func @multiplies$grid0(
// CHECK: scf.for
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.wait.group"
// CHECK: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3"
// CHECK: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// CHECK-NOT: mma
// CHECK: scf.yield
// CHECK: arith.minsi
// CHECK: %[[BYTES:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"(%{{.*}}, %{{.*}}, %[[BYTES]])
// CHECK: return
tile.program @multiplies(%X: !tile.buf<q, k : bf16>, %W: !tile.buf<k, e : bf16>, %Y: !tile.buf<q, e : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:16, f32>
    %y = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 16 partial_step 16 iter(%carried = %zero) -> (!tile.tile<q:32, e:16, f32>) {
      %x = tile.load %X[%c0, %k0] valid(k = %nk) : !tile.buf<q, k : bf16> -> !tile.tile<q:32, k:16, bf16>
      %w = tile.load %W[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : bf16> -> !tile.tile<k:16, e:16, bf16>
      %next = tile.dot (%x, %w) sum(k) acc(%carried) : (!tile.tile<q:32, k:16, bf16>, !tile.tile<k:16, e:16, bf16>) -> !tile.tile<q:32, e:16, f32>
      tile.yield %next : !tile.tile<q:32, e:16, f32>
    }
    tile.store %y, %Y[%c0, %c0] : !tile.tile<q:32, e:16, f32>, !tile.buf<q, e : f32>
  }
}

// One number per step: no step is partial.
// CHECK-LABEL: func.func @sums_numbers$grid0(
// CHECK-COUNT-2: llvm.nvvm.mma.m16n8k16
// CHECK-NOT: mma
// CHECK: return
tile.program @sums_numbers(%X: !tile.buf<h, q, k : bf16>, %W: !tile.buf<h, k, e : bf16>, %Y: !tile.buf<q, e : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:16, f32>
    %y = tile.for (%h, %nh, %partial) in [(%c0, %c0, %c0, %n)] step 1 partial_step 1 iter(%carried = %zero) -> (!tile.tile<q:32, e:16, f32>) {
      %x = tile.load %X[%h, %c0, %c0] : !tile.buf<h, q, k : bf16> -> !tile.tile<q:32, k:16, bf16>
      %w = tile.load %W[%h, %c0, %c0] : !tile.buf<h, k, e : bf16> -> !tile.tile<k:16, e:16, bf16>
      %next = tile.dot (%x, %w) sum(k) acc(%carried) : (!tile.tile<q:32, k:16, bf16>, !tile.tile<k:16, e:16, bf16>) -> !tile.tile<q:32, e:16, f32>
      tile.yield %next : !tile.tile<q:32, e:16, f32>
    }
    tile.store %y, %Y[%c0, %c0] : !tile.tile<q:32, e:16, f32>, !tile.buf<q, e : f32>
  }
}
