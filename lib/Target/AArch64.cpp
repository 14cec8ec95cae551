//===- AArch64.cpp - The table of 64-bit Arm processors -------------------===//
//
// The numbers follow Arm's optimization guides (Cortex-A76 and Neoverse N2 for
// vectors of 128 bits, Neoverse V1 for 256) and are not measured: no such
// machine was there. They steer speed only.
// Tests: test/Unit/Target/TargetTest.cpp
//
//===----------------------------------------------------------------------===//

#include "Levels.h"

using namespace attnc;
using namespace llvm;

static constexpr MemoryLevel kArmMemory[] = {
    {"L1", 64 * 1024, 32},
    {"L2", 512 * 1024, 16},
    {"memory", kUnlimited, 4},
};
static constexpr MemoryLevel kWideMemory[] = {
    {"L1", 64 * 1024, 64},
    {"L2", 1024 * 1024, 32},
    {"memory", kUnlimited, 6},
};

static constexpr CpuTraits kNeon = {
    .isa = "neon",
    .vectorBits = 128,
    .vectorRegisters = 32,
    .hasFma = true,
    .hasBroadcastLoad = true,
    .hasRound = true,
    .hasF16Conversion = true,
    .fmaPerCycle = 2,
    .fmaLatency = 4,
    .loadsPerCycle = 2,
};
static constexpr CpuTraits kSve2 = [] {
  CpuTraits traits = kNeon;
  traits.isa = "sve2";
  return traits;
}();
static constexpr CpuTraits kSve256 = [] {
  CpuTraits traits = kSve2;
  traits.vectorBits = 256;
  return traits;
}();

static constexpr Target kTargets[] = {
    {
        .name = "armv8-a",
        .description = "any 64-bit Arm: NEON",
        .llvmCpu = "generic",
        .llvmFeatures = "",
        .requiredFeatures = "neon",
        .emulatorCpu = "cortex-a57",
        .units = kFmaUnits<128, /*hasFma=*/true>,
        .memory = kArmMemory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 12,
        .cpu = kNeon,
    },
    {
        .name = "armv9-a",
        .description = "Neoverse N2 and V2, Cortex-X2 and later: SVE2",
        .llvmCpu = "generic",
        .llvmFeatures = "+v9a,+sve2",
        .requiredFeatures = "neon sve sve2",
        .vscale = 1,
        .emulatorCpu = "max,sve256=off",
        .units = kFmaUnits<128, /*hasFma=*/true>,
        .memory = kArmMemory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 12,
        .cpu = kSve2,
    },
    {
        .name = "armv9-a-sve256",
        .description = "SVE2 with vectors of 256 bits or more",
        .llvmCpu = "generic",
        .llvmFeatures = "+v9a,+sve2",
        .requiredFeatures = "neon sve sve2",
        .vscale = 2,
        .emulatorCpu = "max,sve-default-vector-length=32",
        .units = kFmaUnits<256, /*hasFma=*/true>,
        .memory = kWideMemory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 12,
        .cpu = kSve256,
    },
};

ArrayRef<Target> attnc::getAArch64Levels() { return kTargets; }

// Four vector units of 128 bits, and 3.2 GHz that read 58 GB/s of memory with
// one core: D. Johnson, "Apple M1 Firestorm Microarchitecture", and AnandTech,
// "The 2020 Mac Mini Unleashed"; not measured.
static constexpr MemoryLevel kAppleMemory[] = {
    {"L1", 128 * 1024, 48},
    {"L2", 3 * 1024 * 1024, 32},
    {"memory", kUnlimited, 18},
};
static constexpr Unit kAppleUnits[] = {
    {UnitKind::Fma, DType::F32, DType::F32, 32, 4, 1, 1},
    {UnitKind::Fma, DType::F64, DType::F64, 16, 2, 1, 1},
};
static constexpr CpuTraits kAppleNeon = [] {
  CpuTraits traits = kNeon;
  traits.fmaPerCycle = 4;
  traits.loadsPerCycle = 3;
  return traits;
}();

// Every Mac with an Arm processor has what this level needs, so a call checks
// nothing.
static constexpr Target kAppleTargets[] = {
    {
        .name = "apple-m1",
        .description = "M1 (2020) and later: NEON",
        .llvmCpu = "apple-m1",
        .llvmFeatures = "",
        .requiredFeatures = "",
        .units = kAppleUnits,
        .memory = kAppleMemory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 12,
        .cpu = kAppleNeon,
    },
};

ArrayRef<Target> attnc::getAppleLevels() { return kAppleTargets; }
