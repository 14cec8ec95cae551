//===- PairFactors.cpp - Factors of a row that are no part of it ----------===//
//
// See PairFactors.h.
//
//===----------------------------------------------------------------------===//

#include "Formula/PairFactors.h"

namespace attnc::spec {

static bool isOfQuery(const Expr &e) {
  return usesRow(e, Row::Q) || dependsOn(e, Variable::I) ||
         dependsOn(e, Variable::Q) || dependsOn(e, Variable::H);
}

static bool isOfKey(const Expr &e) {
  return usesRow(e, Row::K) || usesRow(e, Row::V) || dependsOn(e, Variable::K);
}

static bool isForeign(const Expr &number, const Expr &vector) {
  return (isOfQuery(number) && !isOfQuery(vector)) ||
         (isOfKey(number) && !isOfKey(vector));
}

ExprPtr takePairFactors(const ExprPtr &vector,
                        std::vector<PairFactor> &factors) {
  bool divides = vector->isApply(Op::Div);
  if (vector->type != Type::Vector || (!divides && !vector->isApply(Op::Mul)))
    return vector;
  const ExprPtr &left = vector->operands[0], &right = vector->operands[1];
  bool isLeft = left->type == Type::Vector;
  const ExprPtr &inner = isLeft ? left : right;
  const ExprPtr &number = isLeft ? right : left;
  if (number->type != Type::Real || inner->type != Type::Vector ||
      (divides && !isLeft))
    return vector;
  ExprPtr rest = takePairFactors(inner, factors);
  if (isForeign(*number, *rest)) {
    factors.push_back({number, divides});
    return rest;
  }
  if (rest == inner)
    return vector;
  return makeApply(vector->op, Type::Vector,
                   isLeft ? std::vector{rest, number}
                          : std::vector{number, rest},
                   vector->range);
}

} // namespace attnc::spec
