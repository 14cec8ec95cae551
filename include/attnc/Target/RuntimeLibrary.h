//===- RuntimeLibrary.h - What launches kernels on devices ------*- C++ -*-===//
//
// Objects with kernels for devices and GPUs call a driver or a system library.
// The table is in lib/Target/RuntimeLibrary.cpp. Tests:
// test/Codegen/Halide/device-objects.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_RUNTIMELIBRARY_H
#define ATTNC_TARGET_RUNTIMELIBRARY_H

#include "attnc/Target/Platform.h"

namespace attnc {

struct RuntimeLibrary {
  /// For people: "libOpenCL.so.1". Empty where the target needs none.
  llvm::StringRef name = {};
  /// What an object may ask of the linker besides what every libc has, as
  /// Platform::systemSymbols.
  llvm::StringRef systemSymbols = {};
};

/// Of an object with a part for `target`, a level, device or GPU of `platform`.
RuntimeLibrary getRuntimeLibrary(const Target &target,
                                 const Platform &platform);

} // namespace attnc

#endif // ATTNC_TARGET_RUNTIMELIBRARY_H
