//===- BlockRange.h - Expressions over a block of pairs ---------*- C++ -*-===//
//
// The least and the greatest value of an expression over the rows [q0, q1) and,
// where it holds the key, the keys [k0, k1): interval arithmetic on formulas
// instead of numbers. An interval may be wider than the values, never narrower.
// Tests: test/Unit/Analysis/MaskRangesTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_EXPR_BLOCKRANGE_H
#define ATTNC_ANALYSIS_EXPR_BLOCKRANGE_H

#include "attnc/Analysis/Expr/IndexExpr.h"

#include <optional>

namespace attnc {

/// Both inclusive, and free of the symbols Row and Key.
struct BlockRange {
  IndexExpr least, greatest;
};

/// More elements of a table than this, for blocks of 64 rows by 64 keys, are
/// not looked at to classify a tile.
inline constexpr int64_t maxTableEntries = 256;

/// Nothing where `expr` is not understood, holds a table whose part may be
/// large, or where an end might overflow.
std::optional<BlockRange> rangeOverBlock(IndexExprs &exprs, IndexExpr expr);

} // namespace attnc

#endif // ATTNC_ANALYSIS_EXPR_BLOCKRANGE_H
