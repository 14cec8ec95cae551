// Products of f32 on tensor cores, rounded to tf32.
// RUN: attnc-opt %s --convert-tile-to-nvvm | FileCheck %s

#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 16, stages = 1, fast_exp = true, tf32 = true>

// Columns 2t and 2t + 1 of Q and of the weights are the places t and t + 4 of an
// instruction. Keys are pairs along the sum, in rows of 16 + 8 elements; values are
// elements of two rows, in rows of 16 + 4.
// CHECK-LABEL: func.func @chained$grid0(
// CHECK-SAME: ["attnc.shared", "2816"]
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"
// CHECK: %[[PAIR:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK: %[[LOW:.*]] = llvm.extractelement %[[PAIR]]
// CHECK: %[[B0:.*]] = llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"(%[[LOW]]) : (f32) -> i32
// CHECK: %[[HIGH:.*]] = llvm.extractelement %[[PAIR]]
// CHECK: %[[B1:.*]] = llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"(%[[HIGH]]) : (f32) -> i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"({{.*}}, %[[B0]], %[[B1]], {{.*}})
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"
// CHECK-NOT: vector<2xf32>
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"
// CHECK-NOT: llvm.nvvm.mma
// CHECK: return
tile.program @chained(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %V: !tile.buf<k, e : f32>, %O: !tile.buf<q, e : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:16, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : f32> -> !tile.tile<k:16, d:16, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:16, f32>, !tile.tile<k:16, d:16, f32>) -> !tile.tile<q:16, k:16, f32>
    %p = tile.map (%s) : (!tile.tile<q:16, k:16, f32>) -> !tile.tile<q:16, k:16, f32> {
    ^bb0(%x: f32):
      %0 = math.exp2 %x : f32
      tile.yield %0 : f32
    }
    %v = tile.load %V[%c0, %c0] : !tile.buf<k, e : f32> -> !tile.tile<k:16, e:16, f32>
    %o = tile.dot (%p, %v) sum(k) : (!tile.tile<q:16, k:16, f32>, !tile.tile<k:16, e:16, f32>) -> !tile.tile<q:16, e:16, f32>
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:16, e:16, f32>, !tile.buf<q, e : f32>
  }
}

// Both operands of a product in a loop are in shared memory. f64 has no such unit.
// CHECK-LABEL: func.func @product$grid0(
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"
// CHECK-NOT: llvm.nvvm.mma
// CHECK: scf.yield
// CHECK-LABEL: func.func @product$grid1(
// CHECK-NOT: llvm.nvvm.mma
// CHECK: llvm.intr.fma
// CHECK: return
tile.program @product(%X: !tile.buf<q, k : f32>, %W: !tile.buf<k, e : f32>, %Y: !tile.buf<q, e : f32>, %A: !tile.buf<q, k : f64>, %B: !tile.buf<k, e : f64>, %C: !tile.buf<q, e : f64>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:16, e:16, f32>
    %y = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 16 partial_step 16 iter(%sum = %zero) -> (!tile.tile<q:16, e:16, f32>) {
      %x = tile.load %X[%c0, %k0] valid(k = %nk) : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:16, f32>
      %w = tile.load %W[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f32> -> !tile.tile<k:16, e:16, f32>
      %next = tile.dot (%x, %w) sum(k) acc(%sum) : (!tile.tile<q:16, k:16, f32>, !tile.tile<k:16, e:16, f32>) -> !tile.tile<q:16, e:16, f32>
      tile.yield %next : !tile.tile<q:16, e:16, f32>
    }
    tile.store %y, %Y[%c0, %c0] : !tile.tile<q:16, e:16, f32>, !tile.buf<q, e : f32>
  }
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : !tile.buf<q, k : f64> -> !tile.tile<q:16, k:16, f64>
    %b = tile.load %B[%c0, %c0] : !tile.buf<k, e : f64> -> !tile.tile<k:16, e:16, f64>
    %c = tile.dot (%a, %b) sum(k) : (!tile.tile<q:16, k:16, f64>, !tile.tile<k:16, e:16, f64>) -> !tile.tile<q:16, e:16, f64>
    tile.store %c, %C[%c0, %c0] : !tile.tile<q:16, e:16, f64>, !tile.buf<q, e : f64>
  }
}
