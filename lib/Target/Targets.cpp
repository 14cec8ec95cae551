//===- Targets.cpp - The table of processors ------------------------------===//
//
// The numbers are those of the weakest common machine of a level (Sandy Bridge
// for x86-64, Haswell for v3, Skylake-SP for v4), measured on Sapphire Rapids
// for the last; rowBytesPerCycle on Sapphire Rapids for all (3 to 4.5 with AVX2
// and AVX-512). They steer speed only: a wrong one never makes wrong code.
// Tests: test/Unit/Target/TargetTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"

#include <limits>

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

/// Two vector units, each with an fma per lane, or an addition and a
/// multiplication.
template <unsigned vectorBits, bool hasFma>
static constexpr Unit kFmaUnits[] = {
    {UnitKind::Fma, DType::F32, DType::F32, vectorBits / 32 * (hasFma ? 4 : 2),
     vectorBits / 32, 1, 1},
    {UnitKind::Fma, DType::F64, DType::F64, vectorBits / 64 * (hasFma ? 4 : 2),
     vectorBits / 64, 1, 1},
};

static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

static constexpr MemoryLevel kX86Memory[] = {
    {"L1", 32 * 1024, 32},
    {"L2", 256 * 1024, 16},
    {"memory", kUnlimited, 4},
};
static constexpr MemoryLevel kV3Memory[] = {
    {"L1", 32 * 1024, 64},
    {"L2", 256 * 1024, 32},
    {"memory", kUnlimited, 6},
};
static constexpr MemoryLevel kV4Memory[] = {
    {"L1", 32 * 1024, 128},
    {"L2", 1024 * 1024, 48},
    {"memory", kUnlimited, 6},
};
static constexpr MemoryLevel kSprMemory[] = {
    {"L1", 48 * 1024, 128},
    {"L2", 2 * 1024 * 1024, 53},
    {"memory", kUnlimited, 6},
};

static constexpr CpuTraits kAvx512 = {
    .isa = "avx512",
    .vectorBits = 512,
    .vectorRegisters = 32,
    .hasFma = true,
    .hasBroadcastLoad = true,
    .hasRound = true,
    .hasScalef = true,
    .hasF16Conversion = true,
    .fmaPerCycle = 2,
    .fmaLatency = 4,
    .loadsPerCycle = 2,
};
static constexpr CpuTraits kAvx512WithBf16 = [] {
  CpuTraits traits = kAvx512;
  traits.hasBf16Conversion = true;
  return traits;
}();

static constexpr Target kTargets[] = {
    {
        .name = "x86-64",
        .description = "any 64-bit x86: SSE2",
        .llvmCpu = "x86-64",
        .llvmFeatures = "",
        .requiredFeatures = "sse2",
        .units = kFmaUnits<128, false>,
        .memory = kX86Memory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 19,
        .cpu =
            {
                .isa = "sse2",
                .vectorBits = 128,
                .vectorRegisters = 16,
                .fmaPerCycle = 2,
                .fmaLatency = 4,
                .loadsPerCycle = 2,
            },
    },
    {
        .name = "x86-64-v3",
        .description = "Haswell (2013) and later: AVX2, FMA, F16C",
        .llvmCpu = "x86-64-v3",
        .llvmFeatures = "",
        .requiredFeatures = ATTNC_V3_FEATURES,
        .units = kFmaUnits<256, true>,
        .memory = kV3Memory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 12,
        .cpu =
            {
                .isa = "avx2",
                .vectorBits = 256,
                .vectorRegisters = 16,
                .hasFma = true,
                .hasBroadcastLoad = true,
                .hasRound = true,
                .hasF16Conversion = true,
                .fmaPerCycle = 2,
                .fmaLatency = 5,
                .loadsPerCycle = 2,
            },
    },
    {
        .name = "x86-64-v4",
        .description = "Skylake-SP, Zen 4 and later: AVX-512",
        .llvmCpu = "x86-64-v4",
        .llvmFeatures = kWideVectors,
        .requiredFeatures = ATTNC_V4_FEATURES,
        .units = kFmaUnits<512, true>,
        .memory = kV4Memory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 8,
        .cpu = kAvx512,
    },
    {
        .name = "sapphirerapids",
        .description = "Sapphire Rapids: AVX-512 with BF16 and FP16",
        .llvmCpu = "sapphirerapids",
        .llvmFeatures = kWideVectors,
        // No AMX yet: kernels hold none, and virtual machines often hide it.
        .requiredFeatures = ATTNC_V4_FEATURES
        " avx512bf16 avx512bitalg avx512fp16 avx512ifma avx512vbmi "
        "avx512vbmi2 avx512vnni avx512vpopcntdq avxvnni gfni vaes vpclmulqdq",
        .units = kFmaUnits<512, true>,
        .memory = kSprMemory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 8,
        .cpu = kAvx512WithBf16,
    },
};

