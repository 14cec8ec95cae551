//===- Outputs.h - Files that appear whole or not at all --------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_COMPILE_OUTPUTS_H
#define ATTNC_LIB_DRIVER_COMPILE_OUTPUTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace attnc {

/// Outputs of a run, written together: each into a file beside its target, and
/// all renamed at the end. When one cannot be written, none is.
class Outputs {
public:
  void add(std::string path, std::string bytes, bool isExecutable = false) {
    files.push_back({std::move(path), std::move(bytes), isExecutable});
  }
  /// A path of - is the standard output.
  llvm::Error write() const;

private:
  struct File {
    std::string path, bytes;
    bool isExecutable;
  };
  std::vector<File> files;
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_COMPILE_OUTPUTS_H
