module attributes {attnc.interface = [{kernels = ["x86-64-v3: tile by tile, 32 queries x 64 keys", "x86-64-v3: online softmax, 32 queries x 64 keys"], name = "f", positions = ["query_len", "kv_len", "kv_len - query_len"], sizes = [{name = "batch"}, {name = "query_len", value = "kv_len"}, {name = "kv_len"}, {name = "heads", value = "1"}, {name = "kv_heads", value = "1"}, {name = "group", value = "1"}, {name = "head_dim", value = "4"}, {name = "key_dim", value = "4"}, {name = "value_dim", value = "1"}], spec = "attnc: 1\0Aname: f\0Aheads: 1\0Akv_heads: 1\0Ahead_dim: 4\0Avalue_dim: 1\0Abatch: any\0Aquery_len: kv_len\0Akv_len: any\0Adtype: f32\0Ascore: silu(sigmoid(Q @ K * 40.0))\0Amask: true\0Aattention: softmax(top_k(score, 3))\0Aoffset: kv_len - query_len\0A# expect:\0A#   - {batch: 1, kv_len: 512}\0A", tensors = [{axes = ["batch", "heads", "query_len", "head_dim"], dtype = "f32", name = "Q", role = "query"}, {axes = ["batch", "heads", "kv_len", "head_dim"], dtype = "f32", name = "K", role = "key"}, {axes = ["batch", "heads", "kv_len", "value_dim"], dtype = "f32", name = "V", role = "value"}, {axes = ["batch", "heads", "query_len", "value_dim"], dtype = "f32", name = "O", role = "output"}], title = "1 head of 4, f32"}], attnc.target = "x86-64-v3"} {
  tile.program @f(%Q: !tile.buf<b, h, q, d : f32>, %K: !tile.buf<b, h, k, d : f32>, %V: !tile.buf<b, h, k, e : f32>, %O: !tile.buf<b, h, q, e : f32>, %batch: index, %query_len: index, %kv_len: index, %heads: index, %kv_heads: index, %group: index, %head_dim: index, %key_dim: index, %value_dim: index) target #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [6, 2], value_granule = [12, 1], unroll = 1, tail = 8, lane_skip = false, pack = auto> {
    %c1 = arith.constant 1 : index
    %c1_0 = arith.constant 1 : index
    %0 = tile.workspace[%batch, %c1, %c1_0, %kv_len] : <b, h, g, q : f32>
    %c1_1 = arith.constant 1 : index
    %c1_2 = arith.constant 1 : index
    %1 = tile.workspace[%batch, %c1_1, %c1_2, %kv_len] : <b, h, g, q : i32>
    %c32 = arith.constant 32 : index
    %c1_3 = arith.constant 1 : index
    %2 = arith.ceildivsi %kv_len, %c32 : index
    tile.grid (%b, %h, %i) to (%batch, %c1_3, %2) order(desc 2) {
      %c0 = arith.constant 0 : index
      %c32_6 = arith.constant 32 : index
      %4 = arith.muli %i, %c32_6 : index
      %5 = arith.subi %kv_len, %4 : index
      %6 = arith.minsi %5, %c32_6 : index
      %7 = arith.addi %4, %6 : index
      %c0_7 = arith.constant 0 : index
      %8 = tile.load %Q[%b, %c0_7, %4, %c0] valid(q = %6) : <b, h, q, d : f32> -> <q:32, d:4, f32>
      %9 = tile.map(%8) : (!tile.tile<q:32, d:4, f32>) -> !tile.tile<q:32, d:4, f32> {
      ^bb0(%x: f32):
        %cst = arith.constant -5.770780e+01 : f32
        %164 = arith.mulf %x, %cst : f32
        tile.yield %164 : f32
      }
      %c0_8 = arith.constant 0 : index
      %10 = tile.splat 0.000000e+00 : <q:32, f32>
      %11 = tile.map(%10) : (!tile.tile<q:32, f32>) -> !tile.tile<q:32, index> {
      ^bb0(%x: f32):
        %c-2139095041 = arith.constant -2139095041 : index
        tile.yield %c-2139095041 : index
      }
      %12 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c268435456 = arith.constant 268435456 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c268435456 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c268435456 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %13 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c536870912 = arith.constant 536870912 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c536870912 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c536870912 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %14 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c805306368 = arith.constant 805306368 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c805306368 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c805306368 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %15 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c1073741824 = arith.constant 1073741824 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c1073741824 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c1073741824 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %16 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c1342177280 = arith.constant 1342177280 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c1342177280 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c1342177280 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %17 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c1610612736 = arith.constant 1610612736 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c1610612736 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c1610612736 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %18 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c1879048192 = arith.constant 1879048192 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c1879048192 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c1879048192 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %19 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c2147483648 = arith.constant 2147483648 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c2147483648 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c2147483648 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %20 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c2415919104 = arith.constant 2415919104 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c2415919104 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c2415919104 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %21 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c2684354560 = arith.constant 2684354560 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c2684354560 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c2684354560 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %22 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c2952790016 = arith.constant 2952790016 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c2952790016 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c2952790016 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %23 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c3221225472 = arith.constant 3221225472 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c3221225472 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c3221225472 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %24 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c3489660928 = arith.constant 3489660928 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c3489660928 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c3489660928 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %25 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c3758096384 = arith.constant 3758096384 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c3758096384 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c3758096384 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %26 = tile.map(%11) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c4026531840 = arith.constant 4026531840 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c4026531840 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c4026531840 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %27 = tile.splat 0.000000e+00 : <q:32, f32>
      %28:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %27, %carried_13 = %27, %carried_14 = %27, %carried_15 = %27, %carried_16 = %27, %carried_17 = %27, %carried_18 = %27, %carried_19 = %27, %carried_20 = %27, %carried_21 = %27, %carried_22 = %27, %carried_23 = %27, %carried_24 = %27, %carried_25 = %27, %carried_26 = %27) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
        %c0_27 = arith.constant 0 : index
        %164 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
        %165 = tile.dot(%9, %164) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
        %166 = tile.map(%165) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32):
          %cst = arith.constant 1.000000e+00 : f32
          %198 = math.exp2 %x : f32
          %199 = arith.addf %198, %cst : f32
          %200 = arith.divf %cst, %199 : f32
          %201 = arith.negf %200 : f32
          %202 = math.exp %201 : f32
          %203 = arith.addf %202, %cst : f32
          %204 = arith.divf %200, %203 : f32
          tile.yield %204 : f32
        }
        %167 = tile.select_masked %166 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
          %true = arith.constant true
          tile.yield %true : i1
        }
        %168 = tile.map(%167, %12) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %169 = tile.map(%167, %13) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %170 = tile.map(%167, %14) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %171 = tile.map(%167, %15) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %172 = tile.map(%167, %16) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %173 = tile.map(%167, %17) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %174 = tile.map(%167, %18) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %175 = tile.map(%167, %19) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %176 = tile.map(%167, %20) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %177 = tile.map(%167, %21) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %178 = tile.map(%167, %22) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %179 = tile.map(%167, %23) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %180 = tile.map(%167, %24) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %181 = tile.map(%167, %25) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %182 = tile.map(%167, %26) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %183 = tile.reduce add(%168) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %184 = tile.reduce add(%169) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %185 = tile.reduce add(%170) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %186 = tile.reduce add(%171) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %187 = tile.reduce add(%172) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %188 = tile.reduce add(%173) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %189 = tile.reduce add(%174) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %190 = tile.reduce add(%175) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %191 = tile.reduce add(%176) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %192 = tile.reduce add(%177) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %193 = tile.reduce add(%178) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %194 = tile.reduce add(%179) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %195 = tile.reduce add(%180) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %196 = tile.reduce add(%181) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %197 = tile.reduce add(%182) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        tile.yield %183, %184, %185, %186, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
      }
      %29 = tile.map(%28#0, %28#1, %28#2, %28#3, %28#4, %28#5, %28#6, %28#7, %28#8, %28#9, %28#10, %28#11, %28#12, %28#13, %28#14, %11) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, index> {
      ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index):
        %cst = arith.constant 3.000000e+00 : f32
        %c0_28 = arith.constant 0 : index
        %164 = arith.cmpf oge, %x, %cst : f32
        %c268435456 = arith.constant 268435456 : index
        %c0_29 = arith.constant 0 : index
        %165 = arith.select %164, %c268435456, %c0_29 : index
        %166 = arith.addi %c0_28, %165 : index
        %167 = arith.cmpf oge, %x_13, %cst : f32
        %c268435456_30 = arith.constant 268435456 : index
        %c0_31 = arith.constant 0 : index
        %168 = arith.select %167, %c268435456_30, %c0_31 : index
        %169 = arith.addi %166, %168 : index
        %170 = arith.cmpf oge, %x_14, %cst : f32
        %c268435456_32 = arith.constant 268435456 : index
        %c0_33 = arith.constant 0 : index
        %171 = arith.select %170, %c268435456_32, %c0_33 : index
        %172 = arith.addi %169, %171 : index
        %173 = arith.cmpf oge, %x_15, %cst : f32
        %c268435456_34 = arith.constant 268435456 : index
        %c0_35 = arith.constant 0 : index
        %174 = arith.select %173, %c268435456_34, %c0_35 : index
        %175 = arith.addi %172, %174 : index
        %176 = arith.cmpf oge, %x_16, %cst : f32
        %c268435456_36 = arith.constant 268435456 : index
        %c0_37 = arith.constant 0 : index
        %177 = arith.select %176, %c268435456_36, %c0_37 : index
        %178 = arith.addi %175, %177 : index
        %179 = arith.cmpf oge, %x_17, %cst : f32
        %c268435456_38 = arith.constant 268435456 : index
        %c0_39 = arith.constant 0 : index
        %180 = arith.select %179, %c268435456_38, %c0_39 : index
        %181 = arith.addi %178, %180 : index
        %182 = arith.cmpf oge, %x_18, %cst : f32
        %c268435456_40 = arith.constant 268435456 : index
        %c0_41 = arith.constant 0 : index
        %183 = arith.select %182, %c268435456_40, %c0_41 : index
        %184 = arith.addi %181, %183 : index
        %185 = arith.cmpf oge, %x_19, %cst : f32
        %c268435456_42 = arith.constant 268435456 : index
        %c0_43 = arith.constant 0 : index
        %186 = arith.select %185, %c268435456_42, %c0_43 : index
        %187 = arith.addi %184, %186 : index
        %188 = arith.cmpf oge, %x_20, %cst : f32
        %c268435456_44 = arith.constant 268435456 : index
        %c0_45 = arith.constant 0 : index
        %189 = arith.select %188, %c268435456_44, %c0_45 : index
        %190 = arith.addi %187, %189 : index
        %191 = arith.cmpf oge, %x_21, %cst : f32
        %c268435456_46 = arith.constant 268435456 : index
        %c0_47 = arith.constant 0 : index
        %192 = arith.select %191, %c268435456_46, %c0_47 : index
        %193 = arith.addi %190, %192 : index
        %194 = arith.cmpf oge, %x_22, %cst : f32
        %c268435456_48 = arith.constant 268435456 : index
        %c0_49 = arith.constant 0 : index
        %195 = arith.select %194, %c268435456_48, %c0_49 : index
        %196 = arith.addi %193, %195 : index
        %197 = arith.cmpf oge, %x_23, %cst : f32
        %c268435456_50 = arith.constant 268435456 : index
        %c0_51 = arith.constant 0 : index
        %198 = arith.select %197, %c268435456_50, %c0_51 : index
        %199 = arith.addi %196, %198 : index
        %200 = arith.cmpf oge, %x_24, %cst : f32
        %c268435456_52 = arith.constant 268435456 : index
        %c0_53 = arith.constant 0 : index
        %201 = arith.select %200, %c268435456_52, %c0_53 : index
        %202 = arith.addi %199, %201 : index
        %203 = arith.cmpf oge, %x_25, %cst : f32
        %c268435456_54 = arith.constant 268435456 : index
        %c0_55 = arith.constant 0 : index
        %204 = arith.select %203, %c268435456_54, %c0_55 : index
        %205 = arith.addi %202, %204 : index
        %206 = arith.cmpf oge, %x_26, %cst : f32
        %c268435456_56 = arith.constant 268435456 : index
        %c0_57 = arith.constant 0 : index
        %207 = arith.select %206, %c268435456_56, %c0_57 : index
        %208 = arith.addi %205, %207 : index
        %c2139095040 = arith.constant 2139095040 : index
        %209 = arith.subi %c2139095040, %208 : index
        %210 = arith.cmpi sgt, %x_27, %209 : index
        %211 = arith.addi %x_27, %208 : index
        %c2139095040_58 = arith.constant 2139095040 : index
        %212 = arith.select %210, %c2139095040_58, %211 : index
        tile.yield %212 : index
      }
      %30 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c16777216 = arith.constant 16777216 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c16777216 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c16777216 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %31 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c33554432 = arith.constant 33554432 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c33554432 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c33554432 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %32 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c50331648 = arith.constant 50331648 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c50331648 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c50331648 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %33 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c67108864 = arith.constant 67108864 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c67108864 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c67108864 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %34 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c83886080 = arith.constant 83886080 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c83886080 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c83886080 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %35 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c100663296 = arith.constant 100663296 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c100663296 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c100663296 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %36 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c117440512 = arith.constant 117440512 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c117440512 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c117440512 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %37 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c134217728 = arith.constant 134217728 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c134217728 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c134217728 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %38 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c150994944 = arith.constant 150994944 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c150994944 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c150994944 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %39 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c167772160 = arith.constant 167772160 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c167772160 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c167772160 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %40 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c184549376 = arith.constant 184549376 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c184549376 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c184549376 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %41 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c201326592 = arith.constant 201326592 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c201326592 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c201326592 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %42 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c218103808 = arith.constant 218103808 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c218103808 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c218103808 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %43 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c234881024 = arith.constant 234881024 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c234881024 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c234881024 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %44 = tile.map(%29) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c251658240 = arith.constant 251658240 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c251658240 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c251658240 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %45 = tile.splat 0.000000e+00 : <q:32, f32>
      %46:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %45, %carried_13 = %45, %carried_14 = %45, %carried_15 = %45, %carried_16 = %45, %carried_17 = %45, %carried_18 = %45, %carried_19 = %45, %carried_20 = %45, %carried_21 = %45, %carried_22 = %45, %carried_23 = %45, %carried_24 = %45, %carried_25 = %45, %carried_26 = %45) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
        %c0_27 = arith.constant 0 : index
        %164 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
        %165 = tile.dot(%9, %164) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
        %166 = tile.map(%165) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32):
          %cst = arith.constant 1.000000e+00 : f32
          %198 = math.exp2 %x : f32
          %199 = arith.addf %198, %cst : f32
          %200 = arith.divf %cst, %199 : f32
          %201 = arith.negf %200 : f32
          %202 = math.exp %201 : f32
          %203 = arith.addf %202, %cst : f32
          %204 = arith.divf %200, %203 : f32
          tile.yield %204 : f32
        }
        %167 = tile.select_masked %166 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
          %true = arith.constant true
          tile.yield %true : i1
        }
        %168 = tile.map(%167, %30) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %169 = tile.map(%167, %31) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %170 = tile.map(%167, %32) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %171 = tile.map(%167, %33) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %172 = tile.map(%167, %34) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %173 = tile.map(%167, %35) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %174 = tile.map(%167, %36) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %175 = tile.map(%167, %37) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %176 = tile.map(%167, %38) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %177 = tile.map(%167, %39) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %178 = tile.map(%167, %40) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %179 = tile.map(%167, %41) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %180 = tile.map(%167, %42) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %181 = tile.map(%167, %43) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %182 = tile.map(%167, %44) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %183 = tile.reduce add(%168) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %184 = tile.reduce add(%169) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %185 = tile.reduce add(%170) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %186 = tile.reduce add(%171) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %187 = tile.reduce add(%172) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %188 = tile.reduce add(%173) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %189 = tile.reduce add(%174) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %190 = tile.reduce add(%175) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %191 = tile.reduce add(%176) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %192 = tile.reduce add(%177) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %193 = tile.reduce add(%178) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %194 = tile.reduce add(%179) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %195 = tile.reduce add(%180) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %196 = tile.reduce add(%181) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %197 = tile.reduce add(%182) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        tile.yield %183, %184, %185, %186, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
      }
      %47 = tile.map(%46#0, %46#1, %46#2, %46#3, %46#4, %46#5, %46#6, %46#7, %46#8, %46#9, %46#10, %46#11, %46#12, %46#13, %46#14, %29) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, index> {
      ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index):
        %cst = arith.constant 3.000000e+00 : f32
        %c0_28 = arith.constant 0 : index
        %164 = arith.cmpf oge, %x, %cst : f32
        %c16777216 = arith.constant 16777216 : index
        %c0_29 = arith.constant 0 : index
        %165 = arith.select %164, %c16777216, %c0_29 : index
        %166 = arith.addi %c0_28, %165 : index
        %167 = arith.cmpf oge, %x_13, %cst : f32
        %c16777216_30 = arith.constant 16777216 : index
        %c0_31 = arith.constant 0 : index
        %168 = arith.select %167, %c16777216_30, %c0_31 : index
        %169 = arith.addi %166, %168 : index
        %170 = arith.cmpf oge, %x_14, %cst : f32
        %c16777216_32 = arith.constant 16777216 : index
        %c0_33 = arith.constant 0 : index
        %171 = arith.select %170, %c16777216_32, %c0_33 : index
        %172 = arith.addi %169, %171 : index
        %173 = arith.cmpf oge, %x_15, %cst : f32
        %c16777216_34 = arith.constant 16777216 : index
        %c0_35 = arith.constant 0 : index
        %174 = arith.select %173, %c16777216_34, %c0_35 : index
        %175 = arith.addi %172, %174 : index
        %176 = arith.cmpf oge, %x_16, %cst : f32
        %c16777216_36 = arith.constant 16777216 : index
        %c0_37 = arith.constant 0 : index
        %177 = arith.select %176, %c16777216_36, %c0_37 : index
        %178 = arith.addi %175, %177 : index
        %179 = arith.cmpf oge, %x_17, %cst : f32
        %c16777216_38 = arith.constant 16777216 : index
        %c0_39 = arith.constant 0 : index
        %180 = arith.select %179, %c16777216_38, %c0_39 : index
        %181 = arith.addi %178, %180 : index
        %182 = arith.cmpf oge, %x_18, %cst : f32
        %c16777216_40 = arith.constant 16777216 : index
        %c0_41 = arith.constant 0 : index
        %183 = arith.select %182, %c16777216_40, %c0_41 : index
        %184 = arith.addi %181, %183 : index
        %185 = arith.cmpf oge, %x_19, %cst : f32
        %c16777216_42 = arith.constant 16777216 : index
        %c0_43 = arith.constant 0 : index
        %186 = arith.select %185, %c16777216_42, %c0_43 : index
        %187 = arith.addi %184, %186 : index
        %188 = arith.cmpf oge, %x_20, %cst : f32
        %c16777216_44 = arith.constant 16777216 : index
        %c0_45 = arith.constant 0 : index
        %189 = arith.select %188, %c16777216_44, %c0_45 : index
        %190 = arith.addi %187, %189 : index
        %191 = arith.cmpf oge, %x_21, %cst : f32
        %c16777216_46 = arith.constant 16777216 : index
        %c0_47 = arith.constant 0 : index
        %192 = arith.select %191, %c16777216_46, %c0_47 : index
        %193 = arith.addi %190, %192 : index
        %194 = arith.cmpf oge, %x_22, %cst : f32
        %c16777216_48 = arith.constant 16777216 : index
        %c0_49 = arith.constant 0 : index
        %195 = arith.select %194, %c16777216_48, %c0_49 : index
        %196 = arith.addi %193, %195 : index
        %197 = arith.cmpf oge, %x_23, %cst : f32
        %c16777216_50 = arith.constant 16777216 : index
        %c0_51 = arith.constant 0 : index
        %198 = arith.select %197, %c16777216_50, %c0_51 : index
        %199 = arith.addi %196, %198 : index
        %200 = arith.cmpf oge, %x_24, %cst : f32
        %c16777216_52 = arith.constant 16777216 : index
        %c0_53 = arith.constant 0 : index
        %201 = arith.select %200, %c16777216_52, %c0_53 : index
        %202 = arith.addi %199, %201 : index
        %203 = arith.cmpf oge, %x_25, %cst : f32
        %c16777216_54 = arith.constant 16777216 : index
        %c0_55 = arith.constant 0 : index
        %204 = arith.select %203, %c16777216_54, %c0_55 : index
        %205 = arith.addi %202, %204 : index
        %206 = arith.cmpf oge, %x_26, %cst : f32
        %c16777216_56 = arith.constant 16777216 : index
        %c0_57 = arith.constant 0 : index
        %207 = arith.select %206, %c16777216_56, %c0_57 : index
        %208 = arith.addi %205, %207 : index
        %c2139095040 = arith.constant 2139095040 : index
        %209 = arith.subi %c2139095040, %208 : index
        %210 = arith.cmpi sgt, %x_27, %209 : index
        %211 = arith.addi %x_27, %208 : index
        %c2139095040_58 = arith.constant 2139095040 : index
        %212 = arith.select %210, %c2139095040_58, %211 : index
        tile.yield %212 : index
      }
      %48 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c1048576 = arith.constant 1048576 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c1048576 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c1048576 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %49 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c2097152 = arith.constant 2097152 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c2097152 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c2097152 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %50 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c3145728 = arith.constant 3145728 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c3145728 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c3145728 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %51 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c4194304 = arith.constant 4194304 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c4194304 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c4194304 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %52 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c5242880 = arith.constant 5242880 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c5242880 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c5242880 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %53 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c6291456 = arith.constant 6291456 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c6291456 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c6291456 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %54 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c7340032 = arith.constant 7340032 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c7340032 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c7340032 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %55 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c8388608 = arith.constant 8388608 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c8388608 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c8388608 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %56 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c9437184 = arith.constant 9437184 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c9437184 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c9437184 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %57 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c10485760 = arith.constant 10485760 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c10485760 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c10485760 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %58 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c11534336 = arith.constant 11534336 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c11534336 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c11534336 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %59 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c12582912 = arith.constant 12582912 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c12582912 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c12582912 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %60 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c13631488 = arith.constant 13631488 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c13631488 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c13631488 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %61 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c14680064 = arith.constant 14680064 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c14680064 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c14680064 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %62 = tile.map(%47) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c15728640 = arith.constant 15728640 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c15728640 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c15728640 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %63 = tile.splat 0.000000e+00 : <q:32, f32>
      %64:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %63, %carried_13 = %63, %carried_14 = %63, %carried_15 = %63, %carried_16 = %63, %carried_17 = %63, %carried_18 = %63, %carried_19 = %63, %carried_20 = %63, %carried_21 = %63, %carried_22 = %63, %carried_23 = %63, %carried_24 = %63, %carried_25 = %63, %carried_26 = %63) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
        %c0_27 = arith.constant 0 : index
        %164 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
        %165 = tile.dot(%9, %164) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
        %166 = tile.map(%165) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32):
          %cst = arith.constant 1.000000e+00 : f32
          %198 = math.exp2 %x : f32
          %199 = arith.addf %198, %cst : f32
          %200 = arith.divf %cst, %199 : f32
          %201 = arith.negf %200 : f32
          %202 = math.exp %201 : f32
          %203 = arith.addf %202, %cst : f32
          %204 = arith.divf %200, %203 : f32
          tile.yield %204 : f32
        }
        %167 = tile.select_masked %166 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
          %true = arith.constant true
          tile.yield %true : i1
        }
        %168 = tile.map(%167, %48) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %169 = tile.map(%167, %49) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %170 = tile.map(%167, %50) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %171 = tile.map(%167, %51) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %172 = tile.map(%167, %52) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %173 = tile.map(%167, %53) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %174 = tile.map(%167, %54) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %175 = tile.map(%167, %55) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %176 = tile.map(%167, %56) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %177 = tile.map(%167, %57) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %178 = tile.map(%167, %58) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %179 = tile.map(%167, %59) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %180 = tile.map(%167, %60) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %181 = tile.map(%167, %61) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %182 = tile.map(%167, %62) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %183 = tile.reduce add(%168) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %184 = tile.reduce add(%169) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %185 = tile.reduce add(%170) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %186 = tile.reduce add(%171) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %187 = tile.reduce add(%172) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %188 = tile.reduce add(%173) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %189 = tile.reduce add(%174) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %190 = tile.reduce add(%175) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %191 = tile.reduce add(%176) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %192 = tile.reduce add(%177) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %193 = tile.reduce add(%178) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %194 = tile.reduce add(%179) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %195 = tile.reduce add(%180) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %196 = tile.reduce add(%181) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %197 = tile.reduce add(%182) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        tile.yield %183, %184, %185, %186, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
      }
      %65 = tile.map(%64#0, %64#1, %64#2, %64#3, %64#4, %64#5, %64#6, %64#7, %64#8, %64#9, %64#10, %64#11, %64#12, %64#13, %64#14, %47) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, index> {
      ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index):
        %cst = arith.constant 3.000000e+00 : f32
        %c0_28 = arith.constant 0 : index
        %164 = arith.cmpf oge, %x, %cst : f32
        %c1048576 = arith.constant 1048576 : index
        %c0_29 = arith.constant 0 : index
        %165 = arith.select %164, %c1048576, %c0_29 : index
        %166 = arith.addi %c0_28, %165 : index
        %167 = arith.cmpf oge, %x_13, %cst : f32
        %c1048576_30 = arith.constant 1048576 : index
        %c0_31 = arith.constant 0 : index
        %168 = arith.select %167, %c1048576_30, %c0_31 : index
        %169 = arith.addi %166, %168 : index
        %170 = arith.cmpf oge, %x_14, %cst : f32
        %c1048576_32 = arith.constant 1048576 : index
        %c0_33 = arith.constant 0 : index
        %171 = arith.select %170, %c1048576_32, %c0_33 : index
        %172 = arith.addi %169, %171 : index
        %173 = arith.cmpf oge, %x_15, %cst : f32
        %c1048576_34 = arith.constant 1048576 : index
        %c0_35 = arith.constant 0 : index
        %174 = arith.select %173, %c1048576_34, %c0_35 : index
        %175 = arith.addi %172, %174 : index
        %176 = arith.cmpf oge, %x_16, %cst : f32
        %c1048576_36 = arith.constant 1048576 : index
        %c0_37 = arith.constant 0 : index
        %177 = arith.select %176, %c1048576_36, %c0_37 : index
        %178 = arith.addi %175, %177 : index
        %179 = arith.cmpf oge, %x_17, %cst : f32
        %c1048576_38 = arith.constant 1048576 : index
        %c0_39 = arith.constant 0 : index
        %180 = arith.select %179, %c1048576_38, %c0_39 : index
        %181 = arith.addi %178, %180 : index
        %182 = arith.cmpf oge, %x_18, %cst : f32
        %c1048576_40 = arith.constant 1048576 : index
        %c0_41 = arith.constant 0 : index
        %183 = arith.select %182, %c1048576_40, %c0_41 : index
        %184 = arith.addi %181, %183 : index
        %185 = arith.cmpf oge, %x_19, %cst : f32
        %c1048576_42 = arith.constant 1048576 : index
        %c0_43 = arith.constant 0 : index
        %186 = arith.select %185, %c1048576_42, %c0_43 : index
        %187 = arith.addi %184, %186 : index
        %188 = arith.cmpf oge, %x_20, %cst : f32
        %c1048576_44 = arith.constant 1048576 : index
        %c0_45 = arith.constant 0 : index
        %189 = arith.select %188, %c1048576_44, %c0_45 : index
        %190 = arith.addi %187, %189 : index
        %191 = arith.cmpf oge, %x_21, %cst : f32
        %c1048576_46 = arith.constant 1048576 : index
        %c0_47 = arith.constant 0 : index
        %192 = arith.select %191, %c1048576_46, %c0_47 : index
        %193 = arith.addi %190, %192 : index
        %194 = arith.cmpf oge, %x_22, %cst : f32
        %c1048576_48 = arith.constant 1048576 : index
        %c0_49 = arith.constant 0 : index
        %195 = arith.select %194, %c1048576_48, %c0_49 : index
        %196 = arith.addi %193, %195 : index
        %197 = arith.cmpf oge, %x_23, %cst : f32
        %c1048576_50 = arith.constant 1048576 : index
        %c0_51 = arith.constant 0 : index
        %198 = arith.select %197, %c1048576_50, %c0_51 : index
        %199 = arith.addi %196, %198 : index
        %200 = arith.cmpf oge, %x_24, %cst : f32
        %c1048576_52 = arith.constant 1048576 : index
        %c0_53 = arith.constant 0 : index
        %201 = arith.select %200, %c1048576_52, %c0_53 : index
        %202 = arith.addi %199, %201 : index
        %203 = arith.cmpf oge, %x_25, %cst : f32
        %c1048576_54 = arith.constant 1048576 : index
        %c0_55 = arith.constant 0 : index
        %204 = arith.select %203, %c1048576_54, %c0_55 : index
        %205 = arith.addi %202, %204 : index
        %206 = arith.cmpf oge, %x_26, %cst : f32
        %c1048576_56 = arith.constant 1048576 : index
        %c0_57 = arith.constant 0 : index
        %207 = arith.select %206, %c1048576_56, %c0_57 : index
        %208 = arith.addi %205, %207 : index
        %c2139095040 = arith.constant 2139095040 : index
        %209 = arith.subi %c2139095040, %208 : index
        %210 = arith.cmpi sgt, %x_27, %209 : index
        %211 = arith.addi %x_27, %208 : index
        %c2139095040_58 = arith.constant 2139095040 : index
        %212 = arith.select %210, %c2139095040_58, %211 : index
        tile.yield %212 : index
      }
      %66 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c65536 = arith.constant 65536 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c65536 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c65536 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %67 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c131072 = arith.constant 131072 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c131072 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c131072 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %68 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c196608 = arith.constant 196608 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c196608 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c196608 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %69 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c262144 = arith.constant 262144 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c262144 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c262144 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %70 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c327680 = arith.constant 327680 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c327680 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c327680 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %71 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c393216 = arith.constant 393216 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c393216 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c393216 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %72 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c458752 = arith.constant 458752 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c458752 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c458752 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %73 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c524288 = arith.constant 524288 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c524288 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c524288 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %74 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c589824 = arith.constant 589824 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c589824 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c589824 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %75 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c655360 = arith.constant 655360 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c655360 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c655360 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %76 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c720896 = arith.constant 720896 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c720896 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c720896 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %77 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c786432 = arith.constant 786432 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c786432 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c786432 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %78 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c851968 = arith.constant 851968 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c851968 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c851968 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %79 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c917504 = arith.constant 917504 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c917504 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c917504 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %80 = tile.map(%65) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c983040 = arith.constant 983040 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c983040 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c983040 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %81 = tile.splat 0.000000e+00 : <q:32, f32>
      %82:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %81, %carried_13 = %81, %carried_14 = %81, %carried_15 = %81, %carried_16 = %81, %carried_17 = %81, %carried_18 = %81, %carried_19 = %81, %carried_20 = %81, %carried_21 = %81, %carried_22 = %81, %carried_23 = %81, %carried_24 = %81, %carried_25 = %81, %carried_26 = %81) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
        %c0_27 = arith.constant 0 : index
        %164 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
        %165 = tile.dot(%9, %164) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
        %166 = tile.map(%165) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32):
          %cst = arith.constant 1.000000e+00 : f32
          %198 = math.exp2 %x : f32
          %199 = arith.addf %198, %cst : f32
          %200 = arith.divf %cst, %199 : f32
          %201 = arith.negf %200 : f32
          %202 = math.exp %201 : f32
          %203 = arith.addf %202, %cst : f32
          %204 = arith.divf %200, %203 : f32
          tile.yield %204 : f32
        }
        %167 = tile.select_masked %166 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
          %true = arith.constant true
          tile.yield %true : i1
        }
        %168 = tile.map(%167, %66) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %169 = tile.map(%167, %67) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %170 = tile.map(%167, %68) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %171 = tile.map(%167, %69) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %172 = tile.map(%167, %70) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %173 = tile.map(%167, %71) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %174 = tile.map(%167, %72) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %175 = tile.map(%167, %73) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %176 = tile.map(%167, %74) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %177 = tile.map(%167, %75) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %178 = tile.map(%167, %76) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %179 = tile.map(%167, %77) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %180 = tile.map(%167, %78) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %181 = tile.map(%167, %79) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %182 = tile.map(%167, %80) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %183 = tile.reduce add(%168) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %184 = tile.reduce add(%169) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %185 = tile.reduce add(%170) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %186 = tile.reduce add(%171) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %187 = tile.reduce add(%172) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %188 = tile.reduce add(%173) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %189 = tile.reduce add(%174) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %190 = tile.reduce add(%175) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %191 = tile.reduce add(%176) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %192 = tile.reduce add(%177) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %193 = tile.reduce add(%178) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %194 = tile.reduce add(%179) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %195 = tile.reduce add(%180) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %196 = tile.reduce add(%181) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %197 = tile.reduce add(%182) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        tile.yield %183, %184, %185, %186, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
      }
      %83 = tile.map(%82#0, %82#1, %82#2, %82#3, %82#4, %82#5, %82#6, %82#7, %82#8, %82#9, %82#10, %82#11, %82#12, %82#13, %82#14, %65) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, index> {
      ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index):
        %cst = arith.constant 3.000000e+00 : f32
        %c0_28 = arith.constant 0 : index
        %164 = arith.cmpf oge, %x, %cst : f32
        %c65536 = arith.constant 65536 : index
        %c0_29 = arith.constant 0 : index
        %165 = arith.select %164, %c65536, %c0_29 : index
        %166 = arith.addi %c0_28, %165 : index
        %167 = arith.cmpf oge, %x_13, %cst : f32
        %c65536_30 = arith.constant 65536 : index
        %c0_31 = arith.constant 0 : index
        %168 = arith.select %167, %c65536_30, %c0_31 : index
        %169 = arith.addi %166, %168 : index
        %170 = arith.cmpf oge, %x_14, %cst : f32
        %c65536_32 = arith.constant 65536 : index
        %c0_33 = arith.constant 0 : index
        %171 = arith.select %170, %c65536_32, %c0_33 : index
        %172 = arith.addi %169, %171 : index
        %173 = arith.cmpf oge, %x_15, %cst : f32
        %c65536_34 = arith.constant 65536 : index
        %c0_35 = arith.constant 0 : index
        %174 = arith.select %173, %c65536_34, %c0_35 : index
        %175 = arith.addi %172, %174 : index
        %176 = arith.cmpf oge, %x_16, %cst : f32
        %c65536_36 = arith.constant 65536 : index
        %c0_37 = arith.constant 0 : index
        %177 = arith.select %176, %c65536_36, %c0_37 : index
        %178 = arith.addi %175, %177 : index
        %179 = arith.cmpf oge, %x_17, %cst : f32
        %c65536_38 = arith.constant 65536 : index
        %c0_39 = arith.constant 0 : index
        %180 = arith.select %179, %c65536_38, %c0_39 : index
        %181 = arith.addi %178, %180 : index
        %182 = arith.cmpf oge, %x_18, %cst : f32
        %c65536_40 = arith.constant 65536 : index
        %c0_41 = arith.constant 0 : index
        %183 = arith.select %182, %c65536_40, %c0_41 : index
        %184 = arith.addi %181, %183 : index
        %185 = arith.cmpf oge, %x_19, %cst : f32
        %c65536_42 = arith.constant 65536 : index
        %c0_43 = arith.constant 0 : index
        %186 = arith.select %185, %c65536_42, %c0_43 : index
        %187 = arith.addi %184, %186 : index
        %188 = arith.cmpf oge, %x_20, %cst : f32
        %c65536_44 = arith.constant 65536 : index
        %c0_45 = arith.constant 0 : index
        %189 = arith.select %188, %c65536_44, %c0_45 : index
        %190 = arith.addi %187, %189 : index
        %191 = arith.cmpf oge, %x_21, %cst : f32
        %c65536_46 = arith.constant 65536 : index
        %c0_47 = arith.constant 0 : index
        %192 = arith.select %191, %c65536_46, %c0_47 : index
        %193 = arith.addi %190, %192 : index
        %194 = arith.cmpf oge, %x_22, %cst : f32
        %c65536_48 = arith.constant 65536 : index
        %c0_49 = arith.constant 0 : index
        %195 = arith.select %194, %c65536_48, %c0_49 : index
        %196 = arith.addi %193, %195 : index
        %197 = arith.cmpf oge, %x_23, %cst : f32
        %c65536_50 = arith.constant 65536 : index
        %c0_51 = arith.constant 0 : index
        %198 = arith.select %197, %c65536_50, %c0_51 : index
        %199 = arith.addi %196, %198 : index
        %200 = arith.cmpf oge, %x_24, %cst : f32
        %c65536_52 = arith.constant 65536 : index
        %c0_53 = arith.constant 0 : index
        %201 = arith.select %200, %c65536_52, %c0_53 : index
        %202 = arith.addi %199, %201 : index
        %203 = arith.cmpf oge, %x_25, %cst : f32
        %c65536_54 = arith.constant 65536 : index
        %c0_55 = arith.constant 0 : index
        %204 = arith.select %203, %c65536_54, %c0_55 : index
        %205 = arith.addi %202, %204 : index
        %206 = arith.cmpf oge, %x_26, %cst : f32
        %c65536_56 = arith.constant 65536 : index
        %c0_57 = arith.constant 0 : index
        %207 = arith.select %206, %c65536_56, %c0_57 : index
        %208 = arith.addi %205, %207 : index
        %c2139095040 = arith.constant 2139095040 : index
        %209 = arith.subi %c2139095040, %208 : index
        %210 = arith.cmpi sgt, %x_27, %209 : index
        %211 = arith.addi %x_27, %208 : index
        %c2139095040_58 = arith.constant 2139095040 : index
        %212 = arith.select %210, %c2139095040_58, %211 : index
        tile.yield %212 : index
      }
      %84 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c4096 = arith.constant 4096 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c4096 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c4096 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %85 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c8192 = arith.constant 8192 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c8192 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c8192 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %86 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c12288 = arith.constant 12288 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c12288 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c12288 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %87 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c16384 = arith.constant 16384 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c16384 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c16384 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %88 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c20480 = arith.constant 20480 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c20480 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c20480 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %89 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c24576 = arith.constant 24576 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c24576 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c24576 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %90 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c28672 = arith.constant 28672 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c28672 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c28672 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %91 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c32768 = arith.constant 32768 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c32768 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c32768 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %92 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c36864 = arith.constant 36864 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c36864 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c36864 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %93 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c40960 = arith.constant 40960 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c40960 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c40960 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %94 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c45056 = arith.constant 45056 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c45056 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c45056 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %95 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c49152 = arith.constant 49152 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c49152 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c49152 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %96 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c53248 = arith.constant 53248 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c53248 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c53248 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %97 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c57344 = arith.constant 57344 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c57344 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c57344 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %98 = tile.map(%83) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c61440 = arith.constant 61440 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c61440 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c61440 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %99 = tile.splat 0.000000e+00 : <q:32, f32>
      %100:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %99, %carried_13 = %99, %carried_14 = %99, %carried_15 = %99, %carried_16 = %99, %carried_17 = %99, %carried_18 = %99, %carried_19 = %99, %carried_20 = %99, %carried_21 = %99, %carried_22 = %99, %carried_23 = %99, %carried_24 = %99, %carried_25 = %99, %carried_26 = %99) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
        %c0_27 = arith.constant 0 : index
        %164 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
        %165 = tile.dot(%9, %164) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
        %166 = tile.map(%165) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32):
          %cst = arith.constant 1.000000e+00 : f32
          %198 = math.exp2 %x : f32
          %199 = arith.addf %198, %cst : f32
          %200 = arith.divf %cst, %199 : f32
          %201 = arith.negf %200 : f32
          %202 = math.exp %201 : f32
          %203 = arith.addf %202, %cst : f32
          %204 = arith.divf %200, %203 : f32
          tile.yield %204 : f32
        }
        %167 = tile.select_masked %166 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
          %true = arith.constant true
          tile.yield %true : i1
        }
        %168 = tile.map(%167, %84) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %169 = tile.map(%167, %85) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %170 = tile.map(%167, %86) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %171 = tile.map(%167, %87) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %172 = tile.map(%167, %88) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %173 = tile.map(%167, %89) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %174 = tile.map(%167, %90) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %175 = tile.map(%167, %91) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %176 = tile.map(%167, %92) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %177 = tile.map(%167, %93) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %178 = tile.map(%167, %94) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %179 = tile.map(%167, %95) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %180 = tile.map(%167, %96) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %181 = tile.map(%167, %97) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %182 = tile.map(%167, %98) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %183 = tile.reduce add(%168) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %184 = tile.reduce add(%169) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %185 = tile.reduce add(%170) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %186 = tile.reduce add(%171) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %187 = tile.reduce add(%172) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %188 = tile.reduce add(%173) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %189 = tile.reduce add(%174) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %190 = tile.reduce add(%175) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %191 = tile.reduce add(%176) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %192 = tile.reduce add(%177) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %193 = tile.reduce add(%178) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %194 = tile.reduce add(%179) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %195 = tile.reduce add(%180) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %196 = tile.reduce add(%181) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %197 = tile.reduce add(%182) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        tile.yield %183, %184, %185, %186, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
      }
      %101 = tile.map(%100#0, %100#1, %100#2, %100#3, %100#4, %100#5, %100#6, %100#7, %100#8, %100#9, %100#10, %100#11, %100#12, %100#13, %100#14, %83) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, index> {
      ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index):
        %cst = arith.constant 3.000000e+00 : f32
        %c0_28 = arith.constant 0 : index
        %164 = arith.cmpf oge, %x, %cst : f32
        %c4096 = arith.constant 4096 : index
        %c0_29 = arith.constant 0 : index
        %165 = arith.select %164, %c4096, %c0_29 : index
        %166 = arith.addi %c0_28, %165 : index
        %167 = arith.cmpf oge, %x_13, %cst : f32
        %c4096_30 = arith.constant 4096 : index
        %c0_31 = arith.constant 0 : index
        %168 = arith.select %167, %c4096_30, %c0_31 : index
        %169 = arith.addi %166, %168 : index
        %170 = arith.cmpf oge, %x_14, %cst : f32
        %c4096_32 = arith.constant 4096 : index
        %c0_33 = arith.constant 0 : index
        %171 = arith.select %170, %c4096_32, %c0_33 : index
        %172 = arith.addi %169, %171 : index
        %173 = arith.cmpf oge, %x_15, %cst : f32
        %c4096_34 = arith.constant 4096 : index
        %c0_35 = arith.constant 0 : index
        %174 = arith.select %173, %c4096_34, %c0_35 : index
        %175 = arith.addi %172, %174 : index
        %176 = arith.cmpf oge, %x_16, %cst : f32
        %c4096_36 = arith.constant 4096 : index
        %c0_37 = arith.constant 0 : index
        %177 = arith.select %176, %c4096_36, %c0_37 : index
        %178 = arith.addi %175, %177 : index
        %179 = arith.cmpf oge, %x_17, %cst : f32
        %c4096_38 = arith.constant 4096 : index
        %c0_39 = arith.constant 0 : index
        %180 = arith.select %179, %c4096_38, %c0_39 : index
        %181 = arith.addi %178, %180 : index
        %182 = arith.cmpf oge, %x_18, %cst : f32
        %c4096_40 = arith.constant 4096 : index
        %c0_41 = arith.constant 0 : index
        %183 = arith.select %182, %c4096_40, %c0_41 : index
        %184 = arith.addi %181, %183 : index
        %185 = arith.cmpf oge, %x_19, %cst : f32
        %c4096_42 = arith.constant 4096 : index
        %c0_43 = arith.constant 0 : index
        %186 = arith.select %185, %c4096_42, %c0_43 : index
        %187 = arith.addi %184, %186 : index
        %188 = arith.cmpf oge, %x_20, %cst : f32
        %c4096_44 = arith.constant 4096 : index
        %c0_45 = arith.constant 0 : index
        %189 = arith.select %188, %c4096_44, %c0_45 : index
        %190 = arith.addi %187, %189 : index
        %191 = arith.cmpf oge, %x_21, %cst : f32
        %c4096_46 = arith.constant 4096 : index
        %c0_47 = arith.constant 0 : index
        %192 = arith.select %191, %c4096_46, %c0_47 : index
        %193 = arith.addi %190, %192 : index
        %194 = arith.cmpf oge, %x_22, %cst : f32
        %c4096_48 = arith.constant 4096 : index
        %c0_49 = arith.constant 0 : index
        %195 = arith.select %194, %c4096_48, %c0_49 : index
        %196 = arith.addi %193, %195 : index
        %197 = arith.cmpf oge, %x_23, %cst : f32
        %c4096_50 = arith.constant 4096 : index
        %c0_51 = arith.constant 0 : index
        %198 = arith.select %197, %c4096_50, %c0_51 : index
        %199 = arith.addi %196, %198 : index
        %200 = arith.cmpf oge, %x_24, %cst : f32
        %c4096_52 = arith.constant 4096 : index
        %c0_53 = arith.constant 0 : index
        %201 = arith.select %200, %c4096_52, %c0_53 : index
        %202 = arith.addi %199, %201 : index
        %203 = arith.cmpf oge, %x_25, %cst : f32
        %c4096_54 = arith.constant 4096 : index
        %c0_55 = arith.constant 0 : index
        %204 = arith.select %203, %c4096_54, %c0_55 : index
        %205 = arith.addi %202, %204 : index
        %206 = arith.cmpf oge, %x_26, %cst : f32
        %c4096_56 = arith.constant 4096 : index
        %c0_57 = arith.constant 0 : index
        %207 = arith.select %206, %c4096_56, %c0_57 : index
        %208 = arith.addi %205, %207 : index
        %c2139095040 = arith.constant 2139095040 : index
        %209 = arith.subi %c2139095040, %208 : index
        %210 = arith.cmpi sgt, %x_27, %209 : index
        %211 = arith.addi %x_27, %208 : index
        %c2139095040_58 = arith.constant 2139095040 : index
        %212 = arith.select %210, %c2139095040_58, %211 : index
        tile.yield %212 : index
      }
      %102 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c256 = arith.constant 256 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c256 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c256 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %103 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c512 = arith.constant 512 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c512 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c512 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %104 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c768 = arith.constant 768 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c768 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c768 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %105 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c1024 = arith.constant 1024 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c1024 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c1024 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %106 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c1280 = arith.constant 1280 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c1280 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c1280 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %107 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c1536 = arith.constant 1536 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c1536 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c1536 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %108 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c1792 = arith.constant 1792 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c1792 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c1792 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %109 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c2048 = arith.constant 2048 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c2048 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c2048 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %110 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c2304 = arith.constant 2304 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c2304 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c2304 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %111 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c2560 = arith.constant 2560 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c2560 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c2560 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %112 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c2816 = arith.constant 2816 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c2816 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c2816 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %113 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c3072 = arith.constant 3072 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c3072 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c3072 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %114 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c3328 = arith.constant 3328 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c3328 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c3328 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %115 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c3584 = arith.constant 3584 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c3584 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c3584 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %116 = tile.map(%101) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c3840 = arith.constant 3840 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c3840 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c3840 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %117 = tile.splat 0.000000e+00 : <q:32, f32>
      %118:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %117, %carried_13 = %117, %carried_14 = %117, %carried_15 = %117, %carried_16 = %117, %carried_17 = %117, %carried_18 = %117, %carried_19 = %117, %carried_20 = %117, %carried_21 = %117, %carried_22 = %117, %carried_23 = %117, %carried_24 = %117, %carried_25 = %117, %carried_26 = %117) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
        %c0_27 = arith.constant 0 : index
        %164 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
        %165 = tile.dot(%9, %164) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
        %166 = tile.map(%165) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32):
          %cst = arith.constant 1.000000e+00 : f32
          %198 = math.exp2 %x : f32
          %199 = arith.addf %198, %cst : f32
          %200 = arith.divf %cst, %199 : f32
          %201 = arith.negf %200 : f32
          %202 = math.exp %201 : f32
          %203 = arith.addf %202, %cst : f32
          %204 = arith.divf %200, %203 : f32
          tile.yield %204 : f32
        }
        %167 = tile.select_masked %166 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
          %true = arith.constant true
          tile.yield %true : i1
        }
        %168 = tile.map(%167, %102) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %169 = tile.map(%167, %103) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %170 = tile.map(%167, %104) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %171 = tile.map(%167, %105) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %172 = tile.map(%167, %106) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %173 = tile.map(%167, %107) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %174 = tile.map(%167, %108) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %175 = tile.map(%167, %109) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %176 = tile.map(%167, %110) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %177 = tile.map(%167, %111) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %178 = tile.map(%167, %112) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %179 = tile.map(%167, %113) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %180 = tile.map(%167, %114) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %181 = tile.map(%167, %115) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %182 = tile.map(%167, %116) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %183 = tile.reduce add(%168) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %184 = tile.reduce add(%169) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %185 = tile.reduce add(%170) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %186 = tile.reduce add(%171) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %187 = tile.reduce add(%172) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %188 = tile.reduce add(%173) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %189 = tile.reduce add(%174) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %190 = tile.reduce add(%175) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %191 = tile.reduce add(%176) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %192 = tile.reduce add(%177) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %193 = tile.reduce add(%178) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %194 = tile.reduce add(%179) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %195 = tile.reduce add(%180) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %196 = tile.reduce add(%181) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %197 = tile.reduce add(%182) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        tile.yield %183, %184, %185, %186, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
      }
      %119 = tile.map(%118#0, %118#1, %118#2, %118#3, %118#4, %118#5, %118#6, %118#7, %118#8, %118#9, %118#10, %118#11, %118#12, %118#13, %118#14, %101) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, index> {
      ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index):
        %cst = arith.constant 3.000000e+00 : f32
        %c0_28 = arith.constant 0 : index
        %164 = arith.cmpf oge, %x, %cst : f32
        %c256 = arith.constant 256 : index
        %c0_29 = arith.constant 0 : index
        %165 = arith.select %164, %c256, %c0_29 : index
        %166 = arith.addi %c0_28, %165 : index
        %167 = arith.cmpf oge, %x_13, %cst : f32
        %c256_30 = arith.constant 256 : index
        %c0_31 = arith.constant 0 : index
        %168 = arith.select %167, %c256_30, %c0_31 : index
        %169 = arith.addi %166, %168 : index
        %170 = arith.cmpf oge, %x_14, %cst : f32
        %c256_32 = arith.constant 256 : index
        %c0_33 = arith.constant 0 : index
        %171 = arith.select %170, %c256_32, %c0_33 : index
        %172 = arith.addi %169, %171 : index
        %173 = arith.cmpf oge, %x_15, %cst : f32
        %c256_34 = arith.constant 256 : index
        %c0_35 = arith.constant 0 : index
        %174 = arith.select %173, %c256_34, %c0_35 : index
        %175 = arith.addi %172, %174 : index
        %176 = arith.cmpf oge, %x_16, %cst : f32
        %c256_36 = arith.constant 256 : index
        %c0_37 = arith.constant 0 : index
        %177 = arith.select %176, %c256_36, %c0_37 : index
        %178 = arith.addi %175, %177 : index
        %179 = arith.cmpf oge, %x_17, %cst : f32
        %c256_38 = arith.constant 256 : index
        %c0_39 = arith.constant 0 : index
        %180 = arith.select %179, %c256_38, %c0_39 : index
        %181 = arith.addi %178, %180 : index
        %182 = arith.cmpf oge, %x_18, %cst : f32
        %c256_40 = arith.constant 256 : index
        %c0_41 = arith.constant 0 : index
        %183 = arith.select %182, %c256_40, %c0_41 : index
        %184 = arith.addi %181, %183 : index
        %185 = arith.cmpf oge, %x_19, %cst : f32
        %c256_42 = arith.constant 256 : index
        %c0_43 = arith.constant 0 : index
        %186 = arith.select %185, %c256_42, %c0_43 : index
        %187 = arith.addi %184, %186 : index
        %188 = arith.cmpf oge, %x_20, %cst : f32
        %c256_44 = arith.constant 256 : index
        %c0_45 = arith.constant 0 : index
        %189 = arith.select %188, %c256_44, %c0_45 : index
        %190 = arith.addi %187, %189 : index
        %191 = arith.cmpf oge, %x_21, %cst : f32
        %c256_46 = arith.constant 256 : index
        %c0_47 = arith.constant 0 : index
        %192 = arith.select %191, %c256_46, %c0_47 : index
        %193 = arith.addi %190, %192 : index
        %194 = arith.cmpf oge, %x_22, %cst : f32
        %c256_48 = arith.constant 256 : index
        %c0_49 = arith.constant 0 : index
        %195 = arith.select %194, %c256_48, %c0_49 : index
        %196 = arith.addi %193, %195 : index
        %197 = arith.cmpf oge, %x_23, %cst : f32
        %c256_50 = arith.constant 256 : index
        %c0_51 = arith.constant 0 : index
        %198 = arith.select %197, %c256_50, %c0_51 : index
        %199 = arith.addi %196, %198 : index
        %200 = arith.cmpf oge, %x_24, %cst : f32
        %c256_52 = arith.constant 256 : index
        %c0_53 = arith.constant 0 : index
        %201 = arith.select %200, %c256_52, %c0_53 : index
        %202 = arith.addi %199, %201 : index
        %203 = arith.cmpf oge, %x_25, %cst : f32
        %c256_54 = arith.constant 256 : index
        %c0_55 = arith.constant 0 : index
        %204 = arith.select %203, %c256_54, %c0_55 : index
        %205 = arith.addi %202, %204 : index
        %206 = arith.cmpf oge, %x_26, %cst : f32
        %c256_56 = arith.constant 256 : index
        %c0_57 = arith.constant 0 : index
        %207 = arith.select %206, %c256_56, %c0_57 : index
        %208 = arith.addi %205, %207 : index
        %c2139095040 = arith.constant 2139095040 : index
        %209 = arith.subi %c2139095040, %208 : index
        %210 = arith.cmpi sgt, %x_27, %209 : index
        %211 = arith.addi %x_27, %208 : index
        %c2139095040_58 = arith.constant 2139095040 : index
        %212 = arith.select %210, %c2139095040_58, %211 : index
        tile.yield %212 : index
      }
      %120 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c16 = arith.constant 16 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c16 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c16 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %121 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c32_13 = arith.constant 32 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c32_13 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c32_13 : index
        %c2139095040_14 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_14, %166 : index
        %c0_15 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_15 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %122 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c48 = arith.constant 48 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c48 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c48 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %123 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c64 = arith.constant 64 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c64 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c64 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %124 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c80 = arith.constant 80 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c80 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c80 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %125 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c96 = arith.constant 96 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c96 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c96 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %126 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c112 = arith.constant 112 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c112 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c112 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %127 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c128 = arith.constant 128 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c128 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c128 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %128 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c144 = arith.constant 144 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c144 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c144 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %129 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c160 = arith.constant 160 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c160 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c160 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %130 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c176 = arith.constant 176 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c176 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c176 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %131 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c192 = arith.constant 192 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c192 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c192 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %132 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c208 = arith.constant 208 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c208 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c208 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %133 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c224 = arith.constant 224 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c224 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c224 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %134 = tile.map(%119) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c240 = arith.constant 240 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c240 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c240 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %135 = tile.splat 0.000000e+00 : <q:32, f32>
      %136:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %135, %carried_13 = %135, %carried_14 = %135, %carried_15 = %135, %carried_16 = %135, %carried_17 = %135, %carried_18 = %135, %carried_19 = %135, %carried_20 = %135, %carried_21 = %135, %carried_22 = %135, %carried_23 = %135, %carried_24 = %135, %carried_25 = %135, %carried_26 = %135) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
        %c0_27 = arith.constant 0 : index
        %164 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
        %165 = tile.dot(%9, %164) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
        %166 = tile.map(%165) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32):
          %cst = arith.constant 1.000000e+00 : f32
          %198 = math.exp2 %x : f32
          %199 = arith.addf %198, %cst : f32
          %200 = arith.divf %cst, %199 : f32
          %201 = arith.negf %200 : f32
          %202 = math.exp %201 : f32
          %203 = arith.addf %202, %cst : f32
          %204 = arith.divf %200, %203 : f32
          tile.yield %204 : f32
        }
        %167 = tile.select_masked %166 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
          %true = arith.constant true
          tile.yield %true : i1
        }
        %168 = tile.map(%167, %120) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %169 = tile.map(%167, %121) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %170 = tile.map(%167, %122) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %171 = tile.map(%167, %123) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %172 = tile.map(%167, %124) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %173 = tile.map(%167, %125) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %174 = tile.map(%167, %126) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %175 = tile.map(%167, %127) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %176 = tile.map(%167, %128) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %177 = tile.map(%167, %129) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %178 = tile.map(%167, %130) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %179 = tile.map(%167, %131) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %180 = tile.map(%167, %132) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %181 = tile.map(%167, %133) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %182 = tile.map(%167, %134) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %183 = tile.reduce add(%168) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %184 = tile.reduce add(%169) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %185 = tile.reduce add(%170) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %186 = tile.reduce add(%171) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %187 = tile.reduce add(%172) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %188 = tile.reduce add(%173) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %189 = tile.reduce add(%174) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %190 = tile.reduce add(%175) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %191 = tile.reduce add(%176) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %192 = tile.reduce add(%177) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %193 = tile.reduce add(%178) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %194 = tile.reduce add(%179) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %195 = tile.reduce add(%180) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %196 = tile.reduce add(%181) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %197 = tile.reduce add(%182) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        tile.yield %183, %184, %185, %186, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
      }
      %137 = tile.map(%136#0, %136#1, %136#2, %136#3, %136#4, %136#5, %136#6, %136#7, %136#8, %136#9, %136#10, %136#11, %136#12, %136#13, %136#14, %119) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, index> {
      ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index):
        %cst = arith.constant 3.000000e+00 : f32
        %c0_28 = arith.constant 0 : index
        %164 = arith.cmpf oge, %x, %cst : f32
        %c16 = arith.constant 16 : index
        %c0_29 = arith.constant 0 : index
        %165 = arith.select %164, %c16, %c0_29 : index
        %166 = arith.addi %c0_28, %165 : index
        %167 = arith.cmpf oge, %x_13, %cst : f32
        %c16_30 = arith.constant 16 : index
        %c0_31 = arith.constant 0 : index
        %168 = arith.select %167, %c16_30, %c0_31 : index
        %169 = arith.addi %166, %168 : index
        %170 = arith.cmpf oge, %x_14, %cst : f32
        %c16_32 = arith.constant 16 : index
        %c0_33 = arith.constant 0 : index
        %171 = arith.select %170, %c16_32, %c0_33 : index
        %172 = arith.addi %169, %171 : index
        %173 = arith.cmpf oge, %x_15, %cst : f32
        %c16_34 = arith.constant 16 : index
        %c0_35 = arith.constant 0 : index
        %174 = arith.select %173, %c16_34, %c0_35 : index
        %175 = arith.addi %172, %174 : index
        %176 = arith.cmpf oge, %x_16, %cst : f32
        %c16_36 = arith.constant 16 : index
        %c0_37 = arith.constant 0 : index
        %177 = arith.select %176, %c16_36, %c0_37 : index
        %178 = arith.addi %175, %177 : index
        %179 = arith.cmpf oge, %x_17, %cst : f32
        %c16_38 = arith.constant 16 : index
        %c0_39 = arith.constant 0 : index
        %180 = arith.select %179, %c16_38, %c0_39 : index
        %181 = arith.addi %178, %180 : index
        %182 = arith.cmpf oge, %x_18, %cst : f32
        %c16_40 = arith.constant 16 : index
        %c0_41 = arith.constant 0 : index
        %183 = arith.select %182, %c16_40, %c0_41 : index
        %184 = arith.addi %181, %183 : index
        %185 = arith.cmpf oge, %x_19, %cst : f32
        %c16_42 = arith.constant 16 : index
        %c0_43 = arith.constant 0 : index
        %186 = arith.select %185, %c16_42, %c0_43 : index
        %187 = arith.addi %184, %186 : index
        %188 = arith.cmpf oge, %x_20, %cst : f32
        %c16_44 = arith.constant 16 : index
        %c0_45 = arith.constant 0 : index
        %189 = arith.select %188, %c16_44, %c0_45 : index
        %190 = arith.addi %187, %189 : index
        %191 = arith.cmpf oge, %x_21, %cst : f32
        %c16_46 = arith.constant 16 : index
        %c0_47 = arith.constant 0 : index
        %192 = arith.select %191, %c16_46, %c0_47 : index
        %193 = arith.addi %190, %192 : index
        %194 = arith.cmpf oge, %x_22, %cst : f32
        %c16_48 = arith.constant 16 : index
        %c0_49 = arith.constant 0 : index
        %195 = arith.select %194, %c16_48, %c0_49 : index
        %196 = arith.addi %193, %195 : index
        %197 = arith.cmpf oge, %x_23, %cst : f32
        %c16_50 = arith.constant 16 : index
        %c0_51 = arith.constant 0 : index
        %198 = arith.select %197, %c16_50, %c0_51 : index
        %199 = arith.addi %196, %198 : index
        %200 = arith.cmpf oge, %x_24, %cst : f32
        %c16_52 = arith.constant 16 : index
        %c0_53 = arith.constant 0 : index
        %201 = arith.select %200, %c16_52, %c0_53 : index
        %202 = arith.addi %199, %201 : index
        %203 = arith.cmpf oge, %x_25, %cst : f32
        %c16_54 = arith.constant 16 : index
        %c0_55 = arith.constant 0 : index
        %204 = arith.select %203, %c16_54, %c0_55 : index
        %205 = arith.addi %202, %204 : index
        %206 = arith.cmpf oge, %x_26, %cst : f32
        %c16_56 = arith.constant 16 : index
        %c0_57 = arith.constant 0 : index
        %207 = arith.select %206, %c16_56, %c0_57 : index
        %208 = arith.addi %205, %207 : index
        %c2139095040 = arith.constant 2139095040 : index
        %209 = arith.subi %c2139095040, %208 : index
        %210 = arith.cmpi sgt, %x_27, %209 : index
        %211 = arith.addi %x_27, %208 : index
        %c2139095040_58 = arith.constant 2139095040 : index
        %212 = arith.select %210, %c2139095040_58, %211 : index
        tile.yield %212 : index
      }
      %138 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c1_13 = arith.constant 1 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c1_13 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c1_13 : index
        %c2139095040_14 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_14, %166 : index
        %c0_15 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_15 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %139 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c2 = arith.constant 2 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c2 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c2 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %140 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c3 = arith.constant 3 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c3 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c3 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %141 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c4 = arith.constant 4 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c4 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c4 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %142 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c5 = arith.constant 5 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c5 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c5 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %143 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c6 = arith.constant 6 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c6 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c6 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %144 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c7 = arith.constant 7 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c7 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c7 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %145 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c8 = arith.constant 8 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c8 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c8 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %146 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c9 = arith.constant 9 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c9 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c9 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %147 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c10 = arith.constant 10 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c10 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c10 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %148 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c11 = arith.constant 11 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c11 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c11 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %149 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c12 = arith.constant 12 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c12 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c12 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %150 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c13 = arith.constant 13 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c13 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c13 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %151 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c14 = arith.constant 14 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c14 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c14 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %152 = tile.map(%137) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c15 = arith.constant 15 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c15 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c15 : index
        %c2139095040_13 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_13, %166 : index
        %c0_14 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_14 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %153 = tile.splat 0.000000e+00 : <q:32, f32>
      %154:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %153, %carried_13 = %153, %carried_14 = %153, %carried_15 = %153, %carried_16 = %153, %carried_17 = %153, %carried_18 = %153, %carried_19 = %153, %carried_20 = %153, %carried_21 = %153, %carried_22 = %153, %carried_23 = %153, %carried_24 = %153, %carried_25 = %153, %carried_26 = %153) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
        %c0_27 = arith.constant 0 : index
        %164 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
        %165 = tile.dot(%9, %164) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
        %166 = tile.map(%165) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32):
          %cst = arith.constant 1.000000e+00 : f32
          %198 = math.exp2 %x : f32
          %199 = arith.addf %198, %cst : f32
          %200 = arith.divf %cst, %199 : f32
          %201 = arith.negf %200 : f32
          %202 = math.exp %201 : f32
          %203 = arith.addf %202, %cst : f32
          %204 = arith.divf %200, %203 : f32
          tile.yield %204 : f32
        }
        %167 = tile.select_masked %166 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
          %true = arith.constant true
          tile.yield %true : i1
        }
        %168 = tile.map(%167, %138) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %169 = tile.map(%167, %139) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %170 = tile.map(%167, %140) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %171 = tile.map(%167, %141) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %172 = tile.map(%167, %142) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %173 = tile.map(%167, %143) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %174 = tile.map(%167, %144) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %175 = tile.map(%167, %145) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %176 = tile.map(%167, %146) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %177 = tile.map(%167, %147) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %178 = tile.map(%167, %148) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %179 = tile.map(%167, %149) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %180 = tile.map(%167, %150) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %181 = tile.map(%167, %151) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %182 = tile.map(%167, %152) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_28: f32):
          %198 = arith.cmpf uge, %x, %x_28 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_29 = arith.constant 0.000000e+00 : f32
          %199 = arith.select %198, %cst, %cst_29 : f32
          tile.yield %199 : f32
        }
        %183 = tile.reduce add(%168) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %184 = tile.reduce add(%169) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %185 = tile.reduce add(%170) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %186 = tile.reduce add(%171) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %187 = tile.reduce add(%172) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %188 = tile.reduce add(%173) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %189 = tile.reduce add(%174) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %190 = tile.reduce add(%175) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %191 = tile.reduce add(%176) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %192 = tile.reduce add(%177) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %193 = tile.reduce add(%178) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %194 = tile.reduce add(%179) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %195 = tile.reduce add(%180) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %196 = tile.reduce add(%181) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %197 = tile.reduce add(%182) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        tile.yield %183, %184, %185, %186, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
      }
      %155 = tile.map(%154#0, %154#1, %154#2, %154#3, %154#4, %154#5, %154#6, %154#7, %154#8, %154#9, %154#10, %154#11, %154#12, %154#13, %154#14, %137) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, index> {
      ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index):
        %cst = arith.constant 3.000000e+00 : f32
        %c0_28 = arith.constant 0 : index
        %164 = arith.cmpf oge, %x, %cst : f32
        %c1_29 = arith.constant 1 : index
        %c0_30 = arith.constant 0 : index
        %165 = arith.select %164, %c1_29, %c0_30 : index
        %166 = arith.addi %c0_28, %165 : index
        %167 = arith.cmpf oge, %x_13, %cst : f32
        %c1_31 = arith.constant 1 : index
        %c0_32 = arith.constant 0 : index
        %168 = arith.select %167, %c1_31, %c0_32 : index
        %169 = arith.addi %166, %168 : index
        %170 = arith.cmpf oge, %x_14, %cst : f32
        %c1_33 = arith.constant 1 : index
        %c0_34 = arith.constant 0 : index
        %171 = arith.select %170, %c1_33, %c0_34 : index
        %172 = arith.addi %169, %171 : index
        %173 = arith.cmpf oge, %x_15, %cst : f32
        %c1_35 = arith.constant 1 : index
        %c0_36 = arith.constant 0 : index
        %174 = arith.select %173, %c1_35, %c0_36 : index
        %175 = arith.addi %172, %174 : index
        %176 = arith.cmpf oge, %x_16, %cst : f32
        %c1_37 = arith.constant 1 : index
        %c0_38 = arith.constant 0 : index
        %177 = arith.select %176, %c1_37, %c0_38 : index
        %178 = arith.addi %175, %177 : index
        %179 = arith.cmpf oge, %x_17, %cst : f32
        %c1_39 = arith.constant 1 : index
        %c0_40 = arith.constant 0 : index
        %180 = arith.select %179, %c1_39, %c0_40 : index
        %181 = arith.addi %178, %180 : index
        %182 = arith.cmpf oge, %x_18, %cst : f32
        %c1_41 = arith.constant 1 : index
        %c0_42 = arith.constant 0 : index
        %183 = arith.select %182, %c1_41, %c0_42 : index
        %184 = arith.addi %181, %183 : index
        %185 = arith.cmpf oge, %x_19, %cst : f32
        %c1_43 = arith.constant 1 : index
        %c0_44 = arith.constant 0 : index
        %186 = arith.select %185, %c1_43, %c0_44 : index
        %187 = arith.addi %184, %186 : index
        %188 = arith.cmpf oge, %x_20, %cst : f32
        %c1_45 = arith.constant 1 : index
        %c0_46 = arith.constant 0 : index
        %189 = arith.select %188, %c1_45, %c0_46 : index
        %190 = arith.addi %187, %189 : index
        %191 = arith.cmpf oge, %x_21, %cst : f32
        %c1_47 = arith.constant 1 : index
        %c0_48 = arith.constant 0 : index
        %192 = arith.select %191, %c1_47, %c0_48 : index
        %193 = arith.addi %190, %192 : index
        %194 = arith.cmpf oge, %x_22, %cst : f32
        %c1_49 = arith.constant 1 : index
        %c0_50 = arith.constant 0 : index
        %195 = arith.select %194, %c1_49, %c0_50 : index
        %196 = arith.addi %193, %195 : index
        %197 = arith.cmpf oge, %x_23, %cst : f32
        %c1_51 = arith.constant 1 : index
        %c0_52 = arith.constant 0 : index
        %198 = arith.select %197, %c1_51, %c0_52 : index
        %199 = arith.addi %196, %198 : index
        %200 = arith.cmpf oge, %x_24, %cst : f32
        %c1_53 = arith.constant 1 : index
        %c0_54 = arith.constant 0 : index
        %201 = arith.select %200, %c1_53, %c0_54 : index
        %202 = arith.addi %199, %201 : index
        %203 = arith.cmpf oge, %x_25, %cst : f32
        %c1_55 = arith.constant 1 : index
        %c0_56 = arith.constant 0 : index
        %204 = arith.select %203, %c1_55, %c0_56 : index
        %205 = arith.addi %202, %204 : index
        %206 = arith.cmpf oge, %x_26, %cst : f32
        %c1_57 = arith.constant 1 : index
        %c0_58 = arith.constant 0 : index
        %207 = arith.select %206, %c1_57, %c0_58 : index
        %208 = arith.addi %205, %207 : index
        %c2139095040 = arith.constant 2139095040 : index
        %209 = arith.subi %c2139095040, %208 : index
        %210 = arith.cmpi sgt, %x_27, %209 : index
        %211 = arith.addi %x_27, %208 : index
        %c2139095040_59 = arith.constant 2139095040 : index
        %212 = arith.select %210, %c2139095040_59, %211 : index
        tile.yield %212 : index
      }
      %156 = tile.map(%155) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: index):
        %c0_13 = arith.constant 0 : index
        %c2139095040 = arith.constant 2139095040 : index
        %164 = arith.subi %c2139095040, %c0_13 : index
        %165 = arith.cmpi sgt, %x, %164 : index
        %166 = arith.addi %x, %c0_13 : index
        %c2139095040_14 = arith.constant 2139095040 : index
        %167 = arith.select %165, %c2139095040_14, %166 : index
        %c0_15 = arith.constant 0 : index
        %168 = arith.cmpi slt, %167, %c0_15 : index
        %c-1 = arith.constant -1 : index
        %169 = arith.subi %c-1, %167 : index
        %170 = arith.select %168, %169, %167 : index
        %171 = arith.index_cast %170 : index to i64
        %172 = arith.trunci %171 : i64 to i32
        %173 = arith.bitcast %172 : i32 to f32
        %174 = arith.negf %173 : f32
        %175 = arith.select %168, %174, %173 : f32
        tile.yield %175 : f32
      }
      %157 = tile.splat 0.000000e+00 : <q:32, f32>
      %158:3 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %157, %carried_13 = %157, %carried_14 = %157) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
        %c0_15 = arith.constant 0 : index
        %164 = tile.load %K[%b, %c0_15, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
        %165 = tile.dot(%9, %164) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
        %166 = tile.map(%165) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32):
          %cst = arith.constant 1.000000e+00 : f32
          %174 = math.exp2 %x : f32
          %175 = arith.addf %174, %cst : f32
          %176 = arith.divf %cst, %175 : f32
          %177 = arith.negf %176 : f32
          %178 = math.exp %177 : f32
          %179 = arith.addf %178, %cst : f32
          %180 = arith.divf %176, %179 : f32
          tile.yield %180 : f32
        }
        %167 = tile.select_masked %166 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
          %true = arith.constant true
          tile.yield %true : i1
        }
        %168 = tile.map(%167, %156) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_16: f32):
          %174 = arith.cmpf ugt, %x, %x_16 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_17 = arith.constant 0.000000e+00 : f32
          %175 = arith.select %174, %cst, %cst_17 : f32
          tile.yield %175 : f32
        }
        %169 = tile.map(%167, %156) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_16: f32):
          %174 = arith.cmpf oeq, %x, %x_16 : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_17 = arith.constant 0.000000e+00 : f32
          %175 = arith.select %174, %cst, %cst_17 : f32
          tile.yield %175 : f32
        }
        %170 = tile.map(%167, %156) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
        ^bb0(%x: f32, %x_16: f32):
          %174 = arith.cmpf uno, %x, %x : f32
          %cst = arith.constant 1.000000e+00 : f32
          %cst_17 = arith.constant 0.000000e+00 : f32
          %175 = arith.select %174, %cst, %cst_17 : f32
          tile.yield %175 : f32
        }
        %171 = tile.reduce add(%168) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %172 = tile.reduce add(%169) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        %173 = tile.reduce add(%170) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
        tile.yield %171, %172, %173 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
      }
      %159 = tile.map(%158#0) : (!tile.tile<q:32, f32>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: f32):
        %cst = arith.constant 3.000000e+00 : f32
        %164 = arith.subf %cst, %x : f32
        tile.yield %164 : f32
      }
      %160 = tile.map(%158#1, %159, %156) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: f32, %x_13: f32, %x_14: f32):
        %164 = arith.cmpf ogt, %x, %x_13 : f32
        %cst = arith.constant 0xFF800000 : f32
        %165 = arith.cmpf ogt, %x_14, %cst : f32
        %166 = arith.andi %164, %165 : i1
        %cst_15 = arith.constant 0x7FC00000 : f32
        %cst_16 = arith.constant 0.000000e+00 : f32
        %167 = arith.select %166, %cst_15, %cst_16 : f32
        tile.yield %167 : f32
      }
      %161 = tile.any_nan %160 valid(q = %6) : <q:32, f32>
      %162 = scf.if %161 -> (!tile.tile<q:32, index>) {
        %164 = tile.map(%156) : (!tile.tile<q:32, f32>) -> !tile.tile<q:32, index> {
        ^bb0(%x: f32):
          %c-1 = arith.constant -1 : index
          tile.yield %c-1 : index
        }
        %165 = tile.splat 0.000000e+00 : <q:32, f32>
        %166:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %165, %carried_13 = %165, %carried_14 = %165, %carried_15 = %165, %carried_16 = %165, %carried_17 = %165, %carried_18 = %165, %carried_19 = %165, %carried_20 = %165, %carried_21 = %165, %carried_22 = %165, %carried_23 = %165, %carried_24 = %165, %carried_25 = %165, %carried_26 = %165) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
          %c0_27 = arith.constant 0 : index
          %190 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
          %191 = tile.dot(%9, %190) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
          %192 = tile.map(%191) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32):
            %cst = arith.constant 1.000000e+00 : f32
            %224 = math.exp2 %x : f32
            %225 = arith.addf %224, %cst : f32
            %226 = arith.divf %cst, %225 : f32
            %227 = arith.negf %226 : f32
            %228 = math.exp %227 : f32
            %229 = arith.addf %228, %cst : f32
            %230 = arith.divf %226, %229 : f32
            tile.yield %230 : f32
          }
          %193 = tile.select_masked %192 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
            %true = arith.constant true
            tile.yield %true : i1
          }
          %194 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c268435456 = arith.constant 268435456 : index
            %224 = arith.addi %x_29, %c268435456 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %195 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c536870912 = arith.constant 536870912 : index
            %224 = arith.addi %x_29, %c536870912 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %196 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c805306368 = arith.constant 805306368 : index
            %224 = arith.addi %x_29, %c805306368 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %197 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c1073741824 = arith.constant 1073741824 : index
            %224 = arith.addi %x_29, %c1073741824 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %198 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c1342177280 = arith.constant 1342177280 : index
            %224 = arith.addi %x_29, %c1342177280 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %199 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c1610612736 = arith.constant 1610612736 : index
            %224 = arith.addi %x_29, %c1610612736 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %200 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c1879048192 = arith.constant 1879048192 : index
            %224 = arith.addi %x_29, %c1879048192 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %201 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c2147483648 = arith.constant 2147483648 : index
            %224 = arith.addi %x_29, %c2147483648 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %202 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c2415919104 = arith.constant 2415919104 : index
            %224 = arith.addi %x_29, %c2415919104 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %203 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c2684354560 = arith.constant 2684354560 : index
            %224 = arith.addi %x_29, %c2684354560 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %204 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c2952790016 = arith.constant 2952790016 : index
            %224 = arith.addi %x_29, %c2952790016 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %205 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c3221225472 = arith.constant 3221225472 : index
            %224 = arith.addi %x_29, %c3221225472 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %206 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c3489660928 = arith.constant 3489660928 : index
            %224 = arith.addi %x_29, %c3489660928 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %207 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c3758096384 = arith.constant 3758096384 : index
            %224 = arith.addi %x_29, %c3758096384 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %208 = tile.map(%193, %156, %164) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c4026531840 = arith.constant 4026531840 : index
            %224 = arith.addi %x_29, %c4026531840 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %209 = tile.reduce add(%194) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %210 = tile.reduce add(%195) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %211 = tile.reduce add(%196) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %212 = tile.reduce add(%197) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %213 = tile.reduce add(%198) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %214 = tile.reduce add(%199) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %215 = tile.reduce add(%200) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %216 = tile.reduce add(%201) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %217 = tile.reduce add(%202) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %218 = tile.reduce add(%203) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %219 = tile.reduce add(%204) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %220 = tile.reduce add(%205) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %221 = tile.reduce add(%206) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %222 = tile.reduce add(%207) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %223 = tile.reduce add(%208) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          tile.yield %209, %210, %211, %212, %213, %214, %215, %216, %217, %218, %219, %220, %221, %222, %223 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
        }
        %167 = tile.map(%166#0, %166#1, %166#2, %166#3, %166#4, %166#5, %166#6, %166#7, %166#8, %166#9, %166#10, %166#11, %166#12, %166#13, %166#14, %164, %159) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, index> {
        ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index, %x_28: f32):
          %c0_29 = arith.constant 0 : index
          %190 = arith.cmpf olt, %x, %x_28 : f32
          %c268435456 = arith.constant 268435456 : index
          %c0_30 = arith.constant 0 : index
          %191 = arith.select %190, %c268435456, %c0_30 : index
          %192 = arith.addi %c0_29, %191 : index
          %193 = arith.cmpf olt, %x_13, %x_28 : f32
          %c268435456_31 = arith.constant 268435456 : index
          %c0_32 = arith.constant 0 : index
          %194 = arith.select %193, %c268435456_31, %c0_32 : index
          %195 = arith.addi %192, %194 : index
          %196 = arith.cmpf olt, %x_14, %x_28 : f32
          %c268435456_33 = arith.constant 268435456 : index
          %c0_34 = arith.constant 0 : index
          %197 = arith.select %196, %c268435456_33, %c0_34 : index
          %198 = arith.addi %195, %197 : index
          %199 = arith.cmpf olt, %x_15, %x_28 : f32
          %c268435456_35 = arith.constant 268435456 : index
          %c0_36 = arith.constant 0 : index
          %200 = arith.select %199, %c268435456_35, %c0_36 : index
          %201 = arith.addi %198, %200 : index
          %202 = arith.cmpf olt, %x_16, %x_28 : f32
          %c268435456_37 = arith.constant 268435456 : index
          %c0_38 = arith.constant 0 : index
          %203 = arith.select %202, %c268435456_37, %c0_38 : index
          %204 = arith.addi %201, %203 : index
          %205 = arith.cmpf olt, %x_17, %x_28 : f32
          %c268435456_39 = arith.constant 268435456 : index
          %c0_40 = arith.constant 0 : index
          %206 = arith.select %205, %c268435456_39, %c0_40 : index
          %207 = arith.addi %204, %206 : index
          %208 = arith.cmpf olt, %x_18, %x_28 : f32
          %c268435456_41 = arith.constant 268435456 : index
          %c0_42 = arith.constant 0 : index
          %209 = arith.select %208, %c268435456_41, %c0_42 : index
          %210 = arith.addi %207, %209 : index
          %211 = arith.cmpf olt, %x_19, %x_28 : f32
          %c268435456_43 = arith.constant 268435456 : index
          %c0_44 = arith.constant 0 : index
          %212 = arith.select %211, %c268435456_43, %c0_44 : index
          %213 = arith.addi %210, %212 : index
          %214 = arith.cmpf olt, %x_20, %x_28 : f32
          %c268435456_45 = arith.constant 268435456 : index
          %c0_46 = arith.constant 0 : index
          %215 = arith.select %214, %c268435456_45, %c0_46 : index
          %216 = arith.addi %213, %215 : index
          %217 = arith.cmpf olt, %x_21, %x_28 : f32
          %c268435456_47 = arith.constant 268435456 : index
          %c0_48 = arith.constant 0 : index
          %218 = arith.select %217, %c268435456_47, %c0_48 : index
          %219 = arith.addi %216, %218 : index
          %220 = arith.cmpf olt, %x_22, %x_28 : f32
          %c268435456_49 = arith.constant 268435456 : index
          %c0_50 = arith.constant 0 : index
          %221 = arith.select %220, %c268435456_49, %c0_50 : index
          %222 = arith.addi %219, %221 : index
          %223 = arith.cmpf olt, %x_23, %x_28 : f32
          %c268435456_51 = arith.constant 268435456 : index
          %c0_52 = arith.constant 0 : index
          %224 = arith.select %223, %c268435456_51, %c0_52 : index
          %225 = arith.addi %222, %224 : index
          %226 = arith.cmpf olt, %x_24, %x_28 : f32
          %c268435456_53 = arith.constant 268435456 : index
          %c0_54 = arith.constant 0 : index
          %227 = arith.select %226, %c268435456_53, %c0_54 : index
          %228 = arith.addi %225, %227 : index
          %229 = arith.cmpf olt, %x_25, %x_28 : f32
          %c268435456_55 = arith.constant 268435456 : index
          %c0_56 = arith.constant 0 : index
          %230 = arith.select %229, %c268435456_55, %c0_56 : index
          %231 = arith.addi %228, %230 : index
          %232 = arith.cmpf olt, %x_26, %x_28 : f32
          %c268435456_57 = arith.constant 268435456 : index
          %c0_58 = arith.constant 0 : index
          %233 = arith.select %232, %c268435456_57, %c0_58 : index
          %234 = arith.addi %231, %233 : index
          %c2139095040 = arith.constant 2139095040 : index
          %235 = arith.subi %c2139095040, %234 : index
          %236 = arith.cmpi sgt, %x_27, %235 : index
          %237 = arith.addi %x_27, %234 : index
          %c2139095040_59 = arith.constant 2139095040 : index
          %238 = arith.select %236, %c2139095040_59, %237 : index
          tile.yield %238 : index
        }
        %168 = tile.splat 0.000000e+00 : <q:32, f32>
        %169:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %168, %carried_13 = %168, %carried_14 = %168, %carried_15 = %168, %carried_16 = %168, %carried_17 = %168, %carried_18 = %168, %carried_19 = %168, %carried_20 = %168, %carried_21 = %168, %carried_22 = %168, %carried_23 = %168, %carried_24 = %168, %carried_25 = %168, %carried_26 = %168) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
          %c0_27 = arith.constant 0 : index
          %190 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
          %191 = tile.dot(%9, %190) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
          %192 = tile.map(%191) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32):
            %cst = arith.constant 1.000000e+00 : f32
            %224 = math.exp2 %x : f32
            %225 = arith.addf %224, %cst : f32
            %226 = arith.divf %cst, %225 : f32
            %227 = arith.negf %226 : f32
            %228 = math.exp %227 : f32
            %229 = arith.addf %228, %cst : f32
            %230 = arith.divf %226, %229 : f32
            tile.yield %230 : f32
          }
          %193 = tile.select_masked %192 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
            %true = arith.constant true
            tile.yield %true : i1
          }
          %194 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c16777216 = arith.constant 16777216 : index
            %224 = arith.addi %x_29, %c16777216 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %195 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c33554432 = arith.constant 33554432 : index
            %224 = arith.addi %x_29, %c33554432 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %196 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c50331648 = arith.constant 50331648 : index
            %224 = arith.addi %x_29, %c50331648 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %197 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c67108864 = arith.constant 67108864 : index
            %224 = arith.addi %x_29, %c67108864 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %198 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c83886080 = arith.constant 83886080 : index
            %224 = arith.addi %x_29, %c83886080 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %199 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c100663296 = arith.constant 100663296 : index
            %224 = arith.addi %x_29, %c100663296 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %200 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c117440512 = arith.constant 117440512 : index
            %224 = arith.addi %x_29, %c117440512 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %201 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c134217728 = arith.constant 134217728 : index
            %224 = arith.addi %x_29, %c134217728 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %202 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c150994944 = arith.constant 150994944 : index
            %224 = arith.addi %x_29, %c150994944 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %203 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c167772160 = arith.constant 167772160 : index
            %224 = arith.addi %x_29, %c167772160 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %204 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c184549376 = arith.constant 184549376 : index
            %224 = arith.addi %x_29, %c184549376 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %205 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c201326592 = arith.constant 201326592 : index
            %224 = arith.addi %x_29, %c201326592 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %206 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c218103808 = arith.constant 218103808 : index
            %224 = arith.addi %x_29, %c218103808 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %207 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c234881024 = arith.constant 234881024 : index
            %224 = arith.addi %x_29, %c234881024 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %208 = tile.map(%193, %156, %167) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c251658240 = arith.constant 251658240 : index
            %224 = arith.addi %x_29, %c251658240 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %209 = tile.reduce add(%194) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %210 = tile.reduce add(%195) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %211 = tile.reduce add(%196) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %212 = tile.reduce add(%197) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %213 = tile.reduce add(%198) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %214 = tile.reduce add(%199) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %215 = tile.reduce add(%200) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %216 = tile.reduce add(%201) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %217 = tile.reduce add(%202) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %218 = tile.reduce add(%203) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %219 = tile.reduce add(%204) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %220 = tile.reduce add(%205) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %221 = tile.reduce add(%206) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %222 = tile.reduce add(%207) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %223 = tile.reduce add(%208) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          tile.yield %209, %210, %211, %212, %213, %214, %215, %216, %217, %218, %219, %220, %221, %222, %223 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
        }
        %170 = tile.map(%169#0, %169#1, %169#2, %169#3, %169#4, %169#5, %169#6, %169#7, %169#8, %169#9, %169#10, %169#11, %169#12, %169#13, %169#14, %167, %159) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, index> {
        ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index, %x_28: f32):
          %c0_29 = arith.constant 0 : index
          %190 = arith.cmpf olt, %x, %x_28 : f32
          %c16777216 = arith.constant 16777216 : index
          %c0_30 = arith.constant 0 : index
          %191 = arith.select %190, %c16777216, %c0_30 : index
          %192 = arith.addi %c0_29, %191 : index
          %193 = arith.cmpf olt, %x_13, %x_28 : f32
          %c16777216_31 = arith.constant 16777216 : index
          %c0_32 = arith.constant 0 : index
          %194 = arith.select %193, %c16777216_31, %c0_32 : index
          %195 = arith.addi %192, %194 : index
          %196 = arith.cmpf olt, %x_14, %x_28 : f32
          %c16777216_33 = arith.constant 16777216 : index
          %c0_34 = arith.constant 0 : index
          %197 = arith.select %196, %c16777216_33, %c0_34 : index
          %198 = arith.addi %195, %197 : index
          %199 = arith.cmpf olt, %x_15, %x_28 : f32
          %c16777216_35 = arith.constant 16777216 : index
          %c0_36 = arith.constant 0 : index
          %200 = arith.select %199, %c16777216_35, %c0_36 : index
          %201 = arith.addi %198, %200 : index
          %202 = arith.cmpf olt, %x_16, %x_28 : f32
          %c16777216_37 = arith.constant 16777216 : index
          %c0_38 = arith.constant 0 : index
          %203 = arith.select %202, %c16777216_37, %c0_38 : index
          %204 = arith.addi %201, %203 : index
          %205 = arith.cmpf olt, %x_17, %x_28 : f32
          %c16777216_39 = arith.constant 16777216 : index
          %c0_40 = arith.constant 0 : index
          %206 = arith.select %205, %c16777216_39, %c0_40 : index
          %207 = arith.addi %204, %206 : index
          %208 = arith.cmpf olt, %x_18, %x_28 : f32
          %c16777216_41 = arith.constant 16777216 : index
          %c0_42 = arith.constant 0 : index
          %209 = arith.select %208, %c16777216_41, %c0_42 : index
          %210 = arith.addi %207, %209 : index
          %211 = arith.cmpf olt, %x_19, %x_28 : f32
          %c16777216_43 = arith.constant 16777216 : index
          %c0_44 = arith.constant 0 : index
          %212 = arith.select %211, %c16777216_43, %c0_44 : index
          %213 = arith.addi %210, %212 : index
          %214 = arith.cmpf olt, %x_20, %x_28 : f32
          %c16777216_45 = arith.constant 16777216 : index
          %c0_46 = arith.constant 0 : index
          %215 = arith.select %214, %c16777216_45, %c0_46 : index
          %216 = arith.addi %213, %215 : index
          %217 = arith.cmpf olt, %x_21, %x_28 : f32
          %c16777216_47 = arith.constant 16777216 : index
          %c0_48 = arith.constant 0 : index
          %218 = arith.select %217, %c16777216_47, %c0_48 : index
          %219 = arith.addi %216, %218 : index
          %220 = arith.cmpf olt, %x_22, %x_28 : f32
          %c16777216_49 = arith.constant 16777216 : index
          %c0_50 = arith.constant 0 : index
          %221 = arith.select %220, %c16777216_49, %c0_50 : index
          %222 = arith.addi %219, %221 : index
          %223 = arith.cmpf olt, %x_23, %x_28 : f32
          %c16777216_51 = arith.constant 16777216 : index
          %c0_52 = arith.constant 0 : index
          %224 = arith.select %223, %c16777216_51, %c0_52 : index
          %225 = arith.addi %222, %224 : index
          %226 = arith.cmpf olt, %x_24, %x_28 : f32
          %c16777216_53 = arith.constant 16777216 : index
          %c0_54 = arith.constant 0 : index
          %227 = arith.select %226, %c16777216_53, %c0_54 : index
          %228 = arith.addi %225, %227 : index
          %229 = arith.cmpf olt, %x_25, %x_28 : f32
          %c16777216_55 = arith.constant 16777216 : index
          %c0_56 = arith.constant 0 : index
          %230 = arith.select %229, %c16777216_55, %c0_56 : index
          %231 = arith.addi %228, %230 : index
          %232 = arith.cmpf olt, %x_26, %x_28 : f32
          %c16777216_57 = arith.constant 16777216 : index
          %c0_58 = arith.constant 0 : index
          %233 = arith.select %232, %c16777216_57, %c0_58 : index
          %234 = arith.addi %231, %233 : index
          %c2139095040 = arith.constant 2139095040 : index
          %235 = arith.subi %c2139095040, %234 : index
          %236 = arith.cmpi sgt, %x_27, %235 : index
          %237 = arith.addi %x_27, %234 : index
          %c2139095040_59 = arith.constant 2139095040 : index
          %238 = arith.select %236, %c2139095040_59, %237 : index
          tile.yield %238 : index
        }
        %171 = tile.splat 0.000000e+00 : <q:32, f32>
        %172:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %171, %carried_13 = %171, %carried_14 = %171, %carried_15 = %171, %carried_16 = %171, %carried_17 = %171, %carried_18 = %171, %carried_19 = %171, %carried_20 = %171, %carried_21 = %171, %carried_22 = %171, %carried_23 = %171, %carried_24 = %171, %carried_25 = %171, %carried_26 = %171) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
          %c0_27 = arith.constant 0 : index
          %190 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
          %191 = tile.dot(%9, %190) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
          %192 = tile.map(%191) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32):
            %cst = arith.constant 1.000000e+00 : f32
            %224 = math.exp2 %x : f32
            %225 = arith.addf %224, %cst : f32
            %226 = arith.divf %cst, %225 : f32
            %227 = arith.negf %226 : f32
            %228 = math.exp %227 : f32
            %229 = arith.addf %228, %cst : f32
            %230 = arith.divf %226, %229 : f32
            tile.yield %230 : f32
          }
          %193 = tile.select_masked %192 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
            %true = arith.constant true
            tile.yield %true : i1
          }
          %194 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c1048576 = arith.constant 1048576 : index
            %224 = arith.addi %x_29, %c1048576 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %195 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c2097152 = arith.constant 2097152 : index
            %224 = arith.addi %x_29, %c2097152 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %196 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c3145728 = arith.constant 3145728 : index
            %224 = arith.addi %x_29, %c3145728 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %197 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c4194304 = arith.constant 4194304 : index
            %224 = arith.addi %x_29, %c4194304 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %198 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c5242880 = arith.constant 5242880 : index
            %224 = arith.addi %x_29, %c5242880 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %199 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c6291456 = arith.constant 6291456 : index
            %224 = arith.addi %x_29, %c6291456 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %200 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c7340032 = arith.constant 7340032 : index
            %224 = arith.addi %x_29, %c7340032 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %201 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c8388608 = arith.constant 8388608 : index
            %224 = arith.addi %x_29, %c8388608 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %202 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c9437184 = arith.constant 9437184 : index
            %224 = arith.addi %x_29, %c9437184 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %203 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c10485760 = arith.constant 10485760 : index
            %224 = arith.addi %x_29, %c10485760 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %204 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c11534336 = arith.constant 11534336 : index
            %224 = arith.addi %x_29, %c11534336 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %205 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c12582912 = arith.constant 12582912 : index
            %224 = arith.addi %x_29, %c12582912 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %206 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c13631488 = arith.constant 13631488 : index
            %224 = arith.addi %x_29, %c13631488 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %207 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c14680064 = arith.constant 14680064 : index
            %224 = arith.addi %x_29, %c14680064 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %208 = tile.map(%193, %156, %170) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c15728640 = arith.constant 15728640 : index
            %224 = arith.addi %x_29, %c15728640 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %209 = tile.reduce add(%194) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %210 = tile.reduce add(%195) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %211 = tile.reduce add(%196) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %212 = tile.reduce add(%197) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %213 = tile.reduce add(%198) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %214 = tile.reduce add(%199) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %215 = tile.reduce add(%200) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %216 = tile.reduce add(%201) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %217 = tile.reduce add(%202) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %218 = tile.reduce add(%203) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %219 = tile.reduce add(%204) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %220 = tile.reduce add(%205) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %221 = tile.reduce add(%206) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %222 = tile.reduce add(%207) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %223 = tile.reduce add(%208) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          tile.yield %209, %210, %211, %212, %213, %214, %215, %216, %217, %218, %219, %220, %221, %222, %223 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
        }
        %173 = tile.map(%172#0, %172#1, %172#2, %172#3, %172#4, %172#5, %172#6, %172#7, %172#8, %172#9, %172#10, %172#11, %172#12, %172#13, %172#14, %170, %159) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, index> {
        ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index, %x_28: f32):
          %c0_29 = arith.constant 0 : index
          %190 = arith.cmpf olt, %x, %x_28 : f32
          %c1048576 = arith.constant 1048576 : index
          %c0_30 = arith.constant 0 : index
          %191 = arith.select %190, %c1048576, %c0_30 : index
          %192 = arith.addi %c0_29, %191 : index
          %193 = arith.cmpf olt, %x_13, %x_28 : f32
          %c1048576_31 = arith.constant 1048576 : index
          %c0_32 = arith.constant 0 : index
          %194 = arith.select %193, %c1048576_31, %c0_32 : index
          %195 = arith.addi %192, %194 : index
          %196 = arith.cmpf olt, %x_14, %x_28 : f32
          %c1048576_33 = arith.constant 1048576 : index
          %c0_34 = arith.constant 0 : index
          %197 = arith.select %196, %c1048576_33, %c0_34 : index
          %198 = arith.addi %195, %197 : index
          %199 = arith.cmpf olt, %x_15, %x_28 : f32
          %c1048576_35 = arith.constant 1048576 : index
          %c0_36 = arith.constant 0 : index
          %200 = arith.select %199, %c1048576_35, %c0_36 : index
          %201 = arith.addi %198, %200 : index
          %202 = arith.cmpf olt, %x_16, %x_28 : f32
          %c1048576_37 = arith.constant 1048576 : index
          %c0_38 = arith.constant 0 : index
          %203 = arith.select %202, %c1048576_37, %c0_38 : index
          %204 = arith.addi %201, %203 : index
          %205 = arith.cmpf olt, %x_17, %x_28 : f32
          %c1048576_39 = arith.constant 1048576 : index
          %c0_40 = arith.constant 0 : index
          %206 = arith.select %205, %c1048576_39, %c0_40 : index
          %207 = arith.addi %204, %206 : index
          %208 = arith.cmpf olt, %x_18, %x_28 : f32
          %c1048576_41 = arith.constant 1048576 : index
          %c0_42 = arith.constant 0 : index
          %209 = arith.select %208, %c1048576_41, %c0_42 : index
          %210 = arith.addi %207, %209 : index
          %211 = arith.cmpf olt, %x_19, %x_28 : f32
          %c1048576_43 = arith.constant 1048576 : index
          %c0_44 = arith.constant 0 : index
          %212 = arith.select %211, %c1048576_43, %c0_44 : index
          %213 = arith.addi %210, %212 : index
          %214 = arith.cmpf olt, %x_20, %x_28 : f32
          %c1048576_45 = arith.constant 1048576 : index
          %c0_46 = arith.constant 0 : index
          %215 = arith.select %214, %c1048576_45, %c0_46 : index
          %216 = arith.addi %213, %215 : index
          %217 = arith.cmpf olt, %x_21, %x_28 : f32
          %c1048576_47 = arith.constant 1048576 : index
          %c0_48 = arith.constant 0 : index
          %218 = arith.select %217, %c1048576_47, %c0_48 : index
          %219 = arith.addi %216, %218 : index
          %220 = arith.cmpf olt, %x_22, %x_28 : f32
          %c1048576_49 = arith.constant 1048576 : index
          %c0_50 = arith.constant 0 : index
          %221 = arith.select %220, %c1048576_49, %c0_50 : index
          %222 = arith.addi %219, %221 : index
          %223 = arith.cmpf olt, %x_23, %x_28 : f32
          %c1048576_51 = arith.constant 1048576 : index
          %c0_52 = arith.constant 0 : index
          %224 = arith.select %223, %c1048576_51, %c0_52 : index
          %225 = arith.addi %222, %224 : index
          %226 = arith.cmpf olt, %x_24, %x_28 : f32
          %c1048576_53 = arith.constant 1048576 : index
          %c0_54 = arith.constant 0 : index
          %227 = arith.select %226, %c1048576_53, %c0_54 : index
          %228 = arith.addi %225, %227 : index
          %229 = arith.cmpf olt, %x_25, %x_28 : f32
          %c1048576_55 = arith.constant 1048576 : index
          %c0_56 = arith.constant 0 : index
          %230 = arith.select %229, %c1048576_55, %c0_56 : index
          %231 = arith.addi %228, %230 : index
          %232 = arith.cmpf olt, %x_26, %x_28 : f32
          %c1048576_57 = arith.constant 1048576 : index
          %c0_58 = arith.constant 0 : index
          %233 = arith.select %232, %c1048576_57, %c0_58 : index
          %234 = arith.addi %231, %233 : index
          %c2139095040 = arith.constant 2139095040 : index
          %235 = arith.subi %c2139095040, %234 : index
          %236 = arith.cmpi sgt, %x_27, %235 : index
          %237 = arith.addi %x_27, %234 : index
          %c2139095040_59 = arith.constant 2139095040 : index
          %238 = arith.select %236, %c2139095040_59, %237 : index
          tile.yield %238 : index
        }
        %174 = tile.splat 0.000000e+00 : <q:32, f32>
        %175:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %174, %carried_13 = %174, %carried_14 = %174, %carried_15 = %174, %carried_16 = %174, %carried_17 = %174, %carried_18 = %174, %carried_19 = %174, %carried_20 = %174, %carried_21 = %174, %carried_22 = %174, %carried_23 = %174, %carried_24 = %174, %carried_25 = %174, %carried_26 = %174) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
          %c0_27 = arith.constant 0 : index
          %190 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
          %191 = tile.dot(%9, %190) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
          %192 = tile.map(%191) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32):
            %cst = arith.constant 1.000000e+00 : f32
            %224 = math.exp2 %x : f32
            %225 = arith.addf %224, %cst : f32
            %226 = arith.divf %cst, %225 : f32
            %227 = arith.negf %226 : f32
            %228 = math.exp %227 : f32
            %229 = arith.addf %228, %cst : f32
            %230 = arith.divf %226, %229 : f32
            tile.yield %230 : f32
          }
          %193 = tile.select_masked %192 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
            %true = arith.constant true
            tile.yield %true : i1
          }
          %194 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c65536 = arith.constant 65536 : index
            %224 = arith.addi %x_29, %c65536 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %195 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c131072 = arith.constant 131072 : index
            %224 = arith.addi %x_29, %c131072 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %196 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c196608 = arith.constant 196608 : index
            %224 = arith.addi %x_29, %c196608 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %197 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c262144 = arith.constant 262144 : index
            %224 = arith.addi %x_29, %c262144 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %198 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c327680 = arith.constant 327680 : index
            %224 = arith.addi %x_29, %c327680 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %199 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c393216 = arith.constant 393216 : index
            %224 = arith.addi %x_29, %c393216 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %200 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c458752 = arith.constant 458752 : index
            %224 = arith.addi %x_29, %c458752 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %201 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c524288 = arith.constant 524288 : index
            %224 = arith.addi %x_29, %c524288 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %202 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c589824 = arith.constant 589824 : index
            %224 = arith.addi %x_29, %c589824 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %203 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c655360 = arith.constant 655360 : index
            %224 = arith.addi %x_29, %c655360 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %204 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c720896 = arith.constant 720896 : index
            %224 = arith.addi %x_29, %c720896 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %205 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c786432 = arith.constant 786432 : index
            %224 = arith.addi %x_29, %c786432 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %206 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c851968 = arith.constant 851968 : index
            %224 = arith.addi %x_29, %c851968 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %207 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c917504 = arith.constant 917504 : index
            %224 = arith.addi %x_29, %c917504 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %208 = tile.map(%193, %156, %173) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c983040 = arith.constant 983040 : index
            %224 = arith.addi %x_29, %c983040 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %209 = tile.reduce add(%194) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %210 = tile.reduce add(%195) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %211 = tile.reduce add(%196) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %212 = tile.reduce add(%197) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %213 = tile.reduce add(%198) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %214 = tile.reduce add(%199) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %215 = tile.reduce add(%200) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %216 = tile.reduce add(%201) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %217 = tile.reduce add(%202) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %218 = tile.reduce add(%203) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %219 = tile.reduce add(%204) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %220 = tile.reduce add(%205) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %221 = tile.reduce add(%206) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %222 = tile.reduce add(%207) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %223 = tile.reduce add(%208) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          tile.yield %209, %210, %211, %212, %213, %214, %215, %216, %217, %218, %219, %220, %221, %222, %223 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
        }
        %176 = tile.map(%175#0, %175#1, %175#2, %175#3, %175#4, %175#5, %175#6, %175#7, %175#8, %175#9, %175#10, %175#11, %175#12, %175#13, %175#14, %173, %159) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, index> {
        ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index, %x_28: f32):
          %c0_29 = arith.constant 0 : index
          %190 = arith.cmpf olt, %x, %x_28 : f32
          %c65536 = arith.constant 65536 : index
          %c0_30 = arith.constant 0 : index
          %191 = arith.select %190, %c65536, %c0_30 : index
          %192 = arith.addi %c0_29, %191 : index
          %193 = arith.cmpf olt, %x_13, %x_28 : f32
          %c65536_31 = arith.constant 65536 : index
          %c0_32 = arith.constant 0 : index
          %194 = arith.select %193, %c65536_31, %c0_32 : index
          %195 = arith.addi %192, %194 : index
          %196 = arith.cmpf olt, %x_14, %x_28 : f32
          %c65536_33 = arith.constant 65536 : index
          %c0_34 = arith.constant 0 : index
          %197 = arith.select %196, %c65536_33, %c0_34 : index
          %198 = arith.addi %195, %197 : index
          %199 = arith.cmpf olt, %x_15, %x_28 : f32
          %c65536_35 = arith.constant 65536 : index
          %c0_36 = arith.constant 0 : index
          %200 = arith.select %199, %c65536_35, %c0_36 : index
          %201 = arith.addi %198, %200 : index
          %202 = arith.cmpf olt, %x_16, %x_28 : f32
          %c65536_37 = arith.constant 65536 : index
          %c0_38 = arith.constant 0 : index
          %203 = arith.select %202, %c65536_37, %c0_38 : index
          %204 = arith.addi %201, %203 : index
          %205 = arith.cmpf olt, %x_17, %x_28 : f32
          %c65536_39 = arith.constant 65536 : index
          %c0_40 = arith.constant 0 : index
          %206 = arith.select %205, %c65536_39, %c0_40 : index
          %207 = arith.addi %204, %206 : index
          %208 = arith.cmpf olt, %x_18, %x_28 : f32
          %c65536_41 = arith.constant 65536 : index
          %c0_42 = arith.constant 0 : index
          %209 = arith.select %208, %c65536_41, %c0_42 : index
          %210 = arith.addi %207, %209 : index
          %211 = arith.cmpf olt, %x_19, %x_28 : f32
          %c65536_43 = arith.constant 65536 : index
          %c0_44 = arith.constant 0 : index
          %212 = arith.select %211, %c65536_43, %c0_44 : index
          %213 = arith.addi %210, %212 : index
          %214 = arith.cmpf olt, %x_20, %x_28 : f32
          %c65536_45 = arith.constant 65536 : index
          %c0_46 = arith.constant 0 : index
          %215 = arith.select %214, %c65536_45, %c0_46 : index
          %216 = arith.addi %213, %215 : index
          %217 = arith.cmpf olt, %x_21, %x_28 : f32
          %c65536_47 = arith.constant 65536 : index
          %c0_48 = arith.constant 0 : index
          %218 = arith.select %217, %c65536_47, %c0_48 : index
          %219 = arith.addi %216, %218 : index
          %220 = arith.cmpf olt, %x_22, %x_28 : f32
          %c65536_49 = arith.constant 65536 : index
          %c0_50 = arith.constant 0 : index
          %221 = arith.select %220, %c65536_49, %c0_50 : index
          %222 = arith.addi %219, %221 : index
          %223 = arith.cmpf olt, %x_23, %x_28 : f32
          %c65536_51 = arith.constant 65536 : index
          %c0_52 = arith.constant 0 : index
          %224 = arith.select %223, %c65536_51, %c0_52 : index
          %225 = arith.addi %222, %224 : index
          %226 = arith.cmpf olt, %x_24, %x_28 : f32
          %c65536_53 = arith.constant 65536 : index
          %c0_54 = arith.constant 0 : index
          %227 = arith.select %226, %c65536_53, %c0_54 : index
          %228 = arith.addi %225, %227 : index
          %229 = arith.cmpf olt, %x_25, %x_28 : f32
          %c65536_55 = arith.constant 65536 : index
          %c0_56 = arith.constant 0 : index
          %230 = arith.select %229, %c65536_55, %c0_56 : index
          %231 = arith.addi %228, %230 : index
          %232 = arith.cmpf olt, %x_26, %x_28 : f32
          %c65536_57 = arith.constant 65536 : index
          %c0_58 = arith.constant 0 : index
          %233 = arith.select %232, %c65536_57, %c0_58 : index
          %234 = arith.addi %231, %233 : index
          %c2139095040 = arith.constant 2139095040 : index
          %235 = arith.subi %c2139095040, %234 : index
          %236 = arith.cmpi sgt, %x_27, %235 : index
          %237 = arith.addi %x_27, %234 : index
          %c2139095040_59 = arith.constant 2139095040 : index
          %238 = arith.select %236, %c2139095040_59, %237 : index
          tile.yield %238 : index
        }
        %177 = tile.splat 0.000000e+00 : <q:32, f32>
        %178:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %177, %carried_13 = %177, %carried_14 = %177, %carried_15 = %177, %carried_16 = %177, %carried_17 = %177, %carried_18 = %177, %carried_19 = %177, %carried_20 = %177, %carried_21 = %177, %carried_22 = %177, %carried_23 = %177, %carried_24 = %177, %carried_25 = %177, %carried_26 = %177) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
          %c0_27 = arith.constant 0 : index
          %190 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
          %191 = tile.dot(%9, %190) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
          %192 = tile.map(%191) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32):
            %cst = arith.constant 1.000000e+00 : f32
            %224 = math.exp2 %x : f32
            %225 = arith.addf %224, %cst : f32
            %226 = arith.divf %cst, %225 : f32
            %227 = arith.negf %226 : f32
            %228 = math.exp %227 : f32
            %229 = arith.addf %228, %cst : f32
            %230 = arith.divf %226, %229 : f32
            tile.yield %230 : f32
          }
          %193 = tile.select_masked %192 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
            %true = arith.constant true
            tile.yield %true : i1
          }
          %194 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c4096 = arith.constant 4096 : index
            %224 = arith.addi %x_29, %c4096 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %195 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c8192 = arith.constant 8192 : index
            %224 = arith.addi %x_29, %c8192 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %196 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c12288 = arith.constant 12288 : index
            %224 = arith.addi %x_29, %c12288 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %197 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c16384 = arith.constant 16384 : index
            %224 = arith.addi %x_29, %c16384 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %198 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c20480 = arith.constant 20480 : index
            %224 = arith.addi %x_29, %c20480 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %199 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c24576 = arith.constant 24576 : index
            %224 = arith.addi %x_29, %c24576 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %200 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c28672 = arith.constant 28672 : index
            %224 = arith.addi %x_29, %c28672 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %201 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c32768 = arith.constant 32768 : index
            %224 = arith.addi %x_29, %c32768 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %202 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c36864 = arith.constant 36864 : index
            %224 = arith.addi %x_29, %c36864 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %203 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c40960 = arith.constant 40960 : index
            %224 = arith.addi %x_29, %c40960 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %204 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c45056 = arith.constant 45056 : index
            %224 = arith.addi %x_29, %c45056 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %205 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c49152 = arith.constant 49152 : index
            %224 = arith.addi %x_29, %c49152 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %206 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c53248 = arith.constant 53248 : index
            %224 = arith.addi %x_29, %c53248 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %207 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c57344 = arith.constant 57344 : index
            %224 = arith.addi %x_29, %c57344 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %208 = tile.map(%193, %156, %176) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c61440 = arith.constant 61440 : index
            %224 = arith.addi %x_29, %c61440 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %209 = tile.reduce add(%194) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %210 = tile.reduce add(%195) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %211 = tile.reduce add(%196) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %212 = tile.reduce add(%197) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %213 = tile.reduce add(%198) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %214 = tile.reduce add(%199) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %215 = tile.reduce add(%200) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %216 = tile.reduce add(%201) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %217 = tile.reduce add(%202) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %218 = tile.reduce add(%203) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %219 = tile.reduce add(%204) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %220 = tile.reduce add(%205) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %221 = tile.reduce add(%206) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %222 = tile.reduce add(%207) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %223 = tile.reduce add(%208) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          tile.yield %209, %210, %211, %212, %213, %214, %215, %216, %217, %218, %219, %220, %221, %222, %223 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
        }
        %179 = tile.map(%178#0, %178#1, %178#2, %178#3, %178#4, %178#5, %178#6, %178#7, %178#8, %178#9, %178#10, %178#11, %178#12, %178#13, %178#14, %176, %159) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, index> {
        ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index, %x_28: f32):
          %c0_29 = arith.constant 0 : index
          %190 = arith.cmpf olt, %x, %x_28 : f32
          %c4096 = arith.constant 4096 : index
          %c0_30 = arith.constant 0 : index
          %191 = arith.select %190, %c4096, %c0_30 : index
          %192 = arith.addi %c0_29, %191 : index
          %193 = arith.cmpf olt, %x_13, %x_28 : f32
          %c4096_31 = arith.constant 4096 : index
          %c0_32 = arith.constant 0 : index
          %194 = arith.select %193, %c4096_31, %c0_32 : index
          %195 = arith.addi %192, %194 : index
          %196 = arith.cmpf olt, %x_14, %x_28 : f32
          %c4096_33 = arith.constant 4096 : index
          %c0_34 = arith.constant 0 : index
          %197 = arith.select %196, %c4096_33, %c0_34 : index
          %198 = arith.addi %195, %197 : index
          %199 = arith.cmpf olt, %x_15, %x_28 : f32
          %c4096_35 = arith.constant 4096 : index
          %c0_36 = arith.constant 0 : index
          %200 = arith.select %199, %c4096_35, %c0_36 : index
          %201 = arith.addi %198, %200 : index
          %202 = arith.cmpf olt, %x_16, %x_28 : f32
          %c4096_37 = arith.constant 4096 : index
          %c0_38 = arith.constant 0 : index
          %203 = arith.select %202, %c4096_37, %c0_38 : index
          %204 = arith.addi %201, %203 : index
          %205 = arith.cmpf olt, %x_17, %x_28 : f32
          %c4096_39 = arith.constant 4096 : index
          %c0_40 = arith.constant 0 : index
          %206 = arith.select %205, %c4096_39, %c0_40 : index
          %207 = arith.addi %204, %206 : index
          %208 = arith.cmpf olt, %x_18, %x_28 : f32
          %c4096_41 = arith.constant 4096 : index
          %c0_42 = arith.constant 0 : index
          %209 = arith.select %208, %c4096_41, %c0_42 : index
          %210 = arith.addi %207, %209 : index
          %211 = arith.cmpf olt, %x_19, %x_28 : f32
          %c4096_43 = arith.constant 4096 : index
          %c0_44 = arith.constant 0 : index
          %212 = arith.select %211, %c4096_43, %c0_44 : index
          %213 = arith.addi %210, %212 : index
          %214 = arith.cmpf olt, %x_20, %x_28 : f32
          %c4096_45 = arith.constant 4096 : index
          %c0_46 = arith.constant 0 : index
          %215 = arith.select %214, %c4096_45, %c0_46 : index
          %216 = arith.addi %213, %215 : index
          %217 = arith.cmpf olt, %x_21, %x_28 : f32
          %c4096_47 = arith.constant 4096 : index
          %c0_48 = arith.constant 0 : index
          %218 = arith.select %217, %c4096_47, %c0_48 : index
          %219 = arith.addi %216, %218 : index
          %220 = arith.cmpf olt, %x_22, %x_28 : f32
          %c4096_49 = arith.constant 4096 : index
          %c0_50 = arith.constant 0 : index
          %221 = arith.select %220, %c4096_49, %c0_50 : index
          %222 = arith.addi %219, %221 : index
          %223 = arith.cmpf olt, %x_23, %x_28 : f32
          %c4096_51 = arith.constant 4096 : index
          %c0_52 = arith.constant 0 : index
          %224 = arith.select %223, %c4096_51, %c0_52 : index
          %225 = arith.addi %222, %224 : index
          %226 = arith.cmpf olt, %x_24, %x_28 : f32
          %c4096_53 = arith.constant 4096 : index
          %c0_54 = arith.constant 0 : index
          %227 = arith.select %226, %c4096_53, %c0_54 : index
          %228 = arith.addi %225, %227 : index
          %229 = arith.cmpf olt, %x_25, %x_28 : f32
          %c4096_55 = arith.constant 4096 : index
          %c0_56 = arith.constant 0 : index
          %230 = arith.select %229, %c4096_55, %c0_56 : index
          %231 = arith.addi %228, %230 : index
          %232 = arith.cmpf olt, %x_26, %x_28 : f32
          %c4096_57 = arith.constant 4096 : index
          %c0_58 = arith.constant 0 : index
          %233 = arith.select %232, %c4096_57, %c0_58 : index
          %234 = arith.addi %231, %233 : index
          %c2139095040 = arith.constant 2139095040 : index
          %235 = arith.subi %c2139095040, %234 : index
          %236 = arith.cmpi sgt, %x_27, %235 : index
          %237 = arith.addi %x_27, %234 : index
          %c2139095040_59 = arith.constant 2139095040 : index
          %238 = arith.select %236, %c2139095040_59, %237 : index
          tile.yield %238 : index
        }
        %180 = tile.splat 0.000000e+00 : <q:32, f32>
        %181:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %180, %carried_13 = %180, %carried_14 = %180, %carried_15 = %180, %carried_16 = %180, %carried_17 = %180, %carried_18 = %180, %carried_19 = %180, %carried_20 = %180, %carried_21 = %180, %carried_22 = %180, %carried_23 = %180, %carried_24 = %180, %carried_25 = %180, %carried_26 = %180) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
          %c0_27 = arith.constant 0 : index
          %190 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
          %191 = tile.dot(%9, %190) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
          %192 = tile.map(%191) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32):
            %cst = arith.constant 1.000000e+00 : f32
            %224 = math.exp2 %x : f32
            %225 = arith.addf %224, %cst : f32
            %226 = arith.divf %cst, %225 : f32
            %227 = arith.negf %226 : f32
            %228 = math.exp %227 : f32
            %229 = arith.addf %228, %cst : f32
            %230 = arith.divf %226, %229 : f32
            tile.yield %230 : f32
          }
          %193 = tile.select_masked %192 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
            %true = arith.constant true
            tile.yield %true : i1
          }
          %194 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c256 = arith.constant 256 : index
            %224 = arith.addi %x_29, %c256 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %195 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c512 = arith.constant 512 : index
            %224 = arith.addi %x_29, %c512 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %196 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c768 = arith.constant 768 : index
            %224 = arith.addi %x_29, %c768 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %197 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c1024 = arith.constant 1024 : index
            %224 = arith.addi %x_29, %c1024 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %198 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c1280 = arith.constant 1280 : index
            %224 = arith.addi %x_29, %c1280 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %199 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c1536 = arith.constant 1536 : index
            %224 = arith.addi %x_29, %c1536 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %200 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c1792 = arith.constant 1792 : index
            %224 = arith.addi %x_29, %c1792 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %201 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c2048 = arith.constant 2048 : index
            %224 = arith.addi %x_29, %c2048 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %202 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c2304 = arith.constant 2304 : index
            %224 = arith.addi %x_29, %c2304 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %203 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c2560 = arith.constant 2560 : index
            %224 = arith.addi %x_29, %c2560 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %204 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c2816 = arith.constant 2816 : index
            %224 = arith.addi %x_29, %c2816 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %205 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c3072 = arith.constant 3072 : index
            %224 = arith.addi %x_29, %c3072 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %206 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c3328 = arith.constant 3328 : index
            %224 = arith.addi %x_29, %c3328 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %207 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c3584 = arith.constant 3584 : index
            %224 = arith.addi %x_29, %c3584 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %208 = tile.map(%193, %156, %179) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c3840 = arith.constant 3840 : index
            %224 = arith.addi %x_29, %c3840 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %209 = tile.reduce add(%194) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %210 = tile.reduce add(%195) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %211 = tile.reduce add(%196) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %212 = tile.reduce add(%197) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %213 = tile.reduce add(%198) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %214 = tile.reduce add(%199) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %215 = tile.reduce add(%200) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %216 = tile.reduce add(%201) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %217 = tile.reduce add(%202) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %218 = tile.reduce add(%203) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %219 = tile.reduce add(%204) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %220 = tile.reduce add(%205) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %221 = tile.reduce add(%206) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %222 = tile.reduce add(%207) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %223 = tile.reduce add(%208) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          tile.yield %209, %210, %211, %212, %213, %214, %215, %216, %217, %218, %219, %220, %221, %222, %223 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
        }
        %182 = tile.map(%181#0, %181#1, %181#2, %181#3, %181#4, %181#5, %181#6, %181#7, %181#8, %181#9, %181#10, %181#11, %181#12, %181#13, %181#14, %179, %159) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, index> {
        ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index, %x_28: f32):
          %c0_29 = arith.constant 0 : index
          %190 = arith.cmpf olt, %x, %x_28 : f32
          %c256 = arith.constant 256 : index
          %c0_30 = arith.constant 0 : index
          %191 = arith.select %190, %c256, %c0_30 : index
          %192 = arith.addi %c0_29, %191 : index
          %193 = arith.cmpf olt, %x_13, %x_28 : f32
          %c256_31 = arith.constant 256 : index
          %c0_32 = arith.constant 0 : index
          %194 = arith.select %193, %c256_31, %c0_32 : index
          %195 = arith.addi %192, %194 : index
          %196 = arith.cmpf olt, %x_14, %x_28 : f32
          %c256_33 = arith.constant 256 : index
          %c0_34 = arith.constant 0 : index
          %197 = arith.select %196, %c256_33, %c0_34 : index
          %198 = arith.addi %195, %197 : index
          %199 = arith.cmpf olt, %x_15, %x_28 : f32
          %c256_35 = arith.constant 256 : index
          %c0_36 = arith.constant 0 : index
          %200 = arith.select %199, %c256_35, %c0_36 : index
          %201 = arith.addi %198, %200 : index
          %202 = arith.cmpf olt, %x_16, %x_28 : f32
          %c256_37 = arith.constant 256 : index
          %c0_38 = arith.constant 0 : index
          %203 = arith.select %202, %c256_37, %c0_38 : index
          %204 = arith.addi %201, %203 : index
          %205 = arith.cmpf olt, %x_17, %x_28 : f32
          %c256_39 = arith.constant 256 : index
          %c0_40 = arith.constant 0 : index
          %206 = arith.select %205, %c256_39, %c0_40 : index
          %207 = arith.addi %204, %206 : index
          %208 = arith.cmpf olt, %x_18, %x_28 : f32
          %c256_41 = arith.constant 256 : index
          %c0_42 = arith.constant 0 : index
          %209 = arith.select %208, %c256_41, %c0_42 : index
          %210 = arith.addi %207, %209 : index
          %211 = arith.cmpf olt, %x_19, %x_28 : f32
          %c256_43 = arith.constant 256 : index
          %c0_44 = arith.constant 0 : index
          %212 = arith.select %211, %c256_43, %c0_44 : index
          %213 = arith.addi %210, %212 : index
          %214 = arith.cmpf olt, %x_20, %x_28 : f32
          %c256_45 = arith.constant 256 : index
          %c0_46 = arith.constant 0 : index
          %215 = arith.select %214, %c256_45, %c0_46 : index
          %216 = arith.addi %213, %215 : index
          %217 = arith.cmpf olt, %x_21, %x_28 : f32
          %c256_47 = arith.constant 256 : index
          %c0_48 = arith.constant 0 : index
          %218 = arith.select %217, %c256_47, %c0_48 : index
          %219 = arith.addi %216, %218 : index
          %220 = arith.cmpf olt, %x_22, %x_28 : f32
          %c256_49 = arith.constant 256 : index
          %c0_50 = arith.constant 0 : index
          %221 = arith.select %220, %c256_49, %c0_50 : index
          %222 = arith.addi %219, %221 : index
          %223 = arith.cmpf olt, %x_23, %x_28 : f32
          %c256_51 = arith.constant 256 : index
          %c0_52 = arith.constant 0 : index
          %224 = arith.select %223, %c256_51, %c0_52 : index
          %225 = arith.addi %222, %224 : index
          %226 = arith.cmpf olt, %x_24, %x_28 : f32
          %c256_53 = arith.constant 256 : index
          %c0_54 = arith.constant 0 : index
          %227 = arith.select %226, %c256_53, %c0_54 : index
          %228 = arith.addi %225, %227 : index
          %229 = arith.cmpf olt, %x_25, %x_28 : f32
          %c256_55 = arith.constant 256 : index
          %c0_56 = arith.constant 0 : index
          %230 = arith.select %229, %c256_55, %c0_56 : index
          %231 = arith.addi %228, %230 : index
          %232 = arith.cmpf olt, %x_26, %x_28 : f32
          %c256_57 = arith.constant 256 : index
          %c0_58 = arith.constant 0 : index
          %233 = arith.select %232, %c256_57, %c0_58 : index
          %234 = arith.addi %231, %233 : index
          %c2139095040 = arith.constant 2139095040 : index
          %235 = arith.subi %c2139095040, %234 : index
          %236 = arith.cmpi sgt, %x_27, %235 : index
          %237 = arith.addi %x_27, %234 : index
          %c2139095040_59 = arith.constant 2139095040 : index
          %238 = arith.select %236, %c2139095040_59, %237 : index
          tile.yield %238 : index
        }
        %183 = tile.splat 0.000000e+00 : <q:32, f32>
        %184:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %183, %carried_13 = %183, %carried_14 = %183, %carried_15 = %183, %carried_16 = %183, %carried_17 = %183, %carried_18 = %183, %carried_19 = %183, %carried_20 = %183, %carried_21 = %183, %carried_22 = %183, %carried_23 = %183, %carried_24 = %183, %carried_25 = %183, %carried_26 = %183) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
          %c0_27 = arith.constant 0 : index
          %190 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
          %191 = tile.dot(%9, %190) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
          %192 = tile.map(%191) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32):
            %cst = arith.constant 1.000000e+00 : f32
            %224 = math.exp2 %x : f32
            %225 = arith.addf %224, %cst : f32
            %226 = arith.divf %cst, %225 : f32
            %227 = arith.negf %226 : f32
            %228 = math.exp %227 : f32
            %229 = arith.addf %228, %cst : f32
            %230 = arith.divf %226, %229 : f32
            tile.yield %230 : f32
          }
          %193 = tile.select_masked %192 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
            %true = arith.constant true
            tile.yield %true : i1
          }
          %194 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c16 = arith.constant 16 : index
            %224 = arith.addi %x_29, %c16 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %195 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c32_30 = arith.constant 32 : index
            %224 = arith.addi %x_29, %c32_30 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_31 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_31 : f32
            tile.yield %228 : f32
          }
          %196 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c48 = arith.constant 48 : index
            %224 = arith.addi %x_29, %c48 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %197 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c64 = arith.constant 64 : index
            %224 = arith.addi %x_29, %c64 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %198 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c80 = arith.constant 80 : index
            %224 = arith.addi %x_29, %c80 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %199 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c96 = arith.constant 96 : index
            %224 = arith.addi %x_29, %c96 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %200 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c112 = arith.constant 112 : index
            %224 = arith.addi %x_29, %c112 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %201 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c128 = arith.constant 128 : index
            %224 = arith.addi %x_29, %c128 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %202 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c144 = arith.constant 144 : index
            %224 = arith.addi %x_29, %c144 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %203 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c160 = arith.constant 160 : index
            %224 = arith.addi %x_29, %c160 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %204 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c176 = arith.constant 176 : index
            %224 = arith.addi %x_29, %c176 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %205 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c192 = arith.constant 192 : index
            %224 = arith.addi %x_29, %c192 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %206 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c208 = arith.constant 208 : index
            %224 = arith.addi %x_29, %c208 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %207 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c224 = arith.constant 224 : index
            %224 = arith.addi %x_29, %c224 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %208 = tile.map(%193, %156, %182) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c240 = arith.constant 240 : index
            %224 = arith.addi %x_29, %c240 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %209 = tile.reduce add(%194) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %210 = tile.reduce add(%195) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %211 = tile.reduce add(%196) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %212 = tile.reduce add(%197) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %213 = tile.reduce add(%198) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %214 = tile.reduce add(%199) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %215 = tile.reduce add(%200) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %216 = tile.reduce add(%201) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %217 = tile.reduce add(%202) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %218 = tile.reduce add(%203) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %219 = tile.reduce add(%204) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %220 = tile.reduce add(%205) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %221 = tile.reduce add(%206) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %222 = tile.reduce add(%207) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %223 = tile.reduce add(%208) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          tile.yield %209, %210, %211, %212, %213, %214, %215, %216, %217, %218, %219, %220, %221, %222, %223 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
        }
        %185 = tile.map(%184#0, %184#1, %184#2, %184#3, %184#4, %184#5, %184#6, %184#7, %184#8, %184#9, %184#10, %184#11, %184#12, %184#13, %184#14, %182, %159) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, index> {
        ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index, %x_28: f32):
          %c0_29 = arith.constant 0 : index
          %190 = arith.cmpf olt, %x, %x_28 : f32
          %c16 = arith.constant 16 : index
          %c0_30 = arith.constant 0 : index
          %191 = arith.select %190, %c16, %c0_30 : index
          %192 = arith.addi %c0_29, %191 : index
          %193 = arith.cmpf olt, %x_13, %x_28 : f32
          %c16_31 = arith.constant 16 : index
          %c0_32 = arith.constant 0 : index
          %194 = arith.select %193, %c16_31, %c0_32 : index
          %195 = arith.addi %192, %194 : index
          %196 = arith.cmpf olt, %x_14, %x_28 : f32
          %c16_33 = arith.constant 16 : index
          %c0_34 = arith.constant 0 : index
          %197 = arith.select %196, %c16_33, %c0_34 : index
          %198 = arith.addi %195, %197 : index
          %199 = arith.cmpf olt, %x_15, %x_28 : f32
          %c16_35 = arith.constant 16 : index
          %c0_36 = arith.constant 0 : index
          %200 = arith.select %199, %c16_35, %c0_36 : index
          %201 = arith.addi %198, %200 : index
          %202 = arith.cmpf olt, %x_16, %x_28 : f32
          %c16_37 = arith.constant 16 : index
          %c0_38 = arith.constant 0 : index
          %203 = arith.select %202, %c16_37, %c0_38 : index
          %204 = arith.addi %201, %203 : index
          %205 = arith.cmpf olt, %x_17, %x_28 : f32
          %c16_39 = arith.constant 16 : index
          %c0_40 = arith.constant 0 : index
          %206 = arith.select %205, %c16_39, %c0_40 : index
          %207 = arith.addi %204, %206 : index
          %208 = arith.cmpf olt, %x_18, %x_28 : f32
          %c16_41 = arith.constant 16 : index
          %c0_42 = arith.constant 0 : index
          %209 = arith.select %208, %c16_41, %c0_42 : index
          %210 = arith.addi %207, %209 : index
          %211 = arith.cmpf olt, %x_19, %x_28 : f32
          %c16_43 = arith.constant 16 : index
          %c0_44 = arith.constant 0 : index
          %212 = arith.select %211, %c16_43, %c0_44 : index
          %213 = arith.addi %210, %212 : index
          %214 = arith.cmpf olt, %x_20, %x_28 : f32
          %c16_45 = arith.constant 16 : index
          %c0_46 = arith.constant 0 : index
          %215 = arith.select %214, %c16_45, %c0_46 : index
          %216 = arith.addi %213, %215 : index
          %217 = arith.cmpf olt, %x_21, %x_28 : f32
          %c16_47 = arith.constant 16 : index
          %c0_48 = arith.constant 0 : index
          %218 = arith.select %217, %c16_47, %c0_48 : index
          %219 = arith.addi %216, %218 : index
          %220 = arith.cmpf olt, %x_22, %x_28 : f32
          %c16_49 = arith.constant 16 : index
          %c0_50 = arith.constant 0 : index
          %221 = arith.select %220, %c16_49, %c0_50 : index
          %222 = arith.addi %219, %221 : index
          %223 = arith.cmpf olt, %x_23, %x_28 : f32
          %c16_51 = arith.constant 16 : index
          %c0_52 = arith.constant 0 : index
          %224 = arith.select %223, %c16_51, %c0_52 : index
          %225 = arith.addi %222, %224 : index
          %226 = arith.cmpf olt, %x_24, %x_28 : f32
          %c16_53 = arith.constant 16 : index
          %c0_54 = arith.constant 0 : index
          %227 = arith.select %226, %c16_53, %c0_54 : index
          %228 = arith.addi %225, %227 : index
          %229 = arith.cmpf olt, %x_25, %x_28 : f32
          %c16_55 = arith.constant 16 : index
          %c0_56 = arith.constant 0 : index
          %230 = arith.select %229, %c16_55, %c0_56 : index
          %231 = arith.addi %228, %230 : index
          %232 = arith.cmpf olt, %x_26, %x_28 : f32
          %c16_57 = arith.constant 16 : index
          %c0_58 = arith.constant 0 : index
          %233 = arith.select %232, %c16_57, %c0_58 : index
          %234 = arith.addi %231, %233 : index
          %c2139095040 = arith.constant 2139095040 : index
          %235 = arith.subi %c2139095040, %234 : index
          %236 = arith.cmpi sgt, %x_27, %235 : index
          %237 = arith.addi %x_27, %234 : index
          %c2139095040_59 = arith.constant 2139095040 : index
          %238 = arith.select %236, %c2139095040_59, %237 : index
          tile.yield %238 : index
        }
        %186 = tile.splat 0.000000e+00 : <q:32, f32>
        %187:15 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %186, %carried_13 = %186, %carried_14 = %186, %carried_15 = %186, %carried_16 = %186, %carried_17 = %186, %carried_18 = %186, %carried_19 = %186, %carried_20 = %186, %carried_21 = %186, %carried_22 = %186, %carried_23 = %186, %carried_24 = %186, %carried_25 = %186, %carried_26 = %186) -> (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
          %c0_27 = arith.constant 0 : index
          %190 = tile.load %K[%b, %c0_27, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
          %191 = tile.dot(%9, %190) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
          %192 = tile.map(%191) : (!tile.tile<q:32, k:64, f32>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32):
            %cst = arith.constant 1.000000e+00 : f32
            %224 = math.exp2 %x : f32
            %225 = arith.addf %224, %cst : f32
            %226 = arith.divf %cst, %225 : f32
            %227 = arith.negf %226 : f32
            %228 = math.exp %227 : f32
            %229 = arith.addf %228, %cst : f32
            %230 = arith.divf %226, %229 : f32
            tile.yield %230 : f32
          }
          %193 = tile.select_masked %192 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
            %true = arith.constant true
            tile.yield %true : i1
          }
          %194 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c1_30 = arith.constant 1 : index
            %224 = arith.addi %x_29, %c1_30 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_31 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_31 : f32
            tile.yield %228 : f32
          }
          %195 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c2 = arith.constant 2 : index
            %224 = arith.addi %x_29, %c2 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %196 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c3 = arith.constant 3 : index
            %224 = arith.addi %x_29, %c3 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %197 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c4 = arith.constant 4 : index
            %224 = arith.addi %x_29, %c4 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %198 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c5 = arith.constant 5 : index
            %224 = arith.addi %x_29, %c5 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %199 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c6 = arith.constant 6 : index
            %224 = arith.addi %x_29, %c6 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %200 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c7 = arith.constant 7 : index
            %224 = arith.addi %x_29, %c7 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %201 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c8 = arith.constant 8 : index
            %224 = arith.addi %x_29, %c8 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %202 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c9 = arith.constant 9 : index
            %224 = arith.addi %x_29, %c9 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %203 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c10 = arith.constant 10 : index
            %224 = arith.addi %x_29, %c10 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %204 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c11 = arith.constant 11 : index
            %224 = arith.addi %x_29, %c11 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %205 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c12 = arith.constant 12 : index
            %224 = arith.addi %x_29, %c12 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %206 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c13 = arith.constant 13 : index
            %224 = arith.addi %x_29, %c13 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %207 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c14 = arith.constant 14 : index
            %224 = arith.addi %x_29, %c14 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %208 = tile.map(%193, %156, %185) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_28: f32, %x_29: index, %k: index):
            %c15 = arith.constant 15 : index
            %224 = arith.addi %x_29, %c15 : index
            %225 = arith.cmpi sle, %k, %224 : index
            %226 = arith.cmpf oeq, %x, %x_28 : f32
            %227 = arith.andi %226, %225 : i1
            %cst = arith.constant 1.000000e+00 : f32
            %cst_30 = arith.constant 0.000000e+00 : f32
            %228 = arith.select %227, %cst, %cst_30 : f32
            tile.yield %228 : f32
          }
          %209 = tile.reduce add(%194) over(k) init(%carried) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %210 = tile.reduce add(%195) over(k) init(%carried_13) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %211 = tile.reduce add(%196) over(k) init(%carried_14) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %212 = tile.reduce add(%197) over(k) init(%carried_15) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %213 = tile.reduce add(%198) over(k) init(%carried_16) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %214 = tile.reduce add(%199) over(k) init(%carried_17) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %215 = tile.reduce add(%200) over(k) init(%carried_18) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %216 = tile.reduce add(%201) over(k) init(%carried_19) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %217 = tile.reduce add(%202) over(k) init(%carried_20) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %218 = tile.reduce add(%203) over(k) init(%carried_21) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %219 = tile.reduce add(%204) over(k) init(%carried_22) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %220 = tile.reduce add(%205) over(k) init(%carried_23) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %221 = tile.reduce add(%206) over(k) init(%carried_24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %222 = tile.reduce add(%207) over(k) init(%carried_25) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          %223 = tile.reduce add(%208) over(k) init(%carried_26) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          tile.yield %209, %210, %211, %212, %213, %214, %215, %216, %217, %218, %219, %220, %221, %222, %223 : !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
        }
        %188 = tile.map(%187#0, %187#1, %187#2, %187#3, %187#4, %187#5, %187#6, %187#7, %187#8, %187#9, %187#10, %187#11, %187#12, %187#13, %187#14, %185, %159) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, index> {
        ^bb0(%x: f32, %x_13: f32, %x_14: f32, %x_15: f32, %x_16: f32, %x_17: f32, %x_18: f32, %x_19: f32, %x_20: f32, %x_21: f32, %x_22: f32, %x_23: f32, %x_24: f32, %x_25: f32, %x_26: f32, %x_27: index, %x_28: f32):
          %c0_29 = arith.constant 0 : index
          %190 = arith.cmpf olt, %x, %x_28 : f32
          %c1_30 = arith.constant 1 : index
          %c0_31 = arith.constant 0 : index
          %191 = arith.select %190, %c1_30, %c0_31 : index
          %192 = arith.addi %c0_29, %191 : index
          %193 = arith.cmpf olt, %x_13, %x_28 : f32
          %c1_32 = arith.constant 1 : index
          %c0_33 = arith.constant 0 : index
          %194 = arith.select %193, %c1_32, %c0_33 : index
          %195 = arith.addi %192, %194 : index
          %196 = arith.cmpf olt, %x_14, %x_28 : f32
          %c1_34 = arith.constant 1 : index
          %c0_35 = arith.constant 0 : index
          %197 = arith.select %196, %c1_34, %c0_35 : index
          %198 = arith.addi %195, %197 : index
          %199 = arith.cmpf olt, %x_15, %x_28 : f32
          %c1_36 = arith.constant 1 : index
          %c0_37 = arith.constant 0 : index
          %200 = arith.select %199, %c1_36, %c0_37 : index
          %201 = arith.addi %198, %200 : index
          %202 = arith.cmpf olt, %x_16, %x_28 : f32
          %c1_38 = arith.constant 1 : index
          %c0_39 = arith.constant 0 : index
          %203 = arith.select %202, %c1_38, %c0_39 : index
          %204 = arith.addi %201, %203 : index
          %205 = arith.cmpf olt, %x_17, %x_28 : f32
          %c1_40 = arith.constant 1 : index
          %c0_41 = arith.constant 0 : index
          %206 = arith.select %205, %c1_40, %c0_41 : index
          %207 = arith.addi %204, %206 : index
          %208 = arith.cmpf olt, %x_18, %x_28 : f32
          %c1_42 = arith.constant 1 : index
          %c0_43 = arith.constant 0 : index
          %209 = arith.select %208, %c1_42, %c0_43 : index
          %210 = arith.addi %207, %209 : index
          %211 = arith.cmpf olt, %x_19, %x_28 : f32
          %c1_44 = arith.constant 1 : index
          %c0_45 = arith.constant 0 : index
          %212 = arith.select %211, %c1_44, %c0_45 : index
          %213 = arith.addi %210, %212 : index
          %214 = arith.cmpf olt, %x_20, %x_28 : f32
          %c1_46 = arith.constant 1 : index
          %c0_47 = arith.constant 0 : index
          %215 = arith.select %214, %c1_46, %c0_47 : index
          %216 = arith.addi %213, %215 : index
          %217 = arith.cmpf olt, %x_21, %x_28 : f32
          %c1_48 = arith.constant 1 : index
          %c0_49 = arith.constant 0 : index
          %218 = arith.select %217, %c1_48, %c0_49 : index
          %219 = arith.addi %216, %218 : index
          %220 = arith.cmpf olt, %x_22, %x_28 : f32
          %c1_50 = arith.constant 1 : index
          %c0_51 = arith.constant 0 : index
          %221 = arith.select %220, %c1_50, %c0_51 : index
          %222 = arith.addi %219, %221 : index
          %223 = arith.cmpf olt, %x_23, %x_28 : f32
          %c1_52 = arith.constant 1 : index
          %c0_53 = arith.constant 0 : index
          %224 = arith.select %223, %c1_52, %c0_53 : index
          %225 = arith.addi %222, %224 : index
          %226 = arith.cmpf olt, %x_24, %x_28 : f32
          %c1_54 = arith.constant 1 : index
          %c0_55 = arith.constant 0 : index
          %227 = arith.select %226, %c1_54, %c0_55 : index
          %228 = arith.addi %225, %227 : index
          %229 = arith.cmpf olt, %x_25, %x_28 : f32
          %c1_56 = arith.constant 1 : index
          %c0_57 = arith.constant 0 : index
          %230 = arith.select %229, %c1_56, %c0_57 : index
          %231 = arith.addi %228, %230 : index
          %232 = arith.cmpf olt, %x_26, %x_28 : f32
          %c1_58 = arith.constant 1 : index
          %c0_59 = arith.constant 0 : index
          %233 = arith.select %232, %c1_58, %c0_59 : index
          %234 = arith.addi %231, %233 : index
          %c2139095040 = arith.constant 2139095040 : index
          %235 = arith.subi %c2139095040, %234 : index
          %236 = arith.cmpi sgt, %x_27, %235 : index
          %237 = arith.addi %x_27, %234 : index
          %c2139095040_60 = arith.constant 2139095040 : index
          %238 = arith.select %236, %c2139095040_60, %237 : index
          tile.yield %238 : index
        }
        %189 = tile.map(%188) : (!tile.tile<q:32, index>) -> !tile.tile<q:32, index> {
        ^bb0(%x: index):
          %c1_13 = arith.constant 1 : index
          %190 = arith.addi %x, %c1_13 : index
          tile.yield %190 : index
        }
        scf.yield %189 : !tile.tile<q:32, index>
      } else {
        %164 = tile.splat 0.000000e+00 : <q:32, f32>
        %165 = tile.map(%164) : (!tile.tile<q:32, f32>) -> !tile.tile<q:32, index> {
        ^bb0(%x: f32):
          %c1_13 = arith.constant 1 : index
          %166 = arith.subi %kv_len, %c1_13 : index
          tile.yield %166 : index
        }
        scf.yield %165 : !tile.tile<q:32, index>
      }
      %163 = tile.map(%156, %158#2) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: f32, %x_13: f32):
        %cst = arith.constant 3.000000e+00 : f32
        %164 = arith.cmpf oge, %x_13, %cst : f32
        %cst_14 = arith.constant 0x7FC00000 : f32
        %165 = arith.select %164, %cst_14, %x : f32
        tile.yield %165 : f32
      }
      %c0_9 = arith.constant 0 : index
      %c0_10 = arith.constant 0 : index
      tile.store %163, %0[%b, %c0_9, %c0_10, %4] valid(q = %6) : <q:32, f32>, <b, h, g, q : f32>
      %c0_11 = arith.constant 0 : index
      %c0_12 = arith.constant 0 : index
      tile.store %162, %1[%b, %c0_11, %c0_12, %4] valid(q = %6) : <q:32, index>, <b, h, g, q : i32>
    }
    %c32_4 = arith.constant 32 : index
    %c1_5 = arith.constant 1 : index
    %3 = arith.ceildivsi %kv_len, %c32_4 : index
    tile.grid (%b, %h, %i) to (%batch, %c1_5, %3) order(desc 2) target #tile.cpu<isa = avx2, mapping = rows, lanes = 8, score_granule = [6, 2], value_granule = [1, 4], unroll = 1, tail = 8, lane_skip = false, pack = auto> {
      %c0 = arith.constant 0 : index
      %c32_6 = arith.constant 32 : index
      %4 = arith.muli %i, %c32_6 : index
      %5 = arith.subi %kv_len, %4 : index
      %6 = arith.minsi %5, %c32_6 : index
      %7 = arith.addi %4, %6 : index
      %8 = tile.map() at(q = %4) : () -> !tile.tile<q:32, f32> {
      ^bb0(%q: index):
        %18 = tile.read %0[%b, %h, %c0, %q] : <b, h, g, q : f32> -> f32
        tile.yield %18 : f32
      }
      %9 = tile.map() at(q = %4) : () -> !tile.tile<q:32, index> {
      ^bb0(%q: index):
        %18 = tile.read %1[%b, %h, %c0, %q] : <b, h, g, q : i32> -> index
        tile.yield %18 : index
      }
      %c0_7 = arith.constant 0 : index
      %10 = tile.load %Q[%b, %c0_7, %4, %c0] valid(q = %6) : <b, h, q, d : f32> -> <q:32, d:4, f32>
      %11 = tile.map(%10) : (!tile.tile<q:32, d:4, f32>) -> !tile.tile<q:32, d:4, f32> {
      ^bb0(%x: f32):
        %cst = arith.constant -5.770780e+01 : f32
        %18 = arith.mulf %x, %cst : f32
        tile.yield %18 : f32
      }
      %12 = tile.splat 0.000000e+00 : <q:32, e:1, f32>
      %13 = tile.splat -inf : <q:32, f32>
      %14 = tile.splat 0.000000e+00 : <q:32, f32>
      %c0_8 = arith.constant 0 : index
      %15:3 = tile.for (%k0, %nk, %partial) in [(%c0_8, %c0_8, %kv_len, %kv_len)] step 64 partial_step 16 iter(%carried = %12, %carried_10 = %13, %carried_11 = %14) -> (!tile.tile<q:32, e:1, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
        %18:2 = tile.phase "score" -> (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) {
          %c0_12 = arith.constant 0 : index
          %21 = tile.load %K[%b, %c0_12, %k0, %c0] valid(k = %nk) : <b, h, k, d : f32> -> <k:64, d:4, f32>
          %22 = tile.dot(%11, %21) sum(d) : (!tile.tile<q:32, d:4, f32>, !tile.tile<k:64, d:4, f32>) -> !tile.tile<q:32, k:64, f32>
          %23 = tile.map(%22, %8, %9) at(k = %k0) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, index>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_13: f32, %x_14: index, %k: index):
            %cst = arith.constant 0xFF800000 : f32
            %cst_15 = arith.constant 1.44269502 : f32
            %cst_16 = arith.constant 1.000000e+00 : f32
            %26 = math.exp2 %x : f32
            %27 = arith.addf %26, %cst_16 : f32
            %28 = arith.divf %cst_16, %27 : f32
            %29 = arith.negf %28 : f32
            %30 = math.exp %29 : f32
            %31 = arith.addf %30, %cst_16 : f32
            %32 = arith.divf %28, %31 : f32
            %33 = arith.mulf %32, %cst_15 : f32
            %34 = arith.cmpf ugt, %32, %x_13 : f32
            %35 = arith.cmpf oeq, %32, %x_13 : f32
            %36 = arith.cmpi sle, %k, %x_14 : index
            %37 = arith.andi %35, %36 : i1
            %38 = arith.ori %34, %37 : i1
            %39 = arith.select %38, %33, %cst : f32
            tile.yield %39 : f32
          }
          %24 = tile.select_masked %23 valid(k = %nk) when %partial fill -inf : !tile.tile<q:32, k:64, f32> {
            %true = arith.constant true
            tile.yield %true : i1
          }
          %25 = tile.reduce max(%24) over(k) init(%carried_10) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          tile.yield %24, %25 : !tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>
        }
        %19:3 = tile.phase "prob" -> (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>) {
          %21 = tile.map(%18#1) : (!tile.tile<q:32, f32>) -> !tile.tile<q:32, f32> {
          ^bb0(%x: f32):
            %cst = arith.constant 0.000000e+00 : f32
            %cst_12 = arith.constant 0xFF800000 : f32
            %26 = arith.cmpf oeq, %x, %cst_12 : f32
            %27 = arith.select %26, %cst, %x : f32
            tile.yield %27 : f32
          }
          %22 = tile.map(%18#0, %21) : (!tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, k:64, f32> {
          ^bb0(%x: f32, %x_12: f32):
            %26 = arith.subf %x, %x_12 : f32
            %27 = math.exp2 %26 : f32
            tile.yield %27 : f32
          }
          %23 = tile.map(%carried_10, %21) : (!tile.tile<q:32, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, f32> {
          ^bb0(%x: f32, %x_12: f32):
            %26 = arith.subf %x, %x_12 : f32
            %27 = math.exp2 %26 : f32
            tile.yield %27 : f32
          }
          %24 = tile.rescale %carried_11 by %23 : !tile.tile<q:32, f32>, <q:32, f32>
          %25 = tile.reduce add(%22) over(k) init(%24) : (<q:32, k:64, f32>) -> !tile.tile<q:32, f32>
          tile.yield %22, %23, %25 : !tile.tile<q:32, k:64, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
        }
        %20 = tile.phase "value" -> (!tile.tile<q:32, e:1, f32>) {
          %21 = tile.rescale %carried by %19#1 : !tile.tile<q:32, e:1, f32>, <q:32, f32>
          %c0_12 = arith.constant 0 : index
          %22 = tile.load %V[%b, %c0_12, %k0, %c0] valid(k = %nk) : <b, h, k, e : f32> -> <k:64, e:1, f32>
          %23 = tile.dot(%19#0, %22) sum(k) acc(%21) : (!tile.tile<q:32, k:64, f32>, !tile.tile<k:64, e:1, f32>) -> !tile.tile<q:32, e:1, f32>
          tile.yield %23 : !tile.tile<q:32, e:1, f32>
        }
        tile.yield %20, %18#1, %19#2 : !tile.tile<q:32, e:1, f32>, !tile.tile<q:32, f32>, !tile.tile<q:32, f32>
      }
      %16 = tile.map(%15#2) : (!tile.tile<q:32, f32>) -> !tile.tile<q:32, f32> {
      ^bb0(%x: f32):
        %cst = arith.constant 0.000000e+00 : f32
        %cst_10 = arith.constant 1.000000e+00 : f32
        %18 = arith.divf %cst_10, %x : f32
        %cst_11 = arith.constant 0.000000e+00 : f32
        %19 = arith.cmpf oeq, %x, %cst_11 : f32
        %20 = arith.select %19, %cst, %18 : f32
        tile.yield %20 : f32
      }
      %17 = tile.map(%15#0, %16) : (!tile.tile<q:32, e:1, f32>, !tile.tile<q:32, f32>) -> !tile.tile<q:32, e:1, f32> {
      ^bb0(%x: f32, %x_10: f32):
        %18 = arith.mulf %x, %x_10 : f32
        tile.yield %18 : f32
      }
      %c0_9 = arith.constant 0 : index
      tile.store %17, %O[%b, %c0_9, %4, %c0] valid(q = %6) : <q:32, e:1, f32>, <b, h, q, e : f32>
    }
  }
}

