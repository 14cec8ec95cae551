// Four warps copy keys and values for the others, with two mbarriers for each
// buffer. Registers move from them to the others, and warpgroups take turns.
// RUN: attnc-opt %s --convert-tile-to-nvvm=target=sm_90a | FileCheck %s

#gpu = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 8, rows = 16, stages = 2, fast_exp = true, overlap = true, producers = true, ping_pong = true>

// Each warp of a consumer arrives at the mbarrier of an empty buffer, each
// thread of the two warps of a producer at that of a full one.
// CHECK-LABEL: func.func @roles$grid0(
// CHECK-SAME: ["nvvm.maxntid", "384"]
// CHECK: %[[PRODUCERS:.*]] = arith.constant 64 : i32
// CHECK: "llvm.nvvm.mbarrier.init.shared"(%{{.*}}, %[[PRODUCERS]])
// CHECK: %[[WARPS:.*]] = arith.constant 8 : i32
// CHECK: "llvm.nvvm.mbarrier.init.shared"(%{{.*}}, %[[WARPS]])
// CHECK: "llvm.nvvm.fence.mbarrier_init.release.cluster"
// CHECK: "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK: scf.if

// Consumers. The last warpgroup gives the first one its turn.
// CHECK: %[[MORE:.*]] = arith.constant 224 : i32
// CHECK: "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32"(%[[MORE]])
// CHECK-NOT: cp.async
// CHECK: "llvm.nvvm.barrier.cta.sync.aligned.count"
// CHECK: "llvm.nvvm.barrier.cta.arrive.aligned.count"
// The first tile.
// CHECK: mbarrier.try_wait.parity
// CHECK: "llvm.nvvm.barrier.cta.sync.aligned.count"
// CHECK: m64n32k16
// CHECK: "llvm.nvvm.barrier.cta.arrive.aligned.count"
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: scf.for
// CHECK-NOT: barrier.cta.sync.aligned.all
// CHECK: "llvm.nvvm.barrier.cta.sync.aligned.count"
// CHECK: m64n32k16
// CHECK: mbarrier.try_wait.parity
// CHECK: m64n16k16
// CHECK: "llvm.nvvm.barrier.cta.arrive.aligned.count"
// CHECK: "wgmma.wait_group.sync.aligned 1;"
// CHECK: "llvm.nvvm.mbarrier.arrive.shared"
// CHECK: arith.truncf
// The next keys, before the wait for the values.
// CHECK: mbarrier.try_wait.parity
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: "llvm.nvvm.mbarrier.arrive.shared"
// CHECK: scf.yield
// The last product, then partial tiles.
// CHECK: m64n16k16
// CHECK: "llvm.nvvm.barrier.cta.sync.aligned.count"
// CHECK: scf.for
// CHECK: mbarrier.try_wait.parity
// CHECK: m64n32k16
// CHECK: mbarrier.try_wait.parity
// CHECK: m64n16k16
// CHECK: "llvm.nvvm.mbarrier.arrive.shared"
// CHECK-NOT: cp.async
// CHECK: } else {

// Producers: full and partial tiles in one loop of each two warps.
// CHECK: %[[FEWER:.*]] = arith.constant 56 : i32
// CHECK: "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32"(%[[FEWER]])
// CHECK-NOT: wgmma
// CHECK: scf.for
// CHECK: mbarrier.try_wait.parity
// CHECK: cp.async.cg.shared.global.16.s
// CHECK: "llvm.nvvm.cp.async.wait.all"
// CHECK: fence.proxy.async
// CHECK: "llvm.nvvm.mbarrier.arrive.shared"
// CHECK: scf.for
// CHECK: mbarrier.try_wait.parity
// CHECK: cp.async.cg.shared.global.16.s
// CHECK: "llvm.nvvm.cp.async.wait.all"
// CHECK: fence.proxy.async
// CHECK: "llvm.nvvm.mbarrier.arrive.shared"
// CHECK-NOT: wgmma
// CHECK: return
tile.program @roles(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %V: !tile.buf<k, e : f16>, %O: !tile.buf<q, e : f32>, %n: index, %all: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:128, d:16, f16>
    %zero = tile.splat 0.0 : !tile.tile<q:128, e:16, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %all, %n)] step 32 partial_step 32 iter(%carried = %zero) -> (!tile.tile<q:128, e:16, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:32, d:16, f16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:128, d:16, f16>, !tile.tile<k:32, d:16, f16>) -> !tile.tile<q:128, k:32, f32>
      %p = tile.map (%s) : (!tile.tile<q:128, k:32, f32>) -> !tile.tile<q:128, k:32, f16> {
      ^bb0(%x: f32):
        %0 = arith.truncf %x : f32 to f16
        tile.yield %0 : f16
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f16> -> !tile.tile<k:32, e:16, f16>
      %next = tile.dot (%p, %v) sum(k) acc(%carried) : (!tile.tile<q:128, k:32, f16>, !tile.tile<k:32, e:16, f16>) -> !tile.tile<q:128, e:16, f32>
      tile.yield %next : !tile.tile<q:128, e:16, f32>
    }
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:128, e:16, f32>, !tile.buf<q, e : f32>
  }
}

