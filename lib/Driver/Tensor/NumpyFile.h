//===- NumpyFile.h - Arrays in files of NumPy -------------------*- C++ -*-===//
//
// The .npy format, versions 1 to 3: a magic number, a Python dictionary with
// type, order and shape, then the elements. Tests:
// test/Tools/Run/run-files.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_TENSOR_NUMPYFILE_H
#define ATTNC_LIB_DRIVER_TENSOR_NUMPYFILE_H

#include "attnc/Reference/Tensor.h"
#include "attnc/Support/DType.h"

#include "llvm/Support/Error.h"

namespace attnc {

/// The elements in row-major order, floats in `real`, all others in `integer`.
struct NumpyArray {
  std::string type; // as the file names it: <f4
  bool isFloat = false;
  llvm::SmallVector<int64_t> shape;
  std::vector<double> real;
  std::vector<int64_t> integer;
};

/// Reads a file; the error names it and what is wrong.
llvm::Expected<NumpyArray> readNumpyFile(llvm::StringRef path);

/// The bytes of a file with `values` in the type `dtype`. NumPy has no bf16:
/// such values are written as f32, which holds them exactly.
std::string numpyBytes(const reference::Tensor &values, DType dtype);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_TENSOR_NUMPYFILE_H
