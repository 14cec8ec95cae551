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
// Tests: test/Schedule/split-schedules.mlir,
// test/Schedule/Cpu/copy-few-queries.test
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
/// will have them.
static SmallVector<Regime> regimesOf(const WayCase &entry,
                                     ArrayRef<Regime> regimes,
                                     ArrayRef<unsigned> wayOf) {
  SmallVector<Regime> some;
  for (auto [at, way] : llvm::zip_equal(regimes, wayOf))
    if (way == entry.way)
      some.push_back(at);
  for (size_t i = 0, count = some.size(); i < count; ++i) {
    Regime border = some[i];
    border.weight /= 2;
    border.sizes[entry.size] = entry.border;
    some.push_back(border);
  }
  return some;
}

/// Each point takes as long as a candidate of the choice.
static constexpr unsigned kMostPoints = 64;

namespace {
/// The regimes of a function, the ways to compute it, and the best of them.
struct Plan {
  const Trial &trial;
  const FunctionCost &products;
  SmallVector<Regime> regimes;
  std::vector<Way> ways;
  SmallVector<unsigned> wayOf;
  WayCases found;

  /// The way that is best at each regime alone.
  SmallVector<unsigned> alone;
  /// What the calls with a few queries would cost without a copy of their own.
  double withoutFew = 0;

  double cost(unsigned way, const Regime &at) const {
    return products.cyclesAt(at) + ways[way].cyclesAt(trial, at);
  }
  bool findWays();
  void improveWays();
  bool findCasesOf(ArrayRef<unsigned> way);
  std::optional<MovedRegime> addFewQueries();
  void moveBorders();
  void explain(func::FuncOp function) const;
};
} // namespace

bool Plan::findCasesOf(ArrayRef<unsigned> way) {
  auto costOf = [&](unsigned number, const Regime &at) {
    return cost(number, at);
  };
  std::optional<WayCases> cases = findCases(regimes, way, costOf, kMostPoints);
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
    unsigned best = 0;
    for (auto [i, at] : llvm::enumerate(regimes))
      if (given[i] == way) {
        some.push_back(at);
        best = alone[i];
      }
    if (some.size() > 1) {
      ways.emplace_back(trial, some);
      best = ways.back().isLegal() ? ways.size() - 1 : way;
    }
    for (auto [its, now] : llvm::zip_equal(given, wayOf))
      if (its == way)
        now = best;
  }
}

/// One way for all regimes, and those that are best at one of them; false if
/// one will do.
bool Plan::findWays() {
  ways.emplace_back(trial, regimes);
  if (!ways.front().isLegal())
    return false;
  for (const Regime &at : regimes) {
    Way own(trial, at);
    auto known = llvm::find_if(
        ways, [&](const Way &way) { return own.hasSchedulesOf(way); });
    alone.push_back(own.isLegal() ? known - ways.begin() : 0);
    if (own.isLegal() && known == ways.end())
      ways.push_back(std::move(own));
  }
  if (ways.size() == 1)
    return false;
  auto costOf = [&](unsigned way, const Regime &at) { return cost(way, at); };
  wayOf = assignWays(regimes, ways.size(), costOf, kWorthASchedule);
  if (llvm::all_equal(wayOf))
    return false;
  improveWays();
  return findCasesOf(wayOf);
}

