//===- TargetTest.cpp - Tests of the table of processors ------------------===//

#include "attnc/Target/GpuMachine.h"
#include "attnc/Target/Platform.h"

#include "llvm/ADT/SmallVector.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

TEST(TargetTest, EveryNameIsFound) {
  for (const Platform &platform : getPlatforms())
    for (const Target &target : platform.levels) {
      EXPECT_EQ(lookupTarget(target.name), &target) << target.name.str();
      EXPECT_EQ(platformOf(target).findLevel(target.name), &target);
    }
}

TEST(TargetTest, UnknownNamesAreNotFound) {
  EXPECT_EQ(lookupTarget("native"), nullptr);
  EXPECT_EQ(lookupTarget(""), nullptr);
  EXPECT_EQ(lookupTarget("x86-64-v"), nullptr);
}

TEST(TargetTest, EveryInstructionSetHasTraits) {
  EXPECT_FALSE(lookupIsa("sse2")->hasF16Conversion);
  EXPECT_TRUE(lookupIsa("avx2")->hasF16Conversion);
  EXPECT_FALSE(lookupIsa("avx2")->hasGather);
  EXPECT_TRUE(lookupIsa("avx512")->hasGather);
  EXPECT_EQ(lookupIsa("mmx"), nullptr);
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
  // Not its matrix unit, which takes bf16 only.
  const Target &spr = *lookupTarget("sapphirerapids");
  EXPECT_EQ(spr.unitFor(DType::F32).flopsPerCycle, 64u);
  EXPECT_EQ(spr.units.back().kind, UnitKind::Matrix);
}

TEST(TargetTest, EveryTargetHasWhatCostsAreMadeOf) {
  for (const Platform &platform : getPlatforms())
    for (const Target &target : platform.levels) {
      EXPECT_EQ(target.memory.size(), 3u) << target.name.str();
      EXPECT_GT(target.rowBytesPerCycle, 0u) << target.name.str();
      EXPECT_GT(target.exp2Operations, 0u) << target.name.str();
      if (target.kind != TargetKind::Cpu)
        continue;
      for (DType type : {DType::F32, DType::F64})
        EXPECT_EQ(target.unitFor(type).rows,
                  target.cpu.lanes(dtypeInfo(type).bits))
            << target.name.str();
    }
}

TEST(TargetTest, UnitsAreFoundByTheirTypes) {
  const Target &ampere = *lookupTarget("sm_80");
  EXPECT_EQ(ampere.kind, TargetKind::Gpu);
  EXPECT_EQ(ampere.findUnit(DType::BF16, DType::F32)->kind, UnitKind::Matrix);
  EXPECT_EQ(ampere.findUnit(DType::F32, DType::F32)->kind, UnitKind::Fma);
  EXPECT_EQ(ampere.findUnit(DType::F16, DType::F16), nullptr);
  EXPECT_EQ(getGpuMachine(ampere).multiprocessors, 108u);
  EXPECT_EQ(getGpuMachine(*lookupTarget("sm_90a")).multiprocessors, 132u);
  const Target &withTiles = *lookupTarget("sapphirerapids");
  for (UnitKind kind : {UnitKind::DotProduct, UnitKind::Matrix})
    EXPECT_EQ(withTiles.findUnit(kind, DType::BF16, DType::F32)->kind, kind);
  EXPECT_EQ(withTiles.findUnit(UnitKind::Matrix, DType::F16, DType::F32),
            nullptr);
  EXPECT_EQ(withTiles.findUnit(UnitKind::Matrix, DType::I8, DType::I32)->depth,
            64u);
  for (auto [level, depth] : {std::pair("x86-64-v3", 2u),
                              {"alderlake", 4u},
                              {"cascadelake", 4u},
                              {"zen4", 4u}})
    EXPECT_EQ(lookupTarget(level)
                  ->findUnit(UnitKind::DotProduct, DType::I8, DType::I32)
                  ->depth,
              depth);
  EXPECT_LE(ampere.gpu.blockSharedBytes, ampere.gpu.sharedBytes);
  const Target &hopper = *lookupTarget("sm_90a");
  EXPECT_EQ(hopper.findUnit(DType::F16, DType::F32)->rows, 64u); // a warpgroup
  EXPECT_LE(hopper.gpu.blockSharedBytes, hopper.gpu.sharedBytes);
}

TEST(TargetTest, ARooflineHasTwoLimits) {
  Roofline roofline = lookupTarget("x86-64-v3")->roofline(DType::F32);
  EXPECT_EQ(roofline.cycles(3200, 16), 100);          // 32 FLOP a cycle
  EXPECT_EQ(roofline.cycles(3200, 64 * 1024), 2048);  // 32 bytes from L2
  EXPECT_EQ(roofline.cycles(3200, 6 << 20), 1 << 20); // 6 from memory
}

TEST(TargetTest, RequiredFeaturesAreNamesThatTheHostCanReport) {
  // A misspelt feature would silently lower every `native` to a weaker level.
  llvm::StringMap<bool> host = getHostFeatures();
  if (host.empty())
    GTEST_SKIP() << "no CPUID here";
  for (const Target &target : getHostPlatform().levels) {
    llvm::SmallVector<llvm::StringRef> names;
    target.requiredFeatures.split(names, ' ');
    target.matrixFeatures.split(names, ' ', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : names)
      EXPECT_TRUE(host.count(name)) << name.str();
  }
}

} // namespace
