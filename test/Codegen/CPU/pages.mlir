// Rows of keys in pages: read in place if one page holds the tile and pack says
// nothing else, else copied page by page.
// RUN: attnc-opt %s --convert-tile-to-llvm | FileCheck %s

// CHECK-LABEL: func.func @paged.grid0.body(
// The table is looked at for the first page.
// CHECK: arith.shrsi %{{.*}}, %c4
// In place only if the tile ends within the page and the page exists.
// CHECK: arith.cmpi sle, %{{.*}}, %c16
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK: arith.cmpi sge, %[[PAGE:.*]], %c0
// CHECK: arith.cmpi slt, %[[PAGE]],
// CHECK: scf.if
// One look at the table for each page that the tile touches.
// CHECK: %[[FIRST:.*]] = arith.shrsi %{{.*}}, %c4
// CHECK: scf.for %[[NUMBER:[a-z0-9]+]] = %[[FIRST]] to
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK: %[[EXISTS:.*]] = arith.andi
// CHECK: arith.muli %[[NUMBER]], %c16
// CHECK: scf.for
// CHECK: scf.if %[[EXISTS]] {
// CHECK: vector<8xf32>
// A page that is not there gives zeros.
// CHECK: } else {
// CHECK: llvm.store %cst{{[_0-9]*}}, %{{.*}} : f32, !llvm.ptr
tile.program @paged(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<p, k, d : f32>, %table: !tile.buf<a0 : i32>, %S: !tile.buf<q, k : f32>, %query_len: index, %kv_len: index) target #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 8, lane_skip = false, pack = auto, partial = 8> {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] valid(q = %query_len) : !tile.buf<q, d : f32> -> !tile.tile<q:8, d:8, f32>
    tile.for (%k0, %nk, %partial) in [(%c0, %c0, %kv_len, %kv_len)] step 24 partial_step 8 {
      %k = tile.load %K[%c0, %k0, %c0] valid(k = %nk) through(%table[] step 16 : !tile.buf<a0 : i32>) : !tile.buf<p, k, d : f32> -> !tile.tile<k:24, d:8, f32>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:8, d:8, f32>, !tile.tile<k:24, d:8, f32>) -> !tile.tile<q:8, k:24, f32>
      tile.store %s, %S[%c0, %k0] valid(q = %query_len, k = %nk) : !tile.tile<q:8, k:24, f32>, !tile.buf<q, k : f32>
      tile.yield
    }
  }
}

// The block's sequence is found by halving the range.
// CHECK-LABEL: func.func @located.grid0.body(
// CHECK: llvm.intr.ctlz
// CHECK: scf.for
// CHECK: arith.select
// CHECK: arith.select
tile.program @located(%x: !tile.buf<q : f32>, %y: !tile.buf<q : f32>, %start: !tile.buf<a0 : i32>, %n: index) target #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 8, lane_skip = false, pack = auto, partial = 8> {
  tile.grid (%j) to (%n) {
    %b, %i = tile.locate %j in %start step 8 : !tile.buf<a0 : i32>
    %begin = tile.read %start[%b] : !tile.buf<a0 : i32> -> index
    %c8 = arith.constant 8 : index
    %q = arith.muli %i, %c8 : index
    %first = arith.addi %begin, %q : index
    %0 = tile.load %x[%first] valid(q = %c8) : !tile.buf<q : f32> -> !tile.tile<q:8, f32>
    tile.store %0, %y[%first] valid(q = %c8) : !tile.tile<q:8, f32>, !tile.buf<q : f32>
  }
}
