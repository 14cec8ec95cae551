//===- Interval.cpp - Least and greatest value of an int formula ----------===//

#include "Proof/Interval.h"

using namespace llvm;

namespace attnc::spec {

static __int128 saturatingProduct(__int128 a, __int128 b) {
  __int128 result;
  if (__builtin_mul_overflow(a, b, &result))
    return (a < 0) != (b < 0) ? -Interval::limit : Interval::limit;
  return std::clamp(result, -Interval::limit, Interval::limit);
}

static Interval product(Interval a, Interval b) {
  __int128 corners[] = {
      saturatingProduct(a.low, b.low), saturatingProduct(a.low, b.high),
      saturatingProduct(a.high, b.low), saturatingProduct(a.high, b.high)};
  return Interval::of(*std::min_element(corners, corners + 4),
                      *std::max_element(corners, corners + 4));
}

static __int128 floorDivide(__int128 a, __int128 b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// a // b, b is not 0.
static Interval quotient(Interval a, Interval b) {
  Interval result{Interval::limit, -Interval::limit};
  auto over = [&](__int128 low, __int128 high) { // divisors of one sign
    if (low > high)
      return;
    for (__int128 x : {a.low, a.high})
      for (__int128 y : {low, high}) {
        __int128 q = floorDivide(x, y);
        result = result.join(Interval::of(q, q));
      }
  };
  over(std::max<__int128>(b.low, 1), b.high);
  over(b.low, std::min<__int128>(b.high, -1));
  return result;
}

/// a % b has the sign of b and is nearer to 0.
static Interval remainder(Interval a, Interval b) {
  Interval result = Interval::of(std::min<__int128>(b.low + 1, 0),
                                 std::max<__int128>(b.high - 1, 0));
  if (a.low >= 0 && b.low > 0)
    result.high = std::min(result.high, a.high);
  return result;
}

static Interval absolute(Interval a) {
  __int128 greatest = std::max(-a.low, a.high);
  bool hasZero = a.low <= 0 && a.high >= 0;
  return Interval::of(
      hasZero ? 0 : std::min(std::max(-a.high, a.low), greatest), greatest);
}

static Interval power(Interval base, int64_t exponent) {
  Interval result = Interval::of(1, 1);
  for (int64_t i = 0; i < std::min<int64_t>(exponent, 128); ++i)
    result = product(result, base);
  if (exponent > 128 && (base.low < -1 || base.high > 1))
    return Interval::of(-Interval::limit, Interval::limit);
  if (exponent % 2 == 0)
    result.low = std::max<__int128>(result.low, 0);
  return result;
}

Interval intervalOf(const Expr &e, ArrayRef<Interval> x) {
  switch (e.op) {
  case Op::Neg:
    return Interval::of(-x[0].high, -x[0].low);
  case Op::Add:
    return Interval::of(x[0].low + x[1].low, x[0].high + x[1].high);
  case Op::Sub:
    return Interval::of(x[0].low - x[1].high, x[0].high - x[1].low);
  case Op::Mul:
    return product(x[0], x[1]);
  case Op::FloorDiv:
    return quotient(x[0], x[1]);
  case Op::Mod:
    return remainder(x[0], x[1]);
  case Op::Pow:
    return power(x[0], e.operands[1]->integer);
  case Op::Abs:
    return absolute(x[0]);
  case Op::Sign:
    return Interval::of(x[0].low > 0    ? 1
                        : x[0].low == 0 ? 0
                                        : -1,
                        x[0].high < 0    ? -1
                        : x[0].high == 0 ? 0
                                         : 1);
  case Op::Min:
    return {std::min(x[0].low, x[1].low), std::min(x[0].high, x[1].high)};
  case Op::Max:
    return {std::max(x[0].low, x[1].low), std::max(x[0].high, x[1].high)};
  case Op::Clamp: {
    Interval raised{std::max(x[0].low, x[1].low),
                    std::max(x[0].high, x[1].high)};
    return {std::min(raised.low, x[2].low), std::min(raised.high, x[2].high)};
  }
  case Op::Select:
    return x[0].join(x[1]);
  case Op::Count:
    return Interval::of(0, INT32_MAX);
  case Op::T5Bucket:
    return Interval::of(0, e.operands[1]->integer - 1);
  default:
    return Interval::all();
  }
}

} // namespace attnc::spec
