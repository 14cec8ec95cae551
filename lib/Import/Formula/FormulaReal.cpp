//===- FormulaReal.cpp - Real arithmetic and elementwise functions --------===//
//
// A constant of a formula is computed in f64 and rounded once to the type of
// reals. min, max, clamp and relu give NaN if an argument is one, as the array
// libraries do, and -0 < +0 for them. sign keeps a zero and a NaN.
//
// Functions that are not one op, with the reason for the form chosen:
//   sigmoid   1 / (1 + exp(-x))            no cancellation; exp = inf gives 0
//   silu      x / (1 + exp(-x))            one rounding less than x * sigmoid
//   elu       x > 0 ? x : expm1(x)         exp(x) - 1 cancels near 0
//   softplus  max(x, 0) + log1p(exp(-|x|)) never overflows
//   gelu      see there
//   x ** y    see power()
//
//===----------------------------------------------------------------------===//

#include "Formula/FormulaBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;
using namespace attnc;
using namespace attnc::import;
using spec::Expr;
using Fn = spec::Op;

Value FormulaBuilder::constant(double value) {
  return constant(b.getFloatAttr(real, value));
}

Value FormulaBuilder::divide(Value value, Value divisor) {
  return arith::DivFOp::create(b, value, divisor);
}

// x / sum(x) is 0 where the sum is 0.
Value FormulaBuilder::divideBySum(Value value, Value sum) {
  Value zero = constant(0);
  Value isZero = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, zero);
  return arith::SelectOp::create(b, isZero, zero, divide(value, sum));
}

Value FormulaBuilder::zeroWhereNothing(Value score, Value weight) {
  Value nothing = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, score,
                                        constant(-HUGE_VAL));
  return arith::SelectOp::create(b, nothing, constant(0), weight);
}

Value FormulaBuilder::unlessMasked(Value allowed, Value score) {
  return arith::SelectOp::create(b, allowed, score, constant(-HUGE_VAL));
}

Value FormulaBuilder::keepGreatest(Value x, Value least, Value key) {
  using F = arith::CmpFPredicate;
  // Not less: a NaN counts as greater than all numbers.
  Value above = arith::CmpFOp::create(b, F::UGT, x, least);
  Value equal = arith::CmpFOp::create(b, F::OEQ, x, least);
  Value before =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sle, scope.k, key);
  Value kept =
      arith::OrIOp::create(b, above, arith::AndIOp::create(b, equal, before));
  return arith::SelectOp::create(b, kept, x, constant(-HUGE_VAL));
}

Value FormulaBuilder::excess(Value x, Value threshold) {
  Value above = arith::SubFOp::create(b, x, threshold);
  return arith::MaximumFOp::create(b, above, constant(0));
}

Value FormulaBuilder::buildReal(const Expr &e, ArrayRef<Value> x) {
  switch (e.op) {
  case Fn::Div:
    if (spec::isSumOfRow(*e.operands[1]))
      return divideBySum(x[0], x[1]);
    break;
  case Fn::Pow:
    return power(e, x[0], x[1]);
  case Fn::Softcap:
    return softcap(x[0], x[1]);
  default:
    break;
  }
  Value value = realArithmetic(e.op, x);
  if (!value && x.size() == 1)
    value = realFunction(e.op, x[0]);
  return value ? value : refuse(e);
}

// Null if `op` is no arithmetic.
Value FormulaBuilder::realArithmetic(Fn op, ArrayRef<Value> x) {
  switch (op) {
  case Fn::Neg:
    return arith::NegFOp::create(b, x[0]);
  case Fn::Add:
    return arith::AddFOp::create(b, x[0], x[1]);
  case Fn::Sub:
    return arith::SubFOp::create(b, x[0], x[1]);
  case Fn::Mul:
    return arith::MulFOp::create(b, x[0], x[1]);
  case Fn::Div:
    return divide(x[0], x[1]);
  case Fn::Min:
    return arith::MinimumFOp::create(b, x[0], x[1]);
  case Fn::Max:
    return arith::MaximumFOp::create(b, x[0], x[1]);
  case Fn::Clamp: {
    Value low = arith::MaximumFOp::create(b, x[0], x[1]);
    return arith::MinimumFOp::create(b, low, x[2]);
  }
  case Fn::Sign: {
    Value zero = constant(0);
    Value below =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x[0], zero);
    Value above =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x[0], zero);
    Value sign = arith::SelectOp::create(b, below, constant(-1), x[0]);
    return arith::SelectOp::create(b, above, constant(1), sign);
  }
  default:
    return {};
  }
}

