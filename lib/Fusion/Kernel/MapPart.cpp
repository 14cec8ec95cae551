//===- MapPart.cpp - Extract a part of a map as a tensor ------------------===//
//
// See MapPart.h.
//
//===----------------------------------------------------------------------===//

#include "Kernel/MapPart.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

SmallVector<unsigned> attnc::fusion::inputsOf(attn::MapOp map,
                                              ArrayRef<Value> values) {
  llvm::SetVector<Value> needed;
  SmallVector<Value> work(values);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (needed.insert(value) && op && op->getBlock() == &map.getBody().front())
      llvm::append_range(work, op->getOperands());
  }
  SmallVector<unsigned> inputs;
  for (unsigned i = 0; i < map.getInputs().size(); ++i)
    if (needed.contains(map.getBody().getArgument(i)))
      inputs.push_back(i);
  return inputs;
}

std::optional<WeightedSum>
attnc::fusion::findWeightedSum(attn::ContractOp product) {
  attn::Labels labels = product.getAxisLabels();
  Value operands[] = {product.getLhs(), product.getRhs()};
  for (unsigned i : {0, 1}) {
    WeightedSum sum;
    sum.weights = {operands[i], labels.inputs[i].str()};
    LetteredTensor inner = findGatedWeights(sum.weights).value_or(sum.weights);
    auto norm = inner.tensor.getDefiningOp<attn::NormalizeOp>();
    if (!norm || inner.tensor != norm.getWeights())
      continue;
    sum.values = {operands[1 - i], labels.inputs[1 - i].str()};
    sum.over = inner.letters[norm.getLabels().find(norm.getOver())];
    std::string own;
    for (char letter : sum.values.letters)
      if (!StringRef(sum.weights.letters).contains(letter))
        own += letter;
    if (own.size() != 1 || labels.output.contains(sum.over) ||
        !StringRef(sum.values.letters).contains(sum.over))
      return std::nullopt;
    sum.feature = own.front();
    return sum;
  }
  return std::nullopt;
}
