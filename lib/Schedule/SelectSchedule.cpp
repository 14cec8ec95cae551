//===- SelectSchedule.cpp - Select a schedule for each kernel -------------===//
//
// Everything that is decided is decided here, once, and written down:
//
//   %o, %lse = attn.kernel ... attributes {scale = 0.125 : f64, ...}
// becomes
//   %o, %lse = attn.kernel ... attributes {scale = 0.125 : f64, ...,
//     schedule = #attn.schedule<form = online, q = 64, k = 64, ...,
//       target = #tile.cpu<isa = avx512, score_granule = [4, 4], ...>>}
//
// Lowering and the code generator obey. A kernel that has a schedule keeps it.
// Tests: test/Schedule/select-schedule.mlir, select-schedule-fields.mlir,
// select-schedule-invalid.test, explain.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Schedule/Passes.h"

#include "ConvertOnLoad.h"
#include "Side/SideOps.h"
#include "SlowPath.h"
#include "StoreViews.h"
#include "Strategy.h"
#include "VisitedBlocks.h"

#include "attnc/Analysis/Kernel/GroupedRows.h"
#include "attnc/Dialect/Halide/Halide.h"
#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Interface/Remark.h"
#include "attnc/Target/NeutralTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;

namespace attnc::schedule {
#define GEN_PASS_DEF_SELECTSCHEDULE
#include "attnc/Schedule/Passes.h.inc"
} // namespace attnc::schedule

/// Queries that take less time than writing and reading their keys and values.
static constexpr int64_t kMostFewQueries = 16;

namespace {
/// A legal candidate and what it costs in each regime.
struct Ranked {
  attn::ScheduleAttr schedule;
  SmallVector<Cost> costs;
  /// The weighted mean of the costs, each over the least of its regime.
  double score = 0;
  /// The place among the candidates.
  size_t preference = 0;
};
} // namespace

/// The best first. The model does not tell apart what differs by less than
/// two percent: of those the one that stands first in the order of
/// preference.
static void sort(SmallVector<Ranked> &ranked) {
  constexpr double tolerance = 1.02;
  for (size_t i = 1; i < ranked.size(); ++i) // stable, and few
    for (size_t j = i; j > 0 && ranked[j].score < ranked[j - 1].score; --j)
      std::swap(ranked[j], ranked[j - 1]);
  auto *best = ranked.begin();
  for (Ranked &r : ranked)
    if (r.score <= tolerance * ranked.front().score &&
        r.preference < best->preference)
      best = &r;
  if (!ranked.empty())
    std::rotate(ranked.begin(), best, best + 1);
}

namespace {
/// Legal candidates of all strategies, the best first.
struct Ranking {
  SmallVector<Ranked> ranked;
  /// Where there are none: why the request is none for the target, or else the
  /// first candidate's problem.
  std::string error, problem;
};
} // namespace

/// Notes in `shape` how many queries a regime has, and how many keys they see,
/// from the first to the last.
static void noteRegime(KernelShape &shape, RegimeRanges &at) {
  int64_t queries = at.getQueries(), keys = 0;
  if (shape.leastQueries == 0 || queries < shape.leastQueries)
    shape.leastQueries = queries;
  shape.mostQueries = std::max(shape.mostQueries, queries);
  for (const KeySpan &span : at.get(0, queries))
    keys += std::max<int64_t>(span.anyHi - span.anyLo, 0);
  shape.mostKeysSeen = std::max(shape.mostKeysSeen, keys);
}

static Ranking rank(KernelShape &shape, const Target &target, StringRef backend,
                    StringRef request, ArrayRef<Regime> regimes) {
  SmallVector<RegimeRanges> ranges;
  for (const Regime &regime : regimes)
    ranges.emplace_back(shape.kernel, shape.interface, regime);
  for (RegimeRanges &at : ranges)
    noteRegime(shape, at);
  Ranking result;
  SmallVector<Ranked> &ranked = result.ranked;
  size_t place = 0;
  for (const Strategy *strategy : getStrategies(target, backend)) {
    std::string error;
    for (attn::ScheduleAttr schedule :
         strategy->makeCandidates(shape, target, request, error)) {
      std::string wrong = findProblem(shape.kernel, schedule);
      if (wrong.empty())
        wrong = strategy->findProblem(shape, target, schedule);
      size_t preference = place++;
      if (!wrong.empty()) {
        if (result.problem.empty())
          result.problem = wrong;
        continue;
      }
      Ranked &r = ranked.emplace_back();
      r.schedule = schedule;
      r.preference = preference;
      for (RegimeRanges &at : ranges)
        r.costs.push_back(strategy->predictCost(shape, target, schedule, at));
    }
    if (result.error.empty())
      result.error = error;
  }
  for (auto [i, regime] : llvm::enumerate(regimes)) {
    double least = 0;
    for (Ranked &r : ranked)
      if (least == 0 || r.costs[i].total() < least)
        least = r.costs[i].total();
    for (Ranked &r : ranked)
      r.score += least > 0 ? regime.weight * r.costs[i].total() / least : 0;
  }
  sort(ranked);
  return result;
}