// Null if `op` is no function of one real.
Value FormulaBuilder::realFunction(Fn op, Value x) {
  // 1 + exp(-x)
  auto onePlusExp = [&]() -> Value {
    Value exp = math::ExpOp::create(b, arith::NegFOp::create(b, x));
    return arith::AddFOp::create(b, exp, constant(1));
  };
  switch (op) {
  case Fn::Abs:
    return math::AbsFOp::create(b, x);
  case Fn::Floor:
    return math::FloorOp::create(b, x);
  case Fn::Ceil:
    return math::CeilOp::create(b, x);
  case Fn::Exp:
    return math::ExpOp::create(b, x);
  case Fn::Exp2:
    return math::Exp2Op::create(b, x);
  case Fn::Log:
    return math::LogOp::create(b, x);
  case Fn::Log1p:
    return math::Log1pOp::create(b, x);
  case Fn::Sqrt:
    return math::SqrtOp::create(b, x);
  case Fn::Rsqrt:
    return math::RsqrtOp::create(b, x);
  case Fn::Tanh:
    return math::TanhOp::create(b, x);
  case Fn::Erf:
    return math::ErfOp::create(b, x);
  case Fn::Sin:
    return math::SinOp::create(b, x);
  case Fn::Cos:
    return math::CosOp::create(b, x);
  case Fn::Sigmoid:
    return divide(constant(1), onePlusExp());
  case Fn::Silu:
    return divide(x, onePlusExp());
  case Fn::Relu:
    return arith::MaximumFOp::create(b, x, constant(0));
  case Fn::Elu: {
    Value above =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, constant(0));
    Value below = math::ExpM1Op::create(b, x);
    return arith::SelectOp::create(b, above, x, below);
  }
  case Fn::Softplus: {
    Value size = math::AbsFOp::create(b, x);
    Value exp = math::ExpOp::create(b, arith::NegFOp::create(b, size));
    Value bend = math::Log1pOp::create(b, exp);
    Value line = arith::MaximumFOp::create(b, x, constant(0));
    return arith::AddFOp::create(b, line, bend);
  }
  case Fn::Gelu:
    return gelu(x);
  default:
    return {};
  }
}

Value FormulaBuilder::normalized(const Expr &e) {
  Value length = math::SqrtOp::create(b, build(e));
  if (e.operands[1]->real > 0)
    length =
        arith::MaximumFOp::create(b, length, constant(e.operands[1]->real));
  return divide(build(*e.operands[0]), length);
}

Value FormulaBuilder::softcap(Value x, Value cap) {
  Value tanh = math::TanhOp::create(b, divide(x, cap));
  return arith::MulFOp::create(b, tanh, cap);
}

// x/2 * erfc(y), y = -x / sqrt 2: 1 + erf cancels for negative x. There erfc
// is so steep that the rounding of y alone costs 2 y^2 ulp, hence y + d with
// d the rest of the product, and erfc(y + d) = erfc(y) - d 2/sqrt(pi) exp(-y^2)
// to the last bit.
Value FormulaBuilder::gelu(Value x) {
  const double factor = -std::numbers::sqrt2 / 2;
  const double high = real.isF64() ? factor : static_cast<float>(factor);
  const auto low = double(-std::numbers::sqrt2_v<long double> / 2 - high);
  // Outside, erfc is 0 or 2, and d would be infinity - infinity.
  const double edge = real.isF64() ? 40 : 15;
  Value inside = arith::MaximumFOp::create(b, x, constant(-edge));
  inside = arith::MinimumFOp::create(b, inside, constant(edge));
  Value y = arith::MulFOp::create(b, inside, constant(high));
  Value rest = math::FmaOp::create(b, inside, constant(high),
                                   arith::NegFOp::create(b, y));
  Value d = math::FmaOp::create(b, inside, constant(low), rest);
  Value square = arith::MulFOp::create(b, y, y);
  Value slope = arith::MulFOp::create(
      b, math::ExpOp::create(b, arith::NegFOp::create(b, square)),
      constant(-2 * std::numbers::inv_sqrtpi));
  Value erfc = math::FmaOp::create(b, slope, d, math::ErfcOp::create(b, y));
  Value half = arith::MulFOp::create(b, x, constant(0.5));
  return arith::MulFOp::create(b, half, erfc);
}

//===----------------------------------------------------------------------===//
// x ** y
//===----------------------------------------------------------------------===//

// Products for small integers and square roots for halves: at most 4 ulp up to
// x ** 4, 6 ulp up to x ** 8, and exact where the products are. Else by exp2
// and log2, whose relative error grows with the size of the exponent: about
// |log2 of the result| / 2 ulp.
Value FormulaBuilder::power(const Expr &e, Value x, Value y) {
  const Expr &base = *e.operands[0], &exponent = *e.operands[1];
  constexpr double kMostFactors = 8;
  if (exponent.isConstant()) {
    double twice = exponent.real * 2;
    if (twice == std::floor(twice) && std::abs(exponent.real) <= kMostFactors)
      return powerOf(x, exponent.real);
  }
  if (base.isConstant() && base.real == 1)
    return constant(1); // whatever y is, NaN and infinities included
  if (base.isConstant() && base.real > 0 && std::isfinite(base.real)) {
    Value log2 = constant(std::log2(base.real));
    return math::Exp2Op::create(b, arith::MulFOp::create(b, y, log2));
  }
  return anyPower(e, x, y);
}

