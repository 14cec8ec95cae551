//===- MaskRanges.cpp - Key ranges visible to a block of queries ----------===//
//
// Why by the ends of the block and not by projection of integer sets: the ends
// give the shortest code (3 operations for a causal mask), take microseconds,
// and allow a division by a symbol, since that is monotone too.
//
// Soundness. A comparison c * k + f(q) >= 0 is a bound of k that depends on q
// alone. Some row of the block sees a key only if the key is above the lowest
// of the lower bounds and below the highest of the upper ones; every row sees
// it if it is above the highest lower and below the lowest upper bound. The
// lowest and highest value of f over the block come from interval arithmetic,
// which can only widen: "any" grows, "all" shrinks. What cannot be solved
// bounds "any" by nothing and makes "all" empty.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Mask/MaskRanges.h"

#include "attnc/Analysis/Expr/BlockRange.h"

#include "llvm/ADT/STLExtras.h"

using namespace attnc;
using namespace llvm;
using Kind = IndexNode::Kind;

namespace {
/// Turns one case into a segment.
class CaseSolver {
public:
  explicit CaseSolver(IndexExprs &exprs) : exprs(exprs) {}

  KeySegment solve(const MaskCases::Case &comparisons, unsigned &numUnsolved);

private:
  bool solveComparison(IndexExpr expr);
  bool addRowCondition(IndexExpr expr);
  bool solveRead(IndexExpr read, IndexExpr bound, bool isLower);
  bool addLower(IndexExpr bound);
  bool addUpper(IndexExpr bound);

  IndexExprs &exprs;
  IndexExpr anyLo = nullptr, allLo = nullptr;
  IndexExpr allHi = nullptr, anyHi = nullptr;
  SmallVector<IndexExpr> anyConditions, allConditions;
};
} // namespace

bool CaseSolver::addLower(IndexExpr bound) {
  auto range = rangeOverBlock(exprs, bound);
  if (!range)
    return false;
  anyLo = anyLo ? exprs.max(anyLo, range->least) : range->least;
  allLo = allLo ? exprs.max(allLo, range->greatest) : range->greatest;
  return true;
}

bool CaseSolver::addUpper(IndexExpr bound) {
  auto range = rangeOverBlock(exprs, bound);
  if (!range)
    return false;
  anyHi = anyHi ? exprs.min(anyHi, range->greatest) : range->greatest;
  allHi = allHi ? exprs.min(allHi, range->least) : range->least;
  return true;
}

bool CaseSolver::addRowCondition(IndexExpr expr) {
  auto range = rangeOverBlock(exprs, expr);
  if (!range)
    return false;
  anyConditions.push_back(range->greatest);
  allConditions.push_back(range->least);
  return true;
}

/// Splits a sum into the one term that holds the key, with its factor, and the
/// rest; the term is null when there are several.
static std::pair<IndexExpr, int64_t>
findKeyTerm(IndexExprs &exprs, IndexExpr expr, IndexExpr &rest) {
  rest = exprs.constant(0);
  if (expr->kind != Kind::Sum)
    return {expr, 1};
  std::pair<IndexExpr, int64_t> found{nullptr, 0};
  for (auto [factor, operand] : zip_equal(expr->factors, expr->operands)) {
    if (!operand->usesKey)
      continue;
    if (found.first)
      return {nullptr, 0};
    found = {operand, factor};
  }
  rest = exprs.sub(expr, exprs.scale(found.first, found.second));
  return found;
}

/// A comparison with `t[.., k]`, where t never decreases along the keys:
/// t[k] >= -bound, or with an upper bound t[k] <= bound.
bool CaseSolver::solveRead(IndexExpr read, IndexExpr bound, bool isLower) {
  const IndexTable &table = exprs.getTable(read->value);
  ArrayRef<IndexExpr> row = ArrayRef(read->operands).drop_back();
  if (!table.nondecreasing || !table.spansKeys ||
      read->operands.back() != exprs.symbol(IndexExprs::Key) ||
      any_of(row, [](IndexExpr e) { return e->usesKey; }))
    return false;
  IndexExpr limit = isLower ? exprs.scale(bound, -1) : exprs.add(bound, 1);
  IndexExpr place = exprs.lowerBound(read->value, row, limit);
  return isLower ? addLower(place) : addUpper(place);
}

/// Solves `expr >= 0` for the key. False: it cannot be done.
bool CaseSolver::solveComparison(IndexExpr expr) {
  if (expr->mayOverflow)
    return false;
  if (!expr->usesKey)
    return addRowCondition(expr);
  IndexExpr rest;
  auto [term, factor] = findKeyTerm(exprs, expr, rest);
  if (!term || exprs.exhausted())
    return false;
  // f * t + r >= 0: t >= -floor(r / f), or with f < 0: t <= floor(r / -f).
  IndexExpr bound = exprs.floorDiv(rest, exprs.constant(std::abs(factor)));
  if (term == exprs.symbol(IndexExprs::Key))
    return factor > 0 ? addLower(exprs.scale(bound, -1))
                      : addUpper(exprs.add(bound, 1));
  if (term->kind == Kind::Read)
    return solveRead(term, bound, factor > 0);
  if (term->kind != Kind::FloorDiv)
    return false;
  // floor(x / d) >= b: x >= d * b.   floor(x / d) <= b: x <= d * b + d - 1.
  IndexExpr x = term->operands[0], d = term->operands[1];
  if (d->usesKey || d->usesRow)
    return false;
  IndexExpr times = exprs.mul(d, bound);
  if (factor > 0)
    return solveComparison(exprs.add(x, times));
  return solveComparison(exprs.sub(exprs.add(times, exprs.add(d, -1)), x));
}