static std::string percent(double part, double whole) {
  double share = whole > 0 ? 100 * part / whole : 0;
  // Differences of sums may be a little below 0.
  return llvm::formatv("{0:F1}%", std::max(share, 0.0));
}

/// The next best that differs in what a reader can tell apart.
static const Ranked *findNext(ArrayRef<Ranked> ranked) {
  for (const Ranked &r : ranked.drop_front())
    if (summarize(r.schedule, true) != summarize(ranked[0].schedule, true))
      return &r;
  return nullptr;
}

/// Why a schedule that is better at a regime is not the choice, or nothing.
static StringRef whyNot(const Ranked &best, const Ranked &next, size_t regime) {
  if (next.costs[regime].total() >= best.costs[regime].total())
    return "";
  if (next.score > best.score)
    return " (better here, worse over all sizes of expect)";
  return " (better here, but within 2% over all sizes of expect; the default "
         "is "
         "kept)";
}

/// One regime of the choice: what is predicted, and where the time goes.
static void explainRegime(attn::KernelOp kernel, StringRef at, const Cost &cost,
                          double neededPairs, attn::ScheduleAttr schedule) {
  double tiles = cost.skippedTiles + cost.partialTiles + cost.fullTiles;
  std::string pairs = percent(neededPairs, cost.visitedPairs) +
                      " of the visited pairs are needed";
  if (schedule.getForm() == attn::ScheduleForm::Chunked &&
      cost.visitedPairs < neededPairs)
    pairs = percent(cost.visitedPairs, neededPairs) +
            " of the needed pairs are visited, the others are "
            "covered by states";
  remarkOn(kernel) << "of the " << schedule.getQ() << " x " << schedule.getK()
                   << " tiles at " << at << ": "
                   << percent(cost.skippedTiles, tiles) << " skipped, "
                   << percent(cost.partialTiles, tiles) << " partial, "
                   << percent(cost.fullTiles, tiles) << " full (no mask code); "
                   << pairs << " [mask]";
  double total = cost.total();
  std::string statesText;
  if (cost.states > 0)
    statesText = ", states " + percent(cost.states, total);
  remarkOn(kernel) << "time at " << at << ": products "
                   << percent(cost.products, total) << ", exp and formula "
                   << percent(cost.weights, total) << ", setup "
                   << percent(cost.overhead, total) << statesText
                   << ", waiting for memory " << percent(cost.memory, total)
                   << "; partial tiles take " << percent(cost.partial, total)
                   << " of it [limit]";
}

static void explain(attn::KernelOp kernel, const KernelShape &shape,
                    const Target &target, ArrayRef<Regime> regimes,
                    ArrayRef<Ranked> ranked) {
  const Ranked &best = ranked[0];
  const Ranked *next = findNext(ranked);
  for (auto [i, regime] : llvm::enumerate(regimes)) {
    std::string text =
        llvm::formatv("{0}: {1}, predicted {2} of the peak at {3}", target.name,
                      summarize(best.schedule, shape.isSoftmax()),
                      percent(best.costs[i].peakFraction, 1), regime.text);
    if (next)
      text += llvm::formatv("; next best {0}: {1}{2}",
                            summarize(next->schedule, shape.isSoftmax()),
                            percent(next->costs[i].peakFraction, 1),
                            whyNot(best, *next, i));
    remarkOn(kernel) << text << " [kernel]";
    RegimeRanges ranges(shape.kernel, shape.interface, regime);
    explainRegime(kernel, regime.text, best.costs[i], ranges.getNeededPairs(),
                  best.schedule);
    if (std::string tables = ranges.getTables().describe(); !tables.empty())
      remarkOn(kernel) << "assumed table contents at " << regime.text << ": "
                       << tables << " [mask]";
  }
  if (!shape.factors && isLinearAttention(kernel))
    remarkOn(kernel) << "linear attention is quadratic, not chunked, because "
                     << shape.whyNoFactors << " [kernel]";
  StringRef backend = best.schedule.getTarget().getBackend();
  for (const Strategy *strategy : getStrategies(target, backend))
    if (std::string text = strategy->explain(shape, best.schedule);
        !text.empty())
      remarkOn(kernel) << text << " [schedule]";
  remarkOn(kernel) << *kernel.getSchedule() << " [schedule]";
}

