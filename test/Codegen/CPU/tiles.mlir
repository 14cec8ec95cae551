// Products of bf16 on the matrix unit (unit = matrix).
// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse --verify-diagnostics -o %t.mlir && FileCheck %s --input-file %t.mlir

#tiles = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 2], value_granule = [2, 2], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = matrix>
#wide = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [6, 4], value_granule = [6, 4], unroll = 4, tail = 0, lane_skip = false, pack = never, unit = matrix>

// Workers give registers their shapes: palette 1, 64 bytes, 16 rows.
// CHECK-LABEL: func.func @scores.begin(
// CHECK-DAG:     %[[SHAPES:.*]] = arith.constant dense<[1, {{(0, ){15}(64, 0, ){8}(0, ){16}(16, ){8}(0, ){7}0}}]> : vector<64xi8>
// CHECK:         llvm.store %[[SHAPES]], %[[AT:.*]] {alignment = 64 : i64}
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.ldtilecfg"(%[[AT]]) : (!llvm.ptr) -> ()
// CHECK-LABEL: func.func @scores.end(
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tilerelease"() : () -> ()
// CHECK-NEXT:    return
// Rows of K on lines of cache are read in place. Each product is four registers
// of sums.
// CHECK-LABEL: func.func @scores.grid0.body(
// CHECK:         llvm.ptrtoint
// CHECK:         scf.if
// CHECK:           llvm.store %{{.*}} {alignment = 64 : i64} : vector<32xi16>
// CHECK-NOT:     vector.fma
// CHECK:         llvm.call_intrinsic "llvm.x86.tilezero"(%c0_i8) : (i8) -> ()
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tilezero"(%c1_i8)
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tilezero"(%c2_i8)
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tilezero"(%c3_i8)
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloaddt164"(%c4_i8, %{{.*}}, %{{.*}}) : (i8, !llvm.ptr, i64) -> ()
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%c6_i8, %{{.*}}, %c128_i64)
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c0_i8, %c4_i8, %c6_i8) : (i8, i8, i8) -> ()
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%c7_i8,
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c1_i8, %c4_i8, %c7_i8)
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloaddt164"(%c5_i8,
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c2_i8, %c5_i8, %c6_i8)
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c3_i8, %c5_i8, %c7_i8)
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK-NOT:     llvm.x86.tdpbf16ps
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK-NOT:     llvm.x86.tile
// CHECK:         return
tile.program @scores(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:32, d:64, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:32, d:64, bf16>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:32, d:64, bf16>, !tile.tile<k:32, d:64, bf16>) -> !tile.tile<q:32, k:32, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:32, k:32, f32>, !tile.buf<q, k : f32>
  }
}

// 40 features are completed by zeros, in Q once and in K in a copy. V is
// transposed, its last features by loads of a part. Behind a run-time number of
// keys are pairs of zeros. One vector of queries: two registers of sums.
// CHECK-LABEL: func.func @values.grid0.body(
// CHECK:         scf.for %{{.*}} = %c20 to %c32 step %c1
// CHECK:           llvm.store %{{.*}} {alignment = 64 : i64} : vector<16xi32>
// CHECK:         llvm.intr.masked.load {{.*}} : (!llvm.ptr, vector<32xi1>, vector<32xi16>) -> vector<32xi16>
// CHECK:         llvm.intr.masked.load {{.*}} : (!llvm.ptr, vector<16xi1>, vector<16xi16>) -> vector<16xi16>
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c0_i8, %c4_i8, %c6_i8)
// CHECK-NOT:     llvm.x86.tdpbf16ps"(%c1_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.cvtne2ps2bf16.512"
// CHECK:         scf.if
// CHECK:           arith.andi %{{.*}} : vector<16xi32>
// CHECK:         scf.for
// CHECK-NEXT:      llvm.getelementptr
// CHECK:           llvm.store
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%c0_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%c2_i8
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c0_i8, %c4_i8, %c6_i8)
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c2_i8, %c5_i8, %c6_i8)
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK:         return
tile.program @values(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %V: !tile.buf<k, e : bf16>, %A: !tile.buf<q, e : f32>, %O: !tile.buf<q, e : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:16, d:40, bf16>
    %k = tile.load %K[%c0, %c0] valid(k = %n) : !tile.buf<k, d : bf16> -> !tile.tile<k:32, d:40, bf16>
    %v = tile.load %V[%c0, %c0] valid(k = %n) : !tile.buf<k, e : bf16> -> !tile.tile<k:32, e:24, bf16>
    %a = tile.load %A[%c0, %c0] : !tile.buf<q, e : f32> -> !tile.tile<q:16, e:24, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:40, bf16>, !tile.tile<k:32, d:40, bf16>) -> !tile.tile<q:16, k:32, f32>
    %p = tile.map(%s) : (!tile.tile<q:16, k:32, f32>) -> !tile.tile<q:16, k:32, bf16> {
    ^bb0(%x: f32):
      %y = arith.truncf %x : f32 to bf16
      tile.yield %y : bf16
    }
    %o = tile.dot (%p, %v) sum(k) acc(%a) : (!tile.tile<q:16, k:32, bf16>, !tile.tile<k:32, e:24, bf16>) -> !tile.tile<q:16, e:24, f32>
    tile.store %o, %O[%c0, %c0] : !tile.tile<q:16, e:24, f32>, !tile.buf<q, e : f32>
  }
}

