// An epilogue of a product on the matrix unit stores rows of bf16 as it makes
// them, if all lanes of the block are contiguous in memory and valid.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = matrix>

// Two vectors become 64 bytes; else the rows go through scratch.
// CHECK-LABEL: func.func @stores.grid0.body(
// CHECK:         llvm.x86.tdpbf16ps
// CHECK:         scf.for
// CHECK:           scf.if %{{.*}} {
// CHECK:             vector.shuffle %{{.*}}, %{{.*}} [1, 3, 5, {{.*}}, 63] : vector<32xi16>, vector<32xi16>
// CHECK:             llvm.store %{{.*}} {alignment = 2 : i64} : vector<32xi16>, !llvm.ptr
// CHECK:           } else {
// CHECK-COUNT-4:     llvm.store %{{.*}} {alignment = 64 : i64} : vector<16xf32>, !llvm.ptr
// CHECK:         scf.if
// CHECK-NEXT:    } else {
// CHECK:           llvm.store %{{.*}} {alignment = 2 : i64} : vector<16xi16>, !llvm.ptr
tile.program @stores(%W: !tile.buf<k, q : bf16>, %X: !tile.buf<e, k : bf16>, %Y: !tile.buf<e, q : bf16>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] valid(q = %n) : !tile.buf<k, q : bf16> -> !tile.tile<q:32, k:32, bf16>
    %x = tile.load %X[%c0, %c0] : !tile.buf<e, k : bf16> -> !tile.tile<e:32, k:32, bf16>
    %s = tile.dot (%w, %x) sum(k) : (!tile.tile<q:32, k:32, bf16>, !tile.tile<e:32, k:32, bf16>) -> !tile.tile<q:32, e:32, f32>
    %y = tile.map(%s) : (!tile.tile<q:32, e:32, f32>) -> !tile.tile<q:32, e:32, bf16> {
    ^bb0(%a: f32):
      %b = arith.truncf %a : f32 to bf16
      tile.yield %b : bf16
    }
    tile.store %y, %Y[%c0, %c0] valid(q = %n) : !tile.tile<q:32, e:32, bf16>, !tile.buf<e, q : bf16>
  }
}
