// Every op as it is written; --verify-roundtrip compares the printed form.
// RUN: attnc-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: tile.program @names_of_arguments_stay(%Q: !tile.buf<b, q, d : bf16>, %scalar: !tile.buf<f32>, %bytes: !tile.buf<a0 : ui8>, %batch: index)
// CHECK-SAME:    target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [8, 2], unroll = 4, tail = 16, lane_skip = true, pack = auto> {
tile.program @names_of_arguments_stay(%Q: !tile.buf<b, q, d : bf16>, %scalar: !tile.buf<f32>, %bytes: !tile.buf<a0 : ui8>, %batch: index)
    target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [8, 2], unroll = 4, tail = 16, lane_skip = true, pack = auto> {
  // CHECK: tile.grid (%b, %i) to (%batch, %batch) order(desc 1) {
  tile.grid (%b, %i) to (%batch, %batch) order(desc 1) {
  }
  // CHECK: tile.grid (%b) to (%batch) {
  tile.grid (%b) to (%batch) {
  }
}

// A field that has its default is not printed.
// CHECK-LABEL: tile.program @keys_of_a_partial_tile() target
// CHECK-SAME: pack = never, partial = 8>
tile.program @keys_of_a_partial_tile() target #tile.cpu<isa = sse2, mapping = rows, lanes = 4, score_granule = [4, 2], value_granule = [4, 2], unroll = 1, tail = 0, lane_skip = false, pack = never, partial = 8> {
}

// CHECK-LABEL: func.func @load_and_store
func.func @load_and_store(%x: !tile.buf<b, q, d : bf16>, %b: index, %n: index) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[T:.*]] = tile.load %{{.*}}[%{{.*}}, %[[N:.*]], %{{.*}}] valid(q = %[[N]]) : <b, q, d : bf16> -> <q:8, d:4, bf16>
  %0 = tile.load %x[%b, %n, %c0] valid(q = %n) : !tile.buf<b, q, d : bf16> -> !tile.tile<q:8, d:4, bf16>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : <b, q, d : bf16> -> <d:4, bf16>
  %1 = tile.load %x[%b, %n, %c0] : !tile.buf<b, q, d : bf16> -> !tile.tile<d:4, bf16>
  // CHECK: tile.store %[[T]], %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] valid(q = %{{.*}}, d = %{{.*}}) : <q:8, d:4, bf16>, <b, q, d : bf16>
  tile.store %0, %x[%b, %n, %c0] valid(q = %n, d = %c0) : !tile.tile<q:8, d:4, bf16>, !tile.buf<b, q, d : bf16>
  return
}

// CHECK-LABEL: func.func @integers_become_floats
func.func @integers_become_floats(%x: !tile.buf<b, k, d : i8>, %i: index) {
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : <b, k, d : i8> -> <k:8, d:4, bf16>
  %0 = tile.load %x[%i, %i, %i] : !tile.buf<b, k, d : i8> -> !tile.tile<k:8, d:4, bf16>
  return
}

// CHECK-LABEL: func.func @read_every_kind
func.func @read_every_kind(%f: !tile.buf<f16>, %i: !tile.buf<a0 : i64>, %t: !tile.buf<a0, a1 : i1>, %n: index) {
  // CHECK: tile.read %{{.*}}[] : <f16> -> f64
  %0 = tile.read %f[] : !tile.buf<f16> -> f64
  // CHECK: tile.read %{{.*}}[%{{.*}}] : <a0 : i64> -> index
  %1 = tile.read %i[%n] : !tile.buf<a0 : i64> -> index
  // CHECK: tile.read %{{.*}}[%{{.*}}, %{{.*}}] : <a0, a1 : i1> -> i1
  %2 = tile.read %t[%n, %n] : !tile.buf<a0, a1 : i1> -> i1
  // CHECK: tile.present %{{.*}} : <f16>
  %3 = tile.present %f : !tile.buf<f16>
  return
}

