//===- GpuTraits.h - Limits of a streaming multiprocessor -------*- C++ -*-===//
//
// The part of a Target that only lib/Schedule/Nvptx and lib/Codegen/NVPTX may
// ask for; tools/dev/check_layering.py checks that.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_GPUTRAITS_H
#define ATTNC_TARGET_GPUTRAITS_H

#include <cstdint>

namespace attnc {

struct GpuTraits {
  /// Threads that execute one instruction together.
  unsigned warpThreads = 0;
  unsigned maxThreads = 0; // of a block
  /// 32-bit registers of a thread, and of all resident threads.
  unsigned threadRegisters = 0, registers = 0;
  /// Bytes of shared memory: of a block that asks for them, and of all resident
  /// blocks.
  int64_t blockSharedBytes = 0, sharedBytes = 0;
  /// Transcendental functions (ex2, rcp, ...) per cycle.
  unsigned functionsPerCycle = 0;
};

} // namespace attnc

#endif // ATTNC_TARGET_GPUTRAITS_H
