//===- RankedSchedules.cpp - Legal schedules in order of cost -------------===//
//
// See RankedSchedules.h.
//
//===----------------------------------------------------------------------===//

#include "Choice/RankedSchedules.h"

#include "StoreViews.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <tuple>

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;

/// The model does not tell apart what differs by less than two percent.
static constexpr double kTolerance = 1.02;

/// The best first; of those within the tolerance the one that stands first in
/// the order of preference.
static void sort(SmallVector<Ranked> &ranked) {
  for (size_t i = 1; i < ranked.size(); ++i) // stable, and few
    for (size_t j = i; j > 0 && ranked[j].score < ranked[j - 1].score; --j)
      std::swap(ranked[j], ranked[j - 1]);
  auto *best = ranked.begin();
  for (Ranked &r : ranked)
    if (r.score <= kTolerance * ranked.front().score &&
        r.preference < best->preference)
      best = &r;
  if (!ranked.empty())
    std::rotate(ranked.begin(), best, best + 1);
}

/// Notes in `shape` how many queries a regime has, and how many keys they see,
/// from the first to the last.
static void noteRegime(KernelShape &shape, RegimeRanges &at) {
  int64_t queries = at.getQueries();
  auto countKeys = [&](int64_t first) {
    int64_t keys = 0;
    for (const KeySpan &span : at.get(first, queries))
      keys += std::max<int64_t>(span.anyHi - span.anyLo, 0);
    return keys;
  };
  if (shape.leastQueries == 0 || queries < shape.leastQueries)
    shape.leastQueries = queries;
  shape.mostQueries = std::max(shape.mostQueries, queries);
  shape.mostKeysSeen = std::max(shape.mostKeysSeen, countKeys(0));
  int64_t last = std::max<int64_t>(queries - KernelShape::kRowsOfBlock, 0);
  shape.mostKeysOfBlock = std::max(shape.mostKeysOfBlock, countKeys(last));
}

void RankedSchedules::addCandidates(const Request &request,
                                    MutableArrayRef<RegimeRanges> ranges) {
  size_t place = 0;
  for (const Strategy *strategy :
       getStrategies(request.target, request.backend)) {
    std::string refusal;
    for (attn::ScheduleAttr schedule : strategy->makeCandidates(
             shape, request.target, request.fields, refusal)) {
      std::string wrong = findProblem(shape.kernel, schedule);
      if (wrong.empty())
        wrong = strategy->findProblem(shape, request.target, schedule);
      size_t preference = place++;
      if (!wrong.empty()) {
        if (problem.empty())
          problem = wrong;
        continue;
      }
      Ranked &r = ranked.emplace_back();
      r.schedule = schedule;
      r.strategy = strategy;
      r.preference = preference;
      for (RegimeRanges &at : ranges)
        r.costs.push_back(
            strategy->predictCost(shape, request.target, schedule, at));
    }
    if (error.empty())
      error = refusal;
  }
}

/// The kernel whose rows a schedule with `axes` divides into blocks.
static std::optional<MergedKernel> mergeRows(attn::KernelOp kernel,
                                             attn::RowAxes axes) {
  if (axes == attn::RowAxes::GQ)
    return std::make_optional<MergedKernel>(kernel);
  return std::nullopt;
}

/// Cycles to store the queries of a KV head's heads, and to read them again.
static double getStoreCycles(attn::KernelOp kernel, const KernelShape &shape,
                             const Target &target, RegimeRanges &at) {
  if (!hasScatteredRows(kernel))
    return 0;
  constexpr double transfers = 3; // read, written, read by the kernel
  unsigned bits = getElementTypeOrSelf(kernel.getQ()).getIntOrFloatBitWidth();
  double elements = double(at.getQueries()) * double(shape.headDim);
  return transfers * elements * bits / 8 / target.memory.back().bytesPerCycle;
}

