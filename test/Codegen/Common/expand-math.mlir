// RUN: attnc-opt %s --codegen-expand-math | FileCheck %s
// RUN: attnc-opt %s --codegen-expand-math=avx512 \
// RUN:   | FileCheck %s --check-prefix=AVX512
// RUN: attnc-opt %s --codegen-expand-math="fma=false round=false" \
// RUN:   | FileCheck %s --check-prefix=BASE
// RUN: attnc-opt %s --codegen-expand-math="avx512 flush-denormals" \
// RUN:   | FileCheck %s --check-prefix=FLUSH

// Accuracy and special values: test/Unit/Codegen/Common/ExpandMathTest.cpp.

// CHECK-LABEL: func.func @rsqrt_is_a_quotient(
// CHECK-SAME:    %[[X:.*]]: f32
func.func @rsqrt_is_a_quotient(%x: f32) -> f32 {
  // CHECK-DAG: %[[ROOT:.*]] = math.sqrt %[[X]]
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00
  // CHECK:     %[[Y:.*]] = arith.divf %[[ONE]], %[[ROOT]]
  // CHECK:     return %[[Y]]
  %0 = math.rsqrt %x : f32
  return %0 : f32
}

// Reduce, five steps of Horner's rule, scale: nothing else.
// AVX512-LABEL: func.func @exp2(
// AVX512-SAME:    %[[X:.*]]: vector<16xf32>
// AVX512:         %[[F:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.512"(%[[X]], %{{.*}}, %[[X]],
// AVX512-COUNT-6: math.fma %{{.*}}, %[[F]], %{{.*}} : vector<16xf32>
// AVX512-NEXT:    %[[FULL:.*]] = arith.constant -1 : i16
// AVX512-NEXT:    %[[CURRENT:.*]] = arith.constant 4 : i32
// AVX512-NEXT:    %[[Y:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%{{.*}}, %[[X]], %{{.*}}, %[[FULL]], %[[CURRENT]])
// AVX512-NEXT:    return %[[Y]]
// CHECK-LABEL: func.func @exp2(
// CHECK:         math.floor
// CHECK-COUNT-6: math.fma
// CHECK-NOT:     call_intrinsic
// CHECK:         return
func.func @exp2(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp2 %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// A step less where only 1 + 2^x is asked for, and not beside less than 1.
// AVX512-LABEL: func.func @exp2_beside_one(
// AVX512:         mask.reduce.ps.512
// AVX512-COUNT-5: math.fma
// AVX512-NOT:     math.fma
// AVX512:         mask.scalef.ps.512
// AVX512:         arith.addf
// AVX512:         return
// CHECK-LABEL: func.func @exp2_beside_one(
// CHECK-COUNT-5: math.fma
// CHECK-NOT:     math.fma
// CHECK:         return
func.func @exp2_beside_one(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %0 = math.exp2 %x : vector<16xf32>
  %1 = arith.addf %0, %one : vector<16xf32>
  return %1 : vector<16xf32>
}

// Three steps less where the flag allows approximations.
// AVX512-LABEL: func.func @exp2_rough(
// AVX512:         mask.reduce.ps.512
// AVX512-COUNT-3: math.fma
// AVX512-NOT:     math.fma
// AVX512:         mask.scalef.ps.512
// AVX512:         return
// CHECK-LABEL: func.func @exp2_rough(
// CHECK-COUNT-3: math.fma
// CHECK-NOT:     math.fma
// CHECK:         return
func.func @exp2_rough(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp2 %x fastmath<afn> : vector<16xf32>
  return %0 : vector<16xf32>
}

// Coefficients of an approximate tanh come from tables, times a constant that
// multiplies it.
// AVX512-LABEL: func.func @tanh_rough(
// AVX512-SAME:    %[[X:.*]]: vector<16xf32>
// AVX512:         arith.constant dense<{{.*}}5.000000e+01]> : vector<16xf32>
// AVX512-NOT:     rcp14
// AVX512:         %[[Y:.*]] = arith.bitcast %{{.*}} : vector<16xi32> to vector<16xf32>
// AVX512-NEXT:    return %[[Y]]
// CHECK-LABEL: func.func @tanh_rough(
// CHECK-NOT:     call_intrinsic
// CHECK:         arith.divf
func.func @tanh_rough(%x: vector<16xf32>) -> vector<16xf32> {
  %fifty = arith.constant dense<50.0> : vector<16xf32>
  %0 = math.tanh %x fastmath<afn> : vector<16xf32>
  %1 = arith.mulf %0, %fifty : vector<16xf32>
  return %1 : vector<16xf32>
}

// A tanh with a further use is not scaled.
// AVX512-LABEL: func.func @tanh_rough_twice(
// AVX512-COUNT-4: vpermi2var
// AVX512-NOT:     vpermi2var
// AVX512:         arith.mulf
func.func @tanh_rough_twice(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %fifty = arith.constant dense<50.0> : vector<16xf32>
  %0 = math.tanh %x fastmath<afn> : vector<16xf32>
  %1 = arith.mulf %0, %fifty : vector<16xf32>
  return %0, %1 : vector<16xf32>, vector<16xf32>
}

// AVX512-LABEL: func.func @exp2_beside_less(
// AVX512-COUNT-6: math.fma
// CHECK-LABEL: func.func @exp2_beside_less(
// CHECK-COUNT-6: math.fma
func.func @exp2_beside_less(%x: vector<16xf32>) -> vector<16xf32> {
  %half = arith.constant 0.5 : f32
  %halves = vector.broadcast %half : f32 to vector<16xf32>
  %0 = math.exp2 %x : vector<16xf32>
  %1 = arith.addf %halves, %0 : vector<16xf32>
  return %1 : vector<16xf32>
}

// AVX512-LABEL: func.func @half_a_register(
// AVX512:         "llvm.x86.avx512.mask.scalef.ps.256"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (vector<8xf32>, vector<8xf32>, vector<8xf32>, i8)
func.func @half_a_register(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp2 %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// AVX512-LABEL: func.func @part_of_a_register(
// AVX512:         vector.broadcast %{{.*}} : f32 to vector<4xf32>
// AVX512:         "llvm.x86.avx512.mask.scalef.ps.128"
// AVX512:         vector.extract %{{.*}}[0] : f32 from vector<4xf32>
func.func @part_of_a_register(%x: f32) -> f32 {
  %0 = math.exp2 %x : f32
  return %0 : f32
}

// AVX512-LABEL: func.func @several_registers(
// AVX512-SAME:    %[[X:.*]]: vector<2x16xf32>
// AVX512:         %[[FLAT:.*]] = vector.shape_cast %[[X]] : vector<2x16xf32> to vector<32xf32>
// AVX512:         vector.extract_strided_slice %[[FLAT]] {offsets = [0], sizes = [16]
// AVX512:         vector.extract_strided_slice %[[FLAT]] {offsets = [16], sizes = [16]
func.func @several_registers(%x: vector<2x16xf32>) -> vector<2x16xf32> {
  %0 = math.exp2 %x : vector<2x16xf32>
  return %0 : vector<2x16xf32>
}

// AVX512-LABEL: func.func @doubles(
// AVX512:         "llvm.x86.avx512.mask.scalef.pd.512"
func.func @doubles(%x: vector<8xf64>) -> vector<8xf64> {
  %0 = math.exp %x : vector<8xf64>
  return %0 : vector<8xf64>
}

// A division takes 16 cycles for a register, an estimate and a correction two.
// AVX512-LABEL: func.func @tanh(
// AVX512-NOT:     arith.divf
// AVX512:         "llvm.x86.avx512.rcp14.ps.512"
// CHECK-LABEL: func.func @tanh(
// CHECK:         arith.divf
func.func @tanh(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.tanh %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func.func @rounding(
// CHECK:         math.floor
// BASE-LABEL: func.func @rounding(
// BASE-NOT:     math.floor
// BASE:         arith.cmpf ogt
// BASE:         arith.select
func.func @rounding(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.floor %x : vector<4xf32>
  return %0 : vector<4xf32>
}

// Half away from zero: LLVM would call roundf on every x86.
// CHECK-LABEL: func.func @round_is_never_native(
// CHECK-NOT:     math.round %
// CHECK:         math.copysign
func.func @round_is_never_native(%x: f64) -> f64 {
  %0 = math.round %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @fused(
// CHECK:         math.fma
// CHECK:         vector.fma
// BASE-LABEL: func.func @fused(
// BASE-NOT:     fma
// BASE:         arith.mulf
// BASE-NEXT:    arith.addf
// BASE-NEXT:    arith.mulf
// BASE-NEXT:    arith.addf
func.func @fused(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.fma %x, %x, %x : vector<4xf32>
  %1 = vector.fma %0, %0, %x : vector<4xf32>
  return %1 : vector<4xf32>
}

// CHECK-LABEL: func.func @half_precision_goes_by_f32(
// CHECK-SAME:    %[[X:.*]]: vector<4xbf16>
// CHECK:         %[[WIDE:.*]] = arith.extf %[[X]] : vector<4xbf16> to vector<4xf32>
// CHECK:         %[[Y:.*]] = arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
// CHECK-NEXT:    return %[[Y]]
func.func @half_precision_goes_by_f32(%x: vector<4xbf16>) -> vector<4xbf16> {
  %0 = math.log %x : vector<4xbf16>
  return %0 : vector<4xbf16>
}

// sin is computed in f64, where whole turns are taken off exactly.
// CHECK-LABEL: func.func @sin(
// CHECK:         arith.extf %{{.*}} : f32 to f64
// CHECK-COUNT-7: math.roundeven %{{.*}} : f64
func.func @sin(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  return %0 : f32
}

// In f64 the angle is the part of a product of integers that is below a turn.
// CHECK-LABEL: func.func @cos_of_a_double(
// CHECK-NOT:     math.roundeven
// CHECK-COUNT-10: arith.muli %{{.*}} : i64
// CHECK-NOT:     arith.muli
// CHECK:         return
func.func @cos_of_a_double(%x: f64) -> f64 {
  %0 = math.cos %x : f64
  return %0 : f64
}

// BASE-LABEL: func.func @keeps_what_every_target_has(
// BASE-NEXT:    math.absf
// BASE-NEXT:    math.copysign
// BASE-NEXT:    math.sqrt
// BASE-NEXT:    math.ctpop
// BASE-NEXT:    return
func.func @keeps_what_every_target_has(%x: f32, %n: i32) -> (f32, i32) {
  %0 = math.absf %x : f32
  %1 = math.copysign %0, %x : f32
  %2 = math.sqrt %1 : f32
  %3 = math.ctpop %n : i32
  return %2, %3 : f32, i32
}

// CHECK-LABEL: func.func @no_function_is_left(
// CHECK-NOT:     math.{{exp|expm1|log|log2|log1p|erf|erfc|cos|tanh|rsqrt}} %
// CHECK:         return
func.func @no_function_is_left(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.exp %x : vector<4xf32>
  %1 = math.expm1 %0 : vector<4xf32>
  %2 = math.log %1 : vector<4xf32>
  %3 = math.log2 %2 : vector<4xf32>
  %4 = math.log1p %3 : vector<4xf32>
  %5 = math.erf %4 : vector<4xf32>
  %6 = math.erfc %5 : vector<4xf32>
  %7 = math.cos %6 : vector<4xf32>
  return %7 : vector<4xf32>
}

// A quotient of one is an estimate and a step of Newton's method where
// denormals are flushed; any other quotient is left to the processor.
// FLUSH-LABEL: func.func @one_over(
// FLUSH-SAME:    %[[X:.*]]: vector<16xf32>
// FLUSH:         %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.rcp14.ps.512"(%[[X]],
// FLUSH-COUNT-2: math.fma
// FLUSH:         arith.select %{{.*}}, %{{.*}}, %[[R]] : vector<16xi1>, vector<16xf32>
// FLUSH-NOT:     arith.divf %cst
// AVX512-LABEL: func.func @one_over(
// AVX512-NOT:     rcp14
// AVX512:         arith.divf
func.func @one_over(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %0 = arith.divf %one, %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// The estimate alone where the flag allows approximations.
// FLUSH-LABEL: func.func @roughly_one_over(
// FLUSH:         %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.rcp14.ps.512"
// FLUSH-NEXT:    return %[[R]]
func.func @roughly_one_over(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %0 = arith.divf %one, %x fastmath<afn> : vector<16xf32>
  return %0 : vector<16xf32>
}

// FLUSH-LABEL: func.func @two_over(
// FLUSH-NOT:     rcp14
// FLUSH:         arith.divf
func.func @two_over(%x: vector<16xf32>) -> vector<16xf32> {
  %two = arith.constant dense<2.0> : vector<16xf32>
  %0 = arith.divf %two, %x : vector<16xf32>
  return %0 : vector<16xf32>
}
