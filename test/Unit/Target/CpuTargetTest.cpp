//===- CpuTargetTest.cpp - Tests of the CPU levels ------------------------===//

#include "attnc/Target/Target.h"

#include "llvm/ADT/SmallVector.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

llvm::StringMap<bool> featuresOf(const CpuTarget &target) {
  llvm::StringMap<bool> features;
  llvm::SmallVector<llvm::StringRef> names;
  target.requiredFeatures.split(names, ' ');
  for (llvm::StringRef name : names)
    features[name] = true;
  features["sse2"] = true;
  return features;
}

TEST(CpuTargetTest, EveryNameIsFound) {
  for (const CpuTarget &target : getCpuTargets())
    EXPECT_EQ(lookupCpuTarget(target.name), &target) << target.name.str();
}

TEST(CpuTargetTest, UnknownNamesAreNotFound) {
  EXPECT_EQ(lookupCpuTarget("native"), nullptr);
  EXPECT_EQ(lookupCpuTarget(""), nullptr);
  EXPECT_EQ(lookupCpuTarget("x86-64-v"), nullptr);
}

TEST(CpuTargetTest, ListsTheNamesInOrder) {
  EXPECT_EQ(listCpuTargetNames(),
            "x86-64, x86-64-v3, x86-64-v4, sapphirerapids");
}

TEST(CpuTargetTest, FindsWhatWasMeant) {
  EXPECT_EQ(findSimilarCpuTarget("x86-64-v33"), "x86-64-v3");
  EXPECT_EQ(findSimilarCpuTarget("x86-64-v2"), "x86-64");
  EXPECT_EQ(findSimilarCpuTarget("x86_64_v4"), "x86-64-v4");
  EXPECT_EQ(findSimilarCpuTarget("SapphireRapid"), "sapphirerapids");
  EXPECT_EQ(findSimilarCpuTarget("cortex-a72"), "");
}

TEST(CpuTargetTest, LanesAndPeakFollowFromTheRegister) {
  const CpuTarget &sse2 = *lookupCpuTarget("x86-64");
  const CpuTarget &v3 = *lookupCpuTarget("x86-64-v3");
  const CpuTarget &v4 = *lookupCpuTarget("x86-64-v4");
  EXPECT_EQ(sse2.lanesF32(), 4u);
  EXPECT_EQ(v3.lanesF32(), 8u);
  EXPECT_EQ(v4.lanesF32(), 16u);
  EXPECT_EQ(v4.lanesF64(), 8u);
  EXPECT_EQ(sse2.flopsPerCycle(32), 8u);
  EXPECT_EQ(v3.flopsPerCycle(32), 32u);
  EXPECT_EQ(v4.flopsPerCycle(32), 64u);
  EXPECT_EQ(v4.flopsPerCycle(64), 32u);
}

TEST(CpuTargetTest, EachLevelRunsTheCodeOfTheOnesBefore) {
  for (const CpuTarget &host : getCpuTargets())
    for (const CpuTarget &target : getCpuTargets())
      EXPECT_EQ(findMissingFeature(target, featuresOf(host)).empty(),
                &target <= &host)
          << target.name.str() << " on " << host.name.str();
}

TEST(CpuTargetTest, NativeIsTheLastLevelThatRuns) {
  for (const CpuTarget &host : getCpuTargets())
    EXPECT_EQ(&selectCpuTarget(featuresOf(host)), &host);
}

TEST(CpuTargetTest, NativeWithoutOneFeatureIsTheLevelBelow) {
  llvm::StringMap<bool> features = featuresOf(*lookupCpuTarget("x86-64-v4"));
  features["avx512vl"] = false;
  EXPECT_EQ(selectCpuTarget(features).name, "x86-64-v3");
  EXPECT_EQ(findMissingFeature(*lookupCpuTarget("x86-64-v4"), features),
            "avx512vl");
}

TEST(CpuTargetTest, NativeOfAnUnknownHostIsTheBaseline) {
  EXPECT_EQ(selectCpuTarget({}).name, "x86-64");
}

TEST(CpuTargetTest, RequiredFeaturesAreNamesThatTheHostCanReport) {
  // A misspelt feature would silently lower every `native` to a weaker level.
  llvm::StringMap<bool> host = getHostFeatures();
  if (host.empty())
    GTEST_SKIP() << "no CPUID here";
  for (const CpuTarget &target : getCpuTargets()) {
    llvm::SmallVector<llvm::StringRef> names;
    target.requiredFeatures.split(names, ' ');
    for (llvm::StringRef name : names)
      EXPECT_TRUE(host.count(name)) << name.str();
  }
}

} // namespace
