//===- VerifyInterface.cpp - What a signature must satisfy ----------------===//
//
// Emit and the object's entry rely on all of this without looking again:
// names are C names, every run-time size can be read from a tensor, expanded
// expressions fit the entry's stack, promises on values are on integer inputs.
// Tests: test/Unit/Interface/VerifyInterfaceTest.cpp
//
//===----------------------------------------------------------------------===//

#include "InterfaceDetail.h"

#include "attnc/Support/CWords.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace attnc;
using namespace mlir;

namespace {
class Verifier {
public:
  Verifier(const Interface &function,
           function_ref<InFlightDiagnostic()> emitError)
      : function(function), emitError(emitError) {}

  LogicalResult run() {
    if (failed(verifyFunctionName()) || failed(verifySizes()) ||
        failed(verifyTensors()) || failed(verifyBindings()) ||
        failed(verifyConditions()) || failed(verifyCases()))
      return failure();
    return success();
  }

private:
  InFlightDiagnostic error() {
    return emitError() << "interface of '" << function.name << "': ";
  }
  LogicalResult verifyFunctionName();
  LogicalResult verifyName(const Twine &what, StringRef name);
  LogicalResult verifyExpr(const Twine &what, const SizeExpr &expr);
  LogicalResult verifyComment(const Twine &what, StringRef text);
  LogicalResult verifySizes();
  LogicalResult verifyTensors();
  LogicalResult verifyTensor(const InterfaceTensor &tensor);
  LogicalResult verifyValues(const InterfaceTensor &tensor);
  LogicalResult verifyRows(const InterfaceTensor &tensor);
  LogicalResult verifyInOut(const InterfaceTensor &tensor);
  LogicalResult verifyResident(const InterfaceTensor &tensor);
  LogicalResult verifyMayBe(const InterfaceTensor &tensor);
  LogicalResult verifyBindings();
  LogicalResult verifyConditions();
  LogicalResult verifyCases();

  const Interface &function;
  function_ref<InFlightDiagnostic()> emitError;
  llvm::StringSet<> taken;
};
} // namespace

LogicalResult Verifier::verifyFunctionName() {
  StringRef name = function.name;
  if (!isCIdentifier(name) || isCWord(name) || name.starts_with("attnc"))
    return error() << "'" << name
                   << "' cannot name a C function: letters, digits and '_', "
                      "no keyword of C or C++, not 'attnc...'";
  if (isCFunction(name))
    return error() << "'" << name
                   << "' would replace a function of the C library";
  return verifyComment("title", function.title);
}

// Names of sizes and tensors become fields of one struct and parameters.
LogicalResult Verifier::verifyName(const Twine &what, StringRef name) {
  if (!isCIdentifier(name) || isCWord(name))
    return error() << what << " '" << name
                   << "' cannot be a name in C: letters, digits and '_', no "
                      "keyword of C or C++";
  if (name == "size" || name == "threads" || name == "runtime" ||
      name == "args")
    return error() << what << " '" << name
                   << "': the header uses this name itself";
  if (!taken.insert(name).second)
    return error() << what << " '" << name << "': the name is already taken";
  return success();
}

LogicalResult Verifier::verifyComment(const Twine &what, StringRef text) {
  bool plain =
      llvm::all_of(text, [](char c) { return static_cast<uint8_t>(c) >= ' '; });
  if (text.empty() || !plain || text.contains("*/") || text.contains("/*"))
    return error() << what
                   << " must be one line of text without comment markers, got '"
                   << text << "'";
  return success();
}

LogicalResult Verifier::verifyExpr(const Twine &what, const SizeExpr &expr) {
  for (const std::string &name : expr.sizeNames())
    if (!function.sizeIndex(name))
      return error() << what << " '" << expr.str() << "': there is no size '"
                     << name << "'";
  if (!tryResolve(function, expr))
    return error() << what << " '" << expr.str()
                   << "': cyclic sizes, or the expression is too long";
  return success();
}

LogicalResult Verifier::verifySizes() {
  if (function.sizes.size() > Interface::kMaxSizes)
    return error() << function.sizes.size() << " sizes, at most "
                   << Interface::kMaxSizes << " are possible";
  for (const InterfaceSize &size : function.sizes)
    if (failed(verifyName("size", size.name)))
      return failure();
  for (const InterfaceSize &size : function.sizes) {
    if (size.isRuntime())
      continue;
    if (failed(verifyExpr("size '" + size.name + "' =", *size.value)))
      return failure();
    if (size.fixedValue() && *size.fixedValue() < 0)
      return error() << "size '" << size.name << "' is " << *size.fixedValue()
                     << ", must not be negative";
  }
  return success();
}

