//===- Infinities.h - Scores of -inf ----------------------------*- C++ -*-===//
//
// A key whose score is -inf weighs 0, whatever the formula of the weight gives
// there. A choice per pair costs two operations, so it is made only where a
// score can be -inf and the formula is not 0 there by itself: sigmoid(score)
// is. Tests: test/Import/attention.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_IMPORT_FORMULA_INFINITIES_H
#define ATTNC_LIB_IMPORT_FORMULA_INFINITIES_H

#include "attnc/Spec/Spec.h"

#include <optional>

namespace attnc::import {

/// Whether the formula can be infinite although products of vectors, which
/// overflow for absurd rows only, are finite.
bool canBeInfinite(const spec::Expr &e);

/// The value of `e` where the formula `score` is -inf, if that is known.
std::optional<double> valueAtMinusInfinity(const spec::Expr &e,
                                           const spec::Expr &score);

} // namespace attnc::import

#endif // ATTNC_LIB_IMPORT_FORMULA_INFINITIES_H
