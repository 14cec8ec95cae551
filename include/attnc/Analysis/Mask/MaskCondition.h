//===- MaskCondition.h - Represent masks as trees of conditions -*- C++ -*-===//
//
// A mask as it is written: comparisons of integers and reals under and, or,
// not. From it come the cases that MaskRanges solves, and bounds for a tile: a
// condition that holds if some pair of the tile is admitted, and one that holds
// only if all are.
// Tests: test/Unit/Analysis/RandomMasksTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_MASK_MASKCONDITION_H
#define ATTNC_ANALYSIS_MASK_MASKCONDITION_H

#include "attnc/Analysis/Expr/RealExpr.h"
#include "attnc/Analysis/Mask/MaskRanges.h"

#include <deque>

namespace attnc {

struct MaskCondition {
  enum class Kind {
    Never,
    Always,
    Unknown,     // true or false
    AtLeastZero, // expr >= 0
    RealAtLeast, // x >= y, false where one is NaN
    RealAbove,   // x > y, false where one is NaN
    Not,         // of a
    And,
    Or,
  };

  Kind kind;
  IndexExpr expr = nullptr;
  const MaskCondition *a = nullptr, *b = nullptr;
  RealExpr x = nullptr, y = nullptr;
};

/// Makes and owns conditions; simple ones fold.
class MaskConditions {
public:
  using Condition = const MaskCondition *;

  MaskConditions();
  Condition truth(bool value) const { return value ? always : never; }
  Condition unknown() const { return anything; }
  Condition atLeastZero(IndexExpr expr);
  Condition atLeast(RealExpr x, RealExpr y);
  Condition above(RealExpr x, RealExpr y);
  Condition negate(Condition a);
  Condition both(Condition a, Condition b);
  Condition either(Condition a, Condition b);
  RealExprs &getReals() { return reals; }

private:
  Condition make(MaskCondition condition);

  std::deque<MaskCondition> nodes;
  RealExprs reals;
  Condition never, always, anything;
};

/// The mask as a union of cases. Parts that would have too many become opaque
/// symbols, as what is unknown.
MaskCases casesOf(IndexExprs &exprs, const MaskCondition *condition);

/// What is known of a tile of rows [q0, q1) and keys [k0, k1).
struct TileClass {
  /// False only if no pair of the tile is admitted.
  const MaskCondition *some;
  /// True only if all are.
  const MaskCondition *all;
};

TileClass classifyTile(IndexExprs &exprs, MaskConditions &conditions,
                       const MaskCondition *mask);

/// The truth for these symbols and tables; `unknown` is not asked for.
bool evaluate(const MaskCondition *condition, llvm::ArrayRef<int64_t> symbols,
              llvm::ArrayRef<TableValues> tables = {},
              llvm::ArrayRef<float> reals = {});

} // namespace attnc

#endif // ATTNC_ANALYSIS_MASK_MASKCONDITION_H
