//===- SplitGroups.cpp - Specialize functions by GQA packing --------------===//
//
// With one query the heads of a group are best rows of one block, with a
// thousand they fill blocks one by one. Where neither is
// good at all sizes of `attnc.expect`, the function is copied, and the call
// takes the copy that its sizes ask for:
//
//   func.func @f(...) attributes {attnc.expect = [{query_len = 1, ...},
//                                                 {query_len = 1024, ...}]}
// becomes
//   func.func @f.case0(...) attributes {attnc.expect = [{query_len = 1, ...},
//                                                       {query_len = 31, ...}]}
//   func.func @f(...) attributes {attnc.expect = [{query_len = 1024, ...}]}
// and the interface says `cases = ["query_len <= 31"]`. attn-select-schedule
// does the rest. What the function does beside the kernels counts, too: where a
// layer spends its time in projections, one copy will do.
//
// Tests: test/Fusion/split-groups.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "attnc/Analysis/Cost/FunctionCost.h"
#include "attnc/Analysis/Kernel/GroupedRows.h"
#include "attnc/Analysis/Regime/RegimeCopies.h"
#include "attnc/Target/NeutralTarget.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

namespace attnc::fusion {
#define GEN_PASS_DEF_SPLITGROUPS
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

static std::optional<RegimeSplit> plan(func::FuncOp function,
                                       const Target &target) {
  SmallVector<attn::KernelOp> kernels;
  function.walk([&](attn::KernelOp kernel) {
    if (groupOf(kernel) > 1 && whyNotGrouped(kernel, /*mayStore=*/true).empty())
      kernels.push_back(kernel);
  });
  SmallVector<Regime> regimes = getRegimes(function, nullptr);
  if (kernels.empty() || regimes.size() < 2)
    return std::nullopt;
  FunctionCost beside(function, {&target, /*allowWeightProducts=*/false});
  auto cost = [&](unsigned way, const Regime &at) {
    double cycles = beside.cyclesAt(at);
    for (attn::KernelOp kernel : kernels)
      cycles += groupCycles(kernel, /*areRows=*/way == 1, at, target);
    return cycles;
  };
  SmallVector<unsigned> wayOf = assignWays(regimes, 2, cost);
  std::optional<WayCases> found = findCases(regimes, wayOf, cost);
  if (!found || !isWorthCopies(*found))
    return std::nullopt;
  for (auto [at, way] : llvm::zip_equal(regimes, wayOf))
    function.emitRemark() << "at " << at.text << ": heads of a group "
                          << (way ? "packed into rows" : "not packed")
                          << ", used by calls " << describeCase(*found, way)
                          << ", cost " << scientific(cost(way, at))
                          << " cycles instead of "
                          << scientific(cost(1 - way, at)) << " [fused]";
  return groupRegimes(wayOf, *found);
}

namespace {
struct SplitGroups final : fusion::impl::SplitGroupsBase<SplitGroups> {
  using SplitGroupsBase::SplitGroupsBase;

  void runOnOperation() override {
    if (failed(splitFunctions(getOperation(), [&](func::FuncOp function) {
          return plan(function, getNeutralRows());
        })))
      signalPassFailure();
  }
};
} // namespace
