//===- Levels.h - The tables of processors ----------------------*- C++ -*-===//
//
// Private to lib/Target: one table per architecture, and what they share.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_TARGET_LEVELS_H
#define ATTNC_LIB_TARGET_LEVELS_H

#include "attnc/Target/Target.h"

#include <limits>

namespace attnc {

llvm::ArrayRef<Target> getX86Levels();
llvm::ArrayRef<Target> getX86Devices();
llvm::ArrayRef<Target> getAppleDevices();
llvm::ArrayRef<Target> getWindowsDevices();
llvm::ArrayRef<Target> getWasmDevices();
llvm::ArrayRef<Target> getAArch64Levels();
llvm::ArrayRef<Target> getAppleLevels();
llvm::ArrayRef<Target> getRiscV64Levels();
llvm::ArrayRef<Target> getNvidiaLevels();
llvm::ArrayRef<Target> getWasmLevels();

/// Two vector units, each with an fma per lane, or an addition and a
/// multiplication.
template <unsigned vectorBits, bool hasFma>
inline constexpr Unit kFmaUnits[] = {
    {UnitKind::Fma, DType::F32, DType::F32, vectorBits / 32 * (hasFma ? 4 : 2),
     vectorBits / 32, 1, 1},
    {UnitKind::Fma, DType::F64, DType::F64, vectorBits / 64 * (hasFma ? 4 : 2),
     vectorBits / 64, 1, 1},
};

inline constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

} // namespace attnc

#endif // ATTNC_LIB_TARGET_LEVELS_H
