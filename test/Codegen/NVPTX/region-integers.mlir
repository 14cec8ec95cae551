// Integers of regions that have 32 bits are computed in 32; compares of the places of
// columns are compares of constants; a table of columns is read once per warp.
// RUN: attnc-opt %s --convert-tile-to-nvvm=target=sm_80 | FileCheck %s

#gpu = #tile.nvptx<arch = sm_80, mapping = fragment, warps = 1, rows = 16, stages = 1, fast_exp = true>
// CHECK-LABEL: func.func @masks$grid0(
// A table of rows: an index of 32 bits is clamped to the axis, whose end has 32 bits,
// too.
// CHECK: %[[LAST:.*]] = arith.minsi %{{.*}}, %c2147483647{{[_0-9]*}} : index
// CHECK: %[[END:.*]] = arith.index_cast %[[LAST]] : index to i32
// CHECK: %[[AT:.*]] = arith.minsi %{{.*}}, %[[END]] : i32
// CHECK: %[[PLACE:.*]] = arith.maxsi %[[AT]], %{{.*}} : i32
// CHECK: arith.index_castui %[[PLACE]] : i32 to index
// A table of columns: two elements of 64 for each lane, of partial tiles alone.
// CHECK: %[[IDS:.*]]:2 = scf.if %{{.*}} -> (i32, i32) {
// CHECK: scf.if %{{.*}} -> (i32, i32) {
// CHECK-COUNT-2: llvm.load
// CHECK-NOT: llvm.load
// CHECK: scf.if %{{.*}} -> (f32
// Column 1 of the thread comes from its lane, once for both rows.
// CHECK: "llvm.nvvm.shfl.sync.idx.i32"
// CHECK: %[[FROM:.*]] = arith.addi %{{.*}}, %c1{{[_0-9]*}} : index
// CHECK: %[[LANE:.*]] = arith.index_cast %[[FROM]] : index to i32
// CHECK: "llvm.nvvm.shfl.sync.idx.i32"(%{{[^,]*}}, %[[IDS]]#0, %[[LANE]],
// key <= row: 1 <= row - (key of column 0), for the second row -7 <= the same.
// CHECK: %[[LIMIT:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: arith.cmpi sge, %[[LIMIT]], %c1_i32{{[_0-9]*}} : i32
// CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK-NOT: shfl
// CHECK: arith.cmpi sge, %{{.*}}, %c-7_i32{{[_0-9]*}} : i32
// The other columns; from 32 on they are in the second register.
// CHECK-COUNT-6: "llvm.nvvm.shfl.sync.idx.i32"(%{{[^,]*}}, %[[IDS]]#0,
// CHECK-COUNT-8: "llvm.nvvm.shfl.sync.idx.i32"(%{{[^,]*}}, %[[IDS]]#1,
// CHECK-NOT: shfl
tile.program @masks(%S: !tile.buf<q, k : f32>, %T: !tile.buf<a0 : i32>, %D: !tile.buf<a0 : i64>, %O: !tile.buf<q, k : f32>, %n: index, %far: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %p = arith.cmpi slt, %i, %far : index
    %s = tile.load %S[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:64, f32>
    %own = tile.map() at(q = %i) : () -> !tile.tile<q:16, index> {
    ^bb0(%row: index):
      %x = tile.read %T[%row] : !tile.buf<a0 : i32> -> index
      tile.yield %x : index
    }
    %ids = tile.map() at(k = %i) : () -> !tile.tile<k:64, index> {
    ^bb0(%key: index):
      %x = tile.read %T[%key] : !tile.buf<a0 : i32> -> index
      tile.yield %x : index
    }
    %m = tile.select_masked %s with(%own, %ids : !tile.tile<q:16, index>, !tile.tile<k:64, index>) at(q = %i, k = %i) when %p fill -inf : !tile.tile<q:16, k:64, f32> {
    ^bb0(%a: index, %b: index, %row: index, %key: index):
      %seen = arith.cmpi sle, %key, %row : index
      %same = arith.cmpi eq, %a, %b : index
      %both = arith.andi %seen, %same : i1
      tile.yield %both : i1
    }
    tile.store %m, %O[%c0, %c0] : !tile.tile<q:16, k:64, f32>, !tile.buf<q, k : f32>
  }
}

