//===- VerifyStage.cpp - What holds at every stage of attn ops ------------===//
//
// A dump may be edited by hand and read back, so whatever the next stage relies
// on is checked here, with a message that tells what is expected.
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/VerifyStage.h"

#include "attnc/Dialect/Attn/AttnMove.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::attn;

namespace {
class FunctionVerifier {
public:
  FunctionVerifier(func::FuncOp func, const Interface &interface)
      : func(func), interface(interface) {}

  LogicalResult verifySignature();
  LogicalResult verifySizes();
  LogicalResult verifyTables();

private:
  Attribute sizeOf(const SizeExpr &axis);
  LogicalResult verifyTensor(Type type, const InterfaceTensor &tensor);
  LogicalResult verifyName(Operation *op, StringRef size);
  LogicalResult verifyDims(Operation *op, TypeRange types);

  func::FuncOp func;
  const Interface &interface;
};
} // namespace

// As Import writes it: see tensorType() and Interface::resolve().
Attribute FunctionVerifier::sizeOf(const SizeExpr &axis) {
  Builder b(func.getContext());
  SizeExpr resolved = interface.resolve(axis);
  if (std::optional<int64_t> number = resolved.constantValue())
    return b.getI64IntegerAttr(*number);
  return b.getStringAttr(resolved.str());
}

LogicalResult FunctionVerifier::verifyTensor(Type type,
                                             const InterfaceTensor &tensor) {
  SmallVector<Attribute> sizes;
  for (const SizeExpr &axis : tensor.axes)
    sizes.push_back(sizeOf(axis));
  Type expected =
      tensorType(sizes, elementType(tensor.dtype, func.getContext()));
  if (type != expected) // stage_c3
    return func.emitOpError()
           << "has the type " << type << " for '" << tensor.name
           << "', the interface says " << expected;
  return success();
}

LogicalResult FunctionVerifier::verifySignature() {
  SmallVector<Type> types(func.getArgumentTypes());
  llvm::append_range(types, func.getResultTypes());
  SmallVector<const InterfaceTensor *> tensors, results;
  for (const InterfaceTensor &tensor : interface.tensors)
    if (!tensor.isOutput())
      tensors.push_back(&tensor);
  size_t inputs = tensors.size();
  for (unsigned index : interface.results())
    results.push_back(&interface.tensors[index]);
  llvm::append_range(tensors, results);
  if (func.getNumArguments() != inputs ||
      types.size() != tensors.size()) // stage_c3
    return func.emitOpError()
           << "has " << func.getNumArguments() << " arguments and "
           << func.getNumResults() << " results, the interface has " << inputs
           << " and " << results.size();
  for (auto [type, tensor] : llvm::zip(types, tensors))
    if (failed(verifyTensor(type, *tensor)))
      return failure();
  return success();
}

LogicalResult FunctionVerifier::verifyName(Operation *op, StringRef size) {
  if (interface.sizeIndex(size)) // stage_c4
    return success();
  InFlightDiagnostic diag = op->emitOpError() << "there is no size '" << size
                                              << "' in the interface of '"
                                              << func.getName() << "'; it has";
  for (const InterfaceSize &known : interface.sizes)
    diag << ' ' << known.name;
  return diag;
}

LogicalResult FunctionVerifier::verifyDims(Operation *op, TypeRange types) {
  for (Type type : types) {
    DimsAttr dims = DimsAttr::of(type);
    if (!dims)
      continue;
    for (Attribute size : dims.getSizes()) {
      auto text = dyn_cast<StringAttr>(size);
      if (!text)
        continue;
      std::string error;
      std::optional<SizeExpr> expr = SizeExpr::parse(text.getValue(), error);
      if (!expr)
        return op->emitOpError()
               << "size '" << text.getValue() << "': " << error;
      for (const std::string &name : expr->sizeNames())
        if (failed(verifyName(op, name)))
          return failure();
    }
  }
  return success();
}

LogicalResult FunctionVerifier::verifySizes() {
  WalkResult result = func.walk([&](Operation *op) {
    if (auto size = dyn_cast<SizeOp>(op))
      return WalkResult(verifyName(op, size.getName()));
    return WalkResult(verifyDims(op, op->getResultTypes()));
  });
  return failure(result.wasInterrupted());
}

LogicalResult FunctionVerifier::verifyTables() {
  WalkResult result = func.walk([&](Operation *op) -> WalkResult {
    if (!isa<TableMinOp, TableMaxOp, LowerBoundOp>(op) ||
        !isa_and_present<ViewOp, SliceOp>(op->getOperand(0).getDefiningOp()))
      return WalkResult::advance();
    return op->emitOpError() // stage_c5
           << "must ask an argument of the function or what an op computes; "
              "a view is neither";
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyBody(func::FuncOp func,
                                function_ref<bool(Operation *)> isAllowed,
                                StringRef allowed) {
  if (!func.getBody().hasOneBlock()) // stage_c6
    return func.emitOpError() << "must have a body of one block";
  for (Operation &op : func.getBody().front())
    if (!isa<func::ReturnOp>(op) && !isAllowed(&op))
      return op.emitOpError()
             << "cannot stand here; this stage has " << allowed;
  return success();
}

LogicalResult
attnc::attn::verifyStage(ModuleOp module,
                         function_ref<bool(Operation *)> isAllowed,
                         StringRef allowed) {
  FailureOr<std::vector<Interface>> interfaces = getInterfaces(module);
  if (failed(interfaces)) // stage_c1
    return failure();
  auto ops = module.getBody()->getOperations().begin();
  for (const Interface &interface : *interfaces)
    for (const std::string &name : interface.bodies()) { // stage_c2
      auto func = ops == module.getBody()->end() ? func::FuncOp()
                                                 : dyn_cast<func::FuncOp>(*ops);
      if (!func || func.getName() != name)
        return module.emitOpError()
               << "must hold the functions of its interface in order; '" << name
               << "' is not in its place";
      if (failed(verifyBody(func, isAllowed, allowed)))
        return failure();
      FunctionVerifier verifier(func, interface);
      if (failed(verifier.verifySignature()) ||
          failed(verifier.verifySizes()) || failed(verifier.verifyTables()) ||
          failed(verifyInPlace(func, interface)))
        return failure();
      ++ops;
    }
  if (ops != module.getBody()->end())
    return ops->emitOpError() << "is not in the interface of the module";
  return success();
}
