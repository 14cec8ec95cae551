//===- Contender.cpp - A schedule that is measured with others ------------===//

#include "Run/Tune/Contender.h"

#include "Run/Tune/Interrupt.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

namespace attnc {

/// The least time of a turn: many ticks of the clock of CPU time.
static constexpr double kTurnSeconds = 0.004;

/// Rounds after which contenders drop out, and how many times slower than the
/// fastest they are then.
static constexpr unsigned kFirstCut = 2, kSecondCut = 4;
static constexpr double kFirstLimit = 1.3, kSecondLimit = 1.1;

double Contender::relativeTo(const Contender &other) const {
  double sum = 0;
  for (auto [own, others] : llvm::zip_equal(seconds, other.seconds))
    sum += own / others;
  return sum / double(seconds.size());
}

double Contender::totalSeconds() const {
  double sum = 0;
  for (double one : seconds)
    sum += one;
  return sum;
}

/// Whether a contender whose time is `ratio` times the least drops out.
static bool dropsOut(double ratio, unsigned round) {
  return round >= kFirstCut &&
         ratio > (round < kSecondCut ? kFirstLimit : kSecondLimit);
}

llvm::Error measureInTurns(llvm::ArrayRef<Contender *> contenders,
                           llvm::ArrayRef<RunCase *> cases,
                           const attnc_runtime &runtime, unsigned rounds) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const Contender &first = *contenders.front();
  for (Contender *one : contenders)
    one->seconds.assign(cases.size(), none);
  for (unsigned round = 0; round < rounds; ++round) {
    double least = none;
    for (const Contender *one : contenders)
      least = round == 0 ? least : std::min(least, one->relativeTo(first));
    for (Contender *one : contenders) {
      // The first is what the others are compared with.
      if (one != &first && round > 0 &&
          dropsOut(one->relativeTo(first) / least, round))
        continue;
      for (auto [run, best] : llvm::zip_equal(cases, one->seconds)) {
        if (Interrupt::signal())
          return llvm::Error::success();
        auto seconds = run->time(one->plan, runtime, kTurnSeconds);
        if (!seconds)
          return seconds.takeError();
        best = std::min(best, *seconds);
      }
    }
  }
  return llvm::Error::success();
}

} // namespace attnc
