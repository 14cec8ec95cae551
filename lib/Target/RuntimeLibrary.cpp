//===- RuntimeLibrary.cpp - The table of drivers and system libraries -----===//

#include "attnc/Target/RuntimeLibrary.h"

using namespace attnc;
using namespace llvm;

/// What Halide's runtime needs to load a driver and to read its properties.
/// Assembly of its launcher defines the lock that all objects share.
static constexpr char kLinuxSymbols[] =
    "attnc_device_lock dlopen dlsym dlerror usleep abort atoi memcmp strcmp "
    "strncmp strlen strstr strncpy sched_yield";

static constexpr char kMetalSymbols[] =
    "MTLCreateSystemDefaultDevice NSLog _NSConcreteStackBlock objc_getClass "
    "dlopen dlsym objc_msgSend sel_getUid mach_absolute_time "
    "mach_timebase_info usleep "
    "abort atoi memcmp strcmp strlen strstr strncpy";

static constexpr char kD3D12Symbols[] =
    "CloseHandle __imp_CloseHandle CreateEventA __imp_CreateEventA "
    "GetProcAddress LoadLibraryW MultiByteToWideChar QueryPerformanceCounter "
    "QueryPerformanceFrequency SetErrorMode Sleep WaitForSingleObject abort "
    "atoi memcmp strcmp strlen strstr";

/// The functions of webgpu.h that Emscripten 3 implements.
static constexpr char kWebGpuSymbols[] =
    "wgpuAdapterRelease wgpuAdapterRequestDevice wgpuBindGroupLayoutRelease "
    "wgpuBindGroupRelease wgpuBufferGetConstMappedRange "
    "wgpuBufferGetMappedRange wgpuBufferGetSize wgpuBufferMapAsync "
    "wgpuBufferReference wgpuBufferRelease wgpuBufferUnmap "
    "wgpuCommandEncoderBeginComputePass wgpuCommandEncoderCopyBufferToBuffer "
    "wgpuCommandEncoderFinish wgpuCommandEncoderRelease "
    "wgpuComputePassEncoderDispatchWorkgroups wgpuComputePassEncoderEnd "
    "wgpuComputePassEncoderSetBindGroup wgpuComputePassEncoderSetPipeline "
    "wgpuComputePipelineGetBindGroupLayout wgpuComputePipelineRelease "
    "wgpuCreateInstance wgpuDeviceCreateBindGroup wgpuDeviceCreateBuffer "
    "wgpuDeviceCreateCommandEncoder wgpuDeviceCreateComputePipeline "
    "wgpuDeviceCreateShaderModule wgpuDeviceGetQueue wgpuDevicePopErrorScope "
    "wgpuDevicePushErrorScope wgpuDeviceRelease wgpuInstanceRelease "
    "wgpuInstanceRequestAdapter wgpuQueueOnSubmittedWorkDone wgpuQueueRelease "
    "wgpuQueueSubmit wgpuQueueWriteBuffer wgpuShaderModuleRelease "
    "emscripten_sleep abort atoi memcmp strcmp strlen strstr usleep";

namespace {

struct Row {
  StringRef api, os; // os: in the platform's triple
  RuntimeLibrary library;
};

} // namespace

static constexpr Row kRows[] = {
    {"opencl", "linux", {"libOpenCL.so.1", kLinuxSymbols}},
    {"opencl-embedded", "linux", {"libOpenCL.so.1", kLinuxSymbols}},
    {"cuda", "linux", {"libcuda.so.1", kLinuxSymbols}},
    {"vulkan", "linux", {"libvulkan.so.1", kLinuxSymbols}},
    {"metal", "macos", {"the frameworks Metal and Foundation", kMetalSymbols}},
    {"d3d12",
     "windows",
     {"d3d12.dll, dxgi.dll and d3dcompiler_47.dll", kD3D12Symbols}},
    {"webgpu", "wasm", {"Emscripten's WebGPU", kWebGpuSymbols}},
};

RuntimeLibrary attnc::getRuntimeLibrary(const Target &target,
                                        const Platform &platform) {
  if (target.kind == TargetKind::Gpu)
    return {"libcuda.so.1", "dlopen dlsym usleep"};
  for (const Row &row : kRows)
    if (target.kind == TargetKind::Device && target.device.api == row.api &&
        platform.triple.contains(row.os))
      return row.library;
  return {};
}
