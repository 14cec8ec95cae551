//===- Tensor.h - Values of the float64 reference ---------------*- C++ -*-===//
//
// Tests: test/Unit/Reference/TensorTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_REFERENCE_TENSOR_H
#define ATTNC_REFERENCE_TENSOR_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace attnc::reference {

/// A dense tensor in row-major order. Float elements live in `real` (every
/// supported float type is a subset of double), integers and truth values in
/// `integer`; the other vector is empty.
struct Tensor {
  mlir::Type element;
  llvm::SmallVector<int64_t> shape;
  std::vector<double> real;
  std::vector<int64_t> integer;

  bool isInteger() const;
  int64_t size() const;
  /// Row-major position of `index`, each axis clamped to its extent; -1 if the
  /// tensor is empty. This is what attn.read and tile.read do.
  int64_t clampedOffset(llvm::ArrayRef<int64_t> index) const;
};

/// A tensor of zeros.
Tensor makeTensor(mlir::Type element, llvm::ArrayRef<int64_t> shape);

/// `value` rounded to nearest even in the float type `type` (f64, f32, f16 or
/// bf16); overflow gives infinity, NaN stays NaN.
double roundToType(double value, mlir::Type type);

} // namespace attnc::reference

#endif // ATTNC_REFERENCE_TENSOR_H
