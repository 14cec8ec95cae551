//===- MergeSums.h - Sums over merged axes of stored results ----*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_MERGESUMS_H
#define ATTNC_LIB_SCHEDULE_MERGESUMS_H

#include "attnc/Dialect/Attn/Attn.h"

#include <string>

namespace attnc::schedule {

/// Lets `product` sum over one axis instead of several, such as heads and
/// features, where its operand is made by a kernel for nobody else.
void mergeSums(attn::ContractOp product);

/// Why a kernel cannot store its result in the layout of `view`, which has
/// attn.stored; else an empty text.
std::string findStoredProblem(attn::ViewOp view);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_MERGESUMS_H
