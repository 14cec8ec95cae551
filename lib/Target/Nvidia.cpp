//===- Nvidia.cpp - The table of NVIDIA GPUs ------------------------------===//
//
// The numbers are those of NVIDIA's A100 and H100 whitepapers and of the CUDA
// programming guide (table of compute capabilities, throughput of arithmetic
// instructions), per streaming multiprocessor and cycle; no GPU was there to
// measure them. They steer speed, except for the limits in GpuTraits. Tests:
// test/Unit/Target/TargetTest.cpp
//
//===----------------------------------------------------------------------===//

#include "Levels.h"

#include "attnc/Target/GpuMachine.h"

using namespace attnc;
using namespace llvm;

/// The instructions m16n8k16 of the tensor cores, of which four warps execute
/// one each; an fma per thread of a warp else.
static constexpr Unit kAmpereUnits[] = {
    {UnitKind::Matrix, DType::F16, DType::F32, 2048, 16, 8, 16},
    {UnitKind::Matrix, DType::BF16, DType::F32, 2048, 16, 8, 16},
    {UnitKind::Fma, DType::F32, DType::F32, 128, 32, 1, 1},
    {UnitKind::Fma, DType::F64, DType::F64, 64, 32, 1, 1},
};

/// L1 shares its 192 KiB with shared memory. The L2 (40 MiB, 5120 bytes per
/// cycle) and the memory (1.56 TB/s at 1.41 GHz) are divided by 108
/// multiprocessors.
static constexpr MemoryLevel kAmpereMemory[] = {
    {"L1", 28 * 1024, 128},
    {"L2", 370 * 1024, 47},
    {"memory", kUnlimited, 10},
};

/// The instructions wgmma.m64nNk16, which a warpgroup executes on all tensor
/// cores (dense rates of the H100 SXM). The instructions mma reach about 60 %
/// of it.
static constexpr Unit kHopperUnits[] = {
    {UnitKind::Matrix, DType::F16, DType::F32, 4096, 64, 256, 16},
    {UnitKind::Matrix, DType::BF16, DType::F32, 4096, 64, 256, 16},
    {UnitKind::Fma, DType::F32, DType::F32, 256, 32, 1, 1},
    {UnitKind::Fma, DType::F64, DType::F64, 128, 32, 1, 1},
};

/// L1 shares its 256 KiB with shared memory. The L2 (50 MiB, 5632 bytes per
/// cycle) and the memory (3.35 TB/s at 1.83 GHz) are divided by 132
/// multiprocessors.
static constexpr MemoryLevel kHopperMemory[] = {
    {"L1", 28 * 1024, 128},
    {"L2", 388 * 1024, 42},
    {"memory", kUnlimited, 13},
};

static constexpr Target kTargets[] = {
    {
        .name = "sm_80",
        .description = "NVIDIA A100 and later: tensor cores, cp.async",
        .kind = TargetKind::Gpu,
        .llvmCpu = "sm_80",
        .llvmFeatures = "+ptx80",
        .requiredFeatures = "",
        .emulatorCpu = "sm_80",
        .units = kAmpereUnits,
        .memory = kAmpereMemory,
        .rowBytesPerCycle = 64,
        .exp2Operations = 4,
        .cpu = {},
        .gpu =
            {
                .warpThreads = 32,
                .maxThreads = 1024,
                .threadRegisters = 255,
                .registers = 65536,
                .blockSharedBytes = 163 * 1024,
                .sharedBytes = 164 * 1024,
                .functionsPerCycle = 16,
            },
    },
    {
        .name = "sm_90a",
        .description = "NVIDIA H100, H200, GH200: wgmma of warpgroups",
        .kind = TargetKind::Gpu,
        .llvmCpu = "sm_90a",
        .llvmFeatures = "+ptx80",
        .requiredFeatures = "",
        .emulatorCpu = "sm_90a",
        .units = kHopperUnits,
        .memory = kHopperMemory,
        .rowBytesPerCycle = 64,
        .exp2Operations = 4,
        .cpu = {},
        .gpu =
            {
                .warpThreads = 32,
                .maxThreads = 1024,
                .threadRegisters = 255,
                .registers = 65536,
                .blockSharedBytes = 227 * 1024,
                .sharedBytes = 228 * 1024,
                .functionsPerCycle = 16,
            },
    },
};

/// By the place in kTargets. Latencies are those that microbenchmarks of both
/// machines report for loaded memory, about.
static constexpr GpuMachine kMachines[] = {
    {.multiprocessors = 108, .memoryLatency = 900},
    {.multiprocessors = 132, .memoryLatency = 1100},
};
static_assert(std::size(kMachines) == std::size(kTargets));

ArrayRef<Target> attnc::getNvidiaLevels() { return kTargets; }

const GpuMachine &attnc::getGpuMachine(const Target &target) {
  return kMachines[&target - kTargets];
}
