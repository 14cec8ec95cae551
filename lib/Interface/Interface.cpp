//===- Interface.cpp - The signature that travels with a module -----------===//
//
// Look-ups and the arithmetic of sizes. Derived sizes may refer to each other
// in any order; `resolve` expands them to run-time sizes, which is all that a
// call knows. Tests: test/Unit/Interface/InterfaceTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Interface/Interface.h"

#include "InterfaceDetail.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace attnc;
using namespace mlir;

std::optional<unsigned> Interface::sizeIndex(StringRef name) const {
  for (auto [index, size] : llvm::enumerate(sizes))
    if (size.name == name)
      return index;
  return std::nullopt;
}

std::optional<unsigned> Interface::tensorIndex(StringRef name) const {
  for (auto [index, tensor] : llvm::enumerate(tensors))
    if (tensor.name == name)
      return index;
  return std::nullopt;
}

std::vector<std::string> Interface::runtimeSizes() const {
  std::vector<std::string> names;
  for (const InterfaceSize &size : sizes)
    if (size.isRuntime())
      names.push_back(size.name);
  return names;
}

StringRef Interface::packing() const {
  for (const InterfaceTensor &tensor : tensors)
    if (!tensor.packedBy.empty())
      return tensor.packedBy;
  return {};
}

std::vector<unsigned> Interface::results() const {
  std::vector<unsigned> indices;
  for (bool isOutput : {true, false})
    for (auto [index, tensor] : llvm::enumerate(tensors))
      if (tensor.isOutput() == isOutput && tensor.isWritten())
        indices.push_back(index);
  return indices;
}

std::optional<SizeExpr> attnc::tryResolve(const Interface &function,
                                          const SizeExpr &expr) {
  SizeExpr result = expr;
  // Each round goes one step down a chain of derived sizes; a chain without a
  // cycle is no longer than the list.
  for (size_t round = 0; round <= function.sizes.size(); ++round) {
    bool changed = false;
    result = result.substitute([&](StringRef name) -> std::optional<SizeExpr> {
      std::optional<unsigned> index = function.sizeIndex(name);
      if (!index || function.sizes[*index].isRuntime())
        return std::nullopt;
      changed = true;
      return function.sizes[*index].value;
    });
    if (result.postfix().size() > kMaxResolvedSteps ||
        result.depth() > SizeExpr::kMaxDepth)
      return std::nullopt;
    if (!changed)
      return result;
  }
  return std::nullopt;
}

SizeExpr Interface::resolve(const SizeExpr &expr) const {
  std::optional<SizeExpr> result = tryResolve(*this, expr);
  assert(result && "verify() accepts no such interface");
  return result ? *result : expr;
}

/// The constant c of `size + c`; nothing for any other expression.
static std::optional<int64_t> plusConstant(const SizeExpr &expr,
                                           StringRef size) {
  ArrayRef<SizeExpr::Step> steps = expr.postfix();
  if (expr.sizeName() == size)
    return 0;
  if (steps.size() != 3 || steps[0].op != SizeExpr::Op::Size ||
      steps[0].name != size || steps[1].op != SizeExpr::Op::Constant ||
      steps[2].op != SizeExpr::Op::Add)
    return std::nullopt;
  return steps[1].value;
}

std::optional<Interface::Binding>
Interface::bindingOf(StringRef runtimeSize) const {
  std::optional<Binding> derived;
  for (auto [t, tensor] : llvm::enumerate(tensors)) {
    if (tensor.nullable)
      continue;
    for (auto [axis, expr] : llvm::enumerate(tensor.axes)) {
      std::optional<int64_t> constant = plusConstant(expr, runtimeSize);
      if (!constant)
        continue;
      Binding binding{unsigned(t), unsigned(axis), *constant};
      if (*constant == 0)
        return binding;
      if (!derived)
        derived = binding;
    }
  }
  return derived;
}

