//===- CpuTargets.cpp - The table of CPU levels ---------------------------===//
//
// The numbers are those of the weakest common machine of a level (Sandy Bridge
// for x86-64, Haswell for v3, Skylake-SP for v4), measured on Sapphire Rapids
// for the last; rowBytesPerCycle on Sapphire Rapids for all (3 to 4.5 with AVX2
// and AVX-512). They steer speed only: a wrong one never makes wrong code.
// Tests: test/Unit/Target/CpuTargetTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"

using namespace attnc;
using namespace llvm;

// 512-bit registers are used on purpose; LLVM would rather not for v4 and
// later.
static constexpr StringLiteral kWideVectors = "-prefer-256-bit";

#define ATTNC_V3_FEATURES                                                      \
  "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sahf sse3 sse4.1 "       \
  "sse4.2 ssse3 xsave"
#define ATTNC_V4_FEATURES                                                      \
  ATTNC_V3_FEATURES " avx512bw avx512cd avx512dq avx512f avx512vl"

static constexpr CpuTarget kCpuTargets[] = {
    {
        .name = "x86-64",
        .description = "any 64-bit x86: SSE2",
        .isa = "sse2",
        .llvmCpu = "x86-64",
        .llvmFeatures = "",
        .requiredFeatures = "sse2",
        .vectorBits = 128,
        .vectorRegisters = 16,
        .hasFma = false,
        .hasBroadcastLoad = false,
        .hasRound = false,
        .hasScalef = false,
        .hasF16Conversion = false,
        .hasBf16Conversion = false,
        .l1dBytes = 32 * 1024,
        .l2Bytes = 256 * 1024,
        .fmaPerCycle = 2, // one addition and one multiplication
        .fmaLatency = 4,
        .loadsPerCycle = 2,
        .l2BytesPerCycle = 16,
        .memoryBytesPerCycle = 4,
        .rowBytesPerCycle = 4,
    },
    {
        .name = "x86-64-v3",
        .description = "Haswell (2013) and later: AVX2, FMA, F16C",
        .isa = "avx2",
        .llvmCpu = "x86-64-v3",
        .llvmFeatures = "",
        .requiredFeatures = ATTNC_V3_FEATURES,
        .vectorBits = 256,
        .vectorRegisters = 16,
        .hasFma = true,
        .hasBroadcastLoad = true,
        .hasRound = true,
        .hasScalef = false,
        .hasF16Conversion = true,
        .hasBf16Conversion = false,
        .l1dBytes = 32 * 1024,
        .l2Bytes = 256 * 1024,
        .fmaPerCycle = 2,
        .fmaLatency = 5,
        .loadsPerCycle = 2,
        .l2BytesPerCycle = 32,
        .memoryBytesPerCycle = 6,
        .rowBytesPerCycle = 4,
    },
    {
        .name = "x86-64-v4",
        .description = "Skylake-SP, Zen 4 and later: AVX-512",
        .isa = "avx512",
        .llvmCpu = "x86-64-v4",
        .llvmFeatures = kWideVectors,
        .requiredFeatures = ATTNC_V4_FEATURES,
        .vectorBits = 512,
        .vectorRegisters = 32,
        .hasFma = true,
        .hasBroadcastLoad = true,
        .hasRound = true,
        .hasScalef = true,
        .hasF16Conversion = true,
        .hasBf16Conversion = false,
        .l1dBytes = 32 * 1024,
        .l2Bytes = 1024 * 1024,
        .fmaPerCycle = 2,
        .fmaLatency = 4,
        .loadsPerCycle = 2,
        .l2BytesPerCycle = 48,
        .memoryBytesPerCycle = 6,
        .rowBytesPerCycle = 4,
    },
    {
        .name = "sapphirerapids",
        .description = "Sapphire Rapids: AVX-512 with BF16 and FP16",
        .isa = "avx512",
        .llvmCpu = "sapphirerapids",
        .llvmFeatures = kWideVectors,
        // No AMX yet: kernels hold none, and virtual machines often hide it.
        .requiredFeatures = ATTNC_V4_FEATURES
        " avx512bf16 avx512bitalg avx512fp16 avx512ifma avx512vbmi "
        "avx512vbmi2 avx512vnni avx512vpopcntdq avxvnni gfni vaes vpclmulqdq",
        .vectorBits = 512,
        .vectorRegisters = 32,
        .hasFma = true,
        .hasBroadcastLoad = true,
        .hasRound = true,
        .hasScalef = true,
        .hasF16Conversion = true,
        .hasBf16Conversion = true,
        .l1dBytes = 48 * 1024,
        .l2Bytes = 2 * 1024 * 1024,
        .fmaPerCycle = 2,
        .fmaLatency = 4,
        .loadsPerCycle = 2,
        .l2BytesPerCycle = 53,
        .memoryBytesPerCycle = 6,
        .rowBytesPerCycle = 4,
    },
};

ArrayRef<CpuTarget> attnc::getCpuTargets() { return kCpuTargets; }

const CpuTarget *attnc::lookupCpuTarget(StringRef name) {
  const auto *it =
      find_if(kCpuTargets, [&](const CpuTarget &t) { return t.name == name; });
  return it == std::end(kCpuTargets) ? nullptr : it;
}

const CpuTarget &attnc::getDefaultCpuTarget() {
  return *lookupCpuTarget("x86-64-v3");
}

std::string attnc::listCpuTargetNames() {
  return join(map_range(kCpuTargets, [](const CpuTarget &t) { return t.name; }),
              ", ");
}

std::string attnc::describeUnknownCpu(StringRef name) {
  return ("unknown CPU '" + name + "'; known are " + listCpuTargetNames())
      .str();
}

StringRef attnc::findSimilarCpuTarget(StringRef name) {
  // Other tools' spellings of the same level.
  std::string folded = name.lower();
  llvm::replace(folded, '_', '-');
  if (folded == "x86-64-v1" || folded == "x86-64-v2")
    return "x86-64"; // these machines do not run code for v3
  StringRef best;
  unsigned bestDistance = 4; // more edits than 3 are another word
  for (const CpuTarget &target : kCpuTargets) {
    unsigned distance = StringRef(folded).edit_distance(
        target.name, /*AllowReplacements=*/true, bestDistance);
    if (distance < bestDistance) {
      best = target.name;
      bestDistance = distance;
    }
  }
  return best;
}

StringRef attnc::findMissingFeature(const CpuTarget &target,
                                    const StringMap<bool> &features) {
  SmallVector<StringRef> required;
  target.requiredFeatures.split(required, ' ');
  for (StringRef feature : required)
    if (!features.lookup(feature))
      return feature;
  return {};
}

const CpuTarget &attnc::selectCpuTarget(const StringMap<bool> &features) {
  for (const CpuTarget &target : reverse(kCpuTargets))
    if (findMissingFeature(target, features).empty())
      return target;
  return kCpuTargets[0]; // SSE2 is a part of the 64-bit architecture
}

StringMap<bool> attnc::getHostFeatures() { return sys::getHostCPUFeatures(); }
