//===- TensorProducts.cpp - Products of tensors ---------------------------===//
//
// A @ B sums over the last axis of A and the last but one (or only) axis of B.
// Axes in front that both have are shared; one that only one has is the same
// for the other.
//
//===----------------------------------------------------------------------===//

#include "Tensor/TensorChecker.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

TensorPtr TensorChecker::contract(std::string labels, Axes axes,
                                  const TensorPtr &a, const TensorPtr &b,
                                  SMRange range) {
  auto tensor = std::make_shared<Tensor>();
  tensor->kind = Tensor::Contract;
  tensor->dtype = commonType({a, b});
  tensor->axes = std::move(axes);
  tensor->operands = {a, b};
  tensor->labels = std::move(labels);
  tensor->range = range;
  return tensor;
}

/// Letters of `axes`: those of the axes of `all` that they are.
static std::string lettersIn(const TensorShapes &shapes, ArrayRef<ExprPtr> axes,
                             ArrayRef<ExprPtr> all) {
  std::string letters, names = lettersFrom('a', all.size());
  auto places = shapes.embed(axes, all);
  for (unsigned place : *places)
    letters += names[place];
  return letters;
}

/// X.T, and X of X.T.
static std::string transposedText(const Node &node) {
  return node.kind == Node::Transpose ? textOfNode(*node.children[0])
                                      : textOfNode(node) + ".T";
}

/// O @ Wo: the heads of O are merged before the output projection.
static bool isOfMergedHeads(const TensorShapes &shapes, const Tensor &a,
                            const Tensor &b) {
  size_t rank = a.axes.size();
  return rank >= 3 && b.axes.size() == 2 &&
         shapes.isSame(shapes.product(a.axes[rank - 3], a.axes.back()),
                       b.axes[0]);
}

/// The product that was meant, or nothing. Weights stand on the right: they
/// have fewer axes than what they are of.
static std::string productInOrder(const TensorShapes &shapes, const Tensor &a,
                                  const Tensor &b, const Node &node) {
  const Node &first = *node.children[0], &second = *node.children[1];
  size_t ranks[] = {a.axes.size(), b.axes.size()};
  bool isOfWeights = ranks[0] > 1 && ranks[1] > ranks[0];
  bool isSwapped =
      ranks[0] > 1 && shapes.isSame(b.axes.back(), a.axes[ranks[0] - 2]);
  bool isTransposed =
      ranks[1] > 1 && shapes.isSame(a.axes.back(), b.axes.back());
  if (isOfMergedHeads(shapes, a, b))
    return "merge_heads(" + textOfNode(first) + ") @ " + textOfNode(second);
  if (isSwapped && (!isTransposed || isOfWeights))
    return textOfNode(second) + " @ " + textOfNode(first);
  if (isTransposed && isOfWeights)
    return textOfNode(second) + " @ " + transposedText(first);
  if (isTransposed)
    return textOfNode(first) + " @ " + transposedText(second);
  return "";
}

TensorPtr TensorChecker::matmul(const TensorPtr &a, const TensorPtr &b,
                                const Node &node) {
  bool isVector = b->axes.size() == 1; // on the right
  const ExprPtr &left = a->axes.back();
  const ExprPtr &right = isVector ? b->axes[0] : b->axes[b->axes.size() - 2];
  if (!shapes.isSame(left, right)) {
    auto &error = report.error(Message::MatmulShapes, node.range,
                               {textOfNode(*node.children[0]), shapeText(a),
                                textOfNode(*node.children[1]), shapeText(b)});
    error.fix(productInOrder(shapes, *a, *b, node));
    error.note("'@' sums over the last axis on the left and the "
               "second-to-last axis on the right; their sizes must be "
               "equal");
    noteInputs(error, {a.get(), b.get()});
    return nullptr;
  }
  Axes leftAxes(a->axes.begin(), a->axes.end() - 1), row;
  Axes rightAxes(b->axes.begin(), b->axes.end() - (isVector ? 1 : 2));
  if (!leftAxes.empty()) {
    row = {leftAxes.back()};
    leftAxes.pop_back();
  }
  // Axes of the result: those in front, the row of A, the column of B.
  Axes front = shapes.merge(leftAxes, rightAxes), axes = front;
  char next = char('a' + front.size());
  std::string lhs = lettersIn(shapes, leftAxes, front);
  std::string rhs = lettersIn(shapes, rightAxes, front);
  std::string result = lettersFrom('a', front.size());
  if (!row.empty()) {
    axes.push_back(row[0]);
    lhs += next;
    result += next++;
  }
  lhs += next;
  rhs += next++;
  if (!isVector) {
    axes.push_back(b->axes.back());
    rhs += next;
    result += next;
  }
  return contract(lhs + "," + rhs + "->" + result, std::move(axes), a, b,
                  node.range);
}

TensorChecker::Value TensorChecker::visitProduct(const Node &node) {
  TensorPtr a = visitTensor(*node.children[0]);
  TensorPtr b = visitTensor(*node.children[1]);
  if (!a || !b)
    return {};
  for (auto [tensor, child] : {std::pair(&a, node.children[0].get()),
                               std::pair(&b, node.children[1].get())}) {
    if ((*tensor)->axes.empty()) {
      report.error(Message::NeedsAxes, child->range, {"@", "one axis"})
          .note("use '*' to multiply a tensor by a number");
      return {};
    }
    *tensor = asReal(*tensor);
    if (!*tensor)
      return {};
  }
  return {matmul(a, b, node), nullptr};
}

/// The last two axes change places.
TensorChecker::Value TensorChecker::visitTranspose(const Node &node) {
  TensorPtr x = visitTensor(*node.children[0]);
  if (!x)
    return {};
  size_t rank = x->axes.size();
  if (rank < 2) {
    auto &error =
        report.error(Message::NeedsAxes, node.range, {".T", "two axes"});
    error.note("this is " + shapeText(x));
    noteInputs(error, {x.get()});
    return {};
  }
  Axes axes = x->axes;
  std::swap(axes[rank - 2], axes[rank - 1]);
  std::string before = lettersFrom('a', rank), after = before;
  std::swap(after[rank - 2], after[rank - 1]);
  return {view(before + "->" + after, std::move(axes), x, node.range), nullptr};
}

} // namespace attnc::spec
