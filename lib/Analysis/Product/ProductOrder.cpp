//===- ProductOrder.cpp - Find the cheapest association order -------------===//
//
// Exact: the best order of each subset of leaves is made of the best orders of
// two parts. What a subset's product keeps are the letters that the other
// leaves or the result have, whichever order it is made in.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Product/ProductOrder.h"

#include "attnc/Analysis/Cost/RowBlocks.h"

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
  /// Weights or scores that are not stored, if a kernel takes the product: the
  /// axis of their keys.
  LetterSet key = 0;
  bool isPacked = false; // made before the call, or never changed
};

/// Costs of products of a tree on a target.
class StepCosts {
public:
  StepCosts(const ProductTree &tree, const OrderRequest &request)
      : tree(tree), request(request), target(*request.target) {
    SmallVector<Type> types{tree.elementType};
    bits = attn::accumulateType(types).getIntOrFloatBitWidth();
    type = bits == 64 ? DType::F64 : DType::F32;
  }

  Part leaf(unsigned number) const {
    const ProductLeaf &leaf = tree.leaves[number];
    bool isKept = isPacked(leaf.residency, request.allowWeightProducts);
    if (leaf.isStored)
      return {leaf.letters(), bytesOf(leaf.elementType()), 0, isKept};
    return {leaf.letters(), 0, leaf.bound, isKept};
  }
  Part made(LetterSet letters, bool isRoot, bool isPacked) const {
    if (!isRoot)
      return {letters, bytesOf(tree.elementType), 0, isPacked};
    Type type = getElementTypeOrSelf(tree.root.getType());
    if (tree.isStored)
      return {letters, bytesOf(type), 0, isPacked};
    return {letters, 0, LetterSet(1) << *tree.key, isPacked};
  }
  /// A product that was not written so may have no kernel to be in.
  OrderCost of(const Part &lhs, const Part &rhs, const Part &result,
               bool isWritten, const LetterSizes &sizes) const {
    OrderCost cost;
    if (result.isPacked)
      return cost;
    cost.flops = 2 * volume(lhs.letters | rhs.letters, sizes);
    for (const Part &part : {lhs, rhs, result})
      cost.bytes += part.bytesPerElement * volume(part.letters, sizes);
    cost.cycles = target.roofline(type).cycles(cost.flops, cost.bytes);
    if (!isWritten)
      addLostKernel(cost, lhs, rhs, result, sizes);
    cost.cycles =
        std::max(cost.cycles, cyclesInKernel(lhs, rhs, result, sizes));
    return cost;
  }

private:
  static double bytesOf(Type element) {
    return double(element.getIntOrFloatBitWidth()) / 8;
  }
  LetterSet findLostPairs(const Part &lhs, const Part &rhs,
                          const Part &result) const;
  void addLostKernel(OrderCost &cost, const Part &lhs, const Part &rhs,
                     const Part &result, const LetterSizes &sizes) const;
  bool hasOpenFeatures(const Part &lhs, const Part &rhs,
                       const Part &result) const;
  double cyclesInKernel(const Part &lhs, const Part &rhs, const Part &result,
                        const LetterSizes &sizes) const;

  const ProductTree &tree;
  OrderRequest request;
  const Target &target;
  unsigned bits;
  DType type; // of the sums
};
} // namespace

/// Whether a kernel has places for all axes of pairs beside the key: b, h, g
/// and q. Keys may have or lack each of the first three
/// (lib/Fusion/Kernel/KernelMatch.cpp).
static bool fitsKernel(LetterSet rows) { return llvm::popcount(rows) <= 4; }

