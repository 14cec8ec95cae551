//===- ExpandMathTrigF64.cpp - sin and cos of f64 as arithmetic -----------===//
//
// For every finite x, in integers (the method of Payne and Hanek): with |x| =
// m 2^e, of the product m 2^e 2/pi only the bits of less than 4 quarter turns
// matter, and they depend on 192 bits of 2/pi, which e tells:
//
//   2/pi      0 ... 0 1 0 1 0 0 0 1 0 1 1 1 1 1 ...
//                     [start     192 bits     )         times m, modulo 2^192
//   product          q q . f f f f f f f f f ...        quadrant and fraction
//
// No double is nearer to a multiple of pi / 2 than 2^-61 quarter turns, so that
// 126 bits of the fraction are enough for it to have 64 right ones. It becomes
// a sum of two doubles, the angle in [-pi/4, pi/4]; sine and cosine take the
// second as a correction (as in fdlibm's kernels). What is less than pi / 4 in
// the first place is the angle itself.
// Tests: test/Codegen/Common/expand-math.mlir, test/Unit/Codegen/Common
//
//===----------------------------------------------------------------------===//

#include "MathCoefficients.h"
#include "MathExpansions.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace attnc::codegen {

namespace {
/// A sum of two, of which the second is about an ulp of the first at most.
struct Twofold {
  Real high, low;
};

struct Angle {
  Bits quadrant; // modulo 4 in its low bits
  Twofold rest;  // in [-pi/4, pi/4]
};

/// A number of several digits of 32 bits, the lowest first, each in 64 bits.
using Digits = SmallVector<Bits>;
} // namespace

static Bits lowDigit(Bits x) { return x & 0xFFFFFFFF; }
static Bits highDigit(Bits x) { return x >> 32; }

/// a + b for |a| >= |b|, or a = 0.
static Twofold fastSum(Real a, Real b) {
  Real sum = a + b;
  return {sum, b - (sum - a)};
}

/// Six digits of 2/pi from the bit `start` of the table on, which is at most
/// 1024. The word in which it lies is found by halves, since a table in memory
/// would have to be read lane by lane.
static Digits bitsOfTwoOverPi(Bits start) {
  SmallVector<Bits> words;
  for (uint64_t word : coefficients::twoOverPi)
    words.push_back(start.constant(static_cast<int64_t>(word)));
  for (size_t step = 16; step > 0; step /= 2) {
    Mask stays = (start & int64_t(64 * step)) == 0;
    size_t needed = step + 3;
    for (size_t i = 0; i < needed && i + step < words.size(); ++i)
      words[i] = select(stays, words[i], words[i + step]);
    words.truncate(needed);
  }
  Bits left = start & 63;
  Bits right = start.constant(63) - left;
  Digits digits;
  for (size_t i : {2, 1, 0}) {
    Bits word = (words[i] << left) | ((words[i + 1] >> 1) >> right);
    digits.push_back(lowDigit(word));
    digits.push_back(highDigit(word));
  }
  return digits;
}

/// The upper four of the lower six digits of m * w, m < 2^53. What is left out
/// below changes the last by 3 at most.
static Digits multiply(Bits m, const Digits &w) {
  Bits low = lowDigit(m), high = highDigit(m);
  Bits carry = highDigit(low * w[1]) + highDigit(high * w[0]);
  Digits digits;
  for (size_t i = 2; i < 6; ++i) {
    Bits a = low * w[i], b = high * w[i - 1];
    Bits sum = carry + lowDigit(a) + lowDigit(b);
    digits.push_back(lowDigit(sum));
    carry = highDigit(sum) + highDigit(a) + highDigit(b);
  }
  return digits;
}

