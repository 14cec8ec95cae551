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

#include "Choice/KernelChoice.h"
#include "MergeSums.h"
#include "Quantized/ConvertOnLoad.h"
#include "Quantized/ConvertWeights.h"
#include "Side/SideOps.h"
#include "SlowPath.h"
#include "StoreViews.h"
#include "VisitedBlocks.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/Cases.h"
#include "attnc/Dialect/Attn/Tf32.h"
#include "attnc/Dialect/Halide/Halide.h"
#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Interface/Attributes.h"
#include "attnc/Interface/Remark.h"
#include "attnc/Schedule/KernelSchedules.h"

#include "mlir/AsmParser/AsmParser.h"
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
  if (best.costs.size() == 1)
    return " (better, but within 2%; the default is kept)";
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

/// Whether an earlier regime has the same sizes: `expect` may list them twice,
/// and a copy for few queries is also scheduled for its last size, which may be
/// one of `expect`.
static bool isRepeated(ArrayRef<Regime> regimes, size_t number) {
  return llvm::any_of(regimes.take_front(number), [&](const Regime &earlier) {
    return earlier.text == regimes[number].text;
  });
}

static void explain(attn::KernelOp kernel, const RankedSchedules &schedules,
                    const Target &target, ArrayRef<Regime> regimes) {
  const KernelShape &shape = schedules.getShape();
  ArrayRef<Ranked> ranked = schedules.getRanked();
  const Ranked &best = ranked[0];
  const Ranked *next = findNext(ranked);
  for (auto [i, regime] : llvm::enumerate(regimes)) {
    if (isRepeated(regimes, i))
      continue;
    std::string text =
        llvm::formatv("{0}: {1}, predicted {2} of the peak at {3}", target.name,
                      summarize(best.schedule, shape.isSoftmax(),
                                readsIntegers(kernel.getQ())),
                      percent(best.costs[i].peakFraction, 1), regime.text);
    if (next)
      text += llvm::formatv("; next best {0}: {1}{2}",
                            summarize(next->schedule, shape.isSoftmax(),
                                      readsIntegers(kernel.getQ())),
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
  if (target.kind != TargetKind::Gpu && attn::allowsTf32(kernel) &&
      getElementTypeOrSelf(kernel.getQ()).isF32())
    remarkOn(kernel) << "tf32 is permitted, but not used for " << target.name
                     << " [kernel]";
  StringRef backend = best.schedule.getTarget().getBackend();
  for (const Strategy *strategy : getStrategies(target, backend))
    if (std::string text = strategy->explain(shape, best.schedule);
        !text.empty())
      remarkOn(kernel) << text << " [schedule]";
  remarkOn(kernel) << *kernel.getSchedule() << " [schedule]";
}

/// Lets products that are computed in tiles load quantized operands.
static void convertWeightsOf(func::FuncOp function, const Strategy &strategy,
                             const Target &target) {
  SmallVector<attn::ContractOp> products;
  function.walk([&](attn::ContractOp product) {
    if (!attn::BlockAttr::of(product) && hasQuantizedOperand(product))
      products.push_back(product);
  });
  for (attn::ContractOp product : products) {
    attn::BlockAttr block = strategy.chooseBlock(product, target);
    if (strategy.convertsOnLoad(block))
      convertWeights(product, block);
    else if (strategy.convertsOnLoad())
      remarkOn(product) << "the quantized operands of a product are "
                           "dequantized before it, because it is computed "
                           "element by element [kernel]";
  }
  if (strategy.convertsOnLoad())
    explainStored(function);
}

/// Lets products without a block sum over merged axes. Those of quantized
/// weights convert them as they load them, which needs the axes as they are.
static void mergeSumsOf(func::FuncOp function) {
  SmallVector<attn::ContractOp> products;
  function.walk([&](attn::ContractOp product) {
    if (!attn::BlockAttr::of(product) && !hasQuantizedOperand(product))
      products.push_back(product);
  });
  llvm::for_each(products, mergeSums);
}

namespace {
struct SelectSchedule final
    : attnc::schedule::impl::SelectScheduleBase<SelectSchedule> {
  using SelectScheduleBase::SelectScheduleBase;

  void runOnOperation() override {
    chosen.clear();
    const Target *target =
        findLevel(getOperation().getLoc(), cpu, backend.getValue());
    if (!target)
      return signalPassFailure();
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
    if (failed(takeRequests(getOperation())))
      return signalPassFailure();
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
      if (strategy.mergesSums())
        mergeSumsOf(function);
      convertWeightsOf(function, strategy, *target);
      strategy.placeInProducts(function, *target);
      function.walk([&](Operation *op) {
        if (!isSideOp(op) || attn::BlockAttr::of(op))
          return;
        attn::BlockAttr block = strategy.chooseBlock(op, *target);
        op->setAttr(attn::BlockAttr::kName, block);
        attn::setCases(op, strategy.chooseCases(op, block, *target));
      });
      warnAboutSlowPaths(function, *target, interface,
                         [&](Operation *op) { return chosen.contains(op); });
      leaveOutUnvisited(function, getRegimes(function, interface), interface);
    }
    getOperation()->setAttr(kTargetAttr,
                            StringAttr::get(&getContext(), target->name));
    if (!interfaces.empty())
      setInterfaces(getOperation(), interfaces);
  }

private:
  void convertWhereFaster(func::FuncOp function, const Target &target,
                          const Interface *interface);
  LogicalResult select(func::FuncOp function, attn::KernelOp kernel,
                       const Target &target);
  void keepCandidates(attn::KernelOp kernel, const RankedSchedules &best,
                      const RankedSchedules *other, ArrayRef<Regime> regimes);
  bool hasFewQueries(attn::KernelOp kernel, const Interface *interface);
  FailureOr<SmallVector<attn::RowAxes>> listRowAxes(attn::KernelOp kernel,
                                                    const Target &target,
                                                    const Interface *interface,
                                                    attn::ScheduleAttr whole);
  Interface *findInterfaceOf(func::FuncOp function);
  bool isWished(attn::KernelOp kernel) const;
  InFlightDiagnostic refuse(attn::KernelOp kernel);
  StringRef getRequest(attn::KernelOp kernel) const;

  std::vector<Interface> interfaces;
  /// Kernels without a wish.
  llvm::DenseSet<Operation *> chosen;
};
} // namespace

Interface *SelectSchedule::findInterfaceOf(func::FuncOp function) {
  for (Interface &interface : interfaces)
    if (llvm::is_contained(interface.bodies(), function.getName()))
      return &interface;
  return nullptr;
}

/// What a schedule file requests for the kernel: the text and its location; or
/// null.
static ArrayAttr requestOf(attn::KernelOp kernel) {
  return kernel->getAttrOfType<ArrayAttr>(kScheduleAttr);
}

bool SelectSchedule::isWished(attn::KernelOp kernel) const {
  auto function = kernel->getParentOfType<func::FuncOp>();
  return !schedule.empty() || requestOf(kernel) ||
         function->hasAttr(kScheduleAttr);
}

/// An error about what the user wishes, at the place of the wish.
InFlightDiagnostic SelectSchedule::refuse(attn::KernelOp kernel) {
  if (!schedule.empty())
    return emitError(UnknownLoc::get(&getContext()));
  if (ArrayAttr request = requestOf(kernel))
    return emitError(Location(cast<LocationAttr>(request[1])));
  auto function = kernel->getParentOfType<func::FuncOp>();
  auto places = dyn_cast<FusedLocWith<StringAttr>>(function.getLoc());
  return emitError(places ? places.getLocations().back() : function.getLoc());
}

/// What the option, or else the kernel or its function asks for.
StringRef SelectSchedule::getRequest(attn::KernelOp kernel) const {
  if (!schedule.empty())
    return schedule;
  if (ArrayAttr request = requestOf(kernel))
    return cast<StringAttr>(request[0]).getValue();
  auto function = kernel->getParentOfType<func::FuncOp>();
  auto attribute = function->getAttrOfType<StringAttr>(kScheduleAttr);
  return attribute ? attribute.getValue() : StringRef();
}

/// A request that is a complete attribute, as dumps print it: fields that it
/// does not spell have their defaults. Null for any other request.
static attn::ScheduleAttr parseWhole(StringRef request, MLIRContext *context) {
  if (!request.starts_with("#attn.schedule<"))
    return nullptr;
  ScopedDiagnosticHandler ignore(context,
                                 [](Diagnostic &) { return success(); });
  return dyn_cast_if_present<attn::ScheduleAttr>(
      parseAttribute(request, context));
}

/// "for query_len <= 16, " of a case, else nothing.
static std::string whenOf(const Interface &interface, StringRef body) {
  for (auto [name, entry] : llvm::zip(interface.bodies(), interface.cases))
    if (name == body)
      return "for " + entry.str() + ", ";
  return "";
}

bool SelectSchedule::hasFewQueries(attn::KernelOp kernel,
                                   const Interface *interface) {
  auto function = kernel->getParentOfType<func::FuncOp>();
  return llvm::any_of(getRegimes(function, interface), [&](auto &regime) {
    return RegimeRanges(kernel, interface, regime).getQueries() <=
           kMostFewQueries;
  });
}

/// The `row_axes` to choose from: those of the request, or all that the
/// backend and the kernel allow.
FailureOr<SmallVector<attn::RowAxes>>
SelectSchedule::listRowAxes(attn::KernelOp kernel, const Target &target,
                            const Interface *interface,
                            attn::ScheduleAttr whole) {
  using enum attn::RowAxes;
  std::optional<attn::RowAxes> fixed =
      getStrategies(target, backend)
          .front()
          ->findRowAxes(target, getRequest(kernel));
  if (!fixed && whole)
    fixed = whole.getRowAxes();
  StringRef obstacle = whyNotGrouped(kernel, /*mayStore=*/true);
  if (fixed == GQ && !obstacle.empty())
    return refuse(kernel)
           << "invalid schedule: row_axes = gq does not apply, because "
           << obstacle << " [schedule]";
  if (fixed == GQ || (!fixed && obstacle.empty()))
    return fixed ? SmallVector{GQ} : SmallVector{Q, GQ};
  bool isAsked = fixed && !getRequest(kernel).empty();
  if (!isAsked && groupOf(kernel) > 1 && hasFewQueries(kernel, interface)) {
    if (fixed)
      obstacle = "the backend does not support it";
    remarkOn(kernel) << "few queries are expected, but grouped heads are not "
                        "packed into rows: "
                     << obstacle << " [kernel]";
  }
  return SmallVector{Q};
}

/// Says what packing saves at each regime.
static void explainRows(attn::KernelOp kernel, const RankedSchedules &heads,
                        const RankedSchedules &rows, ArrayRef<Regime> regimes) {
  std::string text;
  for (auto [i, regime] : llvm::enumerate(regimes))
    if (!isRepeated(regimes, i))
      text += (i ? ", " : "") +
              percent(rows.getGroupCycles(i), heads.getGroupCycles(i)) +
              " at " + regime.text;
  remarkOn(kernel) << groupOf(kernel)
                   << " query heads per KV head are packed into rows, "
                      "predicted time relative to separate heads: "
                   << text << " [kernel]";
}

/// Quantized queries and keys are multiplied by a unit for integers if there is
/// one. Other quantized keys and values are converted for each block of
/// queries, or once before the kernel, which writes and reads floats: slower
/// than what a few queries take, and than packing operands of a unit for bf16.
void SelectSchedule::convertWhereFaster(func::FuncOp function,
                                        const Target &target,
                                        const Interface *interface) {
  if (!llvm::all_of(getStrategies(target, backend), [](const auto *strategy) {
        return strategy->convertsOnLoad();
      }))
    return;
  auto hasUnit = [&](DType operand) {
    return llvm::any_of(target.units, [&](const Unit &unit) {
      return unit.operand == operand;
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
    bool hasIntegers = hasUnit(DType::I8) && hasIntegerProduct(kernel);
    // The product with V decides if that of the scores is of integers.
    Type other = hasIntegers ? kernel.getRoundedWeightType()
                             : getElementTypeOrSelf(kernel.getQ());
    bool hasPairs = other.isBF16() && hasUnit(DType::BF16);
    StringRef why;
    if (comparesScores) // all must compute the same ones
      why = "kernels of the function compare scores";
    else if (!hasPairs && !hasFewQueries(kernel, interface))
      why = "'expect' has no regime with at most 16 queries, and no unit "
            "multiplies queries of this type";
    StringRef whyNoIntegers;
    if (comparesScores)
      whyNoIntegers = why;
    else if (!hasUnit(DType::I8))
      whyNoIntegers = "the processor has no unit for 8-bit integers";
    convertOnLoad(kernel, {whyNoIntegers, why.empty()});
    if (!why.empty() && isQuantized(kernel))
      remarkOn(kernel) << "quantized keys and values are dequantized before "
                          "the kernel, because "
                       << why << " [kernel]";
  }
  // Maps that dequantize for nobody, and their views.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (!kernels.empty() &&
        isa<attn::MapOp, attn::ViewOp, attn::SliceOp, attn::UnpackOp>(op) &&
        isOpTriviallyDead(&op))
      op.erase();
}

void SelectSchedule::keepCandidates(attn::KernelOp kernel,
                                    const RankedSchedules &best,
                                    const RankedSchedules *other,
                                    ArrayRef<Regime> regimes) {
  SmallVector<Attribute> list;
  for (attn::ScheduleAttr one :
       listCandidates(best, other, regimes, candidates))
    list.push_back(one);
  kernel->setAttr(kCandidatesAttr, ArrayAttr::get(&getContext(), list));
}

LogicalResult SelectSchedule::select(func::FuncOp function,
                                     attn::KernelOp kernel,
                                     const Target &target) {
  if (kernel.getSchedule() && requestOf(kernel))
    return refuse(kernel) << "the kernel of the input has a schedule already; "
                             "remove one of the two [schedule]";
  if (kernel.getSchedule())
    return success();
  Interface *interface = findInterfaceOf(function);
  SmallVector<Regime> regimes = getRegimes(function, interface);
  attn::ScheduleAttr whole = parseWhole(getRequest(kernel), &getContext());
  FailureOr<SmallVector<attn::RowAxes>> axes =
      listRowAxes(kernel, target, interface, whole);
  if (failed(axes))
    return failure();
  Request request{target, backend, getRequest(kernel), regimes, interface};
  KernelChoice choice(kernel, *axes, request, whole);
  const RankedSchedules &best = choice.best();
  if (best.empty() && !best.getError().empty())
    return refuse(kernel) << best.getError() << " [schedule]";
  if (best.empty())
    return isWished(kernel)
               ? refuse(kernel) << "invalid schedule: " << best.getProblem()
                                << " [schedule]"
               : kernel.emitError()
                     << "no schedule: " << best.getProblem() << " [schedule]";
  if (choice.prefersRows())
    explainRows(kernel, *choice.other(), best, regimes);
  if (best.getRowAxes() == attn::RowAxes::GQ)
    storeScatteredRows(kernel);
  attn::ScheduleAttr attribute = choice.schedule();
  kernel.setScheduleAttr(attribute);
  if (!isWished(kernel))
    chosen.insert(kernel);
  kernel->removeAttr(kScheduleAttr);
  if (candidates > 0)
    keepCandidates(kernel, best, choice.other(), regimes);
  if (interface)
    interface->kernels.push_back(
        (target.name + ": " + whenOf(*interface, function.getName()) +
         summarize(attribute, best.getShape().isSoftmax(),
                   readsIntegers(kernel.getQ())))
            .str());
  explain(kernel, best, target, regimes);
  return success();
}
