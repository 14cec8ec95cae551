//===- HalideWordsTest.cpp - Tests of Halide's words for processors -------===//

#include "attnc/Target/HalideWords.h"
#include "attnc/Target/Platform.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

TEST(HalideWordsTest, EveryCpuHasWords) {
  for (const Platform &platform : getPlatforms())
    for (const Target &level : platform.levels)
      if (level.kind == TargetKind::Cpu)
        EXPECT_TRUE(findHalideWords(level)) << level.name.str();
}

TEST(HalideWordsTest, LevelsOfOneInstructionSetShareThem) {
  HalideWords words = *findHalideWords(*lookupTarget("x86-64-v3"));
  EXPECT_EQ(words.platform, "x86-64-linux");
  EXPECT_TRUE(words.features.contains("-avx2"));
  EXPECT_FALSE(words.features.contains("avx512"));
  EXPECT_EQ(findHalideWords(*lookupTarget("zen4"))->features,
            findHalideWords(*lookupTarget("x86-64-v4"))->features);
}

TEST(HalideWordsTest, DevicesHaveThoseOfTheirInterface) {
  EXPECT_EQ(findHalideWords(*lookupTarget("metal"))->features, "-metal");
  EXPECT_FALSE(findHalideWords(*lookupTarget("sm_90a")));
}

} // namespace
