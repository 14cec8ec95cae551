//===- X86.cpp - The table of x86-64 processors ---------------------------===//
//
// The numbers are those of the weakest common machine of a level (Sandy Bridge
// for x86-64, Haswell for v3, Skylake-SP for v4), measured on Sapphire Rapids
// for the last; rowBytesPerCycle on Sapphire Rapids for all (3 to 4.5 with AVX2
// and AVX-512). The rates of Zen 4's units were measured there: VDPBF16PS
// reaches 2.0 times the f32 peak; VPDPBUSD starts as often as fmas, and
// VPMADDWD half as often (Haswell), both by their manuals. Those of Cooper Lake
// were not measured. On Emerald Rapids VDPBF16PS takes two cycles, VPDPBUSD
// starts twice per cycle (256 and 512 bits), and VPMADDWD with VPADDD 1.4 times
// (256 bits); on Sapphire Rapids TDPBF16PS takes 16 cycles, all measured. They
// steer speed only: a wrong one never makes wrong code. Tests:
// test/Unit/Target/TargetTest.cpp
//
//===----------------------------------------------------------------------===//

#include "Levels.h"

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

#define ATTNC_CASCADELAKE_FEATURES ATTNC_V4_FEATURES " avx512vnni"
#define ATTNC_COOPERLAKE_FEATURES ATTNC_CASCADELAKE_FEATURES " avx512bf16"
#define ATTNC_ZEN4_FEATURES                                                    \
  ATTNC_COOPERLAKE_FEATURES                                                    \
  " avx512bitalg avx512ifma avx512vbmi avx512vbmi2 avx512vpopcntdq gfni "      \
  "vaes vpclmulqdq"
// SERIALIZE tells Intel's processors from others.
#define ATTNC_GOLDENCOVE_FEATURES                                              \
  ATTNC_ZEN4_FEATURES " avx512fp16 avxvnni serialize"

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
static constexpr MemoryLevel kZen4Memory[] = {
    {"L1", 32 * 1024, 64},
    {"L2", 1024 * 1024, 32},
    {"memory", kUnlimited, 6},
};
static constexpr MemoryLevel kSprMemory[] = {
    {"L1", 48 * 1024, 128},
    {"L2", 2 * 1024 * 1024, 53},
    {"memory", kUnlimited, 6},
};

static constexpr CpuTraits kAvx2 = {
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
    .hasGather = true,
    .fmaPerCycle = 2,
    .fmaLatency = 4,
    .loadsPerCycle = 2,
};
static constexpr CpuTraits kAvx512WithBf16 = [] {
  CpuTraits traits = kAvx512;
  traits.hasBf16Conversion = true;
  return traits;
}();

/// A 512-bit instruction takes both halves of Zen 4's vector units.
static constexpr CpuTraits kZen4 = [] {
  CpuTraits traits = kAvx512WithBf16;
  traits.fmaPerCycle = 1;
  traits.loadsPerCycle = 1;
  return traits;
}();

/// Fmas, and VPMADDWD with VPADDD, which add two products of integers of 16
/// bits to each of 8 sums: of 8-bit integers, exact.
static constexpr Unit kV3Units[] = {
    kFmaUnits<256, /*hasFma=*/true>[0],
    kFmaUnits<256, /*hasFma=*/true>[1],
    {UnitKind::DotProduct, DType::I8, DType::I32, 32, 8, 1, 2},
};

/// VPDPBUSD of 256 bits: see below.
static constexpr Unit kAvxVnniUnits[] = {
    kFmaUnits<256, /*hasFma=*/true>[0],
    kFmaUnits<256, /*hasFma=*/true>[1],
    {UnitKind::DotProduct, DType::I8, DType::I32, 128, 8, 1, 4},
};

/// VPDPBUSD of 512 bits, without VDPBF16PS.
static constexpr Unit kVnniUnits[] = {
    kFmaUnits<512, /*hasFma=*/true>[0],
    kFmaUnits<512, /*hasFma=*/true>[1],
    {UnitKind::DotProduct, DType::I8, DType::I32, 256, 16, 1, 4},
};

/// Units of 512 bits: fmas, VDPBF16PS, which adds two products of bf16 to each
/// of 16 sums, and VPDPBUSD, four of unsigned by signed 8-bit integers.
template <unsigned fmaFlops, unsigned dotFlops>
static constexpr Unit kDotUnits[] = {
    {UnitKind::Fma, DType::F32, DType::F32, fmaFlops, 16, 1, 1},
    {UnitKind::Fma, DType::F64, DType::F64, fmaFlops / 2, 8, 1, 1},
    {UnitKind::DotProduct, DType::BF16, DType::F32, dotFlops, 16, 1, 2},
    {UnitKind::DotProduct, DType::I8, DType::I32, 4 * fmaFlops, 16, 1, 4},
};

