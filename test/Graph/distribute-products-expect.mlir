// RUN: attnc-opt %s --attn-distribute-products --split-input-file | FileCheck %s

// All distances: two rows of the table for each key, which a product with the
// table is still cheaper for than one for each pair.
// CHECK-LABEL: func.func @all_distances(
// CHECK-DAG:     attn.contract "hqd,hkd->hqk"
// CHECK-DAG:     attn.contract "hqd,ad->hqa"
!Q = tensor<2x?x8xf32, #attn.dims<2, query_len, 8>>
!K = tensor<2x?x8xf32, #attn.dims<2, kv_len, 8>>
!T = tensor<2x?x?x8xf32, #attn.dims<2, query_len, kv_len, 8>>
!S = tensor<2x?x?xf32, #attn.dims<2, query_len, kv_len>>
func.func @all_distances(%q: !Q, %k: !K, %table: tensor<1023x8xf32>) -> !S attributes {attnc.expect = [{query_len = 512 : i64, kv_len = 512 : i64}]} {
  %t = attn.map "hkd->hqkd" (%k) : (!K) -> !T {
  ^bb0(%x: f32, %h: index, %i: index, %j: index, %d: index):
    %r = arith.subi %j, %i : index
    %y = attn.read %table[%r, %d] : tensor<1023x8xf32> -> f32
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %s = attn.contract "hqd,hqkd->hqk" (%q, %t) : (!Q, !T) -> !S
  return %s : !S
}

// -----

// The same table for few keys: a product with all of it is not made.
// CHECK-LABEL: func.func @few_keys(
// CHECK:         attn.contract "hqd,hqkd->hqk"
// CHECK-NOT:     attn.contract
!Q = tensor<2x?x8xf32, #attn.dims<2, query_len, 8>>
!K = tensor<2x?x8xf32, #attn.dims<2, kv_len, 8>>
!T = tensor<2x?x?x8xf32, #attn.dims<2, query_len, kv_len, 8>>
!S = tensor<2x?x?xf32, #attn.dims<2, query_len, kv_len>>
func.func @few_keys(%q: !Q, %k: !K, %table: tensor<1023x8xf32>) -> !S attributes {attnc.expect = [{query_len = 512 : i64, kv_len = 64 : i64}]} {
  %t = attn.map "hkd->hqkd" (%k) : (!K) -> !T {
  ^bb0(%x: f32, %h: index, %i: index, %j: index, %d: index):
    %r = arith.subi %j, %i : index
    %y = attn.read %table[%r, %d] : tensor<1023x8xf32> -> f32
    %z = arith.addf %x, %y : f32
    attn.yield %z : f32
  }
  %s = attn.contract "hqd,hqkd->hqk" (%q, %t) : (!Q, !T) -> !S
  return %s : !S
}

// -----

// Rows that the key alone chooses, of a table as long as there are keys, are
// keys: a product with the table would be a number for each pair in memory.
// CHECK-LABEL: func.func @rows_of_keys(
// CHECK:         %[[M:.*]] = attn.map "->hkd"
// CHECK:         attn.contract "hqd,hkd->hqk"(%{{.*}}, %[[M]])
// CHECK-NOT:     attn.contract
!Q = tensor<2x?x8xf32, #attn.dims<2, query_len, 8>>
!K = tensor<2x?x8xf32, #attn.dims<2, kv_len, 8>>
!S = tensor<2x?x?xf32, #attn.dims<2, query_len, kv_len>>
func.func @rows_of_keys(%q: !Q, %k: !K) -> !S attributes {attnc.expect = [{query_len = 512 : i64, kv_len = 512 : i64}]} {
  %t = attn.map "->hkd" () : () -> !K {
  ^bb0(%h: index, %j: index, %d: index):
    %one = arith.constant 1 : index
    %zero = arith.constant 0 : index
    %p = arith.subi %j, %one : index
    %r = arith.maxsi %p, %zero : index
    %y = attn.read %k[%h, %r, %d] : !K -> f32
    attn.yield %y : f32
  }
  %s = attn.contract "hqd,hkd->hqk" (%q, %t) : (!Q, !K) -> !S
  return %s : !S
}

// -----

// Of a small table the product is small, and a number for each pair is read.
// CHECK-LABEL: func.func @rows_of_few(
// CHECK:         attn.contract "hqd,ad->hqa"
// CHECK-NOT:     attn.contract
!Q = tensor<2x?x8xf32, #attn.dims<2, query_len, 8>>
!K = tensor<2x?x8xf32, #attn.dims<2, kv_len, 8>>
!S = tensor<2x?x?xf32, #attn.dims<2, query_len, kv_len>>
func.func @rows_of_few(%q: !Q, %table: tensor<4x8xf32>) -> !S attributes {attnc.expect = [{query_len = 512 : i64, kv_len = 512 : i64}]} {
  %t = attn.map "->hkd" () : () -> !K {
  ^bb0(%h: index, %j: index, %d: index):
    %four = arith.constant 4 : index
    %r = arith.remsi %j, %four : index
    %y = attn.read %table[%r, %d] : tensor<4x8xf32> -> f32
    attn.yield %y : f32
  }
  %s = attn.contract "hqd,hkd->hqk" (%q, %t) : (!Q, !K) -> !S
  return %s : !S
}
