//===- FunctionInterpreter.cpp - Runs functions of attn ops ---------------===//

#include "Attn/FunctionInterpreter.h"

#include "attnc/Dialect/Attn/Tf32.h"
#include "attnc/Interface/SizeExpr.h"
#include "attnc/Reference/Tf32.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;

namespace attnc::reference {

SmallVector<std::string> letterNames(StringRef letters) {
  SmallVector<std::string> names;
  for (char letter : letters)
    names.emplace_back(1, letter);
  return names;
}

template <typename Real> Array<Real> toArray(const Tensor &tensor) {
  Array<Real> array;
  array.shape = tensor.shape;
  array.isReal = !tensor.isInteger();
  array.data.reals.assign(tensor.real.begin(), tensor.real.end());
  array.data.integers = tensor.integer;
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis)
    array.names.push_back(std::to_string(axis));
  return array;
}
template Array<double> toArray(const Tensor &);
template Array<long double> toArray(const Tensor &);

template <typename Real>
Tensor toTensor(const Array<Real> &array, Type element) {
  Tensor tensor = makeTensor(element, array.shape);
  for (size_t i = 0; i < tensor.real.size(); ++i)
    tensor.real[i] = static_cast<double>(array.data.reals[i]);
  if (tensor.isInteger())
    tensor.integer = array.data.integers;
  return tensor;
}
template Tensor toTensor(const Array<double> &, Type);
template Tensor toTensor(const Array<long double> &, Type);

void forbidTf32(ModuleOp module) {
  module.walk(
      [](func::FuncOp function) { function->removeAttr(attn::kTf32Attr); });
}

float roundToTf32(float value) {
  constexpr uint32_t half = 0x1000, rest = 0x1fff;
  if (!std::isfinite(value))
    return value;
  auto bits = llvm::bit_cast<uint32_t>(value);
  return llvm::bit_cast<float>((bits + half) & ~rest);
}

template <typename Real>
FailureOr<std::vector<Tensor>>
FunctionInterpreter<Real>::run(func::FuncOp function, ArrayRef<Tensor> inputs) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitError("the reference interpreter needs one block");
  if (inputs.size() != function.getNumArguments())
    return function.emitError("has ")
           << function.getNumArguments() << " arguments, got " << inputs.size();
  arithmetic.roundsToTf32 = attn::allowsTf32(function);
  for (auto [argument, tensor] :
       llvm::zip_equal(function.getArguments(), inputs))
    arrays[argument] = toArray<Real>(tensor);
  for (Operation &op : function.getBody().front().without_terminator())
    if (failed(runOp(op)))
      return failure();
  std::vector<Tensor> results;
  Operation *terminator = function.getBody().front().getTerminator();
  for (Value value : terminator->getOperands()) {
    auto it = arrays.find(value);
    if (it == arrays.end())
      return terminator->emitError("returns a value without an array");
    results.push_back(toTensor(
        it->second, cast<RankedTensorType>(value.getType()).getElementType()));
  }
  return results;
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::runOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .template Case<attn::ViewOp, attn::ContractOp, attn::MapOp, attn::MaskOp,
                     attn::NormalizeOp, attn::ReduceOp, attn::KernelOp,
                     attn::UnpackOp, attn::PackOp, attn::PlaceOp, attn::PagesOp,
                     attn::SliceOp, attn::ConcatOp, attn::AppendOp,
                     attn::ScanOp>([&](auto own) { return run(own); })
      .Default([&](Operation *scalar) -> LogicalResult {
        FailureOr<Column<Real>> column = evaluator().evaluate(scalar);
        if (failed(column))
          return failure();
        scalars[scalar->getResult(0)] = std::move(*column);
        return success();
      });
}

template <typename Real>
RegionEvaluator<Real> FunctionInterpreter<Real>::evaluator() {
  return RegionEvaluator<Real>(
      arithmetic,
      [this](Value value) -> const Column<Real> * {
        auto it = scalars.find(value);
        return it == scalars.end() ? nullptr : &it->second;
      },
      [this](Operation *op, ArrayRef<const Column<Real> *> operands) {
        return runOwn(op, operands);
      });
}

/// attn.size and attn.read.
template <typename Real>
FailureOr<Column<Real>>
FunctionInterpreter<Real>::runOwn(Operation *op,
                                  ArrayRef<const Column<Real> *> operands) {
  if (auto size = dyn_cast<attn::SizeOp>(op)) {
    auto it = sizes.find(size.getName());
    if (it == sizes.end())
      return op->emitError("size '") << size.getName() << "' has no value";
    return Column<Real>::integer(it->second);
  }
  if (!isa<attn::ReadOp, attn::TableMinOp, attn::TableMaxOp,
           attn::LowerBoundOp>(op))
    return op->emitOpError("is not known to the reference interpreter");
  auto it = arrays.find(op->getOperand(0));
  if (it == arrays.end())
    return op->emitError("reads a value without an array");
  if (isa<attn::ReadOp>(op))
    return readClamped(it->second, operands, op->getResult(0).getType(),
                       arithmetic);
  if (isa<attn::LowerBoundOp>(op))
    return lowerBound(it->second, operands);
  return tableEnd(it->second, operands, isa<attn::TableMaxOp>(op));
}

