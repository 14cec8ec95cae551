//===- RiscV64.cpp - The table of 64-bit RISC-V processors ----------------===//
//
// The numbers are those of a small out-of-order core with one vector unit
// (SpacemiT X60, SiFive P470) and are not measured: no such machine was there.
// They steer speed only. Tests: test/Unit/Target/TargetTest.cpp
//
//===----------------------------------------------------------------------===//

#include "Levels.h"

using namespace attnc;
using namespace llvm;

static constexpr MemoryLevel kRiscVMemory[] = {
    {"L1", 32 * 1024, 16},
    {"L2", 256 * 1024, 8},
    {"memory", kUnlimited, 2},
};

/// No hasRound: a vector is rounded by two changes of the rounding mode around
/// conversions. No hasF16Conversion: zvfhmin is not a part of V.
static constexpr CpuTraits kRvv = {
    .isa = "rvv",
    .vectorBits = 128,
    .vectorRegisters = 32,
    .hasFma = true,
    .hasBroadcastLoad = true,
    .fmaPerCycle = 1,
    .fmaLatency = 4,
    .loadsPerCycle = 1,
};
static constexpr CpuTraits kRvv256 = [] {
  CpuTraits traits = kRvv;
  traits.vectorBits = 256;
  return traits;
}();

static constexpr Target kTargets[] = {
    {
        .name = "rv64gcv",
        .description = "RVA23 and other processors with V: VLEN of 128 or more",
        .llvmCpu = "generic-rv64",
        .llvmFeatures = "+m,+a,+f,+d,+c,+v",
        .requiredFeatures = "v",
        .vscale = 2,
        .emulatorCpu = "rv64,v=true,vext_spec=v1.0,vlen=128",
        .units = kFmaUnits<128, /*hasFma=*/true>,
        .memory = kRiscVMemory,
        .rowBytesPerCycle = 2,
        .exp2Operations = 14,
        .cpu = kRvv,
    },
    {
        .name = "rv64gcv_zvl256b",
        .description = "V with VLEN of 256 or more",
        .llvmCpu = "generic-rv64",
        .llvmFeatures = "+m,+a,+f,+d,+c,+v,+zvl256b",
        .requiredFeatures = "v",
        .vscale = 4,
        .emulatorCpu = "rv64,v=true,vext_spec=v1.0,vlen=256",
        .units = kFmaUnits<256, /*hasFma=*/true>,
        .memory = kRiscVMemory,
        .rowBytesPerCycle = 2,
        .exp2Operations = 14,
        .cpu = kRvv256,
    },
};

ArrayRef<Target> attnc::getRiscV64Levels() { return kTargets; }
