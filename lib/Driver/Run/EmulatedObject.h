//===- EmulatedObject.h - The object's code in an emulator ------*- C++ -*-===//
//
// Runs objects of another platform. The platform's C compiler links the bytes
// that attnc writes with a small program (Emulated/caller.c); each call is a
// run of that program in the platform's emulator. Tensors go there and back
// through files, in the caller's layout. Only the call runs in the emulator:
// inputs, references and comparisons are those of any other run. Tests:
// test/Integration/cross/aarch64.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_RUN_EMULATEDOBJECT_H
#define ATTNC_LIB_DRIVER_RUN_EMULATEDOBJECT_H

#include "Run/RunnableObject.h"

#include "attnc/Interface/Interface.h"
#include "attnc/Target/Platform.h"

#include <memory>

namespace attnc {

class EmulatedObject : public RunnableObject {
public:
  /// An error says which program is missing and how to install it.
  static llvm::Expected<std::unique_ptr<EmulatedObject>>
  link(llvm::StringRef bytes, llvm::ArrayRef<Interface> functions,
       const Platform &platform);
  ~EmulatedObject() override;

  llvm::Expected<Entry> entry(llvm::StringRef function) override;
  void setProcessor(const Target &level) override { processor = &level; }

private:
  explicit EmulatedObject(const Platform &platform) : platform(platform) {}
  llvm::Error build(llvm::StringRef bytes, llvm::ArrayRef<Interface> functions);
  llvm::Error linkCaller() const;
  std::string path(llvm::StringRef name) const;
  attnc_status call(llvm::StringRef function,
                    llvm::ArrayRef<attnc_tensor *> tensors,
                    const attnc_runtime &runtime);
  llvm::Error run(llvm::StringRef function) const;

  const Platform &platform;
  const Target *processor = nullptr;
  std::string emulator, linker; // paths
  std::string folder;           // removed at the end
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_EMULATEDOBJECT_H
