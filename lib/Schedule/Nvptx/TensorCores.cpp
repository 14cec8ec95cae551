//===- TensorCores.cpp - What tensor cores multiply -----------------------===//
//
// Tests: test/Schedule/Nvptx/select.test
//
//===----------------------------------------------------------------------===//

#include "Nvptx/TensorCores.h"

#include "attnc/Analysis/Kernel/ComparedScores.h"
#include "attnc/Dialect/Attn/Tf32.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc::schedule::nvptx {

bool hasMask(const KernelShape &shape) {
  Region &mask = shape.kernel.getMask();
  return !matchPattern(mask.front().getTerminator()->getOperand(0), m_One());
}

bool hasProductsOf(const KernelShape &shape, unsigned bits) {
  return shape.keyBits == bits && shape.valueBits == bits &&
         shape.accumulateBits == 32 &&
         llvm::none_of(shape.sums, [](const auto &sum) { return bool(sum); });
}

bool mayRoundToTf32(const KernelShape &shape) {
  return hasProductsOf(shape, 32) && attn::allowsTf32(shape.kernel) &&
         getElementTypeOrSelf(shape.kernel.getQ()).isF32() &&
         !comparesScores(shape.kernel); // a kernel without values uses fma
}

bool usesTensorCores(const KernelShape &shape, bool tf32) {
  return hasProductsOf(shape, tf32 ? 32 : 16);
}

/// Measured with ptxas 13.0: without a mask, and with one. In tiles of 64 keys
/// with a mask it would spill a few registers otherwise.
int64_t countTf32Others(const KernelShape &shape, int64_t k) {
  if (!hasMask(shape))
    return 80;
  return k > 48 ? 160 : k > kFragment ? 112 : 104;
}

} // namespace attnc::schedule::nvptx
