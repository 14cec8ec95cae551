//===- FloatConversion.h - f16 and bf16 without libcalls --------*- C++ -*-===//
//
// Conversions between 16-bit floats in memory and f32 or f64 in registers, as
// integer arithmetic on scalars or vectors. LLVM turns `fptrunc float to
// bfloat` into a call of __truncsfbf2 where an instruction is missing, and an
// object of attnc calls nothing.
// Tests: test/Unit/Codegen/Common/FloatConversionTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_CODEGEN_COMMON_FLOATCONVERSION_H
#define ATTNC_CODEGEN_COMMON_FLOATCONVERSION_H

#include "mlir/IR/Builders.h"

namespace attnc::codegen {

/// The value of `bits` (i16, or a vector of them), which hold floats of type
/// `format` (f16 or bf16), in `result`, which is f32 or f64. Exact; where the
/// code runs with denormals as zero, denormal f16 values are right all the
/// same. With `f16Hardware` f16 is left to the target's instructions.
mlir::Value extendFloat(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value bits, mlir::FloatType format,
                        mlir::FloatType result, bool f16Hardware);

/// The bits (i16) of `value`, f32 or f64, rounded to `format`: to nearest,
/// ties to even; too large becomes infinity; NaN stays NaN. An f64 is rounded
/// to f32 first.
mlir::Value roundFloat(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, mlir::FloatType format,
                       bool f16Hardware);

} // namespace attnc::codegen

#endif // ATTNC_CODEGEN_COMMON_FLOATCONVERSION_H
