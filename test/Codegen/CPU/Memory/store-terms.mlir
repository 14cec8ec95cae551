// Pairs of bf16 that a map rounds in a mode of its own.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse -o %t.mlir && FileCheck %s --input-file %t.mlir

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 1, tail = 0, lane_skip = false, pack = both, unit = matrix>

// Terms of f16 on their way to a workspace: the first one is the upper half of
// an f32, the second one what is left, with ties away from zero. Two columns are
// stored at once.
// CHECK-LABEL: func.func @terms.grid0.body(
// CHECK-DAG:     %[[MASK:.*]] = arith.constant dense<-65536> : vector<16xi32>
// CHECK-DAG:     %[[HALF:.*]] = arith.constant dense<32768> : vector<16xi32>
// CHECK-DAG:     %[[SIXTEEN:.*]] = arith.constant dense<16> : vector<16xi32>
// CHECK:         %[[BITS:.*]] = llvm.bitcast %[[X:.*]] : vector<16xf32> to vector<16xi32>
// CHECK:         %[[HIGH:.*]] = arith.andi %[[BITS]], %[[MASK]]
// CHECK:         %[[FIRST:.*]] = llvm.bitcast %[[HIGH]] : vector<16xi32> to vector<16xf32>
// CHECK:         %[[REST:.*]] = arith.subf %[[X]], %[[FIRST]] : vector<16xf32>
// CHECK:         %[[LOW:.*]] = arith.shrui %[[BITS]], %[[SIXTEEN]]
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.pternlog.d.512"(%[[LOW]], %{{.*}}, %[[MASK]], %{{.*}})
// CHECK:         %[[RESTBITS:.*]] = llvm.bitcast %[[REST]] : vector<16xf32> to vector<16xi32>
// CHECK:         %[[ROUNDED:.*]] = arith.addi %[[RESTBITS]], %[[HALF]]
// CHECK:         arith.shrui %[[ROUNDED]], %[[SIXTEEN]]
// CHECK-NOT:     cvtne2ps2bf16
// CHECK:         vector.shuffle {{.*}} : vector<32xi16>, vector<32xi16>
// CHECK:         llvm.store {{.*}} : vector<32xi16>
tile.program @terms(%V: !tile.buf<q, e : f16>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  %0 = tile.workspace[%c1, %n] : <e, q : bf16>
  %1 = tile.workspace[%c1, %n] : <e, q : bf16>
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %x = tile.load %V[%c0, %c0] : !tile.buf<q, e : f16> -> !tile.tile<q:32, e:32, f16>
    %high = tile.map(%x) : (!tile.tile<q:32, e:32, f16>) -> !tile.tile<q:32, e:32, bf16> {
    ^bb0(%a: f16):
      %b = arith.extf %a : f16 to f32
      %c = arith.truncf %b toward_zero : f32 to bf16
      tile.yield %c : bf16
    }
    %low = tile.map(%x) : (!tile.tile<q:32, e:32, f16>) -> !tile.tile<q:32, e:32, bf16> {
    ^bb0(%a: f16):
      %b = arith.extf %a : f16 to f32
      %c = arith.truncf %b toward_zero : f32 to bf16
      %d = arith.extf %c : bf16 to f32
      %e = arith.subf %b, %d : f32
      %f = arith.truncf %e to_nearest_away : f32 to bf16
      tile.yield %f : bf16
    }
    tile.store %high, %0[%c0, %c0] : !tile.tile<q:32, e:32, bf16>, !tile.buf<e, q : bf16>
    tile.store %low, %1[%c0, %c0] : !tile.tile<q:32, e:32, bf16>, !tile.buf<e, q : bf16>
  }
}