/// The digits times 2^-128, and times pi / 2, in the type of `like`.
static Twofold radians(const Digits &digits, Real like) {
  SmallVector<Real> parts; // the highest first
  for (auto [i, digit] : llvm::enumerate(llvm::reverse(digits))) {
    // In the last bits of 2^(52 - 32 - 32 i), whose ulp is a unit of the digit.
    int exponent = 52 - 32 * (int(i) + 1);
    Bits bits = digit | digit.constant(int64_t(1023 + exponent) << 52);
    parts.push_back(realOf(bits, like) - std::ldexp(1.0, exponent));
  }
  Twofold upper = fastSum(parts[0], parts[1]);
  Twofold lower = fastSum(parts[2], parts[3]);
  Twofold sum = fastSum(upper.high, lower.high);
  Real rest = sum.low + (upper.low + lower.low);
  Real quarter = rest.constant(coefficients::quarterTurn[0]);
  Real product = sum.high * quarter;
  Real error = productError(sum.high, quarter, product);
  Real low = fma(sum.high, rest.constant(coefficients::quarterTurn[1]), error);
  return {product, fma(rest, quarter, low)};
}

/// The angle of a >= 0.
static Angle reduceAngle(Real a) {
  Bits bits = bitsOf(a);
  Bits m = (bits & 0xFFFFFFFFFFFFF) | bits.constant(int64_t(1) << 52);
  // An exponent below that of 1/2 makes some number that is not selected.
  Bits start = (bits >> 52) - 1022;
  Digits product = multiply(m, bitsOfTwoOverPi(start));
  Bits quadrant = (product[3] + (int64_t(1) << 29)) >> 30;

  // The fraction without the two bits of the quadrant, and its size by one's
  // complement.
  Digits fraction;
  for (size_t i = 0; i < 4; ++i) {
    Bits digit = product[i] << 2;
    fraction.push_back(lowDigit(i == 0 ? digit : digit | product[i - 1] >> 30));
  }
  Bits isNegative = fraction[3] >> 31;
  Bits flip = lowDigit(bits.constant(0) - isNegative);
  for (Bits &digit : fraction)
    digit = digit ^ flip;
  Twofold angle = radians(fraction, a);
  Bits sign = isNegative << 63;
  auto withSign = [&](Real x) { return realOf(bitsOf(x) ^ sign, x); };

  Mask isAngle = a < coefficients::quarterTurn[0] / 2;
  return {select(isAngle, bits.constant(0), quadrant),
          {select(isAngle, a, withSign(angle.high)),
           select(isAngle, a.constant(0), withSign(angle.low))}};
}

/// x - x^3 / 6 + ..., x = high + low.
static Real sineOf(Twofold x) {
  Real square = x.high * x.high;
  Real low = fnma(square * 0.5, x.low, x.low);
  Real cube = square * x.high;
  return x.high + fma(cube, polynomial(square, coefficients::sinF64), low);
}

/// 1 - x^2 / 2 + x^4 / 24 - ..., with what the first difference loses.
static Real cosineOf(Twofold x) {
  Real square = x.high * x.high;
  Real half = square * 0.5;
  Real first = 1.0 - half;
  Real lost = (1.0 - first) - half;
  Real rest = fnma(x.high, x.low, lost);
  Real tail = polynomial(square, coefficients::cosF64);
  return first + fma(square * square, tail, rest);
}

/// sin of |x| and `advance` quadrants more.
static Real sinOf(Real x, int64_t advance) {
  Real a = abs(x);
  Angle angle = reduceAngle(a);
  Bits quadrant = angle.quadrant + advance;
  Real value =
      select((quadrant & 1) == 0, sineOf(angle.rest), cosineOf(angle.rest));
  Bits sign = (quadrant & 2) << 62;
  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  return select(a < infinity, realOf(bitsOf(value) ^ sign, x), x.constant(nan));
}

// Odd: by the absolute value, so that sin(-0) is -0.
Real expandSinF64(Real x) {
  Real sine = sinOf(x, 0);
  Bits sign = bitsOf(x).constant(std::numeric_limits<int64_t>::min());
  return realOf(bitsOf(sine) ^ (bitsOf(x) & sign), x);
}

Real expandCosF64(Real x) { return sinOf(x, 1); }

} // namespace attnc::codegen
