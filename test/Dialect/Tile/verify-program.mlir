// A complete stage passes unchanged.
// RUN: attnc-opt %s --tile-verify-program | FileCheck %s

// CHECK-LABEL: tile.program @good
// Without attnc.interface only the form of programs is checked.
tile.program @good(%x: !tile.buf<q : f32>, %y: !tile.buf<q : f32>, %n: index) target #tile.none {
  %c1 = arith.constant 1 : index
  %m = arith.addi %n, %c1 : index
  tile.grid (%i) to (%m) {
    %t = tile.load %x[%i] valid(q = %c1) : !tile.buf<q : f32> -> !tile.tile<q:1, f32>
    %given = tile.present %y : !tile.buf<q : f32>
    scf.if %given {
      tile.store %t, %y[%i] : !tile.tile<q:1, f32>, !tile.buf<q : f32>
    }
  }
}
