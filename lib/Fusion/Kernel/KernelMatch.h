//===- KernelMatch.h - Match attention in a graph ---------------*- C++ -*-===//
//
// Which ops form one `attn.kernel`, and which letter of theirs is which letter
// of the kernel's. Tests: test/Fusion/fuse-kernel.mlir, fuse-kernel-missed.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_KERNEL_KERNELMATCH_H
#define ATTNC_LIB_FUSION_KERNEL_KERNELMATCH_H

#include "Kernel/PairProduct.h"

namespace attnc::fusion {

/// Products feed the scores of `norm`, whose weights are an operand of `value`.
/// All letters are the kernel's: b h g q k d e. A letter that no axis has (a
/// graph without batch or groups) is an axis of size 1.
struct KernelMatch {
  attn::ContractOp value;
  attn::NormalizeOp norm;
  llvm::SmallVector<PairProduct, 2> products; // the kernel's own first
  /// Products of other operands than rows, which are read from memory, and why.
  llvm::SmallVector<Refusal> stored;
  LetteredTensor v;
  /// Where the values differ from pair to pair: the map that makes them of v.
  LetteredTensor contribution;
  /// The map that multiplies the weights by a number of the pair, or null.
  LetteredTensor gate;
  /// Where other products with values read the scores or weights, too, the ops
  /// that make them: each kernel computes them again.
  llvm::SmallPtrSet<mlir::Operation *, 8> shared;
  /// The kernel's own product, or where there is none the normaliser.
  mlir::Operation *score() {
    return products.empty() ? norm.getOperation()
                            : products.front().op.getOperation();
  }
  std::string outLetters;  // of value's result
  std::string normLetters; // of the scores
};

/// The weights of a normaliser that the map `weights` multiplies and divides by
/// numbers of pairs, maybe in several steps.
std::optional<LetteredTensor> findGatedWeights(const LetteredTensor &weights);

/// The kernel that ends in `value`, or the reason why it is none. In the second
/// case `partial` holds the ops that were recognised.
mlir::FailureOr<KernelMatch>
matchKernel(attn::ContractOp value, Refusal &refusal, KernelMatch &partial);

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_KERNEL_KERNELMATCH_H
