//===- CpuStrategy.cpp - Schedules for vector units of CPUs ---------------===//
//
// Tests: test/Schedule/select-schedule.mlir, verify-scheduled.mlir
//
//===----------------------------------------------------------------------===//

#include "Cpu/CpuStrategy.h"

#include "Cpu/Candidates.h"
#include "Cpu/CostModel.h"
#include "Cpu/InProduct.h"
#include "Cpu/SideBlocks.h"

#include "mlir/AsmParser/AsmParser.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc::schedule::cpu {
namespace {

struct CpuStrategy final : Strategy {
  StringRef backend() const override { return "llvm"; }
  bool serves(const Target &target) const override {
    return target.kind == TargetKind::Cpu;
  }

  bool mergesSums() const override { return true; }
  bool readsPanels(const Target &target) const override {
    return findPairUnit(target, tile::CpuUnit::Matrix) != nullptr;
  }
  bool convertsOnLoad() const override { return true; }
  bool convertsOnLoad(attn::BlockAttr block) const override {
    return block.getForm() == attn::BlockForm::Dot;
  }

  std::optional<attn::RowAxes> findRowAxes(const Target &,
                                           StringRef text) const override {
    std::string error; // makeCandidates() reports it
    std::optional<ScheduleRequest> request =
        ScheduleRequest::parse(text, error);
    return request ? request->rowAxes : std::nullopt;
  }

  SmallVector<attn::ScheduleAttr>
  makeCandidates(const KernelShape &shape, const Target &target,
                 StringRef request, std::string &error) const override;

  std::string findMismatch(const KernelShape &shape, const Target &target,
                           attn::ScheduleAttr schedule) const override;

  std::string findProblem(const KernelShape &shape, const Target &target,
                          attn::ScheduleAttr schedule) const override {
    return cpu::findProblem(shape, target, CpuSchedule::of(schedule));
  }

  Cost predictCost(const KernelShape &shape, const Target &target,
                   attn::ScheduleAttr schedule,
                   RegimeRanges &ranges) const override {
    return cpu::predictCost(shape, target, CpuSchedule::of(schedule), ranges);
  }

  void placeInProducts(func::FuncOp function,
                       const Target &target) const override {
    cpu::placeInProducts(function, target);
  }

  std::string findPlaceProblem(Operation *op,
                               const Target &target) const override {
    return cpu::findPlaceProblem(op, target);
  }

  attn::BlockAttr chooseBlock(Operation *op,
                              const Target &target) const override {
    return cpu::chooseBlock(op, target);
  }

  SmallVector<attn::CaseAttr> chooseCases(Operation *op, attn::BlockAttr block,
                                          const Target &target) const override {
    return cpu::chooseCases(op, block, target);
  }
  bool obeysCases() const override { return true; }

  std::string explainBlock(Operation *op, attn::BlockAttr block,
                           const Target &target) const override {
    return cpu::explainUnit(op, block, target);
  }

  std::string findProblem(Operation *op, attn::BlockAttr block,
                          const Target &target) const override {
    return cpu::findProblem(op, block, target);
  }
};

} // namespace

SmallVector<attn::ScheduleAttr>
CpuStrategy::makeCandidates(const KernelShape &shape, const Target &target,
                            StringRef text, std::string &error) const {
  std::optional<ScheduleRequest> request = ScheduleRequest::parse(text, error);
  if (!request)
    return {};
  int64_t lanes = shape.lanes(target);
  if (request->isa && *request->isa != target.cpu.isa) {
    error = llvm::formatv("the schedule is for isa = {0}, but {1} has {2}",
                          *request->isa, target.name, target.cpu.isa);
    return {};
  }
  if (request->lanes && *request->lanes != lanes) {
    error = llvm::formatv(
        "the schedule has lanes = {0}, but {1} has {2} for this kernel",
        *request->lanes, target.name, lanes);
    return {};
  }
  MLIRContext *context = shape.kernel->getContext();
  SmallVector<attn::ScheduleAttr> candidates;
  Type weights =
      request->weights ? parseType(*request->weights, context) : Type();
  std::string problem;
  ScopedDiagnosticHandler keep(context, [&](Diagnostic &diagnostic) {
    if (problem.empty())
      problem = diagnostic.str();
    return success();
  });
  // Fields of a request can be illegal, by themselves or together.
  for (CpuSchedule &schedule :
       cpu::makeCandidates(shape, target, *request, weights)) {
    auto attr = schedule.toAttr(context, target.cpu.isa, lanes, [&] {
      return emitError(UnknownLoc::get(context));
    });
    if (attr)
      candidates.push_back(attr);
  }
  if (candidates.empty())
    error = problem;
  return candidates;
}

std::string CpuStrategy::findMismatch(const KernelShape &shape,
                                      const Target &target,
                                      attn::ScheduleAttr schedule) const {
  auto cpu = dyn_cast<tile::CpuAttr>(schedule.getTarget());
  if (!cpu) { // verify_scheduled_c2
    std::string text;
    llvm::raw_string_ostream(text)
        << "has a schedule for " << schedule.getTarget()
        << ", expected #tile.cpu<...>";
    return text;
  }
  StringRef isa = tile::stringifyCpuIsa(cpu.getIsa());
  if (isa != target.cpu.isa) // verify_scheduled_c3
    return llvm::formatv("is scheduled for isa = {0}, but {1} has {2}", isa,
                         target.name, target.cpu.isa);
  if (cpu.getLanes() != shape.lanes(target)) // verify_scheduled_c3
    return llvm::formatv(
        "is scheduled for lanes = {0}, but {1} has {2} of {3} bits",
        cpu.getLanes(), target.name, shape.lanes(target), shape.accumulateBits);
  return {};
}

const Strategy &getStrategy() {
  static const CpuStrategy strategy;
  return strategy;
}

} // namespace attnc::schedule::cpu
