// Full and partial tiles are in one loop of the consumers, so that the product
// of the values of each tile is late, those at the edges of a mask, too.
// RUN: attnc-opt %s --convert-tile-to-nvvm=target=sm_90a | FileCheck %s

#gpu = #tile.nvptx<arch = sm_90a, mapping = warpgroup, warps = 8, rows = 16, stages = 2, fast_exp = true, overlap = true, producers = true, ping_pong = true, loads = tma>

// The first tile, whatever it is, then one loop over all others: two products
// of scores are there, no third one for partial tiles.
// CHECK-LABEL: func.func @edges$grid0(
// CHECK: setmaxnreg.inc
// CHECK: m64n32k16
// CHECK: scf.for %{{.*}} = %c1{{[_0-9]*}} to
// Which tile it is says where its keys are and whether it is masked: before the
// full tiles, after them.
// CHECK: %[[AFTER:.*]] = arith.select %{{.*}}, %false{{[_0-9]*}}, %true{{[_0-9]*}} : i1
// CHECK: %[[PARTIAL:.*]] = arith.select %{{.*}}, %true{{[_0-9]*}}, %[[AFTER]] : i1
// CHECK: m64n32k16
// CHECK: m64n16k16
// CHECK: "llvm.nvvm.barrier.cta.arrive.aligned.count"
// CHECK: "wgmma.wait_group.sync.aligned 1;"
// CHECK: scf.if %[[PARTIAL]] -> (f32
// CHECK: arith.cmpi {{.*}} : index
// CHECK: arith.truncf
// All warpgroups clear rows of values that are not valid, after their turns:
// once the values of the tile before have been multiplied.
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: scf.if
// CHECK: mbarrier.try_wait.parity
// CHECK: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK: fence.proxy.async
// CHECK: "llvm.nvvm.barrier.cta.sync.aligned.count"
// CHECK: scf.yield
// The last product.
// CHECK: m64n16k16
// CHECK-NOT: m64n32k16
// CHECK: setmaxnreg.dec
tile.program @edges(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %V: !tile.buf<k, e : f16>, %O: !tile.buf<q, e : f32>, %n: index, %low: index, %high: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:128, d:16, f16>
    %zero = tile.splat 0.0 : !tile.tile<q:128, e:16, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %low, %high, %n)] step 32 partial_step 32 iter(%carried = %zero) -> (!tile.tile<q:128, e:16, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:32, d:16, f16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:128, d:16, f16>, !tile.tile<k:32, d:16, f16>) -> !tile.tile<q:128, k:32, f32>
      %m = tile.select_masked %s at(k = %k0) valid(k = %nk) when %partial fill 0.0 : !tile.tile<q:128, k:32, f32> {
      ^bb0(%key: index):
        %seen = arith.cmpi slt, %key, %i : index
        tile.yield %seen : i1
      }
      %p = tile.map (%m) : (!tile.tile<q:128, k:32, f32>) -> !tile.tile<q:128, k:32, f16> {
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

// `classify` leaves tiles out: those that may be partial have a loop after that
// of the full ones, with products of their own.
// CHECK-LABEL: func.func @classified$grid0(
// CHECK: setmaxnreg.inc
// CHECK-COUNT-3: m64n32k16
// CHECK-NOT: m64n32k16
// CHECK: setmaxnreg.dec
tile.program @classified(%Q: !tile.buf<q, d : f16>, %K: !tile.buf<k, d : f16>, %V: !tile.buf<k, e : f16>, %O: !tile.buf<q, e : f32>, %n: index, %low: index, %high: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f16> -> !tile.tile<q:128, d:16, f16>
    %zero = tile.splat 0.0 : !tile.tile<q:128, e:16, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %low, %high, %n)] step 32 partial_step 32 iter(%carried = %zero) -> (!tile.tile<q:128, e:16, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f16> -> !tile.tile<k:32, d:16, f16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:128, d:16, f16>, !tile.tile<k:32, d:16, f16>) -> !tile.tile<q:128, k:32, f32>
      %m = tile.select_masked %s at(k = %k0) valid(k = %nk) when %partial fill 0.0 : !tile.tile<q:128, k:32, f32> {
      ^bb0(%key: index):
        %seen = arith.cmpi slt, %key, %i : index
        tile.yield %seen : i1
      }
      %p = tile.map (%m) : (!tile.tile<q:128, k:32, f32>) -> !tile.tile<q:128, k:32, f16> {
      ^bb0(%x: f32):
        %0 = arith.truncf %x : f32 to f16
        tile.yield %0 : f16
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f16> -> !tile.tile<k:32, e:16, f16>
      %next = tile.dot (%p, %v) sum(k) acc(%carried) : (!tile.tile<q:128, k:32, f16>, !tile.tile<k:32, e:16, f16>) -> !tile.tile<q:128, e:16, f32>
      tile.yield %next : !tile.tile<q:128, e:16, f32>
    } classify (%first, %end) {
      %c1 = arith.constant 1 : index
      tile.yield %c1 : index
    }
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:128, e:16, f32>, !tile.buf<q, e : f32>
  }
}
