// With fast_exp, exp, exp2 and tanh of f32 are made of approximate instructions.
// RUN: split-file %s %t
// RUN: attnc-opt %t/fast.mlir --convert-tile-to-nvvm | FileCheck %s
// RUN: sed 's/fast_exp = true/fast_exp = false/' %t/fast.mlir | attnc-opt --convert-tile-to-nvvm | FileCheck %s --check-prefix=EXACT

// CHECK-LABEL: func.func @functions$grid0(
// CHECK:         %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK:         arith.mulf %[[P]], %{{.*}}
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"

// (1 - t) / (1 + t), and the series where that cancels.
// CHECK:         %[[SIZE:.*]] = math.absf %[[X:.*]] : f32
// CHECK:         %[[T:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK:         %[[SUM:.*]] = arith.addf %{{.*}}, %[[T]] : f32
// CHECK:         %[[INVERSE:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[SUM]])
// CHECK:         %[[REST:.*]] = arith.subf %{{.*}}, %[[T]] : f32
// CHECK:         %[[LARGE:.*]] = arith.mulf %[[REST]], %[[INVERSE]] : f32
// CHECK:         %[[SIGNED:.*]] = math.copysign %[[LARGE]], %[[X]] : f32
// CHECK-COUNT-4: math.fma
// CHECK:         arith.cmpf olt, %[[SIZE]], %{{.*}} : f32
// CHECK-NEXT:    arith.select %{{.*}}, %{{.*}}, %[[SIGNED]] : f32

// EXACT-NOT: approx
// EXACT: math.exp2
// EXACT-NOT: approx
// EXACT: math.exp
// EXACT-NOT: approx
// EXACT: math.tanh
// EXACT-NOT: approx

//--- fast.mlir
#gpu = #tile.nvptx<arch = sm_80, mapping = thread, warps = 1, rows = 32, stages = 1, fast_exp = true>
tile.program @functions(%X: !tile.buf<q : f32>, %Y: !tile.buf<q : f32>, %n: index) target #gpu {
  tile.grid (%i) to (%n) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%c0] : !tile.buf<q : f32> -> !tile.tile<q:32, f32>
    %y = tile.map (%x) : (!tile.tile<q:32, f32>) -> !tile.tile<q:32, f32> {
    ^bb0(%a: f32):
      %0 = math.exp2 %a : f32
      %1 = arith.mulf %0, %a : f32
      %2 = math.exp %1 : f32
      %3 = math.tanh %2 : f32
      tile.yield %3 : f32
    }
    tile.store %y, %Y[%c0] : !tile.tile<q:32, f32>, !tile.buf<q : f32>
  }
}