KeySegment CaseSolver::solve(const MaskCases::Case &comparisons,
                             unsigned &numUnsolved) {
  bool solved = true;
  for (IndexExpr expr : comparisons) {
    if (solveComparison(expr))
      continue;
    solved = false;
    ++numUnsolved;
  }
  IndexExpr zero = exprs.constant(0);
  IndexExpr count = exprs.symbol(IndexExprs::KeyCount);
  KeySegment segment;
  segment.anyLo = anyLo ? exprs.max(anyLo, zero) : zero;
  segment.anyHi = exprs.select(anyConditions, anyHi ? anyHi : count, zero);
  segment.allLo = solved && allLo ? allLo : zero;
  segment.allHi =
      solved ? exprs.select(allConditions, allHi ? allHi : count, zero) : zero;
  return segment;
}

//===----------------------------------------------------------------------===//
// Order of the segments
//===----------------------------------------------------------------------===//

using Segments = SmallVector<KeySegment, 2>;

/// Segments that start alike are one: it ends where the longer one ends.
static void mergeEqualStarts(IndexExprs &exprs, Segments &segments) {
  Segments merged;
  for (const KeySegment &s : segments) {
    auto *same = find_if(merged, [&](const KeySegment &m) {
      return m.anyLo == s.anyLo && m.allLo == s.allLo;
    });
    if (same == merged.end()) {
      merged.push_back(s);
      continue;
    }
    // An end at zero is an empty range, wherever it starts.
    if (same->allHi->isConstant(0))
      same->allHi = s.allHi;
    else if (!s.allHi->isConstant(0))
      same->allHi = exprs.max(same->allHi, s.allHi);
    same->anyHi = exprs.max(same->anyHi, s.anyHi);
  }
  segments = std::move(merged);
}

/// One segment for two: the keys between them are visited in vain. Only one of
/// the two "all" ranges can be kept.
static KeySegment hull(IndexExprs &exprs, const KeySegment &a,
                       const KeySegment &b) {
  KeySegment result = a.allHi->isConstant(0) ? b : a;
  result.anyLo = exprs.min(a.anyLo, b.anyLo);
  result.anyHi = exprs.max(a.anyHi, b.anyHi);
  return result;
}

/// Puts the segments in an order that holds for all values of the symbols, if
/// need be by merging, and cuts off what an earlier segment holds.
static Segments arrange(IndexExprs &exprs, Segments segments, bool &merged) {
  Segments sorted;
  merged = false;
  auto isFirst = [&](const KeySegment &s) {
    return all_of(segments, [&](const KeySegment &other) {
      return exprs.provablyLessEqual(s.anyLo, other.anyLo);
    });
  };
  while (!segments.empty()) {
    auto *first = find_if(segments, isFirst);
    if (first != segments.end() && sorted.size() + 1 < maxKeySegments) {
      sorted.push_back(*first);
      segments.erase(first);
      continue;
    }
    if (segments.size() == 1) {
      sorted.push_back(segments.front());
      break;
    }
    KeySegment last = segments.pop_back_val();
    segments.back() = hull(exprs, segments.back(), last);
    merged = true;
  }
  IndexExpr end = nullptr;
  IndexExpr count = exprs.symbol(IndexExprs::KeyCount);
  for (KeySegment &s : sorted) {
    s.anyHi = exprs.min(s.anyHi, count);
    if (end)
      s.anyLo = exprs.max(s.anyLo, end);
    end = end ? exprs.max(end, s.anyHi) : s.anyHi;
  }
  return sorted;
}

/// Everything may be seen, nothing is known.
static KeySegment wholeSegment(IndexExprs &exprs) {
  IndexExpr zero = exprs.constant(0);
  return {zero, zero, zero, exprs.symbol(IndexExprs::KeyCount)};
}

static bool mayOverflow(const KeySegment &s) {
  return any_of(ArrayRef<IndexExpr>{s.anyLo, s.allLo, s.allHi, s.anyHi},
                [](IndexExpr e) { return e->mayOverflow; });
}

MaskRanges attnc::solveMask(IndexExprs &exprs, const MaskCases &mask,
                            ArrayRef<IndexExpr> assumptions) {
  MaskRanges result;
  Segments segments;
  for (const MaskCases::Case &c : mask.cases)
    segments.push_back(CaseSolver(exprs).solve(c, result.numUnsolved));
  mergeEqualStarts(exprs, segments);
  result.segments = arrange(exprs, std::move(segments), result.merged);
  IndexExpr zero = exprs.constant(0);
  if (result.segments.empty())
    result.segments.push_back({zero, zero, zero, zero});
  if (exprs.exhausted() || any_of(result.segments, mayOverflow) ||
      any_of(assumptions, [](IndexExpr e) { return e->mayOverflow; })) {
    result.segments = {wholeSegment(exprs)};
    result.merged = true;
    return result;
  }
  KeySegment whole = wholeSegment(exprs);
  for (KeySegment &s : result.segments) {
    s.anyLo = exprs.select(assumptions, s.anyLo, whole.anyLo);
    s.allLo = exprs.select(assumptions, s.allLo, whole.allLo);
    s.allHi = exprs.select(assumptions, s.allHi, whole.allHi);
    s.anyHi = exprs.select(assumptions, s.anyHi, whole.anyHi);
    whole.anyHi = zero; // the first one has it all
  }
  return result;
}
