// A panel is operand B of the matrix unit in place: registers are loaded at the
// stride of its pairs; another order of its axes is copied first.
// RUN: attnc-opt %s --split-input-file --verify-diagnostics --convert-tile-to-llvm | FileCheck %s

// CHECK-LABEL: func.func @panel.grid0.body(
// CHECK:         %[[LANES:.*]] = arith.cmpi eq, %{{.*}}, %c2 : index
// CHECK:         %[[PARTS:.*]] = arith.cmpi eq, %{{.*}}, %c1 : index
// CHECK:         %[[IN_PLACE:.*]] = arith.andi %[[LANES]], %[[PARTS]] : i1
// CHECK:         scf.if %[[IN_PLACE]] {
// CHECK-NEXT:    } else {
// CHECK:           llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK:         %[[FROM:.*]] = arith.select %[[IN_PLACE]], %{{.*}}, %{{.*}} : !llvm.ptr
// CHECK:         %[[B:.*]] = llvm.getelementptr %[[FROM]]
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%{{.*}}, %[[B]],
tile.program @panel(%x: !tile.buf<e, k : bf16>, %w: !tile.buf<a0, a1, a2, a3 : bf16>, %y: !tile.buf<e, q : f32>, %n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 2], value_granule = [6, 2], unroll = 4, tail = 0, lane_skip = false, pack = never, unit = matrix> {
  %p = tile.rename %w merge("k", "c" by 2) : !tile.buf<a0, a1, a2, a3 : bf16> -> !tile.buf<n, k, q, c : bf16>
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  tile.grid (%i) to (%c3) {
    %c32 = arith.constant 32 : index
    %q0 = arith.muli %i, %c32 : index
    %a = tile.load %p[%i, %c0, %c0, %c0] : !tile.buf<n, k, q, c : bf16> -> !tile.tile<q:32, k:64, bf16>
    %b = tile.load %x[%c0, %c0] valid(e = %n) : !tile.buf<e, k : bf16> -> !tile.tile<e:32, k:64, bf16>
    %s = tile.dot(%a, %b) sum(k) : (!tile.tile<q:32, k:64, bf16>, !tile.tile<e:32, k:64, bf16>) -> !tile.tile<q:32, e:32, f32>
    tile.store %s, %y[%c0, %q0] valid(e = %n) : !tile.tile<q:32, e:32, f32>, !tile.buf<e, q : f32>
  }
}

// -----

tile.program @needs_unit(%x: !tile.buf<e, k : bf16>, %w: !tile.buf<a0, a1, a2, a3 : bf16>, %y: !tile.buf<e, q : f32>, %n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 2], value_granule = [6, 2], unroll = 4, tail = 0, lane_skip = false, pack = never> {
  %p = tile.rename %w merge("k", "c" by 2) : !tile.buf<a0, a1, a2, a3 : bf16> -> !tile.buf<n, k, q, c : bf16>
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  tile.grid (%i) to (%c3) {
    %c32 = arith.constant 32 : index
    %q0 = arith.muli %i, %c32 : index
    // expected-error@+1 {{reads a panel of pairs, which only products on the matrix unit can; use unit = matrix}}
    %a = tile.load %p[%i, %c0, %c0, %c0] : !tile.buf<n, k, q, c : bf16> -> !tile.tile<q:32, k:64, bf16>
    %b = tile.load %x[%c0, %c0] valid(e = %n) : !tile.buf<e, k : bf16> -> !tile.tile<e:32, k:64, bf16>
    %s = tile.dot(%a, %b) sum(k) : (!tile.tile<q:32, k:64, bf16>, !tile.tile<e:32, k:64, bf16>) -> !tile.tile<q:32, e:32, f32>
    tile.store %s, %y[%c0, %q0] valid(e = %n) : !tile.tile<q:32, e:32, f32>, !tile.buf<e, q : f32>
  }
}
