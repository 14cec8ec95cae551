//===- RowFunctions.cpp - Functions of all keys of a row ------------------===//
//
// sum, count, softmax, sparsemax and top_k look at the keys that the row may
// see. Their operands are formulas of their own, so that going over the keys
// leaves the values of the formula around them alone.
//
//===----------------------------------------------------------------------===//

#include "Formula.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace attnc::formula {

using spec::Op;

constexpr Number infinity = std::numeric_limits<Number>::infinity();

void Formula::compileRowFunction(Node &node, unsigned defining) {
  node.dependence = OnSequence | OnHead | OnRow;
  if (!spec::isRowNumber(node.expr->op))
    node.dependence |= OnKey;
  auto add = [&](const spec::Expr &e) {
    node.ofRow.push_back(
        std::unique_ptr<Formula>(new Formula(e, scope, defining)));
  };
  for (const spec::ExprPtr &operand : node.expr->operands)
    add(*operand);
  if (node.expr->op == Op::Sum)
    add(*scope.attention->score);
}

/// The value for each allowed key, in their order.
std::vector<Number> Formula::operandOfKeys(Formula &formula) {
  int64_t before = scope.k;
  std::vector<Number> numbers;
  for (int64_t key : *scope.allowed) {
    scope.k = key;
    numbers.push_back(formula.real());
  }
  scope.k = before;
  return numbers;
}

/// Sets the numbers of the node for the row at hand.
void Formula::computeRow(Node &node) {
  std::array<int64_t, 3> row = {scope.b, scope.h, scope.i};
  if (node.row == row)
    return;
  node.row = row;
  switch (node.expr->op) {
  case Op::Count:
    node.numbers = {Number(scope.allowed->size())};
    return;
  case Op::Sum:
    return sumOfRow(node);
  case Op::Softmax:
    return softmaxOfRow(node);
  case Op::Sparsemax:
    return sparsemaxOfRow(node);
  default:
    return greatestOfRow(node);
  }
}

/// A key whose score is -inf adds nothing.
void Formula::sumOfRow(Node &node) {
  std::vector<Number> terms = operandOfKeys(*node.ofRow[0]);
  std::vector<Number> scores = operandOfKeys(*node.ofRow[1]);
  Number sum = 0;
  for (auto [term, score] : llvm::zip_equal(terms, scores))
    if (score != -infinity)
      sum += term;
  node.numbers = {sum};
}

/// Numbers of the allowed keys at their places among all.
static std::vector<Number> placed(llvm::ArrayRef<Number> numbers,
                                  llvm::ArrayRef<int64_t> keys) {
  std::vector<Number> all(keys.empty() ? 0 : keys.back() + 1);
  for (auto [number, key] : llvm::zip_equal(numbers, keys))
    all[key] = number;
  return all;
}

Softmax softmax(llvm::ArrayRef<Number> x, Number sink) {
  Number top = std::isnan(sink) ? -infinity : sink;
  for (Number value : x)
    top = value > top ? value : top;
  Number shift = top == -infinity ? 0 : top;
  Softmax result;
  Number sum = std::exp(sink - shift);
  for (Number value : x) {
    result.weights.push_back(std::exp(value - shift));
    sum += result.weights.back();
  }
  for (Number &weight : result.weights)
    weight = sum == 0 ? 0 : weight / sum;
  result.lse = sum == 0 ? -infinity : shift + std::log(sum);
  return result;
}

void Formula::softmaxOfRow(Node &node) {
  if (scope.allowed->empty())
    return;
  std::vector<Number> x = operandOfKeys(*node.ofRow[0]);
  Number temperature = node.ofRow[2]->real();
  for (Number &value : x)
    value /= temperature;
  node.numbers =
      placed(softmax(x, node.ofRow[1]->real()).weights, *scope.allowed);
}

/// The keys from the greatest to the least; a NaN counts as the greatest, and
/// of equal ones the lower key comes first.
static std::vector<size_t> fallingOrder(llvm::ArrayRef<Number> x) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    bool isNan = std::isnan(x[a]), isOther = std::isnan(x[b]);
    if (isNan || isOther || x[a] == x[b])
      return isNan == isOther ? a < b : isNan;
    return x[a] > x[b];
  });
  return order;
}

/// The t with which max(x - t, 0) sums to 1: of the n greatest numbers it is
/// (sum - 1) / n, for the largest n whose last number is above it.
void Formula::sparsemaxOfRow(Node &node) {
  std::vector<Number> x = operandOfKeys(*node.ofRow[0]);
  Number sum = 0, t = 0, count = 0;
  bool isNumber = true;
  for (size_t place : fallingOrder(x)) {
    isNumber &= !std::isnan(x[place]) && x[place] != infinity;
    if (x[place] == -infinity)
      break;
    sum += x[place];
    count += 1;
    if (x[place] <= (sum - 1) / count)
      break;
    t = (sum - 1) / count;
  }
  for (Number &value : x)
    value = isNumber ? std::fmax(value - t, Number(0))
                     : std::numeric_limits<Number>::quiet_NaN();
  node.numbers = placed(x, *scope.allowed);
}

/// top_k: the others are -inf.
void Formula::greatestOfRow(Node &node) {
  std::vector<Number> x = operandOfKeys(*node.ofRow[0]);
  std::vector<size_t> order = fallingOrder(x);
  auto n = size_t(node.expr->operands[1]->integer);
  for (size_t place : llvm::ArrayRef(order).drop_front(std::min(n, x.size())))
    x[place] = -infinity;
  node.numbers = placed(x, *scope.allowed);
}

} // namespace attnc::formula