/// VDPBF16PS takes two cycles, so fmas are twice as fast.
static constexpr ArrayRef<Unit> kGoldenCoveUnits = kDotUnits<64, 32>;

/// TDPBF16PS makes 16 x 16 sums of 32 products each, TDPBSSD of 64.
static constexpr Unit kSprUnits[] = {
    kDotUnits<64, 32>[0],
    kDotUnits<64, 32>[1],
    kDotUnits<64, 32>[2],
    kDotUnits<64, 32>[3],
    {UnitKind::Matrix, DType::BF16, DType::F32, 1024, 16, 16, 32},
    {UnitKind::Matrix, DType::I8, DType::I32, 2048, 16, 16, 64},
};

static constexpr Target kTargets[] = {
    {
        .name = "x86-64",
        .description = "any 64-bit x86: SSE2",
        .llvmCpu = "x86-64",
        .llvmFeatures = "",
        .requiredFeatures = "sse2",
        .units = kFmaUnits<128, /*hasFma=*/false>,
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
        .units = kV3Units,
        .memory = kV3Memory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 12,
        .cpu = kAvx2,
    },
    {
        .name = "alderlake",
        .description = "Alder Lake (2021) and later: AVX2 with AVX-VNNI",
        .llvmCpu = "x86-64-v3",
        .llvmFeatures = "+avxvnni",
        .requiredFeatures = ATTNC_V3_FEATURES " avxvnni",
        .units = kAvxVnniUnits,
        .memory = kV3Memory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 12,
        .cpu = kAvx2,
    },
    {
        .name = "x86-64-v4",
        .description = "Skylake-SP, Zen 4 and later: AVX-512",
        .llvmCpu = "x86-64-v4",
        .llvmFeatures = kWideVectors,
        .requiredFeatures = ATTNC_V4_FEATURES,
        .units = kFmaUnits<512, /*hasFma=*/true>,
        .memory = kV4Memory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 8,
        .cpu = kAvx512,
    },
    {
        .name = "cascadelake",
        .description = "Cascade Lake, Ice Lake: AVX-512 with VNNI",
        .llvmCpu = "cascadelake",
        .llvmFeatures = kWideVectors,
        .requiredFeatures = ATTNC_CASCADELAKE_FEATURES,
        .units = kVnniUnits,
        .memory = kV4Memory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 8,
        .cpu = kAvx512,
    },
    {
        .name = "cooperlake",
        .description = "Cooper Lake: AVX-512 with BF16",
        .llvmCpu = "cooperlake",
        .llvmFeatures = kWideVectors,
        .requiredFeatures = ATTNC_COOPERLAKE_FEATURES,
        .units = kDotUnits<64, 64>,
        .memory = kV4Memory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 8,
        .cpu = kAvx512WithBf16,
    },
    {
        .name = "zen4",
        .description = "Zen 4 and Zen 5: AVX-512 with BF16",
        .llvmCpu = "znver4",
        // Processors of other vendors have all that is required, but no SSE4A.
        .llvmFeatures = "-prefer-256-bit,-sse4a",
        .requiredFeatures = ATTNC_ZEN4_FEATURES,
        .units = kDotUnits<32, 64>,
        .memory = kZen4Memory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 8,
        .cpu = kZen4,
    },
    {
        .name = "goldencove",
        .description =
            "Sapphire Rapids without AMX: AVX-512 with BF16 and FP16",
        .llvmCpu = "sapphirerapids",
        .llvmFeatures = kWideVectors,
        .requiredFeatures = ATTNC_GOLDENCOVE_FEATURES,
        .units = kGoldenCoveUnits,
        .memory = kSprMemory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 8,
        .cpu = kAvx512WithBf16,
    },
    {
        .name = "sapphirerapids",
        .description = "Sapphire Rapids: AVX-512 with BF16 and FP16, AMX",
        .llvmCpu = "sapphirerapids",
        .llvmFeatures = kWideVectors,
        .requiredFeatures = ATTNC_GOLDENCOVE_FEATURES,
        .matrixFeatures = "amx-bf16 amx-int8 amx-tile",
        .units = kSprUnits,
        .memory = kSprMemory,
        .rowBytesPerCycle = 4,
        .exp2Operations = 8,
        .cpu = kAvx512WithBf16,
    },
};

ArrayRef<Target> attnc::getX86Levels() { return kTargets; }
