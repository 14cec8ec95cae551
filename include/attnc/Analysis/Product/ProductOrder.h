//===- ProductOrder.h - Find the cheapest association order -----*- C++ -*-===//
//
// Every order of the products of a tree is a binary tree over its leaves. An
// order costs what its products cost one after the other; a product takes as
// long as the scarcer of arithmetic and memory:
//
//   max(2 * product of all its letters' sizes / FLOPs per cycle,
//       bytes of what it reads and writes / bytes per cycle)
//
// Both are polynomials of the sizes. They are evaluated where the function is
// expected to run, nowhere else: a size that `expect` does not list may not
// decide, so an order must be better whatever it is.
//
// Tests: test/Graph/reassociate.mlir, reassociate-expect.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_PRODUCT_PRODUCTORDER_H
#define ATTNC_ANALYSIS_PRODUCT_PRODUCTORDER_H

#include "attnc/Analysis/Product/ProductTree.h"
#include "attnc/Analysis/Regime/Regimes.h"
#include "attnc/Target/Target.h"

namespace attnc {

using ProductSteps = llvm::SmallVector<ProductStep>;

/// What may be done to find a better order.
struct OrderRequest {
  const Target *target = nullptr;
  /// Whether weights may be multiplied with weights.
  bool allowWeightProducts = false;
};

/// What an order costs on one core, at each call: products of weights that
/// another function makes once cost nothing.
struct OrderCost {
  double flops = 0, bytes = 0, cycles = 0;
};

/// Values of the letters' sizes.
using LetterSizes = llvm::SmallVector<double>;
LetterSizes letterSizes(const ProductTree &tree, const Regime &regime);

OrderCost costOf(const ProductTree &tree, llvm::ArrayRef<ProductStep> steps,
                 const LetterSizes &sizes, const OrderRequest &request);

/// Trees with more leaves keep their order: all subsets are looked at.
inline constexpr unsigned kMostLeaves = 8;

/// The order with the least sum of `weights[i]` times cycles at `sizes[i]`; of
/// equals the one as written. At most kMostLeaves leaves.
ProductSteps findOrder(const ProductTree &tree,
                       llvm::ArrayRef<LetterSizes> sizes,
                       llvm::ArrayRef<double> weights,
                       const OrderRequest &request);

/// The model does not tell apart costs whose quotient is nearer to 1: then the
/// order stays as written.
inline constexpr double kOrderTie = 0.98;

/// The regime with several values for each size that it does not list.
llvm::SmallVector<Regime> varyOpenSizes(const ProductTree &tree,
                                        const Regime &regime);

/// An order at one regime.
struct RegimeOrder {
  Regime regime;
  OrderCost written, chosen;
  /// The best for this regime alone, and what it costs.
  ProductSteps bestSteps;
  OrderCost best;
};

/// One order for all regimes.
struct OrderPlan {
  ProductSteps steps;
  std::vector<RegimeOrder> regimes;
  /// False: as written, since nothing is better by more than the model can
  /// tell.
  bool isBetter = false;
  /// Why an order that is better at `expect` is not taken, or empty: the size
  /// that would decide.
  std::string undecided;
};

OrderPlan planOrder(const ProductTree &tree, llvm::ArrayRef<Regime> regimes,
                    const OrderRequest &request);

/// "(weights U) A"
std::string describeOrder(const ProductTree &tree,
                          llvm::ArrayRef<ProductStep> steps);

/// "1.25e+06": a cost as remarks tell it.
std::string scientific(double cost);

} // namespace attnc

#endif // ATTNC_ANALYSIS_PRODUCT_PRODUCTORDER_H
