// Products load weights of 8-bit integers; their scales multiply the result.
// RUN: attnc-opt %s --attn-select-schedule=cpu=x86-64-v4 -o %t 2>&1 | FileCheck %s --check-prefix=REMARK && FileCheck %s --input-file %t
// RUN: attnc-opt %t --attn-verify-scheduled -o /dev/null
// RUN: attnc-opt %s --attn-select-schedule=cpu=cascadelake | FileCheck %s --check-prefix=VNNI
// RUN: attnc-opt %s --attn-select-schedule=cpu=zen4 | FileCheck %s --check-prefix=BF16
// RUN: attnc-opt %s --attn-select-schedule=cpu=sm_90a | FileCheck %s --check-prefix=GPU

!x = tensor<?x64xf32, #attn.dims<rows, 64>>
!y = tensor<?x128xf32, #attn.dims<rows, 128>>

// Backends that convert nothing dequantize first.
// GPU-NOT: attn.convert_on_load

// A scale per output and a constant, weights as [out, in].
// REMARK: remark: the quantized right side of a product is converted to floats tile by tile, as it is loaded [kernel]
// CHECK-LABEL: func.func @per_output(
// CHECK:         %[[W:.*]] = attn.map "ed->ed"(%arg1) : {{.*}} attributes {attn.convert_on_load} {
// CHECK-NOT:       arith.mulf
// CHECK:         %[[P:.*]] = attn.contract "qd,ed->qe"(%arg0, %[[W]]) {{.*}}form = dot
// CHECK:         %[[Y:.*]] = attn.map "qe->qe"(%[[P]]) {{.*}}form = epilogue
// CHECK:         ^bb0(%[[SUM:.*]]: f32, %{{.*}}: index, %[[E:.*]]: index):
// CHECK-DAG:       %[[S:.*]] = attn.read %arg2[%[[E]]]
// CHECK-DAG:       %[[C:.*]] = arith.constant 5.000000e-01 : f32
// CHECK:           %[[F:.*]] = arith.mulf %[[S]], %[[C]]
// CHECK:           arith.mulf %[[SUM]], %[[F]]
// CHECK:         return %[[Y]]
func.func @per_output(%x: !x, %w8: tensor<128x64xi8>, %s: tensor<128xf32>) -> !y {
  %w = attn.map "ed,e->ed" (%w8, %s) : (tensor<128x64xi8>, tensor<128xf32>) -> tensor<128x64xf32> {
  ^bb0(%i: index, %scale: f32, %e: index, %d: index):
    %wide = arith.index_cast %i : index to i64
    %real = arith.sitofp %wide : i64 to f32
    %half = arith.constant 0.5 : f32
    %scaled = arith.mulf %real, %scale : f32
    %z = arith.mulf %scaled, %half : f32
    attn.yield %z : f32
  }
  %y = attn.contract "qd,ed->qe" (%x, %w) : (!x, tensor<128x64xf32>) -> !y
  return %y : !y
}

// Views stay before the conversion, and the index of a scale goes through them.
// CHECK-LABEL: func.func @behind_a_view(
// CHECK:         %[[V:.*]] = attn.view "d(ab)->abd" %arg1 : tensor<64x128xi8>
// CHECK:         %[[W:.*]] = attn.map "abd->abd"(%[[V]]) {{.*}}attn.convert_on_load
// CHECK:         attn.contract "qd,abd->qab"(%arg0, %[[W]])
// CHECK:         arith.constant 32 : index
// CHECK:         attn.read %arg2[
func.func @behind_a_view(%x: !x, %w8: tensor<64x128xi8>, %s: tensor<128xf32>) -> tensor<?x4x32xf32, #attn.dims<rows, 4, 32>> {
  %w = attn.map "de,e->de" (%w8, %s) : (tensor<64x128xi8>, tensor<128xf32>) -> tensor<64x128xf32> {
  ^bb0(%i: index, %scale: f32, %d: index, %e: index):
    %wide = arith.index_cast %i : index to i64
    %real = arith.sitofp %wide : i64 to f32
    %z = arith.mulf %real, %scale : f32
    attn.yield %z : f32
  }
  %v = attn.view "d(ab)->abd" %w : tensor<64x128xf32> -> tensor<4x32x64xf32>
  %y = attn.contract "qd,abd->qab" (%x, %v) : (!x, tensor<4x32x64xf32>) -> tensor<?x4x32xf32, #attn.dims<rows, 4, 32>>
  return %y : tensor<?x4x32xf32, #attn.dims<rows, 4, 32>>
}

