//===- RunPacked.cpp - Weights that are packed before the call ------------===//
//
// The inputs of a case are those of the spec. The object's function may take,
// in the place of some weights, what another function makes of them: that one
// is called first, and so it is in the reference.
//
// Tests: test/Integration/products/pack-weights.test
//
//===----------------------------------------------------------------------===//

#include "Run/RunCase.h"

#include "attnc/Reference/Interpreter.h"
#include "attnc/Reference/NamedTensors.h"

namespace attnc {

mlir::FailureOr<std::vector<reference::Tensor>>
RunCase::inputsFor(const Oracle &oracle,
                   llvm::ArrayRef<reference::Tensor> given,
                   reference::Precision precision, unsigned order) const {
  reference::NamedTensors named = reference::nameInputs(function, given);
  if (oracle.packing && reference::needsPacking(*oracle.interface, named)) {
    auto made = reference::interpret(
        oracle.packing, reference::inputsOf(*oracle.packingInterface, named),
        {}, precision, order);
    if (mlir::failed(made))
      return mlir::failure();
    reference::nameResults(*oracle.packingInterface, *made, named);
  }
  return reference::inputsOf(*oracle.interface, named);
}

mlir::FailureOr<std::vector<reference::Tensor>>
RunCase::evaluate(const Oracle &oracle, llvm::ArrayRef<reference::Tensor> given,
                  reference::Precision precision, unsigned order) const {
  auto all = inputsFor(oracle, given, precision, order);
  if (mlir::failed(all))
    return mlir::failure();
  return reference::interpret(oracle.function, *all, namedSizes(), precision,
                              order);
}

attnc_tensor *RunCase::descriptorOf(llvm::StringRef name) const {
  if (auto packed = packedMemory.find(name); packed != packedMemory.end())
    return packed->second->descriptor();
  return memory[*function.tensorIndex(name)]->descriptor();
}

std::vector<attnc_tensor *>
RunCase::descriptorsOf(const Interface &called) const {
  std::vector<attnc_tensor *> tensors;
  for (const InterfaceTensor &declared : called.tensors)
    tensors.push_back(descriptorOf(declared.name));
  return tensors;
}

llvm::Error RunCase::pack(const CallPlan &plan, const attnc_runtime &runtime) {
  const Interface &packing = *plan.packing;
  for (const InterfaceTensor &declared : packing.tensors) {
    if (!declared.isOutput())
      continue;
    llvm::SmallVector<int64_t> shape;
    for (const SizeExpr &axis : declared.axes)
      shape.push_back(*axis.constantValue());
    auto &tensor = packedMemory[declared.name];
    tensor = std::make_unique<CallTensor>(declared, shape, options.strides,
                                          seed * 37 + packedMemory.size());
    if (!tensor->isValid())
      return llvm::createStringError("not enough memory for tensor '" +
                                     declared.name + "'");
    tensor->poison();
  }
  return callWith(packing, plan.packEntry, runtime);
}

} // namespace attnc
