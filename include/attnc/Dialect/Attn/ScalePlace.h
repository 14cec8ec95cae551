//===- ScalePlace.h - Where a kernel multiplies by its scale ----*- C++ -*-===//
//
// A kernel multiplies the queries by `scale`, once for all keys, or the sums
// over features. Sums of integers are exact, and equal ones stay equal when
// they are multiplied. Queries that are rounded first make them differ by an
// ulp of the score, and an ulp of 100000 is 1 percent of a weight. Tests:
// test/Lowering/scale-place.yaml, test/Regression/equal-scores.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_SCALEPLACE_H
#define ATTNC_DIALECT_ATTN_SCALEPLACE_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::attn {

/// Whether queries times the scale are exact: the scale is a power of two, with
/// any sign. All kernels that compare scores with each other have the same
/// scale, so the answer is the same for all of them.
bool scalesQueriesExactly(KernelOp kernel);

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_SCALEPLACE_H