// CHECK-LABEL: func.func @loops
func.func @loops(%a: index, %b: index, %x: !tile.tile<q:4, f32>) {
  // CHECK: tile.for (%[[K0:.*]], %[[NK:.*]], %{{.*}}) in [(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}), (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})] step 64 partial_step 16 {
  tile.for (%k0, %nk, %partial) in [(%a, %a, %a, %b), (%b, %b, %b, %b)] step 64 partial_step 16 {
    %0 = arith.addi %k0, %nk : index
    // CHECK: tile.yield{{$}}
    tile.yield
  }
  // CHECK: %[[R:.*]]:2 = tile.for (%{{.*}}, %{{.*}}, %{{.*}}) in [] step 8 partial_step 8 iter(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (!tile.tile<q:4, f32>, index) {
  %r:2 = tile.for (%k0, %nk, %partial) in [] step 8 partial_step 8 iter(%u = %x, %v = %a) -> (!tile.tile<q:4, f32>, index) {
    // CHECK: tile.yield %[[A]], %[[B]] : !tile.tile<q:4, f32>, index
    tile.yield %u, %v : !tile.tile<q:4, f32>, index
  }
  // CHECK: tile.phase "empty" {
  tile.phase "empty" {
    tile.yield
  }
  return
}

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: tile.splat 1.500000e+00 : <q:4, bf16>
  %0 = tile.splat 1.5 : !tile.tile<q:4, bf16>
  // CHECK: tile.splat -inf : <q:4, f32>
  %1 = tile.splat -inf : !tile.tile<q:4, f32>
  // CHECK: tile.splat inf : <q:4, f64>
  %2 = tile.splat inf : !tile.tile<q:4, f64>
  // CHECK: tile.splat nan : <q:4, f16>
  %3 = tile.splat nan : !tile.tile<q:4, f16>
  // CHECK: tile.splat -2.000000e+00 : <q:4, k:4, index>
  %4 = tile.splat -2.0 : !tile.tile<q:4, k:4, index>
  return
}

