// Scans of parts of tables are loops over clamped places, by vectors where entries
// lie side by side; a row that never decreases is searched in 31 steps, whatever its
// length.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = true, pack = never>

// CHECK-LABEL: func.func @classes.grid0.body(
// The least entry of the block:
// CHECK:         %[[ONE:.*]] = arith.cmpi eq, %{{.*}}, %c1
// CHECK:         %[[MANY:.*]] = arith.cmpi sge, %{{.*}}, %c16
// CHECK:         %[[DENSE:.*]] = arith.andi %[[ONE]], %[[MANY]]
// CHECK:         scf.if %[[DENSE]] -> (index) {
// CHECK:           %[[LAST:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xi32>
// CHECK:           %[[BEST:.*]] = scf.for {{.*}} step %c16 iter_args(%{{.*}} = %[[LAST]]) -> (vector<16xi32>) {
// CHECK:             arith.minsi {{.*}} : vector<16xi32>
// CHECK:           vector.reduction <minsi>, %[[BEST]] : vector<16xi32> into i32
// CHECK:         } else {
// CHECK:           scf.for {{.*}} iter_args(%{{.*}}) -> (index) {
// CHECK:             llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK:           arith.minsi
// The place of a value:
// CHECK:         scf.for {{.*}} to %c31 step %c1 iter_args(%{{.*}}, %{{.*}}) -> (index, index) {
// One loop over full tiles and pieces, for the head and for the rest; a piece is
// asked for its class.
// CHECK:         scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK:         scf.for %[[N:.*]] =
// CHECK:           %[[KNOWN:.*]] = arith.cmpi slt, %[[N]], %{{.*}} : index
// CHECK:           %[[CLASS:.*]] = scf.if %[[KNOWN]] -> (index) {
// CHECK:             scf.yield %c2
// CHECK:           } else {
// CHECK:             arith.maxsi
// CHECK:           %[[IS2:.*]] = arith.cmpi eq, %[[CLASS]], %c2
// CHECK:           scf.if %{{.*}} {
// CHECK:           } else {
// CHECK:             scf.for
// CHECK:               scf.if
tile.program @classes(%t: !tile.buf<a0 : i32>, %m: !tile.buf<q : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c7 = arith.constant 7 : index
    %least = tile.table_min %t[%c0] to [%c7] : !tile.buf<a0 : i32>
    %lo = tile.lower_bound %t[], %least : !tile.buf<a0 : i32>
    %m0 = tile.splat -inf : !tile.tile<q:16, f32>
    %s = tile.splat 1.0 : !tile.tile<q:16, k:8, f32>
    %mx = tile.for (%k0, %nk, %partial) in [(%c0, %lo, %n, %n)] step 8 partial_step 4 iter(%mi = %m0) -> (!tile.tile<q:16, f32>) {
      %x = tile.select_masked %s at(q = %c0, k = %k0) valid(k = %nk) when %partial fill -inf : !tile.tile<q:16, k:8, f32> {
      ^bb0(%q: index, %k: index):
        %c = arith.cmpi sle, %k, %q : index
        tile.yield %c : i1
      }
      %mn = tile.reduce max (%x) over(k) init(%mi) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, f32>
      tile.yield %mn : !tile.tile<q:16, f32>
    } classify (%a, %b) {
      %z = tile.table_max %t[%a] to [%b] : !tile.buf<a0 : i32>
      %full = arith.cmpi sge, %z, %least : index
      %class = arith.select %full, %c2, %c0 : index
      tile.yield %class : index
    }
    tile.store %mx, %m[%c0] valid(q = %n) : !tile.tile<q:16, f32>, !tile.buf<q : f32>
  }
}
