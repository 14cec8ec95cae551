//===- CpuFeaturesTest.cpp - Tests of features as bits of CPUID -----------===//

#include "CpuFeatures.h"

#include "Abi/cpu.h"

#include "attnc/Target/Target.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

CpuNeeds needs(llvm::StringRef names) {
  llvm::Expected<CpuNeeds> result = cpuNeeds(names);
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
  for (const Target &target : getTargets())
    needs(target.requiredFeatures);
}

TEST(CpuFeaturesTest, RefusesAFeatureItCannotCheck) {
  llvm::Expected<CpuNeeds> result = cpuNeeds("sse2 egpr");
  ASSERT_FALSE(result);
  EXPECT_EQ(llvm::toString(result.takeError()),
            "no bit of CPUID is known for the feature 'egpr'");
}

} // namespace