/// The axes of scores or weights that are stored after all, since fusion cannot
/// take this product into a kernel (KernelMatch), or none.
LetterSet StepCosts::findLostPairs(const Part &lhs, const Part &rhs,
                                   const Part &result) const {
  LetterSet summed = (lhs.letters | rhs.letters) & ~result.letters;
  for (bool isLeft : {true, false}) {
    const Part &weights = isLeft ? lhs : rhs;
    if (weights.key &&
        (summed != weights.key || !fitsKernel(weights.letters & ~weights.key)))
      return weights.letters;
  }
  if (!result.key)
    return 0;
  bool isRow =
      llvm::has_single_bit(summed) && !(summed & ~(lhs.letters & rhs.letters));
  bool fits = isRow && fitsKernel(result.letters & ~result.key);
  return fits ? 0 : result.letters;
}

/// Whether a kernel would have to take rows of Q, K or V whose number of
/// features only a call knows: none is made of that (Lowering/Plan.cpp).
bool StepCosts::hasOpenFeatures(const Part &lhs, const Part &rhs,
                                const Part &result) const {
  LetterSet features = 0;
  if (lhs.key)
    features = rhs.letters & ~lhs.letters;
  else if (rhs.key)
    features = lhs.letters & ~rhs.letters;
  else if (result.key)
    features = (lhs.letters | rhs.letters) & ~result.letters;
  for (auto [letter, size] : llvm::enumerate(tree.sizes))
    if ((features >> letter & 1) && !isa<IntegerAttr>(size))
      return true;
  return false;
}

/// Scores and weights are written and read, and the normaliser goes over them
/// in memory. Measured with AVX2: 15 cycles a score more than in a kernel.
void StepCosts::addLostKernel(OrderCost &cost, const Part &lhs, const Part &rhs,
                              const Part &result,
                              const LetterSizes &sizes) const {
  constexpr double passes = 4, cyclesPerScore = 15;
  if (hasOpenFeatures(lhs, rhs, result))
    cost.cycles = std::numeric_limits<double>::infinity();
  LetterSet pairs = findLostPairs(lhs, rhs, result);
  if (!pairs)
    return;
  double scores = volume(pairs, sizes);
  SmallVector<Type> types{tree.elementType};
  cost.bytes += passes * bytesOf(attn::accumulateType(types)) * scores;
  cost.cycles += cyclesPerScore * scores;
}

