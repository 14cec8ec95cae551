// RUN: attnc-opt %s --split-input-file --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// Grids that differ only in their tensors have one body, which takes the

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// numbers of the tensors.
// CHECK-LABEL: func.func @tensors.grid0.shared(
// CHECK-SAME:    i64, %{{.*}}: i64, %{{.*}}: i64) attributes {passthrough = ["noinline"]}
// CHECK:         llvm.store %{{.*}} vector<16xf32>
// CHECK-LABEL: func.func @tensors.grid0.body(
// CHECK-SAME:    %[[CALL:[a-z0-9]+]]: !llvm.ptr {{.*}}, %[[SCRATCH:[a-z0-9]+]]: !llvm.ptr {{.*}}, %[[TASK:[a-z0-9]+]]: i64)
// CHECK:         call @tensors.grid0.shared(%[[CALL]], %[[SCRATCH]], %[[TASK]], %c0_i64, %c1_i64)
// CHECK-LABEL: func.func @tensors.grid1.body(
// CHECK:         call @tensors.grid0.shared({{.*}}, %c1_i64, %c2_i64)
// CHECK-NOT:     vector<16xf32>
// CHECK-LABEL: func.func @tensors.scratch(
tile.program @tensors(%x: !tile.buf<a, q : f32>, %y: !tile.buf<a, q : f32>, %z: !tile.buf<a, q : f32>, %n: index) target #cpu {
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %y[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %y[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %z[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// A buffer that both grids use in the same position is no parameter; two that

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// change places are.
// CHECK-LABEL: func.func @swapped.grid0.shared(
// CHECK-SAME:    i64, %{{.*}}: i64, %{{.*}}: i64) attributes
// CHECK-LABEL: func.func @swapped.grid0.body(
// CHECK:         call @swapped.grid0.shared({{.*}}, %c1_i64, %c2_i64)
// CHECK-LABEL: func.func @swapped.grid1.body(
// CHECK:         call @swapped.grid0.shared({{.*}}, %c2_i64, %c1_i64)
tile.program @swapped(%x: !tile.buf<a, q : f32>, %y: !tile.buf<a, q : f32>, %z: !tile.buf<a, q : f32>, %n: index) target #cpu {
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    %t = tile.load %y[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %y[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
    tile.store %t, %z[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    %t = tile.load %z[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %z[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
    tile.store %t, %y[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// A buffer in two positions does not match two buffers, in neither order.
// CHECK-LABEL: func.func @twice.grid0.shared(
// CHECK-SAME:    i64, %{{.*}}: i64) attributes
// CHECK:         vector<16xf32>
// CHECK-LABEL: func.func @twice.grid1.body(
// CHECK:         vector<16xf32>
// CHECK-LABEL: func.func @twice.grid2.body(
// CHECK:         call @twice.grid0.shared(
tile.program @twice(%x: !tile.buf<a, q : f32>, %y: !tile.buf<a, q : f32>, %n: index) target #cpu {
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %x[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %y[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %y[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %y[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// Two buffers do not match one either: the map is one-to-one.
// CHECK-LABEL: func.func @once.grid0.body(
// CHECK:         vector<16xf32>
// CHECK-LABEL: func.func @once.grid1.body(
// CHECK:         vector<16xf32>
tile.program @once(%x: !tile.buf<a, q : f32>, %y: !tile.buf<a, q : f32>, %n: index) target #cpu {
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %y[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %y[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %y[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// Both grids use %r, whose base is %x; so %y cannot replace %x.
// CHECK-LABEL: func.func @renamed.grid0.body(
// CHECK:         vector<16xf32>
// CHECK-LABEL: func.func @renamed.grid1.body(
// CHECK:         vector<16xf32>
tile.program @renamed(%x: !tile.buf<a, q : f32>, %y: !tile.buf<a, q : f32>, %z: !tile.buf<a, q : f32>, %n: index) target #cpu {
  %r = tile.rename %x : !tile.buf<a, q : f32> -> !tile.buf<b, q : f32>
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %r[%a, %c0] : !tile.buf<b, q : f32> -> !tile.tile<q:16, f32>
    %t = tile.load %x[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %z[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
    tile.store %t, %z[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %r[%a, %c0] : !tile.buf<b, q : f32> -> !tile.tile<q:16, f32>
    %t = tile.load %y[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %z[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
    tile.store %t, %z[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// What matters is the base, not whether it has another name.
// CHECK-LABEL: func.func @names.grid0.shared(
// CHECK-LABEL: func.func @names.grid1.body(
// CHECK:         call @names.grid0.shared({{.*}}, %c1_i64, %c0_i64)
tile.program @names(%x: !tile.buf<a, q : f32>, %y: !tile.buf<b, q : f32>, %n: index) target #cpu {
  %rx = tile.rename %x : !tile.buf<a, q : f32> -> !tile.buf<b, q : f32>
  %ry = tile.rename %y : !tile.buf<b, q : f32> -> !tile.buf<a, q : f32>
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %y[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<b, q : f32>
  }
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %ry[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %rx[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<b, q : f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// Renamed workspaces share code by the offsets of their bases.
// CHECK-LABEL: func.func @renames.grid0.shared(
// CHECK-LABEL: func.func @renames.grid0.body(
// CHECK:         call @renames.grid0.shared({{.*}}, %c0_i64)
// CHECK-LABEL: func.func @renames.grid1.body(
// CHECK:         %[[OFFSET:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK:         call @renames.grid0.shared({{.*}}, %[[OFFSET]])
tile.program @renames(%x: !tile.buf<b, q : f32>, %n: index) target #cpu {
  %c16 = arith.constant 16 : index
  %v = tile.workspace[%n, %c16] : !tile.buf<a, q : f32>
  %w = tile.workspace[%n, %c16] : !tile.buf<a, q : f32>
  %rv = tile.rename %v : !tile.buf<a, q : f32> -> !tile.buf<b, q : f32>
  %rw = tile.rename %w : !tile.buf<a, q : f32> -> !tile.buf<b, q : f32>
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%a, %c0] : !tile.buf<b, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %rv[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<b, q : f32>
  }
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%a, %c0] : !tile.buf<b, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %rw[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<b, q : f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// A tensor and a workspace do not match, nor do workspaces of different sizes:

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// their strides are constants. Neither do grids with different scalars.
// CHECK-LABEL: func.func @forms.grid0.body(
// CHECK:         vector<16xf32>
// CHECK-LABEL: func.func @forms.grid1.body(
// CHECK:         vector<16xf32>
// CHECK-LABEL: func.func @forms.grid2.body(
// CHECK:         vector<16xf32>
// CHECK-LABEL: func.func @forms.grid3.body(
// CHECK:         vector<16xf32>
tile.program @forms(%x: !tile.buf<a, q : f32>, %n: index, %m: index) target #cpu {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %v = tile.workspace[%n, %c16] : !tile.buf<a, q : f32>
  %w = tile.workspace[%n, %c32] : !tile.buf<a, q : f32>
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.splat 1.0 : !tile.tile<q:16, f32>
    tile.store %s, %x[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.splat 1.0 : !tile.tile<q:16, f32>
    tile.store %s, %v[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.splat 1.0 : !tile.tile<q:16, f32>
    tile.store %s, %w[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
  tile.grid (%a) to (%m) {
    %c0 = arith.constant 0 : index
    %s = tile.splat 1.0 : !tile.tile<q:16, f32>
    tile.store %s, %v[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// So do grids of programs with the same arguments, whatever letters their axes
// have: the cases of a function. A workspace is passed, since its place differs;
// a tensor is not.
// CHECK-LABEL: func.func @f.case0.grid0.body(
// CHECK-NOT:     call
// CHECK:         return
// CHECK-LABEL: func.func @f.case0.grid1.shared(
// CHECK-SAME:    i64, %{{[a-z0-9]+}}: i64) attributes
// CHECK-LABEL: func.func @f.case0.grid1.body(
// CHECK:         call @f.case0.grid1.shared({{.*}}, %{{.*}}, %{{.*}}, %{{[^,]*}}) :
// CHECK-LABEL: func.func @f.grid0.body(
// CHECK-NOT:     vector<16xf32>
// CHECK:         call @f.case0.grid1.shared({{.*}}, %{{.*}}, %{{.*}}, %c0_i64) :
tile.program @f.case0(%x: !tile.buf<a, q : f32>, %y: !tile.buf<b, q : f32>, %n: index) target #cpu {
  %c16 = arith.constant 16 : index
  %blocks = arith.ceildivsi %n, %c16 : index
  %u = tile.workspace[%n] : !tile.buf<a0 : f32>
  %v = tile.workspace[%n, %c16] : !tile.buf<b, q : f32>
  tile.grid (%a) to (%blocks) {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%a, %c0] : !tile.buf<a, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %y[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<b, q : f32>
  }
  tile.grid (%a) to (%blocks) {
    %c0 = arith.constant 0 : index
    %s = tile.load %y[%a, %c0] : !tile.buf<b, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %v[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<b, q : f32>
  }
}
tile.program @f(%x: !tile.buf<c, q : f32>, %y: !tile.buf<b, q : f32>, %n: index) target #cpu {
  %c16 = arith.constant 16 : index
  %blocks = arith.ceildivsi %n, %c16 : index
  %v = tile.workspace[%n, %c16] : !tile.buf<b, q : f32>
  tile.grid (%a) to (%blocks) {
    %c0 = arith.constant 0 : index
    %s = tile.load %y[%a, %c0] : !tile.buf<b, q : f32> -> !tile.tile<q:16, f32>
    tile.store %s, %v[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<b, q : f32>
  }
}

// -----

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 1, tail = 0, lane_skip = false, pack = never>

// Programs with other arguments share none, nor do grids whose extents are
// computed in another way, nor grids of different targets.
// CHECK-LABEL: func.func @f.grid0.body(
// CHECK:         vector<16xf32>
// CHECK-LABEL: func.func @arguments.grid0.body(
// CHECK:         vector<16xf32>
// CHECK-LABEL: func.func @extents.grid0.body(
// CHECK:         vector<16xf32>
// CHECK-LABEL: func.func @target.grid0.body(
// CHECK:         vector<16xf32>
tile.program @f(%x: !tile.buf<a, q : f32>, %n: index) target #cpu {
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.splat 1.0 : !tile.tile<q:16, f32>
    tile.store %s, %x[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
}
tile.program @arguments(%x: !tile.buf<a, q : f32>, %y: !tile.buf<a, q : f32>, %n: index) target #cpu {
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.splat 1.0 : !tile.tile<q:16, f32>
    tile.store %s, %x[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
}
tile.program @extents(%x: !tile.buf<a, q : f32>, %n: index) target #cpu {
  %twice = arith.addi %n, %n : index
  tile.grid (%a) to (%twice) {
    %c0 = arith.constant 0 : index
    %s = tile.splat 1.0 : !tile.tile<q:16, f32>
    tile.store %s, %x[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
}
tile.program @target(%x: !tile.buf<a, q : f32>, %n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [1, 1], value_granule = [1, 1], unroll = 2, tail = 0, lane_skip = false, pack = never> {
  tile.grid (%a) to (%n) {
    %c0 = arith.constant 0 : index
    %s = tile.splat 1.0 : !tile.tile<q:16, f32>
    tile.store %s, %x[%a, %c0] : !tile.tile<q:16, f32>, !tile.buf<a, q : f32>
  }
}
