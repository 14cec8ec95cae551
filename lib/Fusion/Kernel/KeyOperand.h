//===- KeyOperand.h - Operands that differ from pair to pair ----*- C++ -*-===//
//
// An operand of a product may have axes of both the query and the key: keys
// with a relative embedding, `K + ak[k - q]`, or tanh of a sum of both rows. It
// is a map of rows, and a kernel computes it from a row of the key:
//
//   %t = attn.map "bhgqd,bhkd->bhgqkd"(%a, %c) {tanh(%a + %c)}
//
// has the row %c. Tests: test/Fusion/fuse-kernel-features.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_KERNEL_KEYOPERAND_H
#define ATTNC_LIB_FUSION_KERNEL_KEYOPERAND_H

#include "Kernel/KernelMatch.h"

namespace attnc::fusion {

/// Skips views that only change the order of axes; `letters` follow.
LetteredTensor skipPermutations(LetteredTensor tensor);

/// Whether `letters` are those of a row of the key: `key`, `feature` and some
/// of `shared`, of two axes if that is not known.
bool isRowOfKey(llvm::StringRef letters, char key, char feature,
                std::optional<llvm::StringRef> shared);

/// If `operand` is a map with more axes than a row of the key that it reads
/// (which has the letters `key` and `feature`) and than keys have, which are
/// some of `shared` (of two axes, if that is not known): that row, and `made`
/// is the map with the letters of its result. Else `operand`.
LetteredTensor findKeyRow(const LetteredTensor &operand, char key, char feature,
                          std::optional<llvm::StringRef> shared,
                          LetteredTensor &made);

/// The inputs of a map that are rows of reals with `feature`, with the letters
/// of `made`, its result.
llvm::SmallVector<LetteredTensor> rowsOf(const LetteredTensor &made,
                                         char feature);

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_KERNEL_KEYOPERAND_H
