//===- Interval.h - Least and greatest value of an int formula ------------===//
//
// Numbers only, no relations: the cheap test against overflow. Ends are 128
// bits wide and saturate, so that an overflow of 64 bits is seen.
//
// Tests: test/Unit/Spec/IntervalTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_PROOF_INTERVAL_H
#define ATTNC_LIB_SPEC_PROOF_INTERVAL_H

#include "attnc/Spec/Expr.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>

namespace attnc::spec {

struct Interval {
  __int128 low = 0, high = 0;

  static constexpr __int128 limit = __int128(1) << 100;
  static Interval of(__int128 low, __int128 high) {
    return {std::clamp(low, -limit, limit), std::clamp(high, -limit, limit)};
  }
  static Interval all() { return {INT64_MIN, INT64_MAX}; }

  bool fits() const { return low >= INT64_MIN && high <= INT64_MAX; }
  Interval meet(Interval other) const {
    return {std::max(low, other.low), std::min(high, other.high)};
  }
  Interval join(Interval other) const {
    return {std::min(low, other.low), std::max(high, other.high)};
  }
};

/// The interval of an int operation from those of its int operands. A Select
/// has its two branches as operands here. `e` gives the constants of Pow and
/// T5Bucket.
Interval intervalOf(const Expr &e, llvm::ArrayRef<Interval> operands);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_PROOF_INTERVAL_H
