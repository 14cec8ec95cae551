//===- KernelMatch.h - Finds attention in a graph ---------------*- C++ -*-===//
//
// Which ops form one `attn.kernel`, and which letter of theirs is which letter
// of the kernel's. Tests: test/Fusion/fuse-kernel.mlir, fuse-kernel-missed.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_KERNELMATCH_H
#define ATTNC_LIB_FUSION_KERNELMATCH_H

#include "attnc/Dialect/Attn/Attn.h"

#include <string>

namespace attnc::fusion {

/// A tensor and the kernel's letters of its axes.
struct LetteredTensor {
  mlir::Value tensor;
  std::string letters;
};

/// `score` feeds the scores of `norm`, whose weights are an operand of `value`.
/// All letters are the kernel's: b h g q k d e. A letter that no axis has (a
/// graph without batch or groups) is an axis of size 1.
struct KernelMatch {
  attn::ContractOp score, value;
  attn::NormalizeOp norm;
  LetteredTensor q, k, v;
  /// Where the product's operands, or the values, differ from pair to pair: the
  /// map that makes one of q and k, or of v, and the product's other operand.
  LetteredTensor pair, other, contribution;
  std::string outLetters;  // of value's result
  std::string normLetters; // of the scores
};

/// Why something is not fused: at an op, a sentence without a full stop.
struct Refusal {
  mlir::Operation *op = nullptr;
  std::string reason;
};

/// The kernel that ends in `value`, or the reason why it is none. In the second
/// case `partial` holds the ops that were recognised.
mlir::FailureOr<KernelMatch>
matchKernel(attn::ContractOp value, Refusal &refusal, KernelMatch &partial);

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_KERNELMATCH_H
