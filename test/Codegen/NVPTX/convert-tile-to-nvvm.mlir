// Kernels of tile programs, and what their host asks.
// RUN: attnc-opt %s --convert-tile-to-nvvm | FileCheck %s

#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 2, rows = 16, stages = 1, fast_exp = true>
#threads = #tile.nvptx<arch = sm_80, mapping = thread, warps = 1, rows = 32, stages = 1, fast_exp = false>

// The host asks for the number of thread blocks. A kernel gets data, strides and
// extents of each tensor, then sizes and the workspace.
// CHECK-LABEL: func.func @rows.grid0.tasks(%{{.*}}: !llvm.ptr) -> i64
// CHECK: return
// CHECK-LABEL: func.func @rows$grid0(
// CHECK-SAME: %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr<1>, %[[STRIDE:.*]]: i64, %{{.*}}: i64, %[[N:.*]]: i64, %{{.*}}: !llvm.ptr<1>)
// CHECK-SAME: passthrough = {{\[}}["nvvm.maxntid", "64"], ["attnc.shared", "0"]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"
// CHECK: llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.ctaid.x"
// A lane has two rows of 16 columns: four of each, which one branch reads, at
// addresses that go up by multiples of the stride. The quad combines its sums, and
// its first lane stores.
// CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32) {
// CHECK: %[[FIRST:.*]] = llvm.getelementptr
// CHECK: llvm.load %[[FIRST]]
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[FIRST]]
// CHECK: llvm.load %[[SECOND]]
// CHECK: %[[THIRD:.*]] = llvm.getelementptr %[[FIRST]]
// CHECK: llvm.load %[[THIRD]]
// CHECK: %[[FOURTH:.*]] = llvm.getelementptr %[[SECOND]]
// CHECK: llvm.load %[[FOURTH]]
// CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32) {
// CHECK-COUNT-4: llvm.load
// CHECK-NOT: scf.if
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.shfl.sync.bfly.i32"
// CHECK-NOT: shfl.sync
// CHECK: scf.if
// CHECK-COUNT-2: llvm.store
// CHECK: return
tile.program @rows(%X: !tile.buf<q, d : f32>, %Y: !tile.buf<q : f32>, %n: index) target #gpu {
  %c32 = arith.constant 32 : index
  %blocks = arith.ceildivsi %n, %c32 : index
  tile.grid (%i) to (%blocks) {
    %c0 = arith.constant 0 : index
    %c32i = arith.constant 32 : index
    %q0 = arith.muli %i, %c32i : index
    %left = arith.subi %n, %q0 : index
    %x = tile.load %X[%q0, %c0] valid(q = %left) : !tile.buf<q, d : f32> -> !tile.tile<q:32, d:16, f32>
    %zero = tile.splat 0.0 : !tile.tile<q:32, f32>
    %sum = tile.reduce add (%x) over(d) init(%zero) : (!tile.tile<q:32, d:16, f32>) -> !tile.tile<q:32, f32>
    tile.store %sum, %Y[%q0] valid(q = %left) : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// Each thread has one row and all columns, so nothing is shuffled.
// CHECK-LABEL: func.func @threads$grid0(
// CHECK-SAME: ["nvvm.maxntid", "32"]
// CHECK-COUNT-3: llvm.load
// CHECK-NOT: shfl.sync
// CHECK: llvm.store
tile.program @threads(%X: !tile.buf<q, d : f32>, %Y: !tile.buf<q : f32>, %n: index) target #threads {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:32, d:3, f32>
    %zero = tile.splat 0.0 : !tile.tile<q:32, f32>
    %sum = tile.reduce max (%x) over(d) init(%zero) : (!tile.tile<q:32, d:3, f32>) -> !tile.tile<q:32, f32>
    tile.store %sum, %Y[%c0] : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// A workspace begins at the kernel's last argument; its bytes are known to the
// host.
// CHECK-LABEL: func.func @workspace$grid0(
// CHECK-LABEL: func.func @workspace.scratch(
// CHECK-LABEL: func.func @workspace.workspace(
// CHECK: arith.constant 4 : index
tile.program @workspace(%n: index) target #threads {
  %w = tile.workspace [%n] : !tile.buf<q : f32>
  tile.grid (%i) to (%n) {
    %x = tile.splat 1.0 : !tile.tile<q:32, f32>
    tile.store %x, %w[%i] : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}

// Full tiles have no mask code; distances and tests go through shared memory.
// CHECK-LABEL: func.func @mask$grid0(
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: arith.select
// CHECK: scf.yield
// CHECK: llvm.call_intrinsic "llvm.nvvm.vote.any.sync"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
tile.program @mask(%Y: !tile.buf<q, k : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %r = tile.map () at(r = %c0) : () -> !tile.tile<r:47, f32> {
    ^bb0(%distance: index):
      %0 = arith.index_cast %distance : index to i64
      %1 = arith.sitofp %0 : i64 to f32
      tile.yield %1 : f32
    }
    %s = tile.skew %r plus(q) minus(k) : !tile.tile<r:47, f32> -> !tile.tile<q:32, k:16, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %i, %n)] step 16 partial_step 16 iter(%carried = %s) -> (!tile.tile<q:32, k:16, f32>) {
      %m = tile.select_masked %carried at(k = %k0) valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:16, f32> {
      ^bb0(%key: index):
        %seen = arith.cmpi slt, %key, %i : index
        tile.yield %seen : i1
      }
      tile.yield %m : !tile.tile<q:32, k:16, f32>
    }
    %nan = tile.any_nan %o : !tile.tile<q:32, k:16, f32>
    scf.if %nan {
      tile.store %o, %Y[%c0, %c0] : !tile.tile<q:32, k:16, f32>, !tile.buf<q, k : f32>
    }
  }
}

// A tile in shared memory is rescaled there: the factors, which are in registers,
// are stored for it, too.
// CHECK-LABEL: func.func @rescaled$grid0(
// CHECK:         llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK:         llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK:         %[[VALUE:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK:         %[[FACTOR:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK:         arith.mulf %[[VALUE]], %[[FACTOR]] : f32
tile.program @rescaled(%K: !tile.buf<k, d : f32>, %F: !tile.buf<k : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %0 = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:16, d:16, f32>
    %1 = tile.load %F[%c0] : !tile.buf<k : f32> -> !tile.tile<k:16, f32>
    %2 = tile.rescale %0 by %1 : !tile.tile<k:16, d:16, f32>, !tile.tile<k:16, f32>
    tile.store %2, %K[%c0, %c0] : !tile.tile<k:16, d:16, f32>, !tile.buf<k, d : f32>
  }
}
