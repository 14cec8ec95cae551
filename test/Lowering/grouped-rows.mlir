// Heads of a group as rows: a kernel for GPUs reads them where they lie, and the
// grid that merges parts of its keys stores them as heads. Others have grids
// that move them.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: attnc -mcpu=sm_80 a.yaml --schedule '#attn.schedule<split = 64>' --emit=tile -o - | FileCheck %s --check-prefixes=READ,STORE
// RUN: attnc -mcpu=sm_80 a.yaml --schedule '#attn.schedule<split = 0>' --emit=tile -o - | FileCheck %s --check-prefixes=READ,MOVE
// RUN: attnc -mcpu=x86-64-v3 a.yaml --emit=tile -o - | FileCheck %s --check-prefix=CPU

// READ:      tile.program @a
// READ:      tile.grid
// READ:        tile.map() at(q = %[[ROWS:.*]], d = %{{.*}}) : () -> !tile.tile<q:{{.*}}, d:64, bf16>
// READ:          arith.floordivsi
// READ:          tile.read %Q
// READ:        tile.for
// STORE:     tile.grid (%b, %h, %[[ROW:.*]]) to
// STORE-NOT: tile.grid
// STORE:       %[[Q:.*]] = arith.floordivsi %[[ROW]], %c4
// STORE:       %[[FIRST:.*]] = arith.muli %[[Q]], %c4
// STORE:       %[[G:.*]] = arith.subi %[[ROW]], %[[FIRST]]
// STORE:       %[[H:.*]] = arith.muli %h, %c4
// STORE:       %[[HEAD:.*]] = arith.addi %[[H]], %[[G]]
// STORE-DAG:   tile.store {{.*}}[%b, %[[HEAD]], %[[Q]], %c0] : <q:64, bf16>
// STORE-NOT: tile.grid
// MOVE:      tile.store
// MOVE-COUNT-1: tile.grid
// CPU-COUNT-3: tile.grid

//--- a.yaml
attnc: 1
name: a
heads: 8
kv_heads: 2
head_dim: 64
dtype: bf16
expect: [{batch: 1, query_len: 1, kv_len: 512}]
