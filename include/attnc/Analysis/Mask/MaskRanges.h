//===- MaskRanges.h - Key ranges visible to a block of queries --*- C++ -*-===//
//
// From a mask as a union of conjunctions over a row q and a key k to ranges of
// keys for a block of rows [q0, q1), symbolic and free of block sizes:
//
//   k <= q + off and k > q + off - w        becomes the segment
//   any = [max(q0 + off - w + 1, 0), min(q1 + off, kv_len))
//   all = [q1 + off - w, q0 + off + 1)
//
// Each comparison is solved for k, and its bound is taken at the first or the
// last row of the block, by monotonicity. docs/stages/4-scheduled.md tells what
// the ranges mean and which masks come out exact.
// Tests: test/Unit/Analysis/MaskRangesTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_MASK_MASKRANGES_H
#define ATTNC_ANALYSIS_MASK_MASKRANGES_H

#include "attnc/Analysis/Expr/IndexExpr.h"

#include <optional>

namespace attnc {

/// A union of cases; a case holds where all its expressions are >= 0. No case
/// is never, a case without expressions is always.
struct MaskCases {
  using Case = llvm::SmallVector<IndexExpr, 4>;
  llvm::SmallVector<Case, 2> cases;

  static MaskCases never() { return {}; }
  static MaskCases always() { return {{Case()}}; }
};

/// `expr >= 0`. Minima and maxima that hold the key become cases.
std::optional<MaskCases> atLeastZero(IndexExprs &exprs, IndexExpr expr);

/// The conjunction, the union, the complement, simplified; nothing where it
/// would have too many cases to be worth it.
std::optional<MaskCases> intersect(IndexExprs &exprs, const MaskCases &a,
                                   const MaskCases &b);
std::optional<MaskCases> unite(IndexExprs &exprs, const MaskCases &a,
                               const MaskCases &b);
std::optional<MaskCases> complement(IndexExprs &exprs, const MaskCases &a);

/// Ranges of keys for the rows [q0, q1). A key outside [anyLo, anyHi) of all
/// segments is masked for each of these rows, a key inside [allLo, allHi) for
/// none. lo >= hi is an empty range. 0 <= anyLo, anyHi <= kv_len unless empty.
struct KeySegment {
  IndexExpr anyLo, allLo, allHi, anyHi;
};

struct MaskRanges {
  /// Disjoint, in the order of their keys for all values of the symbols.
  llvm::SmallVector<KeySegment, 2> segments;
  /// Comparisons that could not be solved for the key. They bound nothing.
  unsigned numUnsolved = 0;
  /// Some segments were taken together, as their order is not known: keys
  /// between them are visited in vain.
  bool merged = false;

  bool areExact() const { return numUnsolved == 0 && !merged; }
};

/// More segments than this are not worth their code.
inline constexpr unsigned maxKeySegments = 4;

/// The segments of a mask. Where one of `assumptions` is negative at run time,
/// they fall back to all keys, all partial.
MaskRanges solveMask(IndexExprs &exprs, const MaskCases &mask,
                     llvm::ArrayRef<IndexExpr> assumptions = {});

} // namespace attnc

#endif // ATTNC_ANALYSIS_MASK_MASKRANGES_H
