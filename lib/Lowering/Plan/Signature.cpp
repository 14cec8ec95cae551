//===- Signature.cpp - Arguments of the program ---------------------------===//
//
// Tests: test/Lowering/convert-attn-to-tile.mlir,
// test/Lowering/convert-attn-to-tile-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Signature.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/VerifyStage.h"
#include "attnc/Interface/Interface.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace attnc::lowering {

static FailureOr<Signature> fromInterface(func::FuncOp function,
                                          const Interface &interface) {
  Signature signature;
  unsigned inputs = 0;
  for (const InterfaceTensor &tensor : interface.tensors) {
    signature.tensors.push_back(tensor.name);
    signature.nullable.push_back(tensor.nullable);
    inputs += !tensor.isOutput();
  }
  for (const InterfaceSize &size : interface.sizes)
    signature.sizes.push_back(size.name);
  signature.outputs = interface.tensors.size() - inputs;
  size_t inPlace = interface.results().size() - signature.outputs;
  if (inputs != function.getNumArguments() ||
      signature.outputs + inPlace != function.getNumResults())
    return function.emitError()
           << "has " << function.getNumArguments() << " arguments and "
           << function.getNumResults() << " results, but its interface names "
           << inputs << " inputs and " << signature.outputs << " outputs";
  if (failed(attn::verifyInPlace(function, interface)))
    return failure();
  return signature;
}

static void addSize(StringRef name, Signature &signature) {
  if (!llvm::is_contained(signature.sizes, name))
    signature.sizes.push_back(name.str());
}

/// For a module without interface (a pass's test, a hand-written dump).
static Signature fromTypes(func::FuncOp function) {
  Signature signature;
  auto addTensor = [&](Type type, StringRef name, unsigned number) {
    signature.tensors.push_back((name + Twine(number)).str());
    signature.nullable.push_back(name == "out" && number > 0);
    attn::DimsAttr dims = attn::DimsAttr::of(type);
    for (unsigned i = 0; dims && i < dims.getSizes().size(); ++i)
      if (!dims.getName(i).empty())
        addSize(dims.getName(i), signature);
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    addTensor(type, "in", i);
  ValueRange results =
      function.getBody().front().getTerminator()->getOperands();
  while (!results.empty() && results.back().getDefiningOp<attn::AppendOp>())
    results = results.drop_back();
  signature.outputs = results.size();
  for (auto [i, result] : llvm::enumerate(results))
    addTensor(result.getType(), "out", i);
  function.walk([&](attn::SizeOp size) { addSize(size.getName(), signature); });
  return signature;
}

FailureOr<Signature> signatureOf(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  if (!module->hasAttr(kInterfaceAttr))
    return fromTypes(function);
  FailureOr<std::vector<Interface>> interfaces = getInterfaces(module);
  if (failed(interfaces))
    return failure();
  if (const Interface *interface =
          findInterface(*interfaces, function.getName()))
    return fromInterface(function, *interface);
  return function.emitError("has no entry in attnc.interface");
}

} // namespace attnc::lowering
