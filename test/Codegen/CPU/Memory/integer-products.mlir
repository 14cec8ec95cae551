// Products of 8-bit integers on units that multiply them, with exact sums.
// RUN: attnc-opt %s --split-input-file --convert-tile-to-llvm --canonicalize --cse --verify-diagnostics=only-expected -o - | FileCheck %s

#words = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = dot>

// Two integers of 16 bits share a lane. An odd number of features is completed
// by 0 in the queries; a row of the copy has 34.
// CHECK-LABEL: func.func @words.grid0.body(
// CHECK-DAG:     %[[PITCH:.*]] = arith.constant 34 : index
// CHECK:         llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<16xi8>
// CHECK:         arith.extsi %{{.*}} : vector<16xi8> to vector<16xi16>
// CHECK:         llvm.bitcast %{{.*}} : vector<16xi16> to vector<8xi32>
// CHECK:         arith.muli %{{.*}}, %[[PITCH]]
// CHECK:         arith.extsi %{{.*}} : vector<8xi8> to vector<8xi16>
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK:         %[[PAIRS:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%{{.*}}, %{{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
// CHECK:         arith.addi %{{.*}}, %[[PAIRS]] : vector<8xi32>
// CHECK:         arith.sitofp %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK-NOT:     vector.fma
// CHECK:         return
tile.program @words(%Q: !tile.buf<q, d : i8>, %K: !tile.buf<k, d : i8>, %S: !tile.buf<q, k : f32>) target #words {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : i8> -> !tile.tile<q:8, d:33, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : i8> -> !tile.tile<k:2, d:33, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:8, d:33, f32>, !tile.tile<k:2, d:33, f32>) -> !tile.tile<q:8, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:8, k:2, f32>, !tile.buf<q, k : f32>
  }
}

// -----

#bytes = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = dot>

// VPDPBUSD multiplies unsigned rows, which are greater by 128, and sums start
// at -128 times those of the queries.
module attributes {attnc.target = "zen4"} {
  // CHECK-LABEL: func.func @bytes.grid0.body(
  // CHECK-DAG:     %[[ONES:.*]] = arith.constant dense<-2139062144> : vector<16xi32>
  // CHECK-DAG:     %[[FLIP:.*]] = arith.constant dense<-128> : vector<16xi8>
  // CHECK-DAG:     %[[UNSIGNED:.*]] = llvm.bitcast %[[ONES]] : vector<16xi32> to vector<64xi8>
  // CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %[[UNSIGNED]], %{{.*}})
  // CHECK:         arith.subi %{{.*}}, %{{.*}} : vector<16xi32>
  // CHECK:         arith.xori %{{.*}}, %[[FLIP]] : vector<16xi8>
  // CHECK:         %[[START:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<16xi32>
  // CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[START]], %{{.*}} = %[[START]])
  // CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
  // CHECK-NOT:     vector.fma
  // CHECK:         return
  tile.program @bytes(%Q: !tile.buf<q, d : i8>, %K: !tile.buf<k, d : i8>, %S: !tile.buf<q, k : f32>) target #bytes {
    %c1 = arith.constant 1 : index
    tile.grid (%i) to (%c1) {
      %c0 = arith.constant 0 : index
      %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : i8> -> !tile.tile<q:16, d:64, f32>
      %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : i8> -> !tile.tile<k:2, d:64, f32>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:64, f32>, !tile.tile<k:2, d:64, f32>) -> !tile.tile<q:16, k:2, f32>
      tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
    }
  }
}

// -----

#bytes = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = dot>

