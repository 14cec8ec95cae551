//===- NarrowSums.h - Sums of f32 where stage fused allows them -*- C++ -*-===//
//
// Tests: test/Schedule/Cpu/in-product.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_CPU_NARROWSUMS_H
#define ATTNC_LIB_SCHEDULE_CPU_NARROWSUMS_H

#include "attnc/Dialect/Attn/InProduct.h"

namespace attnc::schedule::cpu {

/// Narrows the sums of a product and its companions, if all of them may be
/// (attnc/Dialect/Attn/NarrowSums.h). They are widened for those who read them;
/// a formula that is computed on the product's tile becomes one of f32.
void narrowSums(attn::ContractOp product,
                llvm::ArrayRef<attn::Companion> companions);

} // namespace attnc::schedule::cpu

#endif // ATTNC_LIB_SCHEDULE_CPU_NARROWSUMS_H
