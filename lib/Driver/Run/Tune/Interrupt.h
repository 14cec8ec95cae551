//===- Interrupt.h - SIGINT and SIGTERM end a long run cleanly --*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_RUN_TUNE_INTERRUPT_H
#define ATTNC_LIB_DRIVER_RUN_TUNE_INTERRUPT_H

namespace attnc {

/// While it lives, the first SIGINT or SIGTERM is noted only; a second one ends
/// the process.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  /// The signal that came; 0: none.
  static int signal();
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_TUNE_INTERRUPT_H