RankedSchedules::RankedSchedules(attn::KernelOp kernel, attn::RowAxes axes,
                                 const Request &request)
    : axes(axes), original(kernel), merged(mergeRows(kernel, axes)),
      shape(merged ? merged->get() : kernel, request.target),
      kernelsOfGroup(merged ? 1 : groupOf(kernel)) {
  shape.interface = request.interface;
  SmallVector<RegimeRanges> ranges;
  for (const Regime &regime : request.regimes)
    ranges.emplace_back(shape.kernel, request.interface, regime);
  for (RegimeRanges &at : ranges) {
    noteRegime(shape, at);
    storeCycles.push_back(
        merged ? getStoreCycles(kernel, shape, request.target, at) : 0);
  }
  addCandidates(request, ranges);
  for (auto [i, regime] : llvm::enumerate(request.regimes)) {
    double least = 0;
    for (Ranked &r : ranked)
      if (least == 0 || r.costs[i].total() < least)
        least = r.costs[i].total();
    for (Ranked &r : ranked)
      r.score += least > 0 ? regime.weight * r.costs[i].total() / least : 0;
  }
  sort(ranked);
  for (Ranked &r : ranked) // strategies schedule the merged kernel
    r.schedule = r.schedule.withRowAxes(axes);
}

void RankedSchedules::prefer(attn::ScheduleAttr schedule) {
  auto *found = llvm::find_if(
      ranked, [&](const Ranked &r) { return r.schedule == schedule; });
  if (found != ranked.end())
    std::rotate(ranked.begin(), found, found + 1);
}

double RankedSchedules::getGroupCycles(size_t regime, const Ranked &of) const {
  return double(kernelsOfGroup) * of.costs[regime].total() +
         storeCycles[regime];
}

double RankedSchedules::predictAt(const Request &request,
                                  const Regime &at) const {
  // Strategies schedule the merged kernel.
  attn::ScheduleAttr best = ranked.front().schedule;
  best = best.withRowAxes(attn::RowAxes::Q);
  RegimeRanges ranges(shape.kernel, request.interface, at);
  double cycles =
      merged ? getStoreCycles(original, shape, request.target, ranges) : 0;
  cycles += ranked.front()
                .strategy->predictCost(shape, request.target, best, ranges)
                .total();
  return double(ranges.getHeads()) * cycles;
}

bool schedule::areRowsFaster(const RankedSchedules &heads,
                             const RankedSchedules &rows,
                             ArrayRef<Regime> regimes) {
  double before = 0, after = 0;
  for (auto [i, regime] : llvm::enumerate(regimes)) {
    double one = heads.getGroupCycles(i), other = rows.getGroupCycles(i);
    if (double least = std::min(one, other); least > 0) {
      before += regime.weight * one / least;
      after += regime.weight * other / least;
    }
  }
  return kTolerance * after < before;
}

SmallVector<attn::ScheduleAttr>
schedule::listCandidates(const RankedSchedules &chosen,
                         const RankedSchedules *other, ArrayRef<Regime> regimes,
                         size_t count) {
  constexpr unsigned mostAlike = 2; // such as other sizes of partial tiles
  SmallVector<double> unit;
  for (size_t i = 0; i < regimes.size(); ++i)
    unit.push_back(std::max(chosen.getGroupCycles(i), 1.0));
  struct Timed {
    double time;
    size_t preference;
    attn::ScheduleAttr schedule;
  };
  SmallVector<Timed> all;
  auto add = [&](const RankedSchedules &list) {
    for (const Ranked &r : list.getRanked()) {
      double time = 0;
      for (auto [i, regime] : llvm::enumerate(regimes))
        time += regime.weight * list.getGroupCycles(i, r) / unit[i];
      all.push_back({time, all.size(), r.schedule});
    }
  };
  add(chosen);
  if (other)
    add(*other);
  std::sort(all.begin() + 1, all.end(), [](const Timed &a, const Timed &b) {
    return std::tie(a.time, a.preference) < std::tie(b.time, b.preference);
  });
  llvm::StringMap<unsigned> alike;
  SmallVector<attn::ScheduleAttr> best;
  for (const Timed &one : all) {
    std::string text = summarize(one.schedule, chosen.getShape().isSoftmax());
    if (best.size() < count && alike[text]++ < mostAlike)
      best.push_back(one.schedule);
  }
  return best;
}
