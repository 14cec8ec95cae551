//===- Spec.cpp - What a spec file says, checked --------------------------===//

#include "attnc/Spec/Spec.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace attnc::spec {

static constexpr std::pair<DType, StringLiteral> dtypeNames[] = {
    {DType::F64, "f64"},   {DType::F32, "f32"}, {DType::F16, "f16"},
    {DType::BF16, "bf16"}, {DType::I64, "i64"}, {DType::I32, "i32"},
    {DType::I8, "i8"},     {DType::U8, "u8"},   {DType::Bool, "bool"}};

StringRef dtypeName(DType dtype) {
  return find_if(dtypeNames, [&](auto &e) { return e.first == dtype; })->second;
}

std::optional<DType> parseDType(StringRef name) {
  for (auto &[dtype, text] : dtypeNames)
    if (text == name)
      return dtype;
  return std::nullopt;
}

bool isFloat(DType dtype) {
  return dtype == DType::F64 || dtype == DType::F32 || dtype == DType::F16 ||
         dtype == DType::BF16;
}

DType widerFloat(DType a, DType b) {
  if (a == b)
    return a;
  return a == DType::F64 || b == DType::F64 ? DType::F64 : DType::F32;
}

static bool contains(const Tensor &tensor,
                     function_ref<bool(const Tensor &)> leaf,
                     DenseSet<const Tensor *> &seen) {
  if (leaf(tensor))
    return true;
  return any_of(tensor.operands, [&](const TensorPtr &operand) {
    return seen.insert(operand.get()).second && contains(*operand, leaf, seen);
  });
}

bool usesArgument(const Tensor &tensor, Row row) {
  DenseSet<const Tensor *> seen;
  return contains(
      tensor,
      [&](const Tensor &leaf) {
        return leaf.kind == Tensor::Argument && leaf.row == row;
      },
      seen);
}

bool usesResult(const Tensor &tensor) {
  DenseSet<const Tensor *> seen;
  return contains(
      tensor, [](const Tensor &leaf) { return leaf.kind == Tensor::Result; },
      seen);
}

bool usesAttend(const Tensor &tensor) {
  DenseSet<const Tensor *> seen;
  return contains(
      tensor, [](const Tensor &leaf) { return leaf.kind == Tensor::Attend; },
      seen);
}

unsigned AttentionSpec::axisOf(BuiltinSize length) const {
  if (sizes[length].kind != Size::PerSequence)
    return length;
  return (length == QueryLen ? queryStorage : kvStorage).tokens;
}

static std::vector<ExprPtr> axesOfRows(const AttentionSpec &spec,
                                       const Storage &storage,
                                       BuiltinSize heads, BuiltinSize length,
                                       BuiltinSize width) {
  std::vector<ExprPtr> axes = {makeSize(heads), makeSize(spec.axisOf(length)),
                               makeSize(width)};
  if (storage.kind != Storage::Ragged)
    axes.insert(axes.begin(), makeSize(Batch));
  return axes;
}

std::vector<ExprPtr> AttentionSpec::axesOf(Row row) const {
  bool isQuery = row == Row::Q;
  return axesOfRows(*this, storageOf(row), isQuery ? Heads : KvHeads,
                    isQuery ? QueryLen : KvLen,
                    isQuery         ? HeadDim
                    : row == Row::K ? KeyDim
                                    : ValueDim);
}

std::vector<ExprPtr> AttentionSpec::axesOfResult() const {
  return axesOfRows(*this, queryStorage, Heads, QueryLen, ValueDim);
}

ExprPtr AttentionSpec::sizeOf(BuiltinSize size) const {
  if (size == QueryLen && queryRows)
    return queryRows;
  if (size == KvLen && keyRows)
    return keyRows;
  return makeSize(axisOf(size));
}

ExprPtr AttentionSpec::pages() const {
  if (kvStorage.kind != Storage::Paged || kvStorage.table >= inputs.size() ||
      !inputs[kvStorage.table].high)
    return nullptr;
  const ExprPtr &last = inputs[kvStorage.table].high;
  if (last->isConstant())
    return makeInt(last->integer + 1);
  if (last->isApply(Op::Sub) && last->operands[1]->isConstant() &&
      last->operands[1]->integer == 1)
    return last->operands[0];
  return makeApply(Op::Add, Type::Int, {last, makeInt(1)});
}

std::optional<unsigned> AttentionSpec::findSize(StringRef name) const {
  for (unsigned i = 0; i < sizes.size(); ++i)
    if (sizes[i].name == name)
      return i;
  return std::nullopt;
}

/// Whether an output that tensors say fulfils a condition.
static bool anyOutput(const AttentionSpec &spec,
                      function_ref<bool(const Tensor &)> holds) {
  return (spec.output && holds(*spec.output)) ||
         any_of(spec.extras,
                [&](const ExtraOutput &extra) { return holds(*extra.tensor); });
}

bool AttentionSpec::hasResult() const {
  return !output || anyOutput(*this, usesResult);
}

bool AttentionSpec::usesAttention() const {
  return hasResult() || anyOutput(*this, usesAttend);
}

bool AttentionSpec::isArgument(Row row) const {
  if (!hasResult())
    return anyOutput(
        *this, [&](const Tensor &tensor) { return usesArgument(tensor, row); });
  if (const TensorPtr &tensor = rows[unsigned(row)].tensor)
    return usesArgument(*tensor, row);
  const ExprPtr &definition = definitions[unsigned(row)];
  return !definition || usesRow(*definition, row);
}

ArrayRef<Input> AttentionSpec::declaredInputs() const {
  return ArrayRef(inputs).take_until(
      [](const Input &input) { return bool(input.made); });
}

std::vector<ExprPtr> AttentionSpec::axesOf(const Expr &e) const {
  if (e.kind == Expr::Row)
    return {makeSize(e.row == Row::Q   ? HeadDim
                     : e.row == Row::K ? KeyDim
                                       : ValueDim)};
  if (e.kind == Expr::Load) {
    const std::vector<ExprPtr> &axes = inputs[e.index].axes;
    return {axes.begin() + e.operands.size(), axes.end()};
  }
  if (e.isApply(Op::Dot)) {
    const Expr &left = *e.operands[0], &right = *e.operands[1];
    return {left.type == Type::Matrix ? axesOf(left)[0] : axesOf(right)[1]};
  }
  for (const ExprPtr &operand : e.operands)
    if (isVector(operand->type))
      return axesOf(*operand);
  return {};
}

} // namespace attnc::spec
