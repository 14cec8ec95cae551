//===- KernelChoice.h - The best schedule of a kernel -----------*- C++ -*-===//
//
// The schedules of a kernel, with heads apart and, where that is possible, with
// the heads of a group packed into rows; and the better of both.
// Tests: test/Schedule/grouped-rows.mlir, split-schedules.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_KERNELCHOICE_H
#define ATTNC_LIB_SCHEDULE_KERNELCHOICE_H

#include "Choice/RankedSchedules.h"

namespace attnc::schedule {

/// Queries that take less time than writing and reading their keys and values.
inline constexpr int64_t kMostFewQueries = 16;

class KernelChoice {
public:
  /// `axes`: one or two values of `row_axes`. A schedule that is not null is
  /// the best of its list if it is in there.
  KernelChoice(attn::KernelOp kernel, llvm::ArrayRef<attn::RowAxes> axes,
               const Request &request, attn::ScheduleAttr preferred = nullptr);

  /// The list with the choice in front. It may be empty.
  const RankedSchedules &best() const { return areRows ? *rows : heads; }
  /// The other list, or null.
  const RankedSchedules *other() const {
    return areRows ? &heads : rows ? &*rows : nullptr;
  }
  /// Whether rows of packed heads were chosen over heads apart.
  bool prefersRows() const { return areRows && !heads.empty(); }
  attn::ScheduleAttr schedule() const {
    return best().getRanked().front().schedule;
  }

private:
  RankedSchedules heads;
  std::optional<RankedSchedules> rows;
  bool areRows;
};

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_KERNELCHOICE_H
