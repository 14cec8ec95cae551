//===- TargetTest.cpp - Tests of the table of processors ------------------===//

#include "attnc/Target/Target.h"

#include "llvm/ADT/SmallVector.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

llvm::StringMap<bool> featuresOf(const Target &target) {
  llvm::StringMap<bool> features;
  llvm::SmallVector<llvm::StringRef> names;
  target.requiredFeatures.split(names, ' ');
  for (llvm::StringRef name : names)
    features[name] = true;
  features["sse2"] = true;
  return features;
}

TEST(TargetTest, EveryNameIsFound) {
  for (const Target &target : getTargets())
    EXPECT_EQ(lookupTarget(target.name), &target) << target.name.str();
}

TEST(TargetTest, UnknownNamesAreNotFound) {
  EXPECT_EQ(lookupTarget("native"), nullptr);
  EXPECT_EQ(lookupTarget(""), nullptr);
  EXPECT_EQ(lookupTarget("x86-64-v"), nullptr);
}

TEST(TargetTest, ListsTheNamesInOrder) {
  EXPECT_EQ(listTargetNames(), "x86-64, x86-64-v3, x86-64-v4, sapphirerapids");
}

TEST(TargetTest, FindsWhatWasMeant) {
  EXPECT_EQ(findSimilarTarget("x86-64-v33"), "x86-64-v3");
  EXPECT_EQ(findSimilarTarget("x86-64-v2"), "x86-64");
  EXPECT_EQ(findSimilarTarget("x86_64_v4"), "x86-64-v4");
  EXPECT_EQ(findSimilarTarget("SapphireRapid"), "sapphirerapids");
  EXPECT_EQ(findSimilarTarget("cortex-a72"), "");
}

TEST(TargetTest, LanesAndPeakFollowFromTheRegister) {
  const Target &sse2 = *lookupTarget("x86-64");
  const Target &v3 = *lookupTarget("x86-64-v3");
  const Target &v4 = *lookupTarget("x86-64-v4");
  EXPECT_EQ(sse2.cpu.lanes(32), 4u);
  EXPECT_EQ(v3.cpu.lanes(32), 8u);
  EXPECT_EQ(v4.cpu.lanes(32), 16u);
  EXPECT_EQ(v4.cpu.lanes(64), 8u);
  EXPECT_EQ(sse2.unitFor(DType::F32).flopsPerCycle, 8u);
  EXPECT_EQ(v3.unitFor(DType::F32).flopsPerCycle, 32u);
  EXPECT_EQ(v4.unitFor(DType::F32).flopsPerCycle, 64u);
  EXPECT_EQ(v4.unitFor(DType::F64).flopsPerCycle, 32u);
}

TEST(TargetTest, EveryTargetHasWhatCostsAreMadeOf) {
  for (const Target &target : getTargets()) {
    EXPECT_EQ(target.memory.size(), 3u) << target.name.str();
    EXPECT_GT(target.rowBytesPerCycle, 0u) << target.name.str();
    EXPECT_GT(target.exp2Operations, 0u) << target.name.str();
    for (DType type : {DType::F32, DType::F64})
      EXPECT_EQ(target.unitFor(type).rows,
                target.cpu.lanes(dtypeInfo(type).bits))
          << target.name.str();
  }
}

TEST(TargetTest, ARooflineHasTwoLimits) {
  Roofline roofline = lookupTarget("x86-64-v3")->roofline(DType::F32);
  EXPECT_EQ(roofline.cycles(3200, 16), 100);          // 32 FLOP a cycle
  EXPECT_EQ(roofline.cycles(3200, 64 * 1024), 2048);  // 32 bytes from L2
  EXPECT_EQ(roofline.cycles(3200, 6 << 20), 1 << 20); // 6 from memory
}

TEST(TargetTest, EachLevelRunsTheCodeOfTheOnesBefore) {
  for (const Target &host : getTargets())
    for (const Target &target : getTargets())
      EXPECT_EQ(findMissingFeature(target, featuresOf(host)).empty(),
                &target <= &host)
          << target.name.str() << " on " << host.name.str();
}

TEST(TargetTest, NativeIsTheLastLevelThatRuns) {
  for (const Target &host : getTargets())
    EXPECT_EQ(&selectTarget(featuresOf(host)), &host);
}

TEST(TargetTest, NativeWithoutOneFeatureIsTheLevelBelow) {
  llvm::StringMap<bool> features = featuresOf(*lookupTarget("x86-64-v4"));
  features["avx512vl"] = false;
  EXPECT_EQ(selectTarget(features).name, "x86-64-v3");
  EXPECT_EQ(findMissingFeature(*lookupTarget("x86-64-v4"), features),
            "avx512vl");
}

TEST(TargetTest, NativeOfAnUnknownHostIsTheBaseline) {
  EXPECT_EQ(selectTarget({}).name, "x86-64");
}

TEST(TargetTest, RequiredFeaturesAreNamesThatTheHostCanReport) {
  // A misspelt feature would silently lower every `native` to a weaker level.
  llvm::StringMap<bool> host = getHostFeatures();
  if (host.empty())
    GTEST_SKIP() << "no CPUID here";
  for (const Target &target : getTargets()) {
    llvm::SmallVector<llvm::StringRef> names;
    target.requiredFeatures.split(names, ' ');
    for (llvm::StringRef name : names)
      EXPECT_TRUE(host.count(name)) << name.str();
  }
}

} // namespace
