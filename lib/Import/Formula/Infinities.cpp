//===- Infinities.cpp - Scores of -inf ------------------------------------===//

#include "Formula/Infinities.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cmath>

using namespace attnc;
using spec::Expr;
using Fn = spec::Op;

static bool isFiniteConstant(const Expr &e) {
  return e.isConstant() &&
         (e.type != spec::Type::Real || std::isfinite(e.real));
}

using Seen = llvm::SmallPtrSet<const Expr *, 16>;

/// A node seen before cannot be infinite, or the answer is known already.
static bool canBeInfinite(const Expr &e, Seen &seen) {
  if (!seen.insert(&e).second)
    return false;
  switch (e.kind) {
  case Expr::Constant:
    return !isFiniteConstant(e);
  case Expr::Load: // biases are often masks
    return e.type == spec::Type::Real;
  case Expr::Apply:
    break;
  default:
    return false;
  }
  auto anyOperand = [&] {
    return llvm::any_of(e.operands, [&](const spec::ExprPtr &operand) {
      return canBeInfinite(*operand, seen);
    });
  };
  switch (e.op) {
  case Fn::Dot:
  case Fn::ToReal:
  case Fn::Sign:
  case Fn::Tanh:
  case Fn::Sigmoid:
  case Fn::Erf:
  case Fn::Sin:
  case Fn::Cos:
  case Fn::AlibiSlope:
    return false;
  case Fn::Neg:
  case Fn::Add:
  case Fn::Sub:
  case Fn::Mul:
  case Fn::Select:
  case Fn::Abs:
  case Fn::Min:
  case Fn::Max:
  case Fn::Clamp:
  case Fn::Floor:
  case Fn::Ceil:
  case Fn::Sqrt:
  case Fn::Relu:
  case Fn::Elu:
  case Fn::Silu:
  case Fn::Gelu:
  case Fn::Softplus:
    return anyOperand();
  case Fn::Softcap:
    return canBeInfinite(*e.operands[1], seen);
  case Fn::Div: {
    bool known = isFiniteConstant(*e.operands[1]) && e.operands[1]->real != 0;
    return !known || canBeInfinite(*e.operands[0], seen);
  }
  default: // exp, log, powers
    return true;
  }
}

bool attnc::import::canBeInfinite(const Expr &e) {
  Seen seen;
  return ::canBeInfinite(e, seen);
}

static std::optional<double> ofOne(Fn op, double x) {
  switch (op) {
  case Fn::Neg:
    return -x;
  case Fn::Exp:
    return std::exp(x);
  case Fn::Exp2:
    return std::exp2(x);
  case Fn::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case Fn::Relu:
    return std::fmax(x, 0);
  case Fn::Softplus:
    return x < 0 ? std::log1p(std::exp(x)) : x + std::log1p(std::exp(-x));
  case Fn::Abs:
    return std::fabs(x);
  case Fn::Tanh:
    return std::tanh(x);
  case Fn::Sqrt:
    return std::sqrt(x);
  default:
    return std::nullopt;
  }
}

static std::optional<double> ofTwo(Fn op, double x, double y) {
  switch (op) {
  case Fn::Add:
    return x + y;
  case Fn::Sub:
    return x - y;
  case Fn::Mul:
    return x * y;
  case Fn::Div:
    return x / y;
  case Fn::Min:
    return std::fmin(x, y);
  case Fn::Max:
    return std::fmax(x, y);
  case Fn::Pow:
    return std::pow(x, y);
  default:
    return std::nullopt;
  }
}

// A size of rows and keys that exist is positive; a sum that is 0 makes a
// quotient 0.
static bool isHarmlessDivisor(const Expr &e) {
  if (e.isApply(Fn::ToReal))
    return isHarmlessDivisor(*e.operands[0]);
  return e.kind == Expr::Size || spec::isSumOfRow(e);
}

using Values = llvm::DenseMap<const Expr *, std::optional<double>>;

static std::optional<double> valueAt(const Expr &e, const Expr &score,
                                     Values &known);

static std::optional<double> computeAt(const Expr &e, const Expr &score,
                                       Values &known) {
  if (spec::sameExpr(e, score))
    return -HUGE_VAL;
  if (e.isConstant() && e.type != spec::Type::Bool)
    return e.type == spec::Type::Real ? e.real : double(e.integer);
  if (e.kind != Expr::Apply || e.operands.empty())
    return std::nullopt;
  const Expr &last = *e.operands.back();
  if (e.op == Fn::Select) {
    auto a = valueAt(*e.operands[1], score, known);
    auto b = valueAt(last, score, known);
    return a && b && *a == *b ? a : std::nullopt;
  }
  auto first = valueAt(*e.operands[0], score, known);
  if (!first || std::isnan(*first))
    return std::nullopt;
  if (e.op == Fn::Softmax || e.op == Fn::Sparsemax)
    return *first == -HUGE_VAL ? std::optional<double>(0) : std::nullopt;
  if (e.op == Fn::TopK) // -inf or itself
    return *first == -HUGE_VAL ? first : std::nullopt;
  if (e.op == Fn::ToReal)
    return first;
  if (e.op == Fn::Div && *first == 0 && isHarmlessDivisor(last))
    return 0;
  if (e.operands.size() == 1)
    return ofOne(e.op, *first);
  auto second = valueAt(last, score, known);
  return second && e.operands.size() == 2 ? ofTwo(e.op, *first, *second)
                                          : std::nullopt;
}

static std::optional<double> valueAt(const Expr &e, const Expr &score,
                                     Values &known) {
  if (auto found = known.find(&e); found != known.end())
    return found->second;
  std::optional<double> value = computeAt(e, score, known);
  return known[&e] = value;
}

std::optional<double> attnc::import::valueAtMinusInfinity(const Expr &e,
                                                          const Expr &score) {
  Values known;
  return valueAt(e, score, known);
}
