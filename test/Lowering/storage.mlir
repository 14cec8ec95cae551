// Ragged and paged tensors: rows are found where they lie, nothing is copied.
// RUN: attnc -mcpu=x86-64-v3 %S/Inputs/storage.yaml --emit=tile -o - | FileCheck %s

// The blocks of all sequences are numbered; each finds its sequence, and ends
// with it. A block behind the last row has no rows.
// CHECK-LABEL: tile.program @varlen(
// CHECK-SAME: %Q: !tile.buf<q, h, d : f32>, %K: !tile.buf<k, h, d : f32>, %V: !tile.buf<k, h, e : f32>, %start: !tile.buf<a0 : i32>, %O: !tile.buf<q, h, e : f32>
// CHECK: %[[BLOCKS:.*]] = arith.muli
// CHECK: tile.grid (%h, %i) to (%{{.*}}, %[[BLOCKS]]) order(desc 1)
// CHECK: %[[B:.*]], %[[I:.*]] = tile.locate %i in %start step [[STEP:[0-9]+]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[B]], %c1
// CHECK: %[[BEGIN:.*]] = tile.read %start[%[[B]]]
// CHECK: %[[END:.*]] = tile.read %start[%[[NEXT]]]
// CHECK: %[[LENGTH:.*]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK: %[[Q0:.*]] = arith.muli %[[I]], %c[[STEP]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[LENGTH]], %[[Q0]]
// CHECK: %[[SOME:.*]] = arith.minsi %[[LEFT]], %c[[STEP]]
// CHECK: %[[ROWS:.*]] = arith.maxsi %[[SOME]], %c0
// CHECK: %[[FIRST:.*]] = arith.addi %[[BEGIN]], %[[Q0]]
// CHECK: tile.load %Q[%[[FIRST]], %h, %c0] valid(q = %[[ROWS]])
// Keys end with the sequence, too.
// CHECK: %[[LAST:.*]] = arith.minsi %{{.*}}, %[[LENGTH]]
// CHECK: tile.for (%k0, %nk, %partial) in [(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})]
// CHECK: %[[KEY:.*]] = arith.addi %[[BEGIN]], %k0
// CHECK: tile.load %K[%[[KEY]], %h, %c0] valid(k = %nk)
// CHECK: tile.store %{{.*}}, %O[%[[FIRST]], %h, %c0] valid(q = %[[ROWS]])

// The key's number stands at the axis of the rows of a page; the page is added.
// CHECK-LABEL: tile.program @paged(
// CHECK-SAME: %K: !tile.buf<p, h, k, d : f32>
// CHECK: tile.grid (%b, %h, %i)
// CHECK: tile.load %K[%c0, %h, %k0, %c0] valid(k = %nk) through(%table[%b] step 16 : !tile.buf<a0, a1 : i32>)
// CHECK: tile.load %V[%c0, %h, %k0, %c0] valid(k = %nk) through(%table[%b] step 16 : !tile.buf<a0, a1 : i32>)

// Q is a workspace here; the rows of O are those of sequences all the same.
// CHECK-LABEL: tile.program @projected(
// CHECK: %[[W:.*]] = tile.workspace[%batch,
// CHECK: %[[Q:.*]] = tile.rename %[[W]]
// CHECK: tile.grid (%h, %i)
// CHECK: %[[S:.*]], %[[I:.*]] = tile.locate %i in %start step [[STEP:[0-9]+]]
// CHECK: %[[FROM:.*]] = tile.read %start[%[[S]]]
// CHECK: %[[PLACE:.*]] = arith.muli %[[I]], %c[[STEP]]
// CHECK: tile.load %[[Q]][%[[S]], %h, %c0, %[[PLACE]], %c0] valid(q = %[[N:.*]])
// CHECK: %[[TO:.*]] = arith.addi %[[FROM]], %[[PLACE]]
// CHECK: tile.store %{{.*}}, %O[%[[TO]], %h, %c0] valid(q = %[[N]])

// Pairs lie among the keys of all sequences; beside those of the own one stands
// what no key has, and there is no matrix but the output.
// CHECK-LABEL: tile.program @pairs(
// CHECK-SAME: %score: !tile.buf<q, h, k : f32>
// CHECK-NOT: tile.workspace
// CHECK: tile.present %score
// CHECK: tile.for (%k0, %nk, %partial) in [(%[[SEEN:.*]], %[[SEEN]], %[[N:.*]], %[[N]])]
// CHECK: tile.splat -inf
// CHECK: tile.for (%k0, %nk, %partial) in [(%c0, %c0, %{{.*}}, %{{.*}})]
// CHECK: %[[TO:.*]] = arith.addi %[[BEGIN:.*]], %k0
// CHECK: tile.dot
// CHECK: tile.store %{{.*}}, %score[%{{.*}}, %h, %[[TO]]] valid(q = %{{.*}}, k = %nk)
// CHECK: tile.for (%k0, %nk, %partial) in [(%c0, %c0, %[[BEGIN]], %[[BEGIN]]), (%[[END:.*]], %[[END]], %kv_tokens, %kv_tokens)]
// CHECK: %[[NONE:.*]] = tile.splat -inf
// CHECK: tile.store %[[NONE]], %score[%{{.*}}, %h, %k0] valid(q = %{{.*}}, k = %nk)

// What reads O reads the rows of all sequences, and zeros where none has a row.
// CHECK-LABEL: tile.program @layer(
// CHECK: %[[O:.*]] = tile.workspace[%query_tokens, %c2, %c8] : <{{.*}} : f32>
// CHECK: tile.grid (%{{.*}}) to (%c2) {
// CHECK: %[[FIRST:.*]] = tile.read %start[%c0]
// CHECK: %[[END:.*]] = tile.read %start[%batch]
// CHECK: tile.for (%[[T:.*]], %[[N:.*]], %{{.*}}) in [(%c0, %c0, %[[FIRST]], %[[FIRST]]), (%[[END]], %[[END]], %query_tokens, %query_tokens)]
// CHECK: %[[ZERO:.*]] = tile.splat 0.0
// CHECK: tile.store %[[ZERO]], %{{.*}}[%[[T]], %{{.*}}, %c0] valid(e = %[[N]])
// CHECK: tile.locate
// CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %c0] valid(q = %{{.*}})
// CHECK: tile.grid
// CHECK: tile.load
// CHECK: tile.dot
