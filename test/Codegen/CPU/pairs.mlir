// Products of bf16 by pairs of the summed dim (unit = dot).
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse --verify-diagnostics -o %t.mlir && FileCheck %s --input-file %t.mlir

#pairs = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = dot>

// Keys are read in place, two features at once; the last of an odd number of
// features is read alone.
// CHECK-LABEL: func.func @scores.grid0.body(
// CHECK-NOT:     arith.extf
// CHECK:         llvm.load %{{.*}} {alignment = 64 : i64} : !llvm.ptr -> vector<16xi32>
// CHECK:         %[[PAIR:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i32
// CHECK:         vector.broadcast %[[PAIR]] : i32 to vector<16xi32>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}, %{{.*}}, %{{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK:         %[[LAST:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK:         arith.extui %[[LAST]] : i16 to i32
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK-NOT:     vector.fma
// CHECK:         return
tile.program @scores(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #pairs {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:5, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:2, d:5, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:5, bf16>, !tile.tile<k:2, d:5, bf16>) -> !tile.tile<q:16, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
  }
}

// Quarters of Q have pairs of features. Two rows of V are interleaved, the last
// of an odd number with zeros. Weights are rounded when they are stored, two
// rows at once.
// CHECK-LABEL: func.func @values.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %c64 step %c8 {
// CHECK-COUNT-16:  llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<4xi32>
// CHECK:         %[[LOW:.*]] = arith.extui %{{.*}} : vector<16xi16> to vector<16xi32>
// CHECK:         %[[HIGH:.*]] = arith.extui %{{.*}} : vector<16xi16> to vector<16xi32>
// CHECK:         %[[MOVED:.*]] = arith.shli %[[HIGH]], %{{.*}} : vector<16xi32>
// CHECK:         arith.ori %[[LOW]], %[[MOVED]] : vector<16xi32>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK:         %[[HALVES:.*]] = llvm.call_intrinsic "llvm.x86.avx512bf16.cvtne2ps2bf16.512"(%{{.*}}, %{{.*}}) : (vector<16xf32>, vector<16xf32>) -> vector<32xbf16>
// CHECK:         %[[WORDS:.*]] = llvm.bitcast %[[HALVES]] : vector<32xbf16> to vector<32xi16>
// CHECK:         vector.shuffle %[[WORDS]], %[[WORDS]] [0, 16, 1, 17, {{.*}}, 15, 31]
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK-NOT:     vector.fma
// CHECK:         return
tile.program @values(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %O: !tile.buf<q, e : f32>, %n: index) target #pairs {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:64, bf16>
    %k = tile.load %K[%c0, %c0] valid(k = %n) : !tile.buf<k, d : bf16> -> !tile.tile<k:4, d:64, bf16>
    %v = tile.load %V[%c0, %c0] valid(k = %n) : !tile.buf<k, e : bf16> -> !tile.tile<k:4, e:18, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:64, bf16>, !tile.tile<k:4, d:64, bf16>) -> !tile.tile<q:16, k:4, f32>
    %p = tile.map(%s) : (!tile.tile<q:16, k:4, f32>) -> !tile.tile<q:16, k:4, bf16> {
    ^bb0(%x: f32):
      %y = arith.truncf %x : f32 to bf16
      tile.yield %y : bf16
    }
    %o = tile.dot (%p, %v) sum(k) : (!tile.tile<q:16, k:4, bf16>, !tile.tile<k:4, e:18, bf16>) -> !tile.tile<q:16, e:18, f32>
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:16, e:18, f32>, !tile.buf<q, e : f32>
  }
}

// A weight in the lanes: two of its rows are interleaved, where more rows than those of
// a register tile use them (Memory/streams.mlir). The sum has a run-time
// number of elements, the last of an odd number is read alone.
// CHECK-LABEL: func.func @open_sum.grid0.body(
// CHECK:         arith.shli %{{.*}} : vector<16xi32>
// CHECK:         %[[SUMS:.*]]:2 = scf.for %{{.*}} = %c0 to %[[WHOLE:.*]] step %c1 iter_args({{.*}} {
// CHECK:           llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i32
// CHECK-COUNT-2:   llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK:         scf.for %{{.*}} = %[[WHOLE]] to %{{.*}} step %c1 iter_args(%{{.*}} = %[[SUMS]]#0, %{{.*}} = %[[SUMS]]#1)
// CHECK:           %[[LAST:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK:           arith.extui %[[LAST]] : i16 to i32
// CHECK-COUNT-2:   llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK:         return
tile.program @open_sum(%W: !tile.buf<k, q : bf16>, %X: !tile.buf<e, k : bf16>, %Y: !tile.buf<e, q : f32>, %n: index) target #pairs {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] valid(k = %n) : !tile.buf<k, q : bf16> -> !tile.tile<q:16, k:64, bf16>
    %x = tile.load %X[%c0, %c0] valid(k = %n) : !tile.buf<e, k : bf16> -> !tile.tile<e:4, k:64, bf16>
    %y = tile.dot (%w, %x) sum(k) : (!tile.tile<q:16, k:64, bf16>, !tile.tile<e:4, k:64, bf16>) -> !tile.tile<q:16, e:4, f32>
    tile.store %y, %Y[%c0, %c0] : !tile.tile<q:16, e:4, f32>, !tile.buf<e, q : f32>
  }
}

// With `unit = fma` nothing changes.
// CHECK-LABEL: func.func @widened.grid0.body(
// CHECK-NOT:     dpbf16ps
// CHECK:         vector.fma
// CHECK-NOT:     dpbf16ps
tile.program @widened(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never> {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:4, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:2, d:4, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, bf16>, !tile.tile<k:2, d:4, bf16>) -> !tile.tile<q:16, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
  }
}

// Products that stay in f32 although the target has unit = dot.

// A product that another op's use of Q excludes excludes those that share Q.
// CHECK-LABEL: func.func @shared_queries.grid0.body(
// CHECK-NOT:     dpbf16ps
tile.program @shared_queries(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %O: !tile.buf<q, d : bf16>, %n: index) target #pairs {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:4, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:2, d:4, bf16>
    // expected-remark@below {{computes a product of bf16 in f32, because other ops use its operand [kernel]}}
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, bf16>, !tile.tile<k:2, d:4, bf16>) -> !tile.tile<q:16, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
    tile.store %q, %O[%c0, %c0] : !tile.tile<q:16, d:4, bf16>, !tile.buf<q, d : bf16>
  }
}

// CHECK-LABEL: func.func @two_types.grid0.body(
// CHECK-NOT:     dpbf16ps
tile.program @two_types(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #pairs {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:4, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:2, d:4, bf16>
    // expected-remark@below {{computes a product of bf16 in f32, because its operands have different types [kernel]}}
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, f32>, !tile.tile<k:2, d:4, bf16>) -> !tile.tile<q:16, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
  }
}

// CHECK-LABEL: func.func @open_features.grid0.body(
// CHECK-NOT:     dpbf16ps
tile.program @open_features(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #pairs {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:4, bf16>
    %k = tile.load %K[%c0, %c0] valid(d = %n) : !tile.buf<k, d : bf16> -> !tile.tile<k:2, d:4, bf16>
    // expected-remark@below {{computes a product of bf16 in f32, because its number of features is known at run time only [kernel]}}
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, bf16>, !tile.tile<k:2, d:4, bf16>) -> !tile.tile<q:16, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
  }
}