// Unsigned rows are as the instruction needs them.
module attributes {attnc.target = "zen4"} {
  // CHECK-LABEL: func.func @unsigned_rows.grid0.body(
  // CHECK-NOT:     arith.xori %{{.*}} : vector<16xi8>
  // CHECK:         %[[ZERO:.*]] = arith.constant dense<0> : vector<16xi32>
  // CHECK-NOT:     arith.xori %{{.*}} : vector<16xi8>
  // CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]])
  // CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
  // CHECK:         return
  tile.program @unsigned_rows(%Q: !tile.buf<q, d : i8>, %K: !tile.buf<k, d : ui8>, %S: !tile.buf<q, k : f32>) target #bytes {
    %c1 = arith.constant 1 : index
    tile.grid (%i) to (%c1) {
      %c0 = arith.constant 0 : index
      %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : i8> -> !tile.tile<q:16, d:64, f32>
      %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : ui8> -> !tile.tile<k:2, d:64, f32>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:64, f32>, !tile.tile<k:2, d:64, f32>) -> !tile.tile<q:16, k:2, f32>
      tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:2, f32>, !tile.buf<q, k : f32>
    }
  }
}

// -----

#bytes = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, partial = 8, unit = dot>

// Rows of a page that does not exist are zeros, which the copy has as 128. A row
// of 30 has 32 elements there.
module attributes {attnc.target = "zen4"} {
  // CHECK-LABEL: func.func @pages.grid0.body(
  // CHECK-DAG:     %[[ZERO:.*]] = arith.constant -128 : i8
  // CHECK-DAG:     %[[PITCH:.*]] = arith.constant 32 : index
  // CHECK:         arith.muli %{{.*}}, %[[PITCH]]
  // CHECK:         } else {
  // CHECK:         llvm.store %[[ZERO]], %{{.*}} : i8, !llvm.ptr
  // CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
  // CHECK:         return
  tile.program @pages(%Q: !tile.buf<q, d : i8>, %K: !tile.buf<p, k, d : i8>, %table: !tile.buf<a0 : i32>, %S: !tile.buf<q, k : f32>, %kv_len: index) target #bytes {
    %c1 = arith.constant 1 : index
    tile.grid (%i) to (%c1) {
      %c0 = arith.constant 0 : index
      %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : i8> -> !tile.tile<q:16, d:30, f32>
      tile.for (%k0, %nk, %partial) in [(%c0, %c0, %kv_len, %kv_len)] step 24 partial_step 8 {
        %k = tile.load %K[%c0, %k0, %c0] valid(k = %nk) through(%table[] step 16 : !tile.buf<a0 : i32>) : !tile.buf<p, k, d : i8> -> !tile.tile<k:24, d:30, f32>
        %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:30, f32>, !tile.tile<k:24, d:30, f32>) -> !tile.tile<q:16, k:24, f32>
        tile.store %s, %S[%c0, %k0] valid(k = %nk) : !tile.tile<q:16, k:24, f32>, !tile.buf<q, k : f32>
        tile.yield
      }
    }
  }
}

// -----

#matrix = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = matrix>

// Keys are read in place if their rows are on lines of cache. Sums are stored
// as integers; their reader converts them.
// CHECK-LABEL: func.func @tiles.grid0.body(
// CHECK:         llvm.ptrtoint
// CHECK:         llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbssd"
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK:         arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK:         math.tanh
// CHECK:         return
tile.program @tiles(%Q: !tile.buf<q, d : i8>, %K: !tile.buf<k, d : i8>, %S: !tile.buf<q, k : f32>) target #matrix {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : i8> -> !tile.tile<q:16, d:64, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : i8> -> !tile.tile<k:16, d:64, f32>
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:64, f32>, !tile.tile<k:16, d:64, f32>) -> !tile.tile<q:16, k:16, f32>
    %t = tile.map (%s) : (!tile.tile<q:16, k:16, f32>) -> !tile.tile<q:16, k:16, f32> {
    ^bb0(%x: f32):
      %y = math.tanh %x : f32
      tile.yield %y : f32
    }
    tile.store %t, %S[%c0, %c0] : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
  }
}

// -----

#words = #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = dot>

