// Ops of ragged and paged storage are read back as they were written.
// RUN: attnc-opt %s | attnc-opt | FileCheck %s

// CHECK-LABEL: @unpack
// CHECK: attn.unpack %{{.*}} by %{{.*}} : tensor<7x2xf32>, tensor<3xi32> -> tensor<2x7x2xf32>
func.func @unpack(%q: tensor<7x2xf32>, %start: tensor<3xi32>) -> tensor<2x7x2xf32> {
  %0 = attn.unpack %q by %start : tensor<7x2xf32>, tensor<3xi32> -> tensor<2x7x2xf32>
  return %0 : tensor<2x7x2xf32>
}

// CHECK-LABEL: @pack
// CHECK: attn.pack %{{.*}} by %{{.*}} : tensor<2x7x2xf32>, tensor<3xi64> -> tensor<7x2xf32>
func.func @pack(%o: tensor<2x7x2xf32>, %start: tensor<3xi64>) -> tensor<7x2xf32> {
  %0 = attn.pack %o by %start : tensor<2x7x2xf32>, tensor<3xi64> -> tensor<7x2xf32>
  return %0 : tensor<7x2xf32>
}

// CHECK-LABEL: @pages
// CHECK: attn.pages %{{.*}} by %{{.*}} : tensor<5x4x2xf16>, tensor<2x3xi32> -> tensor<2x12x2xf16>
func.func @pages(%k: tensor<5x4x2xf16>, %table: tensor<2x3xi32>) -> tensor<2x12x2xf16> {
  %0 = attn.pages %k by %table : tensor<5x4x2xf16>, tensor<2x3xi32> -> tensor<2x12x2xf16>
  return %0 : tensor<2x12x2xf16>
}

// CHECK-LABEL: @place
// CHECK: attn.place %{{.*}} by %{{.*}} fill 0xFFF0000000000000 : tensor<2x3x7xf32>, tensor<3xi64>
func.func @place(%p: tensor<2x3x7xf32>, %start: tensor<3xi64>) -> tensor<2x3x7xf32> {
  %0 = attn.place %p by %start fill 0xFFF0000000000000 : tensor<2x3x7xf32>, tensor<3xi64>
  return %0 : tensor<2x3x7xf32>
}

// CHECK-LABEL: @pack_and_fill
// CHECK: attn.pack %{{.*}} by %{{.*}} fill 0.000000e+00 : tensor<2x7x2xf32>, tensor<3xi64> -> tensor<7x2xf32>
func.func @pack_and_fill(%o: tensor<2x7x2xf32>, %start: tensor<3xi64>) -> tensor<7x2xf32> {
  %0 = attn.pack %o by %start fill 0.0 : tensor<2x7x2xf32>, tensor<3xi64> -> tensor<7x2xf32>
  return %0 : tensor<7x2xf32>
}