/// Where one bound of query_len separates single queries, calls with
/// a few queries get a copy if a way of their own is better by far; nothing if
/// `expect` lists such calls. They are those of the single query with another
/// query_len: `expect` does not list their keys.
std::optional<MovedRegime> Plan::addFewQueries() {
  constexpr int64_t few = 8, most = 32;
  constexpr StringLiteral size = "query_len";
  auto queriesOf = [&](const Regime &at) { return at.sizes.lookup(size); };
  auto *single = llvm::find_if(
      regimes, [&](const Regime &at) { return queriesOf(at) == 1; });
  if (single == regimes.end() || found.cases.size() != 1 ||
      found.cases.front().size != size ||
      llvm::any_of(regimes, [&](const Regime &at) {
        return queriesOf(at) > 1 && queriesOf(at) <= most;
      }))
    return std::nullopt;
  unsigned number = single - regimes.begin(), one = wayOf[number];
  unsigned rest =
      found.otherwise == one ? found.cases.front().way : found.otherwise;
  auto withQueries = [&](int64_t count) {
    Regime at = regimes[number];
    at.sizes[size] = count;
    return at;
  };
  Regime middle = withQueries(few);
  middle.weight /= 2;
  ways.emplace_back(trial, middle);
  unsigned own = ways.size() - 1;
  withoutFew = std::min(cost(one, middle), cost(rest, middle));
  // Of grouped heads, four queries may be a block already that eight fill
  // twice.
  auto isWorth = [&](const Regime &at) {
    return kWorthASchedule * cost(own, at) <=
           std::min(cost(one, at), cost(rest, at));
  };
  if (!ways.back().isLegal() ||
      !(isWorth(middle) || isWorth(withQueries(few / 2))))
    return std::nullopt;
  int64_t low = 1, high = few;
  while (low + 1 < few &&
         cost(one, withQueries(low + 1)) <= cost(own, withQueries(low + 1)))
    ++low;
  for (int64_t next = 3 * few / 2; next <= most; next += few / 2)
    if (cost(own, withQueries(next)) <= cost(rest, withQueries(next)))
      high = next;
    else
      break;
  auto upTo = [&](unsigned way, int64_t bound) {
    return WayCase{way,
                   {SizeExpr::size(size), SizeExpr::constant(bound)},
                   size.str(),
                   bound};
  };
  found = {{upTo(one, low), upTo(own, high)}, rest};
  StringRef text = middle.text;
  auto [before, after] = text.split("query_len = 1");
  middle.text = (before + "query_len = " + Twine(few) + after).str();
  regimes.push_back(middle);
  wayOf.push_back(own);
  return MovedRegime{number, size.str(), few};
}

/// A copy is scheduled for its border, too, which moves the border. Beyond few
/// queries it would lose what makes their schedules fast.
void Plan::moveBorders() {
  SmallVector<unsigned> moved = wayOf;
  for (const WayCase &entry : found.cases)
    if (Way copy(trial, regimesOf(entry, regimes, wayOf)); copy.isLegal()) {
      llvm::replace(moved, entry.way, unsigned(ways.size()));
      ways.push_back(std::move(copy));
    }
  WayCases before = found;
  auto isFew = [](const WayCase &entry) {
    return entry.size == "query_len" && entry.border <= kMostFewQueries;
  };
  if (findCasesOf(moved) && llvm::all_of(found.cases, isFew))
    wayOf = moved;
  else
    found = before;
}

/// Which calls run a copy, and what that saves.
void Plan::explain(func::FuncOp function) const {
  std::string calls, cycles;
  for (const WayCase &entry : found.cases)
    calls += (calls.empty() ? "" : ", or ") + entry.when.str();
  for (auto [i, at] : llvm::enumerate(regimes))
    cycles += llvm::formatv(
                  "{0}{1:F2} M cycles instead of {2:F2} M at {3}",
                  cycles.empty() ? "" : ", ", 1e-6 * cost(wayOf[i], at),
                  1e-6 * (i < alone.size() ? cost(0, at) : withoutFew), at.text)
                  .str();
  function.emitRemark() << "calls with " << calls
                        << " run a copy with a schedule of its own, predicted "
                        << cycles << " [kernel]";
}

std::optional<RegimeSplit> SplitSchedules::plan(func::FuncOp function,
                                                Trial trial) {
  SmallVector<Regime> regimes = getRegimes(function, trial.interface);
  if (regimes.size() < 2 || !findKernels(function, trial))
    return std::nullopt;
  FunctionCost products(function, {&trial.target, true});
  Plan plan{trial, products, regimes, {}, {}, {}, {}};
  if (!plan.findWays())
    return std::nullopt;
  std::optional<MovedRegime> few = plan.addFewQueries();
  if (!few)
    plan.moveBorders();
  plan.explain(function);
  RegimeSplit split = groupRegimes(plan.wayOf, plan.found);
  if (few)
    split.moved.push_back(*few);
  return split;
}
