//===- ProductOrder.cpp - The cheapest order of products ------------------===//
//
// Exact: the best order of each subset of leaves is made of the best orders of
// two parts. What a subset's product keeps are the letters that the other
// leaves or the result have, whichever order it is made in.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/ProductOrder.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace attnc;

LetterSizes attnc::letterSizes(const ProductTree &tree, const Regime &regime) {
  LetterSizes sizes;
  for (Attribute size : tree.sizes)
    sizes.push_back(double(std::max<int64_t>(regime.sizeOf(size), 1)));
  return sizes;
}

static double volume(LetterSet letters, const LetterSizes &sizes) {
  double product = 1;
  for (auto [letter, size] : llvm::enumerate(sizes))
    if (letters >> letter & 1)
      product *= size;
  return product;
}

//===----------------------------------------------------------------------===//
// Cost of one product
//===----------------------------------------------------------------------===//

namespace {
/// An operand or a result of a product.
struct Part {
  LetterSet letters = 0;
  double bytesPerElement = 0; // 0: never stored
};

/// Costs of products of a tree on a target.
class StepCosts {
public:
  StepCosts(const ProductTree &tree, const CpuTarget &target)
      : tree(tree), target(target) {
    SmallVector<Type> types{tree.elementType};
    flopsPerCycle = target.flopsPerCycle(
        attn::accumulateType(types).getIntOrFloatBitWidth());
  }

  Part leaf(unsigned number) const {
    const ProductLeaf &leaf = tree.leaves[number];
    return {leaf.letters(), leaf.isStored ? bytesOf(leaf.elementType()) : 0};
  }
  Part made(LetterSet letters, bool isRoot) const {
    if (!isRoot)
      return {letters, bytesOf(tree.elementType)};
    Type type = getElementTypeOrSelf(tree.root.getType());
    return {letters, tree.isStored ? bytesOf(type) : 0};
  }
  OrderCost of(const Part &lhs, const Part &rhs, const Part &result,
               const LetterSizes &sizes) const {
    OrderCost cost;
    cost.flops = 2 * volume(lhs.letters | rhs.letters, sizes);
    for (const Part &part : {lhs, rhs, result})
      cost.bytes += part.bytesPerElement * volume(part.letters, sizes);
    cost.cycles = std::max(cost.flops / flopsPerCycle,
                           cost.bytes / target.bytesPerCycle(cost.bytes));
    return cost;
  }

private:
  static double bytesOf(Type element) {
    return double(element.getIntOrFloatBitWidth()) / 8;
  }

  const ProductTree &tree;
  const CpuTarget &target;
  double flopsPerCycle;
};
} // namespace

