//===- RealRange.h - Float ranges over a block of pairs ---------*- C++ -*-===//
//
// BlockRange for reals. A formula may leave the numbers: a division by 0, a
// root of something negative, an infinity minus another. Where the ends do not
// show that it does not, `sound` is false at run time, and they bound nothing.
// Tests: test/Unit/Analysis/RealMasksTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_EXPR_REALRANGE_H
#define ATTNC_ANALYSIS_EXPR_REALRANGE_H

#include "attnc/Analysis/Mask/MaskCondition.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace attnc {

/// Both inclusive.
struct RealRange {
  RealExpr least, greatest;
  const MaskCondition *sound;
};

class RealRanges {
public:
  RealRanges(IndexExprs &exprs, MaskConditions &conditions)
      : exprs(exprs), conditions(conditions), reals(conditions.getReals()) {}

  /// Nothing where an integer is not understood.
  std::optional<RealRange> get(RealExpr expr);

private:
  using Range = std::optional<RealRange>;
  using Condition = const MaskCondition *;

  Range compute(RealExpr expr);
  Range ofOne(RealExpr expr, RealRange a);
  Range ofTwo(RealExpr expr, RealRange a, RealRange b);
  RealRange ofProduct(RealExpr expr, RealRange a, RealRange b);
  RealRange ofQuotient(RealExpr expr, RealRange a, RealRange b);
  RealRange ofCorners(RealExpr expr, RealRange a, RealRange b);
  RealRange widen(RealRange range);
  Condition isFinite(RealExpr expr);
  Condition both(Condition a, Condition b) { return conditions.both(a, b); }

  IndexExprs &exprs;
  MaskConditions &conditions;
  RealExprs &reals;
  llvm::DenseMap<RealExpr, Range> known;
};

} // namespace attnc

#endif // ATTNC_ANALYSIS_EXPR_REALRANGE_H