LogicalResult Verifier::verifyTensors() {
  if (function.tensors.size() > Interface::kMaxTensors)
    return error() << function.tensors.size() << " tensors, at most "
                   << Interface::kMaxTensors << " are possible";
  unsigned mainOutputs = 0;
  for (auto [index, tensor] : llvm::enumerate(function.tensors)) {
    if (failed(verifyTensor(tensor)))
      return failure();
    mainOutputs += tensor.role == TensorRole::Output;
    if (index == 0)
      continue;
    TensorRole before = function.tensors[index - 1].role;
    bool once =
        tensor.role != TensorRole::Input && tensor.role != TensorRole::Extra;
    if (tensor.role < before || (once && tensor.role == before))
      return error() << "tensor '" << tensor.name << "' ("
                     << roleName(tensor.role) << ") after a tensor of role "
                     << roleName(before)
                     << ": the order is query, key, value, inputs, output, "
                        "extra outputs";
  }
  for (const InterfaceTensor &tensor : function.tensors)
    if (taken.contains(tensor.name + "_strides"))
      return error() << "'" << tensor.name
                     << "_strides': the header uses this name itself";
  if (mainOutputs != 1)
    return error() << "has no tensor of role output";
  return success();
}

LogicalResult Verifier::verifyTensor(const InterfaceTensor &tensor) {
  if (failed(verifyName("tensor", tensor.name)))
    return failure();
  if (tensor.axes.size() > Interface::kMaxRank)
    return error() << "tensor '" << tensor.name << "' has "
                   << tensor.axes.size() << " axes, at most "
                   << Interface::kMaxRank << " are possible";
  for (const SizeExpr &axis : tensor.axes) {
    if (failed(verifyExpr("axis of '" + tensor.name + "'", axis)))
      return failure();
    if (axis.constantValue().value_or(0) < 0)
      return error() << "axis of '" << tensor.name << "' is " << axis.str()
                     << ", must not be negative";
  }
  if (tensor.nullable && tensor.role != TensorRole::Extra)
    return error() << "tensor '" << tensor.name
                   << "': only an extra output can be nullable";
  if (failed(verifyValues(tensor)) || failed(verifyRows(tensor)) ||
      failed(verifyInOut(tensor)) || failed(verifyResident(tensor)) ||
      failed(verifyMayBe(tensor)))
    return failure();
  return success();
}

// Inclusive bounds of an integer type.
static std::pair<int64_t, int64_t> valuesOf(DType dtype) {
  switch (dtype) {
  case DType::I8:
    return {INT8_MIN, INT8_MAX};
  case DType::I32:
    return {INT32_MIN, INT32_MAX};
  case DType::U8:
    return {0, UINT8_MAX};
  case DType::Bool:
    return {0, 1};
  default:
    return {INT64_MIN, INT64_MAX};
  }
}

LogicalResult Verifier::verifyValues(const InterfaceTensor &tensor) {
  if (!tensor.nondecreasing && !tensor.range)
    return success();
  if (tensor.isOutput() || isFloat(tensor.dtype))
    return error() << "tensor '" << tensor.name
                   << "': 'nondecreasing' and 'range' are for integer inputs";
  if (tensor.nondecreasing && tensor.axes.empty())
    return error() << "tensor '" << tensor.name
                   << "': 'nondecreasing' needs an axis";
  if (!tensor.range)
    return success();
  const auto &[low, high] = *tensor.range;
  for (const SizeExpr &bound : {low, high})
    if (failed(verifyExpr("range of '" + tensor.name + "'", bound)))
      return failure();
  // A bound that sizes decide may be any number: no value meets a range that
  // is empty at a call.
  std::optional<int64_t> lo = function.resolve(low).constantValue();
  std::optional<int64_t> hi = function.resolve(high).constantValue();
  auto [least, most] = valuesOf(tensor.dtype);
  if ((lo && hi && *lo > *hi) || (lo && *lo < least) || (hi && *hi > most))
    return error() << "tensor '" << tensor.name << "': range " << low.str()
                   << " .. " << high.str()
                   << " must be ascending and within that of "
                   << dtypeName(tensor.dtype);
  return success();
}

// Kernels follow these tables without looking at their values again.
LogicalResult Verifier::verifyRows(const InterfaceTensor &tensor) {
  if (tensor.rows == RowLayout::Dense)
    return success();
  std::optional<unsigned> index = function.tensorIndex(tensor.rowTable);
  bool ragged = tensor.rows == RowLayout::Ragged;
  size_t rank = ragged ? 1 : 2, least = ragged ? 1 : 3;
  const InterfaceTensor *table = index ? &function.tensors[*index] : nullptr;
  if (!table || table->role != TensorRole::Input || !table->range ||
      table->axes.size() != rank || table->nondecreasing != ragged ||
      tensor.axes.size() < least)
    return error() << "tensor '" << tensor.name << "' cannot be "
                   << (ragged ? "ragged" : "paged") << " by '"
                   << tensor.rowTable << "': an input of " << rank
                   << (ragged ? " axis, nondecreasing," : " axes")
                   << " with a range must locate the rows of a sequence";
  return success();
}

LogicalResult Verifier::verifyInOut(const InterfaceTensor &tensor) {
  if (!tensor.inout)
    return success();
  if (tensor.role != TensorRole::Input || !isFloat(tensor.dtype))
    return error() << "tensor '" << tensor.name
                   << "': only an input of floats can be inout";
  if (tensor.rows != RowLayout::Dense)
    return error() << "tensor '" << tensor.name
                   << "': ragged or paged rows cannot be inout";
  return success();
}

