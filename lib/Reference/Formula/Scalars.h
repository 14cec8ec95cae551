//===- Scalars.h - Operators and functions of numbers -----------*- C++ -*-===//
//
// Tests: test/Unit/Reference/SpecFormulaTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_REFERENCE_FORMULA_SCALARS_H
#define ATTNC_LIB_REFERENCE_FORMULA_SCALARS_H

#include "attnc/Reference/SpecEvaluator.h"

namespace attnc::formula {

/// An operator or function of reals whose result is a real.
Number applyReal(spec::Op op, llvm::ArrayRef<Number> x);
/// One of ints, or of truth values, whose result is the same.
int64_t applyInt(spec::Op op, llvm::ArrayRef<int64_t> x);
/// A comparison; any with a NaN is false, but for !=, which is true.
bool compareReals(spec::Op op, Number x, Number y);
bool compareInts(spec::Op op, int64_t x, int64_t y);

/// ALiBi's slope of head h of `heads` (Press, Smith, Lewis 2022).
Number alibiSlope(int64_t h, int64_t heads, Number max);
/// T5's bucket of a distance (Raffel et al. 2020), with the f32 logarithms of
/// the implementation that models were trained with.
int64_t t5Bucket(int64_t distance, int64_t buckets, int64_t maxDistance,
                 bool bidirectional);

} // namespace attnc::formula

#endif // ATTNC_LIB_REFERENCE_FORMULA_SCALARS_H