/// A product of scores or of weights that a kernel takes: blocks of rows read
/// the keys again. Heads are rows of one block where the keys of both of the
/// kernel's products are those of all heads. 0 for others. Features of one of
/// the kernel's products are taken for those of the other, too.
double StepCosts::cyclesInKernel(const Part &lhs, const Part &rhs,
                                 const Part &result,
                                 const LetterSizes &sizes) const {
  for (bool isLeft : {true, false}) {
    const Part &keys = isLeft ? rhs : lhs, &rows = isLeft ? lhs : rhs;
    LetterSet key = result.key ? result.key : rows.key;
    bool isKept = !result.key && keys.key; // weights are no values
    if (!key || isKept || !(keys.letters & key) ||
        (result.key && (rows.letters & key)))
      continue;
    LetterSet pairs = result.key ? result.letters : rows.letters;
    LetterSet ofRows = pairs & ~keys.letters & ~tree.apart;
    double features = volume(keys.letters & ~pairs, sizes);
    double bytes = keys.bytesPerElement > 0 ? keys.bytesPerElement : bits / 8;
    RowBlocks blocks{&target, type, 2 * features};
    return volume(pairs & ~ofRows, sizes) *
           blocks.cyclesPerKey(volume(ofRows, sizes), features,
                               features * bytes);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Cost of an order
//===----------------------------------------------------------------------===//

namespace {
using Subset = unsigned; // of leaves
} // namespace

/// The leaves of each step's operands.
static SmallVector<std::pair<Subset, Subset>>
findOperands(const ProductTree &tree, ArrayRef<ProductStep> steps) {
  SmallVector<Subset> made;
  for (unsigned leaf = 0; leaf < tree.leaves.size(); ++leaf)
    made.push_back(1u << leaf);
  SmallVector<std::pair<Subset, Subset>> operands;
  for (const ProductStep &step : steps) {
    operands.emplace_back(made[step.lhs], made[step.rhs]);
    made.push_back(made[step.lhs] | made[step.rhs]);
  }
  return operands;
}

/// Of each step whether it is a product as written. Trees that are too large to
/// be reordered are.
static SmallVector<bool> findWrittenSteps(const ProductTree &tree,
                                          ArrayRef<ProductStep> steps) {
  SmallVector<bool> found(steps.size(), true);
  if (tree.leaves.size() > kMostLeaves)
    return found;
  auto written = findOperands(tree, tree.written);
  for (auto [step, operands] : llvm::enumerate(findOperands(tree, steps))) {
    std::pair swapped(operands.second, operands.first);
    found[step] = llvm::is_contained(written, operands) ||
                  llvm::is_contained(written, swapped);
  }
  return found;
}

OrderCost attnc::costOf(const ProductTree &tree, ArrayRef<ProductStep> steps,
                        const LetterSizes &sizes, const OrderRequest &request) {
  StepCosts costs(tree, request);
  SmallVector<Part> parts;
  for (unsigned leaf = 0; leaf < tree.leaves.size(); ++leaf)
    parts.push_back(costs.leaf(leaf));
  SmallVector<bool> written = findWrittenSteps(tree, steps);
  OrderCost total;
  for (auto [number, step] : llvm::enumerate(steps)) {
    bool isRoot = number + 1 == steps.size();
    Part lhs = parts[step.lhs], rhs = parts[step.rhs];
    parts.push_back(
        costs.made(step.result, isRoot, lhs.isPacked && rhs.isPacked));
    OrderCost one = costs.of(lhs, rhs, parts.back(), written[number], sizes);
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
class Search {
public:
  Search(const ProductTree &tree, ArrayRef<LetterSizes> sizes,
         ArrayRef<double> weights, const OrderRequest &request)
      : tree(tree), sizes(sizes), weights(weights), request(request),
        costs(tree, request), full((1u << tree.leaves.size()) - 1) {}

  ProductSteps run();

private:
  struct Best {
    double cycles = 0;
    Subset lhs = 0; // 0: a leaf, or not found yet
  };
  void findWritten();
  void findLetters();
  bool isWritten(Subset lhs, Subset rhs) const {
    return written[lhs | rhs] == lhs || written[lhs | rhs] == rhs;
  }
  bool isLegal(Subset lhs, Subset rhs) const;
  bool areAll(Subset subset, llvm::function_ref<bool(Residency)> is) const;
  bool isMadeBefore(Subset subset) const;
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
  for (auto [lhs, rhs] : findOperands(tree, tree.written))
    written[lhs | rhs] = lhs;
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

bool Search::areAll(Subset subset,
                    llvm::function_ref<bool(Residency)> is) const {
  for (auto [number, leaf] : llvm::enumerate(tree.leaves))
    if ((subset >> number & 1) && !is(leaf.residency))
      return false;
  return true;
}

bool Search::isMadeBefore(Subset subset) const {
  return areAll(subset, [&](Residency residency) {
    return isPacked(residency, request.allowWeightProducts);
  });
}

bool Search::isLegal(Subset lhs, Subset rhs) const {
  if (isWritten(lhs, rhs))
    return true;
  // A mask, and weights that are not stored, end with the first product.
  for (Subset part : {lhs, rhs})
    if (llvm::has_single_bit(part) &&
        (tree.leaves[llvm::countr_zero(part)].bound & letters[lhs | rhs]))
      return false;
  auto isWeight = [](Residency is) { return is != Residency::None; };
  if (!request.allowWeightProducts && areAll(lhs | rhs, isWeight) &&
      !isMadeBefore(lhs | rhs))
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
             : costs.made(letters[subset], subset == full,
                          isMadeBefore(subset));
}

double Search::cyclesOf(Subset lhs, Subset rhs) const {
  double cycles = 0;
  for (auto [at, weight] : llvm::zip_equal(sizes, weights))
    cycles += weight * costs
                           .of(partOf(lhs), partOf(rhs), partOf(lhs | rhs),
                               isWritten(lhs, rhs), at)
                           .cycles;
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
