//===- CpuFeaturesTest.cpp - Tests of features as bits of CPUID -----------===//

#include "CpuFeatures.h"

#include "Abi/cpu.h"

#include "attnc/Target/Target.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

CodegenTarget requiring(llvm::StringRef names) {
  CodegenTarget target =
      makeCodegenTarget(*lookupTarget("x86-64"), getHostPlatform());
  target.requiredFeatures = names.str();
  return target;
}

CpuNeeds needs(llvm::StringRef names) {
  llvm::Expected<CpuNeeds> result = cpuNeeds(requiring(names));
  EXPECT_TRUE(static_cast<bool>(result)) << names.str();
  return result ? *result : CpuNeeds();
}

TEST(CpuFeaturesTest, NothingNeedsNothing) { EXPECT_EQ(needs(""), CpuNeeds()); }

TEST(CpuFeaturesTest, AVectorExtensionNeedsTheSystem) {
  CpuNeeds avx2 = needs("avx2");
  EXPECT_EQ(avx2[ATTNC_CPU_7_EBX], 1u << 5);
  EXPECT_EQ(avx2[ATTNC_CPU_XCR0], 0x6u);
  EXPECT_EQ(avx2[ATTNC_CPU_1_ECX], 1u << 27); // OSXSAVE
  EXPECT_EQ(needs("avx2 avx512f")[ATTNC_CPU_XCR0], 0xe6u);
  EXPECT_EQ(needs("amx-tile")[ATTNC_CPU_XCR0], 0x60000u);
  EXPECT_EQ(needs("bmi")[ATTNC_CPU_XCR0], 0u);
}

TEST(CpuFeaturesTest, KnowsAllThatTheLevelsNeed) {
  for (const Platform &platform : getPlatforms())
    for (const Target &level : platform.levels) {
      llvm::Expected<CpuNeeds> result =
          cpuNeeds(makeCodegenTarget(level, platform));
      EXPECT_TRUE(static_cast<bool>(result)) << level.name.str();
    }
}

TEST(CpuFeaturesTest, RefusesAFeatureItCannotCheck) {
  llvm::Expected<CpuNeeds> result = cpuNeeds(requiring("sse2 egpr"));
  ASSERT_FALSE(result);
  EXPECT_EQ(llvm::toString(result.takeError()),
            "no call can check the feature 'egpr' on x86_64");
}

} // namespace
