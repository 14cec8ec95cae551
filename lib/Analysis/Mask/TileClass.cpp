//===- TileClass.cpp - Classify tiles as empty or full --------------------===//
//
// Each comparison is taken at the end of its interval over the tile
// (BlockRange, RealRange) that makes it true if anything does, or false if
// anything does; and, or and not carry that upwards. Where parts of a mask
// depend on each other, this sees less than there is, never more.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Expr/BlockRange.h"
#include "attnc/Analysis/Expr/RealRange.h"
#include "attnc/Analysis/Mask/MaskCondition.h"

#include "llvm/ADT/DenseMap.h"

using namespace attnc;
using namespace llvm;
using Kind = MaskCondition::Kind;

namespace {
class Classifier {
public:
  Classifier(IndexExprs &exprs, MaskConditions &conditions)
      : exprs(exprs), conditions(conditions), reals(exprs, conditions) {}
  TileClass classify(const MaskCondition *mask);

private:
  TileClass compute(const MaskCondition *mask);
  TileClass compare(IndexExpr expr);
  TileClass compareReals(const MaskCondition *mask);

  IndexExprs &exprs;
  MaskConditions &conditions;
  RealRanges reals;
  DenseMap<const MaskCondition *, TileClass> known;
};
} // namespace

TileClass Classifier::compare(IndexExpr expr) {
  std::optional<BlockRange> range;
  if (!expr->mayOverflow && !exprs.exhausted())
    range = rangeOverBlock(exprs, expr);
  if (!range)
    return {conditions.truth(true), conditions.truth(false)};
  return {conditions.atLeastZero(range->greatest),
          conditions.atLeastZero(range->least)};
}

TileClass Classifier::compareReals(const MaskCondition *mask) {
  std::optional<RealRange> x = reals.get(mask->x), y = reals.get(mask->y);
  if (!x || !y || exprs.exhausted())
    return {conditions.truth(true), conditions.truth(false)};
  auto compare = [&](RealExpr a, RealExpr b) {
    return mask->kind == Kind::RealAtLeast ? conditions.atLeast(a, b)
                                           : conditions.above(a, b);
  };
  const MaskCondition *sound = conditions.both(x->sound, y->sound);
  return {conditions.either(conditions.negate(sound),
                            compare(x->greatest, y->least)),
          conditions.both(sound, compare(x->least, y->greatest))};
}

TileClass Classifier::compute(const MaskCondition *mask) {
  switch (mask->kind) {
  case Kind::Never:
  case Kind::Always:
    return {mask, mask};
  case Kind::Unknown:
    return {conditions.truth(true), conditions.truth(false)};
  case Kind::AtLeastZero:
    return compare(mask->expr);
  case Kind::RealAtLeast:
  case Kind::RealAbove:
    return compareReals(mask);
  case Kind::Not: {
    TileClass a = classify(mask->a);
    return {conditions.negate(a.all), conditions.negate(a.some)};
  }
  case Kind::And: {
    TileClass a = classify(mask->a), b = classify(mask->b);
    return {conditions.both(a.some, b.some), conditions.both(a.all, b.all)};
  }
  case Kind::Or: {
    TileClass a = classify(mask->a), b = classify(mask->b);
    return {conditions.either(a.some, b.some), conditions.either(a.all, b.all)};
  }
  }
  return {};
}

TileClass Classifier::classify(const MaskCondition *mask) {
  if (auto it = known.find(mask); it != known.end())
    return it->second;
  TileClass result = compute(mask);
  return known[mask] = result;
}

TileClass attnc::classifyTile(IndexExprs &exprs, MaskConditions &conditions,
                              const MaskCondition *mask) {
  return Classifier(exprs, conditions).classify(mask);
}