// Sums that start at a constant other than 0 stay in f32, and with them the
// shapes are not set.
// CHECK-LABEL: func.func @constant.grid0.body(
// CHECK-NOT:     llvm.x86
// CHECK:         vector.fma
// CHECK-NOT:     llvm.x86
// CHECK:         return
tile.program @constant(%Q: !tile.buf<q, d : bf16>, %K: !tile.buf<k, d : bf16>, %S: !tile.buf<q, k : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %one = tile.splat 1.0 : !tile.tile<q:32, k:32, f32>
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : bf16> -> !tile.tile<q:32, d:64, bf16>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : bf16> -> !tile.tile<k:32, d:64, bf16>
    // expected-remark@below {{computes a product of bf16 in f32, because its sums start at a constant [kernel]}}
    %s = tile.dot (%q, %k) sum(d) acc(%one) : (!tile.tile<q:32, d:64, bf16>, !tile.tile<k:32, d:64, bf16>) -> !tile.tile<q:32, k:32, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:32, k:32, f32>, !tile.buf<q, k : f32>
  }
}

// A weight is operand B, and a run-time number of elements is summed: rows of
// operand A are read in place only if registers are complete, else their rests
// are loaded with zeros, as are those of the weight.
// CHECK-LABEL: func.func @open_sum.grid0.body(
// CHECK:         arith.shli %{{.*}} : vector<16xi32>
// CHECK:         llvm.ptrtoint
// CHECK:         scf.if
// CHECK:           %[[THERE:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : vector<32xi16>
// CHECK:           llvm.intr.masked.load %{{.*}}, %[[THERE]], %{{.*}} : (!llvm.ptr, vector<32xi1>, vector<32xi16>) -> vector<32xi16>
// CHECK:         arith.andi %{{.*}} : vector<16xi32>
// CHECK:         llvm.call_intrinsic "llvm.x86.tilezero"(%c0_i8)
// CHECK:         scf.for
// CHECK:           llvm.call_intrinsic "llvm.x86.tileloaddt164"(%c4_i8
// CHECK:           llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%c0_i8, %c4_i8, %c6_i8)
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK:         return
tile.program @open_sum(%W: !tile.buf<k, q : bf16>, %X: !tile.buf<e, k : bf16>, %Y: !tile.buf<e, q : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] valid(k = %n) : !tile.buf<k, q : bf16> -> !tile.tile<q:16, k:64, bf16>
    %x = tile.load %X[%c0, %c0] valid(k = %n) : !tile.buf<e, k : bf16> -> !tile.tile<e:32, k:64, bf16>
    %y = tile.dot (%w, %x) sum(k) : (!tile.tile<q:16, k:64, bf16>, !tile.tile<e:32, k:64, bf16>) -> !tile.tile<q:16, e:32, f32>
    tile.store %y, %Y[%c0, %c0] : !tile.tile<q:16, e:32, f32>, !tile.buf<e, q : f32>
  }
}

