//===- SplitSchedules.cpp - Specialize functions by schedule --------------===//
//
// What a block of many queries gains from keys and values that are packed for
// the matrix unit once per call, a single query loses by packing them. Where no
// schedule is good at all sizes of `expect`, the function is copied, and the
// call takes the copy that its sizes ask for, as after attn-split-regimes:
//
//   func.func @f(...) attributes {attnc.expect = [{query_len = 1, ...},
//                                                 {query_len = 1024, ...}]}
// becomes
//   func.func @f.case0(...) attributes {attnc.expect = [{query_len = 1, ...}]}
//   func.func @f(...) attributes {attnc.expect = [{query_len = 1024, ...}]}
// and the interface says `cases = ["query_len <= 64"]`.
//
// What suits one query may be poor for eight, which a call verifies or a small
// batch of chunks has, even if `expect` does not list them: if a schedule of
// their own is better by far, they get a copy, too.
//
// Tests: test/Schedule/split-schedules.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Schedule/Passes.h"

#include "Choice/KernelChoice.h"
#include "Quantized/ConvertOnLoad.h"

#include "attnc/Analysis/Cost/FunctionCost.h"
#include "attnc/Analysis/Regime/RegimeCopies.h"
#include "attnc/Dialect/Halide/Halide.h"
#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Interface/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;

namespace attnc::schedule {
#define GEN_PASS_DEF_SPLITSCHEDULES
#include "attnc/Schedule/Passes.h.inc"
} // namespace attnc::schedule

//===----------------------------------------------------------------------===//
// Trying
//===----------------------------------------------------------------------===//

namespace {
/// Predictions of schedules differ more from measurements than those of FLOPs.
constexpr double kWorthASchedule = 1.25;

/// What all trials of a function share.
struct Trial {
  const Target &target;
  StringRef backend;
  const Interface *interface;
  SmallVector<attn::KernelOp> kernels;

  Request at(ArrayRef<Regime> regimes) const {
    return {target, backend, /*fields=*/"", regimes, interface};
  }
};

/// The kernels of a function, each with the best schedule for some regimes.
class Way {
public:
  Way(const Trial &trial, ArrayRef<Regime> regimes);

  /// Whether each kernel has a schedule.
  bool isLegal() const {
    return llvm::none_of(choices,
                         [](auto &choice) { return choice->best().empty(); });
  }
  bool hasSchedulesOf(const Way &other) const {
    return llvm::all_of(llvm::zip_equal(choices, other.choices), [](auto pair) {
      return std::get<0>(pair)->schedule() == std::get<1>(pair)->schedule();
    });
  }
  /// Predicted cycles of all kernels on one core.
  double cyclesAt(const Trial &trial, const Regime &at) const {
    double sum = 0;
    for (const auto &choice : choices)
      sum += choice->best().predictAt(trial.at(at), at);
    return sum;
  }

private:
  std::vector<std::unique_ptr<KernelChoice>> choices;
};
} // namespace

/// The `row_axes` to choose from.
static SmallVector<attn::RowAxes> rowAxesOf(attn::KernelOp kernel,
                                            const Trial &trial) {
  using enum attn::RowAxes;
  const Strategy &strategy =
      *getStrategies(trial.target, trial.backend).front();
  std::optional<attn::RowAxes> fixed =
      strategy.findRowAxes(trial.target, /*request=*/"");
  if (!whyNotGrouped(kernel, /*mayStore=*/true).empty())
    return {Q};
  return fixed ? SmallVector{*fixed} : SmallVector{Q, GQ};
}

Way::Way(const Trial &trial, ArrayRef<Regime> regimes) {
  for (attn::KernelOp kernel : trial.kernels)
    choices.push_back(std::make_unique<KernelChoice>(
        kernel, rowAxesOf(kernel, trial), trial.at(regimes)));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct SplitSchedules final
    : attnc::schedule::impl::SplitSchedulesBase<SplitSchedules> {
  using SplitSchedulesBase::SplitSchedulesBase;

  void runOnOperation() override {
    const Target *target =
        findLevel(getOperation().getLoc(), cpu, backend.getValue());
    if (!target)
      return signalPassFailure();
    // A backend that does not serve the level is an error of the next pass.
    if (!schedule.empty() || !getOperation()->hasAttr(kInterfaceAttr) ||
        getStrategies(*target, backend).empty())
      return;
    FailureOr<std::vector<Interface>> interfaces =
        getInterfaces(getOperation());
    if (failed(interfaces))
      return signalPassFailure();
    if (failed(splitFunctions(getOperation(), [&](func::FuncOp function) {
          return plan(function, {*target,
                                 backend,
                                 findInterface(*interfaces, function.getName()),
                                 {}});
        })))
      signalPassFailure();
  }

private:
  std::optional<RegimeSplit> plan(func::FuncOp function, Trial trial);
};
} // namespace

