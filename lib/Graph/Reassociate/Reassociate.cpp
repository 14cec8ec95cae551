//===- Reassociate.cpp - Reassociate matrix products ----------------------===//
//
// Which of two products comes first is not said by the mathematics, and the
// order that is easy to write is often not the cheapest. Low-rank values, for
// example, need not be made for each key:
//
//   %v = attn.contract "bkr,re->bke" (%U, %A)
//   %o = attn.contract "bqk,bke->bqe" (%p, %v)
// becomes, where queries are few,
//   %u = attn.contract "bqk,bkr->bqr" (%p, %U)
//   %o = attn.contract "bqr,re->bqe" (%u, %A)
//
// Nothing here knows what a projection, an output matrix or a latent cache is:
// trees of products are flattened (ProductTree), all orders are compared by
// their costs where the function is expected to run (ProductOrder), and a tie
// leaves the order as written. Products of weights with weights change what a
// caller can expect of rounding, and are best made once; they need permission.
//
// Tests: test/Graph/reassociate*.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Graph/Passes.h"

#include "Distribute/DistributeTerms.h"
#include "Reassociate/ReassociateFunction.h"
#include "Reassociate/ReassociateRewrite.h"
#include "Reassociate/ReassociateSums.h"
#include "Slices/SlicedProducts.h"

#include "attnc/Interface/Remark.h"
#include "attnc/Target/NeutralTarget.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace attnc;

namespace attnc::graph {
#define GEN_PASS_DEF_REASSOCIATE
#include "attnc/Graph/Passes.h.inc"
} // namespace attnc::graph

static std::string describe(const OrderCost &cost) {
  return scientific(cost.flops) + " FLOPs, " + scientific(cost.bytes) +
         " bytes, " + scientific(cost.cycles) + " cycles";
}

/// One order serves all regimes; who needs more writes a function for each.
static void explainLoss(attn::ContractOp root, const Regime &at,
                        const OrderCost &chosen, const OrderCost &best,
                        const std::string &order) {
  constexpr double loss = 1.1;
  if (chosen.cycles > loss * best.cycles)
    remarkOn(root)
        << "at " << at.text << " alone " << order << " takes "
        << scientific(best.cycles) << " cycles instead of "
        << scientific(chosen.cycles)
        << "; a function that expects only these sizes would use it [order]";
}

/// Both orders at each regime.
static void explain(const ProductTree &tree, const OrderPlan &plan) {
  for (const RegimeOrder &at : plan.regimes) {
    InFlightDiagnostic remark = remarkOn(tree.root);
    bool isKept = !plan.isBetter;
    ArrayRef<ProductStep> other = isKept ? at.bestSteps : plan.steps;
    const OrderCost &cost = isKept ? at.best : at.chosen;
    remark << "product of " << tree.leaves.size() << " factors at "
           << at.regime.text << ": " << describeOrder(tree, tree.written)
           << ", in the order as written, takes " << describe(at.written);
    std::string best = describeOrder(tree, other);
    if (best != describeOrder(tree, tree.written))
      remark << "; " << best << " " << describe(cost);
    remark << (isKept ? "; unchanged" : "; reordered") << " [order]";
  }
  for (const RegimeOrder &at : plan.regimes)
    if (plan.undecided.empty())
      explainLoss(tree.root, at.regime, at.chosen, at.best,
                  describeOrder(tree, at.bestSteps));
  if (!plan.undecided.empty())
    remarkOn(tree.root) << describeOrder(tree, plan.steps)
                        << " would be cheaper at expect, but not at every "
                        << plan.undecided
                        << ", which expect does not list; unchanged [order]";
}

/// What products of weights would save.
static void explainWeights(const ProductTree &tree, ArrayRef<Regime> regimes,
                           const OrderPlan &plan, OrderRequest request) {
  request.allowWeightProducts = true;
  OrderPlan allowed = planOrder(tree, regimes, request);
  if (!allowed.isBetter)
    return;
  for (auto [with, without] : llvm::zip_equal(allowed.regimes, plan.regimes))
    if (with.chosen.cycles < without.chosen.cycles)
      remarkOn(tree.root)
          << describeOrder(tree, allowed.steps)
          << " multiplies weights with weights, which changes rounding; with "
             "--allow-weight-products or resident weights it takes "
          << describe(with.chosen) << " instead of "
          << scientific(without.chosen.cycles) << " at " << with.regime.text
          << " [order]";
}

