//===- Contender.h - A schedule that is measured with others ----*- C++ -*-===//
//
// Contenders for a kernel take turns, so that a change of the machine's clock
// changes the times of all. Those that are clearly slower drop out.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_RUN_TUNE_CONTENDER_H
#define ATTNC_LIB_DRIVER_RUN_TUNE_CONTENDER_H

#include "Run/RunCase.h"
#include "Run/RunnableObject.h"

#include <memory>
#include <string>
#include <vector>

namespace attnc {

/// The code of a function with one schedule of the kernel that is tuned.
struct Contender {
  std::string schedule;
  std::vector<Interface> interfaces; // of the object
  std::unique_ptr<RunnableObject> object;
  CallPlan plan;
  /// Seconds per call, by case: minima over the turns.
  std::vector<double> seconds;

  /// The mean over the cases of the time relative to another one's.
  double relativeTo(const Contender &other) const;
  double totalSeconds() const;
};

/// Gives each contender `rounds` turns at each case, but for those that are
/// clearly slower than the fastest after some. An error of a call ends it, and
/// so does a signal (Interrupt.h).
llvm::Error measureInTurns(llvm::ArrayRef<Contender *> contenders,
                           llvm::ArrayRef<RunCase *> cases,
                           const attnc_runtime &runtime, unsigned rounds);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_TUNE_CONTENDER_H
