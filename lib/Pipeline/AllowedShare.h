//===- AllowedShare.h - How much a mask allows ---------------- -*- C++ -*-===//
//
// Tests: test/Tools/accounting.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_PIPELINE_ALLOWEDSHARE_H
#define ATTNC_LIB_PIPELINE_ALLOWEDSHARE_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Interface/Interface.h"

#include "llvm/ADT/StringMap.h"

#include <optional>

namespace attnc {

/// How many places a mask allows for these values of all sizes; tables hold
/// what the cost model takes them to hold. Nothing if the mask reads what an op
/// computes, or has too many places to look at.
std::optional<double> countAllowedPlaces(attn::MaskOp mask,
                                         const Interface &interface,
                                         const llvm::StringMap<int64_t> &sizes);

} // namespace attnc

#endif // ATTNC_LIB_PIPELINE_ALLOWEDSHARE_H
