//===- CpuFeatures.h - LLVM's features as bits of CPUID ---------*- C++ -*-===//
//
// Private to lib/Emit.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_EMIT_CPUFEATURES_H
#define ATTNC_LIB_EMIT_CPUFEATURES_H

#include "Abi/entry.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>

namespace attnc {

/// One mask per word of lib/Emit/Abi/cpu.h.
using CpuNeeds = std::array<uint32_t, ATTNC_CPU_WORDS>;

/// The bits that a processor and its system must show for LLVM's features
/// `names` (blanks between). An error names a feature without a known bit.
llvm::Expected<CpuNeeds> cpuNeeds(llvm::StringRef names);

} // namespace attnc

#endif // ATTNC_LIB_EMIT_CPUFEATURES_H