std::optional<std::vector<int64_t>>
Interface::evaluateSizes(ArrayRef<int64_t> runtimeValues) const {
  std::vector<std::string> names = runtimeSizes();
  if (runtimeValues.size() != names.size())
    return std::nullopt;
  std::vector<int64_t> values;
  for (const InterfaceSize &size : sizes) {
    std::optional<int64_t> value =
        resolve(SizeExpr::size(size.name))
            .evaluate([&](StringRef name) -> std::optional<int64_t> {
              auto found = llvm::find(names, name);
              if (found == names.end())
                return std::nullopt;
              return runtimeValues[found - names.begin()];
            });
    if (!value || *value < 0)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

static constexpr StringLiteral kRoles[] = {"query", "key",    "value",
                                           "input", "output", "extra"};

StringRef attnc::roleName(TensorRole role) {
  return kRoles[static_cast<size_t>(role)];
}

std::optional<TensorRole> attnc::parseRole(StringRef name) {
  for (auto [index, role] : llvm::enumerate(kRoles))
    if (role == name)
      return static_cast<TensorRole>(index);
  return std::nullopt;
}

Type attnc::elementType(DType dtype, MLIRContext *context) {
  switch (dtype) {
  case DType::F64:
    return Float64Type::get(context);
  case DType::F32:
    return Float32Type::get(context);
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::U8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case DType::Bool:
    return IntegerType::get(context, 1);
  case DType::I64:
  case DType::I32:
  case DType::I8:
    break;
  }
  return IntegerType::get(context, dtypeInfo(dtype).bits);
}

void attnc::setInterfaces(ModuleOp module, ArrayRef<Interface> functions) {
  SmallVector<Attribute> attrs;
  for (const Interface &function : functions)
    attrs.push_back(function.toAttr(module.getContext()));
  module->setAttr(kInterfaceAttr, ArrayAttr::get(module.getContext(), attrs));
}

FailureOr<std::vector<Interface>> attnc::getInterfaces(ModuleOp module) {
  auto emitError = [&] { return module.emitError(); };
  auto attr = module->getAttrOfType<ArrayAttr>(kInterfaceAttr);
  if (!attr)
    return emitError() << "the module has no attribute '" << kInterfaceAttr
                       << "' with a list of functions";
  std::vector<Interface> functions;
  for (Attribute entry : attr) {
    FailureOr<Interface> function = Interface::fromAttr(entry, emitError);
    if (failed(function))
      return failure();
    functions.push_back(std::move(*function));
  }
  if (failed(verifySymbols(functions, emitError)) ||
      failed(verifyPacking(functions, emitError)))
    return failure();
  return functions;
}

std::string attnc::caseSymbol(StringRef name, size_t number) {
  return name.str() + ".case" + std::to_string(number);
}

std::vector<std::string> Interface::bodies() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < cases.size(); ++i)
    names.push_back(caseSymbol(name, i));
  names.push_back(name);
  return names;
}

std::string Interface::bodyAt(ArrayRef<int64_t> sizeValues) const {
  auto value = [&](StringRef size) -> std::optional<int64_t> {
    std::optional<unsigned> index = sizeIndex(size);
    return index ? std::optional(sizeValues[*index]) : std::nullopt;
  };
  for (auto [symbol, entry] : llvm::zip(bodies(), cases)) {
    std::optional<int64_t> lhs = entry.lhs.evaluate(value);
    std::optional<int64_t> rhs = entry.rhs.evaluate(value);
    if (lhs && rhs && *lhs <= *rhs)
      return symbol;
  }
  return name;
}

const Interface *attnc::findInterface(ArrayRef<Interface> functions,
                                      StringRef symbol) {
  for (const Interface &function : functions)
    if (llvm::is_contained(function.bodies(), symbol))
      return &function;
  return nullptr;
}

std::vector<std::string> attnc::symbolsOf(const Interface &function) {
  const std::string &name = function.name;
  return {name, name + "_raw", name + "_workspace", name + "_describe"};
}
