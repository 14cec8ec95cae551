//===- TensorFiles.h - Tensors from and to files ----------------*- C++ -*-===//
//-*-===//
//
// What --input and --save of attnc-run name: arrays that take the place of the
// random inputs, and files that get tensors after the call.
// Tests: test/Tools/Run/run-files.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_TENSOR_TENSORFILES_H
#define ATTNC_LIB_DRIVER_TENSOR_TENSORFILES_H

#include "Tensor/NumpyFile.h"

#include "attnc/Interface/Interface.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace attnc {

class TensorFiles {
public:
  using Names = std::vector<std::pair<std::string, std::string>>;

  /// Reads the files of `inputs`, pairs of a tensor of `function` and a path.
  /// `saved` are such pairs, too; only their names are looked at.
  static llvm::Expected<TensorFiles>
  read(const Interface &function, const Names &inputs, const Names &saved);

  bool isEmpty() const { return given.empty(); }
  /// Whether a file gives the tensor, by its number in the interface.
  bool gives(size_t tensor) const {
    return llvm::any_of(given,
                        [&](const Given &one) { return one.tensor == tensor; });
  }
  /// The run-time sizes that the shapes of the arrays give, each of them an
  /// axis by itself.
  llvm::Expected<llvm::StringMap<int64_t>>
  sizes(const Interface &function) const;
  /// Puts the arrays into their places in `inputs`, the tensors of `function`
  /// that are no outputs, rounded to their types.
  llvm::Error fill(const Interface &function,
                   std::vector<reference::Tensor> &inputs) const;
  /// Writes the files to be saved.
  llvm::Error save(const Interface &function,
                   llvm::ArrayRef<reference::Tensor> inputs,
                   llvm::ArrayRef<reference::Tensor> results) const;

private:
  struct Given {
    unsigned tensor; // of the interface
    std::string path;
    NumpyArray array;
  };
  std::vector<Given> given;
  std::vector<std::pair<unsigned, std::string>> saved;
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_TENSOR_TENSORFILES_H
