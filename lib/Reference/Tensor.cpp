//===- Tensor.cpp - Values of the float64 reference -----------------------===//

#include "attnc/Reference/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <algorithm>

namespace attnc::reference {

bool Tensor::isInteger() const { return element.isInteger(); }

int64_t Tensor::size() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

int64_t Tensor::clampedOffset(llvm::ArrayRef<int64_t> index) const {
  int64_t offset = 0;
  for (auto [position, extent] : llvm::zip_equal(index, shape)) {
    if (extent == 0)
      return -1;
    offset = offset * extent + std::clamp<int64_t>(position, 0, extent - 1);
  }
  return offset;
}

Tensor makeTensor(mlir::Type element, llvm::ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.element = element;
  tensor.shape.assign(shape.begin(), shape.end());
  if (tensor.isInteger())
    tensor.integer.resize(tensor.size());
  else
    tensor.real.resize(tensor.size());
  return tensor;
}

double roundToType(double value, mlir::Type type) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  llvm::APFloat number(value);
  bool losesInfo = false;
  auto nearest = llvm::APFloat::rmNearestTiesToEven;
  number.convert(mlir::cast<mlir::FloatType>(type).getFloatSemantics(), nearest,
                 &losesInfo);
  number.convert(llvm::APFloat::IEEEdouble(), nearest, &losesInfo);
  return number.convertToDouble();
}

} // namespace attnc::reference
