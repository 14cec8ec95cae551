//===- PlatformTest.cpp - Tests of the table of platforms -----------------===//

#include "attnc/Target/Platform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/TargetParser/Triple.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

const Platform &x86() { return *findPlatform("x86_64-unknown-linux-gnu"); }

llvm::StringMap<bool> featuresOf(const Target &target) {
  llvm::StringMap<bool> features;
  llvm::SmallVector<llvm::StringRef> names;
  target.requiredFeatures.split(names, ' ');
  target.matrixFeatures.split(names, ' ');
  for (llvm::StringRef name : names)
    features[name] = true;
  features["sse2"] = true;
  return features;
}

TEST(PlatformTest, NativeNeedsTheMatrixUnit) {
  const Target &level = *lookupTarget("sapphirerapids");
  llvm::StringMap<bool> features = featuresOf(level);
  EXPECT_EQ(&x86().selectLevel(features), &level);
  features["amx-tile"] = false;
  EXPECT_EQ(x86().selectLevel(features).name, "goldencove");
}

TEST(PlatformTest, TriplesAreNormalized) {
  for (const Platform &platform : getPlatforms())
    EXPECT_EQ(llvm::Triple::normalize(platform.triple), platform.triple.str());
}

TEST(PlatformTest, AVendorDoesNotMatter) {
  EXPECT_EQ(findPlatform("x86_64-linux-gnu"), &x86());
  EXPECT_EQ(findPlatform("x86_64-pc-linux-gnu"), &x86());
}

TEST(PlatformTest, ArchitectureSystemAndEnvironmentMatter) {
  EXPECT_EQ(findPlatform("i686-linux-gnu"), nullptr);
  EXPECT_EQ(findPlatform("x86_64-linux-musl"), nullptr);
  EXPECT_EQ(findPlatform("x86_64-freebsd"), nullptr);
  EXPECT_EQ(findPlatform("aarch64-pc-windows-msvc"), nullptr);
  EXPECT_NE(findPlatform("x86_64-pc-windows-msvc"),
            findPlatform("x86_64-w64-windows-gnu"));
  EXPECT_EQ(findPlatform(""), nullptr);
}

TEST(PlatformTest, MacOsHasTwoNamesAndVersions) {
  const Platform *mac = findPlatform("arm64-apple-macos");
  ASSERT_NE(mac, nullptr);
  EXPECT_EQ(findPlatform("aarch64-apple-darwin"), mac);
  EXPECT_EQ(findPlatform("arm64-apple-macosx14.2"), mac);
  EXPECT_NE(findPlatform("x86_64-apple-darwin"), mac);
  EXPECT_EQ(findPlatform("arm64-apple-ios"), nullptr);
}

TEST(PlatformTest, MacOsBeforeTheOldestVersionIsNotSupported) {
  EXPECT_EQ(findPlatform("x86_64-apple-macosx10.9"), nullptr);
  EXPECT_NE(findPlatform("x86_64-apple-macosx10.15"), nullptr);
  EXPECT_EQ(findPlatform("x86_64-apple-darwin18"), nullptr); // macOS 10.14
  EXPECT_EQ(findPlatform("arm64-apple-macosx10.15"), nullptr);
}

TEST(PlatformTest, ListsTheLevelsInOrder) {
  EXPECT_EQ(x86().listLevels(),
            "x86-64, x86-64-v3, alderlake, x86-64-v4, cascadelake, cooperlake, "
            "zen4, goldencove, sapphirerapids, opencl, cuda, opencl-embedded, "
            "vulkan, metal, d3d12, webgpu");
}

TEST(PlatformTest, OrdersDevicesBeforeCpusBeforeGpus) {
  const Target *device = lookupTarget("opencl"), *gpu = lookupTarget("sm_80");
  const Target *weak = lookupTarget("x86-64"), *best = lookupTarget("zen4");
  std::vector<const Target *> parts = {gpu, best, device, weak};
  llvm::sort(parts, isWeaker);
  EXPECT_EQ(parts, (std::vector<const Target *>{device, weak, best, gpu}));
}

TEST(PlatformTest, DefaultsAreLevels) {
  for (const Platform &platform : getPlatforms()) {
    EXPECT_FALSE(platform.getDefaultLevels().empty());
    for (const Target *level : platform.getDefaultLevels())
      EXPECT_NE(level, nullptr) << platform.triple.str();
  }
}

