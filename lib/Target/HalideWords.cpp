//===- HalideWords.cpp - Processors in Halide's words ---------------------===//

#include "attnc/Target/HalideWords.h"

using namespace attnc;
using namespace llvm;

namespace {
/// A vector instruction set, or an interface of devices.
struct Row {
  StringRef name;
  HalideWords words;
};
} // namespace

/// Scalable vectors are not named: for SVE2 and V, Halide 21 calls intrinsics
/// with types that its LLVM rejects, and its code for V is wrong where vectors
/// are longer than it was told. Vectors of a fixed length serve both, from
/// which Emit's LLVM selects the level's instructions. For V they come from
/// another platform with pointers of 64 bits, without intrinsics of that
/// platform. `arm_fp16` makes f16 conversions instructions; nothing is computed
/// in f16. Sizes of buffers have 64 bits where pointers do.
static constexpr Row kIsas[] = {
    {"sse2", {"x86-64-linux", "-large_buffers"}},
    {"avx2", {"x86-64-linux", "-large_buffers-sse41-avx-avx2-fma-f16c"}},
    {"avx512",
     {"x86-64-linux",
      "-large_buffers-sse41-avx-avx2-fma-f16c-avx512-avx512_skylake"}},
    {"neon", {"arm-64-linux", "-large_buffers-arm_fp16"}},
    {"sve2", {"arm-64-linux", "-large_buffers-arm_fp16"}},
    {"rvv", {"arm-64-linux", "-large_buffers-no_neon"}},
    {"simd128", {"wasm-32-wasmrt", "-wasm_simd128"}},
};

static constexpr Row kInterfaces[] = {
    {"opencl", {"x86-64-linux", "-opencl-cl_doubles"}},
    {"cuda", {"x86-64-linux", "-cuda-cuda_capability_80"}},
    {"opencl-embedded", {"x86-64-linux", "-opencl"}},
    {"vulkan", {"x86-64-linux", "-vulkan-vk_int8-vk_int16-vk_v13"}},
    {"metal", {"arm-64-osx", "-metal"}},
    {"d3d12", {"x86-64-windows", "-d3d12compute", /*hasUniformLoads=*/false}},
    {"webgpu", {"wasm-32-wasmrt", "-webgpu", /*hasUniformLoads=*/false}},
};

std::optional<HalideWords> attnc::findHalideWords(const Target &target) {
  bool isDevice = target.kind == TargetKind::Device;
  StringRef name = isDevice ? target.device.api : target.cpu.isa;
  ArrayRef<Row> rows = isDevice ? ArrayRef(kInterfaces) : ArrayRef(kIsas);
  const auto *row =
      find_if(rows, [&](const Row &row) { return row.name == name; });
  if (row == rows.end())
    return std::nullopt;
  HalideWords words = row->words;
  words.hasRounding = isDevice || target.cpu.hasRound;
  return words;
}