ArrayRef<Target> attnc::getTargets() { return kTargets; }

double Roofline::bytesPerCycle(double bytes) const {
  const MemoryLevel &l2 = memory[1];
  return bytes <= 0.75 * double(l2.bytes) ? l2.bytesPerCycle
                                          : memory.back().bytesPerCycle;
}

const Unit &Target::unitFor(DType accumulate) const {
  const Unit *best = nullptr;
  for (const Unit &unit : units)
    if (unit.accumulate == accumulate &&
        (!best || unit.flopsPerCycle > best->flopsPerCycle))
      best = &unit;
  assert(best && "no unit sums in this type");
  return *best;
}

const Target *attnc::lookupTarget(StringRef name) {
  const auto *it =
      find_if(kTargets, [&](const Target &t) { return t.name == name; });
  return it == std::end(kTargets) ? nullptr : it;
}

const Target &attnc::getDefaultTarget() { return *lookupTarget("x86-64-v3"); }

ArrayRef<const Target *> attnc::getDefaultTargets() {
  static const Target *const targets[] = {lookupTarget("x86-64-v3"),
                                          lookupTarget("x86-64-v4")};
  return targets;
}

std::string attnc::joinTargetNames(ArrayRef<const Target *> targets) {
  return join(map_range(targets, [](const Target *t) { return t->name; }), ",");
}

std::string attnc::listTargetNames() {
  return join(map_range(kTargets, [](const Target &t) { return t.name; }),
              ", ");
}

std::string attnc::describeUnknownCpu(StringRef name) {
  return ("unknown CPU '" + name + "'; known are " + listTargetNames()).str();
}

StringRef attnc::findSimilarTarget(StringRef name) {
  // Other tools' spellings of the same level.
  std::string folded = name.lower();
  llvm::replace(folded, '_', '-');
  if (folded == "x86-64-v1" || folded == "x86-64-v2")
    return "x86-64"; // these machines do not run code for v3
  StringRef best;
  unsigned bestDistance = 4; // more edits than 3 are another word
  for (const Target &target : kTargets) {
    unsigned distance = StringRef(folded).edit_distance(
        target.name, /*AllowReplacements=*/true, bestDistance);
    if (distance < bestDistance) {
      best = target.name;
      bestDistance = distance;
    }
  }
  return best;
}

StringRef attnc::findMissingFeature(const Target &target,
                                    const StringMap<bool> &features) {
  SmallVector<StringRef> required;
  target.requiredFeatures.split(required, ' ');
  for (StringRef feature : required)
    if (!features.lookup(feature))
      return feature;
  return {};
}

const Target &attnc::selectTarget(const StringMap<bool> &features) {
  for (const Target &target : reverse(kTargets))
    if (findMissingFeature(target, features).empty())
      return target;
  return kTargets[0]; // SSE2 is a part of the 64-bit architecture
}

StringMap<bool> attnc::getHostFeatures() { return sys::getHostCPUFeatures(); }
