// The product of the values starts one iteration late, next to that of the
// scores, and is waited for after the weights and the copies of the next tile.
// RUN: attnc-opt %s --convert-tile-to-nvvm=target=sm_90a | FileCheck %s

#gpu = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 4, rows = 16, stages = 2, fast_exp = true, overlap = true>

// Keys are copied before the loop. The first tile has no values to multiply.
// CHECK-LABEL: func.func @late$grid0(
// CHECK: cp.async.cg.shared.global.16.s
// CHECK: scf.if {{.*}} -> (f32
// CHECK: "llvm.nvvm.cp.async.wait.group"
// CHECK: m64n32k16.f32.f16.f16 {{.*}}, db, 0, 1, 1, 0;
// CHECK-NOT: m64n16k16
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK-NOT: m64n16k16
// CHECK: scf.for
// CHECK: "llvm.nvvm.cp.async.wait.group"
// CHECK: m64n32k16.f32.f16.f16 {{.*}}, db, 0, 1, 1, 0;
// CHECK: "llvm.nvvm.wgmma.commit_group.sync.aligned"
// CHECK: m64n16k16.f32.f16.f16 {{.*}}, db, 1, 1, 1, 1;
// CHECK: "llvm.nvvm.wgmma.commit_group.sync.aligned"
// CHECK: "wgmma.wait_group.sync.aligned 1;"
// CHECK: arith.truncf
// CHECK: cp.async.cg.shared.global.16.s
// CHECK: "llvm.nvvm.cp.async.commit.group"
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: scf.yield
// The last tile.
// CHECK: "llvm.nvvm.cp.async.wait.group"
// CHECK: m64n16k16.f32.f16.f16 {{.*}}, db, 1, 1, 1, 1;
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: scf.yield
tile.program @late(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %V: !tile.buf<k, e : f16>, %O: !tile.buf<q, e : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:64, d:16, f16>
    %zero = tile.splat 0.0 : !tile.tile<q:64, e:16, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 32 partial_step 32 iter(%carried = %zero) -> (!tile.tile<q:64, e:16, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:32, d:16, f16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:64, d:16, f16>, !tile.tile<k:32, d:16, f16>) -> !tile.tile<q:64, k:32, f32>
      %p = tile.map (%s) : (!tile.tile<q:64, k:32, f32>) -> !tile.tile<q:64, k:32, f16> {
      ^bb0(%x: f32):
        %0 = arith.truncf %x : f32 to f16
        tile.yield %0 : f16
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f16> -> !tile.tile<k:32, e:16, f16>
      %next = tile.dot (%p, %v) sum(k) acc(%carried) : (!tile.tile<q:64, k:32, f16>, !tile.tile<k:32, e:16, f16>) -> !tile.tile<q:64, e:16, f32>
      tile.yield %next : !tile.tile<q:64, e:16, f32>
    }
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:64, e:16, f32>, !tile.buf<q, e : f32>
  }
}

// Sums that the body reads elsewhere cannot be late.
// CHECK-LABEL: func.func @read$grid0(
// CHECK-NOT: wait_group.sync.aligned 1;
// CHECK: return
tile.program @read(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %V: !tile.buf<k, e : f16>, %O: !tile.buf<q, e : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:64, d:16, f16>
    %zero = tile.splat 0.0 : !tile.tile<q:64, e:16, f32>
    %rows = tile.splat 0.0 : !tile.tile<q:64, f32>
    %o:2 = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 32 partial_step 32 iter(%carried = %zero, %sum = %rows) -> (!tile.tile<q:64, e:16, f32>, !tile.tile<q:64, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:32, d:16, f16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:64, d:16, f16>, !tile.tile<k:32, d:16, f16>) -> !tile.tile<q:64, k:32, f32>
      %p = tile.map (%s) : (!tile.tile<q:64, k:32, f32>) -> !tile.tile<q:64, k:32, f16> {
      ^bb0(%x: f32):
        %0 = arith.truncf %x : f32 to f16
        tile.yield %0 : f16
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f16> -> !tile.tile<k:32, e:16, f16>
      %next = tile.dot (%p, %v) sum(k) acc(%carried) : (!tile.tile<q:64, k:32, f16>, !tile.tile<k:32, e:16, f16>) -> !tile.tile<q:64, e:16, f32>
      %total = tile.reduce add(%carried) over(e) init(%sum) : (!tile.tile<q:64, e:16, f32>) -> !tile.tile<q:64, f32>
      tile.yield %next, %total : !tile.tile<q:64, e:16, f32>, !tile.tile<q:64, f32>
    }
    tile.store %o#0, %O[%c0, %c0] : !tile.tile<q:64, e:16, f32>, !tile.buf<q, e : f32>
  }
}
