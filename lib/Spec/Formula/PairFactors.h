//===- PairFactors.h - Factors of a row that are no part of it --*- C++ -*-===//
//
// In `0.9 ** (q - k) * Q @ K` operators of one rank associate to the left, so
// the formula multiplies the row Q, for each key anew, by what is a number for
// the pair. It means the product times that number: rows stay rows, and the
// pairs get one multiplication instead of one per feature.
// Tests: test/Spec/Formulas/Operators/factor-of-pair.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_FORMULA_PAIRFACTORS_H
#define ATTNC_LIB_SPEC_FORMULA_PAIRFACTORS_H

#include "attnc/Spec/Expr.h"

namespace attnc::spec {

struct PairFactor {
  ExprPtr number;
  bool divides = false;
};

/// The vector without its factors that depend on the query where the rest
/// depends on the key alone, or the other way round; these are added to
/// `factors`.
ExprPtr takePairFactors(const ExprPtr &vector,
                        std::vector<PairFactor> &factors);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_FORMULA_PAIRFACTORS_H
