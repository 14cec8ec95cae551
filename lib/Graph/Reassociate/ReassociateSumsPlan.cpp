//===- ReassociateSumsPlan.cpp - Plan the orders of all terms together ----===//
//
// See ReassociateSums.h. Terms share what it costs to put their features
// together: if one of them needs an axis of heads, all get it.
//
//===----------------------------------------------------------------------===//

#include "Reassociate/ReassociateSums.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::graph;

namespace {
/// What the last product of a term multiplies.
struct LastOperand {
  LetterSet letters;
  Type element;
};
} // namespace

static LastOperand lastOperand(const ProductTree &tree,
                               ArrayRef<ProductStep> steps, bool isRight) {
  unsigned number = isRight ? steps.back().rhs : steps.back().lhs;
  if (number < tree.leaves.size())
    return {tree.leaves[number].letters(), tree.leaves[number].elementType()};
  return {steps[number - tree.leaves.size()].result, tree.elementType};
}

/// The operand of the last product that has letters of `own`.
static LastOperand operandOf(const ProductTree &tree,
                             ArrayRef<ProductStep> steps, LetterSet own) {
  LastOperand lhs = lastOperand(tree, steps, false);
  return lhs.letters & own ? lhs : lastOperand(tree, steps, true);
}

/// Letters of the result, as the tree calls them.
static LetterSet lettersOf(const ProductTree &tree, StringRef output,
                           StringRef wanted) {
  LetterSet set = 0;
  for (auto [axis, letter] : llvm::zip_equal(tree.output, output))
    if (wanted.contains(letter))
      for (unsigned part : axis)
        set |= LetterSet(1) << part;
  return set;
}

/// Whether the last product has one operand for each side, and one axis of a
/// fixed size is summed over.
bool ProductSum::canJoin(const ProductTree &tree,
                         ArrayRef<ProductStep> steps) const {
  StringRef output = attn::ContractOp(root).getAxisLabels().output;
  LetterSet left = lettersOf(tree, output, own[0]);
  LetterSet right = lettersOf(tree, output, own[1]);
  LetterSet a = lastOperand(tree, steps, false).letters;
  LetterSet b = lastOperand(tree, steps, true).letters;
  bool isStraight = !(a & right) && !(b & left);
  bool isSwapped = !(a & left) && !(b & right);
  LetterSet sum = a & b & ~tree.outputLetters();
  bool isWhole = llvm::all_of(
      tree.output, [](const ProductAxis &axis) { return axis.size() == 1; });
  return isStraight != isSwapped && isWhole && llvm::has_single_bit(sum) &&
         !((a ^ b) & ~tree.outputLetters()) &&
         isa<IntegerAttr>(tree.sizes[llvm::countr_zero(sum)]);
}

/// Bytes to put the parts of a side together; negative where their types
/// differ.
double ProductSum::joinBytes(const Choice &choice, const Regime &at,
                             unsigned side) const {
  StringRef output = attn::ContractOp(root).getAxisLabels().output;
  double features = 0, rows = 1;
  Type element;
  SmallVector<bool> has(output.size());
  for (auto [tree, steps] : llvm::zip_equal(trees, choice)) {
    LastOperand operand =
        operandOf(tree, steps, lettersOf(tree, output, own[side]));
    if (element && element != operand.element)
      return -1;
    element = operand.element;
    LetterSizes sizes = letterSizes(tree, at);
    double ofPart = 1;
    for (auto [letter, size] : llvm::enumerate(sizes))
      if (operand.letters & ~tree.outputLetters() & LetterSet(1) << letter)
        ofPart *= size;
    features += ofPart;
    for (auto [place, axis] : llvm::enumerate(tree.output))
      if (!has[place] && (operand.letters >> axis[0] & 1)) {
        has[place] = true;
        rows *= sizes[axis[0]];
      }
  }
  return 2 * rows * features * double(element.getIntOrFloatBitWidth()) / 8;
}

OrderCost ProductSum::costOf(const Choice &choice, const Regime &at) const {
  OrderCost total;
  for (auto [tree, steps] : llvm::zip_equal(trees, choice)) {
    OrderCost one = attnc::costOf(tree, steps, letterSizes(tree, at), request);
    total.flops += one.flops;
    total.bytes += one.bytes;
    total.cycles += one.cycles;
  }
  for (unsigned side : {0, 1}) {
    double bytes = joinBytes(choice, at, side);
    total.bytes += bytes;
    total.cycles += bytes / request.target->bytesPerCycle(bytes);
  }
  return total;
}

OrderCost ProductSum::writtenAt(const Regime &at) const {
  return costOf(written, at);
}

OrderCost ProductSum::chosenAt(const Regime &at) const {
  return costOf(chosen, at);
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

void ProductSum::plan(ArrayRef<Regime> regimes, const OrderRequest &asked) {
  request = asked;
  chosen = written;
  hasBetter = false;
  // A regime counts relative to the best that it could have.
  SmallVector<double> weights;
  for (const Regime &regime : regimes) {
    ProductSum alone = *this;
    if (regimes.size() > 1)
      alone.plan(regime, request);
    weights.push_back(regime.weight / alone.chosenAt(regime).cycles);
  }
  // Which terms change is decided together: what is put together has the axes
  // of all of them.
  Choice best = written;
  for (auto [i, tree] : llvm::enumerate(trees)) {
    SmallVector<LetterSizes> sizes;
    for (const Regime &regime : regimes)
      sizes.push_back(letterSizes(tree, regime));
    ProductSteps steps = findOrder(tree, sizes, weights, request);
    if (canJoin(tree, steps))
      best[i] = steps;
  }
  auto relative = [&](const Choice &choice) {
    double cost = 0;
    for (auto [regime, weight] : llvm::zip_equal(regimes, weights))
      cost += weight * costOf(choice, regime).cycles;
    return cost;
  };
  double least = kOrderTie * relative(written);
  size_t combinations = size_t(1) << std::min<size_t>(trees.size(), 6);
  for (size_t which = 1; which < combinations; ++which) {
    Choice choice = written;
    for (size_t i = 0; i < trees.size(); ++i)
      if (which >> i & 1)
        choice[i] = best[i];
    bool hasTypes = joinBytes(choice, regimes.front(), 0) >= 0 &&
                    joinBytes(choice, regimes.front(), 1) >= 0;
    if (!hasTypes || relative(choice) >= least)
      continue;
    least = relative(choice);
    chosen = choice;
    hasBetter = true;
  }
  // A size that is not expected to be anything may not decide.
  for (const Regime &regime : regimes)
    for (const ProductTree &tree : trees)
      for (const Regime &at : varyOpenSizes(tree, regime))
        if (costOf(chosen, regime).cycles <= costOf(written, regime).cycles &&
            costOf(chosen, at).cycles > costOf(written, at).cycles)
          hasBetter = false;
  if (!hasBetter)
    chosen = written;
}

static std::string describeSum(ArrayRef<ProductTree> trees,
                               ArrayRef<ProductSteps> choice) {
  std::string text;
  for (auto [tree, steps] : llvm::zip_equal(trees, choice))
    text += (text.empty() ? "" : " + ") + describeOrder(tree, steps);
  return text;
}

std::string ProductSum::describeWritten() const {
  return describeSum(trees, written);
}

std::string ProductSum::describeChosen() const {
  return describeSum(trees, chosen);
}
