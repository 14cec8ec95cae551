//===- CpuFeatures.h - LLVM's features as bits ------------------*- C++ -*-===//
//
// Private to lib/Emit.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_EMIT_CPUFEATURES_H
#define ATTNC_LIB_EMIT_CPUFEATURES_H

#include "Abi/entry.h"

#include "attnc/Emit/Object.h"

#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"

#include <array>
#include <cstdint>

namespace attnc {

/// One mask per word of lib/Emit/Abi/cpu.h.
using CpuNeeds = std::array<uint32_t, ATTNC_CPU_WORDS>;

/// All bits: no processor has them.
inline constexpr CpuNeeds kNoProcessor = [] {
  CpuNeeds bits = {};
  for (uint32_t &word : bits)
    word = UINT32_MAX;
  return bits;
}();

/// The bits of features, LLVM's names with blanks between. An error names one
/// without a known bit.
llvm::Expected<CpuNeeds> cpuBits(llvm::Triple::ArchType arch,
                                 llvm::StringRef features);

/// The bits that a processor and its system must show for what the target
/// requires. An error names a feature without a known bit.
llvm::Expected<CpuNeeds> cpuNeeds(const CodegenTarget &target);

} // namespace attnc

#endif // ATTNC_LIB_EMIT_CPUFEATURES_H
