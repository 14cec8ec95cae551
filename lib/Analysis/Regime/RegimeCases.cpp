//===- RegimeCases.cpp - Select one of several versions by sizes ----------===//
//
// See RegimeCases.h. Where the ways cost the same is a curved border in the
// space of all sizes; a call shall test it in a nanosecond, and a reader shall
// understand it. So a case is a bound of one size, taken such that it loses
// least over a grid of sizes between those that are expected.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Regime/RegimeCases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace attnc;

SmallVector<unsigned> attnc::assignWays(ArrayRef<Regime> regimes, unsigned ways,
                                        CostOfWay cost, double worthACase) {
  SmallVector<double> best;
  for (const Regime &at : regimes) {
    best.push_back(cost(0, at));
    for (unsigned way = 1; way < ways; ++way)
      best.back() = std::min(best.back(), cost(way, at));
  }
  auto isGood = [&](unsigned way, size_t regime) {
    return cost(way, regimes[regime]) <= worthACase * best[regime];
  };
  // Greedy: the way that is good at most of the regimes that still lack one.
  SmallVector<unsigned> taken;
  llvm::SmallSetVector<size_t, 8> open;
  open.insert_range(llvm::seq(regimes.size()));
  while (!open.empty()) {
    auto countGood = [&](unsigned way) {
      return llvm::count_if(open, [&](size_t r) { return isGood(way, r); });
    };
    unsigned most = 0;
    for (unsigned way = 1; way < ways; ++way)
      if (countGood(way) > countGood(most))
        most = way;
    taken.push_back(most);
    open.remove_if([&](size_t regime) { return isGood(most, regime); });
  }
  SmallVector<unsigned> wayOf;
  for (const Regime &at : regimes)
    wayOf.push_back(*llvm::min_element(taken, [&](unsigned a, unsigned b) {
      return cost(a, at) < cost(b, at);
    }));
  return wayOf;
}

//===----------------------------------------------------------------------===//
// Sizes between the regimes
//===----------------------------------------------------------------------===//

namespace {
/// A size that all regimes list and that differs between them.
struct Varying {
  std::string name;
  std::set<int64_t> listed;
};

/// Sizes between the regimes, and what each way costs there.
struct Grid {
  SmallVector<Regime> points;
  SmallVector<SmallVector<double>> costs; // of a way at a point
};
} // namespace

static SmallVector<Varying> findVarying(ArrayRef<Regime> regimes) {
  std::set<std::string> names; // in an order that does not depend on hashes
  for (const auto &size : regimes.front().sizes)
    names.insert(size.first().str());
  SmallVector<Varying> varying;
  for (const std::string &name : names) {
    if (!llvm::all_of(regimes,
                      [&](const Regime &at) { return at.sizes.count(name); }))
      continue;
    Varying size{name, {}};
    for (const Regime &at : regimes)
      size.listed.insert(at.sizes.lookup(name));
    if (size.listed.size() > 1)
      varying.push_back(size);
  }
  return varying;
}

/// Values from one end to the other, each as many times the one before, and
/// those that are listed.
static std::set<int64_t> spread(const Varying &size, unsigned count) {
  std::set<int64_t> values = size.listed;
  double low = std::log(double(std::max<int64_t>(*values.begin(), 1)));
  double high = std::log(double(*values.rbegin()));
  for (unsigned i = 1; i + 1 < count; ++i)
    values.insert(std::llround(std::exp(low + (high - low) * i / (count - 1))));
  return values;
}

