//===- NamedTensors.cpp - Tensors of a call by their names ----------------===//

#include "attnc/Reference/NamedTensors.h"

#include "llvm/ADT/STLExtras.h"

namespace attnc::reference {

NamedTensors nameInputs(const Interface &function,
                        llvm::ArrayRef<Tensor> inputs) {
  NamedTensors named;
  for (const InterfaceTensor &declared : function.tensors)
    if (!declared.isOutput()) {
      named[declared.name] = inputs.front();
      inputs = inputs.drop_front();
    }
  return named;
}

void nameResults(const Interface &function, llvm::ArrayRef<Tensor> results,
                 NamedTensors &named) {
  for (auto [index, result] : llvm::zip_equal(function.results(), results))
    named[function.tensors[index].name] = result;
}

std::vector<Tensor> inputsOf(const Interface &function,
                             const NamedTensors &named) {
  std::vector<Tensor> inputs;
  for (const InterfaceTensor &declared : function.tensors)
    if (!declared.isOutput())
      inputs.push_back(named.find(declared.name)->second);
  return inputs;
}

bool needsPacking(const Interface &function, const NamedTensors &named) {
  return llvm::any_of(function.tensors, [&](const InterfaceTensor &tensor) {
    return !tensor.packedBy.empty() && !named.contains(tensor.name);
  });
}

} // namespace attnc::reference
