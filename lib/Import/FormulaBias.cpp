//===- FormulaBias.cpp - ALiBi slopes and T5 buckets ----------------------===//
//
// ALiBi (Press, Smith, Lewis 2022) gives head h of n = 2^m heads the slope
// 2^(-max (h + 1) / n). Where n is no power of two, implementations differ:
//   floor (BLOOM): c = the power below; heads below c as for c heads, head
//                  c + j the slope of place 2 j of 2 c heads
//   ceil (MPT):    c = the power above; the first c / 2 heads are the places
//                  1, 3, 5 .. of c heads, the others the places 0, 2, 4 ..
// (places from 0; place p has 2^(-max (p + 1) / heads)). The exponent is exact
// in f32 for a `max` that is a power of two.
//
// T5 (Raffel et al. 2020) puts distances up to buckets / 2 in buckets of their
// own and the rest by logarithm. Models were trained with the roundings of f32
// in that logarithm, so the borders between buckets are computed here, at
// compile time, with these roundings, and the kernel only compares integers.
//
//===----------------------------------------------------------------------===//

#include "FormulaBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace attnc;
using namespace attnc::import;

// The greatest power of two <= n, for n >= 1: all bits below the top one are
// set, then half of the next power is taken. A size is below 2^31.
Value FormulaBuilder::lowerPowerOfTwo(Value n) {
  APInt known;
  if (matchPattern(n, m_ConstantInt(&known)))
    return index(int64_t(llvm::bit_floor(known.getZExtValue())));
  for (int64_t shift : {1, 2, 4, 8, 16}) {
    Value shifted = arith::ShRUIOp::create(b, n, index(shift));
    n = arith::OrIOp::create(b, n, shifted);
  }
  return arith::SubIOp::create(b, n, arith::ShRUIOp::create(b, n, index(1)));
}

Value FormulaBuilder::alibiSlope(Value h, bool ceil, double max) {
  auto times = [&](Value x, int64_t factor, int64_t plus) -> Value {
    Value product = arith::MulIOp::create(b, x, index(factor));
    return arith::AddIOp::create(b, product, index(plus));
  };
  const spec::Size &heads = spec.sizes[spec::Heads];
  if (heads.kind == spec::Size::Fixed && llvm::isPowerOf2_64(heads.value)) {
    Value exponent = arith::MulFOp::create(b, toReal(times(h, 1, 1)),
                                           constant(-max / heads.value));
    return math::Exp2Op::create(b, exponent);
  }
  Value n = buildSize(spec::Heads);
  Value c = lowerPowerOfTwo(n);
  Value isPower = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, c, n);
  // Of c heads if h is below `first`, else of 2 c heads; from 1.
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, h, c);
  Value rest = arith::SubIOp::create(b, h, c);
  Value place =
      arith::SelectOp::create(b, isFirst, times(h, 1, 1), times(rest, 2, 1));
  Value ofHeads = arith::SelectOp::create(b, isFirst, c, times(c, 2, 0));
  if (ceil) { // always of 2 c heads, whose half is c, unless n is c
    Value ceilPlace =
        arith::SelectOp::create(b, isFirst, times(h, 2, 2), times(rest, 2, 1));
    place = arith::SelectOp::create(b, isPower, place, ceilPlace);
    ofHeads = arith::SelectOp::create(b, isPower, ofHeads, times(c, 2, 0));
  }
  Value part = divide(toReal(place), toReal(ofHeads));
  Value exponent = arith::MulFOp::create(b, part, constant(-max));
  return math::Exp2Op::create(b, exponent);
}

// exact + trunc(log(n / exact) / log(maxDistance / exact) * (buckets - exact)),
// every step rounded to f32. (float)log((double)x) is the rounded logarithm.
static int64_t t5LargeBucket(int64_t n, int64_t buckets, int64_t exact,
                             int64_t maxDistance) {
  auto ratio = static_cast<float>(n) / static_cast<float>(exact);
  auto log = static_cast<float>(std::log(static_cast<double>(ratio)));
  auto range = static_cast<float>(
      std::log(static_cast<double>(maxDistance) / static_cast<double>(exact)));
  float scaled = log / range * static_cast<float>(buckets - exact);
  if (!(scaled < static_cast<float>(buckets))) // also where range is 0
    return buckets - 1;
  return std::min(exact + static_cast<int64_t>(scaled), buckets - 1);
}

std::vector<int64_t> attnc::import::t5Thresholds(int64_t buckets, int64_t exact,
                                                 int64_t maxDistance) {
  std::vector<int64_t> thresholds;
  constexpr int64_t kFarthest = int64_t(1) << 31;
  for (int64_t j = exact + 1; j < buckets; ++j) {
    // The least n with bucket >= j: the bucket grows with n.
    int64_t low = exact, high = kFarthest;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (t5LargeBucket(middle, buckets, exact, maxDistance) >= j)
        high = middle;
      else
        low = middle + 1;
    }
    thresholds.push_back(low);
  }
  return thresholds;
}

Value FormulaBuilder::t5Bucket(Value d, int64_t buckets, int64_t maxDistance,
                               bool bidirectional) {
  Value zero = index(0), one = index(1);
  Value minusD = arith::SubIOp::create(b, zero, d);
  Value base = zero, distance;
  if (bidirectional) { // keys ahead get the upper half
    buckets /= 2;
    Value ahead = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, d, zero);
    base = arith::SelectOp::create(b, ahead, index(buckets), zero);
    distance = arith::MaxSIOp::create(b, d, minusD);
  } else {
    distance = arith::MaxSIOp::create(b, minusD, zero);
  }
  int64_t exact = buckets / 2;
  Value bucket = arith::MinSIOp::create(b, distance, index(exact));
  bucket = arith::AddIOp::create(b, base, bucket);
  for (int64_t threshold : t5Thresholds(buckets, exact, maxDistance)) {
    Value reached = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                          distance, index(threshold));
    Value step = arith::SelectOp::create(b, reached, one, zero);
    bucket = arith::AddIOp::create(b, bucket, step);
  }
  return bucket;
}
