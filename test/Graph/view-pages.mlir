// Views rows that a page table finds as attn.pages.
// RUN: attnc-opt %s --attn-view-pages --canonicalize --verify-diagnostics -o - | FileCheck %s

module attributes {attnc.interface = [
  {name = "views_quantized_rows_in_pages", title = "rows", spec = "heads: 2", positions = [], preconditions = [],
   sizes = [{name = "batch"}, {name = "width"}, {name = "pages"}, {name = "kv_len"}],
   tensors = [{name = "table", role = "input", dtype = "i32", axes = ["batch", "width"], range = [0, "pages - 1"]},
              {name = "K", role = "input", dtype = "i8", axes = ["pages", "2", "16", "8"]},
              {name = "s", role = "input", dtype = "f32", axes = ["pages", "2", "16"]},
              {name = "O", role = "output", dtype = "f32", axes = ["batch", "2", "kv_len", "8"]}]},
  {name = "views_rows_alone", title = "rows", spec = "heads: 2", positions = [], preconditions = [],
   sizes = [{name = "batch"}, {name = "width"}, {name = "pages"}, {name = "kv_len"}],
   tensors = [{name = "table", role = "input", dtype = "i32", axes = ["batch", "width"], range = [0, "pages - 1"]},
              {name = "C", role = "input", dtype = "f32", axes = ["pages", "4", "8"]},
              {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]},
  {name = "keeps_a_part_of_the_features", title = "rows", spec = "heads: 2", positions = [], preconditions = [],
   sizes = [{name = "batch"}, {name = "width"}, {name = "pages"}, {name = "kv_len"}],
   tensors = [{name = "table", role = "input", dtype = "i32", axes = ["batch", "width"], range = [0, "pages - 1"]},
              {name = "C", role = "input", dtype = "f32", axes = ["pages", "4", "16"]},
              {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]},
  {name = "keeps_rows_of_half_pages", title = "rows", spec = "heads: 2", positions = [], preconditions = [],
   sizes = [{name = "batch"}, {name = "width"}, {name = "pages"}, {name = "kv_len"}],
   tensors = [{name = "table", role = "input", dtype = "i32", axes = ["batch", "width"], range = [0, "pages - 1"]},
              {name = "C", role = "input", dtype = "f32", axes = ["pages", "4", "8"]},
              {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]},
  {name = "keeps_rows_of_another_batch", title = "rows", spec = "heads: 2", positions = [], preconditions = [],
   sizes = [{name = "groups"}, {name = "width"}, {name = "pages"}, {name = "batch"}, {name = "kv_len"}],
   tensors = [{name = "table", role = "input", dtype = "i32", axes = ["groups", "width"], range = [0, "pages - 1"]},
              {name = "C", role = "input", dtype = "f32", axes = ["pages", "4", "8"]},
              {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]},
  {name = "keeps_rows_without_a_page", title = "rows", spec = "heads: 2", positions = [], preconditions = [],
   sizes = [{name = "batch"}, {name = "width"}, {name = "pages"}, {name = "kv_len"}],
   tensors = [{name = "table", role = "input", dtype = "i32", axes = ["batch", "width"], range = [-1, "pages - 1"]},
              {name = "C", role = "input", dtype = "f32", axes = ["pages", "4", "8"]},
              {name = "O", role = "output", dtype = "f32", axes = ["batch", "kv_len", "8"]}]}
]} {

// The scale of a row stays: it is read once per row.
// CHECK-LABEL: func.func @views_quantized_rows_in_pages(
// CHECK-SAME:    %[[TABLE:[a-z0-9]+]]: tensor<?x?xi32
// CHECK-SAME:    %[[K:[a-z0-9]+]]: tensor<?x2x16x8xi8
// CHECK-SAME:    %[[S:[a-z0-9]+]]: tensor<?x2x16xf32
// CHECK-NEXT:    %[[V:.*]] = attn.view "abcd->acbd" %[[K]]
// CHECK-NEXT:    %[[P:.*]] = attn.pages %[[V]] by %[[TABLE]] : tensor<?x16x2x8xi8, #attn.dims<pages, 16, 2, 8>>, {{.*}} -> tensor<?x?x2x8xi8, #attn.dims<batch, kv_len, 2, 8>>
// CHECK-NEXT:    %[[R:.*]] = attn.view "abcd->acbd" %[[P]]
// CHECK-NEXT:    attn.map "bhkd->bhkd"(%[[R]])
// CHECK-NEXT:    ^bb0(%[[X:.*]]: index, %[[B:.*]]: index, %[[H:.*]]: index, %[[I:.*]]: index, %{{.*}}: index):
// CHECK:           %[[F:.*]] = arith.sitofp
// CHECK:           attn.read %[[S]][%{{.*}}, %[[H]], %{{.*}}]
// CHECK-NOT:       attn.read %[[K]]
// CHECK:           attn.yield
func.func @views_quantized_rows_in_pages(%table: tensor<?x?xi32, #attn.dims<batch, width>>, %K: tensor<?x2x16x8xi8, #attn.dims<pages, 2, 16, 8>>, %s: tensor<?x2x16xf32, #attn.dims<pages, 2, 16>>) -> tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>> {
  %k = attn.map "->bhkd"() : () -> tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>> {
  ^bb0(%b: index, %h: index, %i: index, %d: index):
    %c16 = arith.constant 16 : index
    %n = arith.floordivsi %i, %c16 : index
    %page = attn.read %table[%b, %n] : tensor<?x?xi32, #attn.dims<batch, width>> -> index
    %first = arith.muli %n, %c16 : index
    %row = arith.subi %i, %first : index
    %x = attn.read %K[%page, %h, %row, %d] : tensor<?x2x16x8xi8, #attn.dims<pages, 2, 16, 8>> -> index
    %wide = arith.index_cast %x : index to i64
    %real = arith.sitofp %wide : i64 to f32
    %scale = attn.read %s[%page, %h, %row] : tensor<?x2x16xf32, #attn.dims<pages, 2, 16>> -> f32
    %y = arith.mulf %real, %scale : f32
    attn.yield %y : f32
  }
  return %k : tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
}

// Nothing is left to compute.
// CHECK-LABEL: func.func @views_rows_alone(
// CHECK-SAME:    %[[TABLE:[a-z0-9]+]]: tensor<?x?xi32
// CHECK-SAME:    %[[C:[a-z0-9]+]]: tensor<?x4x8xf32
// CHECK-NEXT:    %[[P:.*]] = attn.pages %[[C]] by %[[TABLE]]
// CHECK-NEXT:    return %[[P]]
func.func @views_rows_alone(%table: tensor<?x?xi32, #attn.dims<batch, width>>, %C: tensor<?x4x8xf32, #attn.dims<pages, 4, 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>> {
  %k = attn.map "->bkd"() : () -> tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>> {
  ^bb0(%b: index, %i: index, %d: index):
    %c4 = arith.constant 4 : index
    %n = arith.floordivsi %i, %c4 : index
    %page = attn.read %table[%b, %n] : tensor<?x?xi32, #attn.dims<batch, width>> -> index
    %first = arith.muli %n, %c4 : index
    %row = arith.subi %i, %first : index
    %x = attn.read %C[%page, %row, %d] : tensor<?x4x8xf32, #attn.dims<pages, 4, 8>> -> f32
    attn.yield %x : f32
  }
  return %k : tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
}

// CHECK-LABEL: func.func @keeps_a_part_of_the_features(
// CHECK-NOT:     attn.pages
// CHECK:         return
func.func @keeps_a_part_of_the_features(%table: tensor<?x?xi32, #attn.dims<batch, width>>, %C: tensor<?x4x16xf32, #attn.dims<pages, 4, 16>>) -> tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>> {
  // expected-remark@below {{rows that a table finds are read element by element: an axis of the tensor is read in part or in another order [missed]}}
  %k = attn.map "->bkd"() : () -> tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>> {
  ^bb0(%b: index, %i: index, %d: index):
    %c4 = arith.constant 4 : index
    %n = arith.floordivsi %i, %c4 : index
    %page = attn.read %table[%b, %n] : tensor<?x?xi32, #attn.dims<batch, width>> -> index
    %first = arith.muli %n, %c4 : index
    %row = arith.subi %i, %first : index
    %x = attn.read %C[%page, %row, %d] : tensor<?x4x16xf32, #attn.dims<pages, 4, 16>> -> f32
    attn.yield %x : f32
  }
  return %k : tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
}

// The page has four rows, the formula counts in eights.
// CHECK-LABEL: func.func @keeps_rows_of_half_pages(
// CHECK-NOT:     attn.pages
// CHECK:         return
func.func @keeps_rows_of_half_pages(%table: tensor<?x?xi32, #attn.dims<batch, width>>, %C: tensor<?x4x8xf32, #attn.dims<pages, 4, 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>> {
  // expected-remark@below {{rows that a table finds are read element by element: no index is k % n, with the n of table[b, k // n] and an axis of n rows [missed]}}
  %k = attn.map "->bkd"() : () -> tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>> {
  ^bb0(%b: index, %i: index, %d: index):
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %n = arith.floordivsi %i, %c8 : index
    %m = arith.floordivsi %i, %c4 : index
    %page = attn.read %table[%b, %n] : tensor<?x?xi32, #attn.dims<batch, width>> -> index
    %first = arith.muli %m, %c4 : index
    %row = arith.subi %i, %first : index
    %x = attn.read %C[%page, %row, %d] : tensor<?x4x8xf32, #attn.dims<pages, 4, 8>> -> f32
    attn.yield %x : f32
  }
  return %k : tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
}

// A table of other sequences than those of the map.
// CHECK-LABEL: func.func @keeps_rows_of_another_batch(
// CHECK-NOT:     attn.pages
// CHECK:         return
func.func @keeps_rows_of_another_batch(%table: tensor<?x?xi32, #attn.dims<groups, width>>, %C: tensor<?x4x8xf32, #attn.dims<pages, 4, 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>> {
  // expected-remark@below {{rows that a table finds are read element by element: no index is an entry table[b, k // n] of an input with the range of that axis ('in 0..pages - 1') [missed]}}
  %k = attn.map "->bkd"() : () -> tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>> {
  ^bb0(%b: index, %i: index, %d: index):
    %c4 = arith.constant 4 : index
    %n = arith.floordivsi %i, %c4 : index
    %page = attn.read %table[%b, %n] : tensor<?x?xi32, #attn.dims<groups, width>> -> index
    %first = arith.muli %n, %c4 : index
    %row = arith.subi %i, %first : index
    %x = attn.read %C[%page, %row, %d] : tensor<?x4x8xf32, #attn.dims<pages, 4, 8>> -> f32
    attn.yield %x : f32
  }
  return %k : tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
}

// An entry may be -1: attn.read clamps it, attn.pages has zeros there.
// CHECK-LABEL: func.func @keeps_rows_without_a_page(
// CHECK-NOT:     attn.pages
// CHECK:         return
func.func @keeps_rows_without_a_page(%table: tensor<?x?xi32, #attn.dims<batch, width>>, %C: tensor<?x4x8xf32, #attn.dims<pages, 4, 8>>) -> tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>> {
  // expected-remark@below {{rows that a table finds are read element by element: no index is an entry table[b, k // n] of an input with the range of that axis ('in 0..pages - 1') [missed]}}
  %k = attn.map "->bkd"() : () -> tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>> {
  ^bb0(%b: index, %i: index, %d: index):
    %c4 = arith.constant 4 : index
    %n = arith.floordivsi %i, %c4 : index
    %page = attn.read %table[%b, %n] : tensor<?x?xi32, #attn.dims<batch, width>> -> index
    %first = arith.muli %n, %c4 : index
    %row = arith.subi %i, %first : index
    %x = attn.read %C[%page, %row, %d] : tensor<?x4x8xf32, #attn.dims<pages, 4, 8>> -> f32
    attn.yield %x : f32
  }
  return %k : tensor<?x?x8xf32, #attn.dims<batch, kv_len, 8>>
}
}