static void explain(attn::ContractOp root, const graph::ProductSum &sum,
                    ArrayRef<Regime> regimes, const OrderRequest &request) {
  for (const Regime &at : regimes) {
    InFlightDiagnostic remark = remarkOn(root);
    remark << "sum of products at " << at.text << ": " << sum.describeWritten()
           << ", in the order as written, takes "
           << describe(sum.writtenAt(at));
    if (sum.isBetter())
      remark << "; " << sum.describeChosen() << " "
             << describe(sum.chosenAt(at));
    remark << (sum.isBetter() ? "; reordered" : "; unchanged") << " [order]";
  }
  for (const Regime &at : regimes) {
    graph::ProductSum alone = sum;
    alone.plan(at, request);
    explainLoss(root, at, sum.chosenAt(at), alone.chosenAt(at),
                alone.describeChosen());
  }
}

namespace {
struct Reassociate final : graph::impl::ReassociateBase<Reassociate> {
  using ReassociateBase::ReassociateBase;

  void runOnOperation() override;
};
} // namespace

static void reassociate(const ProductTree &tree, ArrayRef<Regime> regimes,
                        const OrderRequest &request, bool explains) {
  if (tree.leaves.size() > kMostLeaves || !graph::canRewrite(tree)) {
    if (explains)
      remarkOn(tree.root)
          << "product of " << tree.leaves.size() << ", more than "
          << kMostLeaves
          << " or with more axes than letters: order unchanged [order]";
    return;
  }
  OrderPlan plan = planOrder(tree, regimes, request);
  if (explains) {
    explain(tree, plan);
    if (!request.allowWeightProducts)
      explainWeights(tree, regimes, plan, request);
  }
  if (plan.isBetter)
    graph::rewriteProducts(tree, plan.steps,
                           letterSizes(tree, regimes.front()));
}

static void reassociate(attn::ContractOp root, graph::ProductSum &sum,
                        ArrayRef<Regime> regimes, const OrderRequest &request,
                        bool explains) {
  sum.plan(regimes, request);
  if (explains)
    explain(root, sum, regimes, request);
  if (sum.isBetter())
    sum.rejoin(regimes);
  else
    sum.discard();
}

/// Of a sum that was put together anew, what it was made of.
static void orderProducts(func::FuncOp function, ArrayRef<Regime> regimes,
                          const OrderRequest &request, bool explains) {
  graph::SlicedProducts sliced(function);
  SmallVector<attn::ContractOp> products(function.getOps<attn::ContractOp>());
  llvm::SmallPtrSet<Operation *, 16> inner;
  // From the results up: a product that another one contains is no root.
  for (attn::ContractOp root : llvm::reverse(products)) {
    if (inner.contains(root) || sliced.settle(root))
      continue;
    if (auto sum = graph::ProductSum::distribute(root)) {
      for (const ProductTree &tree : sum->getTrees())
        inner.insert(tree.ops.begin(), tree.ops.end());
      reassociate(root, *sum, regimes, request, explains);
      continue;
    }
    std::optional<ProductTree> tree = flattenProducts(root);
    if (!tree)
      continue;
    inner.insert(tree->ops.begin(), tree->ops.end());
    if (tree->leaves.size() > 2)
      reassociate(*tree, regimes, request, explains);
  }
  graph::eraseDeadOps(function);
}

void graph::reassociateProducts(func::FuncOp function, ArrayRef<Regime> regimes,
                                const OrderRequest &request) {
  auto order = [&](func::FuncOp copy) {
    orderProducts(copy, regimes, request, false);
  };
  bool isDistributed = distributeTerms(function, regimes, request, order);
  orderProducts(function, regimes, request, true);
  if (isDistributed)
    mergeRepeatedOps(function);
}

void Reassociate::runOnOperation() {
  if (!(ridge > 0)) {
    emitError(getOperation().getLoc()) << "the ridge must be positive";
    return signalPassFailure();
  }
  NeutralTarget machine(ridge);
  graph::reassociateProducts(getOperation(),
                             getRegimes(getOperation(), nullptr),
                             {&machine.get(), weightProducts});
}