/// Collects the kernels; false if their schedules are not all to be chosen.
/// Quantized operands are converted later, which decides about schedules.
static bool findKernels(func::FuncOp function, Trial &trial) {
  function.walk(
      [&](attn::KernelOp kernel) { trial.kernels.push_back(kernel); });
  return !trial.kernels.empty() && !function->hasAttr(kScheduleAttr) &&
         llvm::none_of(trial.kernels, [](attn::KernelOp kernel) {
           return kernel.getSchedule() || isQuantized(kernel);
         });
}

/// The regimes of a case, and its border with half of their weight, as the copy
/// will have them: none of regimes that nobody listed, the last ones.
static SmallVector<Regime> regimesOf(const WayCase &entry,
                                     ArrayRef<Regime> regimes,
                                     ArrayRef<unsigned> wayOf, size_t listed) {
  SmallVector<Regime> some, borders;
  for (auto [i, at] : llvm::enumerate(regimes)) {
    if (wayOf[i] != entry.way)
      continue;
    some.push_back(at);
    if (i >= listed)
      continue;
    Regime &border = borders.emplace_back(at);
    border.weight /= 2;
    border.sizes[entry.size] = entry.border;
  }
  some.append(borders);
  return some;
}

/// Which calls run a copy, and what that saves.
static void explain(func::FuncOp function, ArrayRef<Regime> regimes,
                    ArrayRef<unsigned> wayOf, const WayCases &found,
                    CostOfWay cost) {
  std::string calls, cycles;
  for (const WayCase &entry : found.cases)
    calls += (calls.empty() ? "" : ", or ") + entry.when.str();
  for (auto [at, way] : llvm::zip_equal(regimes, wayOf))
    cycles += llvm::formatv("{0}{1:F2} M cycles instead of {2:F2} M at {3}",
                            cycles.empty() ? "" : ", ", 1e-6 * cost(way, at),
                            1e-6 * cost(0, at), at.text)
                  .str();
  function.emitRemark() << "calls with " << calls
                        << " run a copy with a schedule of its own, predicted "
                        << cycles << " [kernel]";
}

/// Each point takes as long as a candidate of the choice.
static constexpr unsigned kMostPoints = 64;

namespace {
/// The regimes of a function, the ways to compute it, and the best of them.
struct Plan {
  const Trial &trial;
  const FunctionCost &products;
  SmallVector<Regime> regimes;
  size_t listed; // the first ones, which `expect` lists
  std::vector<Way> ways;
  SmallVector<unsigned> wayOf;
  WayCases found;

  double cost(unsigned way, const Regime &at) const {
    return products.cyclesAt(at) + ways[way].cyclesAt(trial, at);
  }
  bool findWays();
  void improveWays();
  bool findCasesOf(ArrayRef<Regime> at, ArrayRef<unsigned> way);
  std::optional<MovedRegime> addFewQueries();
  void moveBorders();
};
} // namespace

bool Plan::findCasesOf(ArrayRef<Regime> at, ArrayRef<unsigned> way) {
  auto costOf = [&](unsigned number, const Regime &point) {
    return cost(number, point);
  };
  std::optional<WayCases> cases = findCases(at, way, costOf, kMostPoints);
  if (!cases || !isWorthCopies(*cases))
    return false;
  found = std::move(*cases);
  return true;
}

/// Gives the regimes that share a way the best one for them.
void Plan::improveWays() {
  SmallVector<unsigned> given = wayOf;
  for (unsigned way :
       llvm::SmallSetVector<unsigned, 4>(given.begin(), given.end())) {
    SmallVector<Regime> some;
    for (auto [at, its] : llvm::zip_equal(regimes, given))
      if (its == way)
        some.push_back(at);
    Way own(trial, some);
    if (!own.isLegal())
      continue;
    for (auto [its, now] : llvm::zip_equal(given, wayOf))
      if (its == way)
        now = ways.size();
    ways.push_back(std::move(own));
  }
}

