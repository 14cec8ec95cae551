//===- ComparedScores.h - Kernels that compare their scores -----*- C++ -*-===//

#ifndef ATTNC_ANALYSIS_KERNEL_COMPAREDSCORES_H
#define ATTNC_ANALYSIS_KERNEL_COMPAREDSCORES_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc {

/// Whether a kernel of the function makes a number of each row, with which
/// others compare their scores (top_k, sparsemax): all must round operands
/// alike and add products in one order. Test:
/// test/Schedule/Nvptx/select.test
bool comparesScores(attn::KernelOp kernel);

} // namespace attnc

#endif // ATTNC_ANALYSIS_KERNEL_COMPAREDSCORES_H
