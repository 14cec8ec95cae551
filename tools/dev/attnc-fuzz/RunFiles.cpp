//===- RunFiles.cpp - The fuzzer's function on given files ----------------===//
//
// usage: attnc-fuzz FILE...   in a build without libFuzzer: a finding again, or
// the corpus as a test.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    auto file = llvm::MemoryBuffer::getFile(argv[i]);
    if (!file) {
      llvm::errs() << "attnc-fuzz: error: cannot read '" << argv[i] << "'\n";
      return 2;
    }
    llvm::StringRef text = (*file)->getBuffer();
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(text.data()),
                           text.size());
  }
  llvm::outs() << "ran " << argc - 1 << " files\n";
}
