//===- RoundBf16.h - Rounding to bf16 with a given mode ---------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_ROUNDBF16_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_ROUNDBF16_H

#include "Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace attnc::cpu {

/// The rounding mode of an op, if the code generator knows it: toward zero, or
/// to nearest with ties away from zero. Without one ties go to even.
std::optional<mlir::arith::RoundingMode>
roundingModeOf(mlir::arith::TruncFOp op);

/// An f32, or a vector of them, rounded to bf16 in the mode: the lower half of
/// its bits is 0. A NaN stays one toward zero.
mlir::Value roundToBf16(Ops &ops, mlir::Value value,
                        mlir::arith::RoundingMode mode);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_ROUNDBF16_H