// Products that read slices of one weight load the integers, too; the index of a
// scale is that in the whole weight, which is not dequantized.
// REMARK: remark: the quantized right side of a product is converted to floats tile by tile, as it is loaded
// REMARK: remark: the quantized right side of a product is converted to floats tile by tile, as it is loaded
// CHECK-LABEL: func.func @slices(
// CHECK-NOT:     -> tensor<64x128xf32>
// CHECK:         %[[S:.*]] = attn.slice "dab" %{{.*}} along "b"[20, 12] : tensor<64x4x32xi8>
// CHECK:         %[[W:.*]] = attn.map "dab->dab"(%[[S]]) {{.*}}attn.convert_on_load
// CHECK:         %[[P:.*]] = attn.contract "qd,dab->qab"(%arg0, %[[W]])
// CHECK:         attn.map "qab->qab"(%[[P]])
// CHECK-NEXT:    ^bb0(%{{.*}}: f32, %{{.*}}: index, %[[A:.*]]: index, %[[B:.*]]: index):
// CHECK-DAG:       %[[C20:.*]] = arith.constant 20 : index
// CHECK-DAG:       %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG:       %[[B20:.*]] = arith.addi %[[B]], %[[C20]] : index
// CHECK-DAG:       %[[A32:.*]] = arith.muli %[[A]], %[[C32]] : index
// CHECK-DAG:       %[[E:.*]] = arith.addi %[[A32]], %[[B20]] : index
// CHECK:           attn.read %arg2[%[[E]]]
func.func @slices(%x: !x, %w8: tensor<64x128xi8>, %s: tensor<128xf32>) -> (tensor<?x4x20xf32, #attn.dims<rows, 4, 20>>, tensor<?x4x12xf32, #attn.dims<rows, 4, 12>>) {
  %w = attn.map "de,e->de" (%w8, %s) : (tensor<64x128xi8>, tensor<128xf32>) -> tensor<64x128xf32> {
  ^bb0(%i: index, %scale: f32, %d: index, %e: index):
    %wide = arith.index_cast %i : index to i64
    %real = arith.sitofp %wide : i64 to f32
    %z = arith.mulf %real, %scale : f32
    attn.yield %z : f32
  }
  %v = attn.view "d(ab)->dab" %w : tensor<64x128xf32> -> tensor<64x4x32xf32>
  %n = attn.slice "dab" %v along "b" [0, 20] : tensor<64x4x32xf32> -> tensor<64x4x20xf32>
  %r = attn.slice "dab" %v along "b" [20, 12] : tensor<64x4x32xf32> -> tensor<64x4x12xf32>
  %y = attn.contract "qd,dab->qab" (%x, %n) : (!x, tensor<64x4x20xf32>) -> tensor<?x4x20xf32, #attn.dims<rows, 4, 20>>
  %z = attn.contract "qd,dab->qab" (%x, %r) : (!x, tensor<64x4x12xf32>) -> tensor<?x4x12xf32, #attn.dims<rows, 4, 12>>
  return %y, %z : tensor<?x4x20xf32, #attn.dims<rows, 4, 20>>, tensor<?x4x12xf32, #attn.dims<rows, 4, 12>>
}

// A scale per input would have to multiply x, which rounds otherwise.
// REMARK: remark: the quantized right side of a product is dequantized before it, because the formula is not an 8-bit integer times a scale per row
// CHECK-LABEL: func.func @per_input(
// CHECK-NOT:     attn.convert_on_load
// CHECK:         attn.map "ed,d->ed"{{.*}}form = element
func.func @per_input(%x: !x, %w8: tensor<128x64xi8>, %s: tensor<64xf32>) -> !y {
  %w = attn.map "ed,d->ed" (%w8, %s) : (tensor<128x64xi8>, tensor<64xf32>) -> tensor<128x64xf32> {
  ^bb0(%i: index, %scale: f32, %e: index, %d: index):
    %wide = arith.index_cast %i : index to i64
    %real = arith.sitofp %wide : i64 to f32
    %z = arith.mulf %real, %scale : f32
    attn.yield %z : f32
  }
  %y = attn.contract "qd,ed->qe" (%x, %w) : (!x, tensor<128x64xf32>) -> !y
  return %y : !y
}

// Parts that are concatenated are stored as floats.
// REMARK: remark: 8-bit integers are dequantized into the workspace, because they are concatenated
// CHECK-LABEL: func.func @concatenated(
// CHECK-NOT:     attn.convert_on_load
// CHECK:         return
func.func @concatenated(%x: !x, %w8: tensor<96x64xi8>, %v: tensor<32x64xf32>) -> !y {
  %w = attn.map "ed->ed" (%w8) : (tensor<96x64xi8>) -> tensor<96x64xf32> {
  ^bb0(%i: index, %e: index, %d: index):
    %wide = arith.index_cast %i : index to i64
    %real = arith.sitofp %wide : i64 to f32
    attn.yield %real : f32
  }
  %both = attn.concat "ed,ed->ed" along "e"(%w, %v) : (tensor<96x64xf32>, tensor<32x64xf32>) -> tensor<128x64xf32>
  %y = attn.contract "qd,ed->qe" (%x, %both) : (!x, tensor<128x64xf32>) -> !y
  return %y : !y
}

