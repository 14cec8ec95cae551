//===- ProductPlan.cpp - Choose one order for all regimes -----------------===//
//
// Regimes count by their weights, each relative to the best that it could have:
// a long one does not drown a short one.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Product/ProductOrder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;

static bool areEqual(ArrayRef<ProductStep> a, ArrayRef<ProductStep> b) {
  return llvm::equal(a, b, [](const ProductStep &x, const ProductStep &y) {
    return x.lhs == y.lhs && x.rhs == y.rhs;
  });
}

/// Names of sizes that `regime` does not list.
static std::vector<std::string> findOpenSizes(const ProductTree &tree,
                                              const Regime &regime) {
  std::vector<std::string> open;
  for (Attribute size : tree.sizes) {
    auto text = dyn_cast<StringAttr>(size);
    std::string error;
    auto formula =
        text ? SizeExpr::parse(text.getValue(), error) : std::nullopt;
    if (!formula)
      continue;
    for (const std::string &name : formula->sizeNames())
      if (!regime.sizes.count(name) && !llvm::is_contained(open, name))
        open.push_back(name);
  }
  return open;
}

/// What a size may be that `expect` does not list.
static constexpr int64_t kOpenValues[] = {1, 32, 1024};

/// The regime with `value` for all sizes that it does not list.
static Regime assumeOpenSizes(const ProductTree &tree, const Regime &regime,
                              int64_t value) {
  Regime assumed = regime;
  for (const std::string &name : findOpenSizes(tree, regime)) {
    assumed.sizes[name] = value;
    if (value != kOpenValues[0])
      assumed.text += ", " + name + " = " + std::to_string(value);
  }
  return assumed;
}

SmallVector<Regime> attnc::varyOpenSizes(const ProductTree &tree,
                                         const Regime &regime) {
  std::vector<std::string> open = findOpenSizes(tree, regime);
  constexpr size_t most = 3; // vary by themselves, the rest together
  SmallVector<Regime> varied{regime};
  for (size_t i = 0; i < std::min(open.size(), most); ++i) {
    SmallVector<Regime> next;
    for (const Regime &at : varied)
      for (int64_t value : kOpenValues) {
        Regime &copy = next.emplace_back(at);
        copy.sizes[open[i]] = value;
        for (size_t rest = most; i + 1 == most && rest < open.size(); ++rest)
          copy.sizes[open[rest]] = value;
      }
    varied = std::move(next);
  }
  return varied;
}

namespace {
class Planner {
public:
  Planner(const ProductTree &tree, ArrayRef<Regime> regimes,
          const OrderRequest &request)
      : tree(tree), regimes(regimes), request(request) {}
  /// The best order, if sizes that are not listed are all `open`.
  OrderPlan run(int64_t open);

private:
  OrderCost cost(ArrayRef<ProductStep> steps, const Regime &at) const {
    return costOf(tree, steps, letterSizes(tree, at), request);
  }
  /// Cycles over the best of each regime, weighted.
  double relativeCost(ArrayRef<ProductStep> steps, const OrderPlan &plan) const;
  std::string findDecidingSize(const OrderPlan &plan) const;

  const ProductTree &tree;
  ArrayRef<Regime> regimes;
  const OrderRequest &request;
};
} // namespace

double Planner::relativeCost(ArrayRef<ProductStep> steps,
                             const OrderPlan &plan) const {
  double sum = 0;
  for (const RegimeOrder &at : plan.regimes)
    sum += at.regime.weight * cost(steps, at.regime).cycles / at.best.cycles;
  return sum;
}

/// A size that `expect` does not list and that makes `steps` worse, or nothing.
std::string Planner::findDecidingSize(const OrderPlan &plan) const {
  constexpr double rounding = 1 + 1e-9;
  for (auto [regime, planned] : llvm::zip_equal(regimes, plan.regimes))
    for (const Regime &at : varyOpenSizes(tree, regime)) {
      // A regime that loses for the others' sake is another matter.
      bool isWorse = cost(plan.steps, at).cycles >
                     rounding * cost(tree.written, at).cycles;
      if (isWorse &&
          cost(plan.steps, planned.regime).cycles <= planned.written.cycles)
        return llvm::join(findOpenSizes(tree, regime), ", ");
    }
  return "";
}

OrderPlan Planner::run(int64_t open) {
  OrderPlan plan;
  SmallVector<LetterSizes> sizes;
  SmallVector<double> weights;
  for (const Regime &listed : regimes) {
    Regime regime = assumeOpenSizes(tree, listed, open);
    RegimeOrder &at = plan.regimes.emplace_back();
    at.regime = regime;
    sizes.push_back(letterSizes(tree, regime));
    at.written = cost(tree.written, regime);
    at.bestSteps = findOrder(tree, {sizes.back()}, {1.0}, request);
    at.best = cost(at.bestSteps, regime);
    weights.push_back(regime.weight / std::max(at.best.cycles, 1e-9));
  }
  plan.steps = findOrder(tree, sizes, weights, request);
  plan.isBetter = !areEqual(plan.steps, tree.written) &&
                  relativeCost(plan.steps, plan) <
                      kOrderTie * relativeCost(tree.written, plan);
  if (plan.isBetter)
    plan.undecided = findDecidingSize(plan);
  if (!plan.undecided.empty())
    plan.isBetter = false;
  if (!plan.isBetter && plan.undecided.empty())
    plan.steps = tree.written;
  for (RegimeOrder &at : plan.regimes)
    at.chosen = plan.isBetter ? cost(plan.steps, at.regime) : at.written;
  return plan;
}

OrderPlan attnc::planOrder(const ProductTree &tree, ArrayRef<Regime> regimes,
                           const OrderRequest &request) {
  Planner planner(tree, regimes, request);
  OrderPlan first = planner.run(kOpenValues[0]);
  if (first.isBetter || !first.undecided.empty())
    return first;
  for (int64_t open : ArrayRef(kOpenValues).drop_front())
    if (OrderPlan plan = planner.run(open);
        plan.isBetter || !plan.undecided.empty())
      return plan;
  return first;
}

static std::string describe(const ProductTree &tree,
                            ArrayRef<ProductStep> steps, unsigned number,
                            bool isInner) {
  if (number < tree.leaves.size())
    return tree.leaves[number].name;
  const ProductStep &step = steps[number - tree.leaves.size()];
  std::string text = describe(tree, steps, step.lhs, true) + " " +
                     describe(tree, steps, step.rhs, true);
  return isInner ? "(" + text + ")" : text;
}

std::string attnc::describeOrder(const ProductTree &tree,
                                 ArrayRef<ProductStep> steps) {
  return describe(tree, steps, tree.leaves.size() + steps.size() - 1, false);
}

std::string attnc::scientific(double cost) {
  return llvm::formatv("{0:e2}", cost);
}
