//===- RankedSchedules.h - Legal schedules in order of cost -----*- C++ -*-===//
//
// The candidates of a backend's strategies for one kernel and one choice of
// `row_axes`, ranked by their predicted cost over the regimes of `expect`.
// Tests: test/Schedule/select-schedule.mlir, grouped-rows.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_RANKEDSCHEDULES_H
#define ATTNC_LIB_SCHEDULE_RANKEDSCHEDULES_H

#include "Strategy.h"

#include "attnc/Analysis/Kernel/GroupedRows.h"

namespace attnc::schedule {

/// A legal candidate and what it costs in each regime.
struct Ranked {
  attn::ScheduleAttr schedule;
  const Strategy *strategy = nullptr; // that made it
  llvm::SmallVector<Cost> costs;
  /// The weighted mean of the costs, each over the least of its regime.
  double score = 0;
  /// The place among the candidates.
  size_t preference = 0;
};

/// What candidates are made for.
struct Request {
  const Target &target;
  llvm::StringRef backend, fields; // as of `--schedule`
  llvm::ArrayRef<Regime> regimes;
  const Interface *interface; // may be null
};

class RankedSchedules {
public:
  RankedSchedules(attn::KernelOp kernel, attn::RowAxes axes,
                  const Request &request);

  attn::RowAxes getRowAxes() const { return axes; }
  const KernelShape &getShape() const { return shape; }
  /// The best first.
  llvm::ArrayRef<Ranked> getRanked() const { return ranked; }
  bool empty() const { return ranked.empty(); }
  /// Makes a schedule the best if it is among them.
  void prefer(attn::ScheduleAttr schedule);
  /// Where there are none: why the request is none for the target, or else the
  /// first candidate's problem.
  llvm::StringRef getError() const { return error; }
  llvm::StringRef getProblem() const { return problem; }
  /// Cycles of a schedule for all query heads of a KV head, with what storing
  /// scattered queries takes (StoreViews.h).
  double getGroupCycles(size_t regime, const Ranked &of) const;
  /// Those of the best.
  double getGroupCycles(size_t regime) const {
    return getGroupCycles(regime, ranked.front());
  }
  /// Cycles of the best for all heads at any sizes.
  double predictAt(const Request &request, const Regime &at) const;

private:
  void addCandidates(const Request &request,
                     llvm::MutableArrayRef<RegimeRanges> ranges);

  attn::RowAxes axes;
  attn::KernelOp original;
  std::optional<MergedKernel> merged;
  KernelShape shape;
  int64_t kernelsOfGroup;
  llvm::SmallVector<double> storeCycles; // by regime
  llvm::SmallVector<Ranked> ranked;
  std::string error, problem;
};

/// Whether the schedules of `rows` (row_axes = gq) take less time over all
/// regimes than those of `heads`, by more than the model's tolerance.
bool areRowsFaster(const RankedSchedules &heads, const RankedSchedules &rows,
                   llvm::ArrayRef<Regime> regimes);

/// The choice and the candidates next to it, `count` in all, of all lists by
/// their predicted time. At most two look alike (summarize).
llvm::SmallVector<attn::ScheduleAttr>
listCandidates(const RankedSchedules &chosen, const RankedSchedules *other,
               llvm::ArrayRef<Regime> regimes, size_t count);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_RANKEDSCHEDULES_H
