//===- Scalars.cpp - Operators and functions of numbers -------------------===//
//
// One line per function of docs/spec-reference.md. min, max, clamp and relu of
// a NaN are NaN. Forms that cancel or overflow where the function does not are
// replaced by equal ones: expm1, log1p, erfc.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <numbers>

namespace attnc::formula {

using spec::Op;

static Number least(Number x, Number y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  return x < y || (x == y && std::signbit(x)) ? x : y;
}

static Number greatest(Number x, Number y) { return -least(-x, -y); }

static Number softplus(Number x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

static Number gelu(Number x) {
  return x / 2 * std::erfc(-x / std::numbers::sqrt2_v<Number>);
}

static Number applyFunction(Op op, Number x) {
  switch (op) {
  case Op::Neg:
    return -x;
  case Op::Abs:
    return std::fabs(x);
  case Op::Sign:
    return x > 0 ? 1 : x < 0 ? -1 : x;
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
    return greatest(x, 0);
  case Op::Elu:
    return x > 0 ? x : std::expm1(x);
  case Op::Silu:
    return x / (1 + std::exp(-x));
  case Op::Gelu:
    return gelu(x);
  case Op::Softplus:
    return softplus(x);
  case Op::Erf:
    return std::erf(x);
  case Op::Sin:
    return std::sin(x);
  default:
    return std::cos(x);
  }
}

Number applyReal(Op op, llvm::ArrayRef<Number> x) {
  switch (op) {
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
  case Op::Min:
    return least(x[0], x[1]);
  case Op::Max:
    return greatest(x[0], x[1]);
  case Op::Clamp:
    return least(greatest(x[0], x[1]), x[2]);
  case Op::Softcap:
    return x[1] * std::tanh(x[0] / x[1]);
  default:
    return applyFunction(op, x[0]);
  }
}

/// Rounds towards minus infinity.
static int64_t floorDivide(int64_t x, int64_t y) {
  int64_t quotient = x / y;
  return quotient - (x % y != 0 && (x < 0) != (y < 0));
}

static int64_t power(int64_t x, int64_t exponent) {
  int64_t result = 1;
  while (exponent > 0) {
    if (exponent & 1)
      result *= x;
    exponent >>= 1;
    if (exponent > 0)
      x *= x;
  }
  return result;
}

int64_t applyInt(Op op, llvm::ArrayRef<int64_t> x) {
  switch (op) {
  case Op::Neg:
    return -x[0];
  case Op::Not:
    return !x[0];
  case Op::And:
    return x[0] && x[1];
  case Op::Or:
    return x[0] || x[1];
  case Op::Add:
    return x[0] + x[1];
  case Op::Sub:
    return x[0] - x[1];
  case Op::Mul:
    return x[0] * x[1];
  case Op::FloorDiv:
    return floorDivide(x[0], x[1]);
  case Op::Mod:
    return x[0] - floorDivide(x[0], x[1]) * x[1];
  case Op::Pow:
    return power(x[0], x[1]);
  case Op::Abs:
    return x[0] < 0 ? -x[0] : x[0];
  case Op::Sign:
    return (x[0] > 0) - (x[0] < 0);
  case Op::Min:
    return std::min(x[0], x[1]);
  case Op::Max:
    return std::max(x[0], x[1]);
  default: // clamp
    return std::min(std::max(x[0], x[1]), x[2]);
  }
}

template <typename T> static bool compare(Op op, T x, T y) {
  switch (op) {
  case Op::Eq:
    return x == y;
  case Op::Ne:
    return x != y;
  case Op::Lt:
    return x < y;
  case Op::Le:
    return x <= y;
  case Op::Gt:
    return x > y;
  default:
    return x >= y;
  }
}

bool compareReals(Op op, Number x, Number y) { return compare(op, x, y); }
bool compareInts(Op op, int64_t x, int64_t y) { return compare(op, x, y); }

// The slopes of the greatest power of two, then every other one of twice as
// many heads; both rules are these numbers.
Number alibiSlope(int64_t h, int64_t heads, Number max) {
  auto whole = int64_t(llvm::bit_floor(uint64_t(heads)));
  if (h < whole)
    return std::exp2(-max * Number(h + 1) / Number(whole));
  return std::exp2(-max * Number(2 * (h - whole) + 1) / Number(2 * whole));
}

int64_t t5Bucket(int64_t distance, int64_t buckets, int64_t maxDistance,
                 bool bidirectional) {
  int64_t first = 0;
  if (bidirectional) { // keys ahead have the upper half
    buckets /= 2;
    first = distance > 0 ? buckets : 0;
    distance = std::abs(distance);
  } else {
    distance = std::max<int64_t>(-distance, 0);
  }
  int64_t exact = buckets / 2;
  if (distance < exact)
    return first + distance;
  auto ratio = float(distance) / float(exact);
  auto range = float(std::log(double(maxDistance) / double(exact)));
  float steps = float(std::log(double(ratio))) / range * float(buckets - exact);
  bool isLast = !(steps < float(buckets - exact));
  return first + (isLast ? buckets - 1 : exact + int64_t(steps));
}

} // namespace attnc::formula
