//===- Epilogue.cpp - Maps computed in the blocks of a product ------------===//
//
// Tests: test/Schedule/epilogues.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/Epilogue.h"

using namespace mlir;

namespace attnc::attn {

/// What an op with blocks of two dims computes in; null for any other.
static Type typeOfHost(Operation *op) {
  BlockAttr block = op ? BlockAttr::of(op) : BlockAttr();
  if (!block || block.getForm() == BlockForm::Element)
    return {};
  if (auto map = dyn_cast<MapOp>(op))
    return map.getAccumulateType();
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  return accumulateType(types);
}

/// The same letters, in any order.
static bool isPermutation(StringRef a, StringRef b) {
  return a.size() == b.size() &&
         llvm::all_of(a, [&](char letter) { return b.contains(letter); });
}

std::optional<unsigned> findHost(MapOp map) {
  Labels labels = map.getAxisLabels();
  std::optional<unsigned> host;
  if (!isa<FloatType>(getElementTypeOrSelf(map.getType())))
    return host;
  for (auto [number, input] : llvm::enumerate(map.getInputs())) {
    Operation *op = input.getDefiningOp();
    if (!input.hasOneUse() || typeOfHost(op) != map.getAccumulateType() ||
        !isPermutation(labels.inputs[number], labels.output))
      continue;
    if (!host || map.getInputs()[*host].getDefiningOp()->isBeforeInBlock(op))
      host = number;
  }
  return host;
}

MapOp findEpilogue(Value made) {
  if (!made.hasOneUse())
    return {};
  auto map = dyn_cast<MapOp>(*made.user_begin());
  BlockAttr block = map ? BlockAttr::of(map) : BlockAttr();
  if (!block || block.getForm() != BlockForm::Epilogue)
    return {};
  std::optional<unsigned> host = findHost(map);
  return host && map.getInputs()[*host] == made ? map : MapOp();
}

} // namespace attnc::attn
