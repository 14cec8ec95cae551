//===- HalfCasts.cpp - Floats of 16 bits as integers ----------------------===//
//
// Not every device computes in f16, and none in bf16 through Halide, so their
// bits are converted by operations on integers, rounding to nearest even.
// Tests: test/Integration/halide/opencl.test
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

namespace attnc::halide {

static constexpr ScalarType kBits16{Kind::UInt, 16}, kBits{Kind::UInt, 32},
    kSingle{Kind::Float, 32};

Ex Builder::fromHalf(Ex half) {
  auto bits = [&](int64_t number) { return integer(number, kBits); };
  auto all = [&](Ex a, Ex b) { return make(Op::And, kBits, {a, b}); };
  auto left = [&](Ex a, int n) {
    return make(Op::ShiftLeft, kBits, {a, bits(n)});
  };
  Ex wide = cast(make(Op::Bitcast, kBits16, half), kBits);
  if (half.type.kind == Kind::BFloat)
    return bitcast(left(wide, 16), kSingle);
  Ex sign = left(all(wide, bits(0x8000)), 16);
  Ex size = all(wide, bits(0x7fff));
  Ex normal = add(left(size, 13), bits(112 << 23));
  Ex special = make(Op::Or, kBits, {left(size, 13), bits(0x7f800000)});
  // A subnormal is a multiple of 2^-24.
  Ex small = bitcast(
      mul(cast(cast(size, kInt32), kSingle), real(0x1p-24, kSingle)), kBits);
  Ex magnitude = select(less(size, bits(0x0400)), small,
                        select(less(size, bits(0x7c00)), normal, special));
  return bitcast(make(Op::Or, kBits, {magnitude, sign}), kSingle);
}

Ex Builder::toHalf(Ex value, ScalarType type) {
  auto bits = [&](int64_t number) { return integer(number, kBits); };
  auto all = [&](Ex a, Ex b) { return make(Op::And, kBits, {a, b}); };
  auto right = [&](Ex a, int n) {
    return make(Op::ShiftRight, kBits, {a, bits(n)});
  };
  auto rounded = [&](Ex a, int n) { // by n bits
    Ex odd = all(right(a, n), bits(1));
    return right(add(add(a, bits((1 << (n - 1)) - 1)), odd), n);
  };
  Ex whole = bitcast(value, kBits), size = all(whole, bits(0x7fffffff));
  Ex sign = right(all(whole, bits(0x80000000)), 16);
  Ex isNan = less(bits(0x7f800000), size);
  Ex half = size;
  if (type.kind == Kind::BFloat) {
    half = select(isNan, bits(0x7fc0), rounded(size, 16));
  } else {
    // 0.5 has a last bit of 2^-24, to which the sum is rounded.
    Ex sum = add(bitcast(size, kSingle), real(0.5, kSingle));
    Ex small = sub(bitcast(sum, kBits), bits(126 << 23));
    Ex normal = rounded(sub(size, bits(112 << 23)), 13);
    Ex large = select(isNan, bits(0x7e00), bits(0x7c00));
    half = select(less(size, bits(113 << 23)), small,
                  select(less(size, bits(143 << 23)), normal, large));
  }
  Ex stored = cast(make(Op::Or, kBits, {half, sign}), kBits16);
  return make(Op::Bitcast, type, stored);
}

} // namespace attnc::halide
