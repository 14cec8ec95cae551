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
  LogicalResult verifyConcats();

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

/// An axis as an expression of sizes that are not derived.
static SizeExpr sizeOfAxis(Attribute size, const Interface &interface) {
  if (auto number = dyn_cast<IntegerAttr>(size))
    return SizeExpr::constant(number.getInt());
  std::string error; // verifySizes() has parsed it
  auto text = cast<StringAttr>(size).getValue();
  return interface.resolve(SizeExpr::parse(text, error).value_or(SizeExpr()));
}

/// Whether both are the same number, of sizes that have nothing in common.
static bool areEqual(const SizeExpr &a, const SizeExpr &b) {
  for (int64_t seed : {1, 1009, 30011}) {
    auto value = [&](StringRef name) -> std::optional<int64_t> {
      int64_t number = seed;
      for (char letter : name)
        number = (number * 131 + letter) % 65521;
      return number + 1;
    };
    if (a.evaluate(value) != b.evaluate(value))
      return false;
  }
  return true;
}

LogicalResult FunctionVerifier::verifyConcats() {
  WalkResult result = func.walk([&](ConcatOp op) -> WalkResult {
    if (op.isFixed())
      return WalkResult::advance();
    SizeExpr sum;
    for (unsigned part = 0; part < op.getParts().size(); ++part)
      sum = sum + sizeOfAxis(op.getNamedPartSize(part), interface);
    unsigned axis = *axisOf(op.getAxisLabels().output, op.getAlong().front());
    SizeExpr own = sizeOfAxis(axisSize(op.getType(), axis), interface);
    if (areEqual(own, sum))
      return WalkResult::advance();
    return op.emitOpError() // stage_c10
           << "axis '" << op.getAlong() << "' of the result has size "
           << own.str() << ", the parts have " << sum.str() << " together";
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
          failed(verifier.verifyConcats()) ||
          failed(verifyInPlace(func, interface)))
        return failure();
      ++ops;
    }
  if (ops != module.getBody()->end())
    return ops->emitOpError() << "is not in the interface of the module";
  return success();
}
