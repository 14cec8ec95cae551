// Pieces of one product are products with pieces of its weights.
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' | FileCheck %s
// RUN: attnc-opt %s --pass-pipeline='builtin.module(func.func(attn-reassociate))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!x = tensor<?x?x8x64xf32, #attn.dims<batch, query_len, 8, 64>>
!e = tensor<?x?x128xf32, #attn.dims<batch, kv_len, 128>>
!m = tensor<?x?x1024xf32, #attn.dims<batch, kv_len, 1024>>
!half = tensor<?x?x512xf32, #attn.dims<batch, kv_len, 512>>
!k = tensor<?x?x8x64xf32, #attn.dims<batch, kv_len, 8, 64>>
!mh = tensor<?x?x8x128xf32, #attn.dims<batch, kv_len, 8, 128>>
!s = tensor<?x8x?x?xf32, #attn.dims<batch, 8, query_len, kv_len>>
!l = tensor<?x8x?xf32, #attn.dims<batch, 8, query_len>>

// Keys in front of values, one query: neither is made.
// CHECK-LABEL: func.func @keys_and_values(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: {{[^%]*}}%[[E:[a-z0-9]+]]: {{[^%]*}}%[[W:[a-z0-9]+]]:
// CHECK-DAG:     %[[WK:.*]] = attn.slice "{{..}}" %[[W]] along "{{.}}"[0, 512]
// CHECK-DAG:     %[[WV:.*]] = attn.slice "{{..}}" %[[W]] along "{{.}}"[512, 512]
// CHECK-NOT:     tensor<?x?x1024xf32
// CHECK:         attn.contract "bqhd,bkd->bhqk"({{.*}}, %[[E]])
// CHECK:         %[[P:.*]], %{{.*}} = attn.normalize
// CHECK:         attn.contract "bhqk,{{...}}->{{....}}"(%[[P]], %[[E]])
// CHECK:         return
// REMARK: remark: product of 3 factors at batch = 1, kv_len = 4096, query_len = 1: weights (arg1 arg2), in the order as written, takes {{.*}}; (weights arg1) arg2 {{.*}}; reordered [order]
// REMARK: remark: product of 3 factors at batch = 1, kv_len = 4096, query_len = 1: arg0 (arg1 arg2), in the order as written, takes {{.*}}; (arg0 arg2) arg1 {{.*}}; reordered [order]
func.func @keys_and_values(%q: !x, %e: !e, %w: tensor<128x1024xf32> {attnc.resident}) -> !x attributes {attnc.expect = [{batch = 1 : i64, query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %m = attn.contract "bkm,mn->bkn" (%e, %w) : (!e, tensor<128x1024xf32>) -> !m
  %k1 = attn.slice "bkn" %m along "n" [0, 512] : !m -> !half
  %k = attn.view "bk(hd)->bkhd" %k1 : !half -> !k
  %v1 = attn.slice "bkn" %m along "n" [512, 512] : !m -> !half
  %v = attn.view "bk(he)->bkhe" %v1 : !half -> !k
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (!x, !k) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (!s, !k) -> !x
  return %o : !x
}

// Many queries: one product remains, which reads %e once.
// CHECK-LABEL: func.func @keeps_one_product(
// CHECK-NEXT:    %[[M:.*]] = attn.contract "bkm,mn->bkn"(%{{.*}}, %{{.*}}) : {{.*}} -> tensor<?x?x1024xf32
// CHECK-NEXT:    %[[K:.*]] = attn.slice "bkn" %[[M]] along "n"[0, 512]
// CHECK-NEXT:    attn.view "bk(hd)->bkhd" %[[K]]
// CHECK-NEXT:    %[[V:.*]] = attn.slice "bkn" %[[M]] along "n"[512, 512]
// CHECK-NEXT:    attn.view "bk(he)->bkhe" %[[V]]
// CHECK-NOT:     attn.slice
// CHECK:         return
func.func @keeps_one_product(%q: !x, %e: !e, %w: tensor<128x1024xf32> {attnc.resident}) -> !x attributes {attnc.expect = [{batch = 1 : i64, query_len = 4096 : i64, kv_len = 4096 : i64}]} {
  %m = attn.contract "bkm,mn->bkn" (%e, %w) : (!e, tensor<128x1024xf32>) -> !m
  %k1 = attn.slice "bkn" %m along "n" [0, 512] : !m -> !half
  %k = attn.view "bk(hd)->bkhd" %k1 : !half -> !k
  %v1 = attn.slice "bkn" %m along "n" [512, 512] : !m -> !half
  %v = attn.view "bk(he)->bkhe" %v1 : !half -> !k
  %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k) : (!x, !k) -> !s
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (!s) -> (!s, !l)
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (!s, !k) -> !x
  return %o : !x
}

// As DeepSeek stores them, each head's keys and values beside each other. Keys
// are needed elsewhere: only the values' half is not made.
// CHECK-LABEL: func.func @values_of_each_head(
// CHECK-SAME:    %[[S:[a-z0-9]+]]: {{[^%]*}}%[[E:[a-z0-9]+]]: {{[^%]*}}%[[W:[a-z0-9]+]]:
// CHECK:         %[[WH:.*]] = attn.view "[[N:.]]([[HD:..]])->[[N]][[HD]]" %[[W]]
// CHECK:         %[[WK:.*]] = attn.slice "{{...}}" %[[WH]] along "{{.}}"[0, 64]
// CHECK:         %[[K:.*]] = attn.contract "{{...,...->....}}"(%[[E]], %[[WK]]) : {{.*}} -> tensor<?x?x8x64xf32
// CHECK:         attn.slice {{.*}}[64, 64]
// CHECK:         attn.contract "bhqk,{{...->....}}"(%{{.*}}, %[[E]])
// CHECK:         return {{.*}}, %[[K]]
func.func @values_of_each_head(%S: !s, %e: !e, %w: tensor<128x1024xf32> {attnc.resident}) -> (!x, !k) attributes {attnc.expect = [{batch = 1 : i64, query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %m = attn.contract "bkm,mn->bkn" (%e, %w) : (!e, tensor<128x1024xf32>) -> !m
  %mh = attn.view "bk(hd)->bkhd" %m : !m -> !mh
  %k = attn.slice "bkhd" %mh along "d" [0, 64] : !mh -> !k
  %v = attn.slice "bkhd" %mh along "d" [64, 64] : !mh -> !k
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!s) -> (!s, !l)
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (!s, !k) -> !x
  return %o, %k : !x, !k
}

// The whole product is needed: pieces of it cost nothing.
// CHECK-LABEL: func.func @keeps_what_is_needed(
// CHECK:         attn.contract "bkm,mn->bkn"
// CHECK:         attn.slice "bkn"
// CHECK:         attn.contract "bhqk,bkhe->bqhe"
func.func @keeps_what_is_needed(%S: !s, %e: !e, %w: tensor<128x1024xf32> {attnc.resident}) -> (!x, !m) attributes {attnc.expect = [{batch = 1 : i64, query_len = 1 : i64, kv_len = 4096 : i64}]} {
  %m = attn.contract "bkm,mn->bkn" (%e, %w) : (!e, tensor<128x1024xf32>) -> !m
  %v1 = attn.slice "bkn" %m along "n" [512, 512] : !m -> !half
  %v = attn.view "bk(he)->bkhe" %v1 : !half -> !k
  %p, %lse = attn.normalize "bhqk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%S) : (!s) -> (!s, !l)
  %o = attn.contract "bhqk,bkhe->bqhe" (%p, %v) : (!s, !k) -> !x
  return %o, %m : !x, !m
}