TEST(PlatformTest, AnEmulatorRunsEveryLevel) {
  for (const Platform &platform : getPlatforms())
    for (const Target &level : platform.levels)
      EXPECT_EQ(level.emulatorCpu.empty(),
                platform.emulator.empty() || !platform.isHosted)
          << level.name.str();
}

TEST(PlatformTest, FindsWhatWasMeant) {
  EXPECT_EQ(x86().findSimilarLevel("x86-64-v33"), "x86-64-v3");
  EXPECT_EQ(x86().findSimilarLevel("x86-64-v2"), "x86-64");
  EXPECT_EQ(x86().findSimilarLevel("x86_64_v4"), "x86-64-v4");
  EXPECT_EQ(x86().findSimilarLevel("SapphireRapid"), "sapphirerapids");
  EXPECT_EQ(x86().findSimilarLevel("cortex-a72"), "");
  // Processors that LLVM knows, and instruction sets.
  EXPECT_EQ(x86().findSimilarLevel("skylake"), "x86-64-v3");
  EXPECT_EQ(x86().findSimilarLevel("skylake-avx512"), "x86-64-v4");
  EXPECT_EQ(x86().findSimilarLevel("nehalem"), "x86-64");
  EXPECT_EQ(x86().findSimilarLevel("raptorlake"), "alderlake");
  EXPECT_EQ(x86().findSimilarLevel("zen3"), "x86-64-v3");
  EXPECT_EQ(x86().findSimilarLevel("znver5"), "zen4");
  EXPECT_EQ(x86().findSimilarLevel("avx2"), "x86-64-v3");
  EXPECT_EQ(x86().findSimilarLevel("AVX-512"), "x86-64-v4");
  EXPECT_EQ(x86().findSimilarLevel("sse4.2"), "x86-64");
  // Products that a description lists.
  const Platform &gpus = *findPlatform("nvptx64-nvidia-cuda");
  EXPECT_EQ(gpus.findSimilarLevel("h200"), "sm_90a");
  EXPECT_EQ(gpus.findSimilarLevel("A100"), "sm_80");
  EXPECT_EQ(gpus.findSimilarLevel("NVIDIA"), "");
}

/// Whether a processor that has no more than `host` runs all code of `target`.
bool runsOn(const Target &target, const Target &host) {
  llvm::StringMap<bool> features = featuresOf(host);
  return findMissingFeature(target, features).empty() &&
         llvm::all_of(llvm::split(target.matrixFeatures, ' '),
                      [&](llvm::StringRef unit) {
                        return unit.empty() || features.lookup(unit);
                      }) &&
         target.vscale <= host.vscale;
}

// Features are those of a host; what a GPU runs is not chosen by them.
TEST(PlatformTest, EachLevelComesAfterThoseThatItRuns) {
  for (const Platform &platform : getPlatforms())
    for (const Target &host : platform.levels) {
      if (host.kind != TargetKind::Cpu)
        continue;
      for (const Target &target : platform.levels)
        // AVX-512 does not imply AVX-VNNI.
        if (target.name != "alderlake" || &host <= &target)
          EXPECT_EQ(runsOn(target, host), &target <= &host)
              << target.name.str() << " on " << host.name.str();
    }
}

TEST(PlatformTest, AvxVnniIsABranch) {
  const Target &level = *lookupTarget("alderlake");
  EXPECT_FALSE(runsOn(level, *lookupTarget("zen4")));
  EXPECT_TRUE(runsOn(level, *lookupTarget("goldencove")));
}

TEST(PlatformTest, NativeIsTheLastLevelThatRuns) {
  for (const Target &host : x86().levels)
    EXPECT_EQ(&x86().selectLevel(featuresOf(host)), &host);
}

TEST(PlatformTest, NativeWithoutOneFeatureIsTheLevelBelow) {
  llvm::StringMap<bool> features = featuresOf(*lookupTarget("x86-64-v4"));
  features["avx512vl"] = false;
  EXPECT_EQ(x86().selectLevel(features).name, "x86-64-v3");
  EXPECT_EQ(findMissingFeature(*lookupTarget("x86-64-v4"), features),
            "avx512vl");
}

TEST(PlatformTest, NativeOfAnUnknownHostIsTheBaseline) {
  EXPECT_EQ(x86().selectLevel({}).name, "x86-64");
}

} // namespace
