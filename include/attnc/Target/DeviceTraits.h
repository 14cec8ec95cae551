//===- DeviceTraits.h - Groups and memory of a device -----------*- C++ -*-===//
//
// The part of a Target that only lib/Schedule and lib/Codegen of backends for
// devices may ask for.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_DEVICETRAITS_H
#define ATTNC_TARGET_DEVICETRAITS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace attnc {

struct DeviceTraits {
  /// The interface that the kernels are launched through: "opencl".
  llvm::StringRef api = {};
  /// Threads of a group, at most, and the shared memory of one, in bytes: what
  /// every device of the interface has.
  int64_t groupThreads = 0;
  int64_t sharedBytes = 0;
  /// Whether kernels may use integers and floats of 64 bits.
  bool hasInt64 = false, hasFloat64 = false;
  /// Whether an object of the platform can launch the kernels; else only their
  /// source is written.
  bool hasHostCode = false;
};

} // namespace attnc

#endif // ATTNC_TARGET_DEVICETRAITS_H
