//===- Builder.cpp - Writes pipelines -------------------------------------===//

#include "Builder.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace mlir;

namespace attnc::halide {

ScalarType scalarTypeOf(Type type) {
  if (type.isIndex())
    return kInt64;
  auto bits = static_cast<uint8_t>(type.getIntOrFloatBitWidth());
  if (type.isInteger(1))
    return kBool;
  if (type.isBF16())
    return {Kind::BFloat, bits};
  if (isa<FloatType>(type))
    return {Kind::Float, bits};
  return {type.isUnsignedInteger() ? Kind::UInt : Kind::Int, bits};
}

ScalarType Builder::typeOf(Type type) const {
  ScalarType scalar = scalarTypeOf(type);
  return scalar == kInt64 ? indexType : scalar;
}

Ex Builder::position(Ex index, Attribute size) {
  Ex made = cast(index, indexType);
  if (hasNarrowIndices())
    ranges.set(made.number, ranges.upTo(size));
  return made;
}

Ex Builder::position(Ex index, int64_t size) {
  Ex made = cast(index, indexType);
  if (hasNarrowIndices())
    ranges.set(made.number, ranges.constant(0, size));
  return made;
}

int64_t bytesOf(ScalarType type) { return std::max(1, type.bits / 8); }

Ex Builder::push(Expr expr) {
  ScalarType type = expr.type;
  pipeline.exprs.push_back(std::move(expr));
  return {static_cast<int>(pipeline.exprs.size()) - 1, type};
}

static std::vector<int> numbersOf(ArrayRef<Ex> list) {
  std::vector<int> numbers;
  for (Ex ex : list)
    numbers.push_back(ex.number);
  return numbers;
}

Ex Builder::integer(int64_t value, ScalarType type) {
  return push({Op::Constant, type, {}, value, 0, {}});
}

Ex Builder::real(double value, ScalarType type) {
  // In kernels for OpenCL, Halide rounds constants to f32.
  if (castsHalves && type.bits == 64 && std::isfinite(value) &&
      double(float(value)) != value)
    return bitcast(
        integer(std::bit_cast<int64_t>(value), {Kind::Int, type.bits}), type);
  return push({Op::Constant, type, {}, 0, value, {}});
}

Ex Builder::variable(StringRef name) {
  return push({Op::Variable, kInt32, {}, 0, 0, name.str()});
}

Ex Builder::parameter(StringRef name) {
  if (!llvm::is_contained(pipeline.parameters, name))
    pipeline.parameters.push_back(name.str());
  return push({Op::Parameter, kInt32, {}, 0, 0, name.str()});
}

Ex Builder::read(StringRef buffer, ScalarType type, ArrayRef<Ex> indices) {
  return push({Op::Read, type, numbersOf(indices), 0, 0, buffer.str()});
}

Ex Builder::isContiguous(StringRef buffer, int64_t axis) {
  return equal(push({Op::Stride, kInt32, {}, axis, 0, buffer.str()}),
               integer(1));
}

bool Builder::isCopy(Ex value) const {
  const Expr *expr = &pipeline.exprs[value.number];
  auto isFactor = [&] {
    return expr->op == Op::Mul &&
           pipeline.exprs[expr->operands[1]].op == Op::Constant;
  };
  while (expr->op == Op::Cast || isFactor())
    expr = &pipeline.exprs[expr->operands[0]];
  return expr->op == Op::Read;
}

std::optional<Ex> Builder::readsContiguous(StringRef function) {
  auto found = llvm::find_if(pipeline.functions, [&](const Function &one) {
    return one.name == function;
  });
  SmallVector<int> left{found->definitions.back().value};
  llvm::MapVector<StringRef, int64_t> lastAxes;
  llvm::DenseSet<int> seen;
  while (!left.empty()) {
    int number = left.pop_back_val();
    if (!seen.insert(number).second)
      continue;
    const Expr &expr = pipeline.exprs[number];
    if (expr.op == Op::Read && !expr.operands.empty())
      lastAxes[expr.name] = int64_t(expr.operands.size()) - 1;
    if (expr.op != Op::Read && expr.op != Op::Call) // else they are indices
      left.append(expr.operands.begin(), expr.operands.end());
  }
  std::vector<std::pair<std::string, int64_t>> buffers(lastAxes.begin(),
                                                       lastAxes.end());
  std::optional<Ex> all;
  for (const auto &[name, axis] : buffers) {
    Ex one = isContiguous(name, axis);
    all = all ? both(*all, one) : one;
  }
  return all;
}

Ex Builder::call(StringRef function, ScalarType type, ArrayRef<Ex> indices) {
  return push({Op::Call, type, numbersOf(indices), 0, 0, function.str()});
}

Ex Builder::undefined(ScalarType type) {
  return push({Op::Undefined, type, {}, 0, 0, {}});
}

Ex Builder::hidden(Ex value) {
  ScalarType bits{Kind::Int, value.type.bits};
  return bitcast(
      make(Op::Xor, bits, {bitcast(value, bits), cast(parameter(kZero), bits)}),
      value.type);
}

/// Whether Halide multiplies by its reciprocal instead, as by that of every
/// integer constant that is no power of two.
static bool becomesReciprocal(const Expr &divisor) {
  return divisor.op == Op::Constant && !divisor.type.isFloat() &&
         !llvm::isPowerOf2_64(static_cast<uint64_t>(divisor.integer));
}

Ex Builder::make(Op op, ScalarType type, ArrayRef<Ex> operands) {
  bool divides = op == Op::Div || op == Op::Mod || op == Op::DivTrunc ||
                 op == Op::ModTrunc;
  if (hidesDivisors && divides &&
      becomesReciprocal(pipeline.exprs[operands[1].number]))
    return push(
        {op, type, numbersOf({operands[0], hidden(operands[1])}), 0, 0, {}});
  return push({op, type, numbersOf(operands), 0, 0, {}});
}

Ex Builder::cast(Ex value, ScalarType type) {
  auto isHalf = [](ScalarType one) { return one.isFloat() && one.bits == 16; };
  if (value.type == type)
    return value;
  if (castsHalves && isHalf(value.type))
    return cast(fromHalf(value), type);
  if (castsHalves && isHalf(type))
    return toHalf(cast(value, {Kind::Float, 32}), type);
  Ex made = make(Op::Cast, type, value);
  bool isInteger = type.kind == Kind::Int && type.bits >= 32;
  if (isInteger && ranges.knows(value.number))
    ranges.set(made.number, ranges.of(value.number));
  return made;
}

Ex Builder::bitcast(Ex value, ScalarType type) {
  return value.type == type ? value : make(Op::Bitcast, type, value);
}

Ex Builder::keepWhere(Ex condition, Ex value, double otherwise) {
  bool isWide = value.type.bits == 64;
  ScalarType bits{Kind::Int, value.type.bits};
  int64_t filled =
      isWide ? std::bit_cast<int64_t>(otherwise)
             : int64_t(std::bit_cast<int32_t>(static_cast<float>(otherwise)));
  Ex zero = integer(0, bits);
  Ex kept =
      make(Op::And, bits,
           {bitcast(value, bits), select(condition, integer(-1, bits), zero)});
  if (filled != 0)
    kept = make(Op::Or, bits,
                {kept, select(condition, zero, integer(filled, bits))});
  return bitcast(kept, value.type);
}

void Builder::domain(StringRef name, ArrayRef<std::pair<Ex, Ex>> minsAndExtents,
                     ArrayRef<Ex> where) {
  Domain domain;
  domain.name = name.str();
  for (auto [min, extent] : minsAndExtents)
    domain.dims.push_back({min.number, extent.number});
  domain.where = numbersOf(where);
  pipeline.domains.push_back(std::move(domain));
}

void Builder::define(StringRef name, ArrayRef<std::string> variables,
                     Ex value) {
  Function function;
  function.name = name.str();
  function.variables = variables.vec();
  function.definitions.push_back({{}, value.number});
  pipeline.functions.push_back(std::move(function));
}

void Builder::update(ArrayRef<Ex> indices, Ex value) {
  pipeline.functions.back().definitions.push_back(
      {numbersOf(indices), value.number});
}

void Builder::schedule(StringRef function, int stage, StringRef verb,
                       ArrayRef<std::string> names, ArrayRef<int64_t> numbers) {
  pipeline.schedule.push_back(
      {function.str(), stage, verb.str(), names.vec(), numbers.vec()});
}

} // namespace attnc::halide
