//===- RopeScaling.cpp - Frequencies of rotary embeddings -----------------===//

#include "Tensor/RopeScaling.h"

#include <algorithm>
#include <numbers>

namespace attnc::spec {

static ExprPtr apply(Op op, ExprPtr a, ExprPtr b) {
  return makeApply(op, Type::Real, {std::move(a), std::move(b)});
}

static ExprPtr clampToUnit(ExprPtr x) {
  return makeApply(Op::Clamp, Type::Real,
                   {std::move(x), makeReal(0), makeReal(1)});
}

/// f * (1 - t) + f / factor * t
static ExprPtr blend(const ExprPtr &f, double factor, const ExprPtr &t) {
  ExprPtr kept = apply(Op::Mul, f, apply(Op::Sub, makeReal(1), t));
  ExprPtr slowed = apply(Op::Mul, apply(Op::Mul, f, makeReal(1 / factor)), t);
  return apply(Op::Add, kept, slowed);
}

double RopeScaling::magnitude() const {
  if (kind == Yarn) // sec. 3.4 of the paper
    return attention > 0 ? attention
           : factor <= 1 ? 1
                         : 0.1 * std::log(factor) + 1;
  if (kind == LongRope)
    return factor <= 1 ? 1
                       : std::sqrt(1 + std::log(factor) / std::log(original));
  return 1;
}

/// How far pair c is on the way from kept (0) to divided (1) frequencies.
static ExprPtr yarnRamp(const RopeScaling &scaling, double base, int64_t pairs,
                        const ExprPtr &pair) {
  // The pair that turns so often over the original length.
  auto pairOf = [&](double turns) {
    double wave = scaling.original / (turns * 2 * std::numbers::pi);
    return double(pairs) * std::log(wave) / std::log(base);
  };
  double low = pairOf(scaling.fast), high = pairOf(scaling.slow);
  if (scaling.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, double(2 * pairs - 1));
  double width = high == low ? 0.001 : high - low; // as published
  return clampToUnit(
      apply(Op::Mul, apply(Op::Sub, pair, makeReal(low)), makeReal(1 / width)));
}

ExprPtr frequencyOf(const RopeScaling &scaling, double base, int64_t pairs,
                    const ExprPtr &pair) {
  ExprPtr c = makeApply(Op::ToReal, Type::Real, {pair});
  // base ** (-c / pairs)
  ExprPtr f = makeApply(
      Op::Exp2, Type::Real,
      {apply(Op::Mul, c, makeReal(-std::log2(base) / double(pairs)))});
  switch (scaling.kind) {
  case RopeScaling::None:
  case RopeScaling::LongRope:
    return f;
  case RopeScaling::Linear:
    return apply(Op::Mul, f, makeReal(1 / scaling.factor));
  case RopeScaling::Llama3: {
    // Turns over the original length: at least `high` are kept, at most `low`
    // slowed down.
    ExprPtr turns =
        apply(Op::Mul, f, makeReal(scaling.original / (2 * std::numbers::pi)));
    ExprPtr kept =
        clampToUnit(apply(Op::Mul, apply(Op::Sub, turns, makeReal(scaling.low)),
                          makeReal(1 / (scaling.high - scaling.low))));
    return blend(f, scaling.factor, apply(Op::Sub, makeReal(1), kept));
  }
  case RopeScaling::Yarn:
    return blend(f, scaling.factor, yarnRamp(scaling, base, pairs, c));
  }
  return f;
}

} // namespace attnc::spec
