//===- SplitRegimes.cpp - Specialize functions by regime ------------------===//
//
// For one query the heads' matrices of a latent cache are best moved to the
// query, for many queries keys and values are best made for each head. Where no
// order of products is good at all sizes of `expect`, the function is copied,
// and the call takes the copy that its sizes ask for:
//
//   func.func @f(...) attributes {attnc.expect = [{query_len = 1, ...},
//                                                 {query_len = 4096, ...}]}
// becomes
//   func.func @f.case0(...) attributes {attnc.expect = [{query_len = 1, ...}]}
//   func.func @f(...) attributes {attnc.expect = [{query_len = 4096, ...}]}
// and the interface says `cases = ["query_len <= 170"]`.
//
// From here on the copies are functions like others: each pass chooses for the
// sizes that are left in `attnc.expect`.
//
// Tests: test/Graph/split-regimes.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Graph/Passes.h"

#include "Reassociate/ReassociateFunction.h"

#include "attnc/Analysis/Cost/FunctionCost.h"
#include "attnc/Analysis/Regime/RegimeCopies.h"
#include "attnc/Target/NeutralTarget.h"

using namespace mlir;
using namespace attnc;

namespace attnc::graph {
#define GEN_PASS_DEF_SPLITREGIMES
#include "attnc/Graph/Passes.h.inc"
} // namespace attnc::graph

//===----------------------------------------------------------------------===//
// Trying
//===----------------------------------------------------------------------===//

namespace {
/// Copies of a function, each in the best order for some of the regimes. Orders
/// that are best for several regimes are stored once: each is compared at all
/// regimes, which would be quadratic.
class Trials {
public:
  Trials(func::FuncOp function, OrderRequest request)
      : function(function), request(request) {}
  ~Trials() {
    for (func::FuncOp copy : copies)
      copy.erase();
  }
  void add(ArrayRef<Regime> regimes);
  double cyclesAt(unsigned trial, const Regime &at) const {
    return costs[trial].cyclesAt(at);
  }
  unsigned count() const { return costs.size(); }

private:
  func::FuncOp function;
  OrderRequest request;
  SmallVector<func::FuncOp> copies;
  std::vector<FunctionCost> costs;
};
} // namespace

void Trials::add(ArrayRef<Regime> regimes) {
  // In the module, whose interface tells which tensors are weights.
  OpBuilder b(function);
  auto copy = cast<func::FuncOp>(b.clone(*function));
  copy.setName((function.getName() + ".trial").str());
  // What an order costs is told when it is taken.
  ScopedDiagnosticHandler silence(
      function.getContext(), [](Diagnostic &diagnostic) {
        return success(diagnostic.getSeverity() == DiagnosticSeverity::Remark);
      });
  graph::reassociateProducts(copy, regimes, request);
  auto isEqual = [&](func::FuncOp known) {
    return OperationEquivalence::isRegionEquivalentTo(
        &copy.getBody(), &known.getBody(),
        OperationEquivalence::Flags::IgnoreLocations);
  };
  if (llvm::any_of(copies, isEqual))
    return copy.erase();
  copies.push_back(copy);
  costs.emplace_back(copy, request);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct SplitRegimes final : graph::impl::SplitRegimesBase<SplitRegimes> {
  using SplitRegimesBase::SplitRegimesBase;
  void runOnOperation() override;

private:
  std::optional<RegimeSplit> plan(func::FuncOp function, OrderRequest request);
};
} // namespace

/// What each case saves, and what one function for all sizes would take.
static void explain(func::FuncOp function, const Trials &trials,
                    ArrayRef<Regime> regimes, ArrayRef<unsigned> wayOf,
                    const WayCases &found) {
  for (auto [at, way] : llvm::zip_equal(regimes, wayOf)) {
    function.emitRemark() << "at " << at.text << ": products take "
                          << scientific(trials.cyclesAt(way, at))
                          << " cycles in a separate order, used by calls "
                          << describeCase(found, way) << ", instead of "
                          << scientific(trials.cyclesAt(0, at))
                          << " in a single order for all sizes [order]";
  }
}

std::optional<RegimeSplit> SplitRegimes::plan(func::FuncOp function,
                                              OrderRequest request) {
  SmallVector<Regime> regimes = getRegimes(function, nullptr);
  if (regimes.size() < 2 ||
      llvm::range_size(function.getOps<attn::ContractOp>()) < 2)
    return std::nullopt;
  Trials trials(function, request);
  trials.add(regimes); // the first: one order for all
  for (const Regime &alone : regimes)
    trials.add(alone);
  auto cost = [&](unsigned way, const Regime &at) {
    return trials.cyclesAt(way, at);
  };
  SmallVector<unsigned> wayOf = assignWays(regimes, trials.count(), cost);
  std::optional<WayCases> found = findCases(regimes, wayOf, cost);
  if (!found || !isWorthCopies(*found))
    return std::nullopt;
  explain(function, trials, regimes, wayOf, *found);
  return groupRegimes(wayOf, *found);
}

void SplitRegimes::runOnOperation() {
  if (!(ridge > 0)) {
    emitError(getOperation().getLoc()) << "the ridge must be positive";
    return signalPassFailure();
  }
  NeutralTarget machine(ridge);
  if (failed(splitFunctions(getOperation(), [&](func::FuncOp function) {
        return plan(function, {&machine.get(), weightProducts});
      })))
    signalPassFailure();
}
