//===- Bf16Ops.h - Rounding to bf16, and products of pairs ------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_BF16OPS_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_BF16OPS_H

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

/// sum + the products of both pairs of bf16 in each lane of 32 bits
/// (VDPBF16PS). Denormals are zeros, sums are rounded to nearest.
mlir::Value multiplyPairs(Ops &ops, mlir::Value sum, mlir::Value a,
                          mlir::Value b);

/// What VPTERNLOG makes of three vectors of integers.
enum class BitLogic : uint8_t {
  OrAnd = 0xf8,    // a | (b & c)
  OrNotAnd = 0xf2, // a | (~b & c)
  OrOr = 0xfe      // a | b | c
};
mlir::Value combineBits(Ops &ops, BitLogic logic, mlir::Value a, mlir::Value b,
                        mlir::Value c);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_BF16OPS_H
