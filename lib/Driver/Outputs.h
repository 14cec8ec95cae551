//===- Outputs.h - Files that appear whole or not at all --------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_OUTPUTS_H
#define ATTNC_LIB_DRIVER_OUTPUTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace attnc {

/// Outputs of a run, written together: each into a file beside its target, and
/// all renamed at the end. When one cannot be written, none is.
class Outputs {
public:
  void add(std::string path, std::string bytes) {
    files.emplace_back(std::move(path), std::move(bytes));
  }
  /// A path of - is the standard output.
  llvm::Error write() const;

private:
  std::vector<std::pair<std::string, std::string>> files;
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_OUTPUTS_H
