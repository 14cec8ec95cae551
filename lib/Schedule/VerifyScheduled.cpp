//===- VerifyScheduled.cpp - Verify the invariants of stage scheduled -----===//
//
// The schedule of a dump may have been edited. What cannot be compiled well is
// refused here, by name and with what is legal, and not by spilled registers.
// Tests: test/Schedule/verify-scheduled.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Schedule/Passes.h"

#include "MergeSums.h"
#include "Side/SideAxes.h"
#include "Side/SideOps.h"
#include "Strategy.h"
#include "VisitedBlocks.h"

#include "attnc/Analysis/Kernel/GroupedRows.h"
#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/Cases.h"
#include "attnc/Dialect/Attn/InProduct.h"
#include "attnc/Dialect/Attn/Panels.h"
#include "attnc/Dialect/Attn/StoredView.h"
#include "attnc/Interface/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;

namespace attnc::schedule {
#define GEN_PASS_DEF_VERIFYSCHEDULED
#include "attnc/Schedule/Passes.h.inc"
} // namespace attnc::schedule

/// Those of the backend that a schedule is for; all if there are none.
static SmallVector<const Strategy *> strategiesOf(const Target &target,
                                                  StringRef backend) {
  SmallVector<const Strategy *> own = getStrategies(target, backend);
  return own.empty() ? getStrategies(target) : own;
}

static LogicalResult verifyKernel(attn::KernelOp kernel, const Target &target) {
  std::optional<attn::ScheduleAttr> attr = kernel.getSchedule();
  if (!attr) // verify_scheduled_c2
    return kernel.emitOpError("has no schedule; run attn-select-schedule");
  std::optional<MergedKernel> merged;
  if (attr->getRowAxes() == attn::RowAxes::GQ) {
    if (StringRef why = whyNotGrouped(kernel); !why.empty()) // c18
      return kernel.emitOpError("has an illegal schedule: row_axes = gq does "
                                "not apply, because ")
             << why;
    merged.emplace(kernel);
  }
  KernelShape shape(merged ? merged->get() : kernel, target);
  std::string mismatch;
  for (const Strategy *strategy :
       strategiesOf(target, attr->getTarget().getBackend())) {
    std::string why = strategy->findMismatch(shape, target, *attr); // c2, c3
    if (why.empty() && merged &&                                    // c18
        strategy->findRowAxes(target, "") == attn::RowAxes::Q)
      why = "has row_axes = gq, which backend '" + strategy->backend().str() +
            "' does not support";
    if (why.empty()) {
      std::string problem = // c4 to c8, c10, c12
          strategy->findProblem(shape, target, *attr);
      if (problem.empty())
        problem = findProblem(kernel, *attr); // c14
      if (problem.empty())
        return success();
      return kernel.emitOpError() << "has an illegal schedule: " << problem;
    }
    if (mismatch.empty())
      mismatch = why;
  }
  return kernel.emitOpError() << mismatch;
}

/// verify_scheduled_c2: the backend of the first op with a schedule, if another
/// op has one of another backend.
static LogicalResult verifyOneBackend(ModuleOp module) {
  tile::TargetAttrInterface first;
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    tile::TargetAttrInterface target;
    if (auto kernel = dyn_cast<attn::KernelOp>(op); kernel)
      target = kernel.getSchedule()->getTarget();
    else if (attn::BlockAttr block = attn::BlockAttr::of(op))
      target = block.getTarget();
    if (!target)
      return success();
    if (!first)
      first = target;
    if (first.getBackend() == target.getBackend())
      return success();
    return op->emitOpError()
           << "is scheduled for backend '" << target.getBackend()
           << "', other ops for '" << first.getBackend() << "'";
  });
  return failure(result.wasInterrupted());
}

/// verify_scheduled_c21: what is wrong with the cases of an op, or an empty
/// text.
static std::string findCasesProblem(Operation *op, attn::BlockAttr block,
                                    const Strategy &strategy,
                                    const Target &target) {
  if (std::string problem = attn::findCasesProblem(op); !problem.empty())
    return problem;
  SmallVector<attn::CaseAttr> cases = attn::casesOf(op);
  if (!cases.empty() && !strategy.obeysCases())
    return "backend '" + strategy.backend().str() +
           "' does not support them; remove them";
  SideAxes axes = SideAxes::of(op);
  for (auto [number, own] : llvm::enumerate(cases)) {
    std::string place = "case " + std::to_string(number) + ": ";
    char axis = own.getAxis()[0];
    if (!StringRef(axes.result).contains(axis))
      return llvm::formatv("{0}'{1}' is not an axis of the result '{2}'", place,
                           axis, axes.result);
    if (axes.sizeOf(axis) < SideAxes::kOpen)
      return llvm::formatv("{0}'{1}' has {2} elements in each call", place,
                           axis, axes.sizeOf(axis));
    if (own.getBlock().getTarget().getBackend() !=
        block.getTarget().getBackend())
      return place + "its target is not of the backend of attn.block";
    if (std::string problem = strategy.findProblem(op, own.getBlock(), target);
        !problem.empty())
      return place + problem;
  }
  return {};
}

