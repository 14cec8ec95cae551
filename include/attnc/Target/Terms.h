//===- Terms.h - How sums of terms are computed -----------------*- C++ -*-===//
//
// A term is a formula of each feature of a pair of a query and a key, where a
// product multiplies.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_TERMS_H
#define ATTNC_TARGET_TERMS_H

#include <cstdint>

namespace attnc {

/// Rows whose terms are computed at once: enough to hide the latency of a term
/// on every level. More rows are so many copies of the code.
constexpr int64_t rowsOfTerms = 4;

} // namespace attnc

#endif // ATTNC_TARGET_TERMS_H
