//===- NarrowSums.h - Products whose sums may be narrow ---------*- C++ -*-===//
//
// A product with a result of f64 and operands of f32 has sums of f64. Where
// stage fused finds that sums of f32 would do that carry what rounding lost
// from block to block, it marks the product, and a backend may compute it so.
// Tests: test/Fusion/reorder-products.mlir, test/Schedule/Cpu/in-product.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_NARROWSUMS_H
#define ATTNC_DIALECT_ATTN_NARROWSUMS_H

#include "llvm/ADT/StringRef.h"

namespace attnc::attn {

/// Permission: sums of f32 over blocks, added up with compensation, are
/// accurate enough.
inline constexpr llvm::StringLiteral kNarrowSums = "attn.narrow_sums";

/// Decision: a product of f32 with form dot, or one in its blocks
/// (InProduct.h), adds up its blocks with compensation.
inline constexpr llvm::StringLiteral kCompensated = "attn.compensated";

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_NARROWSUMS_H
