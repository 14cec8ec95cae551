//===- Interrupt.cpp - SIGINT and SIGTERM end a long run cleanly ----------===//

#include "Run/Tune/Interrupt.h"

#include "llvm/Support/Signals.h"

#include <csignal>
#include <iterator>

namespace attnc {

static volatile std::sig_atomic_t received = 0;
static constexpr int signals[] = {SIGINT, SIGTERM};
static struct sigaction previous[std::size(signals)];

Interrupt::Interrupt() {
  // LLVM installs its handlers once, for the first temporary file at the
  // latest. These come after them.
  llvm::sys::SetInterruptFunction(nullptr);
  struct sigaction action = {};
  action.sa_handler = [](int signal) { received = signal; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &action, &previous[i]);
}

Interrupt::~Interrupt() {
  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &previous[i], nullptr);
}

int Interrupt::signal() { return received; }

} // namespace attnc
