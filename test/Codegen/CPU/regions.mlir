// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --loop-invariant-code-motion --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// The distance of query and key is linear in the lane: one clamped scalar per
// key and one compare of 32-bit lanes, whatever the sizes are.
// CHECK-LABEL: func.func @linear_compare.grid0.body(
// CHECK:         %[[STEPS:.*]] = arith.constant dense<[0, -1, -2, {{.*}}, -15]> : vector<16xi32>
// CHECK:         scf.for
// CHECK:           arith.minsi {{.*}} : index
// CHECK:           arith.maxsi {{.*}} : index
// CHECK:           %[[LIMIT:.*]] = vector.broadcast %{{.*}} : i32 to vector<16xi32>
// CHECK:           arith.cmpi sge, %[[LIMIT]], %[[STEPS]] : vector<16xi32>
// CHECK-NOT:       vector<16xi64>
tile.program @linear_compare(%x: !tile.buf<q, k : f32>, %query_len: index, %kv_len: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %off = arith.subi %kv_len, %query_len : index
    %a = tile.load %x[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:8, f32>
    %b = tile.select_masked %a at(q = %c0, k = %c0) when %true fill -inf : !tile.tile<q:16, k:8, f32> {
    ^bb0(%q: index, %k: index):
      %e = arith.addi %q, %off : index
      %c = arith.cmpi sle, %k, %e : index
      tile.yield %c : i1
    }
    tile.store %b, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// A difference of positions fits 32 bits, a product with a size does not.
// CHECK-LABEL: func.func @width_of_integers.grid0.body(
// CHECK:         arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK:         arith.sitofp %{{.*}} : vector<16xi64> to vector<16xf32>
tile.program @width_of_integers(%x: !tile.buf<q, k : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:8, f32>
    %b = tile.map (%a) at(q = %c0, k = %c0) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, k:8, f32> {
    ^bb0(%e: f32, %q: index, %k: index):
      %d = arith.subi %k, %q : index
      %d64 = arith.index_cast %d : index to i64
      %df = arith.sitofp %d64 : i64 to f32
      %m = arith.muli %d, %n : index
      %m64 = arith.index_cast %m : index to i64
      %mf = arith.sitofp %m64 : i64 to f32
      %s = arith.addf %df, %mf : f32
      %r = arith.addf %e, %s : f32
      tile.yield %r : f32
    }
    tile.store %b, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// AVX2 has no conversion of 64-bit lanes: below 2^51 integers become mantissas of
// doubles. Elements of a tile are bounded by the map that makes them.
// CHECK-LABEL: func.func @conversion_of_wide_integers.grid0.body(
// CHECK-DAG:     %[[BASE:.*]] = arith.constant dense<4843621399236968448> : vector<8xi64>
// CHECK-DAG:     %[[REAL:.*]] = arith.constant dense<0x4338000000000000> : vector<8xf64>
// CHECK:         %[[BITS:.*]] = arith.addi %{{.*}}, %[[BASE]] : vector<8xi64>
// CHECK:         %[[DOUBLES:.*]] = arith.bitcast %[[BITS]] : vector<8xi64> to vector<8xf64>
// CHECK:         %[[EXACT:.*]] = arith.subf %[[DOUBLES]], %[[REAL]] : vector<8xf64>
// CHECK:         arith.truncf %[[EXACT]] : vector<8xf64> to vector<8xf32>
// CHECK-NOT:     arith.sitofp
// CHECK:         return
#avx2 = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>
tile.program @conversion_of_wide_integers(%x: !tile.buf<q, k : f32>, %query_len: index, %kv_len: index) target #avx2 {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %off = arith.subi %kv_len, %query_len : index
    %p = tile.map () at(q = %c0) : () -> !tile.tile<q:8, index> {
    ^bb0(%q: index):
      %g = arith.floordivsi %q, %c4 : index
      %e = arith.addi %g, %off : index
      tile.yield %e : index
    }
    %a = tile.load %x[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:8, k:8, f32>
    %b = tile.map (%a, %p) at(k = %c0) : (!tile.tile<q:8, k:8, f32>, !tile.tile<q:8, index>) -> !tile.tile<q:8, k:8, f32> {
    ^bb0(%e: f32, %q: index, %k: index):
      %d = arith.subi %k, %q : index
      %d64 = arith.index_cast %d : index to i64
      %df = arith.sitofp %d64 : i64 to f32
      %r = arith.addf %e, %df : f32
      tile.yield %r : f32
    }
    tile.store %b, %x[%c0, %c0] : !tile.tile<q:8, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// What depends on the key alone is a scalar; what depends on the query alone
// leaves the loop over keys.
// CHECK-LABEL: func.func @by_dependence.grid0.body(
// CHECK:         %[[PER_QUERY:.*]] = math.sin %{{.*}} : vector<16xf32>
// CHECK:         scf.for
// CHECK:           %[[PER_KEY:.*]] = math.cos %{{.*}} : f32
// CHECK:           vector.broadcast %[[PER_KEY]] : f32 to vector<16xf32>
tile.program @by_dependence(%x: !tile.buf<q, k : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:8, f32>
    %b = tile.map (%a) at(q = %n, k = %n) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, k:8, f32> {
    ^bb0(%e: f32, %q: index, %k: index):
      %q64 = arith.index_cast %q : index to i64
      %qf = arith.sitofp %q64 : i64 to f32
      %s = math.sin %qf : f32
      %k64 = arith.index_cast %k : index to i64
      %kf = arith.sitofp %k64 : i64 to f32
      %c = math.cos %kf : f32
      %sc = arith.mulf %s, %c : f32
      %r = arith.addf %e, %sc : f32
      tile.yield %r : f32
    }
    tile.store %b, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// A full tile has no mask code.
// CHECK-LABEL: func.func @no_mask_in_full_tiles.grid0.body(
// CHECK-NOT:     vector<16xi1>
// CHECK:         return
tile.program @no_mask_in_full_tiles(%x: !tile.buf<q, k : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %a = tile.load %x[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:8, f32>
    %b = tile.select_masked %a at(q = %c0, k = %c0) when %false fill -inf : !tile.tile<q:16, k:8, f32> {
    ^bb0(%q: index, %k: index):
      %c = arith.cmpi sle, %k, %q : index
      tile.yield %c : i1
    }
    tile.store %b, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// A scalar of 64 bits keeps them; in lanes floats are as wide as the
// accumulator.
// CHECK-LABEL: func.func @wide_scalar.grid0.body(
// CHECK:         arith.extf %{{.*}} : f32 to f64
// CHECK:         %[[LOG:.*]] = math.log2 %{{.*}} : f64
// CHECK:         arith.truncf %[[LOG]] : f64 to f32
// CHECK:         math.exp2 %{{.*}} : vector<16xf32>
tile.program @wide_scalar(%x: !tile.buf<q, k : f32>, %c: !tile.buf<a0 : f32>, %n: index) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:8, f32>
    %b = tile.map (%a) at(q = %c0, k = %c0) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, k:8, f32> {
    ^bb0(%e: f32, %q: index, %k: index):
      %r = tile.read %c[%c0] : !tile.buf<a0 : f32> -> f32
      %w = arith.extf %r : f32 to f64
      %l = math.log2 %w : f64
      %s = arith.truncf %l : f64 to f32
      %p = arith.mulf %e, %s : f32
      %y = math.exp2 %p : f32
      tile.yield %y : f32
    }
    tile.store %b, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

// A region that ends with a rounding has rounded its values.
// CHECK-LABEL: func.func @round_once.grid0.body(
// CHECK:         arith.cmpf uno, {{.*}} : vector<16xf32>
// CHECK-NOT:     arith.cmpf uno
// CHECK:         return
tile.program @round_once(%x: !tile.buf<q, k : f32>) target #cpu {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:16, k:8, f32>
    %b = tile.map (%a) : (!tile.tile<q:16, k:8, f32>) -> !tile.tile<q:16, k:8, bf16> {
    ^bb0(%e: f32):
      %r = arith.truncf %e : f32 to bf16
      tile.yield %r : bf16
    }
    %c = tile.map (%b) : (!tile.tile<q:16, k:8, bf16>) -> !tile.tile<q:16, k:8, f32> {
    ^bb0(%e: bf16):
      %w = arith.extf %e : bf16 to f32
      tile.yield %w : f32
    }
    tile.store %c, %x[%c0, %c0] : !tile.tile<q:16, k:8, f32>, !tile.buf<q, k : f32>
  }
}

#wide = #tile.cpu<isa = avx512, mapping = rows, lanes = 8, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, partial = 8>

// Tiles of f64 make a grid's lanes f64; a function of f32 is computed in f32.
// CHECK-LABEL: func.func @narrow_function.grid0.body(
// CHECK:         arith.truncf {{.*}} : vector<8xf64> to vector<8xf32>
// CHECK:         math.exp {{.*}} : vector<8xf32>
// CHECK:         arith.extf {{.*}} : vector<8xf32> to vector<8xf64>
// CHECK:         math.exp {{.*}} : vector<8xf64>
tile.program @narrow_function(%x: !tile.buf<q, k : f32>, %y: !tile.buf<q, k : f64>) target #wide {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : !tile.buf<q, k : f32> -> !tile.tile<q:8, k:8, f32>
    %b = tile.map (%a) : (!tile.tile<q:8, k:8, f32>) -> !tile.tile<q:8, k:8, f64> {
    ^bb0(%e: f32):
      %f = math.exp %e : f32
      %w = arith.extf %f : f32 to f64
      %g = math.exp %w : f64
      tile.yield %g : f64
    }
    tile.store %b, %y[%c0, %c0] : !tile.tile<q:8, k:8, f64>, !tile.buf<q, k : f64>
  }
}