// A result of 16 bits is rounded once, behind the scale.
// REMARK: remark: the quantized right side of a product is converted to floats tile by tile, as it is loaded
// CHECK-LABEL: func.func @rounds(
// CHECK:         %[[W:.*]] = attn.map "ed->ed"(%arg1) : {{.*}}attn.convert_on_load
// CHECK:         %[[P:.*]] = attn.contract "qd,ed->qe"(%arg0, %[[W]]) {{.*}} -> tensor<?x128xf32,
// CHECK:         %[[S:.*]] = attn.map "qe->qe"(%[[P]]) {{.*}} -> tensor<?x128xf32,
// CHECK:           arith.mulf
// CHECK:         %[[Y:.*]] = attn.map "qe->qe"(%[[S]]) {{.*}} -> tensor<?x128xbf16,
// CHECK:         return %[[Y]]
func.func @rounds(%x: !x, %w8: tensor<128x64xi8>) -> tensor<?x128xbf16, #attn.dims<rows, 128>> {
  %w = attn.map "ed->ed" (%w8) : (tensor<128x64xi8>) -> tensor<128x64xf32> {
  ^bb0(%i: index, %e: index, %d: index):
    %wide = arith.index_cast %i : index to i64
    %real = arith.sitofp %wide : i64 to f32
    %third = arith.constant 0.3 : f32
    %z = arith.mulf %real, %third : f32
    attn.yield %z : f32
  }
  %y = attn.contract "qd,ed->qe" (%x, %w) : (!x, tensor<128x64xf32>) -> tensor<?x128xbf16, #attn.dims<rows, 128>>
  return %y : tensor<?x128xbf16, #attn.dims<rows, 128>>
}

// Both sides are integers: a unit multiplies them, and both scales multiply the
// exact sums.
// REMARK: remark: the quantized left side of a product is converted to floats tile by tile, as it is loaded
// REMARK: remark: the quantized right side of a product is converted to floats tile by tile, as it is loaded
// CHECK-LABEL: func.func @both(
// CHECK-NOT:     unit = dot
// VNNI-LABEL: func.func @both(
// VNNI:         attn.map "qd->qd"(%arg0) {{.*}}attn.convert_on_load
// VNNI:         attn.map "ed->ed"(%arg2) {{.*}}attn.convert_on_load
// VNNI:         attn.contract "qd,ed->qe"{{.*}}form = dot{{.*}}unit = dot
// VNNI:         attn.map "qe->qe"{{.*}}form = epilogue
// VNNI:           attn.read %arg{{[13]}}
// VNNI:         attn.map "qe->qe"{{.*}}form = epilogue
// VNNI:           attn.read %arg{{[13]}}
func.func @both(%x8: tensor<?x64xi8, #attn.dims<rows, 64>>, %t: tensor<?xf32, #attn.dims<rows>>, %w8: tensor<128x64xi8>, %s: tensor<128xf32>) -> !y {
  %x = attn.map "qd,q->qd" (%x8, %t) : (tensor<?x64xi8, #attn.dims<rows, 64>>, tensor<?xf32, #attn.dims<rows>>) -> !x {
  ^bb0(%i: index, %scale: f32, %q: index, %d: index):
    %wide = arith.index_cast %i : index to i64
    %real = arith.sitofp %wide : i64 to f32
    %z = arith.mulf %real, %scale : f32
    attn.yield %z : f32
  }
  %w = attn.map "ed,e->ed" (%w8, %s) : (tensor<128x64xi8>, tensor<128xf32>) -> tensor<128x64xf32> {
  ^bb0(%i: index, %scale: f32, %e: index, %d: index):
    %wide = arith.index_cast %i : index to i64
    %real = arith.sitofp %wide : i64 to f32
    %z = arith.mulf %real, %scale : f32
    attn.yield %z : f32
  }
  %y = attn.contract "qd,ed->qe" (%x, %w) : (!x, tensor<128x64xf32>) -> !y
  return %y : !y
}

// Next to bf16, integers become bf16 where a unit multiplies them.
// CHECK-LABEL: func.func @narrow(
// CHECK:         attn.map "ed->ed"{{.*}} -> tensor<128x64xbf16> attributes {attn.convert_on_load}
// BF16-LABEL: func.func @narrow(
// BF16:         %[[W:.*]] = attn.map "ed->ed"{{.*}} -> tensor<128x64xbf16> attributes {attn.convert_on_load}
// BF16:         attn.contract "qd,ed->qe"(%arg0, %[[W]]) {{.*}}unit = dot{{.*}} -> tensor<?x128xf32,
func.func @narrow(%x: tensor<?x64xbf16, #attn.dims<rows, 64>>, %w8: tensor<128x64xi8>, %s: tensor<128xbf16>) -> tensor<?x128xbf16, #attn.dims<rows, 128>> {
  %w = attn.map "ed,e->ed" (%w8, %s) : (tensor<128x64xi8>, tensor<128xbf16>) -> tensor<128x64xbf16> {
  ^bb0(%i: index, %scale: f32, %e: index, %d: index):
    %wide = arith.index_cast %i : index to i64
    %real = arith.sitofp %wide : i64 to f32
    %scaled = arith.mulf %real, %scale : f32
    attn.yield %scaled : f32
  }
  %y = attn.contract "qd,ed->qe" (%x, %w) : (tensor<?x64xbf16, #attn.dims<rows, 64>>, tensor<128x64xbf16>) -> tensor<?x128xbf16, #attn.dims<rows, 128>>
  return %y : tensor<?x128xbf16, #attn.dims<rows, 128>>
}