namespace {
struct SelectSchedule final
    : attnc::schedule::impl::SelectScheduleBase<SelectSchedule> {
  using SelectScheduleBase::SelectScheduleBase;

  void runOnOperation() override {
    const Target *target = lookupTarget(cpu);
    if (!target) {
      emitError(getOperation().getLoc()) << describeUnknownCpu(cpu);
      return signalPassFailure();
    }
    if (backend.empty())
      backend = getStrategies(*target).front()->backend().str();
    if (getStrategies(*target, backend).empty()) {
      emitError(getOperation().getLoc())
          << "backend '" << backend << "' has no schedules for " << cpu;
      return signalPassFailure();
    }
    if (getOperation()->hasAttr(kInterfaceAttr)) {
      FailureOr<std::vector<Interface>> read = getInterfaces(getOperation());
      if (failed(read))
        return signalPassFailure();
      interfaces = std::move(*read);
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      const Interface *interface = findInterfaceOf(function);
      convertWhereFaster(function, *target, interface);
      WalkResult result = function.walk([&](attn::KernelOp kernel) {
        return failed(select(function, kernel, *target))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      });
      if (result.wasInterrupted())
        return signalPassFailure();
      const Strategy &strategy = *getStrategies(*target, backend).front();
      function.walk([&](Operation *op) {
        if (!isSideOp(op) || attn::BlockAttr::of(op))
          return;
        attn::BlockAttr block = strategy.chooseBlock(op, *target);
        op->setAttr(attn::BlockAttr::kName, block);
        if (std::string text = strategy.explainBlock(op, block, *target);
            !text.empty())
          op->emitRemark() << text << " [schedule]";
      });
      warnAboutSlowPaths(function, *target, interface);
      leaveOutUnvisited(function, getRegimes(function, interface), interface);
    }
    getOperation()->setAttr("attnc.target",
                            StringAttr::get(&getContext(), target->name));
    if (!interfaces.empty())
      setInterfaces(getOperation(), interfaces);
  }

private:
  void convertWhereFaster(func::FuncOp function, const Target &target,
                          const Interface *interface);
  LogicalResult select(func::FuncOp function, attn::KernelOp kernel,
                       const Target &target);
  FailureOr<attn::RowAxes> chooseRowAxes(func::FuncOp function,
                                         attn::KernelOp kernel,
                                         const Target &target,
                                         ArrayRef<Regime> regimes);
  Interface *findInterfaceOf(func::FuncOp function);
  bool isWished(func::FuncOp function) const;
  InFlightDiagnostic refuse(func::FuncOp function);
  StringRef getRequest(func::FuncOp function) const;

  std::vector<Interface> interfaces;
};
} // namespace

Interface *SelectSchedule::findInterfaceOf(func::FuncOp function) {
  for (Interface &interface : interfaces)
    if (llvm::is_contained(interface.bodies(), function.getName()))
      return &interface;
  return nullptr;
}

bool SelectSchedule::isWished(func::FuncOp function) const {
  return !schedule.empty() || function->hasAttr("attnc.schedule");
}

/// An error about what the user wishes, at the place of the wish.
InFlightDiagnostic SelectSchedule::refuse(func::FuncOp function) {
  if (!schedule.empty())
    return emitError(UnknownLoc::get(&getContext()));
  auto places = dyn_cast<FusedLocWith<StringAttr>>(function.getLoc());
  return emitError(places ? places.getLocations().back() : function.getLoc());
}

/// What the option or the function's attribute asks for.
StringRef SelectSchedule::getRequest(func::FuncOp function) const {
  auto attribute = function->getAttrOfType<StringAttr>("attnc.schedule");
  return schedule.empty() && attribute ? attribute.getValue()
                                       : StringRef(schedule);
}

/// "for query_len <= 16, " of a case, else nothing.
static std::string whenOf(const Interface &interface, StringRef body) {
  for (auto [name, entry] : llvm::zip(interface.bodies(), interface.cases))
    if (name == body)
      return "for " + entry.str() + ", ";
  return "";
}

