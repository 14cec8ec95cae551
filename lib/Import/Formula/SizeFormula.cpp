//===- SizeFormula.cpp - Int formulas over sizes --------------------------===//
//
// A truth value c becomes an int t(c) with c <=> t(c) <= 0:
//
//   a <= b    a - b                c and d   max(t(c), t(d))
//   a < b     a - b + 1            c or d    min(t(c), t(d))
//   not c     1 - t(c)             a == b    max(a - b, b - a)
//
// and where(c, a, b) is b + (a - b) * u with u = max(0, min(1, 1 - t(c))).
//
//===----------------------------------------------------------------------===//

#include "Formula/SizeFormula.h"

using namespace attnc;
using namespace attnc::import;
using spec::Expr;

namespace {
class Converter {
public:
  explicit Converter(const spec::AttentionSpec &spec) : spec(spec) {}

  std::optional<SizeExpr> number(const Expr &e);
  /// At most 0 exactly where the condition holds.
  std::optional<SizeExpr> truth(const Expr &e);

private:
  using Op = SizeExpr::Op;
  static SizeExpr least(const SizeExpr &a, const SizeExpr &b) {
    return SizeExpr::binary(Op::Min, a, b);
  }
  static SizeExpr greatest(const SizeExpr &a, const SizeExpr &b) {
    return SizeExpr::binary(Op::Max, a, b);
  }
  std::optional<SizeExpr> apply(const Expr &e);
  std::optional<SizeExpr> choice(const Expr &e);
  std::optional<SizeExpr> comparison(const Expr &e);

  const spec::AttentionSpec &spec;
};
} // namespace

static SizeExpr constant(int64_t value) { return SizeExpr::constant(value); }

std::optional<SizeExpr> Converter::number(const Expr &e) {
  if (e.type != spec::Type::Int)
    return std::nullopt;
  switch (e.kind) {
  case Expr::Constant:
    return constant(e.integer);
  case Expr::Size:
    if (spec.sizes[e.index].kind == spec::Size::PerSequence)
      return std::nullopt;
    return SizeExpr::size(spec.sizes[e.index].name);
  case Expr::Apply:
    return e.op == spec::Op::Select ? choice(e) : apply(e);
  default:
    return std::nullopt;
  }
}

std::optional<SizeExpr> Converter::choice(const Expr &e) {
  std::optional<SizeExpr> condition = truth(*e.operands[0]);
  std::optional<SizeExpr> a = number(*e.operands[1]);
  std::optional<SizeExpr> b = number(*e.operands[2]);
  if (!condition || !a || !b)
    return std::nullopt;
  SizeExpr use =
      greatest(constant(0), least(constant(1), constant(1) - *condition));
  return *b + (*a - *b) * use;
}

std::optional<SizeExpr> Converter::apply(const Expr &e) {
  std::vector<SizeExpr> x;
  for (const spec::ExprPtr &operand : e.operands) {
    std::optional<SizeExpr> value = number(*operand);
    if (!value)
      return std::nullopt;
    x.push_back(*value);
  }
  switch (e.op) {
  case spec::Op::Neg:
    return constant(0) - x[0];
  case spec::Op::Add:
    return x[0] + x[1];
  case spec::Op::Sub:
    return x[0] - x[1];
  case spec::Op::Mul:
    return x[0] * x[1];
  case spec::Op::FloorDiv:
    return SizeExpr::binary(Op::FloorDiv, x[0], x[1]);
  case spec::Op::Mod:
    return SizeExpr::binary(Op::Mod, x[0], x[1]);
  case spec::Op::Min:
    return least(x[0], x[1]);
  case spec::Op::Max:
    return greatest(x[0], x[1]);
  case spec::Op::Clamp:
    return least(greatest(x[0], x[1]), x[2]);
  case spec::Op::Abs:
    return greatest(x[0], constant(0) - x[0]);
  case spec::Op::Sign:
    return least(constant(1), greatest(constant(-1), x[0]));
  case spec::Op::Pow: {
    std::optional<int64_t> exponent = x[1].constantValue();
    constexpr int64_t kMostFactors = 62; // 2 ** 63 does not fit
    if (!exponent || *exponent < 0 || *exponent > kMostFactors)
      return std::nullopt;
    SizeExpr power = constant(1);
    for (int64_t i = 0; i < *exponent; ++i)
      power = power * x[0];
    return power;
  }
  default:
    return std::nullopt;
  }
}

std::optional<SizeExpr> Converter::comparison(const Expr &e) {
  std::optional<SizeExpr> a = number(*e.operands[0]);
  std::optional<SizeExpr> b = number(*e.operands[1]);
  if (!a || !b)
    return std::nullopt;
  switch (e.op) {
  case spec::Op::Le:
    return *a - *b;
  case spec::Op::Ge:
    return *b - *a;
  case spec::Op::Lt:
    return *a - *b + constant(1);
  case spec::Op::Gt:
    return *b - *a + constant(1);
  case spec::Op::Eq:
    return greatest(*a - *b, *b - *a);
  case spec::Op::Ne:
    return constant(1) - greatest(*a - *b, *b - *a);
  default:
    return std::nullopt;
  }
}

std::optional<SizeExpr> Converter::truth(const Expr &e) {
  if (e.type != spec::Type::Bool)
    return std::nullopt;
  if (e.isConstant())
    return constant(e.boolean ? 0 : 1);
  if (e.kind != Expr::Apply)
    return std::nullopt;
  bool connects = e.op == spec::Op::And || e.op == spec::Op::Or;
  if (!connects && e.op != spec::Op::Not)
    return comparison(e);
  std::optional<SizeExpr> a = truth(*e.operands[0]);
  if (!a)
    return std::nullopt;
  if (!connects)
    return constant(1) - *a;
  std::optional<SizeExpr> b = truth(*e.operands[1]);
  if (!b)
    return std::nullopt;
  return e.op == spec::Op::And ? greatest(*a, *b) : least(*a, *b);
}

std::optional<SizeExpr>
attnc::import::sizeFormula(const spec::AttentionSpec &spec,
                           const Expr &formula) {
  return Converter(spec).number(formula);
}

std::optional<std::vector<std::pair<SizeExpr, SizeExpr>>>
attnc::import::sizeConditions(const spec::AttentionSpec &spec,
                              const Expr &condition) {
  Converter convert(spec);
  if (condition.isApply(spec::Op::And)) {
    auto first = sizeConditions(spec, *condition.operands[0]);
    auto second = sizeConditions(spec, *condition.operands[1]);
    if (!first || !second)
      return std::nullopt;
    first->insert(first->end(), second->begin(), second->end());
    return first;
  }
  using Pairs = std::vector<std::pair<SizeExpr, SizeExpr>>;
  bool le = condition.isApply(spec::Op::Le);
  if (le || condition.isApply(spec::Op::Ge)) { // the usual ones read best
    auto lhs = convert.number(*condition.operands[le ? 0 : 1]);
    auto rhs = convert.number(*condition.operands[le ? 1 : 0]);
    if (!lhs || !rhs)
      return std::nullopt;
    return Pairs{{*lhs, *rhs}};
  }
  std::optional<SizeExpr> value = convert.truth(condition);
  if (!value)
    return std::nullopt;
  return Pairs{{*value, constant(0)}};
}
