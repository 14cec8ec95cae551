//===- Normaliser.cpp - How weights come from pairs -----------------------===//
//
// Tests: test/Import/attention.yaml
//
//===----------------------------------------------------------------------===//

#include "Formula/Normaliser.h"

#include "Formula/Infinities.h"

#include <cmath>

using namespace mlir;

namespace attnc::import {

static bool hasRowFunction(const spec::Expr &e) {
  return spec::anyNode(e, [](const spec::Expr &x) {
    return x.kind == spec::Expr::Apply && spec::isRowFunction(x.op);
  });
}

/// exp(x) / (sum(exp(x)) + rest) is a softmax of x whose sink is log(rest), and
/// as one it never overflows.
static std::optional<Normaliser> findSoftmax(MLIRContext *context,
                                             const spec::AttentionSpec &spec,
                                             const spec::Expr &term,
                                             const spec::Expr *rest) {
  bool isBase2 = term.isApply(spec::Op::Exp2);
  if (!isBase2 && !term.isApply(spec::Op::Exp))
    return std::nullopt;
  const spec::ExprPtr &x = term.operands[0];
  if (canBeInfinite(*spec.score) &&
      valueAtMinusInfinity(*x, *spec.score) != -HUGE_VAL)
    return std::nullopt;
  spec::ExprPtr init;
  if (rest && rest->isApply(term.op)) {
    init = rest->operands[0];
  } else if (rest) {
    bool isNumber = rest->isConstant() && rest->type == spec::Type::Real;
    if (!isNumber || !(rest->real >= 0) || std::isinf(rest->real))
      return std::nullopt;
    double log = isBase2 ? std::log2(rest->real) : std::log(rest->real);
    if (rest->real > 0)
      init = spec::makeReal(log, rest->range);
  }
  auto weight = isBase2 ? attn::NormWeight::Exp2 : attn::NormWeight::Exp;
  return Normaliser{attn::NormAttr::softmax(context, weight), x, init};
}

Normaliser findNormaliser(MLIRContext *context,
                          const spec::AttentionSpec &spec) {
  using namespace spec;
  if (spec.isSoftmax)
    return {attn::NormAttr::softmax(context), spec.attention, spec.sink};
  auto norm = [&](attn::NormDivide divide) {
    return attn::NormAttr::get(context, attn::NormShift::None,
                               attn::NormWeight::Identity, divide);
  };
  const Expr &e = *spec.attention;
  auto isSum = [&](const Expr &sum) {
    return sum.isApply(spec::Op::Sum) &&
           sameExpr(*sum.operands[0], *e.operands[0]);
  };
  auto quotient = [&](const ExprPtr &rest) {
    const ExprPtr &x = e.operands[0];
    return findSoftmax(context, spec, *x, rest.get())
        .value_or(Normaliser{norm(attn::NormDivide::Sum), x, rest});
  };
  if (e.isApply(spec::Op::Div)) {
    const Expr &sum = *e.operands[1];
    if (isSum(sum))
      return quotient(nullptr);
    if (sum.isApply(spec::Op::Add))
      for (unsigned i : {0, 1})
        if (isSum(*sum.operands[i]) && !isOfPair(*sum.operands[1 - i]) &&
            !hasRowFunction(*sum.operands[1 - i]))
          return quotient(sum.operands[1 - i]);
  }
  return {norm(attn::NormDivide::None), spec.attention, nullptr};
}

} // namespace attnc::import
