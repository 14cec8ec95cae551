//===- CpuFeatures.cpp - LLVM's features as bits --------------------------===//
//
// On x86-64 the bits of CPUID, as in Intel's SDM, volume 2A, CPUID, and AMD's
// APM, volume 3, appendix E. A vector extension also needs the system to save
// its registers (XCR0, SDM volume 1, section 13.3), else a context switch would
// destroy them. Tests: test/Unit/Emit/CpuFeaturesTest.cpp
//
//===----------------------------------------------------------------------===//

#include "CpuFeatures.h"

#include "Abi/cpu.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Triple.h"

using namespace attnc;
using llvm::StringRef;

namespace {
struct FeatureBit {
  llvm::StringLiteral name;
  unsigned word, bit;
  uint32_t registers; // bits of XCR0
};
} // namespace

static constexpr uint32_t kYmm = 0x6, kZmm = 0xe6, kTiles = 0x60000;

static constexpr FeatureBit kX86Bits[] = {
    {"sse3", ATTNC_CPU_1_ECX, 0, 0},
    {"pclmul", ATTNC_CPU_1_ECX, 1, 0},
    {"ssse3", ATTNC_CPU_1_ECX, 9, 0},
    {"fma", ATTNC_CPU_1_ECX, 12, kYmm},
    {"cx16", ATTNC_CPU_1_ECX, 13, 0},
    {"sse4.1", ATTNC_CPU_1_ECX, 19, 0},
    {"sse4.2", ATTNC_CPU_1_ECX, 20, 0},
    {"crc32", ATTNC_CPU_1_ECX, 20, 0},
    {"movbe", ATTNC_CPU_1_ECX, 22, 0},
    {"popcnt", ATTNC_CPU_1_ECX, 23, 0},
    {"aes", ATTNC_CPU_1_ECX, 25, 0},
    {"xsave", ATTNC_CPU_1_ECX, 26, 0},
    {"avx", ATTNC_CPU_1_ECX, 28, kYmm},
    {"f16c", ATTNC_CPU_1_ECX, 29, kYmm},
    {"cx8", ATTNC_CPU_1_EDX, 8, 0},
    {"cmov", ATTNC_CPU_1_EDX, 15, 0},
    {"fxsr", ATTNC_CPU_1_EDX, 24, 0},
    {"sse", ATTNC_CPU_1_EDX, 25, 0},
    {"sse2", ATTNC_CPU_1_EDX, 26, 0},
    {"bmi", ATTNC_CPU_7_EBX, 3, 0},
    {"avx2", ATTNC_CPU_7_EBX, 5, kYmm},
    {"bmi2", ATTNC_CPU_7_EBX, 8, 0},
    {"avx512f", ATTNC_CPU_7_EBX, 16, kZmm},
    {"avx512dq", ATTNC_CPU_7_EBX, 17, kZmm},
    {"avx512ifma", ATTNC_CPU_7_EBX, 21, kZmm},
    {"avx512cd", ATTNC_CPU_7_EBX, 28, kZmm},
    {"avx512bw", ATTNC_CPU_7_EBX, 30, kZmm},
    {"avx512vl", ATTNC_CPU_7_EBX, 31, kZmm},
    {"avx512vbmi", ATTNC_CPU_7_ECX, 1, kZmm},
    {"avx512vbmi2", ATTNC_CPU_7_ECX, 6, kZmm},
    {"gfni", ATTNC_CPU_7_ECX, 8, 0},
    {"vaes", ATTNC_CPU_7_ECX, 9, kYmm},
    {"vpclmulqdq", ATTNC_CPU_7_ECX, 10, kYmm},
    {"avx512vnni", ATTNC_CPU_7_ECX, 11, kZmm},
    {"avx512bitalg", ATTNC_CPU_7_ECX, 12, kZmm},
    {"avx512vpopcntdq", ATTNC_CPU_7_ECX, 14, kZmm},
    {"serialize", ATTNC_CPU_7_EDX, 14, 0},
    {"amx-bf16", ATTNC_CPU_7_EDX, 22, kTiles},
    {"avx512fp16", ATTNC_CPU_7_EDX, 23, kZmm},
    {"amx-tile", ATTNC_CPU_7_EDX, 24, kTiles},
    {"amx-int8", ATTNC_CPU_7_EDX, 25, kTiles},
    {"avxvnni", ATTNC_CPU_7_1_EAX, 4, kYmm},
    {"avx512bf16", ATTNC_CPU_7_1_EAX, 5, kZmm},
    {"amx-fp16", ATTNC_CPU_7_1_EAX, 21, kTiles},
    {"avxifma", ATTNC_CPU_7_1_EAX, 23, kYmm},
    {"avxvnniint8", ATTNC_CPU_7_1_EDX, 4, kYmm},
    {"avxneconvert", ATTNC_CPU_7_1_EDX, 5, kYmm},
    {"sahf", ATTNC_CPU_80000001_ECX, 0, 0},
    {"lzcnt", ATTNC_CPU_80000001_ECX, 5, 0},
};

/// HWCAP_* and HWCAP2_* of Linux.
static constexpr FeatureBit kAArch64Bits[] = {
    {"neon", ATTNC_CPU_HWCAP, 1, 0}, // ASIMD
    {"sve", ATTNC_CPU_HWCAP, 22, 0},
    {"sve2", ATTNC_CPU_HWCAP2, 1, 0},
};

/// Linux has a bit for each extension of one letter.
static constexpr FeatureBit kRiscVBits[] = {
    {"v", ATTNC_CPU_HWCAP, 'v' - 'a', 0},
};

static llvm::ArrayRef<FeatureBit> bitsOf(llvm::Triple::ArchType arch) {
  switch (arch) {
  case llvm::Triple::x86_64:
    return kX86Bits;
  case llvm::Triple::aarch64:
    return kAArch64Bits;
  case llvm::Triple::riscv64:
    return kRiscVBits;
  default:
    return {};
  }
}

llvm::Expected<CpuNeeds> attnc::cpuBits(llvm::Triple::ArchType arch,
                                        StringRef features) {
  CpuNeeds needs = {};
  llvm::ArrayRef<FeatureBit> bits = bitsOf(arch);
  llvm::SmallVector<StringRef> list;
  features.split(list, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : list) {
    const FeatureBit *found = llvm::find_if(
        bits, [&](const FeatureBit &bit) { return bit.name == name; });
    if (found == bits.end())
      return llvm::createStringError("no call can check the feature '" + name +
                                     "' on " +
                                     llvm::Triple::getArchTypeName(arch));
    needs[found->word] |= 1u << found->bit;
    needs[ATTNC_CPU_XCR0] |= found->registers;
    if (found->registers) // else XCR0 cannot be read
      needs[ATTNC_CPU_1_ECX] |= 1u << 27;
  }
  return needs;
}

llvm::Expected<CpuNeeds> attnc::cpuNeeds(const CodegenTarget &target) {
  auto needs =
      cpuBits(llvm::Triple(target.triple).getArch(), target.requiredFeatures);
  if (needs && target.vscale)
    (*needs)[ATTNC_CPU_VSCALE] |= 1u << llvm::Log2_32(target.vscale);
  return needs;
}