// Rows of 8-bit integers are converted by the same loads.
// CHECK-LABEL: func.func @open_sum_of_integers.grid0.body(
// CHECK:         llvm.intr.masked.load {{.*}} (!llvm.ptr, vector<32xi1>, vector<32xi8>) -> vector<32xi8>
// CHECK:         arith.sitofp %{{.*}} : vector<32xi8> to vector<32xf32>
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK:         return
tile.program @open_sum_of_integers(%W: !tile.buf<k, q : bf16>, %X: !tile.buf<e, k : i8>, %Y: !tile.buf<e, q : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] valid(k = %n) : !tile.buf<k, q : bf16> -> !tile.tile<q:16, k:64, bf16>
    %x = tile.load %X[%c0, %c0] valid(k = %n) : !tile.buf<e, k : i8> -> !tile.tile<e:32, k:64, bf16>
    %y = tile.dot (%w, %x) sum(k) : (!tile.tile<q:16, k:64, bf16>, !tile.tile<e:32, k:64, bf16>) -> !tile.tile<q:16, e:32, f32>
    tile.store %y, %Y[%c0, %c0] : !tile.tile<q:16, e:32, f32>, !tile.buf<e, q : f32>
  }
}

// Of a run-time number of rows only the last incomplete register is copied if
// the others lie on lines of cache.
// CHECK-LABEL: func.func @open_rows.grid0.body(
// CHECK:         llvm.ptrtoint
// CHECK:         %[[FIRST:.*]] = arith.select %{{.*}}, %{{.*}}, %c0
// CHECK:         scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %c1
// CHECK:         llvm.call_intrinsic "llvm.x86.tilezero"(%c0_i8)
// CHECK:         %[[COPIED:.*]] = arith.cmpi sge, %{{.*}}, %[[FIRST]]
// CHECK:         arith.select %[[COPIED]], %{{.*}}, %{{.*}} : !llvm.ptr
// CHECK:         arith.select %[[COPIED]], %c64, %{{.*}} : index
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloaddt164"(%c4_i8
// CHECK:         return
tile.program @open_rows(%W: !tile.buf<k, q : bf16>, %X: !tile.buf<e, k : bf16>, %Y: !tile.buf<e, q : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] : !tile.buf<k, q : bf16> -> !tile.tile<q:16, k:64, bf16>
    %x = tile.load %X[%c0, %c0] valid(e = %n) : !tile.buf<e, k : bf16> -> !tile.tile<e:32, k:64, bf16>
    %y = tile.dot (%w, %x) sum(k) : (!tile.tile<q:16, k:64, bf16>, !tile.tile<e:32, k:64, bf16>) -> !tile.tile<q:16, e:32, f32>
    tile.store %y, %Y[%c0, %c0] valid(e = %n) : !tile.tile<q:16, e:32, f32>, !tile.buf<e, q : f32>
  }
}

// The first step of a sum makes the registers zero; nothing is stored before it.
// CHECK-LABEL: func.func @steps.grid0.body(
// CHECK-NOT:     llvm.store %{{.*}} : vector<16xf32>
// CHECK:         scf.for %[[STEP:.*]] = %c0 to %c2 step %c1
// CHECK:           %[[FIRST:.*]] = arith.muli %[[STEP]], %c64
// CHECK:           %[[IS_FIRST:.*]] = arith.cmpi eq, %[[FIRST]], %c0
// CHECK:           scf.if %[[IS_FIRST]] {
// CHECK-COUNT-2:     llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK:           } else {
// CHECK-COUNT-2:     llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK:           }
// CHECK:           llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK:         return
tile.program @steps(%W: !tile.buf<k, q : bf16>, %X: !tile.buf<e, k : bf16>, %Y: !tile.buf<e, q : f32>, %n: index) target #tiles {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = tile.splat 0.0 : !tile.tile<q:16, e:32, f32>
    %sum = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %c128, %c128)] step 64 partial_step 64 iter(%acc = %zero) -> (!tile.tile<q:16, e:32, f32>) {
      %w = tile.load %W[%k0, %c0] valid(k = %nk) : !tile.buf<k, q : bf16> -> !tile.tile<q:16, k:64, bf16>
      %x = tile.load %X[%c0, %k0] valid(k = %nk) : !tile.buf<e, k : bf16> -> !tile.tile<e:32, k:64, bf16>
      %y = tile.dot (%w, %x) sum(k) acc(%acc) : (!tile.tile<q:16, k:64, bf16>, !tile.tile<e:32, k:64, bf16>) -> !tile.tile<q:16, e:32, f32>
      tile.yield %y : !tile.tile<q:16, e:32, f32>
    }
    tile.store %sum, %Y[%c0, %c0] : !tile.tile<q:16, e:32, f32>, !tile.buf<e, q : f32>
  }
}