OrderCost attnc::costOf(const ProductTree &tree, ArrayRef<ProductStep> steps,
                        const LetterSizes &sizes, const CpuTarget &target) {
  StepCosts costs(tree, target);
  unsigned leaves = tree.leaves.size();
  auto part = [&](unsigned number) {
    return number < leaves ? costs.leaf(number)
                           : costs.made(steps[number - leaves].result, false);
  };
  OrderCost total;
  for (const ProductStep &step : steps) {
    bool isRoot = &step == &steps.back();
    OrderCost one = costs.of(part(step.lhs), part(step.rhs),
                             costs.made(step.result, isRoot), sizes);
    total.flops += one.flops;
    total.bytes += one.bytes;
    total.cycles += one.cycles;
  }
  return total;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

namespace {
using Subset = unsigned; // of leaves

class Search {
public:
  Search(const ProductTree &tree, ArrayRef<LetterSizes> sizes,
         ArrayRef<double> weights, const OrderRequest &request)
      : tree(tree), sizes(sizes), weights(weights), request(request),
        costs(tree, *request.target), full((1u << tree.leaves.size()) - 1) {}

  ProductSteps run();

private:
  struct Best {
    double cycles = 0;
    Subset lhs = 0; // 0: a leaf, or not found yet
  };
  void findWritten();
  void findLetters();
  bool isLegal(Subset lhs, Subset rhs) const;
  bool isResident(Subset subset) const;
  double cyclesOf(Subset lhs, Subset rhs) const;
  Part partOf(Subset subset) const;
  unsigned emit(Subset subset, ProductSteps &steps) const;

  const ProductTree &tree;
  ArrayRef<LetterSizes> sizes;
  ArrayRef<double> weights;
  const OrderRequest &request;
  StepCosts costs;
  Subset full;
  SmallVector<LetterSet> letters; // of a subset's product
  SmallVector<Subset> written;    // left part of a subset as written, or 0
  SmallVector<Best> best;
};
} // namespace

void Search::findWritten() {
  written.assign(full + 1, 0);
  SmallVector<Subset> made;
  for (unsigned leaf = 0; leaf < tree.leaves.size(); ++leaf)
    made.push_back(1u << leaf);
  for (const ProductStep &step : tree.written) {
    made.push_back(made[step.lhs] | made[step.rhs]);
    written[made.back()] = made[step.lhs];
  }
}

void Search::findLetters() {
  SmallVector<LetterSet> all(full + 1, 0);
  for (Subset subset = 1; subset <= full; ++subset) {
    unsigned lowest = llvm::countr_zero(subset);
    all[subset] = all[subset & (subset - 1)] | tree.leaves[lowest].letters();
  }
  letters.assign(full + 1, 0);
  for (Subset subset = 1; subset <= full; ++subset)
    letters[subset] =
        llvm::has_single_bit(subset)
            ? all[subset]
            : all[subset] & (all[full ^ subset] | tree.outputLetters());
}

bool Search::isResident(Subset subset) const {
  for (auto [number, leaf] : llvm::enumerate(tree.leaves))
    if ((subset >> number & 1) && !leaf.isResident)
      return false;
  return true;
}

bool Search::isLegal(Subset lhs, Subset rhs) const {
  if (written[lhs | rhs] == lhs || written[lhs | rhs] == rhs)
    return true;
  // A mask, and weights that are not stored, end with the first product.
  for (Subset part : {lhs, rhs})
    if (llvm::has_single_bit(part) &&
        (tree.leaves[llvm::countr_zero(part)].bound & letters[lhs | rhs]))
      return false;
  if (!request.allowWeightProducts && isResident(lhs | rhs))
    return false;
  // Scores that are not stored are a product of a query's and a key's part.
  if ((lhs | rhs) != full || !tree.key)
    return true;
  auto hasKey = [&](Subset part) { return letters[part] >> *tree.key & 1; };
  return hasKey(lhs) != hasKey(rhs);
}

Part Search::partOf(Subset subset) const {
  return llvm::has_single_bit(subset)
             ? costs.leaf(llvm::countr_zero(subset))
             : costs.made(letters[subset], subset == full);
}

double Search::cyclesOf(Subset lhs, Subset rhs) const {
  double cycles = 0;
  for (auto [at, weight] : llvm::zip_equal(sizes, weights))
    cycles += weight *
              costs.of(partOf(lhs), partOf(rhs), partOf(lhs | rhs), at).cycles;
  return cycles;
}

unsigned Search::emit(Subset subset, ProductSteps &steps) const {
  if (llvm::has_single_bit(subset))
    return llvm::countr_zero(subset);
  unsigned lhs = emit(best[subset].lhs, steps);
  unsigned rhs = emit(subset ^ best[subset].lhs, steps);
  steps.push_back({lhs, rhs, letters[subset]});
  return tree.leaves.size() + steps.size() - 1;
}

ProductSteps Search::run() {
  constexpr double sure = 1 - 1e-9; // sums in another order
  findWritten();
  findLetters();
  best.resize(full + 1);
  for (Subset subset = 1; subset <= full; ++subset) {
    if (llvm::has_single_bit(subset))
      continue;
    Best &found = best[subset];
    auto consider = [&](Subset lhs) {
      Subset rhs = subset ^ lhs;
      auto isMade = [&](Subset part) {
        return llvm::has_single_bit(part) || best[part].lhs;
      };
      if (!isMade(lhs) || !isMade(rhs) || !isLegal(lhs, rhs))
        return;
      double cycles = best[lhs].cycles + best[rhs].cycles + cyclesOf(lhs, rhs);
      if (!found.lhs || cycles < sure * found.cycles)
        found = {cycles, lhs};
    };
    if (written[subset])
      consider(written[subset]);
    Subset lowest = subset & -subset;
    for (Subset lhs = (subset - 1) & subset; lhs; lhs = (lhs - 1) & subset)
      if (lhs & lowest)
        consider(lhs);
  }
  ProductSteps steps;
  emit(full, steps);
  return steps;
}

ProductSteps attnc::findOrder(const ProductTree &tree,
                              ArrayRef<LetterSizes> sizes,
                              ArrayRef<double> weights,
                              const OrderRequest &request) {
  return Search(tree, sizes, weights, request).run();
}
