//===- Fold.cpp - Operations on constants ---------------------------------===//
//
// Ints exactly in 64 bits, reals in f64: the same as what a kernel computes,
// or more exact.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;

namespace attnc::spec {

static bool compare(Op op, auto a, auto b) {
  switch (op) {
  case Op::Eq:
    return a == b;
  case Op::Ne:
    return a != b;
  case Op::Lt:
    return a < b;
  case Op::Le:
    return a <= b;
  case Op::Gt:
    return a > b;
  default:
    return a >= b;
  }
}

static bool isComparison(Op op) { return op >= Op::Eq && op <= Op::Ge; }

static std::optional<int64_t> foldPower(int64_t base, int64_t exponent) {
  int64_t result = 1;
  // A base of -1, 0 or 1 needs no more than the exponent's parity.
  if (base >= -1 && base <= 1 && exponent > 2)
    exponent = 2 - exponent % 2 + 2 * (base == 0);
  for (int64_t i = 0; i < exponent; ++i)
    if (MulOverflow(result, base, result))
      return std::nullopt;
  return result;
}

static std::optional<int64_t> foldInt(Op op, ArrayRef<int64_t> x,
                                      FoldProblem &problem) {
  int64_t result = 0;
  bool overflow = false;
  switch (op) {
  case Op::Neg:
    overflow = SubOverflow(INT64_C(0), x[0], result);
    break;
  case Op::Add:
    overflow = AddOverflow(x[0], x[1], result);
    break;
  case Op::Sub:
    overflow = SubOverflow(x[0], x[1], result);
    break;
  case Op::Mul:
    overflow = MulOverflow(x[0], x[1], result);
    break;
  case Op::FloorDiv:
  case Op::Mod: {
    if (!x[1]) {
      problem = FoldProblem::ZeroDivisor;
      return std::nullopt;
    }
    if (x[1] == -1) { // INT64_MIN / -1 traps
      overflow = op == Op::FloorDiv && SubOverflow(INT64_C(0), x[0], result);
      break;
    }
    int64_t quotient = x[0] / x[1], rest = x[0] % x[1];
    if (rest && (rest < 0) != (x[1] < 0)) {
      --quotient;
      rest += x[1];
    }
    result = op == Op::Mod ? rest : quotient;
    break;
  }
  case Op::Pow:
    if (auto power = foldPower(x[0], x[1]))
      return power;
    overflow = true;
    break;
  case Op::Abs:
    overflow = x[0] < 0 && SubOverflow(INT64_C(0), x[0], result);
    result = x[0] < 0 ? result : x[0];
    break;
  case Op::Sign:
    return (x[0] > 0) - (x[0] < 0);
  case Op::Min:
    return std::min(x[0], x[1]);
  case Op::Max:
    return std::max(x[0], x[1]);
  case Op::Clamp:
    return std::min(std::max(x[0], x[1]), x[2]);
  default:
    return std::nullopt;
  }
  if (!overflow)
    return result;
  problem = FoldProblem::Overflow;
  return std::nullopt;
}

static std::optional<double> foldFunction(Op op, double x) {
  switch (op) {
  case Op::Floor:
    return std::floor(x);
  case Op::Ceil:
    return std::ceil(x);
  case Op::Exp:
    return std::exp(x);
  case Op::Exp2:
    return std::exp2(x);
  case Op::Log:
    return std::log(x);
  case Op::Log1p:
    return std::log1p(x);
  case Op::Sqrt:
    return std::sqrt(x);
  case Op::Rsqrt:
    return 1 / std::sqrt(x);
  case Op::Tanh:
    return std::tanh(x);
  case Op::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case Op::Relu:
    return std::max(x, 0.0);
  case Op::Elu:
    return x > 0 ? x : std::expm1(x);
  case Op::Silu:
    return x / (1 + std::exp(-x));
  case Op::Gelu:
    return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
  case Op::Softplus:
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  case Op::Erf:
    return std::erf(x);
  case Op::Sin:
    return std::sin(x);
  case Op::Cos:
    return std::cos(x);
  default:
    return std::nullopt;
  }
}

static std::optional<double> foldReal(Op op, ArrayRef<double> x) {
  switch (op) {
  case Op::Neg:
    return -x[0];
  case Op::Add:
    return x[0] + x[1];
  case Op::Sub:
    return x[0] - x[1];
  case Op::Mul:
    return x[0] * x[1];
  case Op::Div:
    return x[0] / x[1];
  case Op::Pow:
    return std::pow(x[0], x[1]);
  case Op::Abs:
    return std::fabs(x[0]);
  case Op::Sign:
    return (x[0] > 0) - (x[0] < 0);
  case Op::Min:
    return std::min(x[0], x[1]);
  case Op::Max:
    return std::max(x[0], x[1]);
  case Op::Clamp:
    return std::min(std::max(x[0], x[1]), x[2]);
  case Op::Softcap:
    return x[1] * std::tanh(x[0] / x[1]);
  default:
    return x.size() == 1 ? foldFunction(op, x[0]) : std::nullopt;
  }
}

/// Choices of which the condition alone is constant, and its likes.
static ExprPtr foldLogic(Op op, ArrayRef<ExprPtr> x, SMRange range) {
  auto constant = [&](unsigned i, bool value) {
    return x[i]->isConstant() && x[i]->boolean == value;
  };
  switch (op) {
  case Op::Not:
    return x[0]->isConstant() ? makeBool(!x[0]->boolean, range) : nullptr;
  case Op::And:
  case Op::Or: {
    bool neutral = op == Op::And;
    if (constant(0, neutral))
      return x[1];
    if (constant(1, neutral))
      return x[0];
    return constant(0, !neutral) || constant(1, !neutral)
               ? makeBool(!neutral, range)
               : nullptr;
  }
  case Op::Select: {
    if (!x[0]->isConstant())
      return nullptr;
    // A conversion needs a real beside it, to be seen in the text.
    const ExprPtr &chosen = x[x[0]->boolean ? 1 : 2];
    return chosen->isApply(Op::ToReal) ? nullptr : chosen;
  }
  default:
    return nullptr;
  }
}

ExprPtr foldConstants(Op op, Type type, ArrayRef<ExprPtr> x, SMRange range,
                      FoldProblem &problem) {
  if (op == Op::And || op == Op::Or || op == Op::Not || op == Op::Select)
    return foldLogic(op, x, range);
  if (op == Op::Div && x[1]->isConstant() && x[1]->real == 0) {
    problem = FoldProblem::ZeroDivisor;
    return nullptr;
  }
  if (x.empty() || isRowFunction(op) ||
      !all_of(x, [](const ExprPtr &e) { return e->isConstant(); }))
    return nullptr;
  Type operand = x[0]->type;
  if (op == Op::ToReal)
    return makeReal(double(x[0]->integer), range);
  if (isComparison(op)) {
    bool result =
        operand == Type::Int    ? compare(op, x[0]->integer, x[1]->integer)
        : operand == Type::Real ? compare(op, x[0]->real, x[1]->real)
                                : compare(op, x[0]->boolean, x[1]->boolean);
    return makeBool(result, range);
  }
  if (op == Op::AlibiSlope || op == Op::T5Bucket)
    return nullptr;
  if (type == Type::Int) {
    SmallVector<int64_t> values;
    for (const ExprPtr &e : x)
      values.push_back(e->integer);
    auto result = foldInt(op, values, problem);
    return result ? makeInt(*result, range) : nullptr;
  }
  SmallVector<double> values;
  for (const ExprPtr &e : x)
    values.push_back(e->real);
  auto result = foldReal(op, values);
  if (!result)
    return nullptr;
  if (std::isnan(*result)) {
    problem = FoldProblem::NotANumber;
    return nullptr;
  }
  return makeReal(*result, range);
}

} // namespace attnc::spec
