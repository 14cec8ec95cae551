//===- NeutralTargetTest.cpp - Tests of the machine of stage fused --------===//

#include "attnc/Target/NeutralTarget.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

constexpr double kLarge = 1e9; // bytes

TEST(NeutralTargetTest, IsTheDefaultLevelByDefault) {
  NeutralTarget neutral;
  const Target &level = *lookupTarget("x86-64-v3");
  for (double bytes : {1e3, kLarge})
    EXPECT_NEAR(neutral.get().bytesPerCycle(bytes) / level.bytesPerCycle(bytes),
                1, 0.01);
}

TEST(NeutralTargetTest, TheRidgeSaysWhereBothLimitsMeet) {
  NeutralTarget neutral(20);
  Roofline roofline = neutral.get().roofline(DType::F32);
  double flops = 20 * kLarge;
  EXPECT_DOUBLE_EQ(roofline.cycles(flops, kLarge),
                   flops / roofline.flopsPerCycle);
  EXPECT_GT(roofline.cycles(flops, 1.1 * kLarge),
            flops / roofline.flopsPerCycle);
  EXPECT_DOUBLE_EQ(roofline.cycles(1.1 * flops, kLarge),
                   1.1 * flops / roofline.flopsPerCycle);
}

} // namespace
