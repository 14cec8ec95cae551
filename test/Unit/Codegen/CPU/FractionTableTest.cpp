//===- FractionTableTest.cpp - Tests of powers of two in 16 bits ----------===//

#include "Stages/FractionTable.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>

using namespace attnc::cpu;

namespace {

constexpr int kFractions = 256, kSteps = 21;

/// 2^(f / 256) with the fraction of bf16 that an entry of the table gives.
double power(int f, int entry) { return 1 + ((f - entry) >> 1) / 128.0; }

double power(int f) { return power(f, kFractionTable[f / 4]); }

/// The relative error for an exponent that is `step` of 20 parts of a unit from
/// the lower end of those that are rounded to f.
double error(int f, int entry, int step) {
  double exponent = f + double(step) / (kSteps - 1) - 0.5;
  return power(f, entry) / std::exp2(exponent / kFractions) - 1;
}

double squaredErrors(int place, int entry) {
  double sum = 0;
  for (int f = 4 * place; f < 4 * place + 4; ++f)
    for (int step = 0; step < kSteps; ++step)
      sum += std::pow(error(f, entry, step), 2);
  return sum;
}

TEST(FractionTableTest, IntegerExponentsAreExact) { EXPECT_EQ(power(0), 1); }

TEST(FractionTableTest, PowersDoNotFall) {
  for (int f = 1; f < kFractions; ++f)
    EXPECT_GE(power(f), power(f - 1)) << f;
  EXPECT_LT(power(kFractions - 1), 2);
}

TEST(FractionTableTest, ErrorsAreBounded) {
  double largest = 0, squares = 0;
  for (int f = 0; f < kFractions; ++f)
    for (int step = 0; step < kSteps; ++step) {
      double relative = error(f, kFractionTable[f / 4], step);
      largest = std::max(largest, std::abs(relative));
      squares += relative * relative;
    }
  EXPECT_LT(largest, 0.006);
  EXPECT_LT(std::sqrt(squares / (kFractions * kSteps)), 0.002);
}

TEST(FractionTableTest, EachEntryHasTheLeastError) {
  for (int place = 1; place < int(kFractionTable.size()); ++place)
    for (int entry = 0; entry < 32; ++entry)
      EXPECT_LE(squaredErrors(place, kFractionTable[place]),
                squaredErrors(place, entry) + 1e-12)
          << place;
}

} // namespace
