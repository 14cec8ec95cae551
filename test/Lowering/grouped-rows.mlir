// Heads of a group as rows: buffers of Q and O with merged axes, no grid that
// moves them, and formulas of position and head.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: attnc -mcpu=sm_80 a.yaml --schedule '#attn.schedule<split = 64>' --emit=tile -o - | FileCheck %s --check-prefixes=CHECK,SPLIT,ROW
// RUN: attnc -mcpu=sm_80 a.yaml --schedule '#attn.schedule<split = 0>' --emit=tile -o - | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: attnc -mcpu=x86-64-v3 a.yaml --schedule '#attn.schedule<split = 0>' --emit=tile -o - | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: attnc -mcpu=x86-64-v3 a.yaml --schedule '#attn.schedule<row_axes = q, split = 0>' --emit=tile -o - | FileCheck %s --check-prefix=HEADS

// CHECK:      tile.program @a
// CHECK-DAG:  %[[O:.*]] = tile.rename %O merge("q", "h" by 4) : <{{.*}}> -> <b, h, q, e : bf16>
// CHECK-DAG:  %[[Q:.*]] = tile.rename %Q merge("q", "h" by 4) : <{{.*}}> -> <b, h, q, d : bf16>
// ROW-DAG:    %[[OROW:.*]] = tile.rename %[[O]] : <b, h, q, e : bf16> -> <b, h, z, q : bf16>
// CHECK-DAG:  %[[ROWS:.*]] = arith.muli %query_len, %c4
// SPLIT:      tile.workspace[%batch, %c2, %c1, %{{.*}}, %[[ROWS]]]
// WHOLE-NOT:  tile.workspace
// CHECK:      tile.grid (%b, %h, %i{{(, %s)?}}) to (%batch, %c2, %{{.*}}) order(desc 2)
// CHECK:        %[[R0:.*]] = arith.muli %i, %c{{[0-9]+}}
// CHECK:        tile.map() at(q = %[[R0]])
// CHECK:          arith.floordivsi %q, %c4
// CHECK:        %[[HEAD:.*]] = arith.muli %h, %c4
// CHECK:        tile.load %[[Q]][%b, %[[HEAD]], %[[R0]], %c0] valid(q = %{{.*}})
// The bounds of keys are those of positions.
// CHECK:        arith.floordivsi %[[R0]], %c4
// CHECK:        arith.ceildivsi %{{.*}}, %c4
// SPLIT:      tile.grid (%b, %h, %[[ROW:.*]]) to (%batch, %c2, %[[ROWS]])
// SPLIT:        tile.store %{{.*}}, %[[OROW]][%b, %{{.*}}, %[[ROW]], %c0] : <q:64, bf16>
// WHOLE:        tile.store %{{.*}}, %[[O]][%b, %[[HEAD]], %[[R0]], %c0] valid(q = %{{.*}})
// CHECK-NOT:  tile.grid
// HEADS-NOT:  merge
// HEADS:      tile.grid (%b, %h, %g, %i) to (%batch, %c2, %c4, %{{.*}})

//--- a.yaml
attnc: 1
name: a
heads: 8
kv_heads: 2
head_dim: 64
dtype: bf16
mask: causal
expect: [{batch: 1, query_len: 1, kv_len: 512}]
