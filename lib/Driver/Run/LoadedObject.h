//===- LoadedObject.h - The object's code in this process -------*- C++ -*-===//
//
// Loads the very bytes that attnc writes, so what attnc-run checks is what the
// user links.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_RUN_LOADEDOBJECT_H
#define ATTNC_LIB_DRIVER_RUN_LOADEDOBJECT_H

#include "Run/RunnableObject.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace attnc {

class LoadedObject : public RunnableObject {
public:
  static llvm::Expected<std::unique_ptr<LoadedObject>>
  load(llvm::StringRef bytes);
  ~LoadedObject() override;

  llvm::Expected<Entry> entry(llvm::StringRef function) override;

private:
  explicit LoadedObject(std::unique_ptr<llvm::orc::LLJIT> jit);
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_LOADEDOBJECT_H
