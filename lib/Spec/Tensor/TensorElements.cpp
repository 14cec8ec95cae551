//===- TensorElements.cpp - Formulas for each element of tensors ----------===//

#include "Tensor/TensorChecker.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

DType TensorChecker::commonType(ArrayRef<TensorPtr> operands) const {
  std::optional<DType> common;
  for (const TensorPtr &operand : operands)
    if (isFloat(operand->dtype))
      common = common ? widerFloat(*common, operand->dtype) : operand->dtype;
  return common.value_or(computeType());
}

/// The axes of a formula of elements: those of its operand that has the others
/// among its own. False after an error, told at the operation where two meet.
bool TensorChecker::shapeOf(const Expr &e, ArrayRef<TensorPtr> operands,
                            Axes &axes) {
  if (e.kind == Expr::Element) {
    axes = operands[e.index]->axes;
    return true;
  }
  for (const ExprPtr &operand : e.operands) {
    Axes other;
    if (!shapeOf(*operand, operands, other))
      return false;
    if (shapes.embed(other, axes))
      continue;
    if (!shapes.embed(axes, other)) {
      auto &error = report.error(
          Message::TensorShapes, e.range,
          {opSpelling(e.op).str(), shapes.text(axes), shapes.text(other)});
      error.note("the axes of one operand must be a subsequence of those "
                 "of the other");
      for (const ExprPtr &x : e.operands)
        if (x->kind == Expr::Element)
          noteInputs(error, {operands[x->index].get()});
      return false;
    }
    axes = std::move(other);
  }
  return true;
}

TensorPtr TensorChecker::mapOver(Axes axes, const ExprPtr &formula,
                                 std::vector<TensorPtr> operands, SMRange range,
                                 std::optional<DType> dtype) {
  std::string result = lettersFrom('a', axes.size()), labels;
  for (auto [i, operand] : enumerate(operands)) {
    labels += i ? "," : "";
    auto places = shapes.embed(operand->axes, axes);
    for (unsigned place : *places)
      labels += result[place];
  }
  auto tensor = std::make_shared<Tensor>();
  tensor->kind = Tensor::Map;
  tensor->dtype = formula->type == Type::Bool
                      ? DType::Bool
                      : dtype.value_or(commonType(operands));
  tensor->axes = std::move(axes);
  tensor->operands = std::move(operands);
  tensor->labels = labels + "->" + result;
  tensor->formula = formula;
  tensor->range = range;
  return tensor;
}

TensorPtr TensorChecker::map(const ExprPtr &formula,
                             std::vector<TensorPtr> operands, SMRange range,
                             std::optional<DType> dtype) {
  Axes axes;
  if (!shapeOf(*formula, operands, axes))
    return nullptr;
  ExprPtr real = formula;
  if (formula->type == Type::Int)
    real = makeApply(Op::ToReal, Type::Real, {formula}, formula->range);
  return mapOver(std::move(axes), real, std::move(operands), range, dtype);
}

/// Whether a node is an operation on elements or a norm, itself or as what a
/// macro stands for: a formula around it computes it, too, and is rounded as a
/// whole. Products and names are values that are rounded by themselves.
bool TensorChecker::isPartOfFormula(const Node &node) const {
  if (node.kind == Node::Name || node.kind == Node::Transpose)
    return false;
  if (node.kind == Node::Binary)
    return node.op != Op::Dot;
  if (node.kind != Node::Call)
    return true;
  if (const FunctionInfo *function = findFunction(node.name))
    return function->place == FunctionInfo::Scalar ||
           function->function == Function::RmsNorm ||
           function->function == Function::LayerNorm;
  auto macro = use.let.find(node.name);
  return macro != use.let.end() && macro->second.body &&
         isPartOfFormula(*macro->second.body);
}

/// Elements of a formula in the type in which they are computed.
TensorPtr TensorChecker::withoutRounding(const TensorPtr &tensor) const {
  if (tensor->kind != Tensor::Map || !isFloat(tensor->dtype))
    return tensor;
  auto wide = std::make_shared<Tensor>(*tensor);
  wide->dtype = computeType();
  return wide;
}

/// Elements of an input of ints become reals.
TensorPtr TensorChecker::asReal(const TensorPtr &tensor) {
  if (isFloat(tensor->dtype))
    return tensor;
  if (tensor->dtype == DType::Bool) {
    auto &error =
        report.error(Message::MustBe, tensor->range,
                     {"this", "a tensor of numbers", "a tensor of booleans"});
    error.note("convert it with where(x, 1, 0)");
    return nullptr;
  }
  return mapOver(tensor->axes, makeElement(0, Type::Real, tensor->range),
                 {tensor}, tensor->range);
}

} // namespace attnc::spec