/// verify_scheduled_c9, verify_scheduled_c11
static LogicalResult verifySideOp(Operation *op, const Target &target,
                                  const VisitedRowsOf &visited) {
  attn::BlockAttr block = attn::BlockAttr::of(op);
  if (!block)
    return op->emitOpError("has no attn.block; run attn-select-schedule");
  const Strategy *strategy =
      strategiesOf(target, block.getTarget().getBackend()).front();
  std::string problem = strategy->findProblem(op, block, target);
  if (!problem.empty())
    return op->emitOpError() << "has an illegal attn.block: " << problem;
  std::string letter = findVisited(op, block, visited);
  if (!block.getVisited().empty() && block.getVisited() != letter) {
    InFlightDiagnostic error = op->emitOpError()
                               << "has an illegal attn.block: visited = '"
                               << block.getVisited() << "', but ";
    return letter.empty()
               ? error << "all of its rows may be read; remove it"
               : error << "kernels visit rows along '" << letter << "'";
  }
  problem = findCasesProblem(op, block, *strategy, target);
  if (!problem.empty())
    return op->emitOpError()
           << "has illegal " << attn::kCases << ": " << problem;
  return success();
}

/// The backend whose schedule or block an op has, or an empty text.
static StringRef backendOf(Operation *op) {
  if (auto kernel = dyn_cast<attn::KernelOp>(op))
    return kernel.getSchedule() ? kernel.getSchedule()->getTarget().getBackend()
                                : "";
  attn::BlockAttr block = attn::BlockAttr::of(op);
  return block ? block.getTarget().getBackend() : "";
}

/// verify_scheduled_c19
static LogicalResult verifyConversion(attn::MapOp map, const Target &target) {
  if (!map->hasAttr(kConvertOnLoad))
    return success();
  if (!isConversionOnLoad(map))
    return map.emitOpError("has ")
           << kConvertOnLoad
           << ", but is no conversion of 8-bit integers to floats that only "
              "kernels and products read";
  for (Operation *user : map->getUsers()) {
    StringRef backend = backendOf(user);
    attn::BlockAttr block = attn::BlockAttr::of(user);
    if (block && block.getForm() != attn::BlockForm::Dot)
      return map.emitOpError("has ")
             << kConvertOnLoad << ", but a product of form "
             << stringifyBlockForm(block.getForm()) << " reads it";
    for (const Strategy *strategy : strategiesOf(target, backend))
      if (!backend.empty() && !strategy->convertsOnLoad())
        return map.emitOpError("has ")
               << kConvertOnLoad << ", which backend '" << strategy->backend()
               << "' does not support";
  }
  return success();
}

/// verify_scheduled_c20
static LogicalResult verifyPlace(Operation *op, const Target &target) {
  if (!op->hasAttr(attn::kInProduct))
    return success();
  std::string problem;
  for (const Strategy *strategy : getStrategies(target)) {
    std::string why = strategy->findPlaceProblem(op, target);
    if (why.empty())
      return success();
    if (problem.empty()) // of the preferred one
      problem = why;
  }
  return op->emitOpError("has ") << attn::kInProduct << ", but " << problem;
}

/// verify_scheduled_c23
static LogicalResult verifyStored(attn::ViewOp view, const Target &target) {
  if (!attn::isStoredView(view))
    return success();
  std::string problem = findStoredProblem(view);
  attn::KernelOp kernel = sourceOfViews(view).getDefiningOp<attn::KernelOp>();
  if (problem.empty() &&
      llvm::none_of(strategiesOf(target, backendOf(kernel)),
                    [](const Strategy *own) { return own->mergesSums(); }))
    problem = "the backend does not support it; remove the attribute";
  if (problem.empty())
    return success();
  return view.emitOpError("has ") << attn::kStored << ", but " << problem;
}

/// verify_scheduled_c25
static LogicalResult verifyPanels(attn::ViewOp view, const Target &target) {
  if (!attn::isPanelView(view))
    return success();
  std::string problem = attn::findPanelsProblem(view);
  if (problem.empty() &&
      llvm::none_of(getStrategies(target), [&](const Strategy *own) {
        return own->readsPanels(target);
      }))
    problem = target.name.str() + " has no unit that reads them";
  if (problem.empty())
    return success();
  return view.emitOpError("has ") << attn::kPanels << ", but " << problem;
}

namespace {
struct VerifyScheduled final
    : attnc::schedule::impl::VerifyScheduledBase<VerifyScheduled> {
  void runOnOperation() override {
    auto name = getOperation()->getAttrOfType<StringAttr>(kTargetAttr);
    const Target *target = name ? lookupTarget(name) : nullptr;
    if (!target) { // verify_scheduled_c1
      InFlightDiagnostic error = emitError(getOperation().getLoc());
      error << "stage scheduled needs the module attribute attnc.target, one "
               "of "
            << listTargetNames();
      if (name)
        error << "; got '" << name.getValue() << "'";
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      VisitedRowsOf visited(function);
      WalkResult result = function.walk([&](Operation *op) {
        if (auto kernel = dyn_cast<attn::KernelOp>(op))
          return WalkResult(verifyKernel(kernel, *target));
        if (auto map = dyn_cast<attn::MapOp>(op))
          if (failed(verifyConversion(map, *target)))
            return WalkResult::interrupt();
        if (auto view = dyn_cast<attn::ViewOp>(op))
          return failed(verifyStored(view, *target)) ||
                         failed(verifyPanels(view, *target))
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        if (failed(verifyPlace(op, *target)))
          return WalkResult::interrupt();
        return WalkResult(isSideOp(op) ? verifySideOp(op, *target, visited)
                                       : success());
      });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
    if (failed(verifyOneBackend(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
