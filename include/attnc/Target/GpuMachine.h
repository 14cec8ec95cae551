//===- GpuMachine.h - The whole of a GPU ------------------------*- C++ -*-===//
//
// What GpuTraits says of a multiprocessor, of all of them together: for
// lib/Schedule/Nvptx, which fills them.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_GPUMACHINE_H
#define ATTNC_TARGET_GPUMACHINE_H

#include "attnc/Target/Target.h"

namespace attnc {

struct GpuMachine {
  /// The smallest machine of a level.
  unsigned multiprocessors = 1;
  /// Cycles that a read of memory takes where many are under way.
  unsigned memoryLatency = 1;
};

/// Of a target of kind Gpu.
const GpuMachine &getGpuMachine(const Target &target);

} // namespace attnc

#endif // ATTNC_TARGET_GPUMACHINE_H
