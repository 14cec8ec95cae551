//===- FormulaBias.cpp - ALiBi slopes and T5 buckets ----------------------===//
//
// ALiBi (Press, Smith, Lewis 2022) gives head h of n = 2^m heads the slope
// 2^(-max (h + 1) / n). Where n is no power of two, implementations say it in
// two ways. With c the power of two below n:
//   floor (BLOOM): the c slopes of c heads, then places 0, 2, 4 .. of 2 c heads
//   ceil (MPT):    places 1, 3, 5 .. of 2 c heads, then places 0, 2, 4 ..
// (place p of n heads has 2^(-max (p + 1) / n)). Place 2 h + 1 of 2 c heads is
// place h of c heads, so both are the same numbers. The exponent is exact in
// f32 for a `max` that is a power of two.
//
// T5 (Raffel et al. 2020) puts distances up to buckets / 2 in buckets of their
// own and the rest by logarithm. Models were trained with the roundings of f32
// in that logarithm, so the borders between buckets are computed here, at
// compile time, with these roundings, and the kernel only compares integers.
//
//===----------------------------------------------------------------------===//

#include "Formula/FormulaBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace attnc;
using namespace attnc::import;

Value FormulaBuilder::alibiSlope(const spec::Expr &e, Value h, double max) {
  auto add = [&](Value x, int64_t n) -> Value {
    return arith::AddIOp::create(b, x, index(n));
  };
  auto twice = [&](Value x) -> Value {
    return arith::MulIOp::create(b, x, index(2));
  };
  const spec::Size &heads = spec.sizes[spec::Heads];
  if (heads.kind != spec::Size::Fixed || heads.value < 1)
    return refuse(e); // the rules need the number of heads
  auto n = static_cast<uint64_t>(heads.value);
  auto c = static_cast<int64_t>(llvm::bit_floor(n));
  if (llvm::has_single_bit(n)) {
    Value exponent =
        arith::MulFOp::create(b, toReal(add(h, 1)), constant(-max / double(c)));
    return math::Exp2Op::create(b, exponent);
  }
  // The place, from 1, among 2 c heads.
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, h, index(c));
  Value first = add(twice(h), 2);
  Value later = add(twice(arith::SubIOp::create(b, h, index(c))), 1);
  Value place = arith::SelectOp::create(b, isFirst, first, later);
  Value exponent =
      arith::MulFOp::create(b, toReal(place), constant(-max / double(2 * c)));
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

Value FormulaBuilder::t5Bucket(const spec::Expr &e, Value d) {
  int64_t buckets = e.operands[1]->integer;
  int64_t maxDistance = e.operands[2]->integer;
  bool bidirectional = e.operands[3]->boolean;
  constexpr int64_t kMostBuckets = 1024; // each is a comparison per score
  if (buckets > kMostBuckets) {
    hasFailed = true;
    emitError(b.getLoc()) << "'t5_bucket' with " << buckets
                          << " buckets is not supported; at most "
                          << kMostBuckets << " are [unsupported]";
    return zeroOf(e.type);
  }
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