// Products that stay in f32.
// CHECK-LABEL: func.func @others.grid0.body(
// CHECK-NOT:     pmadd
// CHECK:         return
tile.program @others(%Q: !tile.buf<q, d : ui8>, %P: !tile.buf<q, d : i8>, %K: !tile.buf<k, d : i8>, %W: !tile.buf<k, d : i8>, %S: !tile.buf<q, k : f32>, %n: index) target #words {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : ui8> -> !tile.tile<q:8, d:32, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : i8> -> !tile.tile<k:2, d:32, f32>
    // expected-remark@below {{computes a product of 8-bit integers in f32, because its operand along the lanes is unsigned [kernel]}}
    %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:8, d:32, f32>, !tile.tile<k:2, d:32, f32>) -> !tile.tile<q:8, k:2, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:8, k:2, f32>, !tile.buf<q, k : f32>
    %p = tile.load %P[%c0, %c0] valid(d = %n) : !tile.buf<q, d : i8> -> !tile.tile<q:8, d:32, f32>
    %w = tile.load %W[%c0, %c0] valid(d = %n) : !tile.buf<k, d : i8> -> !tile.tile<k:2, d:32, f32>
    // expected-remark@below {{computes a product of 8-bit integers in f32, because its number of features is known at run time only [kernel]}}
    %t = tile.dot (%p, %w) sum(d) : (!tile.tile<q:8, d:32, f32>, !tile.tile<k:2, d:32, f32>) -> !tile.tile<q:8, k:2, f32>
    tile.store %t, %S[%c0, %c0] : !tile.tile<q:8, k:2, f32>, !tile.buf<q, k : f32>
  }
}

// -----

#matrix = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = matrix>

// CHECK-LABEL: func.func @started.grid0.body(
// CHECK-NOT:     tdpbssd
// CHECK:         return
tile.program @started(%Q: !tile.buf<q, d : i8>, %K: !tile.buf<k, d : i8>, %S: !tile.buf<q, k : f32>) target #matrix {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.buf<q, d : i8> -> !tile.tile<q:16, d:64, f32>
    %k = tile.load %K[%c0, %c0] : !tile.buf<k, d : i8> -> !tile.tile<k:16, d:64, f32>
    %a = tile.splat 1.0 : !tile.tile<q:16, k:16, f32>
    // expected-remark@below {{computes a product of 8-bit integers in f32, because its sums start at others [kernel]}}
    %s = tile.dot (%q, %k) sum(d) acc(%a) : (!tile.tile<q:16, d:64, f32>, !tile.tile<k:16, d:64, f32>) -> !tile.tile<q:16, k:16, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
  }
}

// -----

#matrix = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, partial = 64, unit = matrix>

// Sums that a loop carries from zero on are integers from step to step, and
// converted once.
// CHECK-LABEL: func.func @carried.grid0.body(
// CHECK:         scf.for
// CHECK-NOT:     sitofp
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-NOT:     sitofp
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbssd"
// CHECK-NOT:     sitofp
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK:         arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK-NOT:     tdpbssd
// CHECK:         return
tile.program @carried(%Q: !tile.buf<q, d : i8>, %K: !tile.buf<k, d : i8>, %S: !tile.buf<q, k : f32>) target #matrix {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %c192 = arith.constant 192 : index
    %z = tile.splat 0.0 : !tile.tile<q:16, k:16, f32>
    %s = tile.for (%d0, %nd, %partial) in [(%c0, %c0, %c192, %c192)] step 64 partial_step 64 iter(%carried = %z) -> (!tile.tile<q:16, k:16, f32>) {
      %q = tile.load %Q[%c0, %d0] : !tile.buf<q, d : i8> -> !tile.tile<q:16, d:64, f32>
      %k = tile.load %K[%c0, %d0] : !tile.buf<k, d : i8> -> !tile.tile<k:16, d:64, f32>
      %next = tile.dot (%q, %k) sum(d) acc(%carried) : (!tile.tile<q:16, d:64, f32>, !tile.tile<k:16, d:64, f32>) -> !tile.tile<q:16, k:16, f32>
      tile.yield %next : !tile.tile<q:16, k:16, f32>
    }
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
  }
}

