//===- LoadedObject.h - The object's code in this process -------*- C++ -*-===//
//
// Loads the very bytes that attnc writes, so what attnc-run checks is what the
// user links.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_RUN_LOADEDOBJECT_H
#define ATTNC_LIB_DRIVER_RUN_LOADEDOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include "attnc.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace attnc {

class LoadedObject {
public:
  static llvm::Expected<LoadedObject> load(llvm::StringRef bytes);
  LoadedObject(LoadedObject &&);
  ~LoadedObject();

  llvm::Expected<void *> symbol(llvm::StringRef name);

private:
  explicit LoadedObject(std::unique_ptr<llvm::orc::LLJIT> jit);
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

/// Calls an entry `attnc_status f(const attnc_tensor *..., const attnc_runtime
/// *)` with any number of tensors up to Interface::kMaxTensors.
attnc_status callEntry(void *entry, llvm::ArrayRef<attnc_tensor *> tensors,
                       const attnc_runtime *runtime);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_LOADEDOBJECT_H