/// All combinations of values of the sizes that vary.
static Grid makeGrid(const Regime &base, ArrayRef<Varying> varying,
                     ArrayRef<unsigned> ways, CostOfWay cost, unsigned points) {
  auto count = unsigned(std::pow(double(points), 1.0 / double(varying.size())));
  Grid grid;
  grid.points.push_back(base);
  for (const Varying &size : varying) {
    SmallVector<Regime> next;
    for (const Regime &at : grid.points)
      for (int64_t value : spread(size, std::clamp(count, 2u, 33u))) {
        next.push_back(at);
        next.back().sizes[size.name] = value;
      }
    grid.points = std::move(next);
  }
  grid.costs.resize(*llvm::max_element(ways) + 1);
  for (unsigned way : ways)
    for (const Regime &at : grid.points)
      grid.costs[way].push_back(cost(way, at));
  return grid;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {
/// `size <= bound`, or the opposite.
struct Bound {
  std::string size;
  int64_t bound = 0;
  bool isUpper = true;

  bool holds(const Regime &at) const {
    return (at.sizes.lookup(size) <= bound) == isUpper;
  }
  InterfaceCase asCase() const {
    SizeExpr name = SizeExpr::size(size);
    if (isUpper)
      return {name, SizeExpr::constant(bound)};
    return {SizeExpr::constant(bound + 1), name};
  }
};

/// One step: which way gets a case, the other ways remaining.
class CaseFinder {
public:
  CaseFinder(ArrayRef<Regime> regimes, ArrayRef<unsigned> wayOf,
             ArrayRef<Varying> varying, const Grid &grid,
             ArrayRef<unsigned> ways, CostOfWay cost)
      : regimes(regimes), wayOf(wayOf), varying(varying), grid(grid),
        ways(ways), cost(cost) {}

  std::optional<WayCase> run();

private:
  double leastOfRest(unsigned way,
                     llvm::function_ref<double(unsigned)> costOf) const;
  bool separates(unsigned way, const Bound &bound) const;
  double lossOf(unsigned way, const Bound &bound) const;
  void refine(unsigned way, Bound &bound, int64_t next) const;

  ArrayRef<Regime> regimes;
  ArrayRef<unsigned> wayOf;
  ArrayRef<Varying> varying;
  const Grid &grid;
  ArrayRef<unsigned> ways;
  CostOfWay cost;
};
} // namespace

/// The cheapest of the other ways.
double
CaseFinder::leastOfRest(unsigned way,
                        llvm::function_ref<double(unsigned)> costOf) const {
  double least = HUGE_VAL;
  for (unsigned other : ways)
    if (other != way)
      least = std::min(least, costOf(other));
  return least;
}

bool CaseFinder::separates(unsigned way, const Bound &bound) const {
  return llvm::all_of(llvm::zip_equal(regimes, wayOf), [&](auto pair) {
    auto &[at, its] = pair;
    return !llvm::is_contained(ways, its) || bound.holds(at) == (its == way);
  });
}

/// How much dearer than the best, as the sum of logarithms over the grid.
double CaseFinder::lossOf(unsigned way, const Bound &bound) const {
  double loss = 0;
  for (auto [i, at] : llvm::enumerate(grid.points)) {
    double mine = grid.costs[way][i];
    double rest =
        leastOfRest(way, [&](unsigned other) { return grid.costs[other][i]; });
    loss += std::log((bound.holds(at) ? mine : rest) / std::min(mine, rest));
  }
  return loss;
}

/// Between two values of the grid: the last one where `way` is as cheap as the
/// others in the mean over the other sizes.
void CaseFinder::refine(unsigned way, Bound &bound, int64_t next) const {
  auto isCheaper = [&](int64_t value) {
    double sum = 0;
    for (const Regime &on : grid.points) {
      if (on.sizes.lookup(bound.size) != next)
        continue;
      Regime at = on;
      at.sizes[bound.size] = value;
      sum += std::log(cost(way, at) / leastOfRest(way, [&](unsigned other) {
                        return cost(other, at);
                      }));
    }
    constexpr double rounding = 1e-9;
    return (sum <= rounding) == bound.isUpper;
  };
  int64_t low = bound.bound, high = next;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (isCheaper(middle) ? low : high) = middle;
  }
  bound.bound = low;
}

std::optional<WayCase> CaseFinder::run() {
  std::optional<Bound> best;
  unsigned bestWay = 0;
  int64_t bestNext = 0;
  double least = HUGE_VAL;
  for (const Varying &size : varying) {
    std::set<int64_t> values;
    for (const Regime &at : grid.points)
      values.insert(at.sizes.lookup(size.name));
    for (auto it = values.begin(); std::next(it) != values.end(); ++it)
      for (bool isUpper : {true, false})
        for (unsigned way : ways) {
          Bound bound{size.name, *it, isUpper};
          double loss = separates(way, bound) ? lossOf(way, bound) : HUGE_VAL;
          if (loss >= least)
            continue;
          least = loss;
          best = bound;
          bestWay = way;
          bestNext = *std::next(it);
        }
  }
  if (!best)
    return std::nullopt;
  refine(bestWay, *best, bestNext);
  int64_t border = best->isUpper ? best->bound : best->bound + 1;
  return WayCase{bestWay, best->asCase(), best->size, border};
}

std::optional<WayCases> attnc::findCases(ArrayRef<Regime> regimes,
                                         ArrayRef<unsigned> wayOf,
                                         CostOfWay cost, unsigned points) {
  llvm::SmallSetVector<unsigned, 8> ways(wayOf.begin(), wayOf.end());
  SmallVector<Varying> varying = findVarying(regimes);
  if (varying.empty() && ways.size() > 1)
    return std::nullopt;
  Grid grid =
      makeGrid(regimes.front(), varying, ways.getArrayRef(), cost, points);
  WayCases found;
  while (ways.size() > 1) {
    CaseFinder finder(regimes, wayOf, varying, grid, ways.getArrayRef(), cost);
    std::optional<WayCase> one = finder.run();
    if (!one)
      return std::nullopt;
    ways.remove(one->way);
    found.cases.push_back(std::move(*one));
  }
  found.otherwise = ways.front();
  return found;
}
