// RUN: attnc-opt %s --convert-tile-to-llvm --canonicalize --cse | FileCheck %s

#cpu = #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [2, 1], value_granule = [2, 1], unroll = 1, tail = 0, lane_skip = true, pack = never>

// Blocks from the last one on, each with keys of its own: while values are
// multiplied, two rows at a time come into L2 (hint 2) of the results, of the
// queries of the block before (before the first block: the last one), and of as many
// keys and values before the first ones.
// CHECK-LABEL: func.func @window.grid0.body(
// CHECK:         %[[MOST:.*]] = arith.subi %{{.*}}, %c1 : index
// CHECK:         %[[LOW:.*]] = arith.maxsi %{{.*}}, %c0 : index
// CHECK:         %[[IS_FIRST:.*]] = arith.cmpi eq, %[[I:.*]], %c0 : index
// CHECK-NEXT:    %[[BACK:.*]] = arith.addi %[[I]], %c-1 : index
// CHECK-NEXT:    arith.select %[[IS_FIRST]], %[[MOST]], %[[BACK]] : index
// CHECK:         %[[BEFORE:.*]] = arith.subi %[[LOW]], %c16 : index
// CHECK-NEXT:    %[[NEW:.*]] = arith.maxsi %[[BEFORE]], %c0 : index
// CHECK-NEXT:    arith.muli %[[NEW]],
// CHECK:         %[[END:.*]] = arith.minsi %{{.*}}, %c16 : index
// CHECK-NEXT:    scf.for %{{.*}} to %[[END]] step
// CHECK-COUNT-4:   llvm.intr.prefetch{{.*}} hint = 2 :
// CHECK-NOT:       hint = 2 :
tile.program @window(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %V: !tile.buf<k, e : f32>, %O: !tile.buf<q, e : f32>, %n: index, %blocks: index) target #cpu {
  tile.grid (%i) to (%blocks) order(desc 0) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %q0 = arith.muli %i, %c16 : index
    %end = arith.addi %q0, %c16 : index
    %before = arith.subi %q0, %c16 : index
    %low = arith.maxsi %before, %c0 : index
    %q = tile.load %Q[%q0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:4, f32>
    %o0 = tile.splat 0.0 : !tile.tile<q:16, e:2, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%low, %low, %end, %end)] step 4 partial_step 2 iter(%acc = %o0) -> (!tile.tile<q:16, e:2, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f32> -> !tile.tile<k:4, d:4, f32>
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f32> -> !tile.tile<k:4, e:2, f32>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, f32>, !tile.tile<k:4, d:4, f32>) -> !tile.tile<q:16, k:4, f32>
      %t = tile.select_masked %s at(q = %q0, k = %k0) valid(k = %nk) when %partial fill 0.0 : !tile.tile<q:16, k:4, f32> {
      ^bb0(%qi: index, %ki: index):
        %c = arith.cmpi sle, %ki, %qi : index
        tile.yield %c : i1
      }
      %next = tile.dot (%t, %v) sum(k) acc(%acc) : (!tile.tile<q:16, k:4, f32>, !tile.tile<k:4, e:2, f32>) -> !tile.tile<q:16, e:2, f32>
      tile.yield %next : !tile.tile<q:16, e:2, f32>
    }
    tile.store %o, %O[%q0, %c0] valid(q = %n) : !tile.tile<q:16, e:2, f32>, !tile.buf<q, e : f32>
  }
}