// Loads of one loop are copied by all four warps. A loop below a test of a tile
// is one of the consumers alone, who copy what it reads.
#one = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 4, rows = 16, stages = 2, fast_exp = true, producers = true>

// CHECK-LABEL: func.func @below_a_test$grid0(
// CHECK: arith.constant 128 : i32
// CHECK: "llvm.nvvm.mbarrier.init.shared"
// CHECK-NOT: setmaxnreg
// CHECK: mbarrier.try_wait.parity
// CHECK: m64n32k16
// CHECK: "llvm.nvvm.vote.any.sync"
// CHECK: cp.async.cg.shared.global.16.s
// CHECK: "llvm.nvvm.barrier.cta.sync.aligned.count"
// CHECK: m64n32k16
// Producers count tiles in 32 bits.
// CHECK: scf.for {{.*}} : i32 {
// CHECK-NOT: m64n32k16
// CHECK: cp.async.cg.shared.global.16.s
// CHECK-NOT: m64n32k16
// CHECK: return
tile.program @below_a_test(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %S: !tile.buf<q, k : f32>, %n: index) target #one {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:64, d:16, f16>
    %zero = tile.splat 0.0 : !tile.tile<q:64, k:32, f32>
    %s = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 32 partial_step 32 iter(%carried = %zero) -> (!tile.tile<q:64, k:32, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:32, d:16, f16>
      %next = tile.dot (%q, %k) sum(d) acc(%carried) : (!tile.tile<q:64, d:16, f16>, !tile.tile<k:32, d:16, f16>) -> !tile.tile<q:64, k:32, f32>
      tile.yield %next : !tile.tile<q:64, k:32, f32>
    }
    %bad = tile.any_nan %s : !tile.tile<q:64, k:32, f32>
    %t = scf.if %bad -> !tile.tile<q:64, k:32, f32> {
      %again = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 32 partial_step 32 iter(%carried = %zero) -> (!tile.tile<q:64, k:32, f32>) {
        %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:32, d:16, f16>
        %next = tile.dot (%q, %k) sum(d) acc(%carried) : (!tile.tile<q:64, d:16, f16>, !tile.tile<k:32, d:16, f16>) -> !tile.tile<q:64, k:32, f32>
        tile.yield %next : !tile.tile<q:64, k:32, f32>
      }
      scf.yield %again : !tile.tile<q:64, k:32, f32>
    } else {
      scf.yield %s : !tile.tile<q:64, k:32, f32>
    }
    tile.store %t, %S[%c0, %c0] : !tile.tile<q:64, k:32, f32>, !tile.buf<q, k : f32>
  }
}

// What the bounds of a loop come from is computed once, before the roles part. They
// have 32 bits there, and what consumers and producers compute of them, too.
// CHECK-LABEL: func.func @bounds$grid0(
// CHECK: iter_args({{.*}}, %{{.*}} = %c1073741824_i32) -> (i32, i32)  : i32 {
// CHECK: llvm.load {{.*}} -> i32
// CHECK: %[[BELOW:.*]] = arith.minsi %{{.*}}, %c2147483647{{[_0-9]*}} : index
// CHECK: arith.index_cast %[[BELOW]] : index to i32
// CHECK: mbarrier.init.shared
// CHECK-NOT: c1073741824
// CHECK-NOT: c2147483647
// CHECK: arith.subi {{.*}} : i32
// CHECK: arith.shrsi {{.*}} : i32
// CHECK: m64n32k16
// CHECK-NOT: c1073741824
// CHECK-NOT: c2147483647
// CHECK: arith.shrsi {{.*}} : i32
// CHECK: cp.async.cg.shared.global.16.s
tile.program @bounds(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %T: !tile.buf<a0 : i32>, %S: !tile.buf<q, k : f32>, %n: index) target #one {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %low = tile.lower_bound %T[], %i : !tile.buf<a0 : i32>
    %high = arith.addi %i, %n : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:64, d:16, f16>
    %zero = tile.splat 0.0 : !tile.tile<q:64, k:32, f32>
    %s = tile.for (%k0, %nk, %partial) in [(%low, %low, %high, %high)] step 32 partial_step 32 iter(%carried = %zero) -> (!tile.tile<q:64, k:32, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:32, d:16, f16>
      %next = tile.dot (%q, %k) sum(d) acc(%carried) : (!tile.tile<q:64, d:16, f16>, !tile.tile<k:32, d:16, f16>) -> !tile.tile<q:64, k:32, f32>
      tile.yield %next : !tile.tile<q:64, k:32, f32>
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:64, k:32, f32>, !tile.buf<q, k : f32>
  }
}