/// One way for all regimes, and those that are best at one of them; false if
/// one will do.
bool Plan::findWays() {
  ways.emplace_back(trial, regimes);
  for (const Regime &alone : regimes)
    if (ways.front().isLegal())
      if (Way way(trial, alone);
          way.isLegal() && llvm::none_of(ways, [&](const Way &known) {
            return way.hasSchedulesOf(known);
          }))
        ways.push_back(std::move(way));
  if (ways.size() == 1)
    return false;
  auto costOf = [&](unsigned way, const Regime &at) { return cost(way, at); };
  wayOf = assignWays(regimes, ways.size(), costOf, kWorthASchedule);
  if (llvm::all_equal(wayOf))
    return false;
  improveWays();
  return findCasesOf(regimes, wayOf);
}

/// Adds the regime of a single query with `kFew` of them, if those have a way
/// that is better by far; nothing if `expect` lists a few queries.
std::optional<MovedRegime> Plan::addFewQueries() {
  constexpr int64_t kFew = 8;
  constexpr StringLiteral size = "query_len";
  auto *single = llvm::find_if(
      regimes, [&](const Regime &at) { return at.sizes.lookup(size) == 1; });
  bool isListed = llvm::any_of(regimes, [&](const Regime &at) {
    int64_t queries = at.sizes.lookup(size);
    return queries > 1 && queries <= kMostFewQueries;
  });
  if (single == regimes.end() || isListed)
    return std::nullopt;
  Regime few = *single;
  few.sizes[size] = kFew;
  few.weight /= 2;
  few.text = std::to_string(kFew) + " queries of it";
  double best = HUGE_VAL;
  for (unsigned way : wayOf)
    best = std::min(best, cost(way, few));
  Way own(trial, few);
  if (!own.isLegal())
    return std::nullopt;
  ways.push_back(std::move(own));
  unsigned last = ways.size() - 1;
  SmallVector<Regime> more = regimes;
  more.push_back(few);
  SmallVector<unsigned> itsWays = wayOf;
  itsWays.push_back(last);
  WayCases before = found;
  if (kWorthASchedule * cost(last, few) > best || !findCasesOf(more, itsWays) ||
      !llvm::all_of(found.cases, [&](auto &one) { return one.size == size; })) {
    found = before;
    return std::nullopt;
  }
  regimes = more;
  wayOf = itsWays;
  return MovedRegime{unsigned(single - regimes.begin()), size.str(), kFew};
}

/// A copy is scheduled for its border, too, which moves the border. Beyond few
/// queries it would lose what makes their schedules fast.
void Plan::moveBorders() {
  SmallVector<unsigned> moved = wayOf;
  for (const WayCase &entry : found.cases)
    if (Way copy(trial, regimesOf(entry, regimes, wayOf, listed));
        copy.isLegal()) {
      llvm::replace(moved, entry.way, unsigned(ways.size()));
      ways.push_back(std::move(copy));
    }
  WayCases before = found;
  auto isFew = [](const WayCase &entry) {
    return entry.size == "query_len" && entry.border <= kMostFewQueries;
  };
  if (findCasesOf(regimes, moved) && llvm::all_of(found.cases, isFew))
    wayOf = moved;
  else
    found = before;
}

std::optional<RegimeSplit> SplitSchedules::plan(func::FuncOp function,
                                                Trial trial) {
  SmallVector<Regime> regimes = getRegimes(function, trial.interface);
  if (regimes.size() < 2 || !findKernels(function, trial))
    return std::nullopt;
  FunctionCost products(function, {&trial.target, true});
  Plan plan{trial, products, regimes, regimes.size(), {}, {}, {}};
  if (!plan.findWays())
    return std::nullopt;
  std::optional<MovedRegime> few = plan.addFewQueries();
  plan.moveBorders();
  explain(function, plan.regimes, plan.wayOf, plan.found,
          [&](unsigned way, const Regime &at) { return plan.cost(way, at); });
  RegimeSplit split = groupRegimes(plan.wayOf, plan.found);
  if (few)
    split.moved.push_back(*few);
  return split;
}
