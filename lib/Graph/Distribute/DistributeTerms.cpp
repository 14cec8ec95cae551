//===- DistributeTerms.cpp - Distribute biases between products -----------===//
//
// See DistributeTerms.h. Each way is tried on a copy of the function, in a
// module of its own: the pass may touch nothing but its function.
//
//===----------------------------------------------------------------------===//

#include "Distribute/DistributeTerms.h"

#include "Distribute/PushTerms.h"
#include "Slices/SlicedSums.h"

#include "attnc/Analysis/Cost/FunctionCost.h"
#include "attnc/Interface/Remark.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Transforms/CSE.h"

#include <cmath>
#include <memory>

using namespace mlir;
using namespace attnc;
using namespace attnc::graph;

namespace {
/// A copy of a function beside the interface of its module.
class Copy {
public:
  explicit Copy(func::FuncOp source)
      : module(ModuleOp::create(source.getLoc())) {
    if (auto parent = source->getParentOfType<ModuleOp>())
      (*module)->setAttrs(parent->getAttrDictionary());
    OpBuilder b = OpBuilder::atBlockBegin(module->getBody());
    function = cast<func::FuncOp>(b.clone(*source));
  }
  func::FuncOp function;

private:
  OwningOpRef<ModuleOp> module;
};

/// A way to write the function, and what its products cost in their best order.
class Way {
public:
  Way(Copy &&written, const OrderRequest &request, OrderProducts order);
  double cyclesAt(const Regime &at) const { return cost->cyclesAt(at); }
  /// How much of the other's cost this one's is; at least 1 where a size that
  /// is not expected would decide.
  double compare(const Way &other, ArrayRef<Regime> regimes) const;

  Copy written;

private:
  Copy ordered;
  std::unique_ptr<FunctionCost> cost; // of `ordered`
};
} // namespace

void graph::eraseDeadOps(func::FuncOp function) {
  for (Block &block : function.getBody())
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
}

void graph::mergeRepeatedOps(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, function);
}

Way::Way(Copy &&given, const OrderRequest &request, OrderProducts order)
    : written(std::move(given)), ordered(written.function) {
  order(ordered.function);
  mergeRepeatedOps(ordered.function);
  cost = std::make_unique<FunctionCost>(ordered.function, request);
}

double Way::compare(const Way &other, ArrayRef<Regime> regimes) const {
  double sum = 0, weights = 0;
  for (const Regime &regime : regimes) {
    sum += regime.weight * cyclesAt(regime) / other.cyclesAt(regime);
    weights += regime.weight;
    for (const Regime &at : other.cost->varyOpenSizes(regime))
      if (kOrderTie * cyclesAt(at) > other.cyclesAt(at))
        return std::max(1.0, sum / weights);
  }
  return sum / weights;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// Pushes the terms of one of the sums of a function behind so many products,
/// if that is possible.
static std::optional<Copy> push(func::FuncOp function, size_t which,
                                size_t products) {
  Copy copy(function);
  if (failed(pushTerms(findSums(copy.function)[which].map, products)))
    return std::nullopt;
  eraseDeadOps(copy.function);
  return copy;
}

/// Pushes all of them, those that terms are multiplied by included.
static std::optional<Copy> pushAll(func::FuncOp function) {
  constexpr int most = 16;
  std::optional<Copy> all;
  size_t kept = 0; // those that cannot be pushed, which stand first
  for (int i = 0; i < most; ++i) {
    func::FuncOp now = all ? all->function : function;
    SmallVector<Sum> sums = findSums(now);
    if (kept >= sums.size())
      break;
    if (std::optional<Copy> next = push(now, kept, sums[kept].products))
      all = std::move(next);
    else
      ++kept;
  }
  return all;
}

static void explain(func::FuncOp function, ArrayRef<Regime> regimes,
                    const Way &before, const Way &after, bool isBetter) {
  for (const Regime &at : regimes)
    remarkOn(function) << "at " << at.text << ": products take "
                       << scientific(before.cyclesAt(at))
                       << " cycles with biases added to rows, "
                       << scientific(after.cyclesAt(at))
                       << " with separate products for biases"
                       << (isBetter ? "; distributed" : "; unchanged")
                       << " [order]";
}

bool graph::distributeTerms(func::FuncOp function, ArrayRef<Regime> regimes,
                            const OrderRequest &request, OrderProducts order) {
  constexpr size_t most = 8; // sums that are tried alone
  // Sums of which pieces are read have none behind them until they are apart.
  Copy apart(function);
  takeSumsApart(apart.function);
  if (findSums(apart.function).empty())
    return false;
  Way before(Copy(function), request, order);
  std::unique_ptr<Way> best;
  double least = HUGE_VAL;
  auto consider = [&](std::optional<Copy> copy) {
    if (!copy)
      return false;
    auto way = std::make_unique<Way>(std::move(*copy), request, order);
    double share = way->compare(before, regimes);
    if (share >= kOrderTie * least)
      return false;
    least = share;
    best = std::move(way);
    return true;
  };
  // One after the other, while that helps.
  for (bool isBetter = true; isBetter;) {
    isBetter = false;
    bool isFirst = !best;
    Copy now(isFirst ? apart.function : best->written.function);
    SmallVector<Sum> sums = findSums(now.function);
    for (size_t i = 0; i < std::min(most, sums.size()); ++i)
      for (size_t products = 1; products <= sums[i].products; ++products)
        isBetter |= consider(push(now.function, i, products));
  }
  consider(pushAll(apart.function));
  if (!best)
    return false;
  bool isBetter = least < kOrderTie;
  explain(function, regimes, before, *best, isBetter);
  if (isBetter)
    function.getBody().takeBody(best->written.function.getBody());
  return isBetter;
}
