// Tiles next to the full ones join the pipeline where their keys may be loaded.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse -o %t.mlir && FileCheck %s --input-file %t.mlir
// Without `within` nothing in the pipeline is masked.
// RUN: sed 's/within (%%c0, %%end)//' %s | attnc-opt --convert-tile-to-llvm --canonicalize --cse -o %t.without.mlir && FileCheck %s --input-file %t.without.mlir --check-prefix=WITHOUT

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [8, 2], value_granule = [8, 2], unroll = 1, tail = 0, lane_skip = false, pack = auto, unit = matrix>

// Behind [first, last) there are as many tiles as the rest of the segment needs,
// but none that exceeds the keys; what is left runs behind the pipeline.
// CHECK-LABEL: func.func @masked.grid0.body(
// CHECK:         %[[ROUNDED:.*]] = arith.addi %[[REST:.*]], %c31
// CHECK-NEXT:    %[[NEEDED:.*]] = arith.shrsi %[[ROUNDED]], %c5
// CHECK-NEXT:    %[[THERE:.*]] = arith.shrsi %[[REST]], %c5
// CHECK-NEXT:    arith.minsi %[[NEEDED]], %[[THERE]]
// In a turn, the granules of such a tile select what the mask keeps.
// CHECK:         scf.for %[[NUMBER:.*]] = %c0 to %{{.*}} step %c1
// CHECK:         llvm.x86.tdpbf16ps
// CHECK:         %[[SCORES:.*]]:4 = scf.if %{{.*}} -> (vector<16xf32>
// CHECK:         arith.select
// CHECK:         else
// CHECK-NEXT:    scf.yield
// CHECK:         math.exp2 %[[SCORES]]#0

// WITHOUT-LABEL: func.func @masked.grid0.body(
// WITHOUT:       scf.for %{{.*}} = %c0 to %{{.*}} step %c1
// WITHOUT:       llvm.x86.tdpbf16ps
// WITHOUT-NOT:   arith.select %{{.*}} : vector
// WITHOUT:       math.exp2
tile.program @masked(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %last: index, %end: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 : !tile.tile<q:32, e:32, f32>
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:32, d:32, bf16>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %last, %end)] within (%c0, %end) step 32 partial_step 32 iter(%acc = %zero) -> (!tile.tile<q:32, e:32, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : bf16> -> !tile.tile<k:32, d:32, bf16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:32, bf16>, !tile.tile<k:32, d:32, bf16>) -> !tile.tile<q:32, k:32, f32>
      %x = tile.select_masked %s at(q = %c0, k = %k0) valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:32, f32> {
      ^bb0(%a: index, %b: index):
        %keep = arith.cmpi sle, %b, %a : index
        tile.yield %keep : i1
      }
      %p = tile.map(%x) : (!tile.tile<q:32, k:32, f32>) -> !tile.tile<q:32, k:32, bf16> {
      ^bb0(%y: f32):
        %w = math.exp2 %y : f32
        %r = arith.truncf %w : f32 to bf16
        tile.yield %r : bf16
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : bf16> -> !tile.tile<k:32, e:32, bf16>
      %next = tile.dot (%p, %v) sum(k) acc(%acc) : (!tile.tile<q:32, k:32, bf16>, !tile.tile<k:32, e:32, bf16>) -> !tile.tile<q:32, e:32, f32>
      tile.yield %next : !tile.tile<q:32, e:32, f32>
    }
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:32, e:32, f32>, !tile.buf<q, e : f32>
  }
}
