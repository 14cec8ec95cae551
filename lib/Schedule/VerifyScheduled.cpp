//===- VerifyScheduled.cpp - Verify the invariants of stage scheduled -----===//
//
// The schedule of a dump may have been edited. What cannot be compiled well is
// refused here, by name and with what is legal, and not by spilled registers.
// Tests: test/Schedule/verify-scheduled.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Schedule/Passes.h"

#include "CpuSchedule.h"
#include "SideOps.h"
#include "VisitedBlocks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;

namespace attnc::schedule {
#define GEN_PASS_DEF_VERIFYSCHEDULED
#include "attnc/Schedule/Passes.h.inc"
} // namespace attnc::schedule

static CpuSchedule readSchedule(attn::ScheduleAttr attr, tile::CpuAttr cpu) {
  CpuSchedule s;
  s.form = attr.getForm();
  s.q = attr.getQ();
  s.k = attr.getK();
  s.chunk = attr.getChunk();
  s.rescaleThreshold = attr.getRescaleThreshold().convertToDouble();
  s.rescaleIn = attr.getRescaleIn();
  s.score = {cpu.getScoreGranule()[0], cpu.getScoreGranule()[1]};
  s.value = {cpu.getValueGranule()[0], cpu.getValueGranule()[1]};
  s.unroll = cpu.getUnroll();
  s.tail = cpu.getTail();
  s.partial = cpu.getPartial();
  s.laneSkip = cpu.getLaneSkip();
  s.pack = cpu.getPack();
  return s;
}

static LogicalResult verifyKernel(attn::KernelOp kernel, const Target &target) {
  std::optional<attn::ScheduleAttr> attr = kernel.getSchedule();
  if (!attr) // verify_scheduled_c2
    return kernel.emitOpError("has no schedule; run attn-select-schedule");
  auto cpu = dyn_cast<tile::CpuAttr>(attr->getTarget());
  if (!cpu) // verify_scheduled_c2
    return kernel.emitOpError() << "has a schedule for " << attr->getTarget()
                                << ", expected #tile.cpu<...>";
  KernelShape shape(kernel, target);
  StringRef isa = tile::stringifyCpuIsa(cpu.getIsa());
  if (isa != target.cpu.isa) // verify_scheduled_c3
    return kernel.emitOpError() << "is scheduled for isa = " << isa << ", but "
                                << target.name << " has " << target.cpu.isa;
  if (cpu.getLanes() != shape.lanes(target)) // verify_scheduled_c3
    return kernel.emitOpError()
           << "is scheduled for lanes = " << cpu.getLanes() << ", but "
           << target.name << " has " << shape.lanes(target) << " of "
           << shape.accumulateBits << " bits";
  std::string problem =
      findProblem(shape, target, readSchedule(*attr, cpu)); // c4 to c8, c10
  if (!problem.empty())
    return kernel.emitOpError() << "has an illegal schedule: " << problem;
  return success();
}

/// verify_scheduled_c9, verify_scheduled_c11
static LogicalResult verifySideOp(Operation *op, const Target &target,
                                  const VisitedRowsOf &visited) {
  attn::BlockAttr block = attn::BlockAttr::of(op);
  if (!block)
    return op->emitOpError("has no attn.block; run attn-select-schedule");
  std::string problem = findProblem(op, block, target);
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
  return success();
}

namespace {
struct VerifyScheduled final
    : attnc::schedule::impl::VerifyScheduledBase<VerifyScheduled> {
  void runOnOperation() override {
    auto name = getOperation()->getAttrOfType<StringAttr>("attnc.target");
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
        return WalkResult(isSideOp(op) ? verifySideOp(op, *target, visited)
                                       : success());
      });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