/// Which axes the rows of blocks have, by the request, or by cost.
FailureOr<attn::RowAxes>
SelectSchedule::chooseRowAxes(func::FuncOp function, attn::KernelOp kernel,
                              const Target &target, ArrayRef<Regime> regimes) {
  std::optional<attn::RowAxes> fixed =
      getStrategies(target, backend)
          .front()
          ->findRowAxes(target, getRequest(function));
  if (fixed == attn::RowAxes::Q) {
    // attn-split-groups does not know the backends.
    if (getRequest(function).empty() && groupOf(kernel) > 1 &&
        areRowsCheaper(kernel, regimes, getNeutralRows()))
      remarkOn(kernel) << "grouped heads are not packed into rows, although "
                          "few queries are expected: the backend does not "
                          "support it [kernel]";
    return *fixed;
  }
  StringRef obstacle = whyNotGrouped(kernel, /*mayStore=*/true);
  if (fixed && !obstacle.empty())
    return refuse(function)
           << "invalid schedule: row_axes = gq does not apply, because "
           << obstacle << " [schedule]";
  if (fixed) {
    storeScatteredRows(kernel);
    return *fixed;
  }
  if (groupOf(kernel) == 1 ||
      !areRowsCheaper(kernel, regimes, getNeutralRows()))
    return attn::RowAxes::Q;
  if (obstacle.empty()) {
    storeScatteredRows(kernel);
    remarkOn(kernel) << groupOf(kernel)
                     << " query heads per KV head are packed into rows, since "
                        "few queries are expected [kernel]";
    return attn::RowAxes::GQ;
  }
  remarkOn(kernel) << "few queries are expected, but grouped heads are not "
                      "packed into rows: "
                   << obstacle << " [kernel]";
  return attn::RowAxes::Q;
}

/// Quantized keys and values are converted for each block of queries, or once
/// before the kernel, which writes and reads floats: slower than what a few
/// queries take, and than packing operands of a unit for bf16.
void SelectSchedule::convertWhereFaster(func::FuncOp function,
                                        const Target &target,
                                        const Interface *interface) {
  if (!llvm::all_of(getStrategies(target, backend), [](const auto *strategy) {
        return strategy->convertsOnLoad();
      }))
    return;
  auto hasFewQueries = [&](attn::KernelOp kernel) {
    return llvm::any_of(getRegimes(function, interface), [&](auto &regime) {
      return RegimeRanges(kernel, interface, regime).getQueries() <=
             kMostFewQueries;
    });
  };
  auto hasPairs = [&](attn::KernelOp kernel) {
    return getElementTypeOrSelf(kernel.getQ()).isBF16() &&
           llvm::any_of(target.units, [](const Unit &unit) {
             return unit.operand == DType::BF16;
           });
  };
  SmallVector<attn::KernelOp> kernels;
  bool comparesScores = false;
  function.walk([&](attn::KernelOp kernel) {
    comparesScores |= bool(kernel.getRowKind());
    if (!kernel.getSchedule() && isQuantized(kernel))
      kernels.push_back(kernel);
  });
  for (attn::KernelOp kernel : kernels) {
    StringRef why;
    if (comparesScores) // all must compute the same ones
      why = "kernels of the function compare scores";
    else if (!hasPairs(kernel) && !hasFewQueries(kernel))
      why = "'expect' has no regime with at most 16 queries, and no unit "
            "multiplies queries of this type";
    if (why.empty())
      convertOnLoad(kernel);
    else
      remarkOn(kernel) << "quantized keys and values are dequantized before "
                          "the kernel, because "
                       << why << " [kernel]";
  }
  // Maps that dequantize for nobody.
  SmallVector<attn::MapOp> maps(function.getOps<attn::MapOp>());
  for (attn::MapOp map : llvm::reverse(maps))
    if (!kernels.empty() && isOpTriviallyDead(map))
      map.erase();
}

LogicalResult SelectSchedule::select(func::FuncOp function,
                                     attn::KernelOp kernel,
                                     const Target &target) {
  if (kernel.getSchedule())
    return success();
  Interface *interface = findInterfaceOf(function);
  SmallVector<Regime> regimes = getRegimes(function, interface);
  FailureOr<attn::RowAxes> axes =
      chooseRowAxes(function, kernel, target, regimes);
  if (failed(axes))
    return failure();
  std::optional<MergedKernel> merged;
  if (*axes == attn::RowAxes::GQ)
    merged.emplace(kernel);
  KernelShape shape(merged ? merged->get() : kernel, target);
  shape.interface = interface;
  auto [ranked, error, problem] =
      rank(shape, target, backend, getRequest(function), regimes);
  if (ranked.empty() && !error.empty())
    return refuse(function) << error << " [schedule]";
  if (ranked.empty())
    return isWished(function) ? refuse(function)
                                    << "invalid schedule: " << problem
                                    << " [schedule]"
                              : kernel.emitError() << "no schedule: " << problem
                                                   << " [schedule]";
  attn::ScheduleAttr best = ranked[0].schedule.withRowAxes(*axes);
  kernel.setScheduleAttr(best);
  if (interface)
    interface->kernels.push_back((target.name + ": " +
                                  whenOf(*interface, function.getName()) +
                                  summarize(best, shape.isSoftmax()))
                                     .str());
  explain(kernel, shape, target, regimes, ranked);
  return success();
}
