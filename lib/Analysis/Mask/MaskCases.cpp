//===- MaskCases.cpp - Masks as unions of conjunctions --------------------===//
//
// The normal form of masks, kept small: an implied comparison is dropped from
// its case, a contradictory case from its union, and a case that lies within
// another one as well. So `causal or window(w)` is one case, k <= q.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Mask/MaskRanges.h"

#include "llvm/ADT/STLExtras.h"

using namespace attnc;
using namespace llvm;

static constexpr size_t kMaxCases = 12;
static constexpr size_t kMaxComparisons = 16;

/// Whether `a >= 0` follows from `b >= 0`.
static bool follows(IndexExprs &exprs, IndexExpr a, IndexExpr b) {
  return exprs.provablyLessEqual(b, a);
}

/// Adds `expr >= 0` to the case; false when the case cannot hold any more.
static bool addComparison(IndexExprs &exprs, MaskCases::Case &to,
                          IndexExpr expr) {
  if (expr->bounds.lo >= 0)
    return true;
  if (expr->bounds.hi < 0)
    return false;
  for (IndexExpr other : to) {
    if (follows(exprs, expr, other))
      return true;
    if (exprs.add(expr, other)->bounds.hi < 0)
      return false;
  }
  erase_if(to, [&](IndexExpr other) { return follows(exprs, other, expr); });
  to.push_back(expr);
  return true;
}

/// Whether all that `inner` admits, `outer` admits too.
static bool isWithin(IndexExprs &exprs, const MaskCases::Case &inner,
                     const MaskCases::Case &outer) {
  return all_of(outer, [&](IndexExpr o) {
    return any_of(inner, [&](IndexExpr i) { return follows(exprs, o, i); });
  });
}

static void addCase(IndexExprs &exprs, MaskCases &to, MaskCases::Case added) {
  for (const MaskCases::Case &other : to.cases)
    if (isWithin(exprs, added, other))
      return;
  erase_if(to.cases, [&](const MaskCases::Case &other) {
    return isWithin(exprs, other, added);
  });
  to.cases.push_back(std::move(added));
}

static bool isTooLarge(const IndexExprs &exprs, const MaskCases &mask) {
  return exprs.exhausted() || mask.cases.size() > kMaxCases ||
         any_of(mask.cases, [](const MaskCases::Case &c) {
           return c.size() > kMaxComparisons;
         });
}

std::optional<MaskCases> attnc::intersect(IndexExprs &exprs, const MaskCases &a,
                                          const MaskCases &b) {
  MaskCases result;
  for (const MaskCases::Case &x : a.cases) {
    for (const MaskCases::Case &y : b.cases) {
      MaskCases::Case both = x;
      if (all_of(y, [&](IndexExpr e) { return addComparison(exprs, both, e); }))
        addCase(exprs, result, std::move(both));
      if (isTooLarge(exprs, result))
        return std::nullopt;
    }
  }
  return result;
}

std::optional<MaskCases> attnc::unite(IndexExprs &exprs, const MaskCases &a,
                                      const MaskCases &b) {
  MaskCases result = a;
  for (const MaskCases::Case &added : b.cases)
    addCase(exprs, result, added);
  if (isTooLarge(exprs, result))
    return std::nullopt;
  return result;
}

std::optional<MaskCases> attnc::complement(IndexExprs &exprs,
                                           const MaskCases &a) {
  std::optional<MaskCases> result = MaskCases::always();
  for (const MaskCases::Case &c : a.cases) {
    std::optional<MaskCases> outside = MaskCases::never();
    for (IndexExpr expr : c) { // not e >= 0 is -e - 1 >= 0
      auto negative = atLeastZero(exprs, exprs.add(exprs.scale(expr, -1), -1));
      if (!negative || !(outside = unite(exprs, *outside, *negative)))
        return std::nullopt;
    }
    if (!(result = intersect(exprs, *result, *outside)))
      return std::nullopt;
  }
  return result;
}

/// A minimum or maximum that holds the key: `expr` itself or a term of it.
static std::optional<std::pair<IndexExpr, int64_t>> findChoice(IndexExpr expr) {
  auto isChoice = [](IndexExpr e) {
    return e->usesKey &&
           (e->kind == IndexNode::Kind::Min || e->kind == IndexNode::Kind::Max);
  };
  if (isChoice(expr))
    return std::make_pair(expr, int64_t(1));
  if (expr->kind == IndexNode::Kind::Sum)
    for (auto [factor, operand] : zip_equal(expr->factors, expr->operands))
      if (isChoice(operand))
        return std::make_pair(operand, factor);
  return std::nullopt;
}

std::optional<MaskCases> attnc::atLeastZero(IndexExprs &exprs, IndexExpr expr) {
  auto choice = findChoice(expr);
  if (!choice) {
    MaskCases::Case only;
    if (!addComparison(exprs, only, expr))
      return MaskCases::never();
    return MaskCases{{only}};
  }
  // f * max(x, y) + r >= 0 with f > 0: one of f * x + r, f * y + r is >= 0.
  auto [operand, factor] = *choice;
  if (exprs.exhausted())
    return std::nullopt;
  IndexExpr rest = exprs.sub(expr, exprs.scale(operand, factor));
  auto side = [&](unsigned i) {
    IndexExpr term = exprs.scale(operand->operands[i], factor);
    return atLeastZero(exprs, exprs.add(term, rest));
  };
  std::optional<MaskCases> a = side(0), b = side(1);
  if (!a || !b)
    return std::nullopt;
  bool either = (operand->kind == IndexNode::Kind::Max) == (factor > 0);
  return either ? unite(exprs, *a, *b) : intersect(exprs, *a, *b);
}