// CHECK-LABEL: func.func @values
func.func @values(%q: !tile.tile<q:4, d:2, f32>, %k: !tile.tile<k:8, d:2, f16>, %s: !tile.tile<q:4, k:8, f32>, %m: !tile.tile<k:8, i1>, %r: !tile.tile<q:4, f32>, %n: index, %p: i1) {
  // CHECK: tile.dot(%{{.*}}, %{{.*}}) sum(d) : (!tile.tile<q:4, d:2, f32>, !tile.tile<k:8, d:2, f16>) -> !tile.tile<q:4, k:8, f32>
  %0 = tile.dot (%q, %k) sum(d) : (!tile.tile<q:4, d:2, f32>, !tile.tile<k:8, d:2, f16>) -> !tile.tile<q:4, k:8, f32>
  // CHECK: tile.dot(%{{.*}}, %{{.*}}) sum(d) at(d = %{{.*}}) : (!tile.tile<q:4, d:2, f32>, !tile.tile<k:8, d:2, f16>) -> !tile.tile<q:4, k:8, f32> term {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: index):
  %places = arith.constant 0 : index
  %terms = tile.dot (%q, %k) sum(d) at(d = %places) : (!tile.tile<q:4, d:2, f32>, !tile.tile<k:8, d:2, f16>) -> !tile.tile<q:4, k:8, f32> term {
  ^bb0(%x: f32, %y: f32, %d: index):
    %sum = arith.addf %x, %y : f32
    tile.yield %sum : f32
  }
  // CHECK: tile.dot(%{{.*}}, %{{.*}}) and(%{{.*}}, %{{.*}} : !tile.tile<k:8, d:2, f16>, !tile.tile<q:4, d:2, f32>) sum(d) : (!tile.tile<q:4, d:2, f32>, !tile.tile<k:8, d:2, f16>) -> !tile.tile<q:4, k:8, f32> term {
  // CHECK-NEXT: ^bb0(%x: f32, %x_{{[0-9]+}}: f32, %x_{{[0-9]+}}: f32, %x_{{[0-9]+}}: f32):
  %more = tile.dot (%q, %k) and (%k, %q : !tile.tile<k:8, d:2, f16>, !tile.tile<q:4, d:2, f32>) sum(d) : (!tile.tile<q:4, d:2, f32>, !tile.tile<k:8, d:2, f16>) -> !tile.tile<q:4, k:8, f32> term {
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32):
    %product = arith.mulf %z, %w : f32
    tile.yield %product : f32
  }
  // CHECK: tile.dot(%{{.*}}, %{{.*}}) sum(d) acc(%{{.*}}) where(%{{.*}} : !tile.tile<k:8, i1>) : (!tile.tile<q:4, d:2, f32>, !tile.tile<k:8, d:2, f16>) -> !tile.tile<q:4, k:8, f32>
  %1 = tile.dot (%q, %k) sum(d) acc(%s) where(%m : !tile.tile<k:8, i1>) : (!tile.tile<q:4, d:2, f32>, !tile.tile<k:8, d:2, f16>) -> !tile.tile<q:4, k:8, f32>
  // CHECK: tile.map(%{{.*}}, %{{.*}}) at(k = %{{.*}}) : (!tile.tile<q:4, k:8, f32>, !tile.tile<k:8, i1>) -> !tile.tile<q:4, k:8, f32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i1, %{{.*}}: index):
  %2 = tile.map (%s, %m) at(k = %n) : (!tile.tile<q:4, k:8, f32>, !tile.tile<k:8, i1>) -> !tile.tile<q:4, k:8, f32> {
  ^bb0(%x: f32, %c: i1, %key: index):
    tile.yield %x : f32
  }
  // CHECK: tile.select_masked %{{.*}} with(%{{.*}} : !tile.tile<k:8, i1>) at(q = %{{.*}}) valid(k = %{{.*}}) when %{{.*}} fill -inf : !tile.tile<q:4, k:8, f32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: i1, %{{.*}}: index):
  %3 = tile.select_masked %s with(%m : !tile.tile<k:8, i1>) at(q = %n) valid(k = %n) when %p fill -inf : !tile.tile<q:4, k:8, f32> {
  ^bb0(%c: i1, %row: index):
    tile.yield %c : i1
  }
  // CHECK: tile.reduce add(%{{.*}}) over(k) init(%{{.*}}) : (<q:4, k:8, f32>) -> !tile.tile<q:4, f32>
  %4 = tile.reduce add (%s) over(k) init(%r) : (!tile.tile<q:4, k:8, f32>) -> !tile.tile<q:4, f32>
  // CHECK: tile.rescale %{{.*}} by %{{.*}} : !tile.tile<q:4, k:8, f32>, <q:4, f32>
  %5 = tile.rescale %s by %r : !tile.tile<q:4, k:8, f32>, !tile.tile<q:4, f32>
  // CHECK: %[[MAP:.*]] = tile.map() at(r = %{{.*}}) : () -> !tile.tile<r:11, f32>
  %7 = tile.map () at(r = %n) : () -> !tile.tile<r:11, f32> {
  ^bb0(%d: index):
    %c = arith.constant 1.0 : f32
    tile.yield %c : f32
  }
  // CHECK: tile.skew %[[MAP]] plus(q) minus(k) : <r:11, f32> -> <q:4, k:8, f32>
  %8 = tile.skew %7 plus(q) minus(k) : !tile.tile<r:11, f32> -> !tile.tile<q:4, k:8, f32>
  // CHECK: tile.any_nan %{{.*}} valid(q = %{{.*}}) : <q:4, f32>
  %6 = tile.any_nan %r valid(q = %n) : !tile.tile<q:4, f32>
  return
}

