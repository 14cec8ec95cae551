//===- Tf32.h - Permission to round operands to tf32 ------------*- C++ -*-===//
//
// `precision: {tf32: true}` in a spec permits matrix products of f32 operands
// to round these to tf32 (8 bits of exponent, 10 of mantissa, ties away from
// zero). Sums are f32. Import writes the permission as an attribute of the
// function; a backend without units for tf32 computes in f32.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_TF32_H
#define ATTNC_DIALECT_ATTN_TF32_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc::attn {

inline constexpr llvm::StringLiteral kTf32Attr = "attnc.tf32";

/// Whether `op` is, or is in, a function with the permission.
inline bool allowsTf32(mlir::Operation *op) {
  auto function = mlir::dyn_cast<mlir::func::FuncOp>(op);
  if (!function)
    function = op->getParentOfType<mlir::func::FuncOp>();
  return function && function->hasAttr(kTf32Attr);
}

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_TF32_H