// What may have more than 32 bits is compared in 64: a table of i64, and sums that may
// exceed 2^31. A limit of columns is moved to 2^28, which no constant reaches.
// CHECK-LABEL: func.func @wide$grid0(
// CHECK: scf.if %{{.*}} -> (f32
// CHECK: %[[FAR:.*]] = arith.minsi %{{.*}}, %c268435456{{[_0-9]*}} : index
// CHECK: %[[NEAR:.*]] = arith.maxsi %[[FAR]], %c-268435456{{[_0-9]*}} : index
// CHECK: %[[LIMIT:.*]] = arith.index_cast %[[NEAR]] : index to i32
// CHECK: arith.cmpi sge, %[[LIMIT]], %{{.*}} : i32
// CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : index
tile.program @wide(%S: !tile.buf<q, k : f32>, %D: !tile.buf<a0 : i64>, %O: !tile.buf<q, k : f32>, %n: index, %far: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %p = arith.cmpi slt, %i, %far : index
    %s = tile.load %S[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:64, f32>
    %ids = tile.map() at(k = %i) : () -> !tile.tile<k:64, index> {
    ^bb0(%key: index):
      %x = tile.read %D[%key] : !tile.buf<a0 : i64> -> index
      tile.yield %x : index
    }
    %m = tile.select_masked %s with(%ids : !tile.tile<k:64, index>) at(q = %i, k = %i) when %p fill -inf : !tile.tile<q:16, k:64, f32> {
    ^bb0(%id: index, %row: index, %key: index):
      %end = arith.addi %row, %far : index
      %seen = arith.cmpi sle, %key, %end : index
      %same = arith.cmpi eq, %id, %far : index
      %both = arith.andi %seen, %same : i1
      tile.yield %both : i1
    }
    tile.store %m, %O[%c0, %c0] : !tile.tile<q:16, k:64, f32>, !tile.buf<q, k : f32>
  }
}

// Constants of more than 32 bits are compared in 64, and sums of them wrap as they do
// elsewhere.
// CHECK-LABEL: func.func @far_constants$grid0(
// CHECK: scf.if %{{.*}} -> (f32
// CHECK: arith.cmpi sle, %{{.*}}, %c-9223372036854775808{{[_0-9]*}} : index
// CHECK: arith.cmpi sge, %{{.*}}, %c-9223372036854775808{{[_0-9]*}} : index
tile.program @far_constants(%S: !tile.buf<q, k : f32>, %O: !tile.buf<q, k : f32>, %n: index, %far: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %p = arith.cmpi slt, %i, %far : index
    %s = tile.load %S[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:64, f32>
    %m = tile.select_masked %s at(q = %i, k = %i) when %p fill -inf : !tile.tile<q:16, k:64, f32> {
    ^bb0(%row: index, %key: index):
      %least = arith.constant -9223372036854775808 : index
      %never = arith.cmpi sle, %key, %least : index
      %half = arith.constant 4611686018427387904 : index
      %one = arith.addi %key, %half : index
      %two = arith.addi %one, %half : index
      %back = arith.cmpi sge, %two, %least : index
      %both = arith.andi %never, %back : i1
      tile.yield %both : i1
    }
    tile.store %m, %O[%c0, %c0] : !tile.tile<q:16, k:64, f32>, !tile.buf<q, k : f32>
  }
}

// The least of a table from its first to its last place: 2^31 of them are counted
// without a sign.
// CHECK-LABEL: func.func @table_end$grid0(
// CHECK: %[[COUNT:.*]] = arith.addi %{{.*}}, %c1_i32{{[_0-9]*}} : i32
// CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %[[COUNT]] step %{{.*}} : i32 {
tile.program @table_end(%T: !tile.buf<a0 : i8>, %S: !tile.buf<q, k : f32>, %O: !tile.buf<q, k : f32>, %n: index, %far: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %least = tile.table_min %T[%c0] to [%far] : !tile.buf<a0 : i8>
    %s = tile.load %S[%least, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:64, f32>
    tile.store %s, %O[%c0, %c0] : !tile.tile<q:16, k:64, f32>, !tile.buf<q, k : f32>
  }
}
