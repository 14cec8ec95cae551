//===- SplitKeys.h - Kernels whose keys can be split ------------*- C++ -*-===//
//
// Parts of the keys of a row can be computed independently, with their states
// (value sums, maximum, sum of weights) merged afterwards, if the kernel needs
// nothing but this state of a row.
//
// Tests: test/Schedule/split-keys.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_KERNEL_SPLITKEYS_H
#define ATTNC_ANALYSIS_KERNEL_SPLITKEYS_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc {

/// Fewer keys take about as long as the merge of their state.
inline constexpr int64_t kKeysOfPart = 512;

/// Why the keys of a kernel cannot be split, or an empty text.
std::string whyNotSplit(attn::KernelOp kernel);

/// Whether the rows of a tensor are a ragged sequence's: each sequence has room
/// for the rows of all.
bool isRagged(mlir::Value tensor);

} // namespace attnc

#endif // ATTNC_ANALYSIS_KERNEL_SPLITKEYS_H
