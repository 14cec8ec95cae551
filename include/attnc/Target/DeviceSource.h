//===- DeviceSource.h - Languages of kernels for devices --------*- C++ -*-===//

#ifndef ATTNC_TARGET_DEVICESOURCE_H
#define ATTNC_TARGET_DEVICESOURCE_H

#include "attnc/Target/Target.h"

namespace attnc {

/// The language in which kernels of some devices are written.
struct DeviceSource {
  llvm::StringLiteral suffix;  // of files: ".cl"
  llvm::StringLiteral name;    // "OpenCL C"
  llvm::StringLiteral example; // the level of a device with it
};

llvm::ArrayRef<DeviceSource> getDeviceSources();

/// Of a device; null for other processors.
const DeviceSource *findDeviceSource(const Target &target);

} // namespace attnc

#endif // ATTNC_TARGET_DEVICESOURCE_H