template <typename Real>
FailureOr<Array<Real>>
FunctionInterpreter<Real>::named(Value value, StringRef letters) const {
  auto it = arrays.find(value);
  if (it == arrays.end())
    return emitError(value.getLoc(), "has no array in the interpreter");
  Array<Real> array = it->second;
  array.names = letterNames(letters);
  return array;
}

template <typename Real>
std::optional<int64_t>
FunctionInterpreter<Real>::extentOf(Attribute size) const {
  if (auto number = dyn_cast_if_present<IntegerAttr>(size))
    return number.getInt();
  auto text = dyn_cast_if_present<StringAttr>(size);
  std::string error;
  auto expression =
      text ? SizeExpr::parse(text.getValue(), error) : std::nullopt;
  if (!expression)
    return std::nullopt;
  return expression->evaluate([&](StringRef wanted) -> std::optional<int64_t> {
    auto it = sizes.find(wanted);
    return it == sizes.end() ? std::nullopt
                             : std::optional<int64_t>(it->second);
  });
}

template <typename Real>
FailureOr<Space>
FunctionInterpreter<Real>::spaceOf(Value result, StringRef letters,
                                   ArrayRef<const Array<Real> *> operands) {
  Space space;
  space.names = letterNames(letters);
  size_t rank = cast<RankedTensorType>(result.getType()).getRank();
  for (auto [axis, name] : llvm::enumerate(space.names)) {
    std::optional<int64_t> extent;
    for (const Array<Real> *operand : operands)
      for (auto [own, length] : llvm::zip_equal(operand->names, operand->shape))
        if (own == name)
          extent = length;
    // Letters beyond the result's axes are summed: operands know them.
    Attribute size =
        axis < rank ? attn::axisSize(result.getType(), axis) : Attribute();
    if (!extent)
      extent = extentOf(size);
    if (!extent)
      return emitError(result.getLoc(), "extent of axis '")
             << name << "' is not known";
    space.extents.push_back(*extent);
  }
  return space;
}

template <typename Real>
void FunctionInterpreter<Real>::define(Value result, Array<Real> array) {
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  if (array.isReal)
    for (Real &value : array.data.reals)
      value = arithmetic.round<Real>(value, element);
  arrays[result] = std::move(array);
}

template <typename Real>
std::vector<Real>
FunctionInterpreter<Real>::exponents(func::FuncOp function) const {
  std::vector<Real> all;
  for (auto op : function.getOps<attn::NormalizeOp>())
    if (op.getNorm().getWeight() != attn::NormWeight::Identity)
      llvm::append_range(all, arrays.lookup(op.getScores()).data.reals);
  return all;
}

template class FunctionInterpreter<double>;
template class FunctionInterpreter<long double>;

FailureOr<std::vector<Tensor>>
interpret(func::FuncOp function, ArrayRef<Tensor> inputs, const Sizes &sizes,
          Precision precision, unsigned order, Comparisons comparisons) {
  Arithmetic arithmetic{precision == Precision::Rounded, order,
                        comparisons == Comparisons::Typed};
  if (precision == Precision::Extended)
    return FunctionInterpreter<long double>(sizes, arithmetic)
        .run(function, inputs);
  return FunctionInterpreter<double>(sizes, arithmetic).run(function, inputs);
}

FailureOr<double> exponentRounding(func::FuncOp function,
                                   ArrayRef<Tensor> inputs,
                                   const Sizes &sizes) {
  FunctionInterpreter<double> plain(sizes, Arithmetic{/*rounded=*/true});
  FunctionInterpreter<long double> exact(sizes, Arithmetic());
  if (failed(plain.run(function, inputs)) ||
      failed(exact.run(function, inputs)))
    return failure();
  long double most = 0;
  for (auto [ours, wanted] :
       llvm::zip_equal(plain.exponents(function), exact.exponents(function)))
    if (std::isfinite(ours) && std::isfinite(wanted))
      most = std::max(most, std::abs(ours - wanted));
  return static_cast<double>(most);
}

FailureOr<double> neededFlop(func::FuncOp function, ArrayRef<Tensor> inputs,
                             const Sizes &sizes) {
  FunctionInterpreter<double> interpreter(sizes, Arithmetic());
  interpreter.countsOnly = true;
  interpreter.skipsProducts = !readsResults(function);
  if (failed(interpreter.run(function, inputs)))
    return failure();
  return interpreter.flop;
}

} // namespace attnc::reference
