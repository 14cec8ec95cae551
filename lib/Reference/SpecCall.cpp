//===- SpecCall.cpp - The spec evaluator on the tensors of a call ---------===//

#include "attnc/Reference/SpecCall.h"

#include "attnc/Reference/SpecEvaluator.h"

namespace attnc::reference {

static formula::Array toArray(const Tensor &tensor) {
  formula::Array array;
  array.shape = tensor.shape;
  array.isReal = !tensor.isInteger();
  array.reals.assign(tensor.real.begin(), tensor.real.end());
  array.integers = tensor.integer;
  return array;
}

static Tensor toTensor(const formula::Array &array, mlir::Type element) {
  Tensor tensor = makeTensor(element, array.shape);
  for (size_t i = 0; i < tensor.real.size(); ++i)
    tensor.real[i] = static_cast<double>(array.real(int64_t(i)));
  return tensor;
}

std::vector<Tensor> evaluateCall(const spec::AttentionSpec &spec,
                                 const Interface &function,
                                 llvm::ArrayRef<Tensor> inputs,
                                 const Sizes &sizes,
                                 mlir::MLIRContext *context) {
  formula::Arrays given;
  for (const InterfaceTensor &declared : function.tensors)
    if (!declared.isOutput()) {
      given[declared.name] = toArray(inputs.front());
      inputs = inputs.drop_front();
    }
  formula::Arrays made = formula::evaluateSpec(spec, std::move(given), sizes);
  std::vector<Tensor> results;
  for (unsigned index : function.results()) {
    const InterfaceTensor &declared = function.tensors[index];
    results.push_back(
        toTensor(made[declared.name], elementType(declared.dtype, context)));
  }
  return results;
}

} // namespace attnc::reference
