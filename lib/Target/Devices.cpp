//===- Devices.cpp - The table of devices ---------------------------------===//
//
// A device is a level of its own: an interface to launch kernels through, with
// the limits that each of its implementations has at least (the tables of the
// specifications of OpenCL 1.2, CUDA, Vulkan, Metal, Direct3D 12 and WebGPU;
// shared memory as common implementations have it). Its host code runs on any
// processor of the platform. Rates are those of a small integrated GPU;
// they steer speed only. Tests: test/Unit/Target/PlatformTest.cpp
//
//===----------------------------------------------------------------------===//

#include "Levels.h"

#include "attnc/Target/DeviceSource.h"

using namespace attnc;
using namespace llvm;

static constexpr MemoryLevel kDeviceMemory[] = {
    {"shared", 32 * 1024, 64},
    {"L2", 1024 * 1024, 32},
    {"memory", kUnlimited, 8},
};

/// A multiprocessor with 64 lanes of f32 and a quarter of that in f64.
static constexpr Unit kDeviceUnits[] = {
    {UnitKind::Fma, DType::F32, DType::F32, 128, 32, 1, 1},
    {UnitKind::Fma, DType::F64, DType::F64, 32, 32, 1, 1},
};

static constexpr Target makeDevice(StringRef name, StringRef description,
                                   DeviceTraits traits) {
  Target target;
  target.name = name;
  target.description = description;
  target.kind = TargetKind::Device;
  target.llvmCpu = "x86-64";
  target.requiredFeatures = "sse2";
  target.units = kDeviceUnits;
  target.memory = kDeviceMemory;
  target.rowBytesPerCycle = 8;
  target.exp2Operations = 12;
  traits.api = name;
  target.device = traits;
  return target;
}

static constexpr Target kX86Devices[] = {
    makeDevice("opencl", "devices with OpenCL 1.2",
               {.groupThreads = 256,
                .sharedBytes = 32 * 1024,
                .hasInt64 = true,
                .hasFloat64 = true,
                .hasHostCode = true}),
    makeDevice("cuda",
               "NVIDIA GPUs of compute capability 8.0 and later, by "
               "Halide",
               {.groupThreads = 1024,
                .sharedBytes = 48 * 1024,
                .hasInt64 = true,
                .hasFloat64 = true,
                .hasHostCode = true}),
    makeDevice(
        "opencl-embedded",
        "devices with the embedded profile of OpenCL 1.2: no numbers of "
        "64 bits",
        {.groupThreads = 128, .sharedBytes = 16 * 1024, .hasHostCode = true}),
    makeDevice(
        "vulkan", "devices with Vulkan 1.3: no numbers of 64 bits",
        {.groupThreads = 128, .sharedBytes = 16 * 1024, .hasHostCode = true}),
    makeDevice("metal", "Apple's GPUs: Metal source of the kernels only",
               {.groupThreads = 256, .sharedBytes = 32 * 1024}),
    makeDevice("d3d12", "devices with Direct3D 12: HLSL of the kernels only",
               {.groupThreads = 256, .sharedBytes = 32 * 1024}),
    makeDevice("webgpu", "devices with WebGPU: WGSL of the kernels only",
               {.groupThreads = 256, .sharedBytes = 16 * 1024}),
};

// What a level of a device begins with is its interface: "opencl-embedded".
static constexpr DeviceSource kSources[] = {
    {".cl", "OpenCL C", "opencl"},  {".ptx", "PTX", "cuda"},
    {".spirv", "SPIR-V", "vulkan"}, {".metal", "Metal source", "metal"},
    {".hlsl", "HLSL", "d3d12"},     {".wgsl", "WGSL", "webgpu"},
};

ArrayRef<DeviceSource> attnc::getDeviceSources() { return kSources; }

const DeviceSource *attnc::findDeviceSource(const Target &target) {
  if (target.kind != TargetKind::Device)
    return nullptr;
  for (const DeviceSource &source : kSources)
    if (target.device.api.starts_with(source.example))
      return &source;
  return nullptr;
}

ArrayRef<Target> attnc::getX86Devices() { return kX86Devices; }

// The platforms of these interfaces; none of them has run.

static constexpr Target kAppleDevices[] = {[] {
  Target target = makeDevice(
      "metal", "Apple's GPUs",
      {.groupThreads = 256, .sharedBytes = 32 * 1024, .hasHostCode = true});
  target.llvmCpu = "apple-m1";
  target.requiredFeatures = "";
  return target;
}()};

ArrayRef<Target> attnc::getAppleDevices() { return kAppleDevices; }

static constexpr Target kWindowsDevices[] = {makeDevice(
    "d3d12", "devices with Direct3D 12",
    {.groupThreads = 256, .sharedBytes = 32 * 1024, .hasHostCode = true})};

ArrayRef<Target> attnc::getWindowsDevices() { return kWindowsDevices; }

static constexpr Target kWasmDevices[] = {[] {
  Target target = makeDevice(
      "webgpu", "devices with WebGPU, by Emscripten",
      {.groupThreads = 256, .sharedBytes = 16 * 1024, .hasHostCode = true});
  target.llvmCpu = "generic";
  target.requiredFeatures = "";
  return target;
}()};

ArrayRef<Target> attnc::getWasmDevices() { return kWasmDevices; }