// All blocks begin with the first keys: those and their values come, too.
// CHECK-LABEL: func.func @causal.grid0.body(
// CHECK-COUNT-4:   llvm.intr.prefetch{{.*}} hint = 2 :
// CHECK-NOT:       hint = 2 :
tile.program @causal(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %V: !tile.buf<k, e : f32>, %O: !tile.buf<q, e : f32>, %n: index, %blocks: index) target #cpu {
  tile.grid (%i) to (%blocks) order(desc 0) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %q0 = arith.muli %i, %c16 : index
    %end = arith.addi %q0, %c16 : index
    %before = arith.subi %q0, %c16 : index
    %low = arith.maxsi %before, %c0 : index
    %q = tile.load %Q[%q0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:4, f32>
    %o0 = tile.splat 0.0 : !tile.tile<q:16, e:2, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %end, %end)] step 4 partial_step 2 iter(%acc = %o0) -> (!tile.tile<q:16, e:2, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f32> -> !tile.tile<k:4, d:4, f32>
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f32> -> !tile.tile<k:4, e:2, f32>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, f32>, !tile.tile<k:4, d:4, f32>) -> !tile.tile<q:16, k:4, f32>
      %t = tile.select_masked %s at(q = %q0, k = %k0) valid(k = %nk) when %partial fill 0.0 : !tile.tile<q:16, k:4, f32> {
      ^bb0(%qi: index, %ki: index):
        %c = arith.cmpi sle, %ki, %qi : index
        tile.yield %c : i1
      }
      %next = tile.dot (%t, %v) sum(k) acc(%acc) : (!tile.tile<q:16, k:4, f32>, !tile.tile<k:4, e:2, f32>) -> !tile.tile<q:16, e:2, f32>
      tile.yield %next : !tile.tile<q:16, e:2, f32>
    }
    tile.store %o, %O[%q0, %c0] valid(q = %n) : !tile.tile<q:16, e:2, f32>, !tile.buf<q, e : f32>
  }
}

// Blocks in order: the queries behind, at the last block those of the first.
// CHECK-LABEL: func.func @ascending.grid0.body(
// CHECK:         %[[LAST:.*]] = arith.subi %{{.*}}, %c1 : index
// CHECK-NEXT:    %[[IS_LAST:.*]] = arith.cmpi eq, %{{.*}}, %[[LAST]] : index
// CHECK-NEXT:    %[[BEHIND:.*]] = arith.addi %{{.*}}, %c1 : index
// CHECK-NEXT:    arith.select %[[IS_LAST]], %c0, %[[BEHIND]] : index
// CHECK-COUNT-4:   llvm.intr.prefetch{{.*}} hint = 2 :
// CHECK-NOT:       hint = 2 :
tile.program @ascending(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %V: !tile.buf<k, e : f32>, %O: !tile.buf<q, e : f32>, %n: index, %blocks: index) target #cpu {
  tile.grid (%i) to (%blocks) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %q0 = arith.muli %i, %c16 : index
    %end = arith.addi %q0, %c16 : index
    %before = arith.subi %q0, %c16 : index
    %low = arith.maxsi %before, %c0 : index
    %q = tile.load %Q[%q0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:4, f32>
    %o0 = tile.splat 0.0 : !tile.tile<q:16, e:2, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %end, %end)] step 4 partial_step 2 iter(%acc = %o0) -> (!tile.tile<q:16, e:2, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f32> -> !tile.tile<k:4, d:4, f32>
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f32> -> !tile.tile<k:4, e:2, f32>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, f32>, !tile.tile<k:4, d:4, f32>) -> !tile.tile<q:16, k:4, f32>
      %t = tile.select_masked %s at(q = %q0, k = %k0) valid(k = %nk) when %partial fill 0.0 : !tile.tile<q:16, k:4, f32> {
      ^bb0(%qi: index, %ki: index):
        %c = arith.cmpi sle, %ki, %qi : index
        tile.yield %c : i1
      }
      %next = tile.dot (%t, %v) sum(k) acc(%acc) : (!tile.tile<q:16, k:4, f32>, !tile.tile<k:4, e:2, f32>) -> !tile.tile<q:16, e:2, f32>
      tile.yield %next : !tile.tile<q:16, e:2, f32>
    }
    tile.store %o, %O[%q0, %c0] valid(q = %n) : !tile.tile<q:16, e:2, f32>, !tile.buf<q, e : f32>
  }
}