// log2 |x|. y times it takes its error up y times, for a decay all alike from
// the first key on; where it is computed once for all rows and keys it is
// therefore rounded correctly, which costs nothing there.
Value FormulaBuilder::log2OfSize(const Expr &e, Value x) {
  Value size = math::AbsFOp::create(b, x);
  bool varies = usesRow(e, spec::Row::Q) || usesRow(e, spec::Row::K) ||
                usesRow(e, spec::Row::V) || dependsOn(e, spec::Variable::I) ||
                dependsOn(e, spec::Variable::Q) ||
                dependsOn(e, spec::Variable::K);
  if (varies || real.isF64())
    return math::Log2Op::create(b, size);
  Value wide = arith::ExtFOp::create(b, b.getF64Type(), size);
  return arith::TruncFOp::create(b, real, math::Log2Op::create(b, wide));
}

// `exponent` is a multiple of 1/2.
Value FormulaBuilder::powerOf(Value x, double exponent) {
  double size = std::abs(exponent);
  auto whole = static_cast<int64_t>(size);
  Value power;
  auto times = [&](Value factor) {
    power =
        power ? arith::MulFOp::create(b, power, factor).getResult() : factor;
  };
  if (size != double(whole)) {
    // C's pow of -0 and -inf is that of 0 and inf; sqrt keeps the sign of -0,
    // and has no value at -inf.
    Value isLowest = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x,
                                           constant(-HUGE_VAL));
    x = arith::SelectOp::create(b, isLowest, constant(HUGE_VAL),
                                arith::AddFOp::create(b, x, constant(0)));
    if (exponent == -0.5)
      return math::RsqrtOp::create(b, x);
    times(math::SqrtOp::create(b, x));
  }
  Value square = x;
  for (; whole > 0; whole >>= 1) {
    if (whole & 1)
      times(square);
    if (whole > 1)
      square = arith::MulFOp::create(b, square, square);
  }
  if (!power)
    power = constant(1);
  return exponent < 0 ? divide(constant(1), power) : power;
}

// C's pow up to the size of the error (C99 F.10.4.4): x ** 0 and 1 ** y are 1
// even for a NaN; a negative base, -0 included, has the sign of an odd
// exponent; a finite negative base has a power for integers only.
Value FormulaBuilder::anyPower(const Expr &e, Value x, Value y) {
  using F = arith::CmpFPredicate;
  auto compare = [&](F predicate, Value a, Value c) -> Value {
    return arith::CmpFOp::create(b, predicate, a, c);
  };
  auto choose = [&](Value c, Value a, Value d) -> Value {
    return arith::SelectOp::create(b, c, a, d);
  };
  const Expr &base = *e.operands[0];
  bool isInteger = e.operands[1]->isApply(Fn::ToReal);
  Value zero = constant(0), one = constant(1);
  Value log = log2OfSize(base, x);
  Value factor = isInteger ? y : asFinite(y);
  Value size = math::Exp2Op::create(b, arith::MulFOp::create(b, factor, log));

  Value half = arith::MulFOp::create(b, y, constant(0.5));
  Value isEven = compare(F::OEQ, half, math::FloorOp::create(b, half));
  Value negated = arith::NegFOp::create(b, size);
  Value ofNegative = choose(isEven, size, negated);
  if (!isInteger) {
    Value isWhole = compare(F::OEQ, y, math::FloorOp::create(b, y));
    Value isInfinite = compare(F::OEQ, x, constant(-HUGE_VAL));
    Value isZero = compare(F::OEQ, x, zero);
    Value isLimit = arith::OrIOp::create(b, isInfinite, isZero);
    Value nan = constant(std::nan(""));
    ofNegative = choose(isWhole, ofNegative, choose(isLimit, size, nan));
  }
  Value sign = math::CopySignOp::create(b, one, x);
  Value power = choose(compare(F::OLT, sign, zero), ofNegative, size);
  power = choose(compare(F::OEQ, x, one), one, power);
  return choose(compare(F::OEQ, y, zero), one, power);
}

// The greatest number in the place of an infinite one: times log2 1 it is 0,
// times any other logarithm infinite as before.
Value FormulaBuilder::asFinite(Value y) {
  double most = real.isF64() ? std::numeric_limits<double>::max()
                             : double(std::numeric_limits<float>::max());
  Value low = arith::MaximumFOp::create(b, y, constant(-most));
  return arith::MinimumFOp::create(b, low, constant(most));
}
