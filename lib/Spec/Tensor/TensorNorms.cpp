//===- TensorNorms.cpp - Norms over the last axis -------------------------===//
//
//   rms_norm    x * rsqrt(sum(x * x) / n + eps) * w
//   layer_norm  c * rsqrt(sum(c * c) / n + eps) * w + b, c = x - sum(x) / n
//   l2_norm     x / max(sqrt(sum(x * x)), eps)
//
// Sums, means and c are of the type in which elements are computed, whatever
// the type of x.
//
//===----------------------------------------------------------------------===//

#include "Tensor/TensorChecker.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

/// A real formula of sizes and of inputs without axes.
ExprPtr TensorChecker::numberArgument(const Node *node, StringRef byDefault,
                                      const Node &call, StringRef name) {
  NodePtr defaultNode;
  if (!node) {
    defaultNode = parseFormula({byDefault, call.headRange}, report);
    node = defaultNode.get();
  }
  Value value = node ? visit(*node) : Value();
  if (!value)
    return nullptr;
  if (value.tensor || value.scalar->type == Type::Bool) {
    report.error(Message::BadArgument, node->range,
                 {"'" + name.str() + "' of '" + call.name + "'", "a number"});
    return nullptr;
  }
  if (value.scalar->type == Type::Real)
    return value.scalar;
  if (value.scalar->isConstant())
    return makeReal(double(value.scalar->integer), value.scalar->range);
  return makeApply(Op::ToReal, Type::Real, {value.scalar}, node->range);
}

/// The sum of x along its last axis; of x * x, if `squares`.
TensorPtr TensorChecker::sumOfRows(const TensorPtr &x, bool squares,
                                   SMRange range) {
  auto tensor = std::make_shared<Tensor>();
  tensor->kind = squares ? Tensor::Contract : Tensor::Sum;
  tensor->dtype = computeType();
  tensor->axes.assign(x->axes.begin(), x->axes.end() - 1);
  tensor->operands.assign(squares ? 2 : 1, x);
  std::string letters = lettersFrom('a', x->axes.size());
  tensor->labels = letters;
  if (squares)
    tensor->labels += "," + letters;
  tensor->labels += "->" + letters.substr(0, letters.size() - 1);
  tensor->range = range;
  return tensor;
}

static ExprPtr apply(Op op, ExprPtr a, ExprPtr b) {
  return makeApply(op, Type::Real, {std::move(a), std::move(b)});
}

static bool isNumber(const ExprPtr &e, double value) {
  return e && e->isConstant() && e->real == value;
}

/// Adds gain or shift, a tensor or a number, as an operand of the formula.
bool TensorChecker::addFactor(const Node *node, Op op, ExprPtr &formula,
                              std::vector<TensorPtr> &operands) {
  if (!node)
    return true;
  TensorPtr factor = visitTensor(*node);
  if (factor)
    factor = asReal(factor);
  if (!factor)
    return false;
  if (!shapes.embed(factor->axes, operands[0]->axes)) {
    auto &error = report.error(
        Message::TensorShapes, node->range,
        {opSpelling(op).str(), shapeText(operands[0]), shapeText(factor)});
    error.note("the axes of this operand must be a subsequence of those "
               "of the other");
    noteInputs(error, {operands[0].get(), factor.get()});
    return false;
  }
  formula = apply(op, formula,
                  makeElement(operands.size(), Type::Real, factor->range));
  operands.push_back(factor);
  return true;
}

TensorPtr TensorChecker::norm(const Node &node, const FunctionInfo &function,
                              ArrayRef<const Node *> bound) {
  TensorPtr x = visitTensor(*bound[0]);
  if (x)
    x = asReal(x);
  bool isL2 = function.function == Function::L2Norm;
  const Parameter &epsilon = function.parameters.back();
  ExprPtr eps = numberArgument(bound.back(), epsilon.byDefault, node, "eps");
  if (!x || !eps)
    return nullptr;
  if (eps->isConstant() && !(eps->real >= 0)) {
    report.error(Message::BadArgument,
                 bound.back() ? bound.back()->range : node.range,
                 {"'eps' of '" + function.name.str() + "'", "at least 0"});
    return nullptr;
  }
  if (x->axes.empty()) {
    report.error(Message::NeedsAxes, node.range,
                 {function.name.str(), "one axis"});
    return nullptr;
  }
  ExprPtr width = makeApply(Op::ToReal, Type::Real, {x->axes.back()});
  ExprPtr element = makeElement(0, Type::Real, node.range), row;
  DType type = x->dtype;
  if (isPartOfFormula(*bound[0]))
    x = withoutRounding(x);
  if (function.function == Function::LayerNorm) {
    TensorPtr sum = sumOfRows(x, false, node.range);
    row = makeElement(1, Type::Real, node.range);
    x = mapOver(x->axes, apply(Op::Sub, element, apply(Op::Div, row, width)),
                {x, sum}, node.range, computeType());
  }
  std::vector<TensorPtr> operands = {x, sumOfRows(x, true, node.range)};
  row = makeElement(1, Type::Real, node.range);
  ExprPtr formula;
  if (isL2) {
    ExprPtr length = makeApply(Op::Sqrt, Type::Real, {row});
    if (!isNumber(eps, 0))
      length = apply(Op::Max, length, eps);
    formula = apply(Op::Div, element, length);
  } else {
    ExprPtr mean = apply(Op::Add, apply(Op::Div, row, width), eps);
    formula = apply(Op::Mul, element, makeApply(Op::Rsqrt, Type::Real, {mean}));
  }
  if (!isL2 && !addFactor(bound[1], Op::Mul, formula, operands))
    return nullptr;
  if (function.function == Function::LayerNorm &&
      !addFactor(bound[2], Op::Add, formula, operands))
    return nullptr;
  for (const TensorPtr &factor : drop_begin(operands, 2))
    type = widerFloat(type, factor->dtype);
  Axes axes = x->axes;
  return mapOver(std::move(axes), formula, std::move(operands), node.range,
                 type);
}

} // namespace attnc::spec
