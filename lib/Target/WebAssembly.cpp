//===- WebAssembly.cpp - The table of levels of WebAssembly ---------------===//
//
// An engine compiles the instructions for its machine: the numbers are those of
// x86-64 with vectors of 128 bits, without an fma, and are not measured. They
// steer speed only.
// Tests: test/Unit/Target/TargetTest.cpp
//
//===----------------------------------------------------------------------===//

#include "Levels.h"

using namespace attnc;
using namespace llvm;

static constexpr MemoryLevel kMemory[] = {
    {"L1", 32 * 1024, 32},
    {"L2", 256 * 1024, 16},
    {"memory", kUnlimited, 4},
};

static constexpr Target kTargets[] = {
    {
        .name = "simd128",
        .description = "engines with vectors of 128 bits (2021 and later)",
        .llvmCpu = "generic",
        .llvmFeatures = "+simd128",
        // An engine that lacks it refuses the module.
        .requiredFeatures = "",
        .units = kFmaUnits<128, /*hasFma=*/false>,
        .memory = kMemory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 19,
        .cpu =
            {
                .isa = "simd128",
                .vectorBits = 128,
                .vectorRegisters = 16,
                .hasRound = true,
                .fmaPerCycle = 2,
                .fmaLatency = 4,
                .loadsPerCycle = 2,
            },
    },
};

ArrayRef<Target> attnc::getWasmLevels() { return kTargets; }