// Results that are narrower than what is computed are left alone.
// CHECK-LABEL: func.func @narrow.grid0.body(
// CHECK-COUNT-3:   llvm.intr.prefetch{{.*}} hint = 2 :
// CHECK-NOT:       hint = 2 :
// CHECK:         return
tile.program @narrow(%Q: !tile.buf<q, d : f32>, %K: !tile.buf<k, d : f32>, %V: !tile.buf<k, e : f32>, %O: !tile.buf<q, e : bf16>, %n: index, %blocks: index) target #cpu {
  tile.grid (%i) to (%blocks) order(desc 0) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %q0 = arith.muli %i, %c16 : index
    %end = arith.addi %q0, %c16 : index
    %before = arith.subi %q0, %c16 : index
    %low = arith.maxsi %before, %c0 : index
    %q = tile.load %Q[%q0, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:16, d:4, f32>
    %o0 = tile.splat 0.0 : !tile.tile<q:16, e:2, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%low, %low, %end, %end)] step 4 partial_step 2 iter(%acc = %o0) -> (!tile.tile<q:16, e:2, f32>) {
      %k = tile.load %K[%k0, %c0] valid(k = %nk) : !tile.buf<k, d : f32> -> !tile.tile<k:4, d:4, f32>
      %v = tile.load %V[%k0, %c0] valid(k = %nk) : !tile.buf<k, e : f32> -> !tile.tile<k:4, e:2, f32>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, f32>, !tile.tile<k:4, d:4, f32>) -> !tile.tile<q:16, k:4, f32>
      %t = tile.select_masked %s at(q = %q0, k = %k0) valid(k = %nk) when %partial fill 0.0 : !tile.tile<q:16, k:4, f32> {
      ^bb0(%qi: index, %ki: index):
        %c = arith.cmpi sle, %ki, %qi : index
        tile.yield %c : i1
      }
      %next = tile.dot (%t, %v) sum(k) acc(%acc) : (!tile.tile<q:16, k:4, f32>, !tile.tile<k:4, e:2, f32>) -> !tile.tile<q:16, e:2, f32>
      tile.yield %next : !tile.tile<q:16, e:2, f32>
    }
    %b = tile.map(%o) : (!tile.tile<q:16, e:2, f32>) -> !tile.tile<q:16, e:2, bf16> {
    ^bb0(%x: f32):
      %y = arith.truncf %x : f32 to bf16
      tile.yield %y : bf16
    }
    tile.store %b, %O[%q0, %c0] valid(q = %n) : !tile.tile<q:16, e:2, bf16>, !tile.buf<q, e : bf16>
  }
}

// After the last block of a head come the first queries, keys and values of the
// next head; with one tile of keys all of them are fetched at once.
// CHECK-LABEL: func.func @heads.grid0.body(
// CHECK:         %[[LAST:.*]] = arith.subi %{{.*}}, %c1 : index
// CHECK:         %[[IS_LAST:.*]] = arith.cmpi eq, %{{.*}}, %[[LAST]] : index
// CHECK:         %[[BEHIND:.*]] = arith.addi %{{.*}}, %c1 : index
// CHECK-NEXT:    arith.select %[[IS_LAST]], %c0, %[[BEHIND]] : index
// CHECK:         %[[NEXT:.*]] = arith.select %{{.*}}, %c0, %{{.*}} : index
// CHECK-NEXT:    %[[HEAD:.*]] = arith.select %[[IS_LAST]], %[[NEXT]], %{{.*}} : index
// CHECK:         arith.muli %[[HEAD]],
// CHECK:         %[[SINGLE:.*]] = arith.cmpi sle, %{{.*}}, %c1 : index
// CHECK:         arith.select %[[SINGLE]], %c16, %c2 : index
// CHECK-COUNT-4:   llvm.intr.prefetch{{.*}} hint = 2 :
// CHECK-NOT:       hint = 2 :
// CHECK:         return
tile.program @heads(%Q: !tile.buf<h, q, d : f32>, %K: !tile.buf<h, k, d : f32>, %V: !tile.buf<h, k, e : f32>, %O: !tile.buf<h, q, e : f32>, %n: index, %m: index, %heads: index, %blocks: index) target #cpu {
  tile.grid (%h, %i) to (%heads, %blocks) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %q0 = arith.muli %i, %c16 : index
    %q = tile.load %Q[%h, %q0, %c0] : !tile.buf<h, q, d : f32> -> !tile.tile<q:16, d:4, f32>
    %o0 = tile.splat 0.0 : !tile.tile<q:16, e:2, f32>
    %o = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %m, %m)] step 4 partial_step 2 iter(%acc = %o0) -> (!tile.tile<q:16, e:2, f32>) {
      %k = tile.load %K[%h, %k0, %c0] valid(k = %nk) : !tile.buf<h, k, d : f32> -> !tile.tile<k:4, d:4, f32>
      %v = tile.load %V[%h, %k0, %c0] valid(k = %nk) : !tile.buf<h, k, e : f32> -> !tile.tile<k:4, e:2, f32>
      %s = tile.dot (%q, %k) sum(d) : (!tile.tile<q:16, d:4, f32>, !tile.tile<k:4, d:4, f32>) -> !tile.tile<q:16, k:4, f32>
      %t = tile.select_masked %s at(q = %q0, k = %k0) valid(k = %nk) when %partial fill 0.0 : !tile.tile<q:16, k:4, f32> {
      ^bb0(%qi: index, %ki: index):
        %c = arith.cmpi sle, %ki, %qi : index
        tile.yield %c : i1
      }
      %next = tile.dot (%t, %v) sum(k) acc(%acc) : (!tile.tile<q:16, k:4, f32>, !tile.tile<k:4, e:2, f32>) -> !tile.tile<q:16, e:2, f32>
      tile.yield %next : !tile.tile<q:16, e:2, f32>
    }
    tile.store %o, %O[%h, %q0, %c0] valid(q = %n) : !tile.tile<q:16, e:2, f32>, !tile.buf<h, q, e : f32>
  }
}