// A sum of 24 steps is two panels of 12, so that 32 columns of B stay in L1; the
// second one starts from the sums of the first. Sums are stored in the first
// step of the next block. Rows of B and of the sums are not four lines of cache
// from each other, but five.
// CHECK-LABEL: func.func @long_sums.grid0.body(
// CHECK:         scf.for %{{.*}} = %c0 to %c4 step %c2 iter_args(%[[STORES:.*]] = %false) -> (i1) {
// CHECK:           scf.if %[[STORES]] {
// CHECK-NEXT:        llvm.call_intrinsic "llvm.x86.tilestored64"(%c0_i8, %{{.*}}, %c320_i64)
// CHECK:           llvm.call_intrinsic "llvm.x86.tilezero"(%c0_i8)
// CHECK:           llvm.call_intrinsic "llvm.x86.tileloadd64"(%c6_i8, %{{.*}}, %c320_i64)
// CHECK:           scf.for %{{.*}} = %c1 to %c12 step %c1
// CHECK:           scf.yield %true
// CHECK:         scf.for %{{.*}} = %c0 to %c4 step %c2 iter_args(
// CHECK:           llvm.call_intrinsic "llvm.x86.tileloadd64"(%c0_i8, %{{.*}}, %c320_i64)
// CHECK:           scf.for %{{.*}} = %c13 to %c24 step %c1
// CHECK:         scf.yield %true
tile.program @long_sums(%W: !tile.buf<k, q : bf16>, %X: !tile.buf<e, k : bf16>, %Y: !tile.buf<e, q : f32>) target #wide {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] : !tile.buf<k, q : bf16> -> !tile.tile<q:64, k:768, bf16>
    %x = tile.load %X[%c0, %c0] : !tile.buf<e, k : bf16> -> !tile.tile<e:64, k:768, bf16>
    %s = tile.dot (%w, %x) sum(k) : (!tile.tile<q:64, k:768, bf16>, !tile.tile<e:64, k:768, bf16>) -> !tile.tile<q:64, e:64, f32>
    tile.store %s, %Y[%c0, %c0] : !tile.tile<q:64, e:64, f32>, !tile.buf<e, q : f32>
  }
}

// The rows of a block are multiplied with all of its columns before the next
// ones: L1 holds A, so B asks L1 not to keep it. The sums of the second pair of
// columns are stored in the first step of the next rows, in columns 32 on.
// CHECK-LABEL: func.func @stripes.grid0.body(
// CHECK:         scf.for %[[ROW:.*]] = %c0 to %c4 step %c2 iter_args(%{{.*}} = %false) -> (i1) {
// CHECK:           llvm.call_intrinsic "llvm.x86.tileloadd64"(%c4_i8,
// CHECK:           llvm.call_intrinsic "llvm.x86.tileloaddt164"(%c6_i8,
// CHECK:           scf.for %{{.*}} = %c1 to %c12 step %c1
// CHECK:           llvm.call_intrinsic "llvm.x86.tilezero"(%c0_i8)
// CHECK:           scf.for %{{.*}} = %c1 to %c12 step %c1
// CHECK:           llvm.call_intrinsic "llvm.x86.tileloadd64"(%c0_i8,
// CHECK:           scf.for %{{.*}} = %c13 to %c24 step %c1
// CHECK:           llvm.call_intrinsic "llvm.x86.tileloadd64"(%c0_i8,
// CHECK:           scf.for %{{.*}} = %c13 to %c24 step %c1
// CHECK-NOT:       scf.for
// CHECK:           scf.yield %true
tile.program @stripes(%W: !tile.buf<k, q : bf16>, %X: !tile.buf<e, k : bf16>, %Y: !tile.buf<e, q : f32>) target #wide {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %c512 = arith.constant 512 : index
    %w = tile.load %W[%c0, %c0] : !tile.buf<k, q : bf16> -> !tile.tile<q:64, k:768, bf16>
    tile.for (%e0, %ne, %partial) in [(%c0, %c0, %c512, %c512)] step 64 partial_step 64 {
      %x = tile.load %X[%e0, %c0] valid(e = %ne) : !tile.buf<e, k : bf16> -> !tile.tile<e:64, k:768, bf16>
      %s = tile.dot (%w, %x) sum(k) : (!tile.tile<q:64, k:768, bf16>, !tile.tile<e:64, k:768, bf16>) -> !tile.tile<q:64, e:64, f32>
      tile.store %s, %Y[%e0, %c0] valid(e = %ne) : !tile.tile<q:64, e:64, f32>, !tile.buf<e, q : f32>
      tile.yield
    }
  }
}
