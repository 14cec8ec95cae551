//===- LoadLibrary.cpp - libattnc-halide when it is needed ----------------===//
//
// Linking libHalide.so directly would take 5 of the 18 ms in which attnc starts
// then, whether Halide is used or not.
//
//===----------------------------------------------------------------------===//

#include "LoadLibrary.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace llvm;

namespace attnc::halide {

/// Next to the tool, in the build tree and where it is installed.
[[maybe_unused]] static std::string findLibrary() {
  static int symbol;
  SmallString<256> folder(sys::fs::getMainExecutable("attnc", &symbol));
  sys::path::remove_filename(folder);
  for (StringRef name : {StringRef("../" ATTNC_LIBDIR), StringRef("../lib")}) {
    SmallString<256> path(folder);
    sys::path::append(path, name, "libattnc-halide.so");
    if (sys::fs::exists(path))
      return path.str().str();
  }
  return "libattnc-halide.so"; // found by the loader, or named by its error
}

Expected<CompileFunction *> loadLibrary() {
#if ATTNC_HAS_HALIDE
  std::string path = findLibrary();
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, kCompileSymbol) : nullptr;
  if (!symbol)
    return createStringError("cannot load the Halide backend: " +
                             std::string(dlerror()));
  return reinterpret_cast<CompileFunction *>(symbol);
#else
  return createStringError("this attnc was built without the Halide backend");
#endif
}

} // namespace attnc::halide
