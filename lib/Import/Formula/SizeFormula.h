//===- SizeFormula.h - Int formulas over sizes ------------------*- C++ -*-===//
//
// Axes, derived sizes and preconditions are formulas over sizes alone. The
// interface holds them as SizeExpr, which has no choice and no truth values;
// both can be said with min, max and products.
// Tests: test/Import/conditions.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_IMPORT_FORMULA_SIZEFORMULA_H
#define ATTNC_LIB_IMPORT_FORMULA_SIZEFORMULA_H

#include "attnc/Interface/SizeExpr.h"
#include "attnc/Spec/Spec.h"

#include <optional>
#include <utility>
#include <vector>

namespace attnc::import {

/// The int formula, or nothing if it uses more than sizes and integer
/// arithmetic.
std::optional<SizeExpr> sizeFormula(const spec::AttentionSpec &spec,
                                    const spec::Expr &formula);

/// Pairs (lhs, rhs) such that `condition` holds exactly if lhs <= rhs for each;
/// or nothing, as above.
std::optional<std::vector<std::pair<SizeExpr, SizeExpr>>>
sizeConditions(const spec::AttentionSpec &spec, const spec::Expr &condition);

} // namespace attnc::import

#endif // ATTNC_LIB_IMPORT_FORMULA_SIZEFORMULA_H
