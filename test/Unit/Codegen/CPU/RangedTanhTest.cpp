//===- RangedTanhTest.cpp - Tests of the polynomial of tanh ---------------===//

#include "Stages/RangedTanh.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace attnc::cpu;

namespace {

/// What the kernel computes in f32, for one x.
struct Evaluated {
  float place, value;
};

Evaluated evaluate(const RangedTanh &ranged, float x) {
  float place = std::fma(x, x, float(-ranged.limit));
  float factor = 0;
  for (size_t i = ranged.coefficients.size(); i-- > 0;)
    factor = std::fma(factor, place, float(ranged.coefficients[i]));
  return {place, x * factor};
}

TEST(RangedTanhTest, ErrorIsBoundedInTheRange) {
  RangedTanh ranged(1, 1);
  double largest = 0;
  for (int i = -95000; i <= 95000; ++i) {
    float x = float(i) / 100000;
    largest = std::max(
        largest, std::abs(evaluate(ranged, x).value - std::tanh(double(x))));
  }
  EXPECT_LE(largest, RangedTanh::kError);
  EXPECT_GE(largest, 0.9 * RangedTanh::kError);
}

TEST(RangedTanhTest, ZeroIsExact) {
  EXPECT_EQ(evaluate(RangedTanh(0.02, 50), 0).value, 0);
}

TEST(RangedTanhTest, SignTellsTheRange) {
  for (double scale : {1.0, 0.0025, 3.0}) {
    RangedTanh ranged(scale, 7);
    float most = float(RangedTanh::kMost / scale);
    for (float sign : {-1.0f, 1.0f}) {
      EXPECT_TRUE(std::signbit(evaluate(ranged, sign * most * 0.9999f).place));
      EXPECT_FALSE(std::signbit(evaluate(ranged, sign * most * 1.0001f).place));
      EXPECT_FALSE(std::signbit(evaluate(ranged, sign * INFINITY).place));
    }
  }
}

TEST(RangedTanhTest, ScaleAndFactorArePartOfTheConstants) {
  RangedTanh ranged(0.0025, 50 * 256 * 1.4427);
  ASSERT_TRUE(ranged.fits());
  for (float x = -380; x <= 380; x += 0.37f)
    EXPECT_NEAR(evaluate(ranged, x).value,
                50 * 256 * 1.4427 * std::tanh(0.0025 * x), 0.42)
        << x;
}

TEST(RangedTanhTest, ConstantsThatF32LacksDoNotFit) {
  EXPECT_FALSE(RangedTanh(1e-8, 1).fits());
  EXPECT_FALSE(RangedTanh(1e20, 1).fits());
}

} // namespace
