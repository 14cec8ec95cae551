//===- RealRange.cpp - Float ranges over a block of pairs -----------------===//
//
// A NaN inside of a block need not show at its ends: of [-inf, inf] it may be
// lost by a clamp. So every op whose result is not known to be finite is asked
// for finite ends.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Expr/RealRange.h"

#include "attnc/Analysis/Expr/BlockRange.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace attnc;
using namespace llvm;
using Kind = RealNode::Kind;

const MaskCondition *RealRanges::isFinite(RealExpr expr) {
  RealExpr most = reals.constant(0x1p+126), least = reals.constant(-0x1p+126);
  return both(conditions.atLeast(most, expr), conditions.atLeast(expr, least));
}

/// What a polynomial errs by, twice: at the end and inside. A result that would
/// be a denormal may be 0.
RealRange RealRanges::widen(RealRange range) {
  auto allowance = [&](RealExpr e) {
    RealExpr part = reals.make(Kind::Multiply, reals.make(Kind::Abs, e),
                               reals.constant(0x1p-19));
    return reals.make(Kind::Add, part, reals.constant(0x1p-100));
  };
  range.least = reals.make(Kind::Subtract, range.least, allowance(range.least));
  range.greatest =
      reals.make(Kind::Add, range.greatest, allowance(range.greatest));
  return range;
}

RealRanges::Range RealRanges::ofOne(RealExpr expr, RealRange a) {
  Kind kind = expr->kind;
  RealRange range{reals.make(kind, a.least), reals.make(kind, a.greatest),
                  a.sound};
  RealExpr zero = reals.constant(0);
  switch (kind) {
  case Kind::Negate:
    std::swap(range.least, range.greatest);
    return range;
  case Kind::Abs: // max(a, -b, 0) and max(-a, b)
    range.least = reals.make(
        Kind::Max, zero,
        reals.make(Kind::Max, a.least, reals.make(Kind::Negate, a.greatest)));
    range.greatest =
        reals.make(Kind::Max, a.greatest, reals.make(Kind::Negate, a.least));
    return range;
  case Kind::Sqrt:
    if (!(expr->a->lo >= 0))
      range.sound = both(range.sound, conditions.atLeast(a.least, zero));
    return range;
  case Kind::Log:
  case Kind::Log2:
    if (!(expr->a->lo >= 0x1p-100))
      range.sound = both(range.sound,
                         conditions.atLeast(a.least, reals.constant(0x1p-100)));
    return widen(range);
  case Kind::Exp:
  case Kind::Exp2:
  case Kind::Tanh:
    return widen(range);
  default:
    return range;
  }
}

/// Least and greatest of what the four pairs of ends give.
RealRange RealRanges::ofCorners(RealExpr expr, RealRange a, RealRange b) {
  SmallVector<RealExpr, 4> at;
  for (RealExpr x : {a.least, a.greatest})
    for (RealExpr y : {b.least, b.greatest})
      if (RealExpr e = reals.make(expr->kind, x, y); !is_contained(at, e))
        at.push_back(e);
  RealRange range{at[0], at[0], both(a.sound, b.sound)};
  for (RealExpr e : drop_begin(at)) {
    range.least = reals.make(Kind::Min, range.least, e);
    range.greatest = reals.make(Kind::Max, range.greatest, e);
  }
  return range;
}

RealRange RealRanges::ofProduct(RealExpr expr, RealRange a, RealRange b) {
  auto product = [&](RealExpr x, RealExpr y) {
    return reals.make(Kind::Multiply, x, y);
  };
  Condition sound = both(a.sound, b.sound);
  if (expr->a->lo >= 0 && expr->b->lo >= 0)
    return {product(a.least, b.least), product(a.greatest, b.greatest), sound};
  for (auto [x, e] : {std::pair(a, expr->a), std::pair(b, expr->b)}) {
    const RealRange &y = e == expr->a ? b : a;
    if (x.least != x.greatest || (e->lo < 0 && !(e->hi <= 0)))
      continue;
    RealExpr first = product(x.least, y.least);
    RealExpr last = product(x.least, y.greatest);
    if (e->lo < 0)
      std::swap(first, last);
    return {first, last, sound};
  }
  RealRange range = ofCorners(expr, a, b);
  if (expr->a == expr->b) // a square
    range.least = reals.make(Kind::Max, range.least, reals.constant(0));
  return range;
}

RealRange RealRanges::ofQuotient(RealExpr expr, RealRange a, RealRange b) {
  RealExpr d = expr->b;
  auto quotient = [&](RealExpr x, RealExpr y) {
    return reals.make(Kind::Divide, x, y);
  };
  RealRange range =
      d->lo > 0 && !b.least->moves && b.least == b.greatest
          ? RealRange{quotient(a.least, b.least), quotient(a.greatest, b.least),
                      both(a.sound, b.sound)}
          : ofCorners(expr, a, b);
  if (!(d->lo > 0) && !(d->hi < 0)) {
    RealExpr zero = reals.constant(0);
    range.sound = both(range.sound,
                       conditions.either(conditions.above(b.least, zero),
                                         conditions.above(zero, b.greatest)));
  }
  // On vectors an estimate and a step of Newton's method.
  return expr->a->isConstant(1) ? widen(range) : range;
}

RealRanges::Range RealRanges::ofTwo(RealExpr expr, RealRange a, RealRange b) {
  auto ends = [&](RealExpr first, RealExpr last) {
    return RealRange{reals.make(expr->kind, a.least, first),
                     reals.make(expr->kind, a.greatest, last),
                     both(a.sound, b.sound)};
  };
  switch (expr->kind) {
  case Kind::Subtract:
    return ends(b.greatest, b.least);
  case Kind::Multiply:
    return ofProduct(expr, a, b);
  case Kind::Divide:
    return ofQuotient(expr, a, b);
  default: // Add, Min, Max
    return ends(b.least, b.greatest);
  }
}

RealRanges::Range RealRanges::compute(RealExpr expr) {
  if (reals.exhausted())
    return std::nullopt;
  Range range;
  if (!expr->moves) {
    range = RealRange{expr, expr, conditions.truth(true)};
  } else if (expr->kind == Kind::Index) {
    auto block = rangeOverBlock(exprs, expr->index);
    if (!block)
      return std::nullopt;
    range = RealRange{reals.ofIndex(block->least),
                      reals.ofIndex(block->greatest), conditions.truth(true)};
  } else {
    Range a = get(expr->a), b = expr->b ? get(expr->b) : Range();
    if (!a || (expr->b && !b))
      return std::nullopt;
    range = expr->b ? ofTwo(expr, *a, *b) : ofOne(expr, *a);
  }
  if (!std::isfinite(expr->lo)) {
    range->sound = both(range->sound, isFinite(range->least));
    if (range->least != range->greatest)
      range->sound = both(range->sound, isFinite(range->greatest));
  }
  return range;
}

std::optional<RealRange> RealRanges::get(RealExpr expr) {
  if (auto it = known.find(expr); it != known.end())
    return it->second;
  Range range = compute(expr);
  return known[expr] = range;
}
