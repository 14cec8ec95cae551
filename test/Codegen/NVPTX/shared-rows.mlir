// Rows of Q in shared memory, read by products of each tile of keys.
// RUN: attnc-opt %s --convert-tile-to-nvvm | FileCheck %s

#shared = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 32, stages = 1, fast_exp = true, shared_rows = true>
#registers = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 32, stages = 1, fast_exp = true>
#tf32 = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 16, stages = 1, fast_exp = true, shared_rows = true, tf32 = true>

// Copied once by cp.async; each tile of keys has an ldmatrix for each 16 rows of
// each step, and one for its keys. Weights stay in registers.
// CHECK-LABEL: func.func @shared_rows$grid0(
// CHECK-SAME: ["attnc.shared", "4608"]
// CHECK-NOT: llvm.load
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.wait.group"
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK: scf.for
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
// CHECK-NOT: llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3
// CHECK: arith.truncf
// CHECK: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"
// CHECK-NOT: llvm.nvvm.ldmatrix
// CHECK: scf.yield
tile.program @shared_rows(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %V: !tile.buf<k, e : f16>, %O: !tile.buf<q, e : f32>, %n: index) target #shared {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:16, f32>
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:32, d:32, f16>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 16 partial_step 16 iter(%sum = %zero) -> (!tile.tile<q:32, e:16, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:16, d:32, f16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:32, f16>, !tile.tile<k:16, d:32, f16>) -> !tile.tile<q:32, k:16, f32>
      %p = tile.map (%s) : (!tile.tile<q:32, k:16, f32>) -> !tile.tile<q:32, k:16, f16> {
      ^bb0(%x: f32):
        %0 = arith.truncf %x : f32 to f16
        tile.yield %0 : f16
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f16> -> !tile.tile<k:16, e:16, f16>
      %next = tile.dot (%p, %v) sum(k) acc(%sum) : (!tile.tile<q:32, k:16, f16>, !tile.tile<k:16, e:16, f16>) -> !tile.tile<q:32, e:16, f32>
      tile.yield %next : !tile.tile<q:32, e:16, f32>
    }
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:32, e:16, f32>, !tile.buf<q, e : f32>
  }
}

// Without the field they are loaded to registers, before the loop.
// CHECK-LABEL: func.func @rows_in_registers$grid0(
// CHECK: llvm.load
// CHECK: scf.for
// CHECK-COUNT-1: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3"
// CHECK-NOT: llvm.nvvm.ldmatrix
// CHECK: scf.yield
tile.program @rows_in_registers(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %S: !tile.buf<q, k : f32>, %n: index) target #registers {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, k:16, f32>
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:32, d:16, f16>
    %s = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 16 partial_step 16 iter(%sum = %zero) -> (!tile.tile<q:32, k:16, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:16, d:16, f16>
      %next = tile.dot (%q, %k) sum(d) acc(%sum) : (!tile.tile<q:32, d:16, f16>, !tile.tile<k:16, d:16, f16>) -> !tile.tile<q:32, k:16, f32>
      tile.yield %next : !tile.tile<q:32, k:16, f32>
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:32, k:16, f32>, !tile.buf<q, k : f32>
  }
}

// Rows that are computed are stored once, and only read from then on.
// CHECK-LABEL: func.func @computed_rows$grid0(
// CHECK: arith.mulf
// CHECK: llvm.store {{.*}} : f16, !llvm.ptr<3>
// CHECK: scf.for
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3"
// CHECK-NOT: llvm.nvvm.ldmatrix
// CHECK: scf.yield
tile.program @computed_rows(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %S: !tile.buf<q, k : f32>, %n: index) target #shared {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, k:16, f32>
    %loaded = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:32, d:16, f16>
    %q = tile.map (%loaded) : (!tile.tile<q:32, d:16, f16>) -> !tile.tile<q:32, d:16, f16> {
    ^bb0(%x: f16):
      %0 = arith.mulf %x, %x : f16
      tile.yield %0 : f16
    }
    %s = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 16 partial_step 16 iter(%sum = %zero) -> (!tile.tile<q:32, k:16, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:16, d:16, f16>
      %next = tile.dot (%q, %k) sum(d) acc(%sum) : (!tile.tile<q:32, d:16, f16>, !tile.tile<k:16, d:16, f16>) -> !tile.tile<q:32, k:16, f32>
      tile.yield %next : !tile.tile<q:32, k:16, f32>
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:32, k:16, f32>, !tile.buf<q, k : f32>
  }
}

// Pairs of f32 along the sum, rounded where they are read: two of rows and two of
// keys for each step of eight.
// CHECK-LABEL: func.func @tf32$grid0(
// CHECK: scf.for
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"
// CHECK-NOT: vector<2xf32>
// CHECK: scf.yield
tile.program @tf32(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %S: !tile.buf<q, k : f32>, %n: index) target #tf32 {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:16, k:16, f32>
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:16, f32>
    %s = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 16 partial_step 16 iter(%sum = %zero) -> (!tile.tile<q:16, k:16, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f32> -> !tile.tile<k:16, d:16, f32>
      %next = tile.dot (%q, %k) sum(d) acc(%sum) : (!tile.tile<q:16, d:16, f32>, !tile.tile<k:16, d:16, f32>) -> !tile.tile<q:16, k:16, f32>
      tile.yield %next : !tile.tile<q:16, k:16, f32>
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
  }
}