LogicalResult Verifier::verifyResident(const InterfaceTensor &tensor) {
  if (!tensor.resident && tensor.packedBy.empty())
    return success();
  StringRef what = tensor.resident ? "resident" : "packed";
  auto isFixed = [&](const SizeExpr &axis) {
    return function.resolve(axis).constantValue().has_value();
  };
  if (tensor.role != TensorRole::Input || tensor.inout ||
      tensor.rows != RowLayout::Dense || !llvm::all_of(tensor.axes, isFixed))
    return error() << "tensor '" << tensor.name
                   << "': only an input of fixed sizes that the call does not "
                      "change can be "
                   << what;
  if (!tensor.packedBy.empty() && tensor.packedBy != function.packing())
    return error() << "tensor '" << tensor.name << "' is packed by '"
                   << tensor.packedBy << "', another one by '"
                   << function.packing() << "'; one function packs them all";
  return success();
}

LogicalResult Verifier::verifyMayBe(const InterfaceTensor &tensor) {
  if (tensor.mayBe.empty())
    return success();
  if (!tensor.isOutput())
    return error() << "tensor '" << tensor.name
                   << "': only an output may be another tensor";
  std::optional<unsigned> index = function.tensorIndex(tensor.mayBe);
  if (!index || function.tensors[*index].isOutput())
    return error() << "tensor '" << tensor.name << "' may be '" << tensor.mayBe
                   << "', which is not an input";
  const InterfaceTensor &other = function.tensors[*index];
  if (other.inout)
    return error() << "tensor '" << tensor.name << "' may be '" << other.name
                   << "', which is written itself";
  if (other.dtype != tensor.dtype || other.axes != tensor.axes)
    return error() << "tensor '" << tensor.name << "' may be '" << other.name
                   << "', but their types or axes differ";
  return success();
}

LogicalResult Verifier::verifyBindings() {
  for (const std::string &name : function.runtimeSizes())
    if (!function.bindingOf(name))
      return error() << "run-time size '" << name
                     << "' is not an axis of a required tensor, so a call "
                        "cannot determine it";
  return success();
}

LogicalResult Verifier::verifyConditions() {
  for (const InterfacePrecondition &condition : function.preconditions)
    if (failed(verifyExpr("precondition", condition.lhs)) ||
        failed(verifyExpr("precondition", condition.rhs)) ||
        failed(verifyComment("sentence of a precondition", condition.sentence)))
      return failure();
  for (const SizeExpr &position : function.positions)
    if (failed(verifyExpr("position", position)))
      return failure();
  return success();
}

LogicalResult Verifier::verifyCases() {
  if (function.cases.size() > Interface::kMaxCases)
    return error() << function.cases.size() << " cases, at most "
                   << Interface::kMaxCases << " are possible";
  for (const InterfaceCase &entry : function.cases)
    if (failed(verifyExpr("case", entry.lhs)) ||
        failed(verifyExpr("case", entry.rhs)))
      return failure();
  return success();
}

LogicalResult
Interface::verify(function_ref<InFlightDiagnostic()> emitError) const {
  return Verifier(*this, emitError).run();
}

LogicalResult
attnc::verifySymbols(ArrayRef<Interface> functions,
                     function_ref<InFlightDiagnostic()> emitError) {
  if (functions.empty())
    return emitError() << "an object needs at least one function";
  llvm::StringMap<StringRef> owner;
  for (const Interface &function : functions)
    for (const std::string &symbol : symbolsOf(function)) {
      auto [entry, isNew] = owner.try_emplace(symbol, function.name);
      if (!isNew)
        return emitError() << "functions '" << entry->second << "' and '"
                           << function.name << "' both define the symbol '"
                           << symbol << "'; rename one";
    }
  return success();
}

LogicalResult
attnc::verifyPacking(ArrayRef<Interface> functions,
                     function_ref<InFlightDiagnostic()> emitError) {
  for (const Interface &function : functions)
    for (const InterfaceTensor &tensor : function.tensors) {
      if (tensor.packedBy.empty())
        continue;
      const auto *packing = llvm::find_if(functions, [&](const Interface &one) {
        return one.name == tensor.packedBy;
      });
      bool isThere =
          packing != functions.end() && packing->runtimeSizes().empty();
      auto index = isThere ? packing->tensorIndex(tensor.name) : std::nullopt;
      const InterfaceTensor *made = index ? &packing->tensors[*index] : nullptr;
      bool isMade = made && made->isOutput() && made->dtype == tensor.dtype &&
                    made->axes == tensor.axes;
      if (!isMade)
        return emitError() << "interface of '" << function.name << "': '"
                           << tensor.name << "' is packed by '"
                           << tensor.packedBy
                           << "', which has no output of this name, type and "
                              "shape, or run-time sizes";
    }
  return success();
}
