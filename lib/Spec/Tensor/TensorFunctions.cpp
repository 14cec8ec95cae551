//===- TensorFunctions.cpp - Functions of layers --------------------------===//

#include "Tensor/TensorChecker.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

TensorPtr TensorChecker::view(std::string labels, Axes axes, const TensorPtr &x,
                              SMRange range) {
  auto tensor = std::make_shared<Tensor>();
  tensor->kind = Tensor::View;
  tensor->dtype = x->dtype;
  tensor->axes = std::move(axes);
  tensor->operands = {x};
  tensor->labels = std::move(labels);
  tensor->range = range;
  return tensor;
}

/// An argument that is a size: an int formula of sizes, whose names are kept.
ExprPtr TensorChecker::countArgument(const Node *node, StringRef byDefault,
                                     SMRange place) {
  NodePtr defaultNode;
  if (!node) {
    defaultNode = parseFormula({byDefault, place}, report);
    node = defaultNode.get();
  }
  if (!node)
    return nullptr;
  if (node->kind == Node::Name)
    if (auto bound = environment.find(node->name); bound != environment.end())
      if (bound->second.scalar && bound->second.scalar->type == Type::Int)
        return bound->second.scalar;
  Scope scope = Scope::ofSizes("a size");
  scope.foldSizes = false;
  Checker checker(spec, report, use, scope);
  ExprPtr size = checker.check(*node, Type::Int, "a size");
  if (checker.reportMissing() || !size)
    return nullptr;
  std::optional<int64_t> number = shapes.number(size);
  if (number && *number < 1) {
    report.error(Message::SizeValue, node->range,
                 {"'" + textOfNode(*node) + "'", std::to_string(*number)});
    return nullptr;
  }
  return size;
}

/// [..., rows, n * d] -> [..., n, rows, d]
TensorPtr TensorChecker::splitHeads(const TensorPtr &x, const ExprPtr &n,
                                    const Node &node) {
  size_t rank = x->axes.size();
  ExprPtr width = rank ? shapes.quotient(x->axes.back(), n) : nullptr;
  if (!width) {
    auto &error = report.error(
        Message::SplitWidth, node.range,
        {textOfNode(*node.children[0]), shapeText(x), printFormula(spec, *n)});
    error.note("split_heads(X, n) splits the last axis into n heads");
    noteInputs(error, {x.get()});
    return nullptr;
  }
  std::string front = lettersFrom('a', rank - 1);
  std::string labels = front + "(yz)->";
  Axes axes(x->axes.begin(), x->axes.end() - 1);
  size_t rows = axes.empty() ? 0 : 1; // behind the heads
  labels += front.substr(0, front.size() - rows) + "y" +
            front.substr(front.size() - rows) + "z";
  axes.insert(axes.end() - ptrdiff_t(rows), n);
  axes.push_back(width);
  return view(labels, std::move(axes), x, node.range);
}

/// [..., n, rows, d] -> [..., rows, n * d]
TensorPtr TensorChecker::mergeHeads(const TensorPtr &x, const Node &node) {
  size_t rank = x->axes.size();
  if (rank < 2) {
    auto &error = report.error(Message::NeedsAxes, node.range,
                               {"merge_heads", "two axes"});
    error.note("this is " + shapeText(x));
    noteInputs(error, {x.get()});
    return nullptr;
  }
  size_t rows = rank > 2 ? 1 : 0;
  std::string letters = lettersFrom('a', rank);
  size_t head = rank - 2 - rows;
  Axes axes = x->axes;
  ExprPtr heads = axes[head], width = axes.back();
  axes.pop_back();
  axes.erase(axes.begin() + ptrdiff_t(head));
  axes.push_back(shapes.product(heads, width));
  std::string labels = letters + "->" + letters.substr(0, head) +
                       letters.substr(head + 1, rows) + "(" + letters[head] +
                       letters.back() + ")";
  return view(labels, std::move(axes), x, node.range);
}

TensorChecker::Value TensorChecker::call(const Node &node,
                                         const FunctionInfo &function) {
  if (function.function == Function::Softmax)
    return {softmax(node), nullptr};
  Checker binder(spec, report, use, Scope::ofSizes(what));
  std::vector<const Node *> bound;
  if (!binder.bind(node, function, bound))
    return {};
  auto tensor = [&](unsigned i) { return visitTensor(*bound[i]); };
  switch (function.function) {
  case Function::SplitHeads: {
    TensorPtr x = tensor(0);
    ExprPtr n = countArgument(bound[1], "heads", node.headRange);
    if (!x || !n)
      return {};
    return {splitHeads(x, n, node), nullptr};
  }
  case Function::MergeHeads: {
    TensorPtr x = tensor(0);
    if (!x)
      return {};
    return {mergeHeads(x, node), nullptr};
  }
  case Function::RmsNorm:
  case Function::LayerNorm:
  case Function::L2Norm:
    return {norm(node, function, bound), nullptr};
  case Function::Attend:
    return {attend(bound, node), nullptr};
  case Function::SegmentMean:
    return {segmentMean(bound, node), nullptr};
  case Function::Eye:
    return {identity(countArgument(bound[0], "", node.headRange), node),
            nullptr};
  case Function::Cumsum:
    return {runningSum(bound, node), nullptr};
  case Function::Pinv:
    return {pseudoInverse(bound, node), nullptr};
  case Function::Concat:
    return {concat(node, bound), nullptr};
  case Function::Einsum:
    return {einsum(node, bound), nullptr};
  case Function::Rope:
    return {rope(node, bound), nullptr};
  case Function::Cached:
    return {cached(node, bound), nullptr};
  case Function::Split:
    return {onlyPiece(node), nullptr};
  default:
    report.error(Message::Unsupported, node.headRange, {"'" + node.name + "'"});
    return {};
  }
}

} // namespace attnc::spec