// -----

#matrix = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, partial = 64, unit = matrix>

// Not if they may exceed 32 bits, or if another product adds to them.
// CHECK-LABEL: func.func @floats.grid0.body(
// CHECK-NOT:     tdpbssd
// CHECK:         return
tile.program @floats(%Q: !tile.buf<q, d : i8>, %K: !tile.buf<k, d : i8>, %S: !tile.buf<q, k : f32>, %n: index) target #matrix {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %z = tile.splat 0.0 : !tile.tile<q:16, k:16, f32>
    %s = tile.for (%d0, %nd, %partial) in [(%c0, %c0, %n, %n)] step 64 partial_step 64 iter(%carried = %z) -> (!tile.tile<q:16, k:16, f32>) {
      %q = tile.load %Q[%c0, %d0] : !tile.buf<q, d : i8> -> !tile.tile<q:16, d:64, f32>
      %k = tile.load %K[%c0, %d0] : !tile.buf<k, d : i8> -> !tile.tile<k:16, d:64, f32>
      // expected-remark@below {{computes a product of 8-bit integers in f32, because its sums may exceed 32 bits [kernel]}}
      %next = tile.dot (%q, %k) sum(d) acc(%carried) : (!tile.tile<q:16, d:64, f32>, !tile.tile<k:16, d:64, f32>) -> !tile.tile<q:16, k:16, f32>
      tile.yield %next : !tile.tile<q:16, k:16, f32>
    }
    %c64 = arith.constant 64 : index
    %t = tile.for (%d0, %nd, %partial) in [(%c0, %c0, %c64, %c64)] step 64 partial_step 64 iter(%carried = %s) -> (!tile.tile<q:16, k:16, f32>) {
      %q = tile.load %Q[%c0, %d0] : !tile.buf<q, d : i8> -> !tile.tile<q:16, d:64, f32>
      %k = tile.load %K[%c0, %d0] : !tile.buf<k, d : i8> -> !tile.tile<k:16, d:64, f32>
      // expected-remark@below {{computes a product of 8-bit integers in f32, because its sums start at others [kernel]}}
      %next = tile.dot (%q, %k) sum(d) acc(%carried) : (!tile.tile<q:16, d:64, f32>, !tile.tile<k:16, d:64, f32>) -> !tile.tile<q:16, k:16, f32>
      tile.yield %next : !tile.tile<q:16, k:16, f32>
    }
    tile.store %t, %S[%c0, %c0] : !tile.tile<q:16, k:16, f32>, !tile.buf<q, k : f32>
  }
}

// -----

#bytes = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 2, tail = 0, lane_skip = false, pack = never, unit = dot>

// Elements of a row along the lanes follow each other, so four rows are loaded
// as vectors and joined.
// CHECK-LABEL: func.func @rows_along_lanes.grid0.body(
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<16xi8>
// CHECK-NEXT:    arith.extui %{{.*}} : vector<16xi8> to vector<16xi32>
// CHECK-COUNT-3: arith.shli %{{.*}} : vector<16xi32>
// CHECK:         arith.ori %{{.*}} : vector<16xi32>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK:         return
tile.program @rows_along_lanes(%W: !tile.buf<k, q : i8>, %X: !tile.buf<e, k : i8>, %S: !tile.buf<e, q : f32>) target #bytes {
  %c1 = arith.constant 1 : index
  tile.grid (%i) to (%c1) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] : !tile.buf<k, q : i8> -> !tile.tile<q:16, k:64, f32>
    %x = tile.load %X[%c0, %c0] : !tile.buf<e, k : i8> -> !tile.tile<e:16, k:64, f32>
    %s = tile.dot (%w, %x) sum(k) : (!tile.tile<q:16, k:64, f32>, !tile.tile<e:16, k:64, f32>) -> !tile.tile<q:16, e:16, f32>
    tile.store %s, %S[%c0, %c0] : !tile.tile<q:16, e:16, f32>, !tile.buf<e, q : f32>
  }
}