// CHECK-LABEL: tile.program @memory
tile.program @memory(%x: !tile.buf<k, d : f32>, %n: index) target #tile.none {
  // CHECK: tile.workspace[%{{.*}}, %{{.*}}] : <q, d : i1>
  %w = tile.workspace [%n, %n] : !tile.buf<q, d : i1>
  // CHECK: tile.workspace[] : <f64>
  %s = tile.workspace [] : !tile.buf<f64>
  // CHECK: tile.rename %{{.*}} : <k, d : f32> -> <q, e : f32>
  %r = tile.rename %x : !tile.buf<k, d : f32> -> !tile.buf<q, e : f32>
  // CHECK: tile.rename %{{.*}} merge("q", "h" by 4) : <k, d : f32> -> <h, q : f32>
  %m = tile.rename %x merge("q", "h" by 4) : !tile.buf<k, d : f32> -> !tile.buf<h, q : f32>
  // CHECK: tile.rename %{{.*}} merge("q" by 4) : <k, d : f32> -> <q, d : f32>
  %o = tile.rename %x merge("q" by 4) : !tile.buf<k, d : f32> -> !tile.buf<q, d : f32>
  // CHECK: tile.grid (%i) to (%{{.*}}) order(desc 0) target #tile.none {
  tile.grid (%i) to (%n) order(desc 0) target #tile.none {
  }
}

// CHECK-LABEL: func.func @questions_about_tables
func.func @questions_about_tables(%t: !tile.buf<a0, a1 : i32>, %n: index) -> index {
  // CHECK: %[[A:.*]] = tile.table_min %{{.*}}[%{{.*}}, %{{.*}}] to[%{{.*}}, %{{.*}}] : <a0, a1 : i32>
  %0 = tile.table_min %t[%n, %n] to [%n, %n] : !tile.buf<a0, a1 : i32>
  // CHECK: tile.table_max %{{.*}}[%[[A]], %{{.*}}] to[%{{.*}}, %{{.*}}] : <a0, a1 : i32>
  %1 = tile.table_max %t[%0, %n] to [%n, %n] : !tile.buf<a0, a1 : i32>
  // CHECK: tile.lower_bound %{{.*}}[%{{.*}}], %{{.*}} : <a0, a1 : i32>
  %2 = tile.lower_bound %t[%n], %1 : !tile.buf<a0, a1 : i32>
  return %2 : index
}

// CHECK-LABEL: func.func @for_with_classes
func.func @for_with_classes(%n: index, %zero: index) -> index {
  // CHECK: tile.for (%{{.*}}, %{{.*}}, %{{.*}}) in
  // CHECK: } classify (%[[K0:.*]], %{{.*}}) {
  // CHECK-NEXT: tile.yield %[[K0]] : index
  %0 = tile.for (%k0, %nk, %p) in [(%zero, %zero, %zero, %n)] step 8 partial_step 4 iter(%a = %zero) -> (index) {
    %1 = arith.addi %a, %nk : index
    tile.yield %1 : index
  } classify (%a, %b) {
    tile.yield %a : index
  }
  return %0 : index
}

// CHECK-LABEL: func.func @storage
func.func @storage(%K: !tile.buf<p, k, d : f32>, %t: !tile.buf<a0, a1 : i32>, %start: !tile.buf<a0 : i64>, %n: index) {
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] valid(k = %{{.*}}) through(%{{.*}}[%{{.*}}] step 16 : !tile.buf<a0, a1 : i32>) : <p, k, d : f32> -> <k:8, d:4, f32>
  %0 = tile.load %K[%n, %n, %n] valid(k = %n) through(%t[%n] step 16 : !tile.buf<a0, a1 : i32>) : !tile.buf<p, k, d : f32> -> !tile.tile<k:8, d:4, f32>
  // CHECK: tile.locate %{{.*}} in %{{.*}} step 32 : <a0 : i64>
  %b, %i = tile.locate %n in %start step 32 : !tile.buf<a0 : i64>
  return
}
