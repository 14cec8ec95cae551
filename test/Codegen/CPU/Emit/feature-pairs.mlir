// Products of pairs of bf16 with features in the lanes.
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s
// RUN: attnc-opt %s --convert-tile-to-llvm -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#few = #tile.cpu<isa = avx512, mapping = features, lanes = 16, score_granule = [4, 1], value_granule = [4, 1], unroll = 1, tail = 0, lane_skip = false, pack = auto, feature_rows = 4, unit = dot>

// CHECK-LABEL: func.func @attend.grid0.body(
// The copy of Q has pairs of features: those of even and odd ones are joined.
// CHECK:         arith.shrui %{{.*}} : vector<16xi32>
// CHECK:         arith.andi %{{.*}} : vector<16xi32>
// CHECK:         arith.ori %{{.*}} : vector<16xi32>
// Scores: 32 features of a key are 16 pairs as they lie in memory.
// CHECK:         llvm.load {{.*}}alignment = 2{{.*}} -> vector<16xi32>
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// The last 8 features are widened.
// CHECK:         llvm.load {{.*}} -> vector<8xi16>
// CHECK:         vector.fma
// Values: the rows of two keys are interleaved within 128 bits. A pair of weights
// is a scalar.
// CHECK:         scf.for %{{.*}} = %c0 to %c16 step %c4 iter_args
// CHECK:           %[[A:.*]] = llvm.load {{.*}} -> vector<32xi16>
// CHECK:           %[[B:.*]] = llvm.load {{.*}} -> vector<32xi16>
// CHECK:           vector.shuffle %[[A]], %[[B]] [0, 32, 1, 33, 2, 34, 3, 35, 8, 40,
// CHECK:           vector.shuffle %[[A]], %[[B]] [4, 36, 5, 37, 6, 38, 7, 39, 12, 44,
// CHECK:           vector.shuffle %{{.*}} [0, 16, 1, 17, 2, 18,
// CHECK:           llvm.load {{.*}} -> i32
// CHECK:           vector.broadcast %{{.*}} : i32 to vector<16xi32>
// CHECK-COUNT-12:  llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// A last key without a second one: the other weight is cut off.
// CHECK:         arith.andi %{{.*}}, %c65535_i32 : i32
tile.program @attend(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index, %keys: index) target #few {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] valid(q = %n) : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:40, bf16>
    %zero = tile.splat 0.0 : !tile.tile<q:16, e:40, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %keys, %keys)] step 16 partial_step 16 iter(%acc = %zero) -> (!tile.tile<q:16, e:40, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : bf16> -> !tile.tile<k:16, d:40, bf16>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:40, bf16>, !tile.tile<k:16, d:40, bf16>) -> !tile.tile<q:16, k:16, f32>
      %w = tile.map (%s) : (!tile.tile<q:16, k:16, f32>) -> !tile.tile<q:16, k:16, bf16> {
      ^bb0(%x: f32):
        %y = math.exp2 %x : f32
        %z = arith.truncf %y : f32 to bf16
        tile.yield %z : bf16
      }
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : bf16> -> !tile.tile<k:16, e:40, bf16>
      %next = tile.dot (%w, %v) sum(k) acc(%acc) : (!tile.tile<q:16, k:16, bf16>, !tile.tile<k:16, e:40, bf16>) -> !tile.tile<q:16, e:40, f32>
      tile.yield %next : !tile.tile<q:16, e:40, f32>
    }
    tile.store %o, %O[%c0, %c0] valid(q = %n) : !tile.tile<q:16, e:40, f32>, !tile.buf<q, e : f32>
  }
}

// Keys stored in 8 bits are widened, and all products of these queries with them.
// CHECK-LABEL: func.func @widens.grid0.body(
// CHECK-NOT:     dpbf16ps
// REMARK: remark: computes a product of bf16 in f32, because rows are not stored as bf16
// REMARK: remark: computes a product of bf16 in f32, because other products use its operand
// CHECK:         return
tile.program @widens(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : i8>, %L: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %T: !tile.buf<q, k : f32>, %n: index) target #few {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] valid(q = %n) : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:32, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : i8> -> !tile.tile<k:16, d:32, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:32, bf16>, !tile.tile<k:16, d:32, bf16>) -> !tile.tile<q:16, k:16, f32>
    tile.store %s, %S[%c0, %c0] valid(q = %n) : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
    %l = tile.load %L[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:16, d:32, bf16>
    %t = tile.dot (%q, %l) sum(d) : (!tile.tile<q:16, d:32, bf16>, !tile.tile<k:16, d:32, bf16>) -> !tile.tile<q:16, k:16, f32>
    tile.store %t, %T[%c0, %c0] valid(q = %n) : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
  }
}

// Queries that another product reads as a tile of pairs: neither is by pairs, for
// keys whose number is known at run time only have queries in the lanes.
// CHECK-LABEL: func.func @shares.grid0.body(
// CHECK-NOT:     dpbf16ps
// CHECK:         return
tile.program @shares(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %L: !tile.buf<d, k : bf16>, %S: !tile.buf<q, k : f32>, %n: index, %keys: index) target #few {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] valid(q = %n) : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:32, bf16>
    %k = tile.load %K[%c0, %c0] valid(k = %keys) : !tile.buf<k, d : bf16> -> !tile.tile<k:16, d:32, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:32, bf16>, !tile.tile<k:16, d:32, bf16>) -> !tile.tile<q:16, k:16, f32>
    %l = tile.load %L[%c0, %c0] valid(k = %keys) : !tile.buf<d, k : bf16> -> !tile.tile<d:32, k:16, bf16>
    %t = tile.dot (%q, %l) sum(d) acc(%s) : (!tile.tile<q:16, d:32, bf16>, !tile.tile<d:32, k:16, bf16>) -> !tile.tile<q:16, k:16, f32>
    tile.store %t, %S[%c0, %c0] valid(q = %n, k = %keys) : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
  }
}

// Rows that a masked product reads, too, are copied in f32.
// CHECK-LABEL: func.func @copies.grid0.body(
// CHECK-NOT:     dpbf16ps
// CHECK:         return
tile.program @copies(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #few {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] valid(q = %n) : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:32, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:16, d:32, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:32, bf16>, !tile.tile<k:16, d:32, bf16>) -> !tile.tile<q:16, k:16, f32>
    %m = tile.map () at(d = %c0) : () -> !tile.tile<q:16, d:32, i1> {
    ^bb0(%d: index):
      %y = arith.cmpi slt, %d, %n : index
      tile.yield %y : i1
    }
    %w = tile.dot (%q, %k) sum(d) acc(%s) where(%m : !tile.tile<q:16, d:32, i1>) : (!tile.tile<q:16, d:32, bf16>, !tile.tile<k:16, d:32, bf16>) -> !tile.tile<q:16, k:16, f32>
    tile.store %w, %S[%c0, %c0] valid(q = %n) : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
  }
}
