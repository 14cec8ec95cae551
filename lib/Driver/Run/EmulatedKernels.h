//===- EmulatedKernels.h - Kernels of a GPU in an emulator ------*- C++ -*-===//
//
// The object's entry runs in this process, with all its checks; each grid is a
// run of nvptx-emulator. Tensors go there and back through files.
// Tests: test/Integration/gpu
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_RUN_EMULATEDKERNELS_H
#define ATTNC_LIB_DRIVER_RUN_EMULATEDKERNELS_H

#include "Run/LoadedObject.h"

#include "attnc/Interface/Interface.h"
#include "attnc/Target/Platform.h"

#include <memory>
#include <string>
#include <vector>

namespace attnc {

class EmulatedKernels : public RunnableObject {
public:
  /// `code` is the LLVM IR of the kernels. An error says that the emulator is
  /// missing.
  static llvm::Expected<std::unique_ptr<EmulatedKernels>>
  load(llvm::StringRef object, llvm::StringRef code,
       llvm::ArrayRef<Interface> functions, const Platform &platform);
  ~EmulatedKernels() override;

  llvm::Expected<Entry> entry(llvm::StringRef function) override;

  /// What the object calls. One object runs at a time.
  static void launch(const char *target, const char *kernel, int64_t blocks,
                     int64_t threads, int64_t shared, int64_t workspace,
                     const void *call, const void *maps, int64_t mapCount);

private:
  EmulatedKernels() = default;
  std::string path(const llvm::Twine &name) const;
  llvm::Error run(llvm::StringRef kernel, int64_t blocks, int64_t threads,
                  int64_t shared, int64_t workspace, const void *call,
                  const void *maps, int64_t mapCount);

  std::unique_ptr<LoadedObject> object;
  std::vector<Interface> functions;
  const Interface *current = nullptr; // whose entry runs
  std::string emulator;               // path
  std::string folder;                 // removed at the end
  std::string failure;                // of the current call
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_EMULATEDKERNELS_H
