//===- Tensor.cpp - Values of the float64 reference -----------------------===//

#include "attnc/Reference/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>
#include <cmath>

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
  if (value == 0 || !std::isfinite(value))
    return value;
  // f16 has 11 digits and exponents from -14 on, bf16 8 digits and those of
  // f32. The distance of neighbours is a power of two, so the quotient is exact
  // and only nearbyint rounds.
  bool isHalf = type.isF16();
  int least = isHalf ? -14 : -126, digits = isHalf ? 11 : 8;
  double largest = isHalf ? 0x1.ffcp15 : 0x1.fep127;
  double ulp = std::ldexp(1.0, std::max(std::ilogb(value), least) - digits + 1);
  double nearest = std::nearbyint(value / ulp) * ulp;
  return std::fabs(nearest) <= largest ? nearest
                                       : std::copysign(HUGE_VAL, value);
}

} // namespace attnc::reference
