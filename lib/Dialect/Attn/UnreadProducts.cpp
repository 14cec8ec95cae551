//===- UnreadProducts.cpp - Products that no formula reads ----------------===//
//
// See UnreadProducts.h.
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/UnreadProducts.h"

using namespace mlir;

namespace attnc::attn {

bool readsFirstSum(KernelOp kernel) {
  auto reads = [](Region &formula) {
    return !formula.empty() && !formula.getArgument(0).use_empty();
  };
  return reads(kernel.getScore()) || reads(kernel.getGate()) ||
         reads(kernel.getSelect());
}

bool isRead(Value tensor) {
  return llvm::any_of(tensor.getUses(), [](OpOperand &use) {
    if (auto view = dyn_cast<ViewOp>(use.getOwner()))
      return isRead(view.getResult());
    if (auto map = dyn_cast<MapOp>(use.getOwner()))
      return !map.getBody().getArgument(use.getOperandNumber()).use_empty() &&
             isRead(map.getResult());
    return true;
  });
}

} // namespace attnc::attn