// A product outside of kernels copies its lanes tile by tile of the sum. While
// rows are multiplied, the lanes of the next tile come into L2, those of the
// next task during the last tile: four rows of 16 for each of two register
// tiles. During the last tile come also the rows that it stores, two for each.
// CHECK-LABEL: func.func @product.grid0.body(
// CHECK:         %[[FOLLOWING:.*]] = arith.addi %{{.*}}, %c8 : index
// CHECK-NEXT:    %[[IS_LAST:.*]] = arith.cmpi sge, %[[FOLLOWING]], %c32 : index
// CHECK:         arith.select %[[IS_LAST]], %{{.*}}, %{{.*}} : !llvm.ptr
// CHECK-COUNT-4:   llvm.intr.prefetch{{.*}} hint = 2 :
// CHECK-NOT:       hint = 2 :
// CHECK:         scf.if %[[IS_LAST]]
// CHECK-COUNT-2:   llvm.intr.prefetch{{.*}} hint = 2 :
// CHECK-NOT:       hint = 2 :
// CHECK:         return
tile.program @product(%X: !tile.buf<e, k : f32>, %W: !tile.buf<k, q : f32>, %Y: !tile.buf<e, q : f32>, %columns: index) target #cpu {
  tile.grid (%i) to (%columns) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %e0 = arith.muli %i, %c16 : index
    %y0 = tile.splat 0.0 : !tile.tile<q:16, e:4, f32>
    %y = tile.for (%k0, %nk, %partial) in [(%c0, %c0, %c32, %c32)] step 8 partial_step 8 iter(%acc = %y0) -> (!tile.tile<q:16, e:4, f32>) {
      %w = tile.load %W[%k0, %e0] valid(k = %nk) : !tile.buf<k, q : f32> -> !tile.tile<q:16, k:8, f32>
      %x = tile.load %X[%c0, %k0] valid(k = %nk) : !tile.buf<e, k : f32> -> !tile.tile<e:4, k:8, f32>
      %next = tile.dot (%w, %x) sum(k) acc(%acc) : (!tile.tile<q:16, k:8, f32>, !tile.tile<e:4, k:8, f32>) -> !tile.tile<q:16, e:4, f32>
      tile.yield %next : !tile.tile<q:16, e:4, f32>
    }
    tile.store %y, %Y[%c0, %e0] : !tile.tile<q:16, e:4, f32>, !tile.buf<e, q : f32>
  }
}
