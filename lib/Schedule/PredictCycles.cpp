//===- PredictCycles.cpp - Compare schedules of backends ------------------===//
//
// Tests: test/Schedule/select-backend.test
//
//===----------------------------------------------------------------------===//

#include "attnc/Schedule/PredictCycles.h"

#include "Side/SideOps.h"
#include "Strategy.h"

#include "attnc/Interface/Interface.h"
#include "attnc/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace attnc {
namespace {

/// Adds what the kernels of a function take at the sizes of `expect`. False if
/// that is not predicted.
bool addCycles(func::FuncOp function, const Interface *interface,
               const Target &target, const schedule::Strategy &strategy,
               double &sum) {
  SmallVector<Regime> regimes = getExpectedRegimes(function, interface);
  WalkResult result = function.walk([&](Operation *op) {
    auto kernel = dyn_cast<attn::KernelOp>(op);
    if (!kernel)
      return schedule::isSideOp(op) ? WalkResult::interrupt()
                                    : WalkResult::advance();
    schedule::KernelShape shape(kernel, target);
    shape.interface = interface;
    attn::ScheduleAttr chosen = kernel.getSchedule().value_or(nullptr);
    if (!chosen || !strategy.findMismatch(shape, target, chosen).empty())
      return WalkResult::interrupt();
    for (const Regime &regime : regimes) {
      RegimeRanges ranges(kernel, interface, regime);
      sum += regime.weight *
             strategy.predictCost(shape, target, chosen, ranges).total();
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

} // namespace

std::optional<double> predictCycles(ModuleOp module, const Target &target,
                                    StringRef backend) {
  auto strategies = schedule::getStrategies(target, backend);
  FailureOr<std::vector<Interface>> interfaces = getInterfaces(module);
  if (strategies.empty() || failed(interfaces))
    return std::nullopt;
  double sum = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    const Interface *interface = nullptr;
    for (const Interface &one : *interfaces)
      if (llvm::is_contained(one.bodies(), function.getName()))
        interface = &one;
    if (!addCycles(function, interface, target, *strategies.front(), sum))
      return std::nullopt;
  }
  return sum;
}

} // namespace attnc
