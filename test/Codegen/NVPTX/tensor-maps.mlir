// One thread copies keys and values as boxes of tensors, whose maps the host
// makes for each call; a second kernel is for tensors that have no maps.
// RUN: attnc-opt %s --convert-tile-to-nvvm=target=sm_90a | FileCheck %s

#gpu = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 8, rows = 16, stages = 2, fast_exp = true, overlap = true, producers = true, ping_pong = true, loads = tma>

// CHECK-LABEL: func.func @roles.grid0.tasks

// The maps are the last parameters. One arrival and the bytes complete a phase.
// CHECK-LABEL: func.func @roles$grid0(
// CHECK-SAME: %[[K_MAP:[a-z0-9]*]]: !llvm.ptr, %[[V_MAP:[a-z0-9]*]]: !llvm.ptr)
// CHECK-SAME: ["attnc.maps", "2"], ["attnc.otherwise", "roles$grid0$async"]
// CHECK: "llvm.nvvm.mbarrier.init.shared"(%{{.*}}, %c1_i32{{[_0-9]*}})
// CHECK: "llvm.nvvm.prefetch.tensormap"(%[[K_MAP]])
// CHECK: "llvm.nvvm.prefetch.tensormap"(%[[V_MAP]])

// Consumers get what producers need no more. They clear rows of partial tiles
// that are not valid, before the end of the tensor.
// CHECK: %[[MORE:.*]] = arith.constant 240 : i32
// CHECK: "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32"(%[[MORE]])
// CHECK: m64n32k16
// CHECK: "wgmma.wait_group.sync.aligned 1;"
// CHECK-NOT: vector<4xi32>
// CHECK: scf.yield
// CHECK: mbarrier.try_wait.parity
// CHECK: scf.if
// CHECK: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK: fence.proxy.async
// CHECK: "llvm.nvvm.barrier.cta.sync.aligned.count"
// CHECK: m64n32k16

// A warp for each load; 80 columns are five panels of 32 bytes.
// CHECK: %[[FEWER:.*]] = arith.constant 24 : i32
// CHECK: "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32"(%[[FEWER]])
// CHECK-NOT: cp.async.cg
// CHECK: mbarrier.try_wait.parity
// CHECK: scf.if
// CHECK: %[[BYTES:.*]] = arith.constant 4096 : i32
// CHECK: "llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta"(%[[FULL:.*]], %[[BYTES]])
// CHECK: %[[TO:.*]] = llvm.addrspacecast %{{.*}} : !llvm.ptr<3> to !llvm.ptr<7>
// CHECK: "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.3d"(%[[TO]], %[[FULL]], %[[K_MAP]],
// CHECK-NOT: cp.async
// CHECK: mbarrier.try_wait.parity
// CHECK: arith.constant 5120 : i32
// CHECK-COUNT-5: "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d"(%{{.*}}, %{{.*}}, %[[V_MAP]],
// CHECK-NOT: cp.async
// CHECK: return

// Addresses and strides are multiples of 16 bytes, and the first axis is
// contiguous. Columns after the 72nd are zeros.
// CHECK-LABEL: func.func @roles.grid0.maps(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i64
// CHECK: arith.constant 15 : index
// CHECK: arith.andi
// CHECK: arith.constant 72 : i64

// CHECK-LABEL: func.func @roles$grid0$async(
// CHECK-NOT: attnc.maps
// CHECK: arith.constant 224 : i32
// CHECK-NOT: cp.async.bulk
// CHECK: cp.async.cg.shared.global.16
// CHECK-NOT: cp.async.bulk
tile.program @roles(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<h, k, d : f16>, %V: !tile.buf<k, e : f16>, %O: !tile.buf<q, e : f32>, %n: index, %all: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:128, d:64, f16>
    %zero = tile.splat 0.0 : !tile.tile<q:128, e:72, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %all, %n)] step 32 partial_step 32 iter(%carried = %zero) -> (!tile.tile<q:128, e:72, f32>) {
      %k = tile.load %K[%i, %k0, %c0] valid(k = %nk) : !tile.buf<h, k, d : f16> -> !tile.tile<k:32, d:64, f16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:128, d:64, f16>, !tile.tile<k:32, d:64, f16>) -> !tile.tile<q:128, k:32, f32>
      %p = tile.map (%s) : (!tile.tile<q:128, k:32, f32>) -> !tile.tile<q:128, k:32, f16> {
      ^bb0(%x: f32):
        %0 = arith.truncf %x : f32 to f16
        tile.yield %0 : f16
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f16> -> !tile.tile<k:32, e:72, f16>
      %next = tile.dot (%p, %v) sum(k) acc(%carried) : (!tile.tile<q:128, k:32, f16>, !tile.tile<k:32, e:72, f16>) -> !tile.tile<q:128, e:72, f32>
      tile.yield %next : !tile.tile<q:128, e:72, f32>
    }
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:128, e:72, f32>, !tile.buf<q, e : f32>
  }
}

// Where a tile begins is computed for each, in ragged storage from the first row
// of a sequence.
#plain = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 4, rows = 16, stages = 2, fast_exp = true, producers = true, loads = tma>

// CHECK-LABEL: func.func @ragged$grid0(
// CHECK: m64n32k16
// CHECK: scf.for {{.*}} : i32 {
// CHECK: arith.addi
// CHECK: %[[FIRST:.*]] = arith.addi
// CHECK: mbarrier.try_wait
// CHECK: %[[ROW:.*]] = arith.index_cast %[[FIRST]] : index to i32
// CHECK: "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[ROW]],
// CHECK-LABEL: func.func @ragged$grid0$async(
tile.program @ragged(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %S: !tile.buf<q, k : f32>, %n: index, %first: index) target #plain {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:64, d:16, f16>
    %zero = tile.splat 0.0 : !tile.tile<q:64, k:32, f32>
    %s = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %n, %n)] step 32 partial_step 32 iter(%carried = %zero) -> (!tile.tile<q:64, k:32, f32>) {
      %row = arith.addi %first, %k0 : index
      %k = tile.load %K[%row, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:32, d:16, f16>
      %next = tile.dot (%q, %k) sum(d) acc(%carried) : (!tile.tile<q:64, d:16, f16>, !tile.tile<k:32, d:16, f16>) -> !tile.tile<q:64, k:32, f32>
      tile.yield %next : !tile.tile<q:64, k:32, f32>
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:64, k:32, f32>, !tile.buf<q, k : f32>
  }
}
