//===- MaskCondition.cpp - Represent masks as trees of conditions ---------===//

#include "attnc/Analysis/Mask/MaskCondition.h"

#include "llvm/ADT/DenseMap.h"

using namespace attnc;
using namespace llvm;
using Kind = MaskCondition::Kind;
using Condition = const MaskCondition *;

MaskConditions::MaskConditions()
    : never(make({Kind::Never})), always(make({Kind::Always})),
      anything(make({Kind::Unknown})) {}

Condition MaskConditions::make(MaskCondition condition) {
  nodes.push_back(condition);
  return &nodes.back();
}

Condition MaskConditions::atLeastZero(IndexExpr expr) {
  if (!expr->mayOverflow && expr->bounds.lo >= 0)
    return always;
  if (!expr->mayOverflow && expr->bounds.hi < 0)
    return never;
  return make({Kind::AtLeastZero, expr});
}

Condition MaskConditions::atLeast(RealExpr x, RealExpr y) {
  MaskCondition condition{Kind::RealAtLeast};
  condition.x = x;
  condition.y = y;
  return make(condition);
}

Condition MaskConditions::above(RealExpr x, RealExpr y) {
  MaskCondition condition{Kind::RealAbove};
  condition.x = x;
  condition.y = y;
  return make(condition);
}

Condition MaskConditions::negate(Condition a) {
  if (a == always)
    return never;
  if (a == never)
    return always;
  return a->kind == Kind::Not ? a->a : make({Kind::Not, nullptr, a});
}

Condition MaskConditions::both(Condition a, Condition b) {
  if (a == never || b == never)
    return never;
  if (a == always || a == b)
    return b;
  return b == always ? a : make({Kind::And, nullptr, a, b});
}

Condition MaskConditions::either(Condition a, Condition b) {
  if (a == always || b == always)
    return always;
  if (a == never || a == b)
    return b;
  return b == never ? a : make({Kind::Or, nullptr, a, b});
}

bool attnc::evaluate(Condition condition, ArrayRef<int64_t> symbols,
                     ArrayRef<TableValues> tables, ArrayRef<float> reals) {
  auto of = [&](Condition c) { return evaluate(c, symbols, tables, reals); };
  auto real = [&](RealExpr e) { return evaluate(e, symbols, tables, reals); };
  switch (condition->kind) {
  case Kind::Never:
    return false;
  case Kind::Always:
  case Kind::Unknown:
    return true;
  case Kind::AtLeastZero:
    return evaluate(condition->expr, symbols, tables) >= 0;
  case Kind::RealAtLeast:
    return real(condition->x) >= real(condition->y);
  case Kind::RealAbove:
    return real(condition->x) > real(condition->y);
  case Kind::Not:
    return !of(condition->a);
  case Kind::And:
    return of(condition->a) && of(condition->b);
  case Kind::Or:
    return of(condition->a) || of(condition->b);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// As cases
//===----------------------------------------------------------------------===//

namespace {
class CaseReader {
public:
  explicit CaseReader(IndexExprs &exprs) : exprs(exprs) {}
  MaskCases read(Condition condition);

private:
  std::optional<MaskCases> tryRead(Condition condition);

  IndexExprs &exprs;
  DenseMap<Condition, MaskCases> known;
};
} // namespace

std::optional<MaskCases> CaseReader::tryRead(Condition condition) {
  switch (condition->kind) {
  case Kind::Never:
    return MaskCases::never();
  case Kind::Always:
    return MaskCases::always();
  case Kind::Unknown:
  case Kind::RealAtLeast:
  case Kind::RealAbove:
    return std::nullopt;
  case Kind::AtLeastZero:
    return atLeastZero(exprs, condition->expr);
  case Kind::Not:
    return complement(exprs, read(condition->a));
  case Kind::And:
    return intersect(exprs, read(condition->a), read(condition->b));
  case Kind::Or:
    return unite(exprs, read(condition->a), read(condition->b));
  }
  return std::nullopt;
}

MaskCases CaseReader::read(Condition condition) {
  if (auto it = known.find(condition); it != known.end())
    return it->second;
  std::optional<MaskCases> cases;
  if (!exprs.exhausted())
    cases = tryRead(condition);
  if (!cases) { // 1 where it holds, and nobody knows where
    IndexExpr symbol = exprs.makeSymbol({0, 1}, /*opaque=*/true);
    cases = MaskCases{{{exprs.add(symbol, -1)}}};
  }
  return known[condition] = *cases;
}

MaskCases attnc::casesOf(IndexExprs &exprs, Condition condition) {
  return CaseReader(exprs).read(condition);
}
